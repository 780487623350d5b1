package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/survey"
)

// limit is a bound on what hostile or huge input can cost. Beyond it the command refuses the input, or reports what it did
// not do.
type limit struct {
	what, bound string
	// flag sets the bound: the command and the name, "" for a bound that is fixed.
	flag string
}

// limits are the bounds that users can meet, by what is read or done.
var limits = []struct {
	of   string
	list []limit
}{
	{"Descriptions", []limit{
		{"all files together", "8 MiB, 256 files, 200,000 elements, 64 inside each other", ""},
		{"imports", "regular files in the folder of the top file, and in others that are named", "check --import-dir"},
		{"bitsets", "16,384, of 4,096 elements each, which extend 64 others", ""},
		{"a display, with its templates written out", "16 KiB; all of them 8 MiB", ""},
		{"an expression", "1,000 operators, names and numbers, 200 inside each other", ""},
		{"the semantics of an instruction", "64 KiB of code, 32,768 operations", ""},
		{"errors that are printed", "50", ""},
	}},
	{"Sources", []limit{
		{"a line", "64 KiB, and 4,194,304 steps of the search for what it says", ""},
		{"bytes that directives add", "1 MiB; 16 MiB of Tesla", ""},
		{"a line of JSON for step", "1 MiB", ""},
	}},
	{"Files", []limit{
		{"a shader file of PICA200", "1 GiB", ""},
		{"a capture", "1 GiB unpacked, 65,536 buffers and shaders", ""},
		{"raw code that dis prints with labels", "16 MiB; what is larger is printed from the first line on, without labels", "dis --label-limit"},
	}},
	{"check", []limit{
		{"all searches and proofs", "1,000 million steps; what ends early is not-proved", "check --effort"},
		{"words that are read back", "60,000", "check --search"},
	}},
	{"gen", []limit{
		{"an expression with what it uses written out", "16,384 operators, names and numbers; all of them 524,288", ""},
		{"comparisons that tell the instructions of a root apart", "536,870,912", ""},
	}},
	{"lint", []limit{
		{"instructions", thousands(lint.MaxCode), ""},
		{"paths of a program", "16,384 states and 16 million operations, about two seconds; beyond them not-followed", ""},
	}},
	{"survey", []limit{
		{"values of a field that are counted one by one", fmt.Sprint(survey.MaxValues), ""},
		{"shapes of unknown words", thousands(survey.MaxShapes), ""},
		{"features", thousands(survey.MaxFeatures), ""},
	}},
	{"run", []limit{
		{"instructions of 64 vertices, or of a warp", "1,048,576 of vertices, 16,777,216 of a warp", "run --budget"},
		{"instructions of a grid", "4,294,967,296", "run --grid-budget"},
		{"bytes of all arguments and variables of a kernel", "1 GiB", "run --memory"},
		{"bytes of a lane's own memory", "65,536", ""},
		{"pictures of A2XX", "8,192 pixels a side, 16,777,216 texels of textures, 64 MiB of buffers, 4,194,304 vertices", ""},
		{"primitives of a geometry program of Tesla", "1,048,576", ""},
		{"values kept until the columns of a table are known", "16,777,216", ""},
	}},
}

// thousands formats a number with commas between thousands.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// newLimits is a help topic: isago help limits.
func newLimits() *cobra.Command {
	var text strings.Builder
	text.WriteString("Input from anywhere may be hostile or huge. These bounds hold; beyond one, the input is refused with an error\n" +
		"or the report says what was not done. SECURITY.md says what is trusted.\n")
	for _, group := range limits {
		text.WriteString("\n" + group.of + "\n")
		for _, l := range group.list {
			text.WriteString("    " + l.what + ": " + l.bound)
			if l.flag != "" {
				_, flag, _ := strings.Cut(l.flag, " ")
				text.WriteString("; " + flag)
			}
			text.WriteString("\n")
		}
	}
	return &cobra.Command{Use: "limits", Short: "The bounds on what input can cost", Long: text.String()}
}
