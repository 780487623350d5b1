// Package isa loads an instruction set from its description. It decodes words, prints them, and
// returns their operands and fields.
package isa

import (
	"errors"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Options select a variant of the description.
type Options struct {
	// Gen is the generation (gpu_id in isaspec). It is 0 for a description without generations.
	Gen uint32
	// Syntax is the name of the syntax to print and parse. The empty string selects the default
	// syntax.
	Syntax string
}

// Set is a compiled instruction set. It is safe for concurrent use.
type Set struct {
	model    *model.Machine
	roots    []*Root
	trees    []atomic.Pointer[tree] // by Root.ID; built on first use, rebuilt after maxAsked searches
	shipped  bool
	declared *declared
	// prints caches the results of MayPrint by mark.
	prints sync.Map
}

// Load reads a description and its imports from fsys. For mistakes in the description, the error is a
// diag.List or a *diag.Error, which diag.Render formats with the source lines. Otherwise the error comes
// from fsys.
func Load(fsys fs.FS, file string, opt Options) (*Set, error) {
	parsed, err := spec.Load(fsys, file)
	if err != nil {
		return nil, err
	}
	return compile(parsed, newDeclared(parsed), opt, false)
}

// Embedded is a description that is embedded in a program. The method Load parses the description once
// and skips the checks for mistakes. So a test of the program should load the description with the
// function Load.
type Embedded struct {
	// FS contains File and everything that File imports.
	FS   fs.FS
	File string

	once  sync.Once
	plain *Set
	err   error
}

// Load returns the instruction set. Calls with equal options may return the same Set.
func (s *Embedded) Load(opt Options) (*Set, error) {
	s.once.Do(func() {
		parsed, err := spec.LoadSound(s.FS, s.File)
		if err != nil {
			s.err = err
			return
		}
		s.plain, s.err = compile(parsed, newDeclared(parsed), Options{}, true)
	})
	if s.err != nil || opt == (Options{}) {
		return s.plain, s.err
	}
	return s.plain.WithOptions(opt)
}

// Products lists the products of the machine. It reads only the <product> elements and is faster than
// Load.
func (s *Embedded) Products() ([]Product, error) {
	list, err := spec.Products(s.FS, s.File)
	return products(list), err
}

func compile(parsed *spec.ISA, declared *declared, opt Options, shipped bool) (*Set, error) {
	if opt.Syntax == parsed.Text.Syntax {
		opt.Syntax = ""
	}
	m, err := model.New(parsed, model.Options{Gen: opt.Gen, Syntax: opt.Syntax, Sound: shipped})
	if err != nil {
		return nil, err
	}
	s := &Set{model: m, trees: make([]atomic.Pointer[tree], len(m.Roots)), shipped: shipped, declared: declared}
	s.loadRoots()
	return s, nil
}

// WithOptions returns a Set for the same description with other options. It does not parse the
// description again.
func (s *Set) WithOptions(opt Options) (*Set, error) {
	return compile(s.model.ISA, s.declared, opt, s.shipped)
}

// tree returns the decision tree of a root.
func (s *Set) tree(r *model.Root) *tree {
	t := s.trees[r.ID].Load()
	switch {
	case t == nil:
		t = newTree(r, s.model.ISA.Strict)
	case t.flat && t.asked.Add(1) > maxAsked:
		t = t.grown(r.Size)
	default:
		return t
	}
	s.trees[r.ID].Store(t)
	return t
}

// Inside returns the bound description of the set. Only packages of this module can call it.
func (s *Set) Inside(inside.Key) *model.Machine { return s.model }

// Name returns the name of the machine, or "" if the description has none.
func (s *Set) Name() string { return s.model.ISA.Name }

// Doc returns the documentation of the machine.
func (s *Set) Doc() string { return s.model.ISA.Doc }

// Roots lists the roots in file order.
func (s *Set) Roots() []*Root { return s.roots }

// Root returns the root with the given name. The # at the start of the name is optional. The empty name
// selects the root of the instructions.
func (s *Set) Root(name string) (*Root, error) {
	r, err := s.model.Root(name)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, errors.New("the description has no bitset")
	}
	return s.roots[r.ID], nil
}

// FirstGen returns the first generation in which a root has leaves. ok is false if the root has no
// leaves in any generation.
func (s *Set) FirstGen(r *Root) (gen uint32, ok bool) {
	for _, b := range s.model.ISA.Bitsets {
		if len(b.Children) > 0 || b.Root() != s.model.Roots[r.ID].Spec {
			continue
		}
		low, high := b.Min, b.Max
		for p := b.Extends; p != nil; p = p.Extends {
			low, high = max(low, p.Min), min(high, p.Max)
		}
		if low <= high && (!ok || low < gen) {
			gen, ok = low, true
		}
	}
	return gen, ok
}

// Syntaxes lists the names of the syntaxes. The default syntax, whose name is "" here, comes first.
func (s *Set) Syntaxes() []string { return s.model.ISA.Syntaxes() }

// DefaultSyntax returns the name of the default syntax, or "" if it has no name. Options.Syntax also
// accepts that name.
func (s *Set) DefaultSyntax() string { return s.model.ISA.Text.Syntax }

// Syntax returns the name of the syntax that the set prints and parses, or "" for the default syntax.
func (s *Set) Syntax() string { return s.model.Syntax }

// Comment returns the text that starts a comment in the machine's programs, or "" if the description
// declares none.
func (s *Set) Comment() string { return s.model.ISA.Text.Comment }

// HighFirst reports whether programs store the most significant 32-bit word of an instruction first.
func (s *Set) HighFirst() bool { return s.model.ISA.Text.HighFirst }

// Product holds other names of the machine or of one of its models, with the settings that the names
// imply.
type Product struct {
	Names []string
	// Settings are default values of contexts and quirks.
	Settings []Setting
	// ByteOrder is the byte order of raw code, one of ByteOrders. It is "" if the description declares
	// none.
	ByteOrder string
}

// Setting is the value of a context or of a quirk.
type Setting struct{ Name, Value string }

// ByteOrders lists the possible orders of the bytes in a word. The default order comes first.
func ByteOrders() []string { return slices.Clone(spec.ByteOrders) }

// Products lists the products of the machine, in file order.
func (s *Set) Products() []Product { return products(s.model.ISA.Products) }

func products(of []*spec.Product) []Product {
	var list []Product
	for _, p := range of {
		out := Product{Names: slices.Clone(p.Names), ByteOrder: p.Order}
		for _, s := range p.Settings {
			out.Settings = append(out.Settings, Setting(s))
		}
		list = append(list, out)
	}
	return list
}

// ContextInfo describes a context: a value that a word does not contain and that affects decoding.
type ContextInfo struct {
	Name, Doc string
	// Values are the possible values: the values of an enum with the default value first, or false and
	// true.
	Values []string
	// FromText reports whether each instruction has its own value, which is part of its text.
	FromText bool
}

// Contexts lists the contexts of the description.
func (s *Set) Contexts() []ContextInfo {
	var list []ContextInfo
	for _, c := range s.model.ISA.Contexts {
		info := ContextInfo{Name: c.Name, Doc: c.Doc, FromText: c.FromText, Values: []string{"false", "true"}}
		if c.Enum != nil {
			info.Values = nil
			for _, v := range c.Enum.Values {
				if v.Val == c.Default {
					info.Values = append([]string{v.Name}, info.Values...)
				} else {
					info.Values = append(info.Values, v.Name)
				}
			}
		}
		list = append(list, info)
	}
	return list
}

// TableInfo describes a table, which holds data outside of the code.
type TableInfo struct {
	Name, Doc string
	// Size is the number of entries. Bits is the size of an entry in bits.
	Size, Bits int
}

// Tables lists the tables of the description.
func (s *Set) Tables() []TableInfo {
	var list []TableInfo
	for _, t := range s.model.ISA.Tables {
		list = append(list, TableInfo{t.Name, t.Doc, t.Size, t.Type.Size})
	}
	return list
}

// Inst is a decoded instruction. Methods of Decoder compute everything else about it on demand. An Inst
// whose Leaf is nil is not an instruction. Do not pass it to these methods.
type Inst struct {
	Leaf *Leaf
	// Bits is the word. Bit Leaf.Size and all higher bits are 0.
	Bits bits.Value
	// MissingEntry reports whether the word selects a table entry that the decoder does not have. For
	// each such entry, Decode also records a NoEntry finding. A missing entry reads as 0, so the text
	// that it determines is meaningless.
	MissingEntry bool
}
