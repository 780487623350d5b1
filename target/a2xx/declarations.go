package a2xx

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// declared lists the constants and the semantics of a shader file as source and listings have them, and the words of its
// headers whose meaning is open. The creator of the file and the places of its tables are not among them.
func (s *XenosShader) declared(set *isa.Set) (list []program.FileDeclaration) {
	add := func(key, text, feature string) {
		list = append(list, program.FileDeclaration{Key: key, Text: text, Feature: feature})
	}
	if s.Target != "" {
		add("target", "target "+s.Target, "")
	}
	for _, w := range s.Open {
		add(w.Name, fmt.Sprintf("%s 0x%x", w.Name, w.Value), "")
	}
	for i, x := range s.Elements {
		list = append(list, program.FileDeclaration{
			Key: fmt.Sprint("element ", i), Text: "vertex element " + x.Name + x.rest() + " fetched at", Place: unitBits * int64(x.Place), Placed: true, Feature: "element " + x.Name,
		})
	}
	passed := s.passedIn(set)
	for i, x := range s.Interpolators {
		line, _ := passed(x)
		add(fmt.Sprint("interpolator ", i), "interpolator "+line+x.rest(), "semantic "+x.Name)
	}
	constants := program.SortDeclarations(s.Constants, func(c Symbol) int { return c.First })
	slices.SortStableFunc(constants, func(a, b Symbol) int { return strings.Compare(a.Kind, b.Kind) })
	for i := range constants {
		c := &constants[i]
		add(fmt.Sprintf("@%s %d", c.Kind, c.First), c.header(), "")
	}
	for i := range s.Literals {
		c := &s.Literals[i]
		text := c.header()
		for k, bits := range c.bits {
			if f := math.Float32frombits(bits); len(c.bits) == 1 && bits>>24 != 0 || f != f {
				text += fmt.Sprintf(", word %d is 0x%08x", k, bits)
			}
		}
		add(fmt.Sprintf("@%s %d", c.Kind, c.First), text, "")
	}
	for _, n := range s.Notes {
		add("note", "warning: "+n, "")
	}
	return list
}

// rest describes the bits whose meaning is open, if any is set.
func (x *Semantic) rest() string {
	if x.Rest == 0 {
		return ""
	}
	return fmt.Sprintf(", bits 0x%x,", x.Rest)
}

// declared lists the GPU of a capture, and the constants that it gives each shader.
func (c *Capture) declared(set *isa.Set) (list []program.FileDeclaration) {
	if c.GPU != 0 {
		list = append(list, program.FileDeclaration{Key: "gpu", Text: fmt.Sprint("GPU ", c.GPU)})
	}
	for i := range c.Shaders {
		if given := c.Shaders[i].Constants; given != nil {
			list = given.declare(list, set, strconv.Itoa(i))
		}
	}
	return list
}

// declare appends the constants that the program reads by number. Vertices and textures are data of a draw, not of the program.
func (c *Constants) declare(list []program.FileDeclaration, set *isa.Set, of string) []program.FileDeclaration {
	add := func(s Symbol) {
		s.Prefix = bankOf(set, s.Kind).prefix
		s.Last = s.First
		list = append(list, program.FileDeclaration{Program: of, Key: fmt.Sprintf("@%s %d", s.Kind, s.First), Text: s.header()})
	}
	for _, n := range sorted(c.Floats) {
		s := Symbol{Kind: "const", First: n}
		for _, bits := range c.Floats[n] {
			text := fmt.Sprint(math.Float32frombits(bits))
			if f := math.Float32frombits(bits); f != f {
				text = fmt.Sprintf("0x%08x", bits)
			}
			s.Values = append(s.Values, text)
		}
		add(s)
	}
	for _, n := range sorted(c.Loops) {
		add(Symbol{Kind: "loop", First: n, Values: []string{fmt.Sprintf("0x%08x", c.Loops[n])}})
	}
	for _, n := range sorted(c.Bools) {
		add(Symbol{Kind: "bool", First: n, Values: []string{strconv.FormatBool(c.Bools[n])}})
	}
	return list
}

// sorted returns the keys of a map in order.
func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
