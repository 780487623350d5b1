package exec_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/isago/isago/bits"
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

// Mistakes are errors that say what is expected.
func TestProcessorRefuses(t *testing.T) {
	if _, err := groups(t, exec.Setup{Lanes: -1, Fetch: fetchOf()}); err == nil || err.Error() != "-1 lanes, expected 1 to 64" {
		t.Errorf("error %v", err)
	}
	if _, err := groups(t, exec.Setup{Lanes: 65, Fetch: fetchOf()}); err == nil || err.Error() != "65 lanes, expected 1 to 64" {
		t.Errorf("error %v", err)
	}
	if _, err := groups(t, exec.Setup{}); err == nil || err.Error() != "no Fetch, expected a function that returns the bits of the program" {
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
		{p.Write("r8", 0, 1), `no register "r8"`},
		{p.SetMemory("g2", nil), `no memory "g2"`},
		{p.SetMemory("r", nil), `no memory "r"`},
	} {
		if row.err == nil || row.err.Error() != row.want {
			t.Errorf("error %v, want %s", row.err, row.want)
		}
	}
}
