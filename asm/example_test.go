package asm_test

import (
	"errors"
	"fmt"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

func ExampleParser_Parse() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	p, err := asm.New(set, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"add r1, r2, -3", "LSL r0,s1,0x10 // another name", "mul r1, r2, r9"} {
		r, err := p.Parse(text)
		var e *asm.Error
		if errors.As(err, &e) {
			fmt.Printf("column %d: %s\n", e.Off+1, e.Msg)
			continue
		}
		fmt.Printf("%s %04x\n", r.Inst.Leaf.Display, r.Inst.Bits.Uint(0, 16))
	}
	// Output:
	// add 225d
	// shl 612f
	// column 14: 9 does not fit N, expected 0 to 7
}

// The caller owns the labels, and the parser calls Symbol for their addresses.
func ExampleParser_symbol() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	p, err := asm.New(set, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Symbol = func(name string) (addr int64, ok bool) { return 5 * 16, name == "loop" }
	p.Addr = 7 * 16
	r, err := p.Parse("br.eq loop")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%016b\n", r.Inst.Bits.Uint(0, 16)) // 100, equal, no link, likely, two instructions back
	// Output: 1000101111111110
}

// An editor asks what can stand at a column, and where the parts of a line are.
func ExampleParser_Expected() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	p, err := asm.New(set, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	line := "add r1, r2, "
	for _, x := range p.Expected(line, len(line)) {
		switch x.Kind {
		case asm.ExpectedNumber:
			fmt.Printf("%s: %s, as in %q\n", x.Field, x.Range, x.Example)
		default:
			fmt.Printf("%s, as in %q\n", x.Text, x.Example)
		}
	}
	line = "LSL r0,s1,0x0a // another name"
	a, err := p.Annotate(line)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range a.Operands {
		fmt.Printf("%s is %s\n", o.Name, line[o.Start:o.End])
	}
	// Output:
	// B: -8 to 7, as in "add r1, r2, 0"
	// r, as in "add r1, r2, r0"
	// s, as in "add r1, r2, s0"
	// DST is r0
	// A is s1
	// N is 0x0a
}

// If the text alone does not assemble to the same word, a suffix specifies the other bits.
func ExampleLossless() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	d, err := set.NewDecoder("")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := asm.New(set, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	lossless := asm.NewLossless(d, p)
	for _, word := range []uint64{0x8a01, 0x8801} {
		in, _ := d.Decode(bits.Of(word))
		text, _ := lossless.Append(nil, in)
		r, err := p.Parse(string(text))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%04x: %s: %04x\n", word, text, r.Inst.Bits.Uint(0, 16))
	}
	// Output:
	// 8a01: br.eq 1: 8a01
	// 8801: br.eq 1 {LIKELY=0x0}: 8801
}
