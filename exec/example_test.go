package exec_test

import (
	"context"
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// An emulator's core: two lanes of a program, of which one takes a branch.
func Example() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	program := []uint64{0x2258, 0x9a02, 0x2057, 0x2251} // add r1, r2, -8; br.lt 2; add r0, r2, 7; add r1, r2, 1
	p, err := exec.NewProcessor(set, exec.Setup{
		Lanes: 2,
		Fetch: func(addr uint64) (bits.Value, bool) {
			if addr >= uint64(len(program)) {
				return bits.Value{}, false
			}
			return bits.Of(program[addr]), true
		},
	})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	for lane, value := range []uint64{5, 9} {
		if err := p.Write("r2", lane, value); err != nil {
			fmt.Println(err)
			return
		}
	}
	p.Start(0) // as often as the program is to run: what was written stays
	for _, stop := range p.Run(100) {
		fmt.Println(stop)
	}
	for lane := range 2 {
		r0, _ := p.Read("r0", lane) // a register of the machine
		r1, _ := p.Read("r1", lane)
		fmt.Println(r0, r1)
	}
	// Output:
	// end of words at 0x8
	// [0] [6]
	// [16] [10]
}

// A program over many lanes: one component of all lanes is a plane, which a run reads and writes where it is.
func ExampleLaunch_Bind() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	words := []uint32{0x9a022258, 0x22512057} // add r1, r2, -8; br.lt 2; add r0, r2, 7; add r1, r2, 1
	machine, err := exec.Open(set)
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	program, err := exec.Raw(machine, words, 0, set.DefaultContext(), nil)
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	var ports []exec.Port
	for _, name := range []string{"r2", "r0", "r1"} {
		port, err := program.Find(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		ports = append(ports, port)
	}
	binding := program.Bind(ports[:1], ports[1:]) // once, before the runs
	in := []exec.Plane{{U32: []uint32{5, 9, 12}}}
	out := exec.NewPlanes(binding.Outputs, 3)
	if _, err := binding.Run(context.Background(), 3, in, out, exec.RunOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0].U32)
	fmt.Println(out[1].U32)
	// Output:
	// [0 16 19]
	// [6 10 13]
}
