package view

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/isa"
)

// Instruction is an instruction as the type JSON writes it. docs/json.md describes each member.
type Instruction struct {
	// Address is in bytes from the start of the code.
	Address int64 `json:"address"`
	// Program is the name of the program in a file that has several; addresses and targets count from its start.
	Program string   `json:"program,omitempty"`
	Labels  []string `json:"labels,omitempty"`
	// Word is hexadecimal, the most significant digit first.
	Word string `json:"word"`
	// Size is in bits.
	Size int `json:"size"`
	// Name is the name in the description, absent for an unknown word.
	Name     string    `json:"name,omitempty"`
	Mnemonic string    `json:"mnemonic,omitempty"`
	Text     string    `json:"text"`
	Operands []Operand `json:"operands,omitempty"`
	Flow     []Flow    `json:"flow,omitempty"`
	Facts    *Facts    `json:"facts,omitempty"`
	// Quirks are the quirks on which the instruction depends.
	Quirks []facts.Quirk `json:"quirks,omitempty"`
	Tokens []Token       `json:"tokens,omitempty"`
	Fields []Field       `json:"fields,omitempty"`
	// Fixed has the bits that identify the instruction, and Ignored has the bits without effect.
	Fixed    []Run    `json:"fixed,omitempty"`
	Ignored  []Run    `json:"ignored,omitempty"`
	Findings []string `json:"findings,omitempty"`
}

// Operand is an operand of an instruction.
type Operand struct {
	Name string `json:"name"`
	Role string `json:"role,omitempty"`
	// Kind is absent for a register.
	Kind string `json:"kind,omitempty"`
	Register
	// Relative is added to the number or to the address.
	Relative  *Register `json:"relative,omitempty"`
	Modifiers []string  `json:"modifiers,omitempty"`
	Swizzle   string    `json:"swizzle,omitempty"`
	Mask      *string   `json:"mask,omitempty"`
	Memory    string    `json:"memory,omitempty"`
	Type      string    `json:"type,omitempty"`
	// Value is a number, or a hexadecimal string if the number has more than 53 bits.
	Value any `json:"value,omitempty"`
	// Target is in bytes from the start of the code.
	Target *int64 `json:"target,omitempty"`
	// Bits are the runs of bits, the most significant of each field first.
	Bits  []OperandBits `json:"bits,omitempty"`
	Place []int         `json:"place,omitempty"`
}

// OperandBits is a run of bits of the word or of a table entry. Table and Entry are the numbers of the table and of the
// entry.
type OperandBits struct {
	Low   int  `json:"low"`
	Width int  `json:"width"`
	Table *int `json:"table,omitempty"`
	Entry *int `json:"entry,omitempty"`
}

// Register is a register, a range of registers, or a part of a register.
type Register struct {
	File  string `json:"file,omitempty"`
	View  string `json:"view,omitempty"`
	Index *int   `json:"index,omitempty"`
	Count int    `json:"count,omitempty"`
	// Part is the lowest bit and the number of bits.
	Part      []int `json:"part,omitempty"`
	Component *int  `json:"component,omitempty"`
}

// Flow is a place where control can go, other than the next instruction. Target is in bytes.
type Flow struct {
	Kind   string `json:"kind"`
	Maybe  bool   `json:"maybe,omitempty"`
	Target *int64 `json:"target,omitempty"`
	Count  uint64 `json:"count,omitempty"`
	Stack  string `json:"stack,omitempty"`
}

// Token is a part of the text: the bytes from Start up to, but not including, End.
type Token struct {
	Kind  string `json:"kind"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Run is a run of Width bits, the lowest of which is Low.
type Run struct {
	Low   int `json:"low"`
	Width int `json:"width"`
}

// Field is a field of an instruction.
type Field struct {
	// Path consists of the names of the enclosing fields and of this field, separated by dots.
	Path string `json:"path"`
	Type string `json:"type"`
	// Bits are the runs of bits, the most significant first. A derived field has no bits.
	Bits []Run `json:"bits,omitempty"`
	// Table and Entry are set if the bits are in a table.
	Table string `json:"table,omitempty"`
	Entry *int   `json:"entry,omitempty"`
	// Value is hexadecimal with 0x.
	Value string `json:"value"`
	// Text is the text of the value.
	Text string `json:"text"`
	// Place is the position of the field in the text of the instruction: its first byte and the byte after its last.
	// Place is absent if the text does not show the field.
	Place []int  `json:"place,omitempty"`
	Doc   string `json:"doc,omitempty"`
}

// Detail selects how much JSON writes.
type Detail uint8

// Brief writes the text, operands and flow of an instruction. WithFields adds its fields, and WithDocs adds the
// documentation of each field.
const (
	Brief Detail = iota
	WithFields
	WithDocs
)

// JSON writes instructions as JSON objects. Reuse one JSON value for a whole program, because it reuses its buffers.
type JSON struct {
	Detail Detail
	// Facts adds what each instruction reads and writes, and where control can go. If Facts is nil, JSON omits this.
	Facts *facts.Machine

	text     []byte
	operands []isa.Operand
	flows    []isa.Flow
	tokens   []isa.Token
	fields   []isa.Field
	// count is the number of findings of the last object.
	count int
}

// note holds the data that a listing adds to an instruction.
type note struct {
	addr     int64
	program  string
	labels   []string
	findings []string
	text     []byte // in place of the decoder's own
}

// Append appends an instruction at the decoder's address.
func (j *JSON) Append(dst []byte, d *isa.Decoder, in isa.Inst) []byte {
	return j.append(dst, d, in, note{addr: d.Addr})
}

// AppendText is like Append, but with a text in place of the decoder's own.
func (j *JSON) AppendText(dst []byte, d *isa.Decoder, in isa.Inst, text []byte) []byte {
	return j.append(dst, d, in, note{addr: d.Addr, text: text})
}

func (j *JSON) append(dst []byte, d *isa.Decoder, in isa.Inst, n note) []byte {
	j.text, j.operands = d.AppendOperands(j.text[:0], j.operands[:0], in)
	findings := d.Findings()
	text := j.text
	if n.text != nil {
		text = n.text
	}
	mnemonic := d.Mnemonic(in)
	dst = j.head(dst, n, in.Bits, in.Leaf.Size)
	dst = appendString(append(dst, `,"name":`...), in.Leaf.Name)
	if mnemonic != "" {
		dst = appendString(append(dst, `,"mnemonic":`...), mnemonic)
	}
	dst = appendBytes(append(dst, `,"text":`...), text)
	j.count = len(findings) + len(n.findings)
	if j.count > 0 {
		dst = append(dst, `,"findings":[`...)
		for i := range findings {
			dst = append(appendString(dst, findings[i].Text), ',')
		}
		for _, f := range n.findings {
			dst = append(appendString(dst, f), ',')
		}
		dst = closed(dst, ']')
	}
	dst = j.appendOperands(dst, d.Set())
	dst = j.appendFlows(dst, d, in)
	dst = j.appendFacts(dst, d, in)
	if j.Detail >= WithDocs {
		dst = j.appendQuirks(dst, d, in)
	}
	if j.Detail >= WithFields {
		dst = j.appendFields(dst, d, in, n.text == nil)
	}
	return append(dst, '}')
}

// head appends the members that all objects have.
func (j *JSON) head(dst []byte, n note, word bits.Value, size int) []byte {
	dst = strconv.AppendInt(append(dst, `{"address":`...), n.addr/8, 10)
	if n.program != "" {
		dst = appendString(append(dst, `,"program":`...), n.program)
	}
	if len(n.labels) > 0 {
		dst = append(dst, `,"labels":[`...)
		for _, s := range n.labels {
			dst = append(appendString(dst, s), ',')
		}
		dst = closed(dst, ']')
	}
	dst = append(dst, `,"word":"`...)
	dst = word.AppendHex(dst, (size+3)/4)
	return strconv.AppendInt(append(dst, `","size":`...), int64(size), 10)
}

// closed ends a list or an object. It replaces a comma after the last member.
func closed(dst []byte, end byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, end)
}

func (j *JSON) appendOperands(dst []byte, set *isa.Set) []byte {
	if len(j.operands) == 0 {
		return dst
	}
	dst = append(dst, `,"operands":[`...)
	for i := range j.operands {
		dst = append(j.operand(dst, &j.operands[i], set), ',')
	}
	return closed(dst, ']')
}

const letters4 = "xyzw"

func (j *JSON) operand(dst []byte, o *isa.Operand, set *isa.Set) []byte {
	dst = appendString(append(dst, `{"name":`...), o.Name)
	if o.Role != isa.RoleNone {
		dst = appendString(append(dst, `,"role":`...), o.Role.String())
	}
	if o.Kind != isa.RegisterOperand && o.Kind != isa.UnknownOperand {
		dst = appendString(append(dst, `,"kind":`...), o.Kind.String())
	}
	if o.Register.File != nil {
		dst = appendRegister(append(dst, ','), &o.Register)
	}
	if o.Relative.File != nil {
		dst = append(appendRegister(append(dst, `,"relative":{`...), &o.Relative), '}')
	}
	if o.Modifiers != 0 {
		dst = append(dst, `,"modifiers":[`...)
		for i, name := range set.Modifiers() {
			if o.Modifiers>>i&1 != 0 {
				dst = append(appendString(dst, name), ',')
			}
		}
		dst = closed(dst, ']')
	}
	if o.Swizzled {
		dst = append(dst, `,"swizzle":"`...)
		for i := range lanes(&o.Register) {
			dst = append(dst, letters4[o.Swizzle[i]&3])
		}
		dst = append(dst, '"')
	}
	if o.Masked {
		dst = append(dst, `,"mask":"`...)
		for i := range letters4 {
			if o.Mask>>i&1 != 0 {
				dst = append(dst, letters4[i])
			}
		}
		dst = append(dst, '"')
	}
	if o.Memory != nil {
		dst = appendString(append(dst, `,"memory":`...), o.Memory.Name)
	}
	if o.Type.Bits > 0 {
		dst = append(o.Type.Append(append(dst, `,"type":"`...)), '"')
	}
	switch o.Kind {
	case isa.TargetOperand:
		dst = strconv.AppendInt(append(dst, `,"target":`...), int64(o.Value)>>3, 10)
	case isa.ImmediateOperand, isa.MemoryOperand, isa.ConditionOperand, isa.ModifierOperand, isa.SamplerOperand:
		dst = appendValue(append(dst, `,"value":`...), o.Value, o.Type.Kind == isa.Signed)
	}
	if j.Detail >= WithFields {
		dst = append(dst, `,"bits":[`...)
		for _, r := range o.Bits {
			dst = appendRun(dst, r.Part)
			if r.Table >= 0 {
				dst = strconv.AppendInt(append(dst[:len(dst)-1], `,"table":`...), int64(r.Table), 10)
				dst = append(strconv.AppendInt(append(dst, `,"entry":`...), int64(r.Entry), 10), '}')
			}
			dst = append(dst, ',')
		}
		dst = appendPlace(closed(dst, ']'), o.Start, o.End)
	}
	return append(dst, '}')
}

// lanes returns the number of components of a swizzle.
func lanes(r *isa.Register) int {
	f := r.File
	if r.View != nil {
		f = r.View
	}
	if f == nil {
		return len(letters4)
	}
	return min(f.Type.Lanes, len(letters4))
}

func appendRegister(dst []byte, r *isa.Register) []byte {
	dst = appendString(append(dst, `"file":`...), r.File.Name)
	if r.View != nil {
		dst = appendString(append(dst, `,"view":`...), r.View.Name)
	}
	dst = strconv.AppendInt(append(dst, `,"index":`...), int64(r.Index), 10)
	if r.Count > 1 {
		dst = strconv.AppendInt(append(dst, `,"count":`...), int64(r.Count), 10)
	}
	if r.Width < r.File.Type.Size() {
		dst = strconv.AppendInt(append(dst, `,"part":[`...), int64(r.Low), 10)
		dst = append(strconv.AppendInt(append(dst, ','), int64(r.Width), 10), ']')
	}
	if r.Component >= 0 {
		dst = strconv.AppendInt(append(dst, `,"component":`...), int64(r.Component), 10)
	}
	return dst
}

// appendValue appends a number. If some readers of JSON would lose bits of the number, it appends a hexadecimal string.
func appendValue(dst []byte, v uint64, signed bool) []byte {
	const exact = 1 << 53
	switch n := int64(v); {
	case signed && n > -exact && n < exact:
		return strconv.AppendInt(dst, n, 10)
	case !signed && v < exact:
		return strconv.AppendUint(dst, v, 10)
	}
	return append(strconv.AppendUint(append(dst, `"0x`...), v, 16), '"')
}

func (j *JSON) appendFlows(dst []byte, d *isa.Decoder, in isa.Inst) []byte {
	if j.flows = d.Flows(j.flows[:0], in); len(j.flows) == 0 {
		return dst
	}
	dst = append(dst, `,"flow":[`...)
	for i := range j.flows {
		dst = append(appendFlow(dst, &j.flows[i]), ',')
	}
	return closed(dst, ']')
}

func appendFlow(dst []byte, f *isa.Flow) []byte {
	dst = appendMaybe(appendString(append(dst, `{"kind":`...), f.Kind.String()), f.Maybe)
	if f.Target != -1 {
		dst = strconv.AppendInt(append(dst, `,"target":`...), f.Target>>3, 10)
	}
	if f.Count > 0 {
		dst = strconv.AppendUint(append(dst, `,"count":`...), f.Count, 10)
	}
	if f.Stack != "" {
		dst = appendString(append(dst, `,"stack":`...), f.Stack)
	}
	return append(dst, '}')
}

// appendFields appends the tokens of the text, the fields, and the fixed and ignored bits.
func (j *JSON) appendFields(dst []byte, d *isa.Decoder, in isa.Inst, tokens bool) []byte {
	if tokens {
		j.text, j.tokens = d.AppendTokens(j.text[:0], j.tokens[:0], in)
		dst = append(dst, `,"tokens":[`...)
		for _, t := range j.tokens {
			dst = appendString(append(dst, `{"kind":`...), t.Kind.String())
			dst = strconv.AppendInt(append(dst, `,"start":`...), int64(t.Start), 10)
			dst = append(strconv.AppendInt(append(dst, `,"end":`...), int64(t.End), 10), '}', ',')
		}
		dst = closed(dst, ']')
	}
	j.fields = d.Fields(j.fields[:0], in)
	if len(j.fields) > 0 {
		dst = append(dst, `,"fields":[`...)
		for i := range j.fields {
			dst = append(j.field(dst, &j.fields[i]), ',')
		}
		dst = closed(dst, ']')
	}
	dst = appendRuns(dst, `,"fixed":[`, in.Leaf.Mask)
	return appendRuns(dst, `,"ignored":[`, in.Leaf.DontCare)
}

func (j *JSON) field(dst []byte, f *isa.Field) []byte {
	dst = appendString(append(dst, `{"path":`...), f.Path)
	dst = appendString(append(dst, `,"type":`...), f.Type)
	if len(f.Parts) > 0 {
		dst = append(dst, `,"bits":[`...)
		for _, p := range f.Parts {
			dst = append(appendRun(dst, p), ',')
		}
		dst = closed(dst, ']')
	}
	if f.Table != "" {
		dst = appendString(append(dst, `,"table":`...), f.Table)
		dst = strconv.AppendInt(append(dst, `,"entry":`...), int64(f.Entry), 10)
	}
	dst = append(f.Value.AppendHex(append(dst, `,"value":"0x`...), 1), '"')
	dst = appendString(append(dst, `,"text":`...), f.Meaning)
	if f.Start >= 0 {
		dst = appendPlace(dst, f.Start, f.End)
	}
	if j.Detail >= WithDocs && f.Doc != "" {
		dst = appendString(append(dst, `,"doc":`...), f.Doc)
	}
	return append(dst, '}')
}

func appendPlace(dst []byte, start, end int) []byte {
	dst = strconv.AppendInt(append(dst, `,"place":[`...), int64(start), 10)
	return append(strconv.AppendInt(append(dst, ','), int64(end), 10), ']')
}

func appendRun(dst []byte, p bits.Part) []byte {
	dst = strconv.AppendInt(append(dst, `{"low":`...), int64(p.Low), 10)
	return append(strconv.AppendInt(append(dst, `,"width":`...), int64(p.Width), 10), '}')
}

func appendRuns(dst []byte, name string, mask bits.Value) []byte {
	if mask.IsZero() {
		return dst
	}
	dst = append(dst, name...)
	for _, r := range runs(mask) {
		dst = append(appendRun(dst, bits.Part(r)), ',')
	}
	return closed(dst, ']')
}

func appendBytes(dst, s []byte) []byte {
	for _, c := range s {
		if c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			return appendString(dst, string(s))
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

const hexDigits = "0123456789abcdef"

// AppendError appends the JSON object for a line of input that cannot be read.
func AppendError(dst []byte, err error) []byte {
	return append(appendString(append(dst, `{"error":`...), quote.BriefQuotes(err.Error())), '}')
}

// appendString appends a JSON string.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20 || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:]) // bytes that are not UTF-8 become U+FFFD
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
	}
	return append(dst, '"')
}

// Unknown appends a word that no instruction of a root matches. findings are the reasons.
func (j *JSON) Unknown(dst []byte, root *isa.Root, addr int64, word bits.Value, size int, findings ...string) []byte {
	return j.unknown(dst, root, word, size, note{addr: addr, findings: findings})
}

func (j *JSON) unknown(dst []byte, root *isa.Root, word bits.Value, size int, n note) []byte {
	dst = j.head(dst, n, word, size)
	j.text = program.AppendData(j.text[:0], root, word, size)
	dst = appendBytes(append(dst, `,"text":`...), j.text)
	if j.count = len(n.findings); j.count > 0 {
		dst = append(dst, `,"findings":[`...)
		for _, f := range n.findings {
			dst = append(appendString(dst, f), ',')
		}
		dst = closed(dst, ']')
	}
	return append(dst, '}')
}

// document holds the members that precede the instructions in the JSON object of an image.
type document struct {
	File    string         `json:"file,omitempty"`
	Machine string         `json:"machine"`
	Format  string         `json:"format,omitempty"`
	Header  []string       `json:"header,omitempty"`
	Parts   []program.Part `json:"contents,omitempty"`
}

// WriteJSON prints an image as one JSON object. It prints instruction by instruction, so that memory use does not grow
// with the image. It returns the number of findings.
func (l *Listing) WriteJSON(w *bufio.Writer) (findings int, err error) {
	labels := l.prepare()
	if labels == nil {
		labels = l.Labels()
	}
	if err := l.beginJSON(w); err != nil {
		return 0, err
	}
	if findings, err = l.writeJSON(w, labels, true); err != nil {
		return findings, err
	}
	fmt.Fprint(w, endJSON)
	return findings, w.Flush()
}

// beginJSON prints the part of the JSON object before the instructions.
func (l *Listing) beginJSON(w *bufio.Writer) error {
	head, err := json.Marshal(document{l.File, l.Decoder.Set().Name(), l.Image.Format, l.Image.Header, l.Image.Contents})
	if err == nil {
		fmt.Fprintf(w, "%s,\n\"code\": [", head[:len(head)-1])
	}
	return err
}

// endJSON is the end of the JSON object after the instructions.
const endJSON = "\n]}\n"

// writeJSON prints the instructions. first is set if no instruction was printed before.
func (l *Listing) writeJSON(w *bufio.Writer, labels *program.Labels, first bool) (findings int, err error) {
	j := JSON{Detail: l.Detail, Facts: l.Facts}
	var buf []byte
	separator := ",\n"
	if first {
		separator = "\n"
	}
	members := l.Image.Members()
	for ln := range l.lines() {
		n := note{addr: 8 * l.address(ln)}
		if m := members.At(ln.addr); m.Several {
			n.program = m.Name
		}
		n.labels, _ = labels.At(ln.addr)
		buf = l.object(append(buf[:0], separator...), &j, ln, n)
		findings += j.count
		if _, err := w.Write(buf); err != nil {
			return findings, err
		}
		separator = ",\n"
	}
	return findings, nil
}

// object appends the JSON object of a line. If Print is set, the text is the result of Print.
func (l *Listing) object(dst []byte, j *JSON, ln line, n note) []byte {
	d := l.current
	reason := ""
	if ln.ok {
		reason = l.nonconformity(ln)
	}
	known := ln.ok && !ln.beyond()
	switch {
	case ln.beyond():
		n.findings = []string{reason + ": " + string(d.Append(nil, ln.in))}
	case ln.ok:
		if reason != "" {
			n.findings = []string{reason}
		}
		if l.Print != nil {
			l.printed = l.Print(l.printed[:0], ln.in)
			n.text = l.printed
		}
	case ln.piece == nil || ln.piece.Root != nil:
		n.findings = []string{NoInstruction(ln.conflict)}
	}
	if known {
		dst = j.append(dst, d, ln.in, n)
		l.reportOf(ln.addr, d)
	} else {
		dst = j.unknown(dst, d.Root(), ln.word, ln.size, n)
	}
	for _, f := range n.findings {
		l.report(ln.addr, f)
	}
	return dst
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
