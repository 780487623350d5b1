package spec

import (
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// MaxLanes is the largest number of lanes of a wave.
const MaxLanes = 64

// Input is an <input>: the place where a launch puts a value before a program starts.
type Input struct {
	Name, Doc string
	Span      diag.Span
	// File is the name of the file or the register. It is empty if the value is in memory. The value is in each of Count
	// registers, starting with Number. Components are the first letters of their components, or "" for all components.
	File, Components Code
	Number, Count    int
	// Memory is the name of the memory or the group, Offset the byte address, and Type the type of each of Count values.
	// Without Type, a value has the first type with which code accesses the memory.
	Memory, Type Code
	Offset       int64
	// Low and High are the bits of the value, or -1 for all bits.
	Low, High int
	In        In
	// Builtin is one of InputBuiltins, or "".
	Builtin string
}

// InputBuiltins are the values of the pipeline that an input can be.
var InputBuiltins = []string{"vertex-index", "instance-index", "fragment-position", "fragment-w", "front-facing", "point-position"}

// In is the context in which an input or an output exists.
type In struct {
	// Context is the context that must have the value Value, or nil if the value of no context matters.
	Context *Context
	Value   uint64
}

// Holds reports whether the contexts are those in which the input or output exists.
func (i In) Holds(context bits.Value) bool {
	return i.Context == nil || context.Uint(i.Context.Low, i.Context.Width) == i.Value
}

// overlaps reports whether contexts exist for which both hold.
func (i In) overlaps(j In) bool {
	return i.Context == nil || i.Context != j.Context || i.Value == j.Value
}

// readInput reads <input name="thread.x" file="r" number="0" low="0" high="15"/>. The reader of the semantics resolves
// the names of files and memories.
func (l *loader) readInput(n *node) {
	i := &Input{
		Name: l.readName(n), Doc: docOf(n), Span: n.span, File: l.readCode(n, "file"), Components: l.readCode(n, "components"),
		Number: l.readOptional(n, "number", 0, 0, 1<<20), Count: l.readOptional(n, "count", 1, 1, 1<<20),
		Memory: l.readCode(n, "memory"), Type: l.readCode(n, "type"), Offset: int64(l.readOptional(n, "offset", 0, 0, 1<<62)), Low: -1, High: -1,
		In: l.readIn(n), Builtin: l.readChoice(n, "builtin", InputBuiltins),
	}
	other := ""
	switch file, memory := n.attr("file"), n.attr("memory"); {
	case (file == nil) == (memory == nil):
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<input> with %s, expected a file or a memory", map[bool]string{true: "both", false: "neither"}[file != nil]))
	case file != nil:
		other = "offset type"
	default:
		other = "number components"
	}
	for _, a := range n.attrs {
		if contains(other, a.name) {
			l.fail(diag.Errorf(diag.XMLAttribute, a.named(), "%s in an <input> of a %s", a.name, map[bool]string{true: "file", false: "memory"}[n.attr("file") != nil]))
		}
	}
	if n.attr("low") != nil || n.attr("high") != nil {
		i.Low = l.readNumber(n, "low", 0, 63)
		i.High = l.readNumber(n, "high", int64(i.Low), 63)
	}
	for _, old := range l.isa.Inputs {
		if old.Name == i.Name && old.In.overlaps(i.In) {
			l.failDuplicate(n, i.Name, old.Span)
			break
		}
	}
	l.isa.Inputs = append(l.isa.Inputs, i)
}

// readIn reads the attribute context.
func (l *loader) readIn(n *node) (in In) {
	a := n.attr("context")
	if a == nil {
		return in
	}
	name, value, _ := strings.Cut(a.value.s, "=")
	var err error
	if in.Context = l.isa.contexts[name]; in.Context == nil {
		l.fail(diag.Errorf(diag.Unresolved, a.value.span, "context=%q, expected NAME=VALUE with a context of the machine", a.value.s))
	} else if in.Value, err = in.Context.Parse(value); err != nil {
		l.fail(diag.Errorf(diag.ContextValue, a.value.span, "%v", err))
	}
	return in
}
