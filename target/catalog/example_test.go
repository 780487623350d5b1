package catalog_test

import (
	"fmt"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

func ExampleLookup() {
	m, err := catalog.Lookup("pica200")
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	for _, t := range set.Tables() {
		fmt.Printf("table %s: %d entries of %d bits\n", t.Name, t.Size, t.Bits)
	}
	_, err = catalog.Lookup("voodoo")
	fmt.Println(err)
	// Output:
	// table opdesc: 128 entries of 32 bits
	// unknown machine "voodoo", expected one of pica200, tegra, a2xx, tesla, example
}

// A compiler takes source files, and tells all mistakes and all that is odd.
func ExampleCompiler() {
	m, err := catalog.Lookup("pica200")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := m.NewCompiler()
	if err != nil {
		fmt.Println(err)
		return
	}
	source := &diag.Source{Name: "flat.pica", Text: `.in place
.out spot position
.proc main
	mov spot, place
.end
`}
	out, err := c.Compile([]*diag.Source{source}, catalog.CompileOptions{})
	if err != nil {
		fmt.Print(diag.Render(err))
		return
	}
	fmt.Print(diag.Render(out.Warnings))
	machine, format, _ := catalog.Recognise(out.Bytes)
	fmt.Println(machine.Name, format.Name, len(out.Bytes), "bytes")
	// Output:
	// flat.pica:3:7: warning: main can run past its last word without an end [missing-end]
	//     3 | .proc main
	//       |       ^^^^
	// pica200 SHBIN 152 bytes
}
