package spec

import (
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// Runs is a <runs>: the instruction runs other instructions of the program.
type Runs struct {
	Span diag.Span
	// Roots are the roots of the other instructions, all of one size. Address counts in units of that size.
	Roots []*Bitset
	// Address is the field with the address of the first instruction to run. Count is the field with the number of
	// instructions to run.
	Address, Count bits.Part
	// Context is the context that the instruction sets for each of the other instructions, or nil.
	Context *Context
	// Steps has an element for each of the other instructions, in the order in which they run. Its length is the
	// largest number of instructions that can run.
	Steps []RunsStep

	roots, address, count, context located
	steps                          []stepText
}

// RunsStep describes one of the other instructions. Root has the bits that select its root, and Context has the bits
// with the value of its context. A part without bits defines nothing.
type RunsStep struct{ Root, Context bits.Part }

// located is a name with its position. The loader resolves it after it has read all bitsets.
type located struct {
	text string
	span diag.Span
}

type stepText struct{ root, context located }

func locatedAt(n *node, name string) located { return located{n.value(name), n.at(name)} }

func (l *loader) readRuns(n *node, b *Bitset) {
	if b.Runs != nil {
		l.failSecond(n, b.Runs.Span)
	}
	r := &Runs{
		Span: n.span, roots: locatedAt(n, "roots"), address: locatedAt(n, "address"), count: locatedAt(n, "count"),
		context: locatedAt(n, "context"),
	}
	for _, name := range []string{"roots", "address", "count"} {
		if n.value(name) == "" {
			l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<runs> without %s", name))
		}
	}
	for _, c := range n.children {
		r.steps = append(r.steps, stepText{locatedAt(c, "root"), locatedAt(c, "context")})
	}
	b.Runs = r
}

// resolveRuns resolves the fields, roots and contexts that <runs> names, and the root that <fetch> names.
func (l *loader) resolveRuns() {
	if f := l.isa.Meaning.Fetch; f != nil && f.Root != "" {
		if b := l.isa.Bitset(f.Root); b == nil || b.Extends != nil {
			l.fail(diag.Errorf(diag.Unresolved, f.Span, "unknown root %q", f.Root))
		}
	}
	for _, b := range l.isa.Bitsets {
		r := b.Runs
		if r == nil {
			continue
		}
		l.resolveRunRoots(r)
		r.Address, r.Count = l.bitsOf(b, r.address), l.bitsOf(b, r.count)
		if name := r.context.text; name != "" {
			if r.Context = l.isa.Context(name); r.Context == nil {
				l.fail(diag.Errorf(diag.Unresolved, r.context.span, "unknown context %q", name))
			}
		}
		for _, s := range r.steps {
			step := RunsStep{l.bitsOf(b, s.root), l.bitsOf(b, s.context)}
			if step.Root.Width > 0 && 1<<min(step.Root.Width, 16) > len(r.Roots) {
				l.fail(diag.Errorf(diag.FieldType, s.root.span, "%s of %d bits chooses among %d roots, expected one root for each value", s.root.text, step.Root.Width, len(r.Roots)))
			}
			if c := r.Context; c != nil && step.Context.Width > c.Width {
				l.fail(diag.Errorf(diag.FieldType, s.context.span, "%s of %d bits, but context %s has %d", s.context.text, step.Context.Width, c.Name, c.Width))
			}
			r.Steps = append(r.Steps, step)
		}
	}
}

func (l *loader) resolveRunRoots(r *Runs) {
	for _, name := range strings.Fields(r.roots.text) {
		b := l.isa.Bitset(name)
		switch {
		case b == nil || b.Extends != nil:
			l.fail(diag.Errorf(diag.Unresolved, r.roots.span, "unknown root %q", name))
		case len(r.Roots) > 0 && b.Size != r.Roots[0].Size:
			l.fail(diag.Errorf(diag.FieldType, r.roots.span, "%s has %d bits and %s has %d, expected roots of the same size", r.Roots[0].Name, r.Roots[0].Size, name, b.Size))
		default:
			r.Roots = append(r.Roots, b)
		}
	}
}

// bitsOf returns the bits of the field with this path, or no bits for an empty path. It reports an error if there is no
// such field.
func (l *loader) bitsOf(b *Bitset, path located) bits.Part {
	part, ok := b.BitsOf(path.text)
	if !ok && path.text != "" {
		l.fail(diag.Errorf(diag.Unresolved, path.span, "%s has no field %q with contiguous bits", b.Name, path.text))
	}
	return part
}

// BitsOf returns the bits of the field with this path in the default case. ok is false if there is no such field, if a
// field of the path has several parts, or if one is an index of a table.
func (b *Bitset) BitsOf(path string) (part bits.Part, ok bool) {
	for low := 0; ; {
		name, rest, nested := strings.Cut(path, ".")
		f := b.defaultField(name)
		if f == nil || len(f.Parts) != 1 || f.Table != nil {
			return bits.Part{}, false
		}
		low += f.Parts[0].Low
		if !nested {
			return bits.Part{Low: low, Width: f.Width}, true
		}
		if b, path = f.Bitset, rest; b == nil {
			return bits.Part{}, false
		}
	}
}

// defaultField returns the field with the given name in the default case of the bitset or of its nearest ancestor that
// has one, or nil.
func (b *Bitset) defaultField(name string) *Field {
	for ; b != nil; b = b.Extends {
		if n := len(b.Cases); n > 0 {
			if f := b.Cases[n-1].Field(name); f != nil {
				return f
			}
		}
	}
	return nil
}
