// Package diagtest checks errors in tests. It compares an error with the expectation in the first lines of a test input,
// and checks that a test expects every error that a package can report.
package diagtest

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

// Wanted returns the expectations with a key in the comments at the start of a test input. There is one line for each
// error: <!-- want: FILE:LINE:COL: message [code] -->.
func Wanted(source, key string) []string {
	var list []string
	for line := range strings.Lines(strings.TrimPrefix(source, "\uFEFF")) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "<!-- ") || !strings.HasSuffix(line, " -->") {
			break
		}
		line = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- "), " -->")
		if want, ok := strings.CutPrefix(line, key+": "); ok {
			list = append(list, want)
		}
	}
	return list
}

// Lines returns the lines of an error, one for each error of a list.
func Lines(err error) []string {
	if err == nil {
		return nil
	}
	var list diag.List
	if !errors.As(err, &list) {
		return []string{err.Error()}
	}
	var lines []string
	for _, e := range list {
		lines = append(lines, e.Error())
	}
	return lines
}

// Check calls load for each file that matches the pattern, and compares its error with the expectations in the file. It
// returns all expectations.
func Check(t *testing.T, pattern string, load func(file, source string) error) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	var all []string
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Base(path)
		want := Wanted(string(data), "want")
		all = append(all, want...)
		t.Run(strings.TrimSuffix(file, ".xml"), func(t *testing.T) {
			err := load(file, string(data))
			if got := Lines(err); !slices.Equal(got, want) {
				t.Errorf("got\n  %s\nwant\n  %s\n%s", strings.Join(got, "\n  "), strings.Join(want, "\n  "), diag.Render(err))
			}
		})
	}
	return all
}

// Covers checks that wanted contains each message and each code that the Go files of the current folder can report.
func Covers(t *testing.T, wanted []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				covers(t, fset, call, wanted)
			}
			return true
		})
	}
}

// covers checks a call such as diag.Errorf(diag.Code, span, "format", ...) or p.errorf("format", ...).
func covers(t *testing.T, fset *token.FileSet, call *ast.CallExpr, wanted []string) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	if pkg, isName := sel.X.(*ast.Ident); !isName || (pkg.Name != "diag" || sel.Sel.Name != "Errorf") && sel.Sel.Name != "errorf" {
		return
	}
	for _, arg := range call.Args {
		lit, ok := arg.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		format, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		if format == "%s" || format == "%v" {
			return // a message of another package
		}
		re := messageRegexp(format)
		if !slices.ContainsFunc(wanted, re.MatchString) {
			t.Errorf("%s: no test expects the message %q", fset.Position(lit.Pos()), format)
		}
		return
	}
}

var verb = regexp.MustCompile(`%[a-z]`)

// messageRegexp returns an expression that matches errors with this format.
func messageRegexp(format string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)^([^ ]+:\d+:\d+: )?`)
	at := 0
	for _, m := range verb.FindAllStringIndex(format, -1) {
		b.WriteString(regexp.QuoteMeta(format[at:m[0]]))
		b.WriteString(`.*`)
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(format[at:]))
	b.WriteString(` \[[a-z-]+\]$`)
	return regexp.MustCompile(b.String())
}

// Codes returns the codes at the ends of the expected lines.
func Codes(wanted []string) map[diag.Code]bool {
	codes := map[diag.Code]bool{}
	for _, w := range wanted {
		if i := strings.LastIndexByte(w, '['); i >= 0 {
			codes[diag.Code(strings.TrimSuffix(w[i+1:], "]"))] = true
		}
	}
	return codes
}
