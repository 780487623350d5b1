package tesla

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/internal/diag"
)

// maxErrors is the number of mistakes after which the rest of a text is not read.
const maxErrors = 50

// maxBytes bounds the code of a program: branches reach 24 bits of bytes.
const maxBytes = 1 << 24

// assembler turns a piece of a source into code, in one pass over its statements and one over those
// that name a label.
type assembler struct {
	p      *asm.Parser
	src    *diag.Source
	code   []byte
	labels map[string]int64 // in bytes
	// scope is the label that local names, with an underscore in front, belong to.
	scope string
	fixes []fix
	// short is the statement of the last instruction if that is short and its length open.
	short *statement
	// pending are the labels behind that instruction, which move with its end.
	pending []string
	errs    diag.List
	asked   bool
}

// statement is a piece of text without comments, and where it stands in the source.
type statement struct {
	text  string
	off   int
	scope string
	long  bool
}

// fix is an instruction that names a label.
type fix struct {
	s    statement
	addr int64
}

// assemble returns the bytes of the statements in src.Text[from:to].
func assemble(p *asm.Parser, src *diag.Source, from, to int) ([]byte, diag.List) {
	a := assembler{p: p, src: src, labels: map[string]int64{}}
	defer func() { p.Symbol = nil }()
	p.Symbol = func(string) (int64, bool) { a.asked = true; return 0, true }
	for off, text := range statements(stripComments(src.Text[from:to])) {
		a.statement(text, from+off)
		if len(a.errs) > maxErrors || len(a.code) > maxBytes {
			break
		}
	}
	if len(a.code) > maxBytes {
		a.fail(diag.TextRange, 0, 0, "more than 16 MiB of code, which branches do not reach")
	}
	if len(a.errs) == 0 {
		a.resolve()
	}
	return a.code, a.errs
}

// stripComments puts blanks in place of comments: // to the end of the line, /* */, and /+ +/, which nest.
func stripComments(text string) string {
	out := []byte(text)
	blank := func(i int) {
		if out[i] != '\n' {
			out[i] = ' '
		}
	}
	for i := 0; i+1 < len(out); {
		switch text[i : i+2] {
		case "//":
			for ; i < len(out) && out[i] != '\n'; i++ {
				blank(i)
			}
		case "/*":
			end := len(text)
			if n := strings.Index(text[i+2:], "*/"); n >= 0 {
				end = i + 2 + n + 2
			}
			for ; i < end; i++ {
				blank(i)
			}
		case "/+":
			depth := 0
			for first := true; i < len(out) && (first || depth > 0); first = false {
				switch {
				case strings.HasPrefix(text[i:], "/+"):
					depth++
					blank(i)
					i++
				case strings.HasPrefix(text[i:], "+/"):
					depth--
					blank(i)
					i++
				}
				blank(i)
				i++
			}
		default:
			i++
		}
	}
	return string(out)
}

// statements yields the pieces between line ends and semicolons, with their offsets.
func statements(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for start := 0; start < len(text); {
			end := len(text)
			if n := strings.IndexAny(text[start:], "\n;"); n >= 0 {
				end = start + n
			}
			if !yield(start, strings.TrimRight(text[start:end], "\r")) {
				return
			}
			start = end + 1
		}
	}
}

func (a *assembler) fail(code diag.Code, off, end int, format string, args ...any) {
	a.errs = append(a.errs, diag.Errorf(code, diag.Span{Src: a.src, Off: off, End: end}, format, args...))
}

func (a *assembler) statement(text string, off int) {
	for {
		lead := len(text) - len(strings.TrimLeft(text, " \t"))
		text, off = text[lead:], off+lead
		name, rest, ok := strings.Cut(text, ":")
		if !ok || !isName(name) {
			break
		}
		a.define(name, off)
		text, off = rest, off+len(name)+1
	}
	text = strings.TrimRight(text, " \t")
	switch {
	case text == "":
	case text[0] == '.':
		a.directive(text, off)
	default:
		a.instruction(text, off)
	}
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// full returns the name of a label, a local one with the label that it belongs to.
func full(scope, name string) string {
	if strings.HasPrefix(name, "_") {
		return scope + " " + name
	}
	return name
}

func (a *assembler) define(name string, off int) {
	if name[0] != '_' {
		a.scope = name
	}
	key := full(a.scope, name)
	if _, ok := a.labels[key]; ok {
		a.fail(diag.Duplicate, off, off+len(name), "label %s is defined twice", name)
	}
	a.labels[key] = int64(len(a.code))
	a.pending = append(a.pending, key)
}

// instruction adds an instruction in the shortest form. A long word starts at a multiple of 8 bytes: a
// short one before it becomes long, if the source leaves that open.
func (a *assembler) instruction(text string, off int) {
	s := statement{text: names(text), off: off, scope: a.scope}
	s.long = strings.HasPrefix(s.text, "long ")
	a.asked = false
	word, ok := a.parse(&s)
	if !ok {
		return
	}
	if len(word) == 8 && len(a.code)%8 != 0 {
		if !a.widen() {
			a.fail(diag.TextCondition, off, off+len(text), "a long word at 0x%x, expected a multiple of 8: the word before it cannot be long", len(a.code))
			return
		}
	}
	if a.asked {
		a.fixes = append(a.fixes, fix{s, int64(len(a.code))})
	}
	a.code, a.pending = append(a.code, word...), a.pending[:0]
	if a.short = nil; len(word) == 4 && !a.asked {
		a.short = &s
	}
}

// widen makes the last instruction long.
func (a *assembler) widen() bool {
	if a.short == nil {
		return false
	}
	s := *a.short
	s.text, s.long = "long "+s.text, true
	errs := a.errs
	word, ok := a.parse(&s)
	a.errs = errs
	if !ok || len(word) != 8 {
		return false
	}
	a.code = append(a.code[:len(a.code)-4], word...)
	for _, key := range a.pending {
		a.labels[key] += 4
	}
	return true
}

// names takes the number sign off the names of labels.
func names(text string) string {
	for i := 0; i+1 < len(text); i++ {
		if c := text[i+1]; text[i] == '#' && (c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			text = text[:i] + " " + text[i+1:]
		}
	}
	return text
}

// parse returns the bytes of an instruction. Where no text of a long word starts with long, the word
// must be long without it.
func (a *assembler) parse(s *statement) ([]byte, bool) {
	res, err := a.p.Parse(s.text)
	if err != nil && s.long {
		if plain, e := a.p.Parse("     " + s.text[len("long "):]); e == nil && plain.Inst.Leaf.Size == 64 {
			res, err = plain, nil
		}
	}
	if err != nil {
		var e *asm.Error
		if errors.As(err, &e) {
			a.errs = append(a.errs, e.At(a.src, s.off))
		} else {
			a.fail(diag.TextExpected, s.off, s.off+len(s.text), "%v", err)
		}
		return nil, false
	}
	var b []byte
	for i := range res.Inst.Leaf.Size / 32 {
		b = binary.LittleEndian.AppendUint32(b, res.Inst.Bits.Word(i))
	}
	return b, true
}

// resolve reads the instructions again that name a label.
func (a *assembler) resolve() {
	scope := ""
	a.p.Symbol = func(name string) (int64, bool) {
		addr, ok := a.labels[full(scope, name)]
		return 8 * addr, ok
	}
	for i := range a.fixes {
		f := &a.fixes[i]
		scope = f.s.scope
		if word, ok := a.parse(&f.s); ok {
			copy(a.code[f.addr:], word)
		}
	}
}

// directive executes .b8 to .b64, .u8 to .s64, .align, .skip and .equ.
func (a *assembler) directive(text string, off int) {
	a.short, a.pending = nil, a.pending[:0]
	name, rest, _ := strings.Cut(text, " ")
	fields := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if size, ok := dataSize(name); ok {
		a.data(fields, size, off, len(text))
		return
	}
	bad := func() {
		a.fail(diag.TextExpected, off, off+len(text), "%q, expected .align BYTES, .skip BYTES, .equ NAME ADDRESS, or .b8 to .b64 and numbers", text)
	}
	if name == ".equ" && len(fields) == 2 && isName(fields[0]) {
		n, err := strconv.ParseUint(fields[1], 0, 24)
		if err != nil {
			bad()
			return
		}
		a.labels[full(a.scope, fields[0])] = int64(n)
		return
	}
	if len(fields) != 1 {
		bad()
		return
	}
	n, err := strconv.ParseUint(fields[0], 0, 24)
	switch {
	case err != nil:
		bad()
	case name == ".skip":
		a.code = append(a.code, make([]byte, n)...)
	case name == ".align" && n > 0:
		a.code = append(a.code, make([]byte, (int(n)-len(a.code)%int(n))%int(n))...)
	default:
		bad()
	}
}

// dataSize returns the number of bits of a directive such as .u16.
func dataSize(name string) (int, bool) {
	if len(name) < 3 || !strings.ContainsRune("bus", rune(name[1])) {
		return 0, false
	}
	n, err := strconv.Atoi(name[2:])
	return n, err == nil && (n == 8 || n == 16 || n == 32 || n == 64)
}

func (a *assembler) data(fields []string, size, off, length int) {
	for _, f := range fields {
		n, err := strconv.ParseUint(f, 0, size)
		if err != nil {
			var signed int64
			signed, err = strconv.ParseInt(f, 0, size)
			n = uint64(signed)
		}
		if err != nil {
			a.fail(diag.TextRange, off, off+length, "%q, expected a number of %d bits", f, size)
			return
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		a.code = append(a.code, b[:size/8]...)
	}
}
