package docs_test

import (
	"bytes"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// unfinished lists the public packages that still mention internal packages, with these. gen is for generators in this
// module, and its tree refers to the description. The types of images and compilers are in internal/program.
var unfinished = map[string][]string{
	"gen":            {"spec", "model"},
	"target/a2xx":    {"program"},
	"target/catalog": {"program"},
	"target/pica200": {"program"},
	"target/tegra":   {"program"},
	"target/tesla":   {"program"},
	"view":           {"program"},
}

// TestPublicTypes fails if an exported identifier of a public package mentions an internal package. go doc shows nothing
// of such a type, and no other module can name it. Methods that only this module can call may mention them: their first
// parameter is an inside.Key.
func TestPublicTypes(t *testing.T) {
	const module = "github.com/isago/isago"
	out, err := exec.Command("go", "list", "-C", "..", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Name}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	var public []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		path := fields[0]
		files[path] = fields[1]
		if (path == module || strings.HasPrefix(path, module+"/")) && fields[2] != "main" && !isInternal(path) && !strings.Contains(path, "/examples") {
			public = append(public, path)
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		data, err := os.ReadFile(files[path])
		return io.NopCloser(bytes.NewReader(data)), err
	})
	used := map[string]bool{}
	if len(public) < 20 {
		t.Errorf("%d public packages: %v", len(public), public)
	}
	for _, path := range public {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.TrimPrefix(path, module+"/")
		for _, name := range pkg.Scope().Names() {
			object := pkg.Scope().Lookup(name)
			if !object.Exported() {
				continue
			}
			m := mentions{}
			m.object(object)
			for _, x := range m.list {
				if slices.Contains(unfinished[short], strings.TrimPrefix(x.pkg, module+"/internal/")) {
					used[short] = true
				} else {
					t.Errorf("%s.%s%s mentions %s.%s", short, name, x.at, x.pkg, x.name)
				}
			}
		}
	}
	for name := range unfinished {
		if !used[name] {
			t.Errorf("package %s mentions no internal package: remove it from unfinished", name)
		}
	}
}

func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// mentions lists the places in an object that mention an internal package.
type mentions struct {
	list []mention
	at   string
}

// mention is a type of an internal package that a part of an object mentions.
type mention struct{ at, pkg, name string }

func (m *mentions) in(at string, walk func()) {
	old := m.at
	m.at += at
	walk()
	m.at = old
}

func (m *mentions) object(o types.Object) {
	name, ok := o.(*types.TypeName)
	if !ok {
		m.typ(o.Type())
		return
	}
	if a, ok := o.Type().(*types.Alias); ok {
		m.in(" =", func() { m.typ(a.Rhs()) })
		return
	}
	m.typ(name.Type().Underlying())
	if n, ok := name.Type().(*types.Named); ok {
		for f := range n.Methods() {
			m.method(f)
		}
	}
}

func (m *mentions) method(f *types.Func) {
	s := f.Signature()
	if n := s.Params().Len(); !f.Exported() || n > 0 && strings.HasSuffix(s.Params().At(0).Type().String(), "/internal/inside.Key") {
		return
	}
	m.in("."+f.Name(), func() { m.typ(s) })
}

func (m *mentions) named(o *types.TypeName, args *types.TypeList) {
	if o.Pkg() != nil && isInternal(o.Pkg().Path()) {
		m.list = append(m.list, mention{m.at, o.Pkg().Path(), o.Name()})
	}
	for a := range args.Types() {
		m.typ(a)
	}
}

func (m *mentions) typ(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		m.named(t.Obj(), t.TypeArgs())
	case *types.Named:
		m.named(t.Obj(), t.TypeArgs())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				m.in("."+f.Name(), func() { m.typ(f.Type()) })
			}
		}
	case *types.Interface:
		for f := range t.ExplicitMethods() {
			m.method(f)
		}
		for e := range t.EmbeddedTypes() {
			m.typ(e)
		}
	case *types.Union:
		for term := range t.Terms() {
			m.typ(term.Type())
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			m.typ(v.Type())
		}
		for v := range t.Results().Variables() {
			m.typ(v.Type())
		}
	case *types.Map:
		m.typ(t.Key())
		m.typ(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		m.typ(t.Elem())
	}
}
