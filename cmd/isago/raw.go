package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/diag"
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
	return err == nil && m.Suffixes && f.wantsSource(cmd, false)
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

// addOrder adds the flag that says in which order a raw program is stored.
func (f *machineFlags) addOrder(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.order, "order", "", "`ORDER` of the bytes of each word in raw code: little (the default) or big; for tegra, high or low word first (default: recognised, as for a2xx)")
	complete(cmd, "order", f.orders)
}

// byteOrders are the orders in which the bytes of a word can be stored, the default first.
var byteOrders = []string{"little", "big"}

// orders lists the orders that raw code of the machine can have: its own, or those of bytes.
func (f *setFlags) orders() []string {
	if r := f.raw(); r != nil && len(r.Orders) > 0 {
		return r.Orders
	}
	return byteOrders
}

// checkOrder refuses an order that code of the machine does not have.
func (f *setFlags) checkOrder() error {
	switch {
	case f.order == "":
		return nil
	case !f.given():
		return usagef("--order belongs to raw code, of a machine that --isa or --spec names")
	case !slices.Contains(f.orders(), f.order):
		return usagef("--order %q, expected one of %s", f.order, strings.Join(f.orders(), ", "))
	}
	return nil
}

// inOrder returns the input with the bytes of its words in the order that isago reads, where it is raw code in the
// other one. Machines with orders of their own read them themselves.
func (f *machineFlags) inOrder(in *code) (*code, error) {
	raw, err := f.isRaw(in)
	if f.order != byteOrders[1] || f.rawProgram(in.size) != nil || err != nil || !raw {
		return in, err
	}
	set, err := f.load(nil)
	if err != nil {
		return nil, err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	return &code{ReaderAt: &swapped{in, int64(root.Unit / 8)}, size: in.size, close: in.close}, nil
}

// swapped reads words of so many bytes, whose bytes it turns around. What is left behind the last word stays.
type swapped struct {
	in   *code
	word int64
}

// ReadAt reads whole words and hands on the bytes that are asked for.
func (s *swapped) ReadAt(p []byte, off int64) (int, error) {
	start := off - off%s.word
	end := min(off+int64(len(p))+s.word-1, s.in.size+s.word-1)
	data := make([]byte, max(0, min(end-end%s.word, s.in.size)-start))
	if _, err := s.in.ReadAt(data, start); err != nil && err != io.EOF {
		return 0, err
	}
	for rest := data; int64(len(rest)) >= s.word; rest = rest[s.word:] {
		slices.Reverse(rest[:s.word])
	}
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

// hexProgram reads a program given as 32-bit words in hexadecimal. The bytes become standard input, whose
// name it returns.
func (f *disFlags) hexProgram(cmd *cobra.Command, name string) (string, error) {
	text, err := readAll(cmd, name)
	if err != nil {
		return name, err
	}
	f.hex = false
	var data []byte
	src := textOf(name, text)
	for off := 0; ; {
		rest := strings.TrimLeft(src.Text[off:], " \t\r\n")
		off = len(src.Text) - len(rest)
		word, _, _ := strings.Cut(strings.NewReplacer("\t", " ", "\r", " ", "\n", " ").Replace(rest[:min(len(rest), 64)]), " ")
		if word == "" {
			break
		}
		v, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(word), "0x"), 16, 32)
		if err != nil {
			return name, diag.Errorf(diag.HexSyntax, diag.Span{Src: src, Off: off, End: off + len(word)}, "%q, expected a word of at most 8 hexadecimal digits", word)
		}
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
		off += len(word)
	}
	cmd.SetIn(bytes.NewReader(data))
	return "-", nil
}
