package tegra

import (
	"slices"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/isa"
)

// Assembler assembles source. It can be reused, but not by several goroutines at once.
type Assembler struct {
	set    *isa.Set
	root   *isa.Root
	parser *asm.Parser
	d      *isa.Decoder
	facts  *facts
	// Jobs is the number of processors that may be used.
	Jobs int
}

// NewAssembler returns an assembler for the instruction set, in any syntax.
func NewAssembler(set *isa.Set) (*Assembler, error) {
	root, err := set.Root("")
	if err != nil {
		return nil, err
	}
	p, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	f, err := factsOf(set)
	return &Assembler{set: set, root: root, parser: p, d: d, facts: f}, err
}

// Assembled is the result of assembling a source.
type Assembled struct {
	Program *Program
	// Warnings are in the order of the source; the code of each is its name.
	Warnings diag.List
	// Places are the places of the words in the source.
	Places   []program.Place
	declared []program.Declaration
}

// Assemble assembles a source. It reports all mistakes at once.
func (a *Assembler) Assemble(src *diag.Source) (*Assembled, error) {
	r := assembly{Assembler: a, src: src, out: &Assembled{Program: &Program{}}, defined: map[place]diag.Span{}}
	r.sections()
	r.errs = r.errs.Capped("mistake") // the statements have a bound of their own
	code, err := r.instructions()
	if err != nil {
		r.add(err)
	}
	if len(r.errs) == 0 {
		r.finish(code)
	}
	r.errs.Sort()
	if err := r.errs.Err(); err != nil {
		return nil, err
	}
	r.out.Program.sort()
	r.out.Warnings.Sort()
	return r.out, nil
}

// instructions assembles the statements.
func (r *assembly) instructions() (*source.Code, error) {
	a := source.Assembler{
		Set: r.set, Root: r.root, Parser: r.parser, Jobs: r.Jobs,
		New: func() (*asm.Parser, error) { return asm.New(r.set, "") },
	}
	return a.AssembleStatements(program.NewText(r.src), program.Listed(r.statements))
}

// assembly is one run of an assembler.
type assembly struct {
	*Assembler
	src *diag.Source
	// text is that of the source with blanks in place of comments; pos is where it is read.
	text       string
	pos        int
	statements []program.Statement
	// defined are the places that have a name or a value.
	defined map[place]diag.Span
	// open is set if the last word is not to be made the end of the program.
	open bool
	// long is set if more instructions are taken than the machine has room for.
	long bool
	out  *Assembled
	errs diag.List
}

func (r *assembly) fail(code diag.Code, off, end int, format string, args ...any) {
	r.errs = append(r.errs, diag.Errorf(code, diag.Span{Src: r.src, Off: off, End: max(end, off+1)}, format, args...))
}

// add records the errors of a list.
func (r *assembly) add(err error) {
	if list, ok := err.(diag.List); ok {
		r.errs = append(r.errs, list...)
		return
	}
	r.errs = append(r.errs, diag.Errorf(diag.TextExpected, diag.Span{}, "%v", err))
}

func (r *assembly) warn(code diag.Code, span diag.Span, format string, args ...any) {
	r.out.Warnings = append(r.out.Warnings, diag.Warnf(code, span, format, args...))
}

// finish checks the words as a program, and takes them.
func (r *assembly) finish(code *source.Code) {
	p, most, count := r.out.Program, r.facts.places["instructions"], code.Len()
	p.Words, r.out.Places = slices.Grow(p.Words, count), slices.Grow(r.out.Places, count)
	at := 0
	for w := range code.Words {
		span := code.Span(w)
		switch {
		case count > most && !r.long:
			if at == most {
				r.fail(diag.ProgramSize, span.Off, span.End, "more than %d instructions; .isago long allows them", most)
				return
			}
		case w.Size != wordBits:
			r.fail(diag.TextExpected, span.Off, span.End, "the instruction has %d words of 32 bits, expected 4", w.Size/32)
		default:
			r.out.Places = append(r.out.Places, program.Place{Addr: w.Addr, Span: span})
			p.Words = append(p.Words, r.checked(w.Word, span, at == count-1))
		}
		at++
	}
	for _, l := range code.Labels {
		if !strings.HasPrefix(l.Name, localMark) {
			p.Labels = append(p.Labels, Name{int(l.Addr / wordBits), l.Name})
		}
	}
}

// checked returns a word, which ends the program if it is the last one, and warns about likely mistakes.
func (r *assembly) checked(word bits.Value, span diag.Span, last bool) bits.Value {
	in, ok := r.d.Decode(word)
	if !ok {
		return word
	}
	for _, h := range r.d.Hazards(nil, in) {
		r.warn(diag.Code(h.Name), span, "%s", h.Text)
	}
	if !last || r.open || r.facts.ended(r.d, in) {
		return word
	}
	r.warn(diag.MissingEnd, span, "the last word does not end the program, so isago sets its end bit, as grate does; .isago no-end keeps the word unchanged")
	if err := r.d.SetField(&in, r.facts.ends, 1); err != nil {
		r.fail(diag.TextExpected, span.Off, span.End, "%v", err)
	}
	return in.Bits
}

// comments are those of source.
var comments = program.NewLexis("", []string{"//"}, program.BlockComment{Open: "/*", Close: "*/"})

// uncomment returns the text with blanks in place of its comments; line breaks stay. Text in quotes has
// no comments, and ends with its line at the latest.
func (r *assembly) uncomment() string {
	text := r.src.Text
	var clean []byte
	slash, quote := index(text, '/', 0), index(text, '"', 0)
	for i := min(slash, quote); i < len(text); i = min(slash, quote) {
		var end int
		if i == quote {
			end = quoteEnd(text, i) + 1
		} else if end = comments.CommentEnd(text, i); end < 0 {
			r.fail(diag.TextExpected, i, i+2, "this comment has no end, expected */")
			end = len(text)
		}
		if i == slash && end > i {
			if clean == nil {
				clean = []byte(text)
			}
			blank(clean[i:end])
		}
		if end = max(end, i+1); slash < end {
			slash = index(text, '/', end)
		}
		if quote < end {
			quote = index(text, '"', end)
		}
	}
	if clean != nil {
		return string(clean)
	}
	return text
}

// index returns where a byte stands next from a place on, the length of the text where it does not.
func index(text string, c byte, from int) int {
	if from < len(text) {
		if n := strings.IndexByte(text[from:], c); n >= 0 {
			return from + n
		}
	}
	return len(text)
}

// quoteEnd returns the place of the quote that ends the text that starts at a quote, or of the last
// character of the line where there is none.
func quoteEnd(text string, at int) int {
	n := strings.IndexAny(text[at+1:], "\"\n")
	switch {
	case n < 0:
		return len(text) - 1
	case text[at+1+n] == '\n':
		return at + n
	}
	return at + 1 + n
}

// line returns the text up to the end of its line.
func line(text string) string {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return text[:n]
	}
	return text
}

// blank overwrites all but line breaks.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
