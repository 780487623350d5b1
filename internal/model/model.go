// Package model binds every name of a description, once for each environment in which a bitset occurs.
// Package isa prints with the bound description, and package asm parses with it.
package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Options configure New.
type Options struct {
	// Gen is the generation (gpu_id in isaspec) to bind.
	Gen uint32
	// Syntax is the name of the syntax. The empty string selects the default one.
	Syntax string
	// Sound states that the description is known to have no errors. New then skips some checks.
	Sound bool
	// maxBoundLeaves limits the number of bound leaves. If it is 0, the constant maxBoundLeaves is the
	// limit.
	maxBoundLeaves int
}

// Machine is a bound description. It is safe for concurrent use.
type Machine struct {
	ISA    *spec.ISA
	Gen    uint32
	Syntax string
	// Sound reports whether the description is known to have no errors.
	Sound bool
	// Roots are the bitsets without a parent, in file order.
	Roots []*Root
	// Context holds the default value of each context at its bit position.
	Context bits.Value

	roots map[*spec.Bitset]*Root
	enums map[*spec.Enum]*Enum

	mu             sync.Mutex
	envs           map[string]*Env
	indices        atomic.Int32
	boundLeaves    int // the number of leaves bound so far
	maxBoundLeaves int
	open           openExprs
	recursions     int // the number of lookups of a name while it was being resolved
}

// Root is a tree of encodings, represented by the list of its leaves.
type Root struct {
	ID     int
	Name   string
	Spec   *spec.Bitset
	Leaves []*Leaf
	// Size and MinSize are the lengths of the longest and the shortest leaf, in bits.
	Size, MinSize int
	// WordSize is the size in bits of the words in which programs are stored. An instruction occupies
	// whole words. HighFirst means that the most significant word comes first.
	WordSize  int
	HighFirst bool
	// Swapped means that the high half of each 32-bit word is stored first.
	Swapped bool
}

// ByteOffset returns the offset in bytes of the instruction with the given number. It requires that
// all instructions have the root's size.
func (r *Root) ByteOffset(number uint64) uint64 { return number * uint64(r.Size) / 8 }

// StoredSize returns the number of bits that an instruction of size bits occupies in a program.
func (r *Root) StoredSize(size int) int { return (size + r.WordSize - 1) / r.WordSize * r.WordSize }

// Leaf is an instruction or one form of an operand.
type Leaf struct {
	// ID is the index in Root.Leaves.
	ID   int
	Root *Root
	Spec *spec.Bitset
	// Name is the name of the bitset. Display is the text that {NAME} prints.
	Name, Display string
	Size          int
	// A word w matches if w&Mask == Match. DontCare bits are ignored but are expected to be 0.
	Match, Mask, DontCare bits.Value
	// Refines lists the leaves whose words this leaf intentionally matches too.
	Refines []*Leaf
	// RefinedBy lists the leaves that refine this one.
	RefinedBy []*Leaf
}

func (l *Leaf) refines(other *Leaf) bool { return slices.Contains(l.Refines, other) }

// meets reports whether some word matches the patterns of both leaves.
func (l *Leaf) meets(other *Leaf) bool {
	return l.Match.Xor(other.Match).And(l.Mask).And(other.Mask) == bits.Value{}
}

// within reports whether each word that matches the pattern of l also matches the pattern of other.
func (l *Leaf) within(other *Leaf) bool {
	return other.Mask.AndNot(l.Mask) == bits.Value{} && l.Match.And(other.Mask) == other.Match
}

// Doc returns the documentation of the leaf or, if the leaf has none, of its nearest documented
// ancestor.
func (l *Leaf) Doc() string {
	for b := l.Spec; b != nil; b = b.Extends {
		if b.Doc != "" {
			return b.Doc
		}
	}
	return ""
}

// Meta returns an attribute of <meta> from the leaf or from its nearest ancestor that has the attribute.
// It returns "" if neither the leaf nor an ancestor has the attribute.
func (l *Leaf) Meta(name string) string {
	for b := l.Spec; b != nil; b = b.Extends {
		if v, ok := b.Meta[name]; ok {
			return v
		}
	}
	return ""
}

// Layout returns the layout rules of the leaf or of its nearest ancestor that has layout rules. It
// returns nil if there are none.
func (l *Leaf) Layout() *spec.Layout {
	for b := l.Spec; b != nil; b = b.Extends {
		if b.Layout != nil {
			return b.Layout
		}
	}
	return nil
}

// Runs returns the <runs> element of the leaf or of its nearest ancestor that has such an element. It
// returns nil if there is none.
func (l *Leaf) Runs() *spec.Runs {
	for b := l.Spec; b != nil; b = b.Extends {
		if b.Runs != nil {
			return b.Runs
		}
	}
	return nil
}

// Enum is an enum in one syntax, prepared for printing.
type Enum struct {
	Spec   *spec.Enum
	dense  []string
	known  []bool
	sparse map[uint64]string
	// Texts lists each value with its text, followed by the aliases.
	Texts []EnumText
}

// EnumText is a value and one of its texts.
type EnumText struct {
	Val   uint64
	Text  string
	Alias bool
}

// Lookup returns the text of a value.
func (e *Enum) Lookup(v uint64) (string, bool) {
	if v < uint64(len(e.dense)) {
		return e.dense[v], e.known[v]
	}
	s, ok := e.sparse[v]
	return s, ok
}

// New binds a description. The error is a diag.List.
func New(isa *spec.ISA, opt Options) (*Machine, error) {
	m := &Machine{
		ISA: isa, Gen: opt.Gen, Syntax: opt.Syntax, Sound: opt.Sound, maxBoundLeaves: cmp.Or(opt.maxBoundLeaves, maxBoundLeaves),
		roots: map[*spec.Bitset]*Root{}, enums: map[*spec.Enum]*Enum{}, envs: map[string]*Env{},
	}
	if err := m.checkSyntax(); err != nil {
		return nil, err
	}
	for _, c := range isa.Contexts {
		m.Context.SetUint(c.Low, c.Width, c.Default)
	}
	for _, e := range isa.Enums {
		m.enums[e] = bindEnum(e, opt.Syntax)
	}
	for _, b := range isa.Bitsets {
		if b.Extends == nil {
			m.addRoot(b)
		}
	}
	var errs diag.List
	for _, r := range m.Roots {
		errs = append(errs, m.linkRefines(r)...)
	}
	if isa.Strict && !opt.Sound && len(errs) == 0 {
		errs = m.checkStrict()
	}
	if len(errs) > 0 {
		errs.Sort()
		return nil, errs
	}
	return m, nil
}

func (m *Machine) checkSyntax() error {
	if m.Syntax == "" {
		return nil
	}
	all := m.ISA.Syntaxes()
	if slices.Contains(all, m.Syntax) {
		return nil
	}
	var names []string
	for _, name := range all {
		names = append(names, strconv.Quote(name))
	}
	return diag.List{diag.Errorf(diag.UnknownSyntax, m.ISA.Span, "unknown syntax %q, expected one of %s", m.Syntax, strings.Join(names, ", "))}
}

// maxScopes limits the nesting depth of scopes.
const maxScopes = 16

// maxBoundLeaves limits the number of bound leaves. The number can grow fast, because each use of a
// nested bitset has its own environment if names of the enclosing scope are passed in.
const maxBoundLeaves = 1 << 14

// denseLimit is the limit below which the texts of enum values are stored in a slice. The texts of all
// other values are stored in a map.
const denseLimit = 4096

func bindEnum(s *spec.Enum, syntax string) *Enum {
	e := &Enum{Spec: s, sparse: map[uint64]string{}}
	text := map[uint64]string{}
	var order []uint64
	for _, pass := range []string{"", syntax} {
		for _, v := range s.Values {
			if v.Syntax != pass {
				continue
			}
			if _, ok := text[v.Val]; !ok {
				order = append(order, v.Val)
			} else if pass == "" {
				continue // the first of several equal values wins
			}
			text[v.Val] = v.Display
		}
		if syntax == "" {
			break
		}
	}
	for _, v := range order {
		e.put(v, text[v])
		e.Texts = append(e.Texts, EnumText{v, text[v], false})
	}
	for _, v := range s.Values {
		for _, a := range v.Aliases {
			e.Texts = append(e.Texts, EnumText{v.Val, a, true})
		}
		if v.Display != text[v.Val] && (v.Syntax == "" || v.Syntax == syntax) {
			e.Texts = append(e.Texts, EnumText{v.Val, v.Display, true})
		}
	}
	return e
}

func (e *Enum) put(v uint64, text string) {
	if v >= denseLimit {
		e.sparse[v] = text
		return
	}
	for uint64(len(e.dense)) <= v {
		e.dense = append(e.dense, "")
		e.known = append(e.known, false)
	}
	e.dense[v], e.known[v] = text, true
}

func (m *Machine) addRoot(b *spec.Bitset) {
	r := &Root{ID: len(m.Roots), Name: b.Name, Spec: b, MinSize: bits.Size}
	m.Roots = append(m.Roots, r)
	m.roots[b] = r
	for _, leaf := range m.ISA.Bitsets {
		if len(leaf.Children) == 0 && leaf.Root() == b && m.exists(leaf) {
			m.addLeaf(r, leaf)
		}
	}
	if len(r.Leaves) == 0 {
		r.Size, r.MinSize = b.Size, b.Size
	}
	m.setWordOrder(r)
}

// setWordOrder sets how the instructions of a root are stored in a program. Without a declaration, the
// word size is the largest of 32, 16 and 8 bits that divides the length of the shortest instruction.
func (m *Machine) setWordOrder(r *Root) {
	r.WordSize = m.ISA.Text.Storage
	r.HighFirst, r.Swapped = m.ISA.Text.HighFirst, m.ISA.Text.Swapped
	if r.WordSize > 0 {
		return
	}
	r.WordSize = 8
	for _, unit := range []int{32, 16} {
		if r.MinSize%unit == 0 {
			r.WordSize = unit
			break
		}
	}
	r.HighFirst = r.HighFirst && r.WordSize == 32
}

func (m *Machine) exists(b *spec.Bitset) bool {
	for ; b != nil; b = b.Extends {
		if m.Gen < b.Min || m.Gen > b.Max {
			return false
		}
	}
	return true
}

func (m *Machine) addLeaf(r *Root, b *spec.Bitset) {
	l := &Leaf{ID: len(r.Leaves), Root: r, Spec: b, Name: b.Name, Display: b.DisplayIn(m.Syntax), Size: b.Size}
	for p := b; p != nil; p = p.Extends {
		for _, pat := range p.Patterns {
			l.Match = l.Match.Or(pat.Match)
			l.Mask = l.Mask.Or(pat.Mask)
			l.DontCare = l.DontCare.Or(pat.DontCare)
		}
	}
	r.Leaves = append(r.Leaves, l)
	r.Size, r.MinSize = max(r.Size, l.Size), min(r.MinSize, l.Size)
}

// linkRefines resolves overlap="refines NAME" to leaves. If NAME is an inner bitset, it refers to all
// leaves below that bitset. The relation is transitive.
func (m *Machine) linkRefines(r *Root) diag.List {
	var errs diag.List
	for _, l := range r.Leaves {
		for b := l.Spec; b != nil; b = b.Extends {
			for _, name := range b.Refines {
				target := m.ISA.Bitset(name.Name)
				if target == nil || target.Root() != r.Spec {
					errs = append(errs, diag.Errorf(diag.Unresolved, name.Span, "refines %s: no such bitset below %s", name.Name, r.Name))
					continue
				}
				for _, other := range r.Leaves {
					if other.Spec.Under(target) {
						l.refine(other)
					}
				}
			}
		}
	}
	for _, l := range r.Leaves {
		for i := 0; i < len(l.Refines); i++ {
			for _, other := range l.Refines[i].Refines {
				l.refine(other)
			}
		}
	}
	for _, l := range r.Leaves {
		if i := slices.IndexFunc(l.Refines, func(other *Leaf) bool { return other.refines(l) && other.ID > l.ID }); i >= 0 {
			errs = append(errs, diag.Errorf(diag.LeafOverlap, l.Spec.Span, "%s and %s refine each other", l.Name, l.Refines[i].Name))
		}
	}
	return errs
}

func (l *Leaf) refine(other *Leaf) {
	if other != l && !l.refines(other) {
		l.Refines, other.RefinedBy = append(l.Refines, other), append(other.RefinedBy, l)
	}
}

// Root returns the root with the given name. The empty name selects the root of the instructions:
// #instruction or, if there is no such root, the first root that is not the type of a field.
func (m *Machine) Root(name string) (*Root, error) {
	if name == "" {
		return m.mainRoot(), nil
	}
	var names []string
	for _, r := range m.Roots {
		if r.Name == name || strings.TrimPrefix(r.Name, "#") == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return nil, fmt.Errorf("unknown root %q, expected one of %s", name, strings.Join(names, ", "))
}

func (m *Machine) mainRoot() *Root {
	for _, r := range m.Roots {
		if r.Name == "#instruction" {
			return r
		}
	}
	if free := m.freeRoots(); len(free) > 0 {
		return free[0]
	}
	if len(m.Roots) == 0 {
		return nil
	}
	return m.Roots[0]
}

// TopRoots returns the roots whose words are not part of other words: the main root, then all roots
// that are not the type of a field.
func (m *Machine) TopRoots() []*Root {
	list := m.freeRoots()
	if root := m.mainRoot(); root != nil && !slices.Contains(list, root) {
		list = append([]*Root{root}, list...)
	}
	return list
}

// freeRoots returns the roots that are not the type of a field, in file order.
func (m *Machine) freeRoots() []*Root {
	used := map[*spec.Bitset]bool{}
	for _, b := range m.ISA.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				used[f.Bitset] = true
			}
		}
	}
	var free []*Root
	for _, r := range m.Roots {
		if !used[r.Spec] {
			free = append(free, r)
		}
	}
	return free
}

// Env is a root in one environment, which determines the meaning of names in its leaves.
type Env struct {
	Machine *Machine
	Root    *Root
	// Up is the bound leaf that contains the nested field. It is nil at the top.
	Up *BoundLeaf

	params []spec.Param // the parameters passed in; if several have the same name, the first one counts
	all    bool         // whether all names of the enclosing scope are passed in

	units   []atomic.Pointer[BoundLeaf]
	pending map[int]*BoundLeaf // leaves that are being bound, by Leaf.ID
	commons map[string]*Ref    // the meanings of names that refer to the same field in all leaves, or nil
	depth   int
	// Index is the number of the environment in its machine.
	Index int
	// Parser caches data of package asm. Contents and Reads cache data of package isa.
	Parser, Contents, Reads atomic.Value
}

// Enum returns the bound form of an enum of the description.
func (m *Machine) Enum(e *spec.Enum) *Enum { return m.enums[e] }

// ParamName returns the outer name of a parameter that is passed into the environment as name. ok is
// false if no parameter has that name.
func (e *Env) ParamName(name string) (string, bool) {
	i := slices.IndexFunc(e.params, func(p spec.Param) bool { return p.As == name })
	if i < 0 {
		return "", false
	}
	return e.params[i].Name, true
}

// TopEnv returns the environment of a root that is not nested.
func (m *Machine) TopEnv(r *Root) *Env {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.env(r.Name, r, nil, nil, false)
}

func (m *Machine) env(key string, r *Root, up *BoundLeaf, params []spec.Param, all bool) *Env {
	if e := m.envs[key]; e != nil {
		return e
	}
	e := &Env{
		Machine: m, Root: r, Up: up, params: params, all: all,
		units: make([]atomic.Pointer[BoundLeaf], len(r.Leaves)), Index: int(m.indices.Add(1)) - 1,
		pending: map[int]*BoundLeaf{}, commons: map[string]*Ref{},
	}
	if up != nil {
		e.depth = up.Env.depth + 1
	}
	m.envs[key] = e
	return e
}

// nested returns the environment of a bitset field in the scope of u. Fields that pass equal
// parameters share one environment.
func (m *Machine) nested(u *BoundLeaf, f *spec.Field) *Env {
	root := m.roots[f.Bitset]
	if u.Env.depth == maxScopes {
		u.fail(diag.Errorf(diag.XMLLimit, f.Span, "bitsets nested more than %d deep in %s", maxScopes, u.where()))
		return m.env(root.Name, root, nil, nil, false)
	}
	if m.boundLeaves > m.maxBoundLeaves { // bound reports this error
		return m.env(root.Name, root, nil, nil, false)
	}
	if f.AllParams {
		return m.env(fmt.Sprintf("%s in %p *", root.Name, u), root, u, nil, true)
	}
	if len(f.Params) == 0 {
		return m.env(root.Name, root, nil, nil, false)
	}
	var key strings.Builder
	key.WriteString(root.Name)
	for _, p := range f.Params {
		key.WriteString(" " + p.As + "=")
		before := m.recursions + m.open.cycles
		alts := u.resolve(p.Name, nil)
		// A meaning found inside a cycle may differ outside, so it must not be shared.
		if sig, ok := signatureOf(alts); ok && m.recursions+m.open.cycles == before {
			key.WriteString(sig)
		} else {
			fmt.Fprintf(&key, "%s in %p", p.Name, u)
		}
	}
	return m.env(key.String(), root, u, f.Params, false)
}

// Bound returns the bound form of a leaf in this environment.
func (e *Env) Bound(l *Leaf) *BoundLeaf {
	if u := e.units[l.ID].Load(); u != nil {
		return u
	}
	e.Machine.mu.Lock()
	defer e.Machine.mu.Unlock()
	return e.bound(l)
}

// bound is like Bound, but for callers that hold the machine's lock.
func (e *Env) bound(l *Leaf) *BoundLeaf {
	if u := e.units[l.ID].Load(); u != nil {
		return u
	}
	if u := e.pending[l.ID]; u != nil {
		return u
	}
	u := &BoundLeaf{Env: e, Leaf: l, progs: map[*spec.Expr]*Prog{}, cyclic: map[*spec.Expr]bool{}, reportedCycles: map[*spec.Expr]bool{}, truncated: map[*spec.Expr]*truncatedProg{}, names: map[string][]Alt{}}
	e.pending[l.ID] = u
	outer := e.Machine.open
	e.Machine.open = openExprs{}
	defer func() { e.Machine.open = outer }()
	if e.Machine.boundLeaves++; e.Machine.boundLeaves <= e.Machine.maxBoundLeaves {
		u.build()
	} else if e.Machine.boundLeaves == e.Machine.maxBoundLeaves+1 {
		u.fail(diag.Errorf(diag.XMLLimit, l.Spec.Span, "more than %d environments of nested operands", e.Machine.maxBoundLeaves))
	}
	delete(e.pending, l.ID)
	e.units[l.ID].Store(u)
	return u
}

// Closed reports whether the text of the value depends only on its bits and the contexts.
func (e *Env) Closed() bool { return e.Up == nil }
