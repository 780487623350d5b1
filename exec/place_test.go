package exec

import (
	"slices"
	"testing"

	"github.com/isago/isago/bits"
)

// placed has a place of each kind.
const placed = `<isa strict="true">
<enum name="#stage"><value val="0" display="vertex"/><value val="1" display="pixel"/></enum>
<context name="stage" type="#stage" default="vertex"/>
<file name="r" type="u32" count="4"/>
<file name="c" type="f32x4" count="4" scope="launch" use="constant"/>
<file name="b" type="bool" count="2" scope="block"/>
<register name="n" type="u8" scope="wave"/>
<memory name="s" size="8" scope="block"/>
<memory name="l" scope="lane"/>
<fetch unit="8" scope="wave" lanes="32"/>
<input name="x" file="r" number="1" low="0" high="15"/>
<input name="y" file="r" number="1" low="16" high="25"/>
<input name="count" file="c" number="2" components="xz"/>
<input name="again" file="b" number="1"/>
<input name="warp" file="n"/>
<input name="size" memory="s" offset="2" type="u16"/>
<input name="own" memory="l" offset="4"/>
<input name="first" file="r" number="2" context="stage=pixel"/>
<output name="colour" file="c" number="1" count="2" components="xyz" context="stage=pixel"/>
<output name="colour" file="c" number="3" context="stage=vertex"/>
<output name="dropped" file="n"/>
<output name="chosen" file="c"/>
<bitset name="#instruction" size="8"><display>end</display><pattern low="0" high="7">00000000</pattern><semantics>end;</semantics></bitset>
</isa>`

// TestGive puts numbers in places of each kind. They are converted to the type of the place, and leave other bits alone.
func TestGive(t *testing.T) {
	m := parse(t, placed)
	place := func(name string) *Place {
		t.Helper()
		p, err := PlaceOf(m.Machine, bits.Value{}, name)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	shared := NewShared(m.Machine, ScopeBlock, ScopeLaunch)
	w := NewWave(m.program("#instruction", Words{}), shared)
	w.Start(3, 0)
	w.Give(place("x"), 1, 2, 0x10003)
	w.Give(place("y"), 7, 0, 0x400)
	for lane, want := range []uint64{0x70001, 2, 3} { // the highest bits of 0x10003 and 0x400 do not fit
		if got := w.Get(m.state("r"), 1, 0, lane); got != want {
			t.Errorf("r1 of lane %d is %#x, expected %#x", lane, got, want)
		}
	}
	if got := w.Written(m.state("r"), 1, 0); got != 7 {
		t.Errorf("r1 is written in lanes %b, expected 111", got)
	}
	w.Give(place("x"))
	w.Give(place("warp"))
	w.Give(place("y"), make([]uint64, 100)...) // 64 lanes exist
	shared.Give(place("count"), 3)
	for comp, want := range []uint64{0x40400000, 0, 0x40400000, 0} { // 3.0
		if got := shared.Get(m.state("c"), 2, comp); got != want {
			t.Errorf("component %d of c2 is %#x, expected %#x", comp, got, want)
		}
	}
	shared.Give(place("again"), 6)
	if got := shared.Get(m.state("b"), 1, 0); got != 1 {
		t.Errorf("b1 is %d, expected 1", got)
	}
	w.Give(place("warp"), 5, 9)
	if got := w.Get(m.state("n"), 0, 0, 2); got != 5 {
		t.Errorf("n is %d, expected 5, the number of the first lane", got)
	}
	shared.Give(place("size"), 0x1234)
	if got := shared.Memory(m.state("s")); !slices.Equal(got, []byte{0, 0, 0x34, 0x12, 0, 0, 0, 0}) {
		t.Errorf("s is % x", got)
	}
	w.Give(place("own"), 1) // the memory has no bytes yet
	w.SetSize(m.state("l"), 8)
	w.Give(place("own"), 1, 0x01020304)
	if got := w.Memory(m.state("l")); !slices.Equal(got[:16], []byte{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1}) {
		t.Errorf("l of lanes 0 and 1 is % x", got[:16])
	}
	if m.Lanes != 32 {
		t.Errorf("%d lanes of a wave, expected 32", m.Lanes)
	}
}

// TestPlaceOf finds places by name and context.
func TestPlaceOf(t *testing.T) {
	m := parse(t, placed)
	if p, err := PlaceOf(m.Machine, bits.Of(1), "first"); err != nil || p.State() != m.state("r") || p.Number != 2 {
		t.Errorf("place %v, error %v", p, err)
	}
	const want = `the description has no <input name="first">, which this launch needs`
	if _, err := PlaceOf(m.Machine, bits.Of(0), "first"); err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
	if got := m.sem.State("r").Given; !slices.Equal(got, []int{1, 2}) {
		t.Errorf("registers %d have a value at the start, expected 1 and 2", got)
	}
}

// TestOutputOf finds outputs by name and context, in files and in registers outside of all files.
func TestOutputOf(t *testing.T) {
	m := parse(t, placed)
	p, err := OutputOf(m.Machine, bits.Of(1), "colour")
	if err != nil || p.State() != m.state("c") || p.Number != 1 || p.Count != 2 || !slices.Equal(p.Components, []int{0, 1, 2}) {
		t.Errorf("place %v, error %v", p, err)
	}
	if p, err := OutputOf(m.Machine, bits.Of(0), "colour"); err != nil || p.Number != 3 || len(p.Components) != 0 {
		t.Errorf("place %v, error %v", p, err)
	}
	if p, err := OutputOf(m.Machine, bits.Of(0), "dropped"); err != nil || p.State() != m.state("n") || p.Number != 0 {
		t.Errorf("place %v, error %v", p, err)
	}
	const want = `the description has no <output name="chosen"> with a number, which this launch needs`
	if _, err := OutputOf(m.Machine, bits.Of(0), "chosen"); err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
}

// TestFileFor finds the only file with a use.
func TestFileFor(t *testing.T) {
	m := parse(t, placed)
	if s, err := FileFor(m.Machine, "constant"); err != nil || s != m.state("c") {
		t.Errorf("file %v, error %v", s, err)
	}
	const want = `the description has 0 files with use="input", and this launch needs one`
	if _, err := FileFor(m.Machine, "input"); err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
}
