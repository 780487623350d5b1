package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
)

// wordsXML is a machine whose programs get their inputs from memory and leave their outputs in memory: copy moves a word,
// put moves one to an output whose address a register has, half reads 16 bits, load moves one from memory of no use,
// and pick moves a component of a register.
const wordsXML = `<isa name="words" strict="true">
<file name="r" type="u32" count="2" use="temporary" init="0"><alias>$r</alias></file>
<file name="p" type="u32x2" count="2" use="temporary"/>
<view name="h" file="r" type="u16"/>
<memory name="attr" use="input" scope="lane" access="f32 u32 u16"><alias>in</alias></memory>
<memory name="c" count="2" use="constant" scope="launch" size="16" access="f32 u32"/>
<memory name="k" use="constant" scope="launch" access="u32"/>
<memory name="out" use="output" scope="lane" access="f32 u32"/>
<memory name="m" scope="lane" size="8" access="u32" outside="trap"/>
<fetch unit="8"/>
<bitset name="#instruction" size="32"/>
<bitset name="#in" size="8"><display>in[{N}]</display><mem memory="attr" offset="{N}" type="u32"/><semantics type="u32">return attr.u32[{N}];</semantics><field name="N" low="0" high="7" type="hex"/></bitset>
<bitset name="#half" size="8"><display>in[{N}]</display><mem memory="attr" offset="{N}" type="u16"/><semantics type="u32">return zext(attr.u16[{N}], 32);</semantics><field name="N" low="0" high="7" type="hex"/></bitset>
<bitset name="#out" size="8"><display>out[{N}]</display><mem memory="out" offset="{N}" type="u32"/><write type="u32">out.u32[{N}] = value;</write><field name="N" low="0" high="7" type="hex"/></bitset>
<bitset name="#computed" size="8"><display>out[r{N}]</display><mem memory="out" offset="0" type="u32"/><relative file="r" index="{N}"/><write type="u32">out.u32[r[{N}]] = value;</write><field name="N" low="0" high="7" type="uint"/></bitset>
<bitset name="#m" size="8"><display>m[{N}]</display><mem memory="m" offset="{N}" type="u32"/><semantics type="u32">return m.u32[{N}];</semantics><field name="N" low="0" high="7" type="hex"/></bitset>
<bitset name="copy" extends="#instruction"><display>copy {D}, {A}</display><pattern low="16" high="31">0000000000000000</pattern>
  <field name="D" low="0" high="7" type="#out" role="write"/><field name="A" low="8" high="15" type="#in" role="read"/><semantics>{D} = {A};</semantics></bitset>
<bitset name="half" extends="#instruction"><display>half {D}, {A}</display><pattern low="16" high="31">0000000000000001</pattern>
  <field name="D" low="0" high="7" type="#out" role="write"/><field name="A" low="8" high="15" type="#half" role="read"/><semantics>{D} = {A};</semantics></bitset>
<bitset name="put" extends="#instruction"><display>put {D}, {A}</display><pattern low="16" high="31">0000000000000010</pattern>
  <field name="D" low="0" high="7" type="#computed" role="write"/><field name="A" low="8" high="15" type="#in" role="read"/><semantics>{D} = {A};</semantics></bitset>
<bitset name="add" extends="#instruction"><display>add {D}, c0[{A}]</display><pattern low="16" high="31">0000000000000011</pattern>
  <field name="D" low="0" high="7" type="#out" role="write"/><field name="A" low="8" high="15" type="hex"/><semantics>{D} = c0.u32[{A}];</semantics></bitset>
<bitset name="poke" extends="#instruction"><display>poke</display><pattern low="0" high="31">00000000000001000000000000000000</pattern><semantics>m.u32[r[0]] = 1;</semantics></bitset>
<bitset name="pick" extends="#instruction"><display>pick {D}</display><pattern low="8" high="31">000000000000011000000000</pattern>
  <field name="D" low="0" high="7" type="#out" role="write"/><semantics>{D} = p[1].y;</semantics></bitset>
<bitset name="load" extends="#instruction"><display>load {D}, {A}</display><pattern low="16" high="31">0000000000000101</pattern>
  <field name="D" low="0" high="7" type="#out" role="write"/><field name="A" low="8" high="15" type="#m" role="read"/><semantics>{D} = {A};</semantics></bitset>
</isa>`

// wordRun runs words of wordsXML.
func wordRun(t *testing.T, words []uint32, give func(b *feed.Batch) error, opt feed.RunOptions) (string, error) {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"words.xml": {Data: []byte(wordsXML)}}, "words.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l, err := exec.Raw(m, words, 0, set.DefaultContext(), nil)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	b := feed.NewBatch(l)
	if err := give(b); err != nil {
		return "", err
	}
	out, err := b.Run(t.Context(), opt)
	if err != nil {
		return "", err
	}
	var list []string
	for _, c := range out.Tables[0].Columns {
		list = append(list, c.Name)
	}
	for _, row := range out.Tables[0].Rows {
		list = append(list, fmt.Sprintf("%x", row))
	}
	for _, f := range out.Findings {
		list = append(list, fmt.Sprintf("%s unwritten at %d in %d", f.Register(), f.PC, f.Count))
	}
	for _, s := range out.Stops {
		if out.Noted(&s) {
			list = append(list, fmt.Sprintf("%s: %d from %d", s.Stop, s.Count, s.First))
		}
	}
	return strings.Join(list, "; "), nil
}

// Inputs and outputs in memory go by their addresses, as registers do by their names.
func TestWords(t *testing.T) {
	set := func(pairs ...string) func(*feed.Batch) error {
		return func(b *feed.Batch) error {
			for _, p := range pairs {
				name, values, _ := strings.Cut(p, "=")
				if err := b.Set(name, strings.Split(values, ",")); err != nil {
					return err
				}
			}
			return nil
		}
	}
	read := func(format, text string) func(*feed.Batch) error {
		return func(b *feed.Batch) error { return b.Read([]byte(text), format) }
	}
	both := []uint32{0x0400, 0x0808} // copy out[0], in[4]; copy out[8], in[8]
	for _, row := range []struct {
		name  string
		words []uint32
		give  func(*feed.Batch) error
		want  string
	}{
		{"by the name of the text", both, set("in[0x4]=1.5,-2"), "out[0x0]; out[0x8]; [3fc00000 c0000000]"},
		{"by that of the memory", both, set("attr[4]=1", "attr[0x8]=0x7"), "out[0x0]; out[0x8]; [3f800000 7]"},
		{"an input that nobody gives", both, set("in[0x4]=1"), "out[0x0]; out[0x8]; [3f800000 0]; in[0x8] unwritten at 4 in 1"},
		{"one that the program does not read", both, set("in[0xfffc]=1", "in[0x4]=1,1"), "out[0x0]; out[0x8]; [3f800000 3f800000]"},
		{"half a word", []uint32{0x10604}, set("in[0x4]=0x12345678"), "out[0x4]; [1234]"},
		{"half a word that nobody gives", []uint32{0x10604}, set("in[0x0]=0x12345678"), "out[0x4]; [0]; in[0x4] unwritten at 0 in 1"},
		{"constants", []uint32{0x30400}, set("c0[0x0]=0x5,0x6", "c1[0x4]=0x9"), "out[0x0]; [6]"},
		{"JSON, of several lengths", both, read("json", `[{"in[0x4]": [1, 2]}, {"in[0x4]": 1, "in[0x8]": 4}]`),
			"out[0x0]; out[0x8]; [3f800000 40000000]; [3f800000 40800000]"},
		{"CSV", both, read("csv", "attr[0x8],in[0x4]\n1,2\n2,1\n"), "out[0x0]; out[0x8]; [40000000 3f800000]; [3f800000 40000000]"},
		{"raw, in the order of the addresses", both, read("raw", "\x01\x00\x00\x00\x02\x00\x00\x00"), "out[0x0]; out[0x8]; [1 2]"},
		{"memory of no use is not an input", []uint32{0x0400, 0x50008}, read("raw", "\x01\x00\x00\x00"), "out[0x0]; out[0x8]; [1 0]"},
		// put out[r0], in[4]; copy out[0], in[4]: r0 is 12 in one lane and 4 in the other.
		{"a computed address", []uint32{0x20400, 0x0400}, read("csv", "in[0x4],r0\n1,12\n2,4\n"), "out[0x0]; out[0x4]; out[0xc]; [3f800000 0 3f800000]; [40000000 40000000 0]"},
		{"a register of a view", []uint32{0x20400}, set("in[0x4]=1", "h0=0x10"), "out[0x10]; [3f800000]"},
		{"a component", []uint32{0x60000}, read("csv", "p1.y\n0x5\n"), "out[0x0]; [5]"},
		{"another component", []uint32{0x60000}, read("csv", "p0.y\n0x5\n"), "out[0x0]; [0]; p1.y unwritten at 0 in 1"},
		{"a register by its alias", []uint32{0x20400}, set("in[0x4]=1", "$r0=16"), "out[0x10]; [3f800000]"},
	} {
		for _, jobs := range []int{1, 3} {
			got, err := wordRun(t, row.words, row.give, feed.RunOptions{RunOptions: exec.RunOptions{Jobs: jobs}})
			if err != nil || got != row.want {
				t.Errorf("%s: %s, %v, expected %s", row.name, got, err, row.want)
			}
		}
	}
	for name, want := range map[string]string{
		"in[0x2]=1":      "in[0x2], expected in[ADDRESS] with a multiple of 4 below 0x10000",
		"in[x]=1":        "in[x], expected in[ADDRESS]",
		"c0[0x10]=1":     "c0[0x10], expected c0[ADDRESS] with a multiple of 4 below 0x10",
		"k[0x0]=1":       "k[0x0], expected k[ADDRESS] with a multiple of 4 below 0x0", // its size is a launch's
		"c0[0xc]=1,2":    "2 values starting at c0[0xc] are too many, expected at most 1",
		"in[0xfffc]=1,2": "2 values starting at in[0xfffc] are too many, expected at most 1",
		"out[0x0]=1":     "out[0x0] is an output",
		"nothing[0x0]=1": `unknown input, uniform or register "nothing[0x0]", expected one of in[0x4], in[0x8], in[ADDRESS], c0[ADDRESS]`,
		"in[0x4]=a":      `"a", expected a value of type f32`,
	} {
		if _, err := wordRun(t, both, set(name), feed.RunOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %s", name, err, want)
		}
	}
}

// Words of many lanes are those of each lane, whichever wave runs it.
func TestWordsOfWaves(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("in[0x4],r0\n")
	for i := range 200 {
		fmt.Fprintf(&csv, "%#x,%d\n", i, 4*(i%3))
	}
	read := func(b *feed.Batch) error { return b.Read([]byte(csv.String()), "csv") }
	want := []string{"out[0x0]", "out[0x4]", "out[0x8]"}
	for i := range 200 {
		row := [3]int{}
		row[i%3] = i
		want = append(want, fmt.Sprintf("%x", row))
	}
	for _, jobs := range []int{1, 4} {
		got, err := wordRun(t, []uint32{0x20400}, read, feed.RunOptions{RunOptions: exec.RunOptions{Jobs: jobs}})
		if err != nil || got != strings.Join(want, "; ") {
			t.Errorf("%d jobs: %s, %v", jobs, got, err)
		}
	}
}

// A diagnostic of a run is there once, with the total of all waves, though each wave has another detail.
func TestDiagnosticsOnce(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("r0\n")
	for i := range 200 {
		fmt.Fprintf(&csv, "%d\n", 8+4*i)
	}
	read := func(b *feed.Batch) error { return b.Read([]byte(csv.String()), "csv") }
	const want = "in[0x4] unwritten at 0 in 200; trap: access outside of m (4 bytes at 0x8 of 0x8) at 0x4: 200 from 0"
	for _, jobs := range []int{1, 4} {
		got, err := wordRun(t, []uint32{0x0400, 0x40000}, read, feed.RunOptions{RunOptions: exec.RunOptions{Jobs: jobs}})
		if err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("%d jobs: %s, %v, expected %s", jobs, got, err, want)
		}
	}
}
