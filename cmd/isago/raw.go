package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/textfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// raw returns the format of raw programs for the machine that the flags name. It returns nil if they name none, or if a
// raw program is a sequence of instructions.
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

// wantsSuffixes reports whether dis prints raw code as source, with suffixes for bits that the text omits.
func (f *disFlags) wantsSuffixes(cmd *cobra.Command) bool {
	m, err := catalog.Lookup(f.isa)
	if err != nil || !m.Suffixes || !f.wantsSource(cmd) {
		return false
	}
	own, err := f.isSourceSyntax(&m)
	return err == nil && own
}

// rawProgram returns the format of a raw program of size bytes. It returns nil if the input is a sequence of
// instructions, which may have any length.
func (f *machineFlags) rawProgram(size int64) *catalog.RawFormat {
	r := f.raw()
	if r == nil || f.root != "" || r.Largest > 0 && size > r.Largest && f.order == "" {
		return nil
	}
	return r
}

// addRaw adds --raw.
func (f *setFlags) addRaw(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.forceRaw, "raw", false, "treat FILE as raw code, even if its format is recognised")
}

// addOrder adds the flags for raw code and its byte order.
func (f *machineFlags) addOrder(cmd *cobra.Command) {
	f.addRaw(cmd)
	cmd.Flags().StringVar(&f.order, "order", "", "byte `ORDER` of the words in raw code: little (default), big, or swapped and big-swapped for 32-bit words with exchanged halves; for tegra high or low word first (default for tegra and a2xx: recognised)")
	complete(cmd, "order", f.orders)
}

// byteOrders are the orders in which the bytes of a word can be stored, the default first.
var byteOrders = isa.ByteOrders()

// orders returns the values of --order for the machine: the machine's own orders, or the byte orders.
func (f *setFlags) orders() []string {
	if r := f.raw(); r != nil && len(r.Orders) > 0 {
		return r.Orders
	}
	return byteOrders
}

// checkRaw returns an error for --raw and --order without a machine, and for an order that the machine does not have.
func (f *setFlags) checkRaw() error {
	switch {
	case f.forceRaw && !f.given():
		return usagef("--raw needs --isa or --spec")
	case f.order == "":
		return nil
	case !f.given():
		return usagef("--order needs --isa or --spec")
	case !slices.Contains(f.orders(), f.order):
		return usagef("--order %q, expected one of %s", f.order, strings.Join(f.orders(), ", "))
	}
	return nil
}

// rawCode converts raw code to words in the default byte order, and returns other input unchanged. It converts
// hexadecimal text to words, and swaps bytes as --order requires. Machines with their own orders convert their words
// themselves.
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
	if in, err = f.fromText(name, in); err != nil {
		return in, err
	}
	word, err := f.arrange(in.size)
	if err != nil || word == 0 {
		return in, err
	}
	return &code{ReaderAt: &arranged{in, word, f.arranged}, size: in.size, close: in.close}, nil
}

// arrange records the byte order of code of size bytes, and returns the number of bytes in a word. It returns 0 if no
// conversion is necessary.
func (f *machineFlags) arrange(size int64) (word int64, err error) {
	if f.order == "" || f.order == byteOrders[0] || f.rawProgram(size) != nil {
		return 0, nil
	}
	root, err := f.storage(size)
	if err != nil {
		return 0, err
	}
	f.arranged = program.Order{Big: strings.HasPrefix(f.order, "big"), Swapped: strings.HasSuffix(f.order, "swapped")}
	if f.arranged.Swapped && root.WordSize != 32 {
		return 0, usagef("--order %s needs words of 32 bits, but words of %s have %d bits", f.order, root.Name, root.WordSize)
	}
	return int64(root.WordSize / 8), nil
}

// fromText converts hexadecimal text to its words, and returns other input unchanged.
func (f *machineFlags) fromText(name string, in *code) (*code, error) {
	root, err := f.storage(in.size)
	if err != nil {
		return nil, err
	}
	head, err := in.head()
	if err != nil || !f.asText && !program.IsHexText(root, bytes.TrimPrefix(head, []byte(textfile.ByteOrderMark))) {
		return in, err
	}
	text, err := in.all()
	if err != nil {
		return nil, err
	}
	data, err := program.HexText(root, textOf(name, text))
	return &code{ReaderAt: bytes.NewReader(data), size: int64(len(data)), close: in.close}, err
}

// warnOfText prints a warning if raw code is text, which is probably source.
func (f *disFlags) warnOfText(cmd *cobra.Command, name string, in *code) error {
	raw, err := f.isRaw(in)
	if err != nil || !raw {
		return err
	}
	head, err := in.head()
	if what, hint := otherKind(head); what != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: this is %s, but isago reads its bytes as code; %s\n", inputName(name), what, hint)
	}
	return err
}

// storage returns a root with the word size and the word order of the machine's raw code: the root that the flags name,
// or words of 32 bits for programs that are not a sequence of instructions.
func (f *machineFlags) storage(size int64) (*isa.Root, error) {
	set, err := f.load(nil)
	if err != nil {
		return nil, err
	}
	if f.rawProgram(size) != nil {
		return &isa.Root{WordSize: 32, HighFirst: set.HighFirst()}, nil
	}
	root, err := set.Root(f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	return root, nil
}

// arranged converts the byte order of words of word bytes. It does not change an incomplete last word.
type arranged struct {
	in    *code
	word  int64
	order program.Order
}

// ReadAt reads whole words and returns the requested bytes.
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

// arrangedPipe is like arranged, but for a reader. Its Read needs a buffer of at least one word.
type arrangedPipe struct {
	r     io.Reader
	word  int
	order program.Order
	part  []byte // the start of an incomplete word
}

func (s *arrangedPipe) Read(p []byte) (int, error) {
	for {
		n := copy(p, s.part)
		s.part = nil
		got, err := s.r.Read(p[n:])
		n += got
		whole := n - n%s.word
		s.order.Arrange(p[:whole], s.word)
		if err != nil {
			return n, err
		}
		if s.part = append(s.part, p[whole:n]...); whole > 0 {
			return whole, nil
		}
	}
}

// endless is the size for raw code of unknown size, larger than any program.
const endless = math.MaxInt64 >> 8

// openArriving opens an input of dis. If the input is raw code from a pipe and too long to read before dis prints it, more
// is a reader of the whole code, and in holds only its start. dis then prints the code while it reads it. Otherwise
// more is nil and in is the whole input.
func (f *disFlags) openArriving(cmd *cobra.Command, name string) (in *code, more io.Reader, err error) {
	if !f.given() || f.labels || f.offset != 0 || f.length != 0 {
		in, err = f.openPart(cmd, name)
		return in, nil, err
	}
	in, r, err := openOnce(cmd, name)
	if err != nil || in != nil {
		return in, nil, err
	}
	from := io.Reader(r)
	start, err := keep(from, headSize)
	if err != nil {
		return nil, nil, err
	}
	from = io.MultiReader(io.NewSectionReader(start, 0, start.size), from)
	arrives, err := f.arrivesRaw(start)
	if err != nil || !arrives {
		if err == nil {
			in, err = keep(from, math.MaxInt64)
		}
		return in, nil, errors.Join(err, r.Close())
	}
	window := int64(headSize)
	if !f.plain {
		window = max(window, min(f.labelLimit, endless)+1)
	}
	if raw := f.raw(); raw != nil && f.root == "" {
		window = max(window, raw.Largest+1)
	}
	if in, err = keep(from, window); err != nil || in.size < window {
		return in, nil, errors.Join(err, r.Close())
	}
	kept := in
	all := &code{ReaderAt: kept, size: kept.size, close: func() error { return errors.Join(kept.Close(), r.Close()) }}
	return all, io.MultiReader(io.NewSectionReader(kept, 0, kept.size), r), nil
}

// arrivesRaw reports whether an input that starts with start is raw code that dis may print while it reads it: a sequence of
// instructions.
func (f *disFlags) arrivesRaw(start *code) (bool, error) {
	raw, err := f.isRaw(start)
	if err != nil || !raw || f.asText || f.rawProgram(endless) != nil {
		return false, err
	}
	root, err := f.storage(endless)
	if err != nil {
		return false, err
	}
	head, err := start.head()
	return err == nil && !program.IsHexText(root, bytes.TrimPrefix(head, []byte(textfile.ByteOrderMark))), err
}

// rawSource prints raw code as source if the machine has a format for raw programs. Otherwise done is false.
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
