package exec_test

import (
	"bytes"
	"os"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
)

func groups(t *testing.T, setup exec.Setup) (*exec.Processor, error) {
	t.Helper()
	set, err := isa.Load(os.DirFS("testdata"), "groups.xml", isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return exec.NewProcessor(set, setup)
}

func fetchOf(program ...uint64) func(addr uint64) (bits.Value, bool) {
	return func(addr uint64) (bits.Value, bool) {
		if addr >= uint64(len(program)) {
			return bits.Value{}, false
		}
		return bits.Of(program[addr]), true
	}
}

// A memory that is given is used as it is: the program loads from it and stores into it, and Start leaves it alone.
func TestProcessorMemory(t *testing.T) {
	p, err := groups(t, exec.Setup{Fetch: fetchOf(1<<8|1<<7|2<<3|1, 2<<8|1<<7|0<<3|1)}) // ld r1 = g1[r2]; st g1[r0] = r1
	if err != nil {
		t.Fatal(err)
	}
	data := []byte{0, 0, 0, 0, 0x2a, 1, 0, 0}
	if err := p.SetMemory("g1", data); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p.Start(0)
		if err := p.Write("r2", 0, 4); err != nil {
			t.Fatal(err)
		}
		p.Run(10)
		if r1, err := p.Read("r1", 0); err != nil || r1[0] != 0x12a {
			t.Errorf("r1 = %x, %v, want 12a", r1, err)
		}
	}
	if want := []byte{0x2a, 0, 0, 0, 0x2a, 1, 0, 0}; !bytes.Equal(data, want) {
		t.Errorf("memory %x, want %x", data, want)
	}
	// a smaller one: what is beyond it reads 0
	if err := p.SetMemory("g1", data[:4]); err != nil {
		t.Fatal(err)
	}
	p.Start(0)
	_ = p.Write("r2", 0, 4)
	p.Run(1)
	if r1, _ := p.Read("r1", 0); r1[0] != 0 {
		t.Errorf("r1 = %x, want 0", r1)
	}
}

// What is written before Start is there when the program runs, in each run anew; what a run leaves is not.
func TestProcessorWriteThenStart(t *testing.T) {
	p, err := groups(t, exec.Setup{Lanes: 2, Fetch: fetchOf(1<<6|1<<3|2, 1<<6|2<<3|3)}) // mov r2 = -r1, r1 = 9 + 1; mov r3 = -r2, r2 = 9 + 1
	if err != nil {
		t.Fatal(err)
	}
	write := func(lane int, v uint64) {
		t.Helper()
		if err := p.Write("r1", lane, v); err != nil {
			t.Fatal(err)
		}
	}
	read := func(register string, lane int) uint64 {
		t.Helper()
		v, err := p.Read(register, lane)
		if err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	write(0, 4)
	write(1, 5)
	for range 2 {
		p.Start(0)
		if r3 := read("r3", 0); r3 != 0 {
			t.Errorf("r3 starts as %x, which an earlier run left", r3)
		}
		p.Run(10)
		if a, b := read("r3", 0), read("r3", 1); a != 4 || b != 5 { // twice the sign
			t.Errorf("r3 is %x and %x, want 4 and 5", a, b)
		}
	}
	write(1, 6)
	p.Start(1)
	p.Run(10)
	if a, b, r3 := read("r1", 0), read("r1", 1), read("r3", 0); a != 4 || b != 6 || r3 != 0 { // r2 was 0
		t.Errorf("r1 is %x and %x, r3 %x, want 4, 6 and 0", a, b, r3)
	}
}

// Mistakes are errors that say what is expected.
func TestProcessorRefuses(t *testing.T) {
	if _, err := groups(t, exec.Setup{Lanes: -1, Fetch: fetchOf()}); err == nil || err.Error() != "the wave has -1 lanes, expected 1 to 64" {
		t.Errorf("error %v", err)
	}
	if _, err := groups(t, exec.Setup{Lanes: 65, Fetch: fetchOf()}); err == nil || err.Error() != "the wave has 65 lanes, expected 1 to 64" {
		t.Errorf("error %v", err)
	}
	if _, err := groups(t, exec.Setup{}); err == nil || err.Error() != "the field Fetch is nil, expected a function that returns the bits of the program" {
		t.Errorf("error %v", err)
	}
	p, err := groups(t, exec.Setup{Lanes: 2, Fetch: fetchOf()})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		err  error
		want string
	}{
		{p.Write("r0", 0, 1<<32), "0x100000000 for r0, expected components of type u32"},
		{p.Write("r0", 2, 1), "1 components of r0 in lane 2, expected at most 1, and a lane below 2"},
		{p.Write("r0", 0, 1, 2), "2 components of r0 in lane 0, expected at most 1, and a lane below 2"},
		{p.Write("r8", 0, 1), `unknown register "r8"`},
		{p.SetMemory("g2", nil), `unknown memory "g2"`},
		{p.SetMemory("r", nil), `unknown memory "r"`},
	} {
		if row.err == nil || row.err.Error() != row.want {
			t.Errorf("error %v, want %s", row.err, row.want)
		}
	}
}

// Without a context the processor has that of the description's defaults.
func TestProcessorContext(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa strict="true">
<enum name="#stage"><value val="0" display="a"/><value val="1" display="b"/><value val="2" display="c"/></enum>
<context name="stage" type="#stage" default="b"/>
<register name="r" type="u32"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"><display>stage</display><pattern low="0" high="7">00000000</pattern><semantics>r = {@stage}; end;</semantics></bitset>
</isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	other, err := set.ParseContext(set.DefaultContext(), "stage", "c")
	if err != nil {
		t.Fatal(err)
	}
	for want, ctx := range map[uint64]bits.Value{1: {}, 2: other} {
		p, err := exec.NewProcessor(set, exec.Setup{Fetch: fetchOf(0), Context: ctx})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		p.Run(10)
		if r, err := p.Read("r", 0); err != nil || r[0] != want {
			t.Errorf("r = %d, %v, want %d", r, err, want)
		}
	}
}
