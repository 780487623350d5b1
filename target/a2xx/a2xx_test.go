package a2xx_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

func loadSet(syntax string) (*isa.Set, error) { return a2xx.Load(isa.Options{Syntax: syntax}) }

func loadSyntax(t testing.TB, syntax string) *isa.Set {
	t.Helper()
	set, err := loadSet(syntax)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return set
}

// words holds the rows of testdata/words.txt, whose head tells what they are.
//
//go:embed testdata/words.txt
var words string

// roots are the kinds of words that rows have.
var roots = []string{"alu", "fetch", "cf", "texture-constant", "buffer-constant"}

// row is a word in its contexts, and its text in both spellings.
type row struct {
	line     int
	root     string
	contexts []string
	word     string
	texts    map[string]string
}

func rows(t *testing.T) (list []row) {
	t.Helper()
	for i, line := range strings.Split(words, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 4 {
			t.Fatalf("words.txt:%d: %d columns", i+1, len(columns))
		}
		kind := strings.Fields(columns[0])
		text := func(s string) string { return strings.ReplaceAll(s, "~", "\t") }
		list = append(list, row{i + 1, kind[0], kind[1:], columns[1], map[string]string{"": text(columns[2]), "mesa": text(columns[3])}})
	}
	return list
}

// context returns the contexts of a row.
func (r *row) context(t *testing.T, set *isa.Set) bits.Value {
	t.Helper()
	ctx := set.DefaultContext()
	for _, c := range r.contexts {
		name, value, _ := strings.Cut(c, "=")
		var err error
		if ctx, err = set.ParseContext(ctx, name, value); err != nil {
			t.Fatalf("words.txt:%d: %v", r.line, err)
		}
	}
	return ctx
}

// TestWords prints every row in both spellings, and reads both back: what the default spelling says is
// the whole word, what Mesa's leaves out is a suffix.
func TestWords(t *testing.T) {
	for _, syntax := range []string{"", "mesa"} {
		set := toolsFor(t, syntax, "vs").set
		decoders, parsers := map[string]*isa.Decoder{}, map[string]*asm.Parser{}
		for _, name := range roots {
			decoders[name], _ = set.NewDecoder(name)
			parsers[name], _ = asm.New(set, name)
		}
		covered := map[*isa.Leaf]bool{}
		for _, r := range rows(t) {
			d, p := decoders[r.root], parsers[r.root]
			ctx := r.context(t, set)
			d.SetContext(ctx)
			p.SetContext(ctx)
			word, err := program.ParseLine(set, r.word)
			if err != nil {
				t.Fatalf("words.txt:%d: %v", r.line, err)
			}
			in, ok := d.Decode(word.Word)
			if !ok {
				t.Errorf("words.txt:%d: unknown", r.line)
				continue
			}
			note(d, in, covered)
			if text := string(d.Append(nil, in)); text != r.texts[syntax] {
				t.Errorf("words.txt:%d: %s\n got %q\nwant %q", r.line, r.word, text, r.texts[syntax])
			}
			if len(d.Findings()) > 0 {
				t.Errorf("words.txt:%d: %s", r.line, d.Findings()[0].Text)
			}
			text, ok := asm.NewLossless(d, p).Append(nil, in)
			if res, err := p.Parse(string(text)); !ok || err != nil || res.Inst.Bits != in.Bits || res.Context != ctx {
				t.Errorf("words.txt:%d: %q gives %s: %v", r.line, text, res.Inst.Bits, err)
			}
			if syntax == "" && string(text) != r.texts[""] {
				t.Errorf("words.txt:%d: the text needs a suffix: %q", r.line, text)
			}
		}
		for _, root := range append([]string{"scalar", "src"}, roots...) {
			r, err := set.Root(root)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range r.Leaves {
				if !covered[l] {
					t.Errorf("no row of words.txt has a %s", l.Name)
				}
			}
		}
	}
}

// byRule are the beginnings of the names of enums whose every value TestSwizzles and TestExportMasks print.
var byRule = []string{"#slot-", "#fetch-", "#vector-", "#scalar-"}

// TestEveryValue looks for a row of every value of every other enum: formats, filters, conditions.
func TestEveryValue(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	met := map[string]map[uint64]bool{}
	decoders := map[string]*isa.Decoder{}
	for _, name := range roots {
		decoders[name], _ = set.NewDecoder(name)
	}
	for _, r := range rows(t) {
		d := decoders[r.root]
		d.SetContext(r.context(t, set))
		word, err := program.ParseLine(set, r.word)
		if err != nil {
			t.Fatal(err)
		}
		in, _ := d.Decode(word.Word)
		for _, f := range d.Fields(nil, in) {
			if met[f.Type] == nil {
				met[f.Type] = map[uint64]bool{}
			}
			met[f.Type][f.Value[0]] = true
		}
	}
	for _, e := range inside.Machine(set).ISA.Enums {
		rule := slices.ContainsFunc(byRule, func(start string) bool { return strings.HasPrefix(e.Name, start) })
		rule = rule || slices.ContainsFunc(inside.Machine(set).ISA.Meaning.Quirks, func(q *spec.Quirk) bool { return q.Enum == e })
		if rule || inside.Machine(set).ISA.Context(e.Name[1:]) != nil {
			continue
		}
		for _, v := range e.Values {
			if !met[e.Name][v.Val] {
				t.Errorf("no row of words.txt has %s %d (%s)", e.Name, v.Val, v.Name)
			}
		}
	}
}

// printed prints a word of a root in every spelling, and reads it back.
func printed(t *testing.T, root string, check func(print func(bits.Value) string)) {
	t.Helper()
	for _, syntax := range []string{"", "mesa"} {
		set := toolsFor(t, syntax, "vs").set
		d, err := set.NewDecoder(root)
		if err != nil {
			t.Fatal(err)
		}
		p, err := asm.New(set, root)
		if err != nil {
			t.Fatal(err)
		}
		lossless := asm.NewLossless(d, p)
		check(func(v bits.Value) string {
			in, _ := d.Decode(v)
			text, ok := lossless.Append(nil, in)
			if res, err := p.ParseBytes(text); !ok || err != nil || res.Inst.Bits != v {
				t.Fatalf("%s: %q gives %s, %v", v, text, res.Inst.Bits, err)
			}
			return string(d.Append(nil, in))
		})
	}
}

// words32 makes a word of 32-bit words, the first lowest.
func words32(w ...uint32) (v bits.Value) {
	for i, x := range w {
		v.SetUint(32*i, 32, uint64(x))
	}
	return v
}

// TestSwizzles prints all swizzles: in slot i of a source of the ALU stands the component less i, modulo
// 4; the destination of a fetch has the component itself, 0, 1, nothing defined, or nothing.
func TestSwizzles(t *testing.T) {
	printed(t, "alu", func(print func(bits.Value) string) {
		for s := range uint32(256) {
			swizzle := "."
			for i := range uint32(4) {
				swizzle += string("xyzw"[(s>>(2*i)+i)%4])
			}
			if s == 0 {
				swizzle = ""
			}
			want := "ALU:\tMAXv\tR0 = R1" + swizzle + ", R2" // source 1 is R1
			if got := print(words32(0x000f0000, s<<16, 0xc2010200)); got != want {
				t.Errorf("swizzle %#x: %q, expected %q", s, got, want)
			}
		}
	})
	printed(t, "fetch", func(print func(bits.Value) string) {
		for s := range uint32(4096) {
			want := "FETCH:\tVERTEX\tR1."
			for i := range uint32(4) {
				want += string("xyzw01?_"[s>>(3*i)%8])
			}
			want += " = R0.x FMT_32 UNSIGNED STRIDE(4) CONST(20, 0)"
			if got := print(words32(0x19481000, 0x00212000|s, 4)); got != want {
				t.Errorf("swizzle %#x: %q, expected %q", s, got, want)
			}
		}
	})
}

// TestExportMasks prints all masks of exports: a component that both halves have is 1, one that neither
// has is 0 where bit 14 is set. The scalar half is printed where it has a component of its own.
func TestExportMasks(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	d, _ := set.NewDecoder("alu")
	p, _ := asm.New(set, "alu")
	for masks := range uint32(512) {
		v, s, zero := masks&15, masks>>4&15, masks>>8
		vector, scalar := "", ""
		for i := range uint32(4) {
			letter := string("xyzw"[i])
			switch {
			case v>>i&1 == 1 && s>>i&1 == 1:
				vector, scalar = vector+"1", scalar+"1"
			case v>>i&1 == 1:
				vector, scalar = vector+letter, scalar+"_"
			case s>>i&1 == 1:
				vector, scalar = vector+"_", scalar+letter
			case zero == 1:
				vector, scalar = vector+"0", scalar+"0"
			default:
				vector, scalar = vector+"_", scalar+"_"
			}
		}
		if vector, scalar = "."+vector, "."+scalar; v == 15 && s == 0 && zero == 0 {
			vector = ""
		}
		if s == 15 && v == 0 && zero == 0 {
			scalar = ""
		}
		want := "ALU:\tMAXv\texport0" + vector + " = R1, R2"
		if zero == 1 && v|s == 15 {
			want += " ZERO"
		}
		want += " MAXs\texport0" + scalar + " = R3"
		w := words32(5<<26|s<<20|v<<16|1<<15|zero<<14, 0, 0xe2010203)
		in, _ := d.Decode(w)
		text := string(d.Append(nil, in))
		if text != want {
			t.Errorf("masks %#x: %q, expected %q", masks, text, want)
		}
		if res, err := p.Parse(text); err != nil || res.Inst.Bits != w {
			t.Errorf("masks %#x: %q gives %s, %v", masks, text, res.Inst.Bits, err)
		}
	}
}

// note notes the leaf of an instruction, and those of its operands.
func note(d *isa.Decoder, in isa.Inst, covered map[*isa.Leaf]bool) {
	covered[in.Leaf] = true
	for _, f := range d.Fields(nil, in) {
		root, err := d.Set().Root(f.Type)
		if err != nil || !strings.HasPrefix(f.Type, "#") {
			continue
		}
		for _, l := range root.Leaves {
			if f.Value.And(l.Mask) == l.Match {
				covered[l] = true
			}
		}
	}
}

// TestDocumented walks the description: whatever can be asked about has an answer.
func TestDocumented(t *testing.T) {
	m := inside.Machine(toolsFor(t, "", "vs").set).ISA
	check := func(doc, format string, parts ...string) {
		if strings.TrimSpace(doc) == "" {
			t.Errorf("%s %s has no doc", format, strings.Join(parts, "."))
		}
	}
	check(m.Doc, "the machine", m.Name)
	for _, x := range m.Contexts {
		check(x.Doc, "context", x.Name)
	}
	for _, x := range m.Enums {
		check(x.Doc, "enum", x.Name)
		for _, v := range x.Values {
			check(v.Doc, "value", x.Name, v.Name)
		}
	}
	for _, b := range m.Bitsets {
		check(b.Doc, "bitset", b.Name)
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				check(f.Doc, "field", b.Name, f.Name)
			}
			for _, s := range c.Sets {
				check(s.Doc, "set", b.Name, s.Name)
			}
		}
	}
}

// TestAliases reads what is never printed: the names of the wiki, and short forms.
func TestAliases(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	for _, x := range []struct{ root, alias, plain string }{
		{"alu", "ALU: MAXv R0.____ = R0, R0 MOV R1.x___ = R2", "ALU: MAXv R0.____ = R0, R0 MAXs R1.x___ = R2"},
		{"alu", "ALU: MAXv R0.____ = R0, R0 RCP R1.x___ = R2", "ALU: MAXv R0.____ = R0, R0 RECIP_IEEE R1.x___ = R2"},
		{"alu", "ALU: MAXv R0.____ = R0, R0 RSQ R1.x___ = R2", "ALU: MAXv R0.____ = R0, R0 RECIPSQ_IEEE R1.x___ = R2"},
		{"alu", "ALU: MAXv R0.____ = R0, R0 EXP2 R1.x___ = R2", "ALU: MAXv R0.____ = R0, R0 EXP_IEEE R1.x___ = R2"},
		{"alu", "ALU: MAXv R0.____ = R0, R0 LOG2 R1.x___ = R2", "ALU: MAXv R0.____ = R0, R0 LOG_IEEE R1.x___ = R2"},
		{"alu", "ALU: MAXv R0.____ = R0, R0 SQRT R1.x___ = R2", "ALU: MAXv R0.____ = R0, R0 SQRT_IEEE R1.x___ = R2"},
		{"alu", "ALU: MAXv R0.____ = R0, R0 PSETE R1.x___ = R2", "ALU: MAXv R0.____ = R0, R0 PRED_SETEs R1.x___ = R2"},
		{"alu", "ALU: MAXv R0.____ = R0, R0 MUL_CONST R1.x___ = C2.x, R6.y", "ALU: MAXv R0.____ = R0, R0 MUL_CONST_0 R1.x___ = C2.x, R6.y"},
		{"alu", "ALU: MAXv R0.____ = R0, R0 SUB_CONST R1.x___ = -C2.x, -R7.y", "ALU: MAXv R0.____ = R0, R0 SUB_CONST_1 R1.x___ = -C2.x, -R7.y"},
		{"alu", "alu: maxv r0.xyzw = r1.xyzw, c2.y", "ALU: MAXv R0 = R1, C2.yyyy"},
		{"alu", "ALU: ADDv R0 = R1.x, R2.w", "ALU: ADDv R0 = R1.xxxx, R2.wwww"},
		{"alu", "ALU: ADDv R0 = R1, R2 ABS_CONST CLAMP", "ALU: ADDv R0 = R1, R2 CLAMP ABS_CONST"},
		{"fetch", "FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT UNSIGNED STRIDE(12) CONST(10)", "FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT UNSIGNED STRIDE(12) CONST(10, 0)"},
		{"fetch", "FETCH: VERTEX R1.xyz1 = R0.x TYPE(0x39) UNSIGNED STRIDE(12) CONST(10, 0)", "FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT UNSIGNED STRIDE(12) CONST(10, 0)"},
		{"fetch", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) LOD_BIAS(2) MAG(POINT)", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) MAG(POINT) LOD_BIAS(2)"},
		{"fetch", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) LOCATION(CENTER)", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0)"},
		{"fetch", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ARBITRARY(2x4_SYM)", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ARBITRARY(NONE)"},
		{"fetch", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ARBITRARY(2x4_SYM) DIM(2D)", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) DIM(2D)"},
		{"fetch", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ARBITRARY(NONE) DIM(2D)", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) DIM(2D)"},
		{"fetch", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ARBITRARY(CONSTANT)", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0)"},
		// masks, and components at the end, that fdasm's sources leave out
		{"fetch", "FETCH: SAMPLE R1 = R0.xyx CONST(0)", "FETCH: SAMPLE R1.xyzw = R0.xyx CONST(0)"},
		{"fetch", "FETCH: SAMPLE R1.xy = R0.xy CONST(0)", "FETCH: SAMPLE R1.xy__ = R0.xyy CONST(0)"},
		{"fetch", "FETCH: SAMPLE R1.1 = R0 CONST(0)", "FETCH: SAMPLE R1.1___ = R0.xyz CONST(0)"},
		{"fetch", "FETCH: SAMPLE R1.xyz = R0.w CONST(0)", "FETCH: SAMPLE R1.xyz_ = R0.www CONST(0)"},
		{"fetch", "FETCH: VERTEX R1 = R0.x FMT_32 SIGNED STRIDE(4) CONST(20, 0)", "FETCH: VERTEX R1.xyzw = R0.x FMT_32 SIGNED STRIDE(4) CONST(20, 0)"},
		{"alu", "ALU: ADDv R0.x = R1.xy, R2.wzy", "ALU: ADDv R0.x___ = R1.xyyy, R2.wzyy"},
		{"alu", "ALU: ADDv R0._y = R1.xx, R2.yxx", "ALU: ADDv R0._y__ = R1.xxxx, R2.yxxx"},
		{"alu", "ALU: ADDv R0.xyz = R1.zzz, R2", "ALU: ADDv R0.xyz_ = R1.zzzz, R2"},
		{"alu", "ALU: MAXv export0.xyz = R0, R0", "ALU: MAXv export0.xyz_ = R0, R0"},
		{"alu", "ALU: MAXv export0.xyz = R0, R0 MAXs export0.___w = R1", "ALU: MAXv export0.xyz_ = R0, R0 MAXs export0.___w = R1"},
		{"alu", "ALU: MAXv export0.xy = R0, R0 MAXs export0.__z = R1", "ALU: MAXv export0.xy__ = R0, R0 MAXs export0.__z_ = R1"},
		// what is named is never what its absence means: the first vertex fetch has PREFETCH(3) and no MINI
		{"fetch", "FETCH: VERTEX R1.xyz1 = R0.x FMT_32 SIGNED STRIDE(4) CONST(20, 0) PREFETCH(3)", "FETCH: VERTEX R1.xyz1 = R0.x FMT_32 SIGNED STRIDE(4) CONST(20, 0)"},
		{"fetch", "FETCH: VERTEX R1.xyz1 = R0.x FMT(0x27) SIGNED STRIDE(4) CONST(20, 0) EXP_ADJUST(0)", "FETCH: VERTEX R1.xyz1 = R0.x FMT_ATI_TC_RGB SIGNED STRIDE(4) CONST(20, 0)"},
		{"fetch", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) LOD_BIAS(0) REG_LOD(0) OFFSET(0,0,0)", "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0)"},
		{"cf", "EXEC ADDR(0x1) CNT(0x1) VC(0x0) BOOL_ADDR(0x0)", "EXEC ADDR(0x1) CNT(0x1)"},
		{"cf", "EXEC ADDR(0x1) CNT(0x1) BOOL_ADDR(0x80)", "EXEC ADDR(0x1) CNT(0x1) PREDICATE_CLEAN"},
		{"cf", "ALLOC COORD SIZE(0x0)", "ALLOC POSITION SIZE(0x0)"},
		{"cf", "COND_EXEC ADDR(0x1) CNT(0x1) BOOL_ADDR(0x0) COND(1) SEQUENCE(0x0)", "COND_EXEC ADDR(0x1) CNT(0x1) COND(1) SEQUENCE(0x0)"},
	} {
		p, err := asm.New(set, x.root)
		if err != nil {
			t.Fatal(err)
		}
		one, err := p.Parse(x.alias)
		if err != nil {
			t.Errorf("%s: %v", x.alias, err)
			continue
		}
		word := one.Inst.Bits
		two, err := p.Parse(x.plain)
		if err != nil || word != two.Inst.Bits {
			t.Errorf("%s is %s, but %s is %s: %v", x.alias, word, x.plain, two.Inst.Bits, err)
		}
	}
}

// TestNamedPrefetch reads every way of going about an address as it is named, in the first vertex fetch of a
// program and behind it, which mean different things where nothing is named.
func TestNamedPrefetch(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	p, err := asm.New(set, "fetch")
	if err != nil {
		t.Fatal(err)
	}
	for _, later := range []string{"false", "true"} {
		ctx, err := set.ParseContext(set.DefaultContext(), "later", later)
		if err != nil {
			t.Fatal(err)
		}
		p.SetContext(ctx)
		for n := range uint64(8) {
			for mini, word := range []string{"", " MINI"} {
				text := fmt.Sprintf("FETCH: VERTEX R1.xyz1 = R0.x FMT_32 SIGNED STRIDE(4) CONST(20, 0) PREFETCH(%d)%s", n, word)
				res, err := p.Parse(text)
				if err != nil || res.Inst.Bits.Uint(27, 3) != n || res.Inst.Bits.Uint(62, 1) != uint64(mini) {
					t.Errorf("later %s, %q: %s, %v", later, text, res.Inst.Bits, err)
				}
			}
		}
	}
}

// TestScalarExport prints and reads the number of an export of the scalar half, for which the hardware takes
// that of the vector half. What a text names it has in both; another number is a suffix.
func TestScalarExport(t *testing.T) {
	set := toolsFor(t, "", "vs").set
	d, _ := set.NewDecoder("alu")
	p, _ := asm.New(set, "alu")
	lossless := asm.NewLossless(d, p)
	for scalar := range uint32(64) {
		w := words32(5<<26|8<<20|7<<16|1<<15|scalar<<8|3, 0, 0xe2010102)
		in, _ := d.Decode(w)
		want := "ALU:\tMAXv\texport3.xyz_ = R1, R1 MAXs\texport3.___w = R2"
		if scalar != 3 {
			want += fmt.Sprintf(" {SDST=0x%x}", scalar)
		}
		text, ok := lossless.Append(nil, in)
		if !ok || string(text) != want {
			t.Errorf("%q, expected %q", text, want)
		}
		plain := fmt.Sprintf("ALU: MAXv export3.xyz_ = R1, R1 MAXs export%d.___w = R2", scalar)
		if res, err := p.Parse(plain); err != nil || res.Inst.Bits != w {
			t.Errorf("%q is %s, expected %s: %v", plain, res.Inst.Bits, w, err)
		}
	}
}
