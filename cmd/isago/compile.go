package main

import (
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/target/catalog"
)

// compileSource makes of a source what asm makes of it for the machine of the flags, or for the one that the source is
// recognised as, which is then that of the flags. ok is false for what is no text, or of no
// machine.
func (f *machineFlags) compileSource(src *diag.Source) (out *program.Compiled, ok bool, err error) {
	if diag.IsUTF16(src.Text) {
		return nil, false, fileError(src.Name, errUTF16)
	}
	if !isText(src.Text) {
		return nil, false, nil
	}
	if f.given() {
		if out, ok, err = f.hexWords(src); ok || err != nil {
			return out, ok, err
		}
	}
	if f.spec != "" {
		return f.assemble(src)
	}
	m, ok := catalog.RecogniseSource(src)
	if f.isa != "" {
		if m, err = catalog.Lookup(f.isa); err != nil {
			return nil, false, err
		}
		ok = true
	}
	if !ok {
		return nil, false, nil
	}
	f.isa = m.Name
	if m.NewCompiler == nil {
		return f.assemble(src)
	}
	c, err := m.NewCompiler()
	if err != nil {
		return nil, false, err
	}
	out, err = c.Compile([]*diag.Source{src}, program.CompileOptions{Syntax: f.syntax, Context: f.context})
	return out, true, err
}

// hexWords returns the words of raw code that is text in hexadecimal; ok is false for other text.
func (f *machineFlags) hexWords(src *diag.Source) (out *program.Compiled, ok bool, err error) {
	text := codeOf([]byte(src.Text))
	code, err := f.fromText(src.Name, text)
	if err != nil || code == text {
		return nil, false, err
	}
	words, err := code.all()
	return &program.Compiled{Bytes: words}, true, err
}

// assemble makes raw code of a source that no compiler reads. ok is false for code that happens to be text, as a few bytes
// may be.
func (f *machineFlags) assemble(src *diag.Source) (out *program.Compiled, ok bool, err error) {
	if !strings.Contains(src.Text, "\n") {
		return nil, false, nil
	}
	set, err := f.load(nil)
	if err != nil {
		return nil, false, err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return nil, false, &usageError{err}
	}
	p, err := f.parser(set)
	if err != nil {
		return nil, false, err
	}
	code, err := program.Assemble(p, set, root, src)
	if err != nil {
		return nil, false, err
	}
	if code.UsesTables() {
		return nil, false, usagef("%s has table entries, which raw code of %s cannot hold", src.Name, setName(set))
	}
	f.order = "" // that of the words is the machine's own
	out = &program.Compiled{}
	for w := range code.Words {
		out.Places = append(out.Places, program.Place{Addr: w.Addr, Span: code.Span(w)})
		out.Bytes = program.AppendBytes(out.Bytes, root, w.Word, w.Size)
	}
	return out, true, nil
}

// isText reports whether a file can be a source.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) })
}
