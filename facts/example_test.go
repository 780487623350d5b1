package facts_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// Which registers hold what is read later, before each instruction of a program.
func Example() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(isa.Explain(err))
		return
	}
	d, err := set.NewDecoder("")
	if err != nil {
		fmt.Println(err)
		return
	}
	words := []byte{0x58, 0x22, 0x02, 0x9a, 0x57, 0x20, 0x11, 0x22}
	m, err := facts.Open(set)
	if err != nil {
		fmt.Println(isa.Explain(err))
		return
	}
	var code []*facts.Facts
	var texts []string
	at := map[int64]int{} // the instruction at an address
	for w := range d.Code(words) {
		f, err := m.Of(d, w.Inst)
		if err != nil {
			fmt.Println(err)
			return
		}
		at[w.Addr] = len(code)
		code = append(code, f)
		texts = append(texts, string(d.Append(nil, w.Inst)))
	}
	live := make([]map[string]bool, len(code)) // before each instruction
	for changed := true; changed; {
		changed = false
		for i := len(code) - 1; i >= 0; i-- {
			now := map[string]bool{}
			for f := range code[i].Flows() {
				if next, ok := at[f.Target]; ok {
					maps.Copy(now, live[next])
				}
			}
			for a := range code[i].Writes() {
				if !a.Maybe && a.Number >= 0 {
					delete(now, a.String())
				}
			}
			for a := range code[i].Reads() {
				now[a.String()] = true
			}
			changed = changed || len(now) > len(live[i])
			live[i] = now
		}
	}
	for i, text := range texts {
		fmt.Println(text, "needs", slices.Sorted(maps.Keys(live[i])))
	}
	// Output:
	// add r1, r2, -8 needs [r0 r2]
	// br.lt 2 needs [last r0 r2]
	// add r0, r2, 7 needs [r2]
	// add r1, r0, 1 needs [r0]
}
