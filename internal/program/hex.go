// Package program is what whole programs have in common on every machine: words in hex and in files, labels, data.
package program

import (
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Line is one instruction written as hex: its word, and the table entries behind a slash.
type Line struct {
	Word bits.Value
	// Bits is the number of bits that were written.
	Bits    int
	Entries []bits.Value
}

// ParseLine reads a line of hex. A single group of digits is a number, its most significant digit
// first; several groups are 32-bit words in the order in which programs store them. Table entries
// follow, each behind a slash. A leading 0x on a group is skipped.
func ParseLine(set *isa.Set, text string) (Line, error) {
	var line Line
	parts := strings.Split(text, "/")
	var err error
	if line.Word, line.Bits, err = parseGroups(set, parts[0]); err != nil {
		return line, err
	}
	for _, part := range parts[1:] {
		entry, _, err := parseGroups(set, part)
		if err != nil {
			return line, fmt.Errorf("table entry: %w", err)
		}
		line.Entries = append(line.Entries, entry)
	}
	return line, nil
}

func parseGroups(set *isa.Set, text string) (v bits.Value, n int, err error) {
	groups := strings.Fields(text)
	if len(groups) == 0 {
		return v, 0, fmt.Errorf("no hexadecimal digits")
	}
	for i, g := range groups {
		groups[i] = strings.TrimPrefix(strings.TrimPrefix(g, "0x"), "0X")
	}
	if len(groups) == 1 {
		v, err = bits.ParseHex(groups[0])
		return v, 4 * len(groups[0]), err
	}
	if len(groups) > bits.Size/32 {
		return v, 0, fmt.Errorf("%d words, expected at most %d", len(groups), bits.Size/32)
	}
	for i, g := range groups {
		word, err := bits.ParseHex(g)
		if err != nil {
			return v, 0, err
		}
		if word.Len() > 32 {
			return v, 0, fmt.Errorf("%q has more than 32 bits, as words of a group of several have", g)
		}
		at := i
		if set.HighFirst() {
			at = len(groups) - 1 - i
		}
		v.SetUint(32*at, 32, word[0])
	}
	return v, 32 * len(groups), nil
}

// AppendWords appends a word of size bits as groups of 32 bits in the order in which programs
// store them.
func AppendWords(dst []byte, set *isa.Set, v bits.Value, size int) []byte {
	n := (size + 31) / 32
	for i := range n {
		at := i
		if set.HighFirst() {
			at = n - 1 - i
		}
		if i > 0 {
			dst = append(dst, ' ')
		}
		group := bits.Of(uint64(v.Word(at)))
		dst = group.AppendHex(dst, min(32, size-32*at+3)/4)
	}
	return dst
}

// Prepare gives a decoder the line's table entries: the fields of the word say at which index.
// It returns the instruction. A word that no instruction has is not an error: ok is false.
func (l *Line) Prepare(d *isa.Decoder) (in isa.Inst, ok bool, err error) {
	in, ok = d.Decode(l.Word)
	if !ok {
		if n := l.Word.Len(); n > d.Root().Size {
			return in, false, fmt.Errorf("%d bits, but an instruction has at most %d", n, d.Root().Size)
		}
		return in, false, nil
	}
	if rest := l.Word.Shr(in.Leaf.Size); !rest.IsZero() {
		return in, false, fmt.Errorf("%d bits, but %s has %d", l.Word.Len(), in.Leaf.Display, in.Leaf.Size)
	}
	if in.Leaf.Size > l.Bits && in.Leaf.Size > d.Root().MinSize {
		return in, false, fmt.Errorf("%d bits, but %s has %d", l.Bits, in.Leaf.Display, in.Leaf.Size)
	}
	return in, true, l.place(d, in)
}

// place puts the entries where the instruction's index fields point.
func (l *Line) place(d *isa.Decoder, in isa.Inst) error {
	used := 0
	for _, f := range d.IndexFields(in) {
		if used == len(l.Entries) {
			return fmt.Errorf("%s needs an entry of table %s: write it behind the word, as WORD / ENTRY", in.Leaf.Display, f.Table)
		}
		index := int(f.Index)
		table := d.LineTable(f.TableIndex)
		for len(table) <= index {
			table = append(table, bits.Value{})
		}
		table[index] = l.Entries[used]
		d.SetTable(f.TableIndex, table)
		used++
	}
	if used < len(l.Entries) {
		return fmt.Errorf("%d table entries, but %s has %d", len(l.Entries), in.Leaf.Display, used)
	}
	return nil
}
