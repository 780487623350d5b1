package model

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

// shape generates a valid description from fuzz input. It uses few names, so that fields, derived
// fields, parameters, paths, overrides and displays refer to each other often.
type shape struct {
	bytes []byte
	b     strings.Builder
}

// pick consumes a byte and returns a number below n.
func (s *shape) pick(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	x := int(s.bytes[0])
	s.bytes = s.bytes[1:]
	return x % n
}

func (s *shape) of(list ...string) string { return list[s.pick(len(list))] }

func (s *shape) name() string { return s.of("A", "B", "C") }

func (s *shape) path() string {
	p := s.name()
	for range s.pick(4) {
		p += "." + s.name()
	}
	return p
}

func (s *shape) expr() string {
	switch s.pick(5) {
	case 0:
		return fmt.Sprint(s.pick(4))
	case 1:
		return "{" + s.path() + "} == " + fmt.Sprint(s.pick(2))
	case 2:
		return s.expr() + " + " + s.expr()
	}
	return "{" + s.path() + "}"
}

func (s *shape) params() string {
	var p string
	for range s.pick(3) {
		p += fmt.Sprintf(`<param name="%s" as="%s"/>`, s.of("A", "B", "C", "A.B", "*"), s.name())
	}
	return p
}

func (s *shape) field() {
	if s.pick(3) == 0 {
		fmt.Fprintf(&s.b, `<derived name="%s" type="%s"><expr>%s</expr>%s</derived>`, s.name(), s.of("uint", "bool", "branch"), s.expr(), s.params())
		return
	}
	fmt.Fprintf(&s.b, `<field name="%s" low="0" high="7" type="%s">%s</field>`, s.name(), s.of("uint", "r0", "r1"), s.params())
}

func (s *shape) display() {
	fmt.Fprintf(&s.b, "<display>{%s} {%s}</display>", s.path(), s.path())
}

func (s *shape) bitset(name, parent string) {
	if parent == "" {
		fmt.Fprintf(&s.b, `<bitset name="%s" size="8">`, name)
	} else {
		fmt.Fprintf(&s.b, `<bitset name="%s" extends="%s">`, name, parent)
	}
	for range s.pick(2) {
		fmt.Fprintf(&s.b, "<override><expr>%s</expr>", s.expr())
		for range s.pick(3) {
			s.field()
		}
		if s.pick(2) == 0 {
			s.display()
		}
		s.b.WriteString("</override>")
	}
	for range s.pick(2) {
		fmt.Fprintf(&s.b, `<derived name="%s" type="uint"><expr>%s</expr></derived>`, s.name(), s.expr())
	}
	if s.pick(2) == 0 {
		s.display()
	}
	if parent != "" {
		// Only leaves have fields with bits.
		fmt.Fprintf(&s.b, `<field name="%s" low="0" high="7" type="%s">%s</field>`, s.name(), s.of("r0", "r1", "uint"), s.params())
	}
	fmt.Fprintf(&s.b, "<default name=\"%s\" val=\"%d\"/></bitset>\n", s.path(), s.pick(3))
}

func (s *shape) description() string {
	s.b.WriteString("<isa>\n")
	for i := range 2 {
		root := fmt.Sprintf("r%d", i)
		s.bitset(root, "")
		for k := range 1 + s.pick(2) {
			s.bitset(fmt.Sprintf("%s.%d", root, k), root)
		}
	}
	s.b.WriteString("</isa>\n")
	return s.b.String()
}

// bindShape binds the description that data generates, plain and strict.
func bindShape(t *testing.T, data []byte, environments int) {
	s := shape{bytes: data}
	text, opt := s.description(), Options{maxBoundLeaves: environments}
	var limit *diag.Error
	if err := bind(text, opt); err != nil && !(errors.As(err, &limit) && limit.Code == diag.XMLLimit) {
		t.Fatalf("%v in\n%s", err, text)
	}
	if err := bind(strings.Replace(text, "<isa>", `<isa strict="true">`, 1), opt); err != nil {
		_ = err.Error()
	}
}

// FuzzShapes requires that binding terminates for all cycles between names. The low limit on
// environments keeps each input fast.
func FuzzShapes(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"))
	f.Add([]byte("any bytes at all will do here, the more of them the better, they are picked from"))
	f.Fuzz(func(t *testing.T, data []byte) { bindShape(t, data[:min(len(data), 300)], 60) })
}

// TestManyEnvironments binds a long shape whose uses all pass different parameters.
func TestManyEnvironments(t *testing.T) {
	bindShape(t, append([]byte("00000"), bytes.Repeat([]byte{0x1d}, 135)...), maxBoundLeaves)
}
