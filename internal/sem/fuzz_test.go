package sem_test

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// fuzzed is a description whose function, operand, write, around and instruction are given.
const fuzzed = `<isa strict="true">
<file name="r" type="u32" count="8"/>
<view name="h" file="r" type="u16"/>
<file name="f" type="f32x4" count="8"/>
<memory name="m" size="64"/>
<register name="w" type="u64" scope="wave" init="exists"/>
<stack name="s" depth="4"><slot name="a" type="u32"/></stack>
<rom name="t" type="u8">1 2 3</rom>
<quirk name="q" type="bool" default="false"/>
<function name="g(a: u[n], b: u[n]): (u[n], bool)">FUNCTION</function>
<bitset name="#x" size="3">
  <display>{N}</display>
  <field name="N" low="0" high="2" type="uint"/>
  <semantics type="u32">OPERAND</semantics>
  <write type="u32">WRITE</write>
</bitset>
<bitset name="#instruction" size="8">
  <around>AROUND</around>
  <display>{A} {B}</display>
  <field name="A" low="0" high="2" type="#x"/>
  <field name="B" low="3" high="7" type="int"/>
  <semantics>CODE</semantics>
</bitset>
</isa>`

// Any code is refused with its place, or lowers to operations that the verifier takes.
func FuzzCode(f *testing.F) {
	f.Add("let s = a + b; return (s, s == 0);", "return r[{N}];", "r[{N}] = value;", "inner;", "let (v, c) = g(r[1], {A}); {A} = v; if (c) { end; }")
	f.Add("return (a, false);", "return zext(h[{N}], 32);", "h[{N}] = trunc(value, 16);", "if (w != 0) { inner; }", "push s { a = {A} }; r[0] = top(s).a; pop s; pc = here + {B};")
	f.Add("return (~a, b == a);", "if (r[0] == 1) { return 2; } return 3;", "", "together { inner; }", "f[0].where({B}) = f[1] * f[2]; for i in 0 .. 4 { r[i] = m.u32[r[1]]; }")
	f.Add("return (a << 1, true);", "return u32(lane);", "m.u8[value] = 1;", "inner; inner;", "f[1].xy = f[2].wz; r[h[1] == 2 ? 1 : 2][7:0] = t[1]; r[1] = to_u32(f[1].x, rz);")
	f.Add("return (mulhigh(a, b), carry(a, b));", "return {@q} ? 1 : clz(r[1]);", "trap \"no\";", "var x: u32 = 1; x = x + 1; inner;", "r[1] = bits(exp2(f[1].x)); barrier(1, 2); if (ballot(r[1] == 2) == 0 || any(r[2] != 1)) { end; }")
	escape := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s))
		return b.String()
	}
	f.Fuzz(func(t *testing.T, function, operand, write, around, code string) {
		text := strings.NewReplacer("FUNCTION", escape(function), "OPERAND", escape(operand), "WRITE", escape(write), "AROUND", escape(around), "CODE", escape(code)).Replace(fuzzed)
		isa, err := spec.Load(fstest.MapFS{"f.xml": {Data: []byte(text)}}, "f.xml")
		if err != nil {
			return
		}
		mod, err := model.New(isa, model.Options{})
		if err != nil {
			return
		}
		m, err := sem.New(mod)
		if err == nil {
			root, _ := mod.Root("")
			err = m.Check(root)
		}
		if err != nil {
			var list diag.List
			if !errors.As(err, &list) || len(list) == 0 || !list[0].Span.IsValid() {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		root, _ := mod.Root("")
		for _, w := range []uint64{0, 0x5a, 0xff} {
			c, err := m.Lower(root, &sem.Words{Context: mod.Context}, bits.Of(w), 3)
			var e *diag.Error
			switch {
			case errors.As(err, &e): // what depends on the bits
			case err != nil:
				t.Fatal(err)
			default:
				c.Whole() // which is verified, like all code
			}
		}
	})
}
