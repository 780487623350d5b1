package main

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/internal/textfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// compileSource compiles a source as asm does, for the machine that the flags name. If they name none, it recognises
// the machine by the source and sets f.isa. ok is false if the input is not source, for example if it is not text.
func (f *machineFlags) compileSource(src *diag.Source) (out *program.Compiled, ok bool, err error) {
	if textfile.IsUTF16(src.Text) {
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
	if err == nil && out.Order.Big && m.Raw != nil && slices.Contains(m.Raw.Orders, byteOrders[1]) {
		out.Order.Arrange(out.Bytes, 4) // the listing reads the bytes in this order
		f.order = byteOrders[1]
	}
	return out, true, err
}

// imageFile is a program that was read: its image and its bytes.
type imageFile struct {
	set  *isa.Set
	im   *program.Image
	data []byte
	// source is the compiled source of the program, or nil if the input is not source.
	source *program.Compiled
}

// readProgram reads a program: a file in a known format, raw code, or source, which it assembles first. It sets flags of f to
// what it recognises, such as the machine of a source, so each program needs its own f.
func (f *machineFlags) readProgram(name string, in *code) (p imageFile, err error) {
	out, isSource, err := f.sourceOf(name, in)
	switch {
	case err != nil:
		return p, err
	case isSource:
		return f.compiledImage(name, out)
	}
	code, err := f.rawCode(name, in)
	if err != nil {
		return p, err
	}
	if p.data, err = code.all(); err != nil {
		return p, err
	}
	p.set, p.im, err = f.imageOf(name, p.data)
	m, _, known := f.recognise(p.data)
	if err == nil || !known || !isText(string(p.data)) {
		return p, err
	}
	f.isa = m.Name // a source that looks like a file in a format
	out, isSource, wrong := f.compileSource(textOf(name, p.data))
	if wrong != nil || !isSource {
		return p, cmp.Or(wrong, err)
	}
	return f.compiledImage(name, out)
}

// compiledImage returns the program of a compiled source.
func (f *machineFlags) compiledImage(name string, out *program.Compiled) (p imageFile, err error) {
	if f.stated = out.Context; out.Order == (program.Order{}) {
		f.order = ""
	}
	p.data, p.source = out.Bytes, out
	p.set, p.im, err = f.imageOf(name, out.Bytes)
	return p, err
}

// listing returns a listing of a program that readProgram reads.
func (f *machineFlags) listing(name string, in *code) (*view.Listing, error) {
	p, err := f.readProgram(name, in)
	if err != nil {
		return nil, err
	}
	return f.listingOf(p.set, p.im)
}

// compiledListing returns a listing of a compiled source.
func (f *machineFlags) compiledListing(name string, out *program.Compiled) (*view.Listing, error) {
	p, err := f.compiledImage(name, out)
	if err != nil {
		return nil, err
	}
	return f.listingOf(p.set, p.im)
}

// sourceOf compiles an input that is source. ok is false for a file in a known format and for raw code, also as
// hexadecimal text. If an input is not text, sourceOf reads only its start.
func (f *machineFlags) sourceOf(name string, in *code) (out *program.Compiled, ok bool, err error) {
	head, err := in.head()
	if err != nil || len(head) == 0 || f.forceRaw || f.asText || !isText(wholeRunes(head)) && !textfile.IsUTF16(string(head)) {
		return nil, false, err
	}
	if _, _, known := f.recognise(head); known {
		return nil, false, nil
	}
	if f.given() {
		root, err := f.storage(in.size)
		if err != nil || program.IsHexText(root, bytes.TrimPrefix(head, []byte(textfile.ByteOrderMark))) {
			return nil, false, err
		}
	}
	data, err := in.all()
	if err != nil {
		return nil, false, err
	}
	return f.compileSource(textOf(name, data))
}

// wholeRunes returns head without an incomplete character at its end.
func wholeRunes(head []byte) string {
	for n := 1; n < utf8.UTFMax && n <= len(head); n++ {
		if utf8.RuneStart(head[len(head)-n]) {
			if !utf8.FullRune(head[len(head)-n:]) {
				head = head[:len(head)-n]
			}
			break
		}
	}
	return string(head)
}

// hexWords returns the words of raw code that is hexadecimal text. ok is false for any other text.
func (f *machineFlags) hexWords(src *diag.Source) (out *program.Compiled, ok bool, err error) {
	text := codeOf([]byte(src.Text))
	code, err := f.fromText(src.Name, text)
	if err != nil || code == text {
		return nil, false, err
	}
	words, err := code.all()
	return &program.Compiled{Bytes: words}, true, err
}

// assemble assembles a source into raw code without a compiler. ok is false for a text without a line break, because a
// few bytes of code may happen to be text.
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
	code, err := source.Assemble(p, set, root, src)
	if err != nil {
		return nil, false, err
	}
	if code.UsesTables() {
		return nil, false, usagef("%s has table entries, which raw code of %s cannot contain", src.Name, setName(set))
	}
	f.order = "" // the words have the machine's own byte order
	out = &program.Compiled{}
	for w := range code.Words {
		out.Places = append(out.Places, program.Place{Addr: w.Addr, Span: code.Span(w)})
		out.Bytes = program.AppendBytes(out.Bytes, root, w.Word, w.Size)
	}
	return out, true, nil
}

// isText reports whether the content of a file can be source: UTF-8 without control characters except white space.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) })
}
