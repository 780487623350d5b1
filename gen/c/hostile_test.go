package c_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/gentest"
)

// TestNoTextBecomesCode compiles descriptions whose names and texts try to be code: they would end a comment, a string or a
// name if they were written as they stand.
func TestNoTextBecomesCode(t *testing.T) {
	compiler(t, "gcc")
	for _, x := range gentest.HostileDescriptions() {
		t.Run(x.Name, func(t *testing.T) {
			gentest.Compare(t, x, func(p *gen.Program, root *gen.Root) string {
				for _, f := range written(t, p) {
					for i, line := range strings.Split(string(f.Text), "\n") {
						if evil.MatchString(line) && !quoted(line) {
							t.Errorf("%s:%d: %s", f.Name, i+1, line)
						}
					}
				}
				return build(t, p, root)
			})
		})
	}
}

// TestHeaderOfTables holds that an enum of small values is one of C, and that the comment of a field says of which table it is an index.
func TestHeaderOfTables(t *testing.T) {
	_, p := gentest.HostileDescriptions()[2].Program(t)
	text := ""
	for _, f := range written(t, p) {
		text += string(f.Text)
	}
	for _, want := range []string{"\nenum go_stage {\n", "/* A, bits 0..7, an index of table find", "/* B, bits 8..15, an index of table decode"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

var evil = regexp.MustCompile(`\bEVIL\b`)

// quoted reports whether the first such word of a line stands in a string or in a comment.
func quoted(line string) bool {
	before := line[:evil.FindStringIndex(line)[0]]
	for _, escape := range []string{`\\`, `\"`} {
		before = strings.ReplaceAll(before, escape, "")
	}
	return strings.Count(before, `"`)%2 == 1 || strings.Contains(before, "/*") && !strings.Contains(before, "*/") || strings.Contains(before, "/* ")
}

// TestOtherCompilers builds the same code with each compiler and language that the machine has; hostile names with the one
// that knows most keywords.
func TestOtherCompilers(t *testing.T) {
	cpp := []string{"g++", "-x", "c++", "-std=c++17"}
	for _, x := range gentest.Descriptions(t) {
		compileWith(t, x, []string{"gcc", "-std=c11"}, cpp, []string{"clang-14", "-std=c11"}, []string{"clang++-14", "-x", "c++", "-std=c++17"})
	}
	compileWith(t, gentest.HostileDescriptions()[1], cpp)
}

func compileWith(t *testing.T, x gentest.Description, compilers ...[]string) {
	_, p := x.Program(t)
	dir := t.TempDir()
	write(t, dir, p)
	for _, cc := range compilers {
		path, err := exec.LookPath(cc[0])
		if err != nil {
			t.Logf("no %s on this machine", cc[0])
			continue
		}
		args := append(cc[1:len(cc):len(cc)], strictFlags...)
		for _, source := range sources(t, p) {
			compile(t, dir, path, append(args[:len(args):len(args)], "-O0", "-c", "-o", filepath.Join(dir, "out.o"), source)...)
		}
	}
}
