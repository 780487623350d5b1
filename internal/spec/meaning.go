package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// Code is a piece of the language of meaning as it stands in the description. It is parsed when somebody
// asks for meaning, never when words are only read or written.
type Code struct{ src text }

// Text returns the piece.
func (c Code) Text() string { return c.src.s }

// Span returns the place of the bytes from one index up to another.
func (c Code) Span(from, to int) diag.Span { return c.src.part(from, max(to, from+1)) }

// Semantics is a <semantics>: what a bitset does or what value it is.
type Semantics struct {
	// Type is the type of what it returns, empty where it returns nothing.
	Type Code
	// Fidelity is exact, approximate or unknown; Source says where that is known from.
	Fidelity, Source string
	// Wave tells that it is written for the whole wave, in which lanes are a mask.
	Wave bool
	// SkipsArounds tells that the arounds which are not always="true" do not apply.
	SkipsArounds bool
	Code         Code
	Span         diag.Span
}

// Write is a <write>: what assigning value to a bitset does.
type Write struct {
	Type Code
	Code Code
	Span diag.Span
}

// Around is an <around>: statements in which inner stands for the meaning of the bitsets that extend it.
type Around struct {
	Wave, Always bool
	Code         Code
	Span         diag.Span
}

// Scope is how long a state lives and who shares it.
type Scope uint8

// The scopes, the shortest-lived first.
const (
	ScopeInstruction Scope = iota // cleared before each instruction
	ScopeLane
	ScopeWave
	ScopeBlock
	ScopeLaunch
)

// String returns the scope's name in the language.
func (s Scope) String() string {
	return scopes[s]
}

// ScopeOf returns the scope of that name, none for "".
func ScopeOf(name string, none Scope) Scope {
	if i := slices.Index(scopes, name); i >= 0 {
		return Scope(i)
	}
	return none
}

// Register is a <register>: a single state that is no file.
type Register struct {
	Name  string
	Type  Code
	Scope Scope
	// Init is the value before anybody writes it; "" where it is undefined.
	Init string
	// Carries is set where what it is given counts as read when it is read itself.
	Carries bool
	Doc     string
	Span    diag.Span
	// Aliases are other names, which users may give.
	Aliases []string
}

// Slot is a part of what a stack holds.
type Slot struct {
	Name string
	Type Code
	Span diag.Span
}

// ROM is a <rom>: numbers that never change.
type ROM struct {
	Name   string
	Type   Code
	Values []uint64
	Doc    string
	Span   diag.Span
}

// Function is a <function> or, without a body, a <service>: something that the surroundings do.
type Function struct {
	// Head is the name attribute: name(a: T, b: T): T.
	Head Code
	Body Code
	Wave bool
	Doc  string
	Span diag.Span
}

// Quirk is a <quirk>: a choice between what documents and hardware say, made at launch.
type Quirk struct {
	Name    string
	Enum    *Enum // nil for a bool
	Default uint64
	// Launch is set where the launch follows it, and no code names it.
	Launch bool
	Doc    string
	Span   diag.Span
}

// Values lists the names of the values, in the order of the description.
func (q *Quirk) Values() []string {
	if q.Enum == nil {
		return []string{"false", "true"}
	}
	var names []string
	for _, v := range q.Enum.Values {
		names = append(names, v.Name)
	}
	return names
}

// Numbers lists the values, in the order of Values.
func (q *Quirk) Numbers() []uint64 {
	if q.Enum == nil {
		return []uint64{0, 1}
	}
	var list []uint64
	for _, v := range q.Enum.Values {
		list = append(list, v.Val)
	}
	return list
}

// Parse reads a value of the quirk as Context.Parse does.
func (q *Quirk) Parse(text string) (uint64, error) {
	c := Context{Name: q.Name, Enum: q.Enum}
	v, err := c.Parse(text)
	if err != nil {
		return 0, &valueError{strings.Replace(err.Error(), "context", "quirk", 1)}
	}
	return v, nil
}

type valueError struct{ text string }

func (e *valueError) Error() string { return e.text }

// Fetch is a <fetch>: how the counter finds words.
type Fetch struct {
	// Unit is the number of bits that the counter counts in.
	Unit int
	// Wave tells that the counter belongs to the wave and not to the lane.
	Wave bool
	// Root is the bitset whose words the counter finds; empty for the main one.
	Root string
	Doc  string
	Span diag.Span
}

// Meaning is what a description says beside its bitsets of what instructions do.
type Meaning struct {
	Registers []*Register
	ROMs      []*ROM
	Functions []*Function
	Services  []*Function
	Quirks    []*Quirk
	Fetch     *Fetch
}

// meaning reads what stands beside the bitsets.
func (l *loader) readMeaning() {
	m := &l.isa.Meaning
	l.each("register", l.readRegister)
	l.each("rom", func(n *node) { m.ROMs = append(m.ROMs, l.readROM(n)) })
	l.each("function", func(n *node) { m.Functions = append(m.Functions, l.readFunction(n)) })
	l.each("service", func(n *node) { m.Services = append(m.Services, l.readFunction(n)) })
	l.each("quirk", l.readQuirk)
	l.each("fetch", func(n *node) {
		if m.Fetch != nil {
			l.fail(diag.Errorf(diag.Duplicate, n.span, "a second <fetch>").With(m.Fetch.Span, "the first"))
			return
		}
		m.Fetch = &Fetch{Unit: l.readNumber(n, "unit", 1, 256), Wave: l.readWave(n), Root: n.value("root"), Doc: docOf(n), Span: n.span}
	})
}

// register reads a register that is no file. One that says what it is for is a file of one register to
// operands, which may name it.
func (l *loader) readRegister(n *node) {
	r := &Register{
		Name: l.readIdentifier(n), Type: l.readType(n), Scope: l.readScope(n, ScopeLane), Init: n.value("init"), Carries: l.readBool(n, "carries"), Doc: docOf(n), Aliases: l.readAliases(n), Span: n.span,
	}
	l.isa.Meaning.Registers = append(l.isa.Meaning.Registers, r)
	if n.attr("use") == nil {
		return
	}
	f := &File{
		Name: r.Name, Doc: r.Doc, Span: r.Span, Type: l.readValueType(n), Count: 1, Align: 1, Single: true,
		Use: l.readChoice(n, "use", Uses), Index: len(l.isa.Files), Aliases: r.Aliases,
	}
	if old := l.isa.File(f.Name); old != nil {
		l.failDuplicate(n, f.Name, old.Span)
	}
	l.readComponentNames(n, f)
	l.isa.Files = append(l.isa.Files, f)
}

// code returns the value of an attribute as code, empty code where it is absent.
func (l *loader) readCode(n *node, name string) Code {
	if a := n.attr(name); a != nil {
		return Code{a.value}
	}
	return Code{text{span: n.span}}
}

func (l *loader) readType(n *node) Code {
	if n.attr("type") == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<%s> without type", n.name))
	}
	return l.readCode(n, "type")
}

// oneOf reads an attribute of which the values are given, the first being the default.
func (l *loader) readOneOf(n *node, name string, values ...string) string {
	a := n.attr(name)
	if a == nil {
		return values[0]
	}
	for _, v := range values {
		if v == a.value.s {
			return v
		}
	}
	l.fail(diag.Errorf(diag.XMLAttribute, a.value.span, "%s=%q, expected %s", name, a.value.s, joinOr(values)))
	return values[0]
}

func (l *loader) readScope(n *node, none Scope) Scope {
	return ScopeOf(l.readChoice(n, "scope", scopes), none)
}

// wave reads the scope of code: lane, or wave.
func (l *loader) readWave(n *node) bool { return l.readOneOf(n, "scope", "lane", "wave") == "wave" }

// slots reads what a stack holds, and what a full and an empty one do.
func (l *loader) readSlots(n *node, s *Stack) {
	s.Scope = l.readScope(n, ScopeLane)
	s.FullTraps = l.readOneOf(n, "full", "trap", "overwrite") == "trap"
	s.EmptyTraps = l.readOneOf(n, "empty", "trap", "none") == "trap"
	for _, c := range n.children {
		if c.name == "slot" {
			s.Slots = append(s.Slots, Slot{l.readIdentifier(c), l.readType(c), c.span})
		}
	}
}

func (l *loader) readROM(n *node) *ROM {
	r := &ROM{Name: l.readIdentifier(n), Type: l.readType(n), Doc: docOf(n), Span: n.span}
	for word := range strings.FieldsFuncSeq(n.text().s, isBlank) {
		v, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			signed, err := strconv.ParseInt(word, 0, 64)
			if err != nil {
				wrong := fields(n.text())[len(r.Values)]
				l.fail(diag.Errorf(diag.XMLAttribute, wrong.span, "%q in <rom>, expected numbers", wrong.s))
				return r
			}
			v = uint64(signed)
		}
		r.Values = append(r.Values, v)
	}
	return r
}

func (l *loader) readFunction(n *node) *Function {
	if n.attr("name") == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<%s> without name", n.name))
	}
	return &Function{Head: l.readCode(n, "name"), Body: Code{n.text()}, Wave: l.readWave(n), Doc: docOf(n), Span: n.span}
}

func (l *loader) readQuirk(n *node) {
	q := &Quirk{Name: l.readIdentifier(n), Launch: l.readBool(n, "launch"), Doc: docOf(n), Span: n.span}
	if t := n.value("type"); t != "bool" {
		if q.Enum = l.isa.enums[t]; q.Enum == nil {
			l.fail(diag.Errorf(diag.FieldType, n.at("type"), "type %q of quirk %s, expected bool or an enum", t, q.Name))
			return
		}
	}
	if old := l.isa.contexts[q.Name]; old != nil {
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "quirk %s is a context too", q.Name).With(old.Span, "the context"))
	}
	if n.attr("default") == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<quirk> without default"))
		return
	}
	v, err := q.Parse(n.value("default"))
	if err != nil {
		l.fail(diag.Errorf(diag.ContextValue, n.at("default"), "%v", err))
	}
	q.Default = v
	l.isa.Meaning.Quirks = append(l.isa.Meaning.Quirks, q)
}

// semantics reads a <semantics>.
func (l *loader) readSemantics(n *node) *Semantics {
	s := &Semantics{
		Type: l.readCode(n, "type"), Source: n.value("source"), Wave: l.readWave(n), Code: Code{n.text()}, Span: n.span,
		Fidelity:     l.readOneOf(n, "fidelity", "", "exact", "approximate", "unknown"),
		SkipsArounds: l.readOneOf(n, "around", "all", "none") == "none",
	}
	return s
}

// actions reads what stands in a bitset, an override or an operand and says what it does.
func (l *loader) readActions(n *node, a *Actions) {
	switch n.name {
	case "semantics":
		if a.Semantics != nil {
			l.fail(diag.Errorf(diag.Duplicate, n.span, "a second <semantics>").With(a.Semantics.Span, "the first"))
		}
		a.Semantics = l.readSemantics(n)
	case "write":
		if a.Write != nil {
			l.fail(diag.Errorf(diag.Duplicate, n.span, "a second <write>").With(a.Write.Span, "the first"))
		}
		a.Write = &Write{Type: l.readType(n), Code: Code{n.text()}, Span: n.span}
	}
}

// Actions are what a case of a bitset or an operand does: its value and its being written.
type Actions struct {
	Semantics *Semantics
	Write     *Write
}

// around reads an <around> of a bitset.
func (l *loader) readAround(n *node, b *Bitset) {
	b.Arounds = append(b.Arounds, &Around{Wave: l.readWave(n), Always: l.readBool(n, "always"), Code: Code{n.text()}, Span: n.span})
}
