package prove

import (
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
)

// computed has derived fields with every operator, overridden names, an operand with parameters, a
// field with two parts, a path, a context and a requirement.
const computed = `<isa strict="true">
<enum name="#mode"><value val="0" display="a"/><value val="1" display="b"/><value val="2" display="c"/></enum>
<context name="mode" type="#mode"/>
<bitset name="#pair" size="8">
  <display>{HIGH}.{LOW}.{SUM}</display>
  <field name="LOW" low="0" high="3" type="uint"/>
  <field name="HIGH" low="4" high="7" type="uint"/>
  <derived name="SUM" type="int" width="9"><expr>{LOW} - {HIGH} * {SCALE}</expr></derived>
</bitset>
<bitset name="#instruction" size="40"/>
<bitset name="op" extends="#instruction">
  <display>{P} {A} {B} {S} {X1} {X2} {X3} {X4} {X5} {X6} {X7} {X8} {X9}</display>
  <pattern low="36" high="39">1010</pattern>
  <field name="P" low="0" high="7" type="#pair"><param name="B" as="SCALE"/></field>
  <field name="A" low="8" high="15" type="uint"/>
  <field name="B" low="16" high="18" type="uint"/>
  <field name="S" type="uint"><bits low="19" high="21"/><bits low="32" high="35"/></field>
  <field name="R" low="22" high="31" type="uint"/>
  <override expr="{B} &gt; 5"><field name="A" low="22" high="31" type="uint"/></override>
  <override expr="{S} &amp; 1"><field name="B" low="8" high="12" type="uint"/></override>
  <derived name="X1" type="uint" width="64"><expr>({A} + {R}) * {S} - 77</expr></derived>
  <derived name="X2" type="uint" width="64"><expr>{A} / {B} + {R} % ({S} - 3)</expr></derived>
  <derived name="X3" type="uint" width="64"><expr>1 &lt;&lt; {S} | 3ull &lt;&lt; {B} ^ ~{A}</expr></derived>
  <derived name="X4" type="uint" width="64"><expr>{R} &gt;&gt; {B} &gt;= {S} ? -{A} : !{R} + 4u</expr></derived>
  <derived name="X5" type="uint" width="64"><expr>{A} &lt; {R} &amp;&amp; {S} != 9 || {B} == 2</expr></derived>
  <derived name="X6" type="uint" width="64"><expr>{P.LOW} * 0x100000001 + {@mode}</expr></derived>
  <derived name="X7" type="uint" width="64"><expr>({A}, {X1} &gt; {X2}) &lt;= {X5}</expr></derived>
  <derived name="X8" type="uint" width="64"><expr>-7 / ({B} - 4u) + (0 - {A}) % 5</expr></derived>
  <derived name="X9" type="uint" width="64"><expr>(0 - {A}) &gt;&gt; 2 &lt; {@mode} == #mode.b</expr></derived>
</bitset>
</isa>`

// TestValues compares the circuits of names and expressions with the values that the decoder computes.
func TestValues(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(computed)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	root := d.Root()
	w := newWorld(inside.Machine(set))
	f := w.top(inside.Top(set, root.ID).Bound(inside.Leaf(root.Leaves[0])))
	pair := f.unit.Resolve("P")[0].Ref
	inner := f.inside(pair, pair.Env.Root.Leaves[0], circuit.True)
	frames := map[string]*frame{"": f, "P.": inner}

	r := rand.New(rand.NewPCG(5, 6))
	compared := 0
	for range 40 {
		word := bits.Of(r.Uint64() & (1<<36 - 1)).Or(bits.Of(0xa << 36))
		ctx := bits.Of(uint64(r.IntN(3)))
		d.SetContext(ctx)
		in, ok := d.Decode(word)
		if !ok {
			t.Fatalf("%s does not decode", word)
		}
		values := assign(f, word, ctx)
		for _, x := range d.Fields(nil, in) {
			at := frames[x.Path[:len(x.Path)-len(x.Name)]]
			got := evaluate(w, at.alternatives(at.unit.Resolve(x.Name)), values)
			if got != x.Value[0] {
				t.Errorf("%s of %s: circuit %#x, decoder %#x", x.Path, word, got, x.Value[0])
			}
			compared++
		}
	}
	if compared < 40*17 {
		t.Errorf("%d values compared", compared)
	}
}

// assign sets the inputs of a top scope to the bits of a word and of the contexts.
func assign(f *frame, word, ctx bits.Value) map[int]uint64 {
	values := map[int]uint64{}
	for i, l := range f.word {
		if l > circuit.True {
			values[l.Node()] = word.Bit(i)
		}
	}
	for i, l := range f.w.ctx {
		values[l.Node()] = ctx.Bit(i)
	}
	return values
}

// evaluate returns a number for an assignment of the inputs.
func evaluate(w *world, v circuit.Vec, inputs map[int]uint64) uint64 {
	var out uint64
	for i, b := range w.Evaluate(inputs, v...) {
		out |= b & 1 << i
	}
	return out
}
