package tegra

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// SourceOf writes a container as source that a compiler turns into the same bytes.
func SourceOf(data []byte) ([]byte, error) {
	set, err := Load(isa.Options{})
	if err != nil {
		return nil, err
	}
	p, err := ReadContainer(set, &diag.Source{Name: "container", Text: string(data)})
	if err != nil {
		return nil, err
	}
	return AppendSource(nil, set, p)
}

// AppendSource appends a program as source that assembles to the same program.
func AppendSource(dst []byte, set *isa.Set, p *Program) ([]byte, error) {
	w, err := newSourceWriter(set, p)
	if err != nil {
		return dst, err
	}
	for _, s := range nameLines[:3] {
		if names := *s.list(p); len(names) > 0 {
			dst = fmt.Appendf(dst, ".%s\n", s.places)
			for _, n := range names {
				dst = fmt.Appendf(dst, "\t[%d] = \"%s\";\n", n.Number, n.Name)
			}
			dst = append(dst, '\n')
		}
	}
	if len(p.Constants) > 0 {
		dst = append(dst, ".constants\n"...)
		for _, c := range p.Constants {
			dst = fmt.Appendf(dst, "\t[%d].%c = %s;\n", c.Number, components[c.Component], formatFloat(c.Bits))
		}
		dst = append(dst, '\n')
	}
	return w.code(dst)
}

// formatFloat prints a float as decimal where that is short and gives the bits back, else its bits.
func formatFloat(v uint32) string {
	f := math.Float32frombits(v)
	text := strconv.FormatFloat(float64(f), 'f', -1, 32)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	const most = 20
	if f != f || math.IsInf(float64(f), 0) || len(text) > most {
		return fmt.Sprintf("0x%08x", v)
	}
	return text
}

// sourceWriter writes the code of a program.
type sourceWriter struct {
	p        *Program
	d        *isa.Decoder
	lossless *asm.Lossless
	facts    *facts
	labels   *program.Labels
	// own are the names that the program gives instructions.
	own map[int64][]string
}

func newSourceWriter(set *isa.Set, p *Program) (*sourceWriter, error) {
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	parser, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	f, err := factsOf(set)
	if err != nil {
		return nil, err
	}
	w := &sourceWriter{p: p, d: d, facts: f, own: map[int64][]string{}, lossless: asm.NewLossless(d, parser)}
	var entries []program.Entry
	for _, l := range p.Labels {
		addr := wordBits * int64(l.Number)
		w.own[addr] = append(w.own[addr], l.Name)
		entries = append(entries, program.Entry{Addr: addr, Name: l.Name})
	}
	w.labels = program.NewLabels(wordBits*int64(len(p.Words)), wordBits, entries)
	var targets []isa.BranchTarget
	for i, word := range p.Words {
		in, ok := d.Decode(word)
		if !ok {
			continue
		}
		targets = d.Targets(targets[:0], in)
		w.labels.Add(wordBits*int64(i), targets)
	}
	d.Lines, d.Label = true, w.label
	parser.Symbol = w.labels.Address
	return w, nil
}

// label names a branch target, by a name of the program where it has one.
func (w *sourceWriter) label(addr int64, call bool) (string, bool) {
	if own := w.own[addr]; len(own) > 0 {
		return own[0], true
	}
	return w.labels.Name(addr, call)
}

// code appends the .asm section.
func (w *sourceWriter) code(dst []byte) ([]byte, error) {
	if len(w.p.Words) > w.facts.places["instructions"] {
		dst = append(dst, ".isago long\n"...)
	}
	dst = append(dst, ".asm\n"...)
	for i, word := range w.p.Words {
		addr := wordBits * int64(i)
		in, ok := w.d.Decode(word)
		if !ok {
			dst = append(program.AppendData(dst, w.d.Root(), word, wordBits), ";\n"...)
			continue
		}
		names := w.own[addr]
		if len(names) == 0 {
			names, _ = w.labels.At(addr)
		}
		for _, n := range names {
			dst = append(append(dst, n...), ":\n"...)
		}
		text, ok := w.lossless.Append(dst, in)
		if !ok {
			text = program.AppendData(dst, w.d.Root(), word, wordBits)
			text = append(text, ';')
		}
		dst = append(text, '\n')
		if i == len(w.p.Words)-1 && !w.facts.ended(w.d, in) {
			dst = append(dst, "\n.isago no-end\n"...)
		}
	}
	return dst, nil
}
