// Package c generates a decoder, printer and encoder in C. The code is freestanding C11 that also compiles as C++17.
package c

import (
	"context"
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/spec"
)

// File is a file to be written.
type File struct {
	Name string
	Text []byte
	// Warnings are what is odd about the description, with FILE:LINE.
	Warnings []string
}

// Write returns the files of a program. The error is that of the context.
func Write(ctx context.Context, p *gen.Program) ([]File, error) {
	w := newWriter(ctx, p)
	var operands []byte
	if !p.Mesa {
		operands = w.operandSource()
	}
	source, pack := w.source(), w.packSource()
	files := []File{{Name: p.Name + ".h", Text: w.header()}, {Name: p.Name + ".c", Text: source}, {Name: p.Name + "_pack.c", Text: pack}}
	if p.Main != nil {
		files = append(files, File{Name: p.Name + "_list.c", Text: w.listSource()})
	}
	if operands != nil {
		files = append(files, File{Name: p.Name + "_operands.c", Text: operands})
	}
	if p.Fragments {
		more, warnings := w.encoders()
		files = append(files, more...)
		files[0].Warnings = warnings
	}
	return files, ctx.Err()
}

// writer writes one program.
type writer struct {
	ctx   context.Context // what is written after its end is thrown away
	p     *gen.Program
	lower string // what names start with
	upper string
	// names are those of everything public, in small letters and in capitals.
	names, consts *gen.Names
	ops           map[*gen.Leaf]string // constants of leaves
	contexts      map[*spec.Context]string
	members       *gen.Names
	structs       map[*gen.Leaf]string
	texts         []enumText // of the file that is being written
	b             strings.Builder
}

func newWriter(ctx context.Context, p *gen.Program) *writer {
	w := &writer{
		ctx: ctx, p: p, lower: p.Name, upper: strings.ToUpper(p.Name), names: gen.NewNames(reserved...), consts: gen.NewNames(),
		ops: map[*gen.Leaf]string{}, contexts: map[*spec.Context]string{}, members: gen.NewNames(), structs: map[*gen.Leaf]string{},
	}
	for _, name := range strings.Fields("H BITS ASSERT " + findingNames) {
		w.consts.Unique(name, "")
	}
	if limited().MatchString(p.Name) { // stdint.h has INT8_MAX and its like
		for _, name := range strings.Fields("MIN MAX C WIDTH") {
			w.consts.Unique(name, "")
		}
	}
	for _, c := range p.Contexts {
		w.contexts[c] = w.members.Unique(Member(gen.Lower(c.Name)), "")
	}
	for _, r := range w.p.MainFirst() {
		for _, what := range []string{r.Name + "_inst", r.Name + "_op"} {
			w.names.Unique(what, "")
		}
		w.consts.Unique(w.constPrefix(r)+"NONE", "")
		w.consts.Unique(w.constPrefix(r)+"COUNT", "")
	}
	for _, r := range w.p.MainFirst() {
		for _, l := range r.Leaves {
			w.ops[l] = w.upper + "_" + w.consts.Unique(l.Name, "")
			w.structs[l] = w.lower + "_" + w.names.Unique(strings.ToLower(l.Name), "")
		}
	}
	return w
}

var limited = lazy.Regexp(`^(u?int.*|size|ptrdiff|wchar|wint|sig_atomic)$`)

// reserved are the names that the interface has whatever the description.
var reserved = []string{
	"word", "inst", "op", "options", "options_init", "out", "put", "finding", "findings", "finding_kind", "finding_text",
	"context", "decode", "print", "file", "entry", "entrypoint", "listing", "disasm",
	"operand", "operands", "operand_kind", "role", "register", "memory", "type_kind",
}

const findingNames = `FINDING_NO_MATCH FINDING_CONFLICT FINDING_IGNORED FINDING_NO_FIELD FINDING_UNEXPECTED FINDING_NO_DISPLAY
	FINDING_NO_ENTRY FINDING_TOO_DEEP FINDING_CYCLE FILE_NONE MEMORY_NONE ROLE_NONE ROLE_READ ROLE_WRITE ROLE_BOTH
	OPERAND_UNKNOWN OPERAND_REGISTER OPERAND_IMMEDIATE OPERAND_MEMORY OPERAND_TARGET OPERAND_CONDITION OPERAND_MODIFIER
	OPERAND_SAMPLER TYPE_UNSIGNED TYPE_SIGNED TYPE_FLOAT TYPE_BOOL`

// constPrefix starts the constants that belong to a root.
func (w *writer) constPrefix(r *gen.Root) string {
	if r == w.p.Main {
		return "OP_"
	}
	return strings.ToUpper(r.Name) + "_OP_"
}

// public is the name of something of a root that the header declares: NAME_decode, NAME_decode_register.
func (w *writer) public(what string, r *gen.Root) string {
	if r == w.p.Main {
		return w.lower + "_" + what
	}
	return w.lower + "_" + what + "_" + r.Name
}

// instType is the type of a decoded word of a root.
func (w *writer) instType(r *gen.Root) string {
	if r == w.p.Main {
		return "struct " + w.lower + "_inst"
	}
	return "struct " + w.lower + "_" + r.Name + "_inst"
}

// opType is the type of its leaf.
func (w *writer) opType(r *gen.Root) string {
	if r == w.p.Main {
		return "enum " + w.lower + "_op"
	}
	return "enum " + w.lower + "_" + r.Name + "_op"
}

func (w *writer) none(r *gen.Root) string { return w.upper + "_" + w.constPrefix(r) + "NONE" }

// wide tells that words are structs of several limbs.
func (w *writer) wide() bool { return w.p.Limbs > 1 }

func (w *writer) f(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

// fill puts the names of the program into a text: N_ and U_ start names, WORD is the type of a word, LIMBS the
// number of its limbs.
func (w *writer) fill(text string, more ...string) string {
	return strings.NewReplacer(append(more, "N_", w.lower+"_", "U_", w.upper+"_", "LIMBS", fmt.Sprint(w.p.Limbs))...).Replace(text)
}

// Quote writes a text as a string of C, whatever is in it.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '?':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// longest is the number of bytes of a string that every compiler takes, written in octal at worst.
const longest = 1000

// pieces splits a text into strings that are short enough.
func pieces(s string) (list []string) {
	for len(s) > longest {
		list = append(list, s[:longest])
		s = s[longest:]
	}
	return append(list, s)
}

// number writes a constant of 64 bits.
func number(v uint64) string {
	if v < 10 {
		return fmt.Sprintf("%du", v)
	}
	if v>>31 == 0 {
		return fmt.Sprintf("0x%xu", v)
	}
	return fmt.Sprintf("UINT64_C(0x%x)", v)
}

// constant writes a constant as a value of 64 bits.
func constant(v uint64) string {
	return fmt.Sprintf("UINT64_C(0x%x)", v)
}

// Member makes a name one that C and C++ take as that of a member.
func Member(name string) string {
	if keywords[name] {
		return name + "_"
	}
	return name
}

var keywords = func() map[string]bool {
	m := map[string]bool{}
	for _, k := range strings.Fields(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
		char32_t class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
		default delete do double dynamic_cast else enum explicit export extern false far float for friend goto i386 if inline int
		interface linux long mutable namespace near new noexcept not not_eq nullptr operator or or_eq private protected public
		register reinterpret_cast requires restrict return short signed sizeof small static static_assert static_cast struct switch
		template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unix unsigned using virtual void
		volatile wchar_t while xor xor_eq assert errno stdin stdout stderr offsetof huge pascal cdecl min max final override import module`) {
		m[k] = true
	}
	return m
}()
