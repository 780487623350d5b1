package main

import (
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/target/catalog"
)

// compileSource makes of a source what the compiler of its machine does: the machine of the flags, or the one that the source
// is recognised as, which is then that of the flags. ok is false where there is no source, or nobody to compile it.
func (f *machineFlags) compileSource(src *diag.Source) (out *program.Compiled, ok bool, err error) {
	if f.spec != "" || !isText(src.Text) {
		return nil, false, nil
	}
	m, ok := catalog.RecogniseSource(src)
	if f.isa != "" {
		if m, err = catalog.Lookup(f.isa); err != nil {
			return nil, false, err
		}
		ok = true
	}
	if !ok || m.NewCompiler == nil {
		return nil, false, nil
	}
	f.isa = m.Name
	c, err := m.NewCompiler()
	if err != nil {
		return nil, false, err
	}
	out, err = c.Compile([]*diag.Source{src}, program.CompileOptions{Syntax: f.syntax, Context: f.context})
	return out, true, err
}

// isText reports whether a file can be a source.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) })
}
