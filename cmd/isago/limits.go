package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/equal"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/layered"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/survey"
	"github.com/isago/isago/target/a2xx"
	a2xxlaunch "github.com/isago/isago/target/a2xx/launch"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/tesla"
	teslalaunch "github.com/isago/isago/target/tesla/launch"
)

// limit is a bound on what hostile or huge input can cost. Beyond the bound, the command rejects the input or reports
// what it did not do.
type limit struct {
	what, bound string
	// flag is the flag that sets the bound, after its command, or "" for a fixed bound.
	flag string
}

// Bounds that a flag can change.
const (
	defaultBudget     = 1 << 20   // instructions of 64 vertices
	defaultLabelLimit = 16 << 20  // bytes
	defaultInLimit    = 256 << 20 // bytes
)

// limitsOf holds the bounds of a kind of input or of a command.
type limitsOf struct {
	of   string
	list []limit
}

// limits returns the bounds on inputs and on work, grouped by input or command. It reads the numbers from the constants
// that the code uses.
func limits() []limitsOf {
	return []limitsOf{
		{"Descriptions", []limit{
			{"all files together", text("%s, %s files, %s elements, nested %s deep", bytesOf(spec.MaxBytes), thousands(spec.MaxFiles), thousands(spec.MaxElements), thousands(spec.MaxDepth)), ""},
			{"imports", "regular files in the folder of the top file and below, and in folders added by the flag", "check --import-dir"},
			{"bitsets", text("%s, with %s elements in each; at most %s levels of extends", thousands(spec.MaxBitsets), thousands(spec.MaxInside), thousands(spec.MaxExtends)), ""},
			{"a display with its templates expanded", text("%s; all displays together %s", bytesOf(spec.MaxDisplay), bytesOf(spec.MaxExpanded)), ""},
			{"an expression", text("%s operators, names and numbers, nested %s deep", thousands(spec.MaxExprNodes), thousands(spec.MaxExprDepth)), ""},
			{"the semantics of an instruction", text("%s of code, %s operations", bytesOf(sem.MaxCode), thousands(sem.MaxInsts)), ""},
			{"errors that are printed", thousands(diag.MaxShown), ""},
		}},
		{"Sources", []limit{
			{"a line", text("%s of text, %s steps of the parser", bytesOf(asm.MaxLine), thousands(asm.MaxWork)), ""},
			{"bytes that directives add", text("%s; %s for Tesla", bytesOf(source.MaxSpace), bytesOf(tesla.MaxSpace)), ""},
			{"a line of JSON for step", bytesOf(maxInputLine), ""},
		}},
		{"Files", []limit{
			{"a shader file of PICA200", bytesOf(pica200.MaxFileSize), ""},
			{"a capture", text("%s unpacked, %s buffers and shaders", bytesOf(a2xx.MaxCapture), thousands(min(a2xx.MaxBuffers, a2xx.MaxShaders))), ""},
			{"raw code that dis reads before it prints", text("%s; longer code is printed without labels as it is read, and rejected with --jumps or --max-errors", bytesOf(defaultLabelLimit)), "dis --label-limit"},
			{"the JSON from which dis --format html makes a page", bytesOf(maxPage), ""},
			{"the picture of dis --graph svg", text("%s boxes and bends of edges", thousands(layered.MaxPoints)), ""},
		}},
		{"check", []limit{
			{"all searches and proofs together", text("%s million steps; beyond them, a note not-proved", thousands(prove.DefaultEffort)), "check --effort"},
			{"random words that are printed and read back", thousands(prove.DefaultSearch), "check --search"},
		}},
		{"gen", []limit{
			{"an expression with everything it uses inlined", text("%s operators, names and numbers; all expressions together %s", thousands(gen.MaxNodes), thousands(gen.MaxAll)), ""},
			{"comparisons needed to distinguish the instructions of a root", thousands(gen.MaxGrowth), ""},
		}},
		{"dis --ssa", []limit{
			{"variants of the instructions of a program", text("%s, of one instruction %s", thousands(flow.MaxNodes), thousands(flow.MaxVariants)), ""},
			{"times that an instruction is evaluated", text("%s in total", thousands(flow.MaxEvaluations)), ""},
		}},
		{"equal", []limit{
			{"parts of the values of two programs, and steps of a proof", thousands(equal.MaxNodes), ""},
			{"instructions of a wave in a run", text("%s; half as many after each run that reaches the limit, but at least %s", thousands(equal.MaxInstructions), thousands(equal.MinInstructions)), ""},
			{"cases of a proof, and searches of the SAT solver", text("%s, %s", thousands(equal.MaxCases), thousands(equal.MaxQueries)), ""},
			{"runs", thousands(equal.DefaultRuns), "equal --runs"},
		}},
		{"lint", []limit{
			{"instructions", thousands(lint.MaxCode), ""},
			{"paths of a program", text("%s states and %s million operations, about a second; beyond them, the warning not-followed", thousands(lint.MaxNodes), thousands(lint.MaxEffort>>20)), ""},
		}},
		{"cost", []limit{
			{"instructions and paths", "as for lint; beyond them, the paths are unknown", ""},
		}},
		{"survey", []limit{
			{"values of a field that are counted individually", thousands(survey.MaxValues), ""},
			{"groups of unknown words", thousands(survey.MaxShapes), ""},
			{"features", thousands(survey.MaxFeatures), ""},
			{"raw code whose operands are searched for features", text("%s; the report counts the larger files", bytesOf(largestProgram)), ""},
		}},
		{"run", []limit{
			{"the input file of --in", bytesOf(defaultInLimit), "run --in-limit"},
			{"instructions of 64 vertices, or of a warp", text("%s for vertices, %s for a warp", thousands(defaultBudget), thousands(teslalaunch.DefaultBudget)), "run --budget"},
			{"instructions of a grid", thousands(teslalaunch.DefaultTotal), "run --grid-budget"},
			{"bytes of all arguments and variables of a kernel", bytesOf(teslalaunch.DefaultMemory), "run --memory"},
			{"bytes of a lane's private memory", thousands(exec.MaxLaneBytes), ""},
			{"A2XX pictures", text("%s pixels per side, %s texels of textures, %s of buffers, %s vertices", thousands(a2xxlaunch.MaxSide), thousands(a2xxlaunch.MaxTexels), bytesOf(a2xxlaunch.MaxMemory), thousands(a2xxlaunch.MaxVertices)), ""},
			{"primitives of a Tesla geometry program", thousands(teslalaunch.MaxPrimitives), ""},
			{"values kept in memory until the columns of a table are known", thousands(feed.MaxHeld), ""},
		}},
	}
}

func text(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// bytesOf formats a number of bytes in the largest unit that divides it.
func bytesOf(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if shift := 30 - 10*i; n>>shift<<shift == n {
			return text("%s %s", thousands(n>>shift), unit)
		}
	}
	return text("%s bytes", thousands(n))
}

// thousands formats a number with commas between thousands.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// newLimits returns the help topic of isago help limits.
func newLimits() *cobra.Command {
	var page strings.Builder
	page.WriteString("Input may be hostile or huge. Above one of these limits, isago rejects the input with an error, or reports\n" +
		"what it did not do. SECURITY.md describes what is trusted.\n")
	for _, group := range limits() {
		page.WriteString("\n" + group.of + "\n")
		for _, l := range group.list {
			page.WriteString("    " + l.what + ": " + l.bound)
			if l.flag != "" {
				_, flag, _ := strings.Cut(l.flag, " ")
				page.WriteString("; " + flag)
			}
			page.WriteString("\n")
		}
	}
	return &cobra.Command{Use: "limits", GroupID: "about", Short: "List the limits on input size and work", Long: page.String()}
}
