package tesla

import (
	"errors"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// reader turns the texts of instructions into words. Each goroutine has its own.
type reader struct {
	p *asm.Parser
	// d shows what was read, for what it finds odd; text is its scratch.
	d    *isa.Decoder
	text []byte
	line asm.Line // with the values of constant expressions
	set  *isa.Set
	ctx  bits.Value
	// longest is the size of the longest instruction in bits.
	longest int
	// name gives a name its value.
	name func(string) (int64, bool)
	// named is set if a text has the name of a label, whose place is not known before the end.
	named bool
	// ahead is set if nobody wants to know why a statement is no instruction.
	ahead bool
	// asks are the first words of statements that had names: reading these ahead is in vain.
	asks map[string]bool
}

// newReader returns a reader to which every name is a number.
func newReader(set *isa.Set, p *asm.Parser, ctx bits.Value) (*reader, error) {
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	p.SetContext(ctx)
	d.SetContext(ctx)
	r := &reader{p: p, d: d, set: set, ctx: ctx, longest: d.Root().Size, asks: map[string]bool{}}
	r.lookUp(r.aNumber)
	return r, nil
}

// lookUp makes name what gives names their values.
func (r *reader) lookUp(name func(string) (int64, bool)) {
	r.name = name
	r.p.Symbol = func(s string) (int64, bool) {
		v, ok := name(s)
		return 8 * v, ok
	}
}

// read is what a statement was read as.
type read struct {
	inst isa.Inst
	// named is set if it has a name, so that what stands before it counts.
	named bool
	// rare is what most have nothing of.
	rare *rare
}

// rare is why a statement is no instruction, or what the hardware does not expect of it.
type rare struct {
	err error
	odd []string
}

// errAhead is why a statement is no instruction that is read ahead: most of those are never reported.
var errAhead = errors.New("no instruction")

// readAhead reads a statement without knowing what names stand for; what is no instruction has to be read again.
func (r *reader) readAhead(x program.Statement) (to read) {
	text := strings.Trim(x.Text, " \t")
	for end := labelEnd(text); end >= 0; end = labelEnd(text) {
		text = strings.TrimLeft(text[end+1:], " \t")
	}
	if text == "" || text[0] == '.' {
		return to
	}
	word := text[:(&scanner{text: text}).word(0)]
	if r.asks[word] {
		return read{named: true}
	}
	s := instructionAt(text, 0)
	if r.read(&s, &to); to.named && len(r.asks) < maxAsks {
		r.asks[strings.Clone(word)] = true
	}
	to.named = to.named || to.rare != nil && to.rare.err != nil
	return to
}

// maxAsks bounds the words that are kept.
const maxAsks = 64

// aNumber stands for every name.
func (r *reader) aNumber(string) (int64, bool) {
	r.named = true
	return 0, true
}

// instructionAt returns the statement that an instruction at off is.
func instructionAt(text string, off int64) statement {
	rest, long := strings.CutPrefix(text, longPrefix)
	if long {
		rest = strings.TrimLeft(rest, " \t")
	}
	return statement{text: rest, off: off + int64(len(text)-len(rest)), long: long}
}

// longPrefix asks for a long word where a short one does it too.
const longPrefix = "long "

// read reads an instruction.
func (r *reader) read(s *statement, to *read) {
	in, err := r.parse(s)
	*to = read{inst: in, named: r.named}
	if err != nil {
		to.rare = &rare{err: err}
	} else if odd := r.odd(in); odd != nil {
		to.rare = &rare{odd: odd}
	}
}

// odd tells what the hardware does not expect in an instruction.
func (r *reader) odd(in isa.Inst) (list []string) {
	if in, ok := r.d.Decode(in.Bits); ok {
		r.text = r.d.Append(r.text[:0], in)
	}
	for _, f := range r.d.Findings() {
		if f.Kind == isa.Unexpected {
			list = append(list, strings.TrimPrefix(f.Text, "WARNING: "))
		}
	}
	return list
}

// parse reads an instruction. One that must be long, or names a label, whose value is not known yet,
// has its longest form.
func (r *reader) parse(s *statement) (isa.Inst, error) {
	r.named = false
	text := s.text
	in, ok := r.try(text, s.long)
	if !ok {
		negative, err := constants(&r.line, text, r.name)
		if err != nil {
			return in, err
		}
		text = string(r.line.Text)
		in, ok = r.tryConstants(text, s.long, negative)
	}
	switch {
	case !ok && r.ahead:
		return in, errAhead
	case !ok:
		return in, r.explain(r.why(s.long), s.text, text)
	case r.named && !s.long && in.Leaf.Size < r.longest:
		if long, ok := r.try(text, true); ok {
			return long, nil
		}
	}
	return in, nil
}

// tryConstants reads an instruction in which the values of its constant expressions stand, if it has any.
func (r *reader) tryConstants(text string, long, negative bool) (in isa.Inst, ok bool) {
	if text != r.line.Source {
		in, ok = r.try(text, long)
	}
	if !ok && negative {
		in, ok = r.try(unsigned(text), long)
	}
	return in, ok
}

// try reads an instruction, which is the longest there is where long asks for it.
func (r *reader) try(text string, long bool) (isa.Inst, bool) {
	if long {
		if res, ok := r.p.Try(longPrefix + text); ok {
			return res.Inst, true
		}
	}
	res, ok := r.p.Try(text)
	return res.Inst, ok && (!long || res.Inst.Leaf.Size == r.longest)
}

// why tells why the line is no instruction.
func (r *reader) why(long bool) error {
	_, err := r.p.ParseLine(&r.line)
	if err == nil && long {
		err = wrong(0, len(r.line.Source), "this instruction has no long form")
	}
	return err
}

// unsigned writes numbers below 0 as those of 32 bits.
func unsigned(text string) string {
	for {
		at := strings.Index(text, "-0x")
		if at < 0 {
			return text
		}
		end := (&scanner{text: text}).word(at + 1)
		v, err := strconv.ParseInt(text[at:end], 0, 64)
		if err != nil || v < -1<<31 {
			return text
		}
		text = text[:at] + "0x" + strconv.FormatUint(uint64(uint32(v)), 16) + text[end:]
	}
}

// explain says where else an instruction is one, if it is none here.
func (r *reader) explain(err error, text, read string) error {
	if _, here := r.p.Try(read); here {
		return err
	}
	if where := program.Elsewhere(r.p, r.set, r.ctx, read); where != "" {
		return &asm.Error{Code: diag.TextCondition, End: len(text), Msg: where}
	}
	return err
}
