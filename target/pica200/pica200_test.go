package pica200_test

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// words holds the rows of testdata/words.txt, whose head tells what they are.
//
//go:embed testdata/words.txt
var words string

// row is a word, the descriptor that it names, and what is expected of them.
type row struct {
	line          int
	word, desc    uint64
	text, finding string
}

// unknown stands in the place of the text of a word that is no instruction.
const unknown = "unknown"

func rows(t *testing.T) []row {
	t.Helper()
	var list []row
	for i, line := range strings.Split(words, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		columns := append(strings.Split(line, "\t"), "", "")
		r := row{line: i + 1, text: columns[1], finding: columns[2]}
		word, desc, _ := strings.Cut(columns[0], " / ")
		r.word = number(t, i+1, word)
		if desc != "" {
			r.desc = number(t, i+1, desc)
		}
		list = append(list, r)
	}
	return list
}

func number(t *testing.T, line int, digits string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 8 {
		t.Fatalf("words.txt:%d: %q, expected 8 hexadecimal digits", line, digits)
	}
	return v
}

func load(t *testing.T) *isa.Set {
	t.Helper()
	s, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

// decode prints the word of a row; its descriptor is entry for every index.
func decode(d *isa.Decoder, r row) (in isa.Inst, text, found string) {
	table := make([]bits.Value, 128)
	for i := range table {
		table[i] = bits.Of(r.desc)
	}
	d.SetTable(0, table)
	in, ok := d.Decode(bits.Of(r.word))
	if !ok {
		return in, unknown, ""
	}
	text = string(d.Append(nil, in))
	var all []string
	for _, f := range d.Findings() {
		all = append(all, f.Text)
	}
	return in, text, strings.Join(all, ", ")
}

func TestWords(t *testing.T) {
	s := load(t)
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	covered := map[*isa.Leaf]bool{}
	for _, r := range rows(t) {
		in, text, found := decode(d, r)
		if text != r.text || found != r.finding {
			t.Errorf("words.txt:%d: %08x / %08x\n got %q %q\nwant %q %q", r.line, r.word, r.desc, text, found, r.text, r.finding)
		}
		covered[in.Leaf] = true
	}
	for _, l := range d.Root().Leaves {
		if !covered[l] {
			t.Errorf("no row of words.txt is a %s", l.Name)
		}
	}
}

// TestIndexNamed checks that the descriptor is the one that the word names, in five bits or seven.
func TestIndexNamed(t *testing.T) {
	s := load(t)
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	table := make([]bits.Value, 128)
	for i := range table {
		table[i] = bits.Of(0x360) // writes nothing, xyzw
	}
	table[0x5f] = bits.Of(0x364) // writes y
	table[0x1f] = bits.Of(0x362) // writes z
	d.SetTable(0, table)
	for word, want := range map[uint64]string{
		0x4e00005f: "mov r0.y, v0",               // 010011 10000 00 0000000 00000 1011111
		0x4e00001f: "mov r0.z, v0",               // 010011 10000 00 0000000 00000 0011111
		0xe000005f: "mad o0.z, v0, v0.x, v2.x",   // 111 00000 00 00000 0000000 00010 11111
		0xc000085f: "madi o0.z, v0, v0.x, c34.x", // 110 00000 00 00000 00000 1000010 11111
		0xb800005f: "cmp v0, eq, eq, v0.x",       // 10111 000 000 00 0000000 00000 1011111
		0x6000005f: "dphi o0.y, v0, v0.x",        // 011000 00000 00 00000 0000000 1011111
		0x4800005f: "mova a0.y, v0",              // 010010 00000 00 0000000 00000 1011111
	} {
		in, ok := d.Decode(bits.Of(word))
		if !ok {
			t.Errorf("%08x is unknown", word)
			continue
		}
		if text := string(d.Append(nil, in)); text != want {
			t.Errorf("%08x\n got %q\nwant %q", word, text, want)
		}
	}
}

// TestDocumented walks the description: whatever can be asked about has an answer.
func TestDocumented(t *testing.T) {
	m := inside.Machine(load(t)).ISA
	check := func(doc, format string, parts ...string) {
		if strings.TrimSpace(doc) == "" {
			t.Errorf("%s %s has no doc", format, strings.Join(parts, "."))
		}
	}
	check(m.Doc, "the machine", m.Name)
	for _, x := range m.Tables {
		check(x.Doc, "table", x.Name)
	}
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

// TestFieldsDocumented asks for the fields of every row as a user of the library does.
func TestFieldsDocumented(t *testing.T) {
	s := load(t)
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows(t) {
		in, text, _ := decode(d, r)
		if text == unknown {
			continue
		}
		if in.Leaf.Doc() == "" {
			t.Errorf("%s has no doc", in.Leaf.Name)
		}
		for _, f := range d.Fields(nil, in) {
			if f.Doc == "" {
				t.Errorf("%s: field %s has no doc", text, f.Path)
			}
		}
	}
}

// TestAliases reads what is never printed: other spellings, and forms that another leaf takes.
func TestAliases(t *testing.T) {
	p, err := asm.New(load(t), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ alias, plain string }{
		{"exp r0, v0.x", "ex2 r0, v0.x"},
		{"log r0, v0.x", "lg2 r0, v0.x"},
		{"lit r0, v0", "litp r0, v0"},
		{"loop i1, 9", "for i1, 9"},
		{"ADD R0.XZ, C3[AL], r1", "add r0.xz, c3[aL], r1"},
		{"dph r0, v0, c1", "dphi r0, v0, c1"},
		{"dst r0, v0, c1", "dsti r0, v0, c1"},
		{"sge r0, v0, c1[a0.x]", "sgei r0, v0, c1[a0.x]"},
		{"slt r0, v0, c1", "slti r0, v0, c1"},
		{"mad r0, v0, v0, c1", "madi r0, v0, v0, c1"},
		{"mad r0, v0, v0, r1[lcnt]", "madi r0, v0, v0, r1[aL]"},
		{"mov r0.stp, v0.rgb", "mov r0.xyz, v0.xyz"},
		{"mov r0.wx, v0.abgr", "mov r0.xw, v0.wzyx"},
		{"mov r0, v0.xxxx", "mov r0, v0.x"},
		{"mov r0, v0.xyzw", "mov r0, v0"},
		{"mov r0, c1[a0]", "mov r0, c1[a0.x]"},
		{"mov r0, c1[a1]", "mov r0, c1[a0.y]"},
		{"mov r0, c1[a2]", "mov r0, c1[aL]"},
		{"mova a0, v0", "mova a0.x, v0"},
		{"mova a1, v0", "mova a0.y, v0"},
		{"mova a01, v0", "mova a0.xy, v0"},
		{"jmpc cmp.y | !cmp.x, 4", "jmpc !cmp.x || cmp.y, 4"},
		{"jmpc cmp.x & cmp.y, 4", "jmpc cmp.x && cmp.y, 4"},
		{"jmpc cmp.y && cmp.x, 4", "jmpc cmp.x && cmp.y, 4"},
		{"breakc !cc.x", "breakc !cmp.x"},
		{"breakc cc.x && !cc.y", "breakc cmp.x && !cmp.y"},
		{"setemit 1, primitive invert", "setemit 1, prim inv"},
		{"setemit 1, inv prim", "setemit 1, prim inv"},
	} {
		got, err := p.Parse(x.alias)
		if err != nil {
			t.Errorf("%s: %v", x.alias, err)
			continue
		}
		want, err := p.Parse(x.plain)
		if err != nil {
			t.Errorf("%s: %v", x.plain, err)
			continue
		}
		if got.Inst != want.Inst || len(got.Entries) != len(want.Entries) || len(got.Entries) > 0 && got.Entries[0].Value != want.Entries[0].Value {
			t.Errorf("%s is %s, expected %s", x.alias, got.Inst.Bits, want.Inst.Bits)
		}
	}
}

// TestCare checks which bits of a descriptor the instructions depend on, which decides what shares
// an entry. The bits: 3..0 mask xyzw, 4 neg1, 12..5 swizzle1 of two bits each, x on top, then nine
// bits for source 2 from bit 13 and nine for source 3 from bit 22.
func TestCare(t *testing.T) {
	p, err := asm.New(load(t), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		text string
		care uint64
	}{
		// component by component: the slots of the components that are written
		{"mov r0, v0", 0xff<<5 | 1<<4 | 0xf},
		{"mov r0.x, v0", 0xc0<<5 | 1<<4 | 0xf},
		{"flr r0.yw, v0", 0x33<<5 | 1<<4 | 0xf},
		{"add r0, v0, v0", 0xff<<14 | 1<<13 | 0xff<<5 | 1<<4 | 0xf},
		{"add r0.z, v0, v0", 0x0c<<14 | 1<<13 | 0x0c<<5 | 1<<4 | 0xf},
		{"mul r0.z, v0, v0", 0x0c<<14 | 1<<13 | 0x0c<<5 | 1<<4 | 0xf},
		{"max r0.z, v0, v0", 0x0c<<14 | 1<<13 | 0x0c<<5 | 1<<4 | 0xf},
		{"min r0.z, v0, v0", 0x0c<<14 | 1<<13 | 0x0c<<5 | 1<<4 | 0xf},
		{"sge r0.z, v0, v0", 0x0c<<14 | 1<<13 | 0x0c<<5 | 1<<4 | 0xf},
		{"slt r0.z, v0, v0", 0x0c<<14 | 1<<13 | 0x0c<<5 | 1<<4 | 0xf},
		{"sgei r0.x, v0, c0", 0xc0<<14 | 1<<13 | 0xc0<<5 | 1<<4 | 0xf},
		{"slti r0.x, v0, c0", 0xc0<<14 | 1<<13 | 0xc0<<5 | 1<<4 | 0xf},
		{"mad r0.xw, v0, v0, v0", 0xc3<<23 | 1<<22 | 0xc3<<14 | 1<<13 | 0xc3<<5 | 1<<4 | 0xf},
		{"madi r0.y, v0, v0, c0", 0x30<<23 | 1<<22 | 0x30<<14 | 1<<13 | 0x30<<5 | 1<<4 | 0xf},
		// dot products: the slots that are summed, whatever is written
		{"dp3 r0.x, v0, v0", 0xfc<<14 | 1<<13 | 0xfc<<5 | 1<<4 | 0xf},
		{"dp4 r0.x, v0, v0", 0xff<<14 | 1<<13 | 0xff<<5 | 1<<4 | 0xf},
		{"dph r0.x, v0, v0", 0xff<<14 | 1<<13 | 0xfc<<5 | 1<<4 | 0xf},
		{"dphi r0.x, v0, c0", 0xff<<14 | 1<<13 | 0xfc<<5 | 1<<4 | 0xf},
		// not pruned
		{"dst r0.x, v0, v0", 0xff<<14 | 1<<13 | 0xff<<5 | 1<<4 | 0xf},
		{"dsti r0.x, v0, c0", 0xff<<14 | 1<<13 | 0xff<<5 | 1<<4 | 0xf},
		{"litp r0.x, v0", 0xff<<5 | 1<<4 | 0xf},
		// functions of one number: slot x
		{"ex2 r0, v0", 0xc0<<5 | 1<<4 | 0xf},
		{"lg2 r0, v0", 0xc0<<5 | 1<<4 | 0xf},
		{"rcp r0.w, v0", 0xc0<<5 | 1<<4 | 0xf},
		{"rsq r0.w, v0", 0xc0<<5 | 1<<4 | 0xf},
		// slots x and y
		{"mova a0.xy, v0", 0xf0<<5 | 1<<4 | 0xf},
		{"mova a0.x, v0", 0xc0<<5 | 1<<4 | 0xf},
		{"mova a0.y, v0", 0x30<<5 | 1<<4 | 0xf},
		{"cmp v0, eq, eq, v0", 0xff<<14 | 1<<13 | 0xf0<<5 | 1<<4},
	} {
		r, err := p.Parse(x.text)
		if err != nil {
			t.Errorf("%s: %v", x.text, err)
			continue
		}
		if len(r.Entries) != 1 {
			t.Errorf("%s has %d entries", x.text, len(r.Entries))
			continue
		}
		if care := r.Entries[0].Care; care != bits.Of(x.care) {
			t.Errorf("%s depends on bits %s of the descriptor, expected %x", x.text, care, x.care)
		}
	}
}
