package facts_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// The example computes liveness by component: for each instruction of a program, the components of registers that it or a
// later instruction reads before they are written.
func Example() {
	set, err := pica200.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	d, err := set.NewDecoder("")
	if err != nil {
		fmt.Println(err)
		return
	}
	code, err := assemble(set, d, "dp3 r0.x, v0, v0", "rsq r0.x, r0", "mov r1.xyz, v1", "mul r1.xy, r1, r0.x", "mov o0, r1", "end")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := facts.Open(set)
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	type component struct {
		state     *facts.State
		number, n int
	}
	components := func(a facts.Access) (list []component) {
		for n := range 64 {
			if a.State.Kind == facts.Registers && a.Number >= 0 && a.Mask>>n&1 != 0 {
				list = append(list, component{a.State, a.Number, n})
			}
		}
		return list
	}
	var list []*facts.Facts
	at := map[int64]int{} // the index of the instruction at an address
	for i, in := range code {
		d.Addr = int64(i) * 32
		f, err := m.Of(d, in)
		if err != nil {
			fmt.Println(err)
			return
		}
		at[d.Addr] = len(list)
		list = append(list, f)
	}
	live := make([]map[component]bool, len(list)) // before each instruction
	for changed := true; changed; {
		changed = false
		for i := len(list) - 1; i >= 0; i-- {
			now := map[component]bool{}
			for f := range list[i].Flows() {
				if next, ok := at[f.Target]; ok {
					maps.Copy(now, live[next])
				}
			}
			for a := range list[i].Writes() {
				for _, c := range components(a) {
					if !a.Maybe {
						delete(now, c)
					}
				}
			}
			for a := range list[i].Reads() {
				for _, c := range components(a) {
					now[c] = true
				}
			}
			changed = changed || len(now) > len(live[i])
			live[i] = now
		}
	}
	for i, in := range code {
		var names []string
		for c := range live[i] {
			names = append(names, facts.Access{State: c.state, Number: c.number, Mask: 1 << c.n}.String())
		}
		slices.Sort(names)
		fmt.Printf("%-20s needs %s\n", d.Text(in), strings.Join(names, " "))
	}
	// dp3 does not read w; r1.w is read and never written; the end of a loop, which any instruction can be, reads aL.

	// Output:
	// dp3 r0.x, v0, v0     needs aL r1.w v0.x v0.y v0.z v1.x v1.y v1.z
	// rsq r0.x, r0         needs aL r0.x r1.w v1.x v1.y v1.z
	// mov r1.xyz, v1       needs aL r0.x r1.w v1.x v1.y v1.z
	// mul r1.xy, r1, r0.x  needs aL r0.x r1.w r1.x r1.y r1.z
	// mov o0, r1           needs aL r1.w r1.x r1.y r1.z
	// end                  needs aL
}

// assemble returns the instructions of lines, whose operand descriptors are those of the decoder from then on.
func assemble(set *isa.Set, d *isa.Decoder, lines ...string) (code []isa.Inst, err error) {
	p, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	table := &asm.GrowingTable{Size: set.Tables()[0].Size}
	p.Tables[0] = table
	for _, line := range lines {
		res, err := p.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		code = append(code, res.Inst)
	}
	d.SetTable(0, table.Entries)
	return code, nil
}
