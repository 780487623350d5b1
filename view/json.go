package view

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Instruction is an instruction as JSON shows it.
type Instruction struct {
	// Address is in bytes from the start of the code.
	Address int64    `json:"address"`
	Labels  []string `json:"labels,omitempty"`
	// Word is hexadecimal, the most significant digit first.
	Word string `json:"word"`
	// Size is in bits.
	Size int `json:"size"`
	// Name is the bitset's name; empty for a word that is no instruction.
	Name   string  `json:"name,omitempty"`
	Text   string  `json:"text"`
	Tokens []Token `json:"tokens,omitempty"`
	Fields []Field `json:"fields,omitempty"`
	// Fixed and Ignored are the bits that choose the instruction and those that do nothing.
	Fixed    []Run    `json:"fixed,omitempty"`
	Ignored  []Run    `json:"ignored,omitempty"`
	Findings []string `json:"findings,omitempty"`
}

// Token is a piece of the text: bytes Start up to End.
type Token struct {
	Kind  string `json:"kind"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Run is a run of bits, Width of them from bit Low upwards.
type Run struct {
	Low   int `json:"low"`
	Width int `json:"width"`
}

// Field is a field of an instruction.
type Field struct {
	// Path is the name behind those of the enclosing fields.
	Path string `json:"path"`
	Type string `json:"type"`
	// Bits are the runs of bits, the most significant first; none for a derived field.
	Bits []Run `json:"bits,omitempty"`
	// Table and Entry are set where the bits are in a table beside the code.
	Table string `json:"table,omitempty"`
	Entry *int   `json:"entry,omitempty"`
	// Value is hexadecimal with 0x.
	Value string `json:"value"`
	// Text is what the value prints as.
	Text string `json:"text"`
	// Place is where the instruction's text shows it, bytes from and up to; absent where it does not.
	Place []int  `json:"place,omitempty"`
	Doc   string `json:"doc,omitempty"`
}

// NewInstruction describes a decoded instruction. docs adds the documentation of each field.
func NewInstruction(d *isa.Decoder, in isa.Inst, docs bool) Instruction {
	out := Instruction{
		Address: d.Addr / 8, Word: string(in.Bits.AppendHex(nil, (in.Leaf.Size+3)/4)), Size: in.Leaf.Size,
		Name: in.Leaf.Name, Fixed: runs(in.Leaf.Mask), Ignored: runs(in.Leaf.DontCare),
	}
	text, tokens := d.AppendTokens(nil, nil, in)
	out.Text = string(text)
	for _, t := range tokens {
		out.Tokens = append(out.Tokens, Token{t.Kind.String(), t.Start, t.End})
	}
	for _, f := range d.Findings() {
		out.Findings = append(out.Findings, f.Text)
	}
	for _, f := range d.Fields(nil, in) {
		out.Fields = append(out.Fields, newField(&f, docs))
	}
	return out
}

func newField(f *isa.Field, docs bool) Field {
	out := Field{Path: f.Path, Type: f.Type, Table: f.Table, Value: "0x" + f.Value.String(), Text: f.Meaning}
	for _, p := range f.Parts {
		out.Bits = append(out.Bits, Run{p.Low, p.Width})
	}
	if f.Table != "" {
		out.Entry = &f.Entry
	}
	if f.Start >= 0 {
		out.Place = []int{f.Start, f.End}
	}
	if docs {
		out.Doc = f.Doc
	}
	return out
}

// runs lists the runs of set bits, the highest first.
func runs(v bits.Value) []Run {
	var list []Run
	for hi := v.Len() - 1; hi >= 0; hi = v.Len() - 1 {
		lo := hi
		for lo > 0 && v.Bit(lo-1) == 1 {
			lo--
		}
		list = append(list, Run{lo, hi - lo + 1})
		v = v.AndNot(bits.Range(lo, hi-lo+1))
	}
	return list
}

// Unknown describes a word that is no instruction of a root, for the reason that finding tells.
func Unknown(root *isa.Root, addr int64, word bits.Value, size int, finding string) Instruction {
	return Instruction{
		Address: addr / 8, Word: string(word.AppendHex(nil, (size+3)/4)), Size: size,
		Text: string(program.AppendData(nil, root, word, size)), Findings: []string{finding},
	}
}

// document is the head of the JSON of a whole image.
type document struct {
	Machine string         `json:"machine"`
	Format  string         `json:"format,omitempty"`
	Header  []string       `json:"header,omitempty"`
	Parts   []program.Part `json:"contents,omitempty"`
}

// WriteJSON prints an image as one JSON object, instruction by instruction, so that memory does
// not grow with it. It returns the number of findings.
func (l *Listing) WriteJSON(w *bufio.Writer) (findings int, err error) {
	labels := l.prepare()
	if labels == nil {
		labels = l.Labels()
	}
	head, err := json.Marshal(document{l.Decoder.Set().Name(), l.Image.Format, l.Image.Header, l.Image.Contents})
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(w, "%s,\n\"code\": [", head[:len(head)-1])
	separator := "\n"
	for ln := range l.lines() {
		in := l.object(ln)
		in.Labels, _ = labels.At(ln.addr)
		findings += len(in.Findings)
		data, err := json.Marshal(in)
		if err != nil {
			return findings, err
		}
		if _, err := fmt.Fprintf(w, "%s%s", separator, data); err != nil {
			return findings, err
		}
		separator = ",\n"
	}
	fmt.Fprint(w, "\n]}\n")
	return findings, w.Flush()
}

// object describes a line, with the text of Print where there is one.
func (l *Listing) object(ln line) Instruction {
	d := l.current
	in := Unknown(d.Root(), ln.addr, ln.word, ln.size, NoInstruction(ln.conflict))
	if ln.piece != nil && ln.piece.Root == nil {
		in.Findings = nil
	}
	odd := ""
	if ln.ok {
		odd = l.oddity(ln)
	}
	switch {
	case ln.beyond():
		in.Findings = []string{odd + ": " + string(d.Append(nil, ln.in))}
	case ln.ok:
		in = NewInstruction(d, ln.in, false)
		if l.Print != nil {
			in.Text = string(l.Print(nil, ln.in))
		}
		in.Address = ln.addr / 8
		if odd != "" {
			in.Findings = append(in.Findings, odd)
		}
	}
	for _, f := range in.Findings {
		l.report(ln.addr, f)
	}
	return in
}
