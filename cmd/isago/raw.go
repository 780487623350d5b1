package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// raw returns how programs of the machine that is named are stored without a container, nil where
// they are one instruction after another.
func (f *setFlags) raw() *catalog.RawFormat {
	if f.spec != "" || f.isa == "" {
		return nil
	}
	m, err := catalog.Lookup(f.isa)
	if err != nil {
		return nil
	}
	return m.Raw
}

// wantsSuffixes reports whether code without container is printed as source by its suffixes.
func (f *disFlags) wantsSuffixes(cmd *cobra.Command) bool {
	m, err := catalog.Lookup(f.isa)
	if err != nil || !m.Suffixes || !f.wantsSource(cmd) {
		return false
	}
	own, err := f.isSourceSyntax(&m)
	return err == nil && own
}

// rawProgram returns how an input of so many bytes is a program, nil where it is one instruction after
// another: a stream of any length.
func (f *machineFlags) rawProgram(size int64) *catalog.RawFormat {
	r := f.raw()
	if r == nil || f.root != "" || r.Largest > 0 && size > r.Largest && f.order == "" {
		return nil
	}
	return r
}

// addRaw adds the flag that says that a file is raw code.
func (f *setFlags) addRaw(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.takeRaw, "raw", false, "take FILE for raw code of the machine, whatever format it seems to have")
}

// addOrder adds the flags that say what is raw code, and in which order it is stored.
func (f *machineFlags) addOrder(cmd *cobra.Command) {
	f.addRaw(cmd)
	cmd.Flags().StringVar(&f.order, "order", "", "`ORDER` of the bytes of each word in raw code: little (the default) or big, swapped or big-swapped where the halves of words of 32 bits have changed places; for tegra, high or low word first (default: recognised, as for a2xx)")
	complete(cmd, "order", f.orders)
}

// byteOrders are the orders in which the bytes of a word can be stored, the default first.
var byteOrders = []string{"little", "big", "swapped", "big-swapped"}

// orders lists the orders that raw code of the machine can have: its own, or those of bytes.
func (f *setFlags) orders() []string {
	if r := f.raw(); r != nil && len(r.Orders) > 0 {
		return r.Orders
	}
	return byteOrders
}

// checkRaw refuses flags for raw code where no machine is named, and an order that code of the machine does not have.
func (f *setFlags) checkRaw() error {
	switch {
	case f.takeRaw && !f.given():
		return usagef("--raw needs the machine, which --isa or --spec names")
	case f.order == "":
		return nil
	case !f.given():
		return usagef("--order belongs to raw code, of a machine that --isa or --spec names")
	case !slices.Contains(f.orders(), f.order):
		return usagef("--order %q, expected one of %s", f.order, strings.Join(f.orders(), ", "))
	}
	return nil
}

// rawCode returns an input of which raw code is as isago reads it: text in hexadecimal as the words that it is, and the
// bytes of words in the other order turned around. Machines with orders of their own turn them themselves.
func (f *machineFlags) rawCode(name string, in *code) (*code, error) {
	head, err := in.head()
	if err == nil {
		err = f.checkTables(name, head)
	}
	if err != nil {
		return in, err
	}
	raw, err := f.isRaw(in)
	if err != nil || !raw && !f.asText {
		return in, err
	}
	if in, err = f.fromText(name, in); err != nil || f.order == "" || f.order == byteOrders[0] || f.rawProgram(in.size) != nil {
		return in, err
	}
	root, err := f.storage(in.size)
	if err != nil {
		return nil, err
	}
	order := program.Order{Big: strings.HasPrefix(f.order, "big"), Swapped: strings.HasSuffix(f.order, "swapped")}
	if order.Swapped && root.Unit != 32 {
		return nil, usagef("--order %s, but words of %s have %d bits: only those of 32 have halves that change places", f.order, root.Name, root.Unit)
	}
	f.arranged = order
	return &code{ReaderAt: &arranged{in, int64(root.Unit / 8), order}, size: in.size, close: in.close}, nil
}

// fromText returns an input whose raw code is no text in hexadecimal, but the words that this is.
func (f *machineFlags) fromText(name string, in *code) (*code, error) {
	root, err := f.storage(in.size)
	if err != nil {
		return nil, err
	}
	head, err := in.head()
	if err != nil || !f.asText && !program.IsHexText(root, bytes.TrimPrefix(head, []byte(diag.ByteOrderMark))) {
		return in, err
	}
	text, err := in.all()
	if err != nil {
		return nil, err
	}
	data, err := program.HexText(root, textOf(name, text))
	return &code{ReaderAt: bytes.NewReader(data), size: int64(len(data)), close: in.close}, err
}

// warnOfText tells whoever hands in text, a source most likely, that it is taken for code.
func (f *disFlags) warnOfText(cmd *cobra.Command, name string, in *code) error {
	raw, err := f.isRaw(in)
	if err != nil || !raw {
		return err
	}
	head, err := in.head()
	if what, hint := otherKind(head); what != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: this is %s, and its bytes are taken for code; %s\n", inputName(name), what, hint)
	}
	return err
}

// storage returns a root that says how raw code of the machine lies in bytes: as the root that was named, or in words
// of 32 bits, of which programs are that are not one instruction after another.
func (f *machineFlags) storage(size int64) (*isa.Root, error) {
	set, err := f.load(nil)
	if err != nil {
		return nil, err
	}
	if f.rawProgram(size) != nil {
		return &isa.Root{Unit: 32, HighFirst: set.HighFirst()}, nil
	}
	root, err := set.Root(f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	return root, nil
}

// arranged reads words of so many bytes, which it puts right. What is left behind the last word stays.
type arranged struct {
	in    *code
	word  int64
	order program.Order
}

// ReadAt reads whole words and hands on the bytes that are asked for.
func (s *arranged) ReadAt(p []byte, off int64) (int, error) {
	start := off - off%s.word
	end := min(off+int64(len(p))+s.word-1, s.in.size+s.word-1)
	data := make([]byte, max(0, min(end-end%s.word, s.in.size)-start))
	if _, err := s.in.ReadAt(data, start); err != nil && err != io.EOF {
		return 0, err
	}
	s.order.Arrange(data, int(s.word))
	n := copy(p, data[min(off-start, int64(len(data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// rawSource prints a program without container as source; done is false for anything else.
func (f *disFlags) rawSource(cmd *cobra.Command, name string, in *code, palette view.Palette) (done bool, err error) {
	isRaw, err := f.isRaw(in)
	raw := f.rawProgram(in.size)
	if err != nil || !isRaw || raw == nil {
		return false, err
	}
	data, err := in.all()
	if err != nil {
		return false, err
	}
	set, err := f.load(nil)
	if err != nil {
		return true, err
	}
	ctx, err := f.context(set)
	if err != nil {
		return true, err
	}
	text, err := raw.Source(set, ctx, data, f.order)
	if err != nil {
		return true, fileError(name, err)
	}
	return true, f.writeSource(cmd, nil, palette, text)
}
