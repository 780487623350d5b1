package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/isago/isago/equal"
)

var (
	changes       = flag.Int("changes", 1, "number of changes of each kind that TestChanges makes to each program")
	changeSeed    = flag.Uint64("changeseed", 1, "seed of the changes of TestChanges")
	undecidedTo   = flag.String("undecided", "", "folder to which TestChanges writes the programs about which nothing was decided")
	changedFolder = flag.String("changed", "", "folder with more sources for TestChanges, which select their machine by their content")
)

// undecidedPrograms counts the pairs that were written.
var undecidedPrograms int

// A changedSource is a kind of source.
type changedSource struct {
	pattern string
	// registers matches a register that holds nothing when a program starts. Its groups are the name, the number, and the part.
	registers *regexp.Regexp
	// first is the first number of such a register. count, if it is not nil, matches the declared number of registers.
	first int
	count *regexp.Regexp
	// copies is a copy of the register %[2]s to %[1]s. split has the operations for a product that is added: mad, mul and add.
	copies string
	mad    *regexp.Regexp
	split  string
}

var changedSources = []*changedSource{
	{
		pattern: "pica200/*.pica", registers: regexp.MustCompile(`\b(r)([0-9]+)()\b`), copies: "\tmov %[1]s, %[2]s",
		mad: regexp.MustCompile(`^\s*mad (\S+), (\S+), (\S+), (\S+)`), split: "\tmul %[5]s, %[2]s, %[3]s\n\tadd %[1]s, %[4]s, %[5]s",
	},
	{
		pattern: "tegra/*.asm", registers: regexp.MustCompile(`\b(r)([0-9]+)()\b`), copies: "\tEXEC MOVv %[1]s.xyzw, %[2]s.xyzw;",
		mad: regexp.MustCompile(`^\s*EXEC MADv (\S+), (\S+), (\S+), (\S+);`), split: "\tEXEC MULv %[5]s.xyzw, %[2]s, %[3]s;\n\tEXEC ADDv %[1]s, %[5]s.xyzw, %[4]s;",
	},
	// The first registers hold inputs. The product in MULADDv is not rounded as that of MULv is.
	{pattern: "a2xx/*.vs.a2xx", registers: regexp.MustCompile(`\b(R)([0-9]+)()\b`), first: 2, copies: "      ALU:    MAXv    %[1]s = %[2]s, %[2]s"},
	{pattern: "a2xx/*.fs.a2xx", registers: regexp.MustCompile(`\b(R)([0-9]+)()\b`), first: 4, copies: "      ALU:    MAXv    %[1]s = %[2]s, %[2]s"},
	// $r0 has the number of the thread. A mad truncates the product.
	{pattern: "tesla/*.cubin.s", registers: regexp.MustCompile(`(\$r)([0-9]+)([lh]?)\b`), first: 1, count: regexp.MustCompile(`reg = ([0-9]+)`), copies: "\t\tmov b32 %[1]s %[2]s"},
}

// unused returns the name of a register that a program does not use, and declares it, or "".
func (s *changedSource) unused(lines []string) string {
	used := map[int]bool{}
	name := ""
	most := 15 // all machines have as many registers
	declared := -1
	for i, line := range lines {
		for _, m := range s.registers.FindAllStringSubmatch(line, -1) {
			n, _ := strconv.Atoi(m[2])
			used[n], name = true, m[1]
		}
		if s.count != nil {
			if m := s.count.FindStringSubmatch(line); m != nil {
				declared = i
				most, _ = strconv.Atoi(m[1])
				most--
			}
		}
	}
	for n := most; n >= s.first; n-- {
		if !used[n] && name != "" {
			return name + strconv.Itoa(n)
		}
	}
	if declared < 0 || name == "" {
		return ""
	}
	lines[declared] = s.count.ReplaceAllString(lines[declared], fmt.Sprintf("reg = %d", most+2))
	return name + strconv.Itoa(most+1)
}

// kernelFlags are the flags for the kernels.
var kernelFlags = map[string]string{
	"vecadd":       "--grid 2 --block 16 --params a:ptr:f32,b:ptr:f32,c:ptr:f32,n:s32",
	"saxpy":        "--grid 2 --block 16 --pointer-size 4 --params n:s32,a:f32,x:ptr:f32,y:ptr:f32",
	"matmul":       "--grid 2 --block 16,16 --pointer-size 4 --params a:ptr:f32,b:ptr:f32,c:ptr:f32,n:s32",
	"histogram":    "--grid 2 --block 64 --params data:ptr:u8,bins:ptr:u32,n:s32",
	"bitonic":      "--grid 2 --block 8 --pointer-size 4 --params values:ptr:s32,n:s32",
	"mandelbrot":   "--grid 2 --block 8,8 --params steps:ptr,colours:ptr,width:s32,limit:s32,x:f32,y:f32,step:f32",
	"blackscholes": "--grid 2 --block 16 --params call:ptr:f32,put:ptr:f32,price:ptr:f32,strike:ptr:f32,years:ptr:f32,n:s32,rate:f32,volatility:f32",
	"reduce":       "--grid 2 --block 32 --pointer-size 4 --params in:ptr:u32,out:ptr:u32,n:s32",
	"reverse":      "--grid 2 --block 32 --pointer-size 4 --params data:ptr:u32",
}

// A change replaces lines of a source. keeps is set if the program does the same afterwards.
type sourceChange struct {
	name  string
	keeps bool
	apply func(r *rand.Rand, lines []string, s *changedSource) bool
}

var sourceChanges = []sourceChange{
	{"registers renamed", true, renameRegisters},
	{"an instruction repeated for an unused register", true, addDeadCode},
	{"a value copied", true, copyValue},
	{"a product and a sum in two instructions", true, splitMad},
	{"neighbours exchanged", false, exchangeLines}, // keeps the meaning of independent instructions
	{"another register", false, replacing(`\b[a-z$]+[0-9]+\b`, func(r *rand.Rand, old string) string {
		name := strings.TrimRight(old, "0123456789")
		n, _ := strconv.Atoi(old[len(name):])
		return name + strconv.Itoa(max(0, n+1-2*r.IntN(2)))
	})},
	{"another component", false, replacing(`\.[xyzw]{1,4}\b`, func(r *rand.Rand, old string) string {
		at := 1 + r.IntN(len(old)-1)
		return old[:at] + string("xyzw"[r.IntN(4)]) + old[at+1:]
	})},
	{"another sign", false, replacing(`, *-?[a-zA-Z$]`, func(_ *rand.Rand, old string) string {
		if strings.Contains(old, "-") {
			return strings.Replace(old, "-", "", 1)
		}
		return old[:len(old)-1] + "-" + old[len(old)-1:]
	})},
	{"another operation", false, replacing(`\b(?:(?:add|mul|min|max|sub|dp3|dp4|lt|le|gt|ge|eq|ne|sge|slt)\b|(?:ADD|MUL|MIN|MAX|DP3|DP4|DOT3|DOT4|SGE|SLT)v)`, func(r *rand.Rand, old string) string {
		list := strings.Fields("add mul min max sub dp3 dp4 lt le gt ge eq ne sge slt")
		if old[0] < 'a' {
			list = strings.Fields("ADDv MULv MINv MAXv DP3v DP4v DOT3v DOT4v SGEv SLTv")
		}
		return list[r.IntN(len(list))]
	})},
	{"another number", false, replacing(`\b[0-9]+\.[0-9]+\b`, func(r *rand.Rand, _ string) string { return fmt.Sprintf("%d.5", r.IntN(9)) })},
}

// isInstruction reports whether a line of a source is an instruction.
func isInstruction(line string) bool {
	text := strings.TrimSpace(line)
	return text != "" && line[0] <= ' ' && !strings.ContainsAny(text[:1], ".;/#[}") && strings.Contains(text, " ")
}

// pickInstruction returns the number of an instruction, or -1.
func pickInstruction(r *rand.Rand, lines []string) int {
	var list []int
	for i, line := range lines {
		if isInstruction(line) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return -1
	}
	return list[r.IntN(len(list))]
}

// replacing returns a change of what a pattern matches in an instruction.
func replacing(pattern string, with func(r *rand.Rand, old string) string) func(*rand.Rand, []string, *changedSource) bool {
	re := regexp.MustCompile(pattern)
	return func(r *rand.Rand, lines []string, _ *changedSource) bool {
		for range 20 {
			i := pickInstruction(r, lines)
			if i < 0 {
				return false
			}
			found := re.FindAllStringIndex(lines[i], -1)
			if len(found) == 0 {
				continue
			}
			at := found[r.IntN(len(found))]
			old := lines[i][at[0]:at[1]]
			if now := with(r, old); now != old {
				lines[i] = lines[i][:at[0]] + now + lines[i][at[1]:]
				return true
			}
		}
		return false
	}
}

// renameRegisters exchanges two registers in the whole program.
func renameRegisters(r *rand.Rand, lines []string, s *changedSource) bool {
	most := 12
	for _, line := range lines {
		if s.count != nil && s.count.MatchString(line) {
			most, _ = strconv.Atoi(s.count.FindStringSubmatch(line)[1])
		}
	}
	a, b := strconv.Itoa(s.first+r.IntN(min(4, most-s.first))), strconv.Itoa(s.first+r.IntN(most-s.first))
	changed := false
	for i, line := range lines {
		if strings.Contains(line, "@") && s.registers.MatchString(line) {
			return false // a declared register
		}
		lines[i] = s.registers.ReplaceAllStringFunc(line, func(old string) string {
			m := s.registers.FindStringSubmatch(old)
			switch m[2] {
			case a:
				changed = true
				return m[1] + b + m[3]
			case b:
				changed = true
				return m[1] + a + m[3]
			}
			return old
		})
	}
	return changed && a != b
}

// destination returns the place of the first operand of an instruction if it is a register.
func (s *changedSource) destination(line string) []int {
	if strings.Contains(line, "export") || strings.Contains(line, "KILL") || strings.Contains(line, "PRED") || regexp.MustCompile(`\b(CAL|RET|BRA)s`).MatchString(line) || strings.Contains(line, "(cwr)") {
		return nil // it has more effects
	}
	words := regexp.MustCompile(`^\s*(?:[a-zA-Z0-9():]+\s+)+`).FindString(line)
	m := s.registers.FindStringIndex(line[len(words):])
	if words == "" || m == nil || m[0] != 0 {
		return nil
	}
	return []int{len(words), len(words) + m[1]}
}

// addDeadCode repeats an instruction before itself, with a destination that nothing else uses.
func addDeadCode(r *rand.Rand, lines []string, s *changedSource) bool {
	for range 20 {
		i := pickInstruction(r, lines)
		if i < 0 || i+1 < len(lines) && !strings.Contains(lines[i], "ALU:") && strings.Contains(lines[i+1], " = ") {
			continue
		}
		if m := s.destination(lines[i]); m != nil {
			part := s.registers.FindStringSubmatch(lines[i][m[0]:m[1]])[3]
			if unused := s.unused(lines); unused != "" {
				lines[i] = lines[i][:m[0]] + unused + part + lines[i][m[1]:] + "\n" + lines[i]
				return true
			}
		}
	}
	return false
}

// copyValue copies a register that an instruction reads to an unused one before the instruction, which then reads the copy.
func copyValue(r *rand.Rand, lines []string, s *changedSource) bool {
	for range 20 {
		i := pickInstruction(r, lines)
		if i < 0 {
			return false
		}
		m := s.destination(lines[i])
		if m == nil {
			continue
		}
		found := s.registers.FindAllStringIndex(lines[i][m[1]:], -1)
		if len(found) == 0 {
			continue
		}
		at := found[r.IntN(len(found))]
		from, to := m[1]+at[0], m[1]+at[1]
		source := s.registers.FindStringSubmatch(lines[i][from:to])
		unused := s.unused(lines)
		if unused == "" || source[2] == "63" { // it reads as nothing
			return false
		}
		lines[i] = fmt.Sprintf(s.copies, unused, source[1]+source[2]) + "\n" + lines[i][:from] + unused + source[3] + lines[i][to:]
		return true
	}
	return false
}

// splitMad computes a product and a sum in two instructions instead of one, on a machine that rounds both.
func splitMad(r *rand.Rand, lines []string, s *changedSource) bool {
	for range 20 {
		i := pickInstruction(r, lines)
		if i < 0 || s.mad == nil {
			return false
		}
		m := s.mad.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		if unused := s.unused(lines); unused != "" {
			lines[i] = fmt.Sprintf(s.split, m[1], m[2], m[3], m[4], unused)
			return true
		}
	}
	return false
}

func exchangeLines(r *rand.Rand, lines []string, _ *changedSource) bool {
	for range 20 {
		if i := pickInstruction(r, lines); i >= 0 && i+1 < len(lines) && isInstruction(lines[i+1]) && lines[i] != lines[i+1] {
			lines[i], lines[i+1] = lines[i+1], lines[i]
			return true
		}
	}
	return false
}

// changeTally counts the answers for changed programs.
type changeTally struct {
	pairs, equal, differs, undecided int
	time, longest                    time.Duration
}

// TestChanges compares programs with changed ones. If the answer is equal, longer runs with other inputs must not find a difference. If
// a change keeps what the program does, the answer must not be that they differ.
func TestChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("the changes take too long for short mode")
	}
	all := changeTally{}
	for _, source := range changedSources {
		t.Run(strings.NewReplacer("/*", "", ".a2xx", "").Replace(source.pattern), func(t *testing.T) {
			files, err := filepath.Glob("../../examples/" + source.pattern)
			if err != nil || len(files) == 0 {
				t.Fatal(source.pattern, err)
			}
			if *changedFolder != "" {
				more, _ := filepath.Glob(filepath.Join(*changedFolder, filepath.Base(source.pattern)))
				files = append(files, more...)
			}
			tally := map[string]*changeTally{}
			r := rand.New(rand.NewPCG(*changeSeed, uint64(*changes)))
			for _, file := range files {
				source.change(t, r, file, tally)
			}
			part := changeTally{}
			for _, change := range sourceChanges {
				if x := tally[change.name]; x != nil {
					t.Logf("%s: %v", change.name, x)
					part.add(x)
				}
			}
			t.Logf("all: %v", &part)
			if part.pairs < 5 || part.equal == 0 || part.differs == 0 {
				t.Errorf("%d pairs, expected at least 5, and answers of both kinds", part.pairs)
			}
			all.add(&part)
		})
	}
	t.Logf("all: %v", &all)
}

// change compares programs with changed ones, starting from a file.
func (s *changedSource) change(t *testing.T, r *rand.Rand, file string, tally map[string]*changeTally) {
	t.Helper()
	dir := t.TempDir()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range sourceChanges {
		for k := range *changes {
			base := strings.Split(string(data), "\n")
			for range k % 4 { // a random program
				other := sourceChanges[r.IntN(len(sourceChanges))]
				again := slices.Clone(base)
				if other.apply(r, again, s) {
					if _, err := opened(dir, file, "try", again); err == nil {
						base = strings.Split(strings.Join(again, "\n"), "\n")
					}
				}
			}
			now := slices.Clone(base)
			if !change.apply(r, now, s) {
				continue
			}
			a, err := opened(dir, file, "before", base)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			b, err := opened(dir, file, "after", now)
			if err != nil {
				continue // the change is not possible
			}
			if tally[change.name] == nil {
				tally[change.name] = &changeTally{}
			}
			tally[change.name].compare(t, file, change, [2][]string{base, now}, a, b)
		}
	}
}

// add adds another tally.
func (x *changeTally) add(y *changeTally) {
	x.pairs, x.equal, x.differs, x.undecided = x.pairs+y.pairs, x.equal+y.equal, x.differs+y.differs, x.undecided+y.undecided
	x.time, x.longest = x.time+y.time, max(x.longest, y.longest)
}

// String returns the counts.
func (x *changeTally) String() string {
	return fmt.Sprintf("%d pairs, %d equal, %d differ, %d undecided, %v each, at most %v", x.pairs, x.equal, x.differs, x.undecided, (x.time / time.Duration(max(x.pairs, 1))).Round(time.Millisecond), x.longest.Round(time.Millisecond))
}

// opened reads a source for a comparison.
func opened(dir, file, name string, lines []string) (*compared, error) {
	path := filepath.Join(dir, name+filepath.Ext(file))
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		return nil, err
	}
	f := &equalFlags{}
	cmd := f.command()
	withSession(cmd)
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	base, _, _ := strings.Cut(filepath.Base(file), ".")
	if err := cmd.ParseFlags(strings.Fields(kernelFlags[base])); err != nil {
		return nil, err
	}
	return f.read(cmd, path)
}

// compare compares a program with a changed one.
func (x *changeTally) compare(t *testing.T, file string, change sourceChange, texts [2][]string, a, b *compared) {
	t.Helper()
	start := time.Now()
	options, longer := equal.Options{}, 32
	if *changes == 1 {
		options.Runs, longer = 8, 16 // a short test
	}
	res, err := equal.Compare(t.Context(), a.program(), b.program(), options)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	x.pairs++
	x.time, x.longest = x.time+took, max(x.longest, took)
	show := func(text string) {
		t.Errorf("%s, %s: %s\n%s\n-----\n%s", file, change.name, text, strings.Join(texts[0], "\n"), strings.Join(texts[1], "\n"))
	}
	switch res.Verdict {
	case equal.Equal:
		x.equal++
		again, err := equal.Compare(t.Context(), a.program(), b.program(), equal.Options{SearchOnly: true, Runs: longer, Seed: 99})
		if err != nil {
			t.Fatal(err)
		}
		if again.Verdict == equal.Differs {
			show("equal, but a run differs")
		}
	case equal.Differs:
		if x.differs++; change.keeps {
			show(fmt.Sprintf("differs: %+v", res.Difference.Outputs))
		}
	default:
		x.undecided++
		if *changes > 1 {
			t.Logf("undecided: %s, %s: %v", file, change.name, res.Reasons[:min(3, len(res.Reasons))])
		}
		if *undecidedTo != "" {
			for k, lines := range texts {
				path := filepath.Join(*undecidedTo, fmt.Sprintf("%s.%d.%d%s", strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), undecidedPrograms, k, filepath.Ext(file)))
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			undecidedPrograms++
		}
	}
}
