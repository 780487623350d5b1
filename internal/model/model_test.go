package model

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// machine binds a description without errors.
func machine(t *testing.T, text string, opt Options) *Machine {
	t.Helper()
	isa, err := spec.Load(fstest.MapFS{"a.xml": {Data: []byte(text)}}, "a.xml")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := New(isa, opt)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return m
}

// unit returns the bound leaf with that name at the top.
func (m *Machine) unit(t *testing.T, name string) *BoundLeaf {
	t.Helper()
	for _, r := range m.Roots {
		for _, l := range r.Leaves {
			if l.Name == name {
				return m.TopEnv(r).Bound(l)
			}
		}
	}
	t.Fatalf("no leaf %s", name)
	return nil
}

// names lists the leaves of all roots.
func (m *Machine) names() string {
	var list []string
	for _, r := range m.Roots {
		for _, l := range r.Leaves {
			list = append(list, l.Name)
		}
	}
	return strings.Join(list, " ")
}

// showAlts formats the meanings of a name with their conditions and scope depths.
func showAlts(alts []Alt) string {
	var list []string
	for _, a := range alts {
		s := "nothing"
		if a.Ref != nil {
			s = a.Ref.Name()
			if a.Ref.ScopeDepth > 0 {
				s += fmt.Sprintf("^%d", a.Ref.ScopeDepth)
			}
			if a.Ref.Prog != nil {
				s += "=" + a.Ref.Prog.Spec.Text
			} else if a.Ref.Low >= 0 {
				s += fmt.Sprintf("[%d+%d]", a.Ref.Low, a.Ref.Width)
			}
		}
		if a.Cond != nil {
			s += fmt.Sprintf(" if %s^%d", a.Cond.Spec.Text, a.CondDepth)
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

func TestEverything(t *testing.T) {
	isa, err := spec.Load(os.DirFS("../spec/testdata"), "everything.xml")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	for _, syntax := range isa.Syntaxes() {
		if _, err := New(isa, Options{Syntax: syntax}); err != nil {
			t.Fatal(diag.Render(err))
		}
	}
}

func TestLeaves(t *testing.T) {
	const text = `<isa><bitset name="#i" size="16"><gen min="2"/><doc>Of all.</doc></bitset>
		<bitset name="#alu" extends="#i"><pattern low="12" high="15">01x1</pattern><field name="A" low="0" high="7" type="uint"/></bitset>
		<bitset name="add" displayname="add.u" extends="#alu"><pattern low="8" high="11">1x00</pattern></bitset>
		<bitset name="old" extends="#alu"><doc>Own.</doc><gen max="3"/><pattern low="8" high="11">0000</pattern></bitset>
		<bitset name="new" extends="#alu" ><gen min="4"/><pattern low="8" high="11">0000</pattern></bitset></isa>`
	for gen, want := range map[uint32]string{0: "", 1: "", 2: "add old", 3: "add old", 4: "add new", 1 << 31: "add new"} {
		if got := machine(t, text, Options{Gen: gen}).names(); got != want {
			t.Errorf("generation %d has %q, want %q", gen, got, want)
		}
	}
	m := machine(t, text, Options{Gen: 2})
	add := m.Roots[0].Leaves[0]
	// 01x1 1x00: bits 14, 12 and 11 are 1, bits 15, 9 and 8 are 0, bits 13 and 10 are ignored.
	if add.Match != bits.Of(0x5800) || add.Mask != bits.Of(0xdb00) || add.DontCare != bits.Of(0x2400) {
		t.Errorf("match %s, mask %s, ignored %s", add.Match, add.Mask, add.DontCare)
	}
	if add.Display != "add.u" || add.Doc() != "Of all." || m.Roots[0].Leaves[1].Doc() != "Own." {
		t.Errorf("display %q, docs %q and %q", add.Display, add.Doc(), m.Roots[0].Leaves[1].Doc())
	}
}

func TestMainRoot(t *testing.T) {
	root := func(name, field string) string {
		return fmt.Sprintf(`<bitset name="%s" size="1"><field name="F" pos="0" type="%s"/></bitset>`, name, field)
	}
	for _, c := range []struct{ text, want string }{
		{root("a", "uint"), "a"},
		{root("a", "uint") + root("#instruction", "uint"), "#instruction"},
		{root("a", "uint") + root("b", "a") + root("c", "uint"), "b"},
		{root("a", "b") + root("b", "a"), "a"},
	} {
		m := machine(t, "<isa>"+c.text+"</isa>", Options{})
		if r, err := m.Root(""); err != nil || r.Name != c.want {
			t.Errorf("%s: got %v, %v, want %s", c.text, r, err, c.want)
		}
	}
	m := machine(t, "<isa>"+root("#a", "uint")+root("b", "uint")+"</isa>", Options{})
	for _, name := range []string{"#a", "a"} {
		if r, err := m.Root(name); err != nil || r.Name != "#a" {
			t.Errorf("%s: got %v, %v", name, r, err)
		}
	}
	if _, err := m.Root("c"); err == nil || err.Error() != `unknown root "c", expected one of #a, b` {
		t.Errorf("got %v", err)
	}
	if r, err := machine(t, "<isa/>", Options{}).Root(""); r != nil || err != nil {
		t.Errorf("no bitset: got %v, %v", r, err)
	}
}

func TestEnums(t *testing.T) {
	const text = `<isa strict="true"><enum name="#e">
		<value val="0" display="zero"><alias>null</alias></value>
		<value val="2" display="two"/>
		<value val="2" display="zwei" syntax="de"/>
		<value val="3" display="drei" syntax="de"/>
		<value val="0" display="again"/>
		<value val="0x123456789" display="far"/>
	</enum>
	<bitset name="a" size="36"><display>{E}</display><display syntax="de">{E}</display><field name="E" low="0" high="35" type="#e"/></bitset></isa>`
	for _, c := range []struct {
		syntax string
		val    uint64
		want   string
	}{
		{"", 0, "zero"}, {"", 2, "two"}, {"", 0x123456789, "far"}, {"de", 0, "zero"}, {"de", 2, "zwei"}, {"de", 3, "drei"},
		{"", 1, "-"}, {"", 3, "-"}, {"", 5000, "-"}, {"de", 1, "-"},
	} {
		m := machine(t, text, Options{Syntax: c.syntax})
		got, ok := m.enums[m.ISA.Enum("#e")].Lookup(c.val)
		if !ok {
			got = "-"
		}
		if got != c.want {
			t.Errorf("%d in syntax %q: got %s, want %s", c.val, c.syntax, got, c.want)
		}
	}
	m := machine(t, text, Options{})
	var read []string
	for _, x := range m.enums[m.ISA.Enum("#e")].Texts {
		read = append(read, fmt.Sprintf("%s=%d", x.Text, x.Val))
	}
	if got, want := strings.Join(read, " "), "zero=0 two=2 far=4886718345 null=0 again=0"; got != want {
		t.Errorf("texts %s, want %s", got, want)
	}
}

func TestNames(t *testing.T) {
	m := machine(t, `<isa>
	<enum name="#stage"><value val="0" display="vs"/><value val="5" display="ps"/></enum>
	<context name="on" type="bool"/><context name="stage" type="#stage" default="ps"/>
	<bitset name="#pair" size="8"><field name="HI" low="4" high="7" type="uint"/><field name="LO" low="0" high="3" type="hex"/><derived name="SUM" type="uint"><expr>{HI} + {LO}</expr></derived></bitset>
	<bitset name="#deep" size="8"><field name="P" low="0" high="7" type="#pair"/></bitset>
	<bitset name="#i" size="16">
		<override><expr>{A} == 1</expr><field name="B" low="8" high="9" type="uint"/></override>
		<field name="B" low="10" high="11" type="uint"/>
		<derived name="D" type="uint"><expr>{A} + 1</expr></derived>
		<field name="TOP" low="12" high="15" type="uint"/>
	</bitset>
	<bitset name="a" extends="#i">
		<override><expr>{A} == 2</expr><field name="B" low="8" high="11" type="uint"/></override>
		<override><expr>{A} == 3</expr><derived name="B" type="uint"><expr>7</expr></derived></override>
		<field name="A" low="0" high="7" type="#pair"/>
		<pattern low="8" high="9">00</pattern>
	</bitset>
	<bitset name="b" extends="#i"><field name="X" low="0" high="7" type="#deep"/><field name="A" type="uint"><bits pos="9"/><bits pos="8"/></field></bitset>
	</isa>`, Options{})
	for _, c := range []struct{ leaf, name, want string }{
		{"a", "TOP", "TOP[12+4]"},
		{"a", "B", "B[8+4] if {A} == 2^0, B=7 if {A} == 3^0, B[8+2] if {A} == 1^0, B[10+2]"},
		{"a", "D", "D={A} + 1"},
		{"a", "GONE", "nothing"},
		{"a", "A", "A[0+8]"},
		{"a", "A.LO", "A.LO[0+4]"},
		{"a", "A.SUM", "nothing"}, // A derived field is not a part.
		{"a", "A.GONE", "nothing"},
		{"a", "TOP.LO", "nothing"},
		{"a", "GONE.LO", "nothing"},
		{"b", "X.P.HI", "X.P.HI[4+4]"},
		{"b", "A", "A"}, // in two parts
		{"b", "@on", "@on[0+1]"},
		{"b", "@stage", "@stage[1+3]"},
		{"b", "@gone", "nothing"},
	} {
		if got := showAlts(m.unit(t, c.leaf).Resolve(c.name)); got != c.want {
			t.Errorf("%s in %s\n got %s\nwant %s", c.name, c.leaf, got, c.want)
		}
	}
	if want := (bits.Value{5 << 1}); m.Context != want {
		t.Errorf("contexts %s, want %s", m.Context, want)
	}
	if got := fmt.Sprint(m.unit(t, "a").Fields()); got != "[B D TOP A]" {
		t.Errorf("fields %s", got)
	}
}

// TestUnused has two operands of one type that select different table entries. The paths distinguish
// the entries. Parts of one entry are combined under their conditions.
func TestUnused(t *testing.T) {
	m := machine(t, `<isa strict="true">
	<bitset name="#entry" size="8"><display>{U}{V}</display><field name="U" low="0" high="3" type="hex"/><field name="V" low="4" high="7" type="hex"/></bitset>
	<table name="t" type="#entry" size="4"/>
	<bitset name="#src" size="3"><display>{D.U}{D.V}{F}</display><field name="D" low="0" high="1" type="#entry" table="t"/><field name="F" pos="2" type="bool"/></bitset>
	<bitset name="#i" size="8"/>
	<bitset name="a" extends="#i"><display>{A} {B}{C}</display>
		<field name="A" low="0" high="2" type="#src"/><field name="B" low="3" high="5" type="#src"/><field name="C" low="6" high="7" type="uint"/>
		<unused path="A.D.U"/><unused path="B.D.V"/><unused path="A.D.V" expr="{C} == 0"/><unused path="B.D.U"/>
	</bitset></isa>`, Options{})
	var got []string
	for _, x := range m.unit(t, "a").Unused {
		s := x.Entry.Name()
		for _, b := range x.Bits {
			s += " " + b.Mask.String()
			if b.Cond != nil {
				s += "?"
			}
		}
		got = append(got, s)
	}
	if want := []string{"A.D f f0?", "B.D ff"}; !slices.Equal(got, want) {
		t.Errorf("unused %q, want %q", got, want)
	}
}

func TestParameters(t *testing.T) {
	m := machine(t, `<isa>
	<bitset name="#in" size="4"><field name="N" low="0" high="3" type="uint"/></bitset>
	<bitset name="#mid" size="4"><field name="IN" low="0" high="3" type="#in"><param name="Q" as="R"/><param name="N"/></field></bitset>
	<bitset name="#all" size="4"><field name="IN" low="0" high="3" type="#in"><param name="*"/></field></bitset>
	<bitset name="a" size="16">
		<override><expr>{Z}</expr><field name="P" low="14" high="15" type="uint"/></override>
		<field name="X" low="0" high="3" type="#mid"><param name="P" as="Q"/></field>
		<field name="Y" low="4" high="7" type="#all"><param name="*"/></field>
		<field name="P" low="8" high="11" type="uint"/>
		<field name="S" low="12" high="15" type="#in"/>
		<derived name="Z" type="uint"><expr>{P} == 1</expr></derived>
	</bitset></isa>`, Options{})
	inner := func(fields ...string) *BoundLeaf {
		u := m.unit(t, "a")
		for _, f := range fields {
			env := u.Resolve(f)[0].Ref.Env
			u = env.Bound(env.Root.Leaves[0])
		}
		return u
	}
	for _, c := range []struct {
		unit       *BoundLeaf
		name, want string
	}{
		{inner("X"), "Q", "P^1[14+2] if {Z}^1, P^1[8+4]"},
		{inner("X"), "P", "nothing"},
		{inner("X", "IN"), "R", "P^2[14+2] if {Z}^2, P^2[8+4]"},
		{inner("X", "IN"), "N", "N[0+4]"}, // The local field hides the parameter.
		{inner("X", "IN"), "Q", "nothing"},
		{inner("Y"), "P", "P^1[14+2] if {Z}^1, P^1[8+4]"},
		{inner("Y", "IN"), "P", "P^2[14+2] if {Z}^2, P^2[8+4]"},
		{inner("Y", "IN"), "S", "S^2[12+4]"},
		{inner("Y", "IN"), "GONE", "nothing"},
		{inner("S"), "P", "nothing"},
	} {
		if got := showAlts(c.unit.Resolve(c.name)); got != c.want {
			t.Errorf("%s in %s\n got %s\nwant %s", c.name, c.unit.where(), got, c.want)
		}
	}
	if s := inner("S").Env; !s.Closed() || s != m.TopEnv(s.Root) {
		t.Error("an operand without parameters has its own environment")
	}
	if inner("X").Env.Closed() {
		t.Error("an operand with parameters has no environment of its own")
	}
}

// TestRefines names an inner bitset in overlap="refines NAME".
func TestRefines(t *testing.T) {
	m := machine(t, `<isa strict="true"><bitset name="#i" size="8"><display>{NAME}</display></bitset>
		<bitset name="#alu" extends="#i"><pattern pos="7">0</pattern></bitset>
		<bitset name="add" extends="#alu"><pattern pos="6">0</pattern><field name="V" low="0" high="5" type="uint"/></bitset>
		<bitset name="sub" extends="#alu"><pattern pos="6">1</pattern><field name="V" low="0" high="5" type="uint"/></bitset>
		<bitset name="nop" extends="#i" overlap="refines #alu"><pattern low="0" high="7">00000000</pattern></bitset></isa>`, Options{})
	var list []string
	for _, l := range m.unit(t, "nop").Leaf.Refines {
		list = append(list, l.Name)
	}
	if got := strings.Join(list, " "); got != "add sub" {
		t.Errorf("nop refines %s", got)
	}
}

// TestRefinesThrough requires that the relation is transitive, in any file order.
func TestRefinesThrough(t *testing.T) {
	m := machine(t, `<isa strict="true"><bitset name="#i" size="8"><display>{NAME}</display></bitset>
		<bitset name="one" extends="#i" overlap="refines some"><pattern low="0" high="7">00000011</pattern></bitset>
		<bitset name="any" extends="#i"><pattern pos="7">0</pattern><pattern low="0" high="6">xxxxxxx</pattern></bitset>
		<bitset name="some" extends="#i" overlap="refines any"><pattern low="2" high="7">000000</pattern><pattern low="0" high="1">xx</pattern></bitset></isa>`, Options{})
	var list []string
	for _, l := range m.unit(t, "one").Leaf.Refines {
		list = append(list, l.Name)
	}
	if got := strings.Join(list, " "); got != "some any" {
		t.Errorf("one refines %s", got)
	}
}

// TestStorage checks the word size for several leaf sizes and <text> elements.
func TestStorage(t *testing.T) {
	for _, c := range []struct {
		text      string
		sizes     [2]int // the size of the root and, if there is one, of a longer leaf
		unit      int
		highFirst bool
		stored    int // of the longest leaf
	}{
		{"", [2]int{12, 0}, 8, false, 16},
		{"", [2]int{16, 48}, 16, false, 48},
		{"", [2]int{32, 64}, 32, false, 64},
		{"", [2]int{96, 0}, 32, false, 96},
		{`<text words="high-first"/>`, [2]int{64, 0}, 32, true, 64},
		{`<text words="high-first"/>`, [2]int{16, 32}, 16, false, 32},
		{`<text words="high-first" storage="16"/>`, [2]int{16, 32}, 16, true, 32},
		{`<text storage="32"/>`, [2]int{12, 0}, 32, false, 32},
		{`<text storage="8"/>`, [2]int{32, 0}, 8, false, 32},
		{`<text storage="16"/>`, [2]int{12, 36}, 16, false, 48},
	} {
		text := c.text + fmt.Sprintf(`<bitset name="a" size="%d"><display>{F}</display></bitset><bitset name="b" extends="a"><pattern pos="0">0</pattern><field name="F" low="1" high="%d" type="hex"/></bitset>`, c.sizes[0], c.sizes[0]-1)
		if c.sizes[1] > 0 {
			text += fmt.Sprintf(`<bitset name="c" extends="a" size="%d"><pattern pos="0">1</pattern><field name="F" low="1" high="%d" type="hex"/></bitset>`, c.sizes[1], c.sizes[1]-1)
		}
		r := machine(t, `<isa strict="true">`+text+"</isa>", Options{}).Roots[0]
		if r.WordSize != c.unit || r.HighFirst != c.highFirst || r.StoredSize(r.Size) != c.stored || r.MinSize != c.sizes[0] {
			t.Errorf("%s, %v: words of %d bits, %v, %d bits stored, shortest %d", c.text, c.sizes, r.WordSize, r.HighFirst, r.StoredSize(r.Size), r.MinSize)
		}
	}
}

// TestMeta requires that the nearest bitset with the attribute wins.
func TestMeta(t *testing.T) {
	m := machine(t, `<isa><bitset name="a" size="8"><meta x="root" y="all"/></bitset>
		<bitset name="b" extends="a"><meta x="leaf"/><field name="F" low="0" high="7" type="hex"/></bitset></isa>`, Options{})
	l := m.Roots[0].Leaves[0]
	if x, y, z := l.Meta("x"), l.Meta("y"), l.Meta("z"); x != "leaf" || y != "all" || z != "" {
		t.Errorf("x %q, y %q, z %q", x, y, z)
	}
}
