package view

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa/mesa"
)

// Mesa prints a listing of a program like the decoder that Mesa's isaspec generates. Branch targets count instructions.
type Mesa struct {
	Printer *mesa.Printer
	// Words are the instructions of the program.
	Words []bits.Value
	// Digits is the number of hexadecimal digits of an instruction.
	Digits int
	// Labels names the targets of branches, and shows Entries.
	Labels  bool
	Entries []MesaEntry
	// Findings appends the first four findings of a word after a tab.
	Findings bool
	// MaxErrors ends the listing after more than that many bad lines in a row; 0 disables the limit. A line is bad if it is not
	// an instruction, or has a finding that is printed.
	MaxErrors int
	// Progress is called before each instruction is printed, with the number of printed instructions and of all
	// instructions, unless it is nil.
	Progress func(done, all int)
}

// MesaEntry is an entry point of a program. Index is the number of its instruction.
type MesaEntry struct {
	Name  string
	Index int
}

// maxMesaFindings is the maximum number of findings in a line.
const maxMesaFindings = 4

// Write prints the listing. It returns the number of bad lines.
func (l *Mesa) Write(w *bufio.Writer) (bad int, err error) {
	branches, calls := map[int64]bool{}, map[int64]bool{}
	l.Printer.Label = nil
	if l.Labels {
		l.targets(branches, calls)
		l.Printer.Label = l.label
	}
	var entries []MesaEntry
	if l.Labels {
		entries = slices.Clone(l.Entries)
	}
	slices.SortStableFunc(entries, func(a, b MesaEntry) int {
		if a.Index != b.Index {
			return a.Index - b.Index
		}
		return strings.Compare(a.Name, b.Name)
	})
	var line []byte
	row := 0 // bad lines since the last good one
	for i, word := range l.Words {
		if l.Progress != nil {
			l.Progress(i, len(l.Words))
		}
		line = line[:0]
		line, entries = l.labelsAt(line, i, entries, branches[int64(i)], calls[int64(i)])
		l.Printer.Index = int64(i)
		text, ok := l.Printer.Append(line, word)
		switch {
		case !ok:
			text = append(text, "no match: "...)
			text = append(word.AppendHex(text, l.Digits), '\n')
		default:
			ok = !l.Findings || l.Printer.NumFindings() == 0
			text = append(l.appendFindings(text), '\n')
			l.Printer.Reset()
		}
		line = text
		if _, err := w.Write(text); err != nil {
			return bad, err
		}
		if ok {
			row = 0
			continue
		}
		bad++
		if row++; l.MaxErrors > 0 && row > l.MaxErrors {
			break
		}
	}
	return bad, nil
}

// targets records the targets of the branches and calls of the program.
func (l *Mesa) targets(branches, calls map[int64]bool) {
	l.Printer.Label = func(index int64, call bool) (string, bool) {
		switch {
		case index < 0 || index >= int64(len(l.Words)):
		case call:
			calls[index] = true
		default:
			branches[index] = true
		}
		return l.label(index, call)
	}
	var text []byte
	for i, word := range l.Words {
		l.Printer.Index = int64(i)
		text, _ = l.Printer.Append(text[:0], word)
		l.Printer.Reset()
	}
}

func (l *Mesa) label(index int64, call bool) (string, bool) {
	kind := "l"
	if call {
		kind = "fxn"
	}
	return kind + strconv.FormatInt(index, 10), index >= 0 && index < int64(len(l.Words))
}

// labelsAt appends the label lines of instruction i. It returns the entries for later instructions.
func (l *Mesa) labelsAt(dst []byte, i int, entries []MesaEntry, branch, call bool) ([]byte, []MesaEntry) {
	for len(entries) > 0 && entries[0].Index < i {
		entries = entries[1:]
	}
	entered := len(entries) > 0 && entries[0].Index == i
	if i > 0 && (call || entered) {
		dst = append(dst, '\n')
	}
	for len(entries) > 0 && entries[0].Index == i {
		dst = append(append(dst, entries[0].Name...), ":\n"...)
		entries = entries[1:]
	}
	if call {
		dst = fmt.Appendf(dst, "fxn%d:\n", i)
	}
	if branch {
		dst = fmt.Appendf(dst, "l%d:\n", i)
	}
	return dst, entries
}

func (l *Mesa) appendFindings(dst []byte) []byte {
	if !l.Findings {
		return dst
	}
	for i := range l.Printer.NumFindings() {
		switch i {
		case 0:
			dst = append(dst, "\t; "...)
		case maxMesaFindings:
			return dst
		default:
			dst = append(dst, ", "...)
		}
		dst = append(dst, l.Printer.Finding(i)...)
	}
	return dst
}
