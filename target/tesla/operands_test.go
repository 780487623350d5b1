package tesla_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestOperands compares what is known of the operands of each row, in testdata/operands.txt: a word, its
// text, its mnemonic and its flow, and below it an operand a line. Every instruction has a row.
func TestOperands(t *testing.T) {
	const golden = "testdata/operands.txt"
	s := load(t)
	d := decoder(t, s, "")
	var out bytes.Buffer
	out.WriteString("# chip, stage, words, text, mnemonic and flow; below it the operands: name, text, role, kind, what it is, bits of the word.\n")
	covered := map[*isa.Leaf]bool{}
	for _, r := range slices.Concat(readRows(t), operandRows(t)) {
		d.SetContext(context(t, s, r.chip, r.stage))
		in, ok := d.Decode(r.word)
		if !ok {
			t.Fatalf("%x is not an instruction", r.word)
		}
		covered[in.Leaf] = true
		fmt.Fprintf(&out, "%s %s %s\n", r.chip, r.stage, sayInst(d, in))
	}
	for _, l := range d.Root().Leaves {
		if !covered[l] {
			t.Errorf("no row is a %s", l.Name)
		}
	}
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, expected := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(expected)) {
		if got[i] != expected[i] {
			t.Fatalf("line %d\n got %s\nwant %s", i+1, got[i], expected[i])
		}
	}
	if len(got) != len(expected) {
		t.Errorf("%d lines, want %d", len(got), len(expected))
	}
}

// operandRows are words with what the rows of envydis have not: operands of other stages, and forms.
func operandRows(t *testing.T) []row {
	t.Helper()
	var rows []row
	for _, r := range []struct {
		chip, stage string
		words       []uint64
	}{
		{"g200", "gp", []uint64{0x11800201, 0x04200780}}, // mov from p[]
		{"g200", "vp", []uint64{0x10000201, 0x0423c780}}, // mov from a[]
		{"g200", "vp", []uint64{0x11800201, 0x0423c780}}, // mov from nothing: no primitives here
		{"g200", "vp", []uint64{0x047ffc05, 0x0423c780}}, // ld from 8 bytes below a[$a1], as nouveau writes it
		{"g200", "cp", []uint64{0xd0020405, 0xe0c00784}}, // exch
		{"g200", "cp", []uint64{0xd0020405, 0xe080c788}}, // cas of 64 bits
		{"g200", "cp", []uint64{0xd0021405, 0x40a00780}}, // ld b128
		{"g200", "cp", []uint64{0xa0000003, 0x00000780}}, // joinat
		{"g200", "cp", []uint64{0xf0000001, 0xe0000002}}, // a join
		{"g200", "cp", []uint64{0xf0000001, 0xe0000001}}, // an end that never runs
	} {
		w := row{chip: r.chip, stage: r.stage}
		for i, n := range r.words {
			w.word.SetUint(32*i, 32, n)
		}
		rows = append(rows, w)
	}
	return rows
}

func sayInst(d *isa.Decoder, in isa.Inst) string {
	text, list := d.AppendOperands(nil, nil, in)
	var b strings.Builder
	for i := range in.Leaf.Size / 32 {
		fmt.Fprintf(&b, "%08x ", in.Bits.Word(i))
	}
	fmt.Fprintf(&b, "| %s | %s", text, d.Mnemonic(in))
	for _, f := range d.Flows(nil, in) {
		fmt.Fprintf(&b, " | %s", f.Kind)
		if f.Maybe {
			b.WriteString(" maybe")
		}
		if f.Target >= 0 {
			fmt.Fprintf(&b, " to 0x%x", f.Target/8)
		}
		if f.Stack != "" {
			b.WriteString(" on " + f.Stack)
		}
	}
	for i := range list {
		b.WriteString("\n  " + sayOperand(d.Set(), string(text), &list[i]))
	}
	return b.String()
}

func sayOperand(s *isa.Set, text string, o *isa.Operand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %s %s", o.Name, text[o.Start:o.End], cmpOr(o.Role.String()), cmpOr(o.Kind.String()))
	if o.Register.File != nil {
		b.WriteString(" " + sayRegister(o.Register))
	}
	if o.Memory != nil {
		fmt.Fprintf(&b, " %s at 0x%x", o.Memory.Name, o.Value)
	}
	if o.Relative.File != nil {
		b.WriteString(" + " + sayRegister(o.Relative))
	}
	if o.Type.Bits > 0 {
		b.WriteString(" " + o.Type.String())
	}
	if o.Memory == nil && (o.Register.File == nil || o.Kind != isa.RegisterOperand) {
		fmt.Fprintf(&b, " =0x%x", o.Value)
	}
	for i, name := range s.Modifiers() {
		if o.Modifiers>>i&1 != 0 {
			b.WriteString(" " + name)
		}
	}
	if o.Masked {
		fmt.Fprintf(&b, " mask %04b", o.Mask)
	}
	for _, r := range o.Bits {
		fmt.Fprintf(&b, " %d..%d", r.Low+r.Width-1, r.Low)
	}
	return b.String()
}

func cmpOr(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func sayRegister(r isa.Register) string {
	s := r.File.Name + strconv.Itoa(r.Index)
	if r.Count > 1 {
		s += ".." + strconv.Itoa(r.Index+r.Count-1)
	}
	if r.Width != r.File.Type.Size() {
		s += fmt.Sprintf("[%d:%d]", r.Low+r.Width-1, r.Low)
	}
	return s
}

var (
	registerText = regexp.MustCompile(`\$(r|a|c)(\d+)([lhdq]?)`)
	memoryText   = regexp.MustCompile(`(?:\b(u8|u16|s16|b32) )?\b([sapvlo]|c\d+|g\d+)\[([^\]]*)\]`)
	addressText  = regexp.MustCompile(`^(\$\w+|0x0(?:\+\+))?\+*(?:0x([0-9a-f]+))?$`)
	specialText  = regexp.MustCompile(`\$(physid|clock|vstride|sampleid|sr\d+|pm\d)`)
)

// registersOf finds the registers in a text, each of several on its own. There is no $r128.
func registersOf(text string) (list []string) {
	for _, m := range registerText.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[2])
		count := map[string]int{"d": 2, "q": 4}[m[3]]
		for i := range max(1, count) {
			if n+i > 127 {
				break
			}
			half := map[string]string{"l": "[15:0]", "h": "[31:16]"}[m[3]]
			list = append(list, m[1]+strconv.Itoa(n+i)+half)
		}
	}
	for range specialText.FindAllString(text, -1) {
		list = append(list, "special")
	}
	slices.Sort(list)
	return list
}

// memoriesOf finds the places in memory in a text: the memory and the offset.
func memoriesOf(text string) (list []string) {
	for _, m := range memoryText.FindAllStringSubmatch(text, -1) {
		name, step := m[2], ""
		if name == "a" {
			name = "attr" // the file of the address registers is a
		}
		at := addressText.FindStringSubmatch(m[3])
		if strings.Contains(m[3], "++") {
			step = "++"
		}
		offset, _ := strconv.ParseUint("0"+at[2], 16, 64)
		if name == "o" {
			offset &^= 3 // half a register goes to both halves of an output
		}
		list = append(list, fmt.Sprintf("%s+%x%s", name, offset, step))
	}
	slices.Sort(list)
	return list
}

// places are those that operands say, as memoriesOf writes them.
func places(s *isa.Set, list []isa.Operand) (out []string) {
	step := slices.Index(s.Modifiers(), "post-increment")
	for _, o := range list {
		if o.Memory == nil {
			continue
		}
		text := fmt.Sprintf("%s+%x", o.Memory.Name, o.Value)
		if o.Modifiers>>step&1 != 0 {
			text += "++"
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// A reader of the plain text that knows nothing of the description finds the same registers and memories.
func TestOperandsAreTheTexts(t *testing.T) {
	s := load(t)
	d := decoder(t, s, "")
	rnd := rand.New(rand.NewPCG(13, 1))
	var list []isa.Operand
	for _, chip := range []string{"g84", "g200", "gt215"} {
		for _, stage := range []string{"vp", "gp", "fp", "cp"} {
			d.SetContext(context(t, s, chip, stage))
			for known := 0; known < 200; {
				in, ok := d.Decode(bits.Of(rnd.Uint64()))
				if !ok {
					continue
				}
				known++
				var text []byte
				text, list = d.AppendOperands(nil, list[:0], in)
				var got []string
				for _, o := range list {
					got = append(append(got, eachRegister(o.Register)...), eachRegister(o.Relative)...)
				}
				slices.Sort(got)
				if want := registersOf(string(text)); !slices.Equal(got, want) {
					t.Errorf("%s %s %s\n got %v\nwant %v", chip, stage, sayInst(d, in), got, want)
				}
				if got, want := places(s, list), memoriesOf(string(text)); !slices.Equal(got, want) {
					t.Errorf("%s %s %s\n got %v\nwant %v", chip, stage, sayInst(d, in), got, want)
				}
			}
		}
	}
}

func eachRegister(r isa.Register) (list []string) {
	switch {
	case r.File == nil:
		return nil
	case r.File.Use == "special":
		return []string{"special"}
	}
	for i := range r.Count {
		r.Index, r.Count = r.Index+min(i, 1), 1
		list = append(list, sayRegister(r))
	}
	return list
}
