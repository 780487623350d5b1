package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/isago/isago/equal"
)

var (
	changes       = flag.Int("changes", 1, "number of changes of each kind that TestChanges makes to each program")
	changedFolder = flag.String("changed", "", "folder with more sources for TestChanges, which select their machine by their content")
)

// changedSources are sources with the flags that they need, and the name of the registers that hold nothing when a program starts.
var changedSources = []struct{ pattern, flags, registers string }{
	{"pica200/*.pica", "", "r"},
	{"tegra/*.asm", "", "r"},
	// The registers of these machines hold inputs, or overlap.
	{"a2xx/*.vs.a2xx", "--isa a2xx --stage vs", ""},
	{"a2xx/*.fs.a2xx", "--isa a2xx --stage fs", ""},
	{"tesla/*.cubin.s", "", ""},
}

// kernelFlags are the flags for the kernels.
var kernelFlags = map[string]string{
	"vecadd":       "--block 16 --params a:ptr:f32,b:ptr:f32,c:ptr:f32,n:s32",
	"saxpy":        "--block 16 --pointer-size 4 --params n:s32,a:f32,x:ptr:f32,y:ptr:f32",
	"matmul":       "--block 16,16 --pointer-size 4 --params a:ptr:f32,b:ptr:f32,c:ptr:f32,n:s32",
	"histogram":    "--block 64 --params data:ptr:u8,bins:ptr:u32,n:s32",
	"bitonic":      "--block 8 --pointer-size 4 --params values:ptr:s32,n:s32",
	"mandelbrot":   "--block 8,8 --params steps:ptr,colours:ptr,width:s32,limit:s32,x:f32,y:f32,step:f32",
	"blackscholes": "--block 16 --params call:ptr:f32,put:ptr:f32,price:ptr:f32,strike:ptr:f32,years:ptr:f32,n:s32,rate:f32,volatility:f32",
	"reduce":       "--block 32 --pointer-size 4 --params in:ptr:u32,out:ptr:u32,n:s32",
	"reverse":      "--block 32 --pointer-size 4 --params data:ptr:u32",
}

// A change replaces lines of a source. keeps is set if the program does the same afterwards.
type sourceChange struct {
	name  string
	keeps bool
	apply func(r *rand.Rand, lines []string, registers string) bool
}

var sourceChanges = []sourceChange{
	{"registers renamed", true, renameRegisters},
	{"an instruction repeated for an unused register", true, addDeadCode},
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
	{"another operation", false, replacing(`\b(add|mul|min|max|sub|dp3|dp4|lt|le|gt|ge|eq|ne|sge|slt)\b`, func(r *rand.Rand, old string) string {
		return strings.Fields("add mul min max sub dp3 dp4 lt le gt ge eq ne sge slt")[r.IntN(15)]
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
func replacing(pattern string, with func(r *rand.Rand, old string) string) func(*rand.Rand, []string, string) bool {
	re := regexp.MustCompile(pattern)
	return func(r *rand.Rand, lines []string, _ string) bool {
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
func renameRegisters(r *rand.Rand, lines []string, registers string) bool {
	if registers == "" {
		return false
	}
	name := strings.TrimPrefix(registers, `\`)
	a, b := fmt.Sprint(name, 1+r.IntN(4)), fmt.Sprint(name, 1+r.IntN(12))
	re := regexp.MustCompile(registers + `[0-9]+\b`)
	changed := false
	for i := range lines {
		lines[i] = re.ReplaceAllStringFunc(lines[i], func(old string) string {
			switch old {
			case a:
				changed = true
				return b
			case b:
				changed = true
				return a
			}
			return old
		})
	}
	return changed && a != b
}

// addDeadCode repeats an instruction before itself, with a destination that nothing else uses.
func addDeadCode(r *rand.Rand, lines []string, registers string) bool {
	if registers == "" {
		return false
	}
	name := strings.TrimPrefix(registers, `\`)
	unused := name + "14"
	for _, line := range lines {
		if strings.Contains(line, unused) {
			return false
		}
	}
	destination := regexp.MustCompile(`^(\s*[a-z0-9]+(?: [a-z0-9]+)? )(` + registers + `[0-9]+)\b`)
	for range 20 {
		if i := pickInstruction(r, lines); i >= 0 {
			if m := destination.FindStringSubmatchIndex(lines[i]); m != nil {
				lines[i] = lines[i][:m[4]] + unused + lines[i][m[5]:] + "\n" + lines[i]
				return true
			}
		}
	}
	return false
}

func exchangeLines(r *rand.Rand, lines []string, _ string) bool {
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
	dir := t.TempDir()
	tally := map[string]*changeTally{}
	r := rand.New(rand.NewPCG(1, uint64(*changes)))
	for _, source := range changedSources {
		files, err := filepath.Glob("../../examples/" + source.pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(source.pattern, err)
		}
		if *changedFolder != "" {
			more, _ := filepath.Glob(filepath.Join(*changedFolder, filepath.Base(source.pattern)))
			files = append(files, more...)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range sourceChanges {
				for k := range *changes {
					base := strings.Split(string(data), "\n")
					for range k % 4 { // a random program
						other := sourceChanges[r.IntN(len(sourceChanges))]
						again := append([]string(nil), base...)
						if other.apply(r, again, source.registers) && compiles(t, dir, file, source.flags, again) {
							base = strings.Split(strings.Join(again, "\n"), "\n")
						}
					}
					now := append([]string(nil), base...)
					if !change.apply(r, now, source.registers) || !compiles(t, dir, file, source.flags, now) {
						continue
					}
					if tally[change.name] == nil {
						tally[change.name] = &changeTally{}
					}
					tally[change.name].compare(t, dir, file, source.flags, base, now, change)
				}
			}
		}
	}
	all := changeTally{}
	for name, x := range tally {
		t.Logf("%s: %d pairs, %d equal, %d differ, %d undecided, %v each, at most %v", name, x.pairs, x.equal, x.differs, x.undecided, x.time/time.Duration(x.pairs), x.longest)
		all.pairs, all.undecided = all.pairs+x.pairs, all.undecided+x.undecided
	}
	if all.pairs < 20 || tally["registers renamed"].equal == 0 || tally["another component"].differs == 0 {
		t.Errorf("%d pairs, expected at least 20, and answers of both kinds", all.pairs)
	}
	t.Logf("%d pairs, %d undecided", all.pairs, all.undecided)
}

// opened reads a source for a comparison.
func opened(dir, file, flags, name string, lines []string) (*compared, error) {
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
	if err := cmd.ParseFlags(strings.Fields(flags + " " + kernelFlags[base])); err != nil {
		return nil, err
	}
	return f.read(cmd, path)
}

func compiles(t *testing.T, dir, file, flags string, lines []string) bool {
	t.Helper()
	_, err := opened(dir, file, flags, "try", lines)
	return err == nil
}

// compare compares a program with a changed one.
func (x *changeTally) compare(t *testing.T, dir, file, flags string, before, after []string, change sourceChange) {
	t.Helper()
	a, err := opened(dir, file, flags, "before", before)
	if err != nil {
		return
	}
	b, err := opened(dir, file, flags, "after", after)
	if err != nil {
		return
	}
	start := time.Now()
	options, longer := equal.Options{}, 200
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
		t.Errorf("%s, %s: %s\n%s\n-----\n%s", file, change.name, text, strings.Join(before, "\n"), strings.Join(after, "\n"))
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
	}
}
