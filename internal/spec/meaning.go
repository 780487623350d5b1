package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// Code is a piece of semantics as written in the description. It is parsed only when semantics are needed. Decoding and
// encoding need no semantics.
type Code struct{ src text }

// Text returns the code.
func (c Code) Text() string { return c.src.s }

// Span returns the position of Text()[from:to].
func (c Code) Span(from, to int) diag.Span { return c.src.part(from, max(to, from+1)) }

// Semantics is a <semantics>: what an instruction does, or the value of an operand.
type Semantics struct {
	// Type is the type of the returned value. It is empty if the code returns no value.
	Type Code
	// Fidelity is exact, approximate, unknown or "". Source names the source of the fact.
	Fidelity, Source string
	// Wave is set if the code runs once for the whole wave. Such code selects lanes with a mask.
	Wave bool
	// SkipsArounds is set if only <around> elements with always="true" apply.
	SkipsArounds bool
	Code         Code
	Span         diag.Span
}

// Write is a <write>: the effect of an assignment to the operand.
type Write struct {
	Type Code
	Code Code
	Span diag.Span
}

// Around is an <around>: code that runs for all bitsets that extend its bitset. The statement inner runs the semantics
// of these bitsets.
type Around struct {
	Wave, Always bool
	Code         Code
	Span         diag.Span
}

// Scope is the lifetime of a piece of state. It also defines which lanes share the state.
type Scope uint8

// The scopes, the shortest lifetime first.
const (
	ScopeInstruction Scope = iota // reset before each instruction
	ScopeLane
	ScopeWave
	ScopeBlock
	ScopeLaunch
)

// String returns the scope as a description writes it.
func (s Scope) String() string {
	return scopes[s]
}

// ScopeOf returns the scope with the given name, or none if no scope has this name.
func ScopeOf(name string, none Scope) Scope {
	if i := slices.Index(scopes, name); i >= 0 {
		return Scope(i)
	}
	return none
}

// Register is a <register>, a single register outside of register files.
type Register struct {
	Name  string
	Type  Code
	Scope Scope
	// Init is the initial value, or "" if the description defines none.
	Init string
	// Carries is set if the register only forwards values. A copy to the register does not count as a use of the value.
	// The value counts as used when this register is read.
	Carries bool
	Doc     string
	Span    diag.Span
	// Aliases are other names that users may write.
	Aliases []string
}

// Slot is a <slot>: a named part of each entry of a stack.
type Slot struct {
	Name string
	Type Code
	Span diag.Span
}

// ROM is a <rom>: a read-only array of numbers.
type ROM struct {
	Name   string
	Type   Code
	Values []uint64
	Doc    string
	Span   diag.Span
}

// ServiceKinds are the host callbacks that shader languages have.
var ServiceKinds = []string{"texture", "emit", "interpolate"}

// Function is a <function> or a <service>. A service has no body, because it is a host callback.
type Function struct {
	// Head is the name attribute: name(a: T, b: T): T.
	Head Code
	Body Code
	Wave bool
	// Reads contains the names of the states that a service reads, separated by white space.
	Reads Code
	// Kind is one of ServiceKinds, or "".
	Kind string
	Doc  string
	Span diag.Span
}

// Quirk is a <quirk>: behaviour on which documents and hardware disagree. Each launch selects one.
type Quirk struct {
	Name    string
	Enum    *Enum // nil for a bool
	Default uint64
	// Launch is set if only the launch uses the quirk. Semantics cannot read such a quirk.
	Launch bool
	Doc    string
	Span   diag.Span
}

// Values returns the names of the values, in the order of the description.
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

// Numbers returns the numbers of the values, in the order of Values.
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

// Parse returns the value of the quirk for a text, like Context.Parse.
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

// Fetch is a <fetch>: how the program counter selects words.
type Fetch struct {
	// Unit is the size of one step of the program counter, in bits.
	Unit int
	// Wave is set if all lanes of a wave share one program counter.
	Wave bool
	// Root is the root of the words at the program counter. "" means the main root.
	Root string
	// Lanes is the number of lanes of a wave, MaxLanes by default.
	Lanes int
	Doc   string
	Span  diag.Span
}

// Meaning is the part of the semantics that is defined outside of bitsets.
type Meaning struct {
	Registers []*Register
	ROMs      []*ROM
	Functions []*Function
	Services  []*Function
	Quirks    []*Quirk
	Fetch     *Fetch
}

// readMeaning reads the children of <isa> that define semantics.
func (l *loader) readMeaning() {
	m := &l.isa.Meaning
	l.each("register", l.readRegister)
	l.each("rom", func(n *node) { m.ROMs = append(m.ROMs, l.readROM(n)) })
	l.each("function", func(n *node) { m.Functions = append(m.Functions, l.readFunction(n)) })
	l.each("service", func(n *node) {
		f := l.readFunction(n)
		f.Reads, f.Kind = l.readCode(n, "reads"), l.readChoice(n, "kind", ServiceKinds)
		m.Services = append(m.Services, f)
	})
	l.each("quirk", l.readQuirk)
	l.each("fetch", func(n *node) {
		if m.Fetch != nil {
			l.fail(diag.Errorf(diag.Duplicate, n.span, "<fetch> occurs twice").With(m.Fetch.Span, "the first"))
			return
		}
		m.Fetch = &Fetch{Unit: l.readNumber(n, "unit", 1, 256), Wave: l.readWave(n), Root: n.value("root"), Lanes: l.readOptional(n, "lanes", MaxLanes, 1, MaxLanes), Doc: docOf(n), Span: n.span}
	})
}

// readRegister reads a <register>. If it has the attribute use, readRegister also adds a register file that contains
// only this register, so that operands can refer to it.
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

// readCode returns the value of an attribute as code. If the attribute is absent, the code is empty.
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

// readOneOf reads an attribute with one of the given values. The first value is the default.
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

// readWave reads the attribute scope, which is lane or wave, and reports whether it is wave.
func (l *loader) readWave(n *node) bool { return l.readOneOf(n, "scope", "lane", "wave") == "wave" }

// readSlots reads the scope and the slots of a stack. It also reads the effects of a push onto a full stack and of a
// pop from an empty stack.
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
				l.fail(diag.Errorf(diag.XMLAttribute, wrong.span, "<rom> contains %q, expected numbers", wrong.s))
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
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "quirk %s has the name of a context", q.Name).With(old.Span, "the context"))
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

// readSemantics reads a <semantics>.
func (l *loader) readSemantics(n *node) *Semantics {
	s := &Semantics{
		Type: l.readCode(n, "type"), Source: n.value("source"), Wave: l.readWave(n), Code: Code{n.text()}, Span: n.span,
		Fidelity:     l.readOneOf(n, "fidelity", "", "exact", "approximate", "unknown"),
		SkipsArounds: l.readOneOf(n, "around", "all", "none") == "none",
	}
	return s
}

// readActions reads a <semantics> or a <write>. It ignores other elements.
func (l *loader) readActions(n *node, a *Actions) {
	switch n.name {
	case "semantics":
		if a.Semantics != nil {
			l.fail(diag.Errorf(diag.Duplicate, n.span, "<semantics> occurs twice").With(a.Semantics.Span, "the first"))
		}
		a.Semantics = l.readSemantics(n)
	case "write":
		if a.Write != nil {
			l.fail(diag.Errorf(diag.Duplicate, n.span, "<write> occurs twice").With(a.Write.Span, "the first"))
		}
		a.Write = &Write{Type: l.readType(n), Code: Code{n.text()}, Span: n.span}
	}
}

// Actions holds the semantics of a case or an operand, and the effect of a write to it.
type Actions struct {
	Semantics *Semantics
	Write     *Write
}

// readAround reads an <around>.
func (l *loader) readAround(n *node, b *Bitset) {
	b.Arounds = append(b.Arounds, &Around{Wave: l.readWave(n), Always: l.readBool(n, "always"), Code: Code{n.text()}, Span: n.span})
}
