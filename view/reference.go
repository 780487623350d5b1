package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Reference answers what a reference manual says about a machine. It is not safe for concurrent use.
type Reference struct {
	Set *isa.Set
	// Facts is nil if the description has no semantics, or if they have mistakes.
	Facts *facts.Machine

	isa *spec.ISA
	sem *sem.Machine // nil as Facts
	// decoders and parsers are for examples, by the number of the root.
	decoders map[int]*isa.Decoder
	parsers  map[int]*asm.Parser
}

// NewReference returns the Reference of a machine.
func NewReference(set *isa.Set) *Reference {
	m := inside.Machine(set)
	r := &Reference{Set: set, isa: m.ISA, decoders: map[int]*isa.Decoder{}, parsers: map[int]*asm.Parser{}}
	var err error
	if r.Facts, err = facts.Open(set); err != nil {
		r.Facts = nil
	} else if r.sem, err = sem.New(m); err != nil {
		r.sem = nil
	}
	return r
}

// CodeKind is the kind of a piece of pseudo-code.
type CodeKind uint8

// The kinds of pieces of pseudo-code.
const (
	CodeText     = CodeKind(sem.PseudoText)
	CodeKeyword  = CodeKind(sem.PseudoKeyword)
	CodeNumber   = CodeKind(sem.PseudoNumber)
	CodeString   = CodeKind(sem.PseudoString)
	CodeLocal    = CodeKind(sem.PseudoLocal)    // a variable or a parameter
	CodeField    = CodeKind(sem.PseudoField)    // a field, an operand or a derived field, perhaps a path with dots
	CodeContext  = CodeKind(sem.PseudoContext)  // a context or a quirk
	CodeState    = CodeKind(sem.PseudoState)    // a register file, a view, a register, a stack, a memory or a ROM
	CodeFunction = CodeKind(sem.PseudoFunction) // a function or a host callback of the description
	CodeBuiltin  = CodeKind(sem.PseudoBuiltin)  // a function of the language
	CodeEnum     = CodeKind(sem.PseudoEnum)     // a value of an enum, or the name of a root
	CodeBreak    = CodeKind(sem.PseudoBreak)    // the end of a line
)

// CodeToken is a piece of pseudo-code. Name is the name in the description, such as #ENUM.VALUE for a value of an enum.
// Indent is the depth of the next line, for CodeBreak.
type CodeToken struct {
	Kind       CodeKind
	Text, Name string
	Indent     int
}

// Code is pseudo-code that the description contains.
type Code struct {
	// Name is the operand, the function or the bitset to which the code belongs. It is "" for the code of the instruction
	// itself.
	Name string
	// When is the condition under which the code applies, or "".
	When string
	// Type is the type of the value that the code returns, or "". Writes is set if the code runs when the operand is written.
	Type   string
	Writes bool
	// Wave is set if the code runs once for all lanes of a wave.
	Wave bool
	// Fidelity is exact, approximate, unknown or "". Source names the source of the fact.
	Fidelity, Source string
	// Tokens are empty if the code does nothing.
	Tokens []CodeToken
}

func tokensOf(list []sem.Pseudo) []CodeToken {
	out := make([]CodeToken, len(list))
	for i, p := range list {
		out[i] = CodeToken{CodeKind(p.Kind), p.Text, p.Name, p.Indent}
	}
	return out
}

// pseudo returns a piece of code. It returns no tokens for code with a syntax error, because then the description has no
// semantics.
func (r *Reference) pseudo(code, typ spec.Code) []CodeToken {
	if r.sem == nil {
		return nil
	}
	list, err := r.sem.Pseudo(code, typ)
	if err != nil {
		return nil
	}
	return tokensOf(list)
}

// Function is a function of a description, or a host callback.
type Function struct {
	Name, Doc string
	Head      []CodeToken
	Body      []CodeToken
	// Callback is set if the function is a host callback, which has no body. Kind is the kind of the callback, or "".
	Callback bool
	Kind     string
	// Wave is set if the function runs once for all lanes of a wave.
	Wave bool
}

// Functions lists the functions and then the host callbacks of the description.
func (r *Reference) Functions() (list []Function) {
	if r.sem == nil {
		return nil
	}
	m := &r.isa.Meaning
	for _, f := range m.Functions {
		list = append(list, r.function(f, false))
	}
	for _, f := range m.Services {
		list = append(list, r.function(f, true))
	}
	return list
}

func (r *Reference) function(f *spec.Function, callback bool) Function {
	out := Function{Name: sem.NameOf(f), Doc: flat(f.Doc), Callback: callback, Kind: f.Kind, Wave: f.Wave}
	if head, err := r.sem.PseudoHead(f); err == nil {
		out.Head = tokensOf(head)
	}
	if body, err := r.sem.PseudoBody(f); err == nil && !callback {
		out.Body = tokensOf(body)
	}
	return out
}

// Arounds lists the code that runs around the instructions of a bitset. Name is the name of the bitset.
func (r *Reference) Arounds() (list []Code) {
	for _, b := range r.isa.Bitsets {
		for _, a := range b.Arounds {
			list = append(list, Code{Name: b.Name, Wave: a.Wave, Tokens: r.pseudo(a.Code, spec.Code{})})
		}
	}
	return list
}

// Enum is a set of named values.
type Enum struct {
	Name, Doc string
	Values    []EnumValue
}

// EnumValue is a value of an Enum. Text is what instructions print, which may be empty. Name is the name in pseudo-code.
type EnumValue struct {
	Number     uint64
	Text, Name string
	Aliases    []string
	Doc        string
	// Syntax is the syntax with this text, or "" for all syntaxes without a text of their own.
	Syntax string
}

// Enums lists the enums, in the order of the description.
func (r *Reference) Enums() (list []Enum) {
	for _, e := range r.isa.Enums {
		list = append(list, enumOf(e))
	}
	return list
}

func enumOf(e *spec.Enum) Enum {
	out := Enum{Name: e.Name, Doc: flat(e.Doc)}
	for _, v := range e.Values {
		out.Values = append(out.Values, EnumValue{v.Val, v.Display, v.Name, v.Aliases, flat(v.Doc), v.Syntax})
	}
	return out
}

// Fact is a named fact about a machine: a limit, an input, an output, a hint or another detail.
type Fact struct{ Name, Text, Doc string }

// Limits lists the limits of programs.
func (r *Reference) Limits() (list []Fact) {
	for _, l := range r.isa.Limits {
		list = append(list, Fact{l.Name, fmt.Sprint(l.Most), flat(l.Doc)})
	}
	return list
}

// Hints lists what to write instead of instructions that the machine does not have. Name has the names of those instructions.
func (r *Reference) Hints() (list []Fact) {
	for _, h := range r.isa.Hints {
		list = append(list, Fact{Name: strings.Join(h.For, ", "), Doc: flat(h.Text)})
	}
	return list
}

// Inputs lists the places of the values with which a program starts. Text is the place.
func (r *Reference) Inputs() (list []Fact) {
	for _, in := range r.isa.Inputs {
		place := in.File.Text()
		switch {
		case in.Memory.Text() != "":
			place = fmt.Sprintf("%s[0x%x]", in.Memory.Text(), in.Offset)
		case in.Number >= 0 && !r.single(place):
			place += registers(in.Number, in.Count)
		}
		if c := in.Components.Text(); c != "" {
			place += "." + c
		}
		if in.Low >= 0 {
			place += fmt.Sprintf(", bits %d to %d", in.High, in.Low)
		}
		if in.Builtin != "" {
			place += ", the pipeline's " + in.Builtin
		}
		list = append(list, Fact{in.Name, place + within(in.In), flat(in.Doc)})
	}
	return list
}

// Outputs lists the meanings that outputs of a program can have for the next stage. Text is the place.
func (r *Reference) Outputs() (list []Fact) {
	for _, o := range r.isa.Outputs {
		place := ""
		switch {
		case o.Register != nil:
			place = o.Register.Name
		case o.File != nil && o.Number < 0:
			place = "a register of " + o.File.Name
		case o.File != nil:
			place = o.File.Name + registers(o.Number, o.Count)
		case o.Memory.Text() != "":
			place = fmt.Sprintf("%s[0x%x]", o.Memory.Text(), o.Offset)
		}
		if o.File != nil && o.Mask != 0 {
			names := componentsOf(o.File)
			var used []string
			for i, n := range names {
				if o.Mask>>i&1 == 1 {
					used = append(used, n)
				}
			}
			if len(used) < len(names) {
				place += "." + strings.Join(used, "")
			}
		}
		if o.Required {
			place += ", required"
		}
		if o.Builtin != "" {
			place += ", the pipeline's " + o.Builtin
		}
		list = append(list, Fact{o.Name, place + within(o.In), flat(o.Doc)})
	}
	return list
}

func (r *Reference) single(file string) bool {
	return slices.ContainsFunc(r.isa.Meaning.Registers, func(x *spec.Register) bool { return x.Name == file })
}

// registers formats the numbers of count registers from the first on.
func registers(first, count int) string {
	if count > 1 {
		return fmt.Sprintf("%d to %d", first, first+count-1)
	}
	return fmt.Sprint(first)
}

func within(in spec.In) string {
	if in.Context == nil {
		return ""
	}
	return fmt.Sprintf(", with %s %s", in.Context.Name, contextValue(in.Context, in.Value))
}

func contextValue(c *spec.Context, v uint64) string {
	if c.Enum == nil {
		return fmt.Sprint(v != 0)
	}
	for _, x := range c.Enum.Values {
		if x.Val == v {
			return x.Name
		}
	}
	return fmt.Sprint(v)
}

// Launch lists how the machine runs programs: the program counter and the waves.
func (r *Reference) Launch() (list []Fact) {
	f := r.isa.Meaning.Fetch
	if f == nil {
		return nil
	}
	unit := fmt.Sprintf("units of %d bits", f.Unit)
	if f.Wave {
		unit += ", one for all lanes of a wave"
	}
	list = append(list, Fact{"program counter", unit, flat(f.Doc)})
	if f.Wave {
		list = append(list, Fact{Name: "wave", Text: fmt.Sprintf("%d lanes at most", f.Lanes)})
	}
	return list
}

// Stored lists how programs are stored.
func (r *Reference) Stored() (list []Fact) {
	main, err := r.Set.Root("")
	if err != nil {
		return nil
	}
	size := fmt.Sprintf("%d bits", main.Size)
	if main.MinSize != main.Size {
		size = fmt.Sprintf("%d to %d bits", main.MinSize, main.Size)
	}
	list = append(list, Fact{Name: "instruction", Text: size})
	if main.WordSize > 0 && main.WordSize < main.Size {
		order := "the least significant first"
		if main.HighFirst {
			order = "the most significant first"
		}
		list = append(list, Fact{Name: "words", Text: fmt.Sprintf("%d bits, %s", main.WordSize, order)})
	}
	return list
}

// tidy formats an expression of a description for people: names without marks.
func tidy(text string) string {
	var out strings.Builder
	text = flat(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '}', '@':
		case '#': // #enum.value is the value
			end := i + 1
			for end < len(text) && (text[end] == '.' || text[end] == '-' || text[end] == '_' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
				end++
			}
			name := text[i+1 : end]
			out.WriteString(name[strings.LastIndexByte(name, '.')+1:])
			i = end - 1
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// condition formats the condition of a case, which is nil for the default case.
func condition(e *spec.Expr) string {
	if e == nil {
		return ""
	}
	return tidy(e.Text)
}
