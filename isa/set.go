// Package isa loads an instruction set from its description. It decodes words, prints them, and reports their operands
// and fields.
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

// Options choose what of a description is taken.
type Options struct {
	// Gen is the generation (isaspec's gpu_id) whose bitsets exist; 0 where a description has none.
	Gen uint32
	// Syntax is the spelling to print and to read; "" is the plain one.
	Syntax string
}

// Set is an instruction set, ready to decode. It is safe for use by several goroutines.
type Set struct {
	model    *model.Machine
	roots    []*Root
	trees    []atomic.Pointer[tree] // by Root.ID, each made when it is asked for, and again when it is asked for often
	shipped  bool
	declared *declared
	// prints are the answers of Prints, by mark.
	prints sync.Map
}

// Load reads a description and what it imports from fsys. Mistakes in it are reported all at once;
// Explain formats such an error with the lines that are wrong.
func Load(fsys fs.FS, file string, opt Options) (*Set, error) {
	parsed, err := spec.Load(fsys, file)
	if err != nil {
		return nil, err
	}
	return compile(parsed, newDeclared(parsed), opt, false)
}

// Embedded is a description that comes with a program whose tests load it by Load. Its Load is that one, once for
// all callers, and does not look for mistakes again.
type Embedded struct {
	// FS holds the description in File, and what it imports.
	FS   fs.FS
	File string

	once  sync.Once
	plain *Set
	err   error
}

// Load returns the instruction set; for the same options it may be the same one.
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

// Products lists other names of the machine. It reads only them, which takes less time than Load.
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

// WithOptions returns the same description with other options, without reading it again.
func (s *Set) WithOptions(opt Options) (*Set, error) {
	return compile(s.model.ISA, s.declared, opt, s.shipped)
}

// tree returns the tree of the leaves of a root.
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

// Name returns the machine's name, "" if the description does not give one.
func (s *Set) Name() string { return s.model.ISA.Name }

// Doc returns what the description says about the machine.
func (s *Set) Doc() string { return s.model.ISA.Doc }

// Roots lists the trees of encodings in the order of the description.
func (s *Set) Roots() []*Root { return s.roots }

// Root returns a tree of encodings by name, with or without its #; "" is the one of instructions.
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

// FirstGen returns the first generation in which a root has leaves; ok is false where there is none.
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

// Syntaxes lists the spellings, the plain one ("") first.
func (s *Set) Syntaxes() []string { return s.model.ISA.Syntaxes() }

// DefaultSyntax returns the name of the plain spelling, by which Options can ask for it too; "" if it has
// none.
func (s *Set) DefaultSyntax() string { return s.model.ISA.Text.Syntax }

// Syntax returns the spelling of this set.
func (s *Set) Syntax() string { return s.model.Syntax }

// Comment returns what starts a comment in the machine's programs, "" if nothing does.
func (s *Set) Comment() string { return s.model.ISA.Text.Comment }

// HighFirst reports whether programs store the most significant 32-bit word of an instruction first.
func (s *Set) HighFirst() bool { return s.model.ISA.Text.HighFirst }

// Product has names by which people know the machine, or one of its models.
type Product struct {
	Names []string
	// Settings are values of contexts and of quirks, by default.
	Settings []Setting
	// ByteOrder is the byte order of raw code, one of ByteOrders; "" if the description does not give one.
	ByteOrder string
}

// Setting is the value of a context or of a quirk.
type Setting struct{ Name, Value string }

// ByteOrders lists the orders in which programs store the bytes of a word, the default first.
func ByteOrders() []string { return slices.Clone(spec.ByteOrders) }

// Products lists other names of the machine, in the order of the description.
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

// ContextInfo describes a context: something outside the word that changes how it is read.
type ContextInfo struct {
	Name, Doc string
	// Values are the names that it can have, the default first.
	Values []string
	// FromText tells that the value belongs to each instruction and is part of its text.
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

// TableInfo describes a table of operands beside the code.
type TableInfo struct {
	Name, Doc string
	// Size is the number of entries, Bits the size of one.
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

// Inst is a decoded instruction: everything else about it is computed on demand. One that Decode did not find has no Leaf,
// and nothing may be asked of it.
type Inst struct {
	Leaf *Leaf
	// Bits is the word; bits beyond Leaf.Size are 0.
	Bits bits.Value
	// MissingEntry is set where the word names an entry of a table that the decoder was not given, with a finding NoEntry
	// for each. Such an entry reads as 0, so that the text of what is in it means nothing.
	MissingEntry bool
}
