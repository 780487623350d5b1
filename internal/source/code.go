package source

import (
	"slices"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Word is an instruction, or data of a .word directive.
type Word struct {
	Addr int64 // in bits
	Word bits.Value
	Size int
	// Entries are the table entries. Each instruction has its own.
	Entries []asm.Entry
	// from and to are the range of the text in the source, without labels.
	from, to int64
}

// item is a statement and the kind of what it has become.
type item struct {
	// off and len are the range of the statement in the source, without labels if it is settled.
	off int64
	len uint32
	// size is the size of a settled instruction in bits, or the number of units of settled data.
	size   uint16
	kind   itemKind
	traits trait
}

type itemKind uint8

const (
	// settledInst and settledData are the same at every address, whatever names are defined. A statement without words
	// is settledData of size 0.
	settledInst itemKind = iota
	settledData
	// openKind may change with labels, names and addresses, or has a mistake.
	openKind
)

// trait is a set of properties of a statement.
type trait uint8

const (
	labeled     trait = 1 << iota // defines labels
	isDirective                   // is a directive other than .word
)

// openItem is what an open statement is at present. size is in bits.
type openItem struct {
	words []Word
	size  int64
	// bad reports that the first pass could not read the statement. Further passes read only its labels. A fixed
	// statement is bad and has no labels and no names, so nothing changes it.
	bad, fixed bool
	// base is the offset of the statement when it was read. first and last are its mistakes in the first pass and in the
	// last one.
	base        int64
	first, last diag.List
}

// storage holds what the statements of a program have become. For each statement, there is an index: of its bits, or of
// its openItem.
type storage struct {
	root *isa.Root
	// bits are the bits of settled statements, each from a word of its own on.
	bits []uint32
	// entries are the table entries of settled instructions, by the index of their bits.
	entries map[int][]asm.Entry
	open    []openItem
}

// inst returns a settled instruction.
func (s *storage) inst(x *item, at int) Word {
	w := Word{Size: int(x.size), from: x.off, to: x.off + int64(x.len)}
	if len(s.entries) > 0 {
		w.Entries = s.entries[at]
	}
	for low := 0; low < w.Size; low += 32 {
		w.Word[low>>6] |= uint64(s.bits[at]) << uint(low&63)
		at++
	}
	return w
}

// words returns what a statement is at present.
func (s *storage) words(x *item, at int) []Word {
	switch x.kind {
	case settledInst:
		return []Word{s.inst(x, at)}
	case settledData:
		return s.data(s.bits[at:at+int(x.size)], x.off, x.off+int64(x.len))
	}
	return s.open[at].words
}

// units returns the number of elements of bits that a settled statement occupies.
func (x *item) units() int {
	if x.kind == settledInst {
		return (int(x.size) + 31) / 32
	}
	return int(x.size)
}

// size returns the number of bits that a statement occupies in the program.
func (s *storage) size(x *item, at int) int64 {
	switch x.kind {
	case settledInst:
		return int64(s.root.StoredSize(int(x.size)))
	case settledData:
		return int64(s.root.WordSize) * int64(x.size)
	}
	return s.open[at].size
}

// line returns the number of units of the longest instruction.
func (s *storage) line() int { return s.root.StoredSize(s.root.Size) / s.root.WordSize }

// data returns the words of a directive. Each word has as many units as the longest instruction, so that it fits on a
// line of hexadecimal text.
func (s *storage) data(units []uint32, from, to int64) (list []Word) {
	for len(units) > 0 {
		n := min(len(units), s.line())
		w := Word{from: from, to: to}
		w.Word, w.Size = program.Data(s.root, units[:n])
		list = append(list, w)
		units = units[n:]
	}
	return list
}

// Code is an assembled program.
type Code struct {
	// Labels are the labels of the source by address, those of one address by name.
	Labels []program.Entry
	// Order is the byte order that the source asks for.
	Order program.Order

	text       *program.Text
	statements *program.Statements
	items      []item
	storage
}

// Span returns the range of the text of a word in the source, without labels.
func (c *Code) Span(w *Word) diag.Span { return c.text.Span(w.from, w.to) }

// each calls visit for each statement with its number and its index in the storage.
func (c *Code) each(visit func(i int, x *item, at int) bool) {
	at, open := 0, 0
	for i := range c.items {
		x := &c.items[i]
		if x.kind == openKind {
			if !visit(i, x, open) {
				return
			}
			open++
			continue
		}
		if !visit(i, x, at) {
			return
		}
		at += x.units()
	}
}

// statement returns the text of a statement.
func (c *Code) statement(i int) program.Statement {
	return c.statements.At(c.text, c.items[i].off, int(c.items[i].len))
}

// Words yields the words in their order. Each is valid until the next.
func (c *Code) Words(yield func(*Word) bool) {
	addr := int64(0)
	put := func(w *Word) bool {
		w.Addr = addr
		addr += int64(c.root.StoredSize(w.Size))
		return yield(w)
	}
	var inst Word
	c.each(func(_ int, x *item, at int) bool {
		if x.kind == settledInst {
			inst = c.inst(x, at)
			return put(&inst)
		}
		words := c.words(x, at)
		for j := range words {
			if !put(&words[j]) {
				return false
			}
		}
		return true
	})
}

// Len returns the number of words.
func (c *Code) Len() (n int) {
	line := c.line()
	c.each(func(_ int, x *item, at int) bool {
		switch x.kind {
		case settledInst:
			n++
		case settledData:
			n += (int(x.size) + line - 1) / line
		case openKind:
			n += len(c.open[at].words)
		}
		return true
	})
	return n
}

// Insts returns all words.
func (c *Code) Insts() []Word {
	list := make([]Word, 0, c.Len())
	for w := range c.Words {
		list = append(list, *w)
	}
	return list
}

// UsesTables reports whether an instruction has table entries.
func (c *Code) UsesTables() bool {
	hasEntries := func(w Word) bool { return len(w.Entries) > 0 }
	return len(c.entries) > 0 || slices.ContainsFunc(c.open, func(o openItem) bool { return slices.ContainsFunc(o.words, hasEntries) })
}
