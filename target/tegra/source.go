package tegra

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// SourceOf returns a container as source that a compiler turns into the same bytes.
func SourceOf(data []byte) ([]byte, error) {
	set, err := Load(isa.Options{})
	if err != nil {
		return nil, err
	}
	p, err := ReadContainer(set, &diag.Source{Text: string(data)})
	if err != nil {
		return nil, err
	}
	return AppendSource(nil, set, p)
}

// AppendSource appends a program as source that assembles to the same program.
func AppendSource(dst []byte, set *isa.Set, p *Program) ([]byte, error) {
	tools, err := toolsOf(set)
	if err != nil {
		return dst, err
	}
	defer tools.release()
	w := newSourceWriter(tools, p)
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
			dst = fmt.Appendf(dst, "\t[%d].%c = %s;\n", c.Number, w.facts.components[c.Component], formatFloat(c.Bits))
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

// sourceTools are what sources of all programs are written with: they know more with each.
type sourceTools struct {
	set      *isa.Set
	d        *isa.Decoder
	parser   *asm.Parser
	lossless *asm.Lossless
	facts    *facts
}

// kept has tools that nobody uses.
var kept sync.Pool

// toolsOf returns tools for a set, which release keeps for others.
func toolsOf(set *isa.Set) (*sourceTools, error) {
	if t, ok := kept.Get().(*sourceTools); ok && t.set == set {
		return t, nil
	}
	t := &sourceTools{set: set}
	var err error
	if t.d, err = set.NewDecoder(""); err != nil {
		return nil, err
	}
	if t.parser, err = asm.New(set, ""); err != nil {
		return nil, err
	}
	if t.facts, err = factsOf(set); err != nil {
		return nil, err
	}
	t.d.Lines = true
	t.lossless = asm.NewLossless(t.d, t.parser)
	return t, nil
}

func (t *sourceTools) release() {
	t.d.Label, t.parser.Symbol = nil, nil
	kept.Put(t)
}

// sourceWriter writes the code of a program.
type sourceWriter struct {
	*sourceTools
	p      *Program
	labels *program.Labels
	// own are the names that the program gives instructions.
	own map[int64][]string
	// named is set if the text being printed has a label in it, or a word that one could be.
	named bool
	// plain are the texts of the other instructions, and ends where that of each word ends.
	plain []byte
	ends  []int
}

func newSourceWriter(tools *sourceTools, p *Program) *sourceWriter {
	w := &sourceWriter{sourceTools: tools, p: p, own: map[int64][]string{}}
	var entries []program.Entry
	for _, l := range p.Labels {
		addr := wordBits * int64(l.Number)
		w.own[addr] = append(w.own[addr], l.Name)
		entries = append(entries, program.Entry{Addr: addr, Name: l.Name})
	}
	w.labels = program.NewLabels(wordBits*int64(len(p.Words)), wordBits, entries)
	w.readThrough()
	return w
}

// readThrough finds the branch targets, and prints on the way what could have no label in it.
func (w *sourceWriter) readThrough() {
	var targets []isa.BranchTarget
	w.d.Label = func(addr int64, call bool) (string, bool) {
		targets = append(targets, isa.BranchTarget{Addr: addr, Call: call})
		w.named = true
		return "", false
	}
	w.parser.Symbol = func(string) (int64, bool) {
		w.named = true
		return 0, false
	}
	for i, word := range w.p.Words {
		if in, ok := w.d.Decode(word); ok {
			targets, w.named = targets[:0], false
			if text, ok := w.lossless.Append(w.plain, in); ok && !w.named {
				w.plain = text
			}
			w.labels.Add(wordBits*int64(i), targets)
		}
		w.ends = append(w.ends, len(w.plain))
	}
}

// label names a branch target, by a name of the program where it has one, else by one that stays in
// the source.
func (w *sourceWriter) label(addr int64, call bool) (string, bool) {
	if own := w.own[addr]; len(own) > 0 {
		w.named = true
		return own[0], true
	}
	name, ok := w.labels.Name(addr, call)
	w.named = w.named || ok
	return localMark + name, ok
}

// address is where a label stands.
func (w *sourceWriter) address(name string) (int64, bool) {
	return w.labels.Address(strings.TrimPrefix(name, localMark))
}

// elsewhere is another place for each label.
func (w *sourceWriter) elsewhere(name string) (int64, bool) {
	addr, ok := w.address(name)
	return addr ^ wordBits, ok
}

// instruction appends an instruction with the labels that it goes to. A target is a number where other
// text settles its bits, so that a label could stand nowhere else.
func (w *sourceWriter) instruction(dst []byte, in isa.Inst) (text []byte, ok bool) {
	w.d.Label, w.parser.Symbol, w.named = w.label, w.address, false
	text, ok = w.lossless.Append(dst, in)
	if !ok || !w.named {
		return text, ok
	}
	w.parser.Symbol = w.elsewhere
	if _, elsewhere := w.parser.Try(string(text[len(dst):])); elsewhere {
		return text, true
	}
	w.d.Label = nil
	return w.lossless.Append(dst, in)
}

// code appends the .asm section.
func (w *sourceWriter) code(dst []byte) ([]byte, error) {
	if len(w.p.Words) > w.facts.places["instructions"] {
		dst = append(dst, ".isago long\n"...)
	}
	dst = append(dst, ".asm\n"...)
	from := 0
	for i, word := range w.p.Words {
		dst = w.labelsAt(dst, wordBits*int64(i))
		plain := w.plain[from:w.ends[i]]
		if from = w.ends[i]; len(plain) > 0 {
			dst = append(append(dst, plain...), '\n')
			continue
		}
		in, ok := w.d.Decode(word)
		text := dst
		if ok {
			text, ok = w.instruction(dst, in)
		}
		if !ok {
			text = program.AppendData(dst, w.d.Root(), word, wordBits)
			text = append(text, ';')
		}
		dst = append(text, '\n')
	}
	dst = w.labelsAt(dst, wordBits*int64(len(w.p.Words)))
	if n := len(w.p.Words); n > 0 {
		if in, ok := w.d.Decode(w.p.Words[n-1]); ok && !w.facts.ended(w.d, in) {
			dst = append(dst, "\n.isago no-end\n"...)
		}
	}
	return dst, nil
}

// labelsAt appends the labels of a place.
func (w *sourceWriter) labelsAt(dst []byte, addr int64) []byte {
	names, mark := w.own[addr], ""
	if len(names) == 0 {
		names, _ = w.labels.At(addr)
		mark = localMark
	}
	for _, n := range names {
		dst = append(append(append(dst, mark...), n...), ":\n"...)
	}
	return dst
}
