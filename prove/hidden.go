package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// HiddenBits finds bits that the assembly text of an instruction does not determine: bits that Check
// reports as hidden and that have no default. It is not safe for concurrent use.
type HiddenBits struct {
	d            *isa.Decoder
	env          *model.Env
	suppressions []*suppression
	// leaves holds the state of each leaf, by ID.
	leaves       []hiddenLeaf
	mayHideField map[*spec.Bitset]bool // whether some display of a leaf may omit a field, for leaves of all roots
	fields       []isa.Field
	want         []byte
	text         []byte
}

type hiddenLeaf struct {
	done   bool // Describe has nothing more to report about the leaf
	looked bool
	// defaults are the bits that have a default. tried are the bits of fields that a display did not
	// show, one mask per display.
	defaults bits.Value
	tried    []bits.Value
	// sinceNew is the number of words since the last word with a new display.
	sinceNew int
}

// maxSinceNew limits sinceNew. After more words, Describe expects no new display of the instruction.
const maxSinceNew = 1 << 10

// NewHiddenBits returns a HiddenBits for the words of a root in a context. The empty root name selects
// the instructions. NewHiddenBits returns an error if the root does not exist.
func NewHiddenBits(set *isa.Set, root string, ctx bits.Value) (*HiddenBits, error) {
	d, err := set.NewDecoder(root)
	if err != nil {
		return nil, err
	}
	d.SetContext(ctx)
	m := inside.Machine(set)
	c := &checker{spec: m.ISA, byKey: map[string]*Finding{}}
	u := &HiddenBits{d: d, env: m.TopEnv(m.Roots[d.Root().ID]), suppressions: c.suppressions()}
	u.mayHideField = map[*spec.Bitset]bool{}
	u.leaves = make([]hiddenLeaf, len(d.Root().Leaves))
	return u, nil
}

// Describe returns a message about the bits that the text of a word does not determine, with their
// values. It returns "" if there are no such bits or if it has already described bits of the same
// instruction. source returns the source text of the word. Its result ok is false if the word is data.
// Describe omits fields that a suffix {NAME=VALUE} in the source text sets.
func (u *HiddenBits) Describe(word bits.Value, source func() (text string, ok bool)) (leaf *isa.Leaf, msg string) {
	in, ok := u.d.Decode(word)
	if !ok {
		return nil, ""
	}
	l := &u.leaves[in.Leaf.ID]
	if !l.looked {
		l.looked = true
		for _, d := range u.env.Bound(inside.Leaf(in.Leaf)).Defaults {
			if len(d.Ref.Path) == 0 {
				l.defaults = l.defaults.Or(fieldMask(d.Ref.Field))
			}
		}
		l.done = !u.mayHide(inside.Leaf(in.Leaf))
	}
	if l.done {
		return nil, ""
	}
	u.fields = u.d.Fields(u.fields[:0], in)
	var mask bits.Value
	for i := range u.fields {
		if f := &u.fields[i]; f.Start < 0 && f.Table == "" {
			mask = mask.Or(partsMask(f.Parts))
		}
	}
	mask = mask.AndNot(l.defaults).AndNot(in.Leaf.Mask)
	if mask.IsZero() || slices.Contains(l.tried, mask) {
		l.sinceNew++
		l.done = l.sinceNew > maxSinceNew
		return nil, ""
	}
	l.sinceNew = 0
	from, ok := source()
	if !ok {
		return nil, ""
	}
	l.tried = append(l.tried, mask)
	msg = u.describe(in, u.hidden(in, mask), from)
	l.done = msg != ""
	return in.Leaf, msg
}

// mayHide reports whether some display of a leaf or of its operands omits a field.
func (u *HiddenBits) mayHide(l *model.Leaf) bool {
	if hides, ok := u.mayHideField[l.Spec]; ok {
		return hides
	}
	u.mayHideField[l.Spec] = false // ends the recursion if operands contain each other
	hides := false
	for _, t := range u.env.Machine.Texts(l) {
		shown := map[string]bool{}
		if t.Display != nil {
			for _, it := range t.Display.Items() {
				shown[it.Ref] = !u.env.Machine.IsName(it.Ref)
			}
		}
		for b := l.Spec; t.Display != nil && b != nil; b = b.Extends {
			for _, c := range b.Cases {
				hides = hides || slices.ContainsFunc(c.Fields, func(f *spec.Field) bool { return f.Expr == nil && !shown[f.Name] || u.operandHides(f) })
			}
		}
	}
	u.mayHideField[l.Spec] = hides
	return hides
}

func (u *HiddenBits) operandHides(f *spec.Field) bool {
	i := slices.IndexFunc(u.env.Machine.Roots, func(r *model.Root) bool { return r.Spec == f.Bitset })
	return i >= 0 && slices.ContainsFunc(u.env.Machine.Roots[i].Leaves, u.mayHide)
}

// hidden returns the bits of the mask that do not affect the text of the instruction.
func (u *HiddenBits) hidden(in isa.Inst, mask bits.Value) (out bits.Value) {
	u.d.Decode(in.Bits)
	u.want = u.d.Append(u.want[:0], in)
	if u.d.NumFindings() > 0 {
		return out
	}
	for left := mask; !left.IsZero(); {
		bit := bits.Range(left.TrailingZeros(), 1)
		left = left.AndNot(bit)
		other, ok := u.d.Decode(in.Bits.Xor(bit))
		if !ok || other.Leaf != in.Leaf {
			continue
		}
		if u.text = u.d.Append(u.text[:0], other); string(u.text) == string(u.want) && u.d.NumFindings() == 0 {
			out = out.Or(bit)
		}
	}
	return out
}

// describe returns a message with the innermost fields that contain hidden bits, and the values of
// these fields. It omits fields with a suppression and fields that the source sets.
func (u *HiddenBits) describe(in isa.Inst, hidden bits.Value, source string) string {
	l := inside.Leaf(in.Leaf)
	var list []string
	for _, f := range slices.Backward(u.fields) {
		own := partsMask(f.Parts).And(hidden)
		if f.Table != "" || own.IsZero() {
			continue
		}
		hidden = hidden.AndNot(own)
		if top, _, _ := strings.Cut(f.Path, "."); u.accepted(l, top) || strings.Contains(source, f.Path+"=") {
			continue
		}
		list = append(list, fmt.Sprintf("%s of field %s (here %#x)", bitNames(own), f.Path, f.Value.Uint(0, 64)))
	}
	if len(list) == 0 {
		return ""
	}
	slices.Reverse(list)
	return fmt.Sprintf("the text of %s does not show %s", in.Leaf.Name, strings.Join(list, " and "))
}

// accepted reports whether a comment in the description suppresses findings about a field of a leaf.
func (u *HiddenBits) accepted(l *model.Leaf, name string) bool {
	f := &Finding{Code: diag.HiddenBits, Span: l.Spec.Span, fields: []string{name}}
	for b := l.Spec; b != nil; b = b.Extends {
		f.with(b.Span, "")
		for _, c := range b.Cases {
			f.with(caseSpan(&model.Case{Spec: c}), "")
			if x := c.Field(name); x != nil {
				f.with(x.Span, "")
			}
		}
	}
	return findSuppression(u.suppressions, f) != nil
}

func partsMask(parts []bits.Part) (v bits.Value) {
	for _, p := range parts {
		v = v.Or(bits.Range(p.Low, p.Width))
	}
	return v
}
