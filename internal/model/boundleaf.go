package model

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// BoundLeaf is a leaf in one environment. All names in its cases are bound.
type BoundLeaf struct {
	Env  *Env
	Leaf *Leaf
	// Cases lists the cases in the order in which printing tries them. If an unconditional case has a
	// display, the first such case is the last element.
	Cases []*Case
	// Requires are the conditions under which the leaf exists.
	Requires []*Prog
	// Hazards are the hazards of the leaf and its ancestors.
	Hazards []Hazard
	// Defaults are the values of bits that the text does not determine.
	Defaults []Default
	// Unused are the parts of table entries that the instruction ignores.
	Unused []Unused
	// Tables are the table index fields that no display prints. Displays print only parts of the entries
	// that they select, through paths.
	Tables []*Ref
	errs   diag.List

	progs     map[*spec.Expr]*Prog
	truncated map[*spec.Expr]*truncatedProg
	// cyclic holds the expressions whose binding reached an expression that was still being bound.
	// reportedCycles holds the expressions whose cycle was reported.
	cyclic, reportedCycles map[*spec.Expr]bool
	names                  map[string][]Alt // the meanings of each name outside of expressions

	namedOnce sync.Once
	named     []NamedField
	indices   atomic.Pointer[[]Index]
	leafFacts atomic.Pointer[LeafFacts]
	// Printer caches data of package isa for the leaf.
	Printer atomic.Value
}

// Case is a case of the leaf or of one of its ancestors.
type Case struct {
	Spec *spec.Case
	// Cond is nil for a default case.
	Cond *Prog
	// Items is the display. Shown reports whether the case has a display, which may be empty.
	Items []Item
	Shown bool
	// Aliases returns the displays that are parsed but never printed. It binds them on the first call.
	Aliases func() [][]Item
}

// ItemKind is the kind of a template item.
type ItemKind uint8

// Template item kinds.
const (
	ItemText ItemKind = iota
	ItemName          // the display name, stored in Text
	ItemRef
	ItemAlign
	ItemBreak
	ItemSet
	ItemRemark // a reference that is printed as a comment
)

// Item is one element of a bound template.
type Item struct {
	Kind          ItemKind
	Text          string
	Before, After string
	Column        int
	// Name is the name in braces, as written. Alts are its meanings. The first meaning whose condition
	// holds applies.
	Name string
	Alts []Alt
	// Members and Join are set only for an ItemSet.
	Members []Item
	Join    string
	Free    bool // see spec.Set.AbsentIsDefault
	// Operand is the operand to which the item belongs, or nil if there is none.
	Operand *spec.Operand
	Span    diag.Span
}

// Alt is one meaning of a name.
type Alt struct {
	// Cond is nil if the meaning is unconditional. It is evaluated in the scope CondDepth levels up.
	Cond      *Prog
	CondDepth int
	// Ref is nil if the name is undefined.
	Ref *Ref
}

// Ref identifies the source of a value.
type Ref struct {
	// Field is nil for a context.
	Field   *spec.Field
	Context *spec.Context
	// Prog computes the value of a derived field, in the scope that defines the field.
	Prog *Prog
	// ScopeDepth is the number of levels between the scope that uses the name and the scope that
	// defines it.
	ScopeDepth int
	// Low and Width are the position and the size of a contiguous value of at most 64 bits. Low is -1
	// if the value has several parts.
	Low, Width int
	// At is the position of the lowest bit of a contiguous value. It is a position in the scope or, if
	// Entry is set, in the table entry that the field Entry selects. At is -1 in all other cases, for
	// example if the value is computed or has several parts.
	At    int
	Entry *spec.Field
	// Path lists the bitset fields that the path passes through before it reaches the field.
	Path []*Ref
	// Env and Enum are the environment and the enum of the field's type.
	Env  *Env
	Enum *Enum
	Kind spec.Kind
	// Owner is the leaf that defines the field.
	Owner *BoundLeaf
}

// plain reports whether the reference is a field with bits of its own, reached without a path.
func (r *Ref) plain() bool { return r.Field != nil && r.Prog == nil && len(r.Path) == 0 }

// Name returns the name of the field or context, with its path.
func (r *Ref) Name() string {
	if r.Field == nil {
		return "@" + r.Context.Name
	}
	var b strings.Builder
	for _, e := range r.Path {
		b.WriteString(e.Field.Name)
		b.WriteByte('.')
	}
	return b.String() + r.Field.Name
}

// Default is a value for bits that the text does not determine.
type Default struct {
	Ref *Ref
	Val uint64
	// Prog computes the value, truncated to the width of the field. It is nil if the value is Val.
	Prog *Prog
}

// Unused lists the parts of a table entry that do not matter. Entry is the index field.
type Unused struct {
	Entry *Ref
	Bits  []UnusedBits
}

// UnusedBits are bits of an entry that do not matter if Cond holds. A nil Cond always holds.
type UnusedBits struct {
	Mask bits.Value
	Cond *Prog
}

// Hazard is a hazard that the description declares, with the bound condition under which it occurs.
type Hazard struct {
	Spec *spec.Hazard
	Cond *Prog
}

func (u *BoundLeaf) fail(e *diag.Error) { u.errs = append(u.errs, e) }

// Errs returns an error for each name and each template that could not be bound.
func (u *BoundLeaf) Errs() diag.List {
	for _, c := range u.Cases {
		c.Aliases()
	}
	return u.errs
}

func (u *BoundLeaf) build() {
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, r := range b.Requires {
			u.Requires = append(u.Requires, u.prog(r))
		}
	}
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, h := range b.Hazards {
			if h.Expr != nil {
				u.Hazards = append(u.Hazards, Hazard{h, u.prog(h.Expr)})
			}
		}
	}
	u.displays()
	u.tables()
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		u.defaults(b)
		for _, x := range b.Unused {
			ref := u.requiredBits(x.Path, x.Span)
			if ref == nil {
				continue
			}
			var cond *Prog
			if x.Expr != nil {
				cond = u.prog(x.Expr)
			}
			u.unused(ref, cond)
		}
	}
}

// unused records that a part of a table entry does not matter if cond holds. ref refers to that part.
func (u *BoundLeaf) unused(ref *Ref, cond *Prog) {
	mask := scatter(bits.Ones(ref.Width), ref.Field.Parts)
	i := len(ref.Path) - 1
	for ; i >= 0 && ref.Path[i].Field.Table == nil; i-- {
		mask = scatter(mask, ref.Path[i].Field.Parts)
	}
	if i < 0 {
		return
	}
	entry := *ref.Path[i]
	entry.Path = ref.Path[:i]
	k := slices.IndexFunc(u.Unused, func(x Unused) bool {
		return x.Entry.Field == entry.Field && slices.Equal(x.Entry.Path, entry.Path)
	})
	if k < 0 {
		k, u.Unused = len(u.Unused), append(u.Unused, Unused{Entry: &entry})
	}
	list := u.Unused[k].Bits
	if i := slices.IndexFunc(list, func(b UnusedBits) bool { return b.Cond == cond }); i >= 0 {
		list[i].Mask = list[i].Mask.Or(mask)
		return
	}
	u.Unused[k].Bits = append(list, UnusedBits{Mask: mask, Cond: cond})
}

// scatter moves the low bits of v to the positions in parts. The first part receives the most
// significant bits.
func scatter(v bits.Value, parts []bits.Part) (out bits.Value) {
	for _, p := range slices.Backward(parts) {
		out, v = out.Or(v.And(bits.Ones(p.Width)).Shl(p.Low)), v.Shr(p.Width)
	}
	return out
}

// tables collects the table index fields whose entries are reached only through paths.
func (u *BoundLeaf) tables() {
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, f := range b.Cases[len(b.Cases)-1].Fields {
			if f.Table == nil || u.showsName(f.Name) {
				continue
			}
			if alts := u.resolve(f.Name, nil); len(alts) == 1 && alts[0].Ref != nil && alts[0].Ref.Field == f {
				u.Tables = append(u.Tables, alts[0].Ref)
			}
		}
	}
}

// showsName reports whether a display prints the field with that name.
func (u *BoundLeaf) showsName(name string) bool {
	for _, c := range u.Cases {
		for _, it := range c.Items {
			if it.Name == name {
				return true
			}
		}
	}
	return false
}

// defaults collects the default values of a bitset. The values for Mesa's encoder come last. If a
// default for Mesa's encoder names something that is not a field, the name belongs to the C code of that
// encoder and is skipped.
func (u *BoundLeaf) defaults(b *spec.Bitset) {
	for i, d := range slices.Concat(b.Defaults, b.Forced) {
		ref := u.bits(d.Path)
		if i < len(b.Defaults) {
			ref = u.requiredBits(d.Path, d.Span)
		}
		if ref == nil {
			continue
		}
		if ref.Width < 64 && d.Val>>uint(ref.Width) != 0 {
			u.fail(diag.Errorf(diag.FieldType, d.Span, "default %d does not fit %s of %d bits", d.Val, d.Path, ref.Width))
			continue
		}
		value := Default{Ref: ref, Val: d.Val}
		if d.Expr != nil {
			value.Prog = u.prog(d.Expr)
		}
		u.Defaults = append(u.Defaults, value)
	}
}

// bits resolves a path to a field with bits in this scope. It returns nil if the path does not resolve
// to such a field.
func (u *BoundLeaf) bits(path string) *Ref {
	alts := u.resolve(path, nil)
	if ref := alts[len(alts)-1].Ref; ref != nil && ref.Prog == nil && ref.ScopeDepth == 0 {
		return ref
	}
	return nil
}

// requiredBits is like bits but reports an error if the path does not resolve.
func (u *BoundLeaf) requiredBits(path string, at diag.Span) *Ref {
	ref := u.bits(path)
	if ref == nil {
		u.fail(diag.Errorf(diag.Unresolved, at, "%s is not a field of %s", path, u.Leaf.Name))
	}
	return ref
}

// Texts holds the templates of one case in the machine's syntax.
type Texts struct {
	Case *spec.Case
	// Display is nil if the case has no display.
	Display *spec.Template
	// Aliases are the templates that are parsed but never printed.
	Aliases []*spec.Template
}

// Texts lists the templates of a leaf by case, in the order in which printing tries them. The list
// ends with the first unconditional display. If there is no unconditional display, it covers every
// case of the leaf and its ancestors.
func (m *Machine) Texts(l *Leaf) (list []Texts) {
	for b := l.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			t := Texts{Case: c, Display: c.Displays[m.Syntax]}
			if t.Display == nil {
				t.Display = c.Displays[""]
			}
			for _, a := range c.Aliases {
				if a.Syntax == "" || a.Syntax == m.Syntax {
					t.Aliases = append(t.Aliases, a)
				}
			}
			list = append(list, t)
			if t.Display != nil && c.Expr == nil {
				return list
			}
		}
	}
	return list
}

// displays binds the cases up to the first unconditional display.
func (u *BoundLeaf) displays() {
	var failed []*spec.Expr // conditions of earlier cases that have a display
	for _, t := range u.Env.Machine.Texts(u.Leaf) {
		expr := t.Case.Expr
		given := Assumptions{expr, failed}
		bound := &Case{Spec: t.Case}
		if expr != nil {
			bound.Cond = u.prog(expr)
		}
		if t.Display != nil {
			bound.Shown = true
			bound.Items = u.items(t.Display, given)
		}
		bound.Aliases = u.aliases(t.Aliases, given)
		u.Cases = append(u.Cases, bound)
		if bound.Shown && bound.Cond == nil {
			return
		}
		if bound.Shown {
			failed = append(failed[:len(failed):len(failed)], expr)
		}
	}
	if u.Env.Machine.ISA.Strict {
		u.fail(diag.Errorf(diag.NoDisplay, u.Leaf.Spec.Span, "bitset %s has no display that always applies", u.Leaf.Name))
	}
}

// aliases returns a function that binds the aliases of a case on its first call.
func (u *BoundLeaf) aliases(texts []*spec.Template, given Assumptions) func() [][]Item {
	if len(texts) == 0 {
		return func() [][]Item { return nil }
	}
	return sync.OnceValue(func() (list [][]Item) {
		u.Env.Machine.mu.Lock()
		defer u.Env.Machine.mu.Unlock()
		for _, a := range texts {
			list = append(list, u.items(a, given))
		}
		return list
	})
}

// Assumptions are the conditions that hold or fail wherever a case applies. Holds is the condition of
// the case itself, or nil for a default case. Fails lists the conditions of the earlier cases that have
// a display.
type Assumptions struct {
	Holds *spec.Expr
	Fails []*spec.Expr
}

// Narrow returns the meanings of a name that the assumptions allow. A meaning whose condition is assumed
// to hold becomes unconditional.
func (s Assumptions) Narrow(alts []Alt) []Alt {
	if s.Holds == nil && s.Fails == nil {
		return alts
	}
	var out []Alt
	for _, a := range alts {
		if a.Cond != nil && a.CondDepth == 0 {
			if a.Cond.Spec == s.Holds {
				a.Cond = nil
			} else if slices.Contains(s.Fails, a.Cond.Spec) {
				continue
			}
		}
		out = append(out, a)
		if a.Cond == nil {
			break
		}
	}
	return out
}

// items binds a template. It replaces operand names with the items of the operand.
func (u *BoundLeaf) items(t *spec.Template, given Assumptions) []Item {
	return u.pieces(t, given, u.Leaf.Spec.Operand)
}

// pieces binds a template. It looks up each name with operand before it looks up fields.
func (u *BoundLeaf) pieces(t *spec.Template, given Assumptions, operand func(name string) *spec.Operand) []Item {
	pieces := t.Items()
	items := make([]Item, 0, len(pieces))
	for _, it := range pieces {
		switch it.Kind {
		case spec.ItemText:
			items = append(items, Item{Kind: ItemText, Text: it.Text, Span: it.Span})
		case spec.ItemAlign:
			items = append(items, Item{Kind: ItemAlign, Column: it.Column, Span: it.Span})
		case spec.ItemBreak:
			items = append(items, Item{Kind: ItemBreak, Text: it.Text, Span: it.Span})
		case spec.ItemRef:
			if o := operand(it.Ref); o != nil {
				items = append(items, u.operandItems(it, o, given)...)
				continue
			}
			item := u.refItem(it, given)
			if n := len(items); n > 0 && items[n-1].Kind == ItemAlign && items[n-1].Span == it.Span && item.nowhere() {
				items = items[:n-1] // Mesa's tools do not align a name that is undefined.
			}
			items = append(items, item)
		}
	}
	return items
}

// nowhere reports whether a reference is undefined for all words.
func (it *Item) nowhere() bool {
	return it.Kind == ItemRef && len(it.Alts) == 1 && it.Alts[0].Ref == nil
}

// refItem binds one reference of a template.
func (u *BoundLeaf) refItem(it spec.Item, given Assumptions) Item {
	item := Item{Kind: ItemRef, Name: it.Ref, Before: it.Before, After: it.After, Span: it.Span}
	if u.Env.Machine.IsName(it.Ref) {
		item.Kind, item.Text = ItemName, u.Leaf.Display
		return item
	}
	if set := u.set(it.Ref); set != nil {
		item.Kind, item.Join, item.Free = ItemSet, set.Join, set.AbsentIsDefault
		for _, m := range set.Members {
			item.Members = append(item.Members, u.refItem(spec.Item{Kind: spec.ItemRef, Ref: m.Name, Span: m.Span}, given))
		}
		return item
	}
	item.Alts = given.Narrow(u.resolve(it.Ref, nil))
	if ref := item.Alts[0].Ref; ref != nil && ref.Field != nil && ref.Field.Remark {
		item.Kind = ItemRemark
	}
	if u.Env.Machine.ISA.Strict {
		for _, a := range item.Alts {
			if a.Ref == nil {
				u.fail(diag.Errorf(diag.Unresolved, it.Span, "{%s} is not defined in %s", it.Ref, u.where()).Meant(it.Ref, u.fieldNames()))
				break
			}
		}
	}
	return item
}

// where describes the scope for an error message. It names at most the three innermost leaves.
func (u *BoundLeaf) where() string {
	name := u.Leaf.Name
	for n := 1; u.Env.Up != nil; n++ {
		if n == 3 {
			return name + " inside others"
		}
		u = u.Env.Up
		name += " inside " + u.Leaf.Name
	}
	return name
}

// IsName reports whether a reference prints the name of the bitset. In plain descriptions, any prefix of
// NAME prints the name, even the empty one, because Mesa's decoder compares only as many characters as
// the reference has.
func (m *Machine) IsName(ref string) bool {
	if m.ISA.Strict {
		return ref == "NAME"
	}
	return strings.HasPrefix("NAME", ref)
}

// set returns the <set> with that name, or nil if there is none.
func (u *BoundLeaf) set(name string) *spec.Set {
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			if s := c.Set(name); s != nil {
				return s
			}
		}
	}
	return nil
}

// Resolve binds a name or a dotted path in the scope of u. The last alternative is unconditional.
func (u *BoundLeaf) Resolve(name string) []Alt {
	u.Env.Machine.mu.Lock()
	defer u.Env.Machine.mu.Unlock()
	return u.resolve(name, nil)
}

// resolve is like Resolve, but for callers that hold the machine's lock. top is the expression that contains the name,
// or nil. The override whose condition is top counts as applicable, so that a condition can use a field that its own
// override defines.
func (u *BoundLeaf) resolve(name string, top *spec.Expr) []Alt {
	if top != nil {
		return u.lookup(name, top)
	}
	alts, ok := u.names[name]
	if ok && &alts[0] == &inProgress[0] {
		u.Env.Machine.recursions++
	}
	if !ok {
		before := u.Env.Machine.open.cycles
		u.names[name] = inProgress
		alts = u.lookup(name, nil)
		u.names[name] = alts
		if open := &u.Env.Machine.open; open.cycles > before && len(open.stack) > 0 {
			delete(u.names, name) // The name may have another meaning outside of this cycle.
		}
	}
	return alts
}

// inProgress is the meaning of a name while the name is being resolved. It makes a name that needs
// itself undefined.
var inProgress = []Alt{{}}

func (u *BoundLeaf) lookup(name string, top *spec.Expr) []Alt {
	if context, ok := strings.CutPrefix(name, "@"); ok {
		return []Alt{{Ref: u.context(context)}}
	}
	if head, tail, ok := strings.Cut(name, "."); ok && !u.defines(name) {
		return u.path(head, tail, top)
	}
	var alts []Alt
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			f := c.Field(name)
			if f == nil {
				continue
			}
			alt := Alt{Ref: u.ref(f)}
			if c.Expr != nil && c.Expr != top {
				alt.Cond = u.prog(c.Expr)
			}
			alts = append(alts, alt)
			if alt.Cond == nil {
				return alts
			}
		}
	}
	return append(alts, u.climb(name)...)
}

// defines reports whether a plain description has a field with exactly that name, dots included.
func (u *BoundLeaf) defines(name string) bool {
	if u.Env.Machine.ISA.Strict {
		return false
	}
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			if c.Field(name) != nil {
				return true
			}
		}
	}
	return false
}

// climb resolves a name in the enclosing scope. The name is undefined unless a parameter passes it into this scope.
func (u *BoundLeaf) climb(name string) []Alt {
	up := u.Env.Up
	if up == nil {
		return []Alt{{}}
	}
	if !u.Env.all {
		passed, ok := u.Env.ParamName(name)
		if !ok {
			return []Alt{{}}
		}
		name = passed
	}
	alts := up.resolve(name, nil)
	outer := make([]Alt, len(alts))
	for i, a := range alts {
		a.CondDepth++
		if a.Ref != nil && a.Ref.Context == nil {
			moved := *a.Ref
			moved.ScopeDepth++
			if moved.Kind == spec.KindBitset && moved.Prog == nil && len(moved.Path) == 0 {
				moved.Env = u.Env.Machine.nested(u, moved.Field) // decoded in the inner scope
			}
			a.Ref = &moved
		}
		outer[i] = a
	}
	return outer
}

func (u *BoundLeaf) context(name string) *Ref {
	c := u.Env.Machine.ISA.Context(name)
	if c == nil {
		return nil
	}
	r := &Ref{Context: c, Low: c.Low, Width: c.Width, Kind: spec.KindBool}
	if c.Enum != nil {
		r.Kind, r.Enum = spec.KindEnum, u.Env.Machine.enums[c.Enum]
	}
	return r
}

func (u *BoundLeaf) ref(f *spec.Field) *Ref {
	r := &Ref{Field: f, Kind: f.Kind, Low: -1, At: -1, Width: f.Width, Owner: u}
	if len(f.Parts) == 1 && f.Width <= 64 {
		if r.Low = f.Parts[0].Low; f.Table == nil {
			r.At = r.Low
		}
	}
	switch f.Kind {
	case spec.KindBitset:
		r.Env = u.Env.Machine.nested(u, f)
	case spec.KindEnum:
		r.Enum = u.Env.Machine.enums[f.Enum]
	}
	if f.Expr != nil {
		r.Prog = u.derived(f.Expr)
	}
	return r
}

// Bind returns the source of the value of a field that the scope of u defines.
func (u *BoundLeaf) Bind(f *spec.Field) *Ref {
	u.Env.Machine.mu.Lock()
	defer u.Env.Machine.mu.Unlock()
	return u.ref(f)
}

// NestedEnv returns the environment of a bitset field that is shown in the scope of u. passed
// identifies the values of the parameters. Scopes share an environment only if passed is equal.
func (u *BoundLeaf) NestedEnv(f *spec.Field, passed string) *Env {
	m := u.Env.Machine
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.nested(u, f)
	if e.Up == nil { // The field has no parameters.
		return e
	}
	return m.env(e.Root.Name+" with "+passed, e.Root, u, f.Params, e.all)
}

// path binds HEAD.TAIL. HEAD is a field with a bitset type. TAIL must refer to the same field in every
// leaf of that bitset.
func (u *BoundLeaf) path(head, tail string, top *spec.Expr) []Alt {
	alts := u.resolve(head, top)
	out := make([]Alt, len(alts))
	for i, a := range alts {
		out[i] = Alt{Cond: a.Cond, CondDepth: a.CondDepth}
		if a.Ref == nil || a.Ref.Env == nil {
			continue
		}
		inner := a.Ref.Env.common(tail)
		if inner == nil {
			continue
		}
		r := *inner
		r.Path = append([]*Ref{a.Ref}, inner.Path...)
		r.ScopeDepth = a.Ref.ScopeDepth
		r.At, r.Entry = a.Ref.start(inner)
		out[i].Ref = &r
	}
	return out
}

// start returns At and Entry for a path that continues inside the bitset field r.
func (r *Ref) start(inner *Ref) (at int, entry *spec.Field) {
	switch {
	case inner.At < 0 || inner.Entry != nil || r.Prog != nil || len(r.Path) > 0:
		return -1, nil
	case r.Field.Table != nil:
		return inner.At, r.Field
	case len(r.Field.Parts) > 1:
		return -1, nil
	}
	return r.Field.Parts[0].Low + inner.At, nil
}

// common binds a name that refers to the same field in all leaves. It returns nil if the leaves
// differ.
func (e *Env) common(name string) *Ref {
	r, ok := e.commons[name]
	if !ok {
		e.commons[name] = nil // A path that needs itself is undefined.
		r = e.resolveCommon(name)
		e.commons[name] = r
	}
	return r
}

func (e *Env) resolveCommon(name string) *Ref {
	var found *Ref
	for _, l := range e.Root.Leaves {
		alts := e.bound(l).resolve(name, nil)
		r := alts[0].Ref
		if len(alts) > 1 || r == nil || r.ScopeDepth != 0 || r.Prog != nil {
			return nil
		}
		if found != nil && found.Field != r.Field {
			return nil
		}
		if found == nil {
			found = r
		}
	}
	return found
}

// Fields lists the names of all fields that the leaf and its ancestors define, in the order of the
// file. The outermost ancestor comes first.
func (u *BoundLeaf) Fields() []string {
	seen := map[string]bool{}
	var chain []*spec.Bitset
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		chain = append(chain, b)
	}
	var names []string
	for i := len(chain) - 1; i >= 0; i-- {
		for _, c := range chain[i].Cases {
			for _, f := range c.Fields {
				if !seen[f.Name] {
					seen[f.Name] = true
					names = append(names, f.Name)
				}
			}
		}
	}
	return names
}

// NamedField is a field of a leaf with all meanings of its name.
type NamedField struct {
	Name string
	Alts []Alt
}

// NamedFields lists the fields that Fields names, with their meanings.
func (u *BoundLeaf) NamedFields() []NamedField {
	u.namedOnce.Do(func() {
		for _, name := range u.Fields() {
			u.named = append(u.named, NamedField{name, u.Resolve(name)})
		}
	})
	return u.named
}

// Index is a field that can be a table index or can contain operands with a table index.
type Index struct {
	Alts []Alt
	// Always is the reference if the name always refers to a contiguous index into a table whose entries
	// contain no index. Otherwise it is nil.
	Always *Ref
}

// Indices lists the fields of NamedFields that are or contain table indices.
func (u *BoundLeaf) Indices() []Index {
	if list := u.indices.Load(); list != nil {
		return *list
	}
	list := []Index{}
	for _, n := range u.NamedFields() {
		if !slices.ContainsFunc(n.Alts, func(a Alt) bool { return a.Ref.Indexes() }) {
			continue
		}
		x := Index{Alts: n.Alts}
		if a := n.Alts[0]; a.Cond == nil && a.Ref.Low >= 0 && !a.Ref.Field.Bitset.HasIndexes {
			x.Always = a.Ref
		}
		list = append(list, x)
	}
	u.indices.Store(&list)
	return list
}

// Indexes reports whether r is a table index in its own scope, or a bitset that can contain one.
func (r *Ref) Indexes() bool {
	return r != nil && r.Field != nil && r.Field.Bitset != nil && r.Prog == nil && r.ScopeDepth == 0 &&
		(r.Field.Table != nil || r.Field.Bitset.HasIndexes)
}

// fieldNames lists the fields of the leaf and its ancestors. Error messages suggest one of these
// names.
func (u *BoundLeaf) fieldNames() []string {
	var list []string
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				list = append(list, f.Name)
			}
		}
	}
	return list
}
