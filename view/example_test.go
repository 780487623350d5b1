package view_test

import (
	"bufio"
	"fmt"
	"os"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/view"
)

func ExampleExplain() {
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
	in, _ := d.Decode(bits.Of(0x6a43))
	if err := view.Explain(os.Stdout, d, in, view.Palette{}, view.ExplainOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// shl r5, r2, 4
	// example shl, 16 bits: 6a43
	//   DST = A shifted left by N.
	//
	//   15               7
	//   0 1 1 0 1 0 1 0  0 1 0 0 0 0 1 1
	//   = = = a a a a b  b b b ! c c c c
	//
	//   a  12..9   DST    0x5  r5  The register that gets the result.
	//   b  8..5    A      0x2  r2  The operand to shift.
	//   c  3..0    COUNT  0x3  3   The number of places minus one.
	//   =  15..13                  identifies the encoding
	//   !  4                       expected to have a fixed value
	//
	//   computed  N  0x4  4  The number of places, 1 to 16.
}

func ExampleListing() {
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
	image, err := catalog.Raw(d.Root(), []byte{0x1d, 0x22, 0xff, 0x8b, 0x00, 0x00})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	l := view.Listing{Decoder: d, Image: image, Addresses: true, Words: true}
	if _, err := l.Write(w); err != nil {
		fmt.Println(err)
	}
	// Output:
	// l0:
	// 0x0000  221d  add r1, r0, -3
	// 0x0002  8bff  br.eq l0
	// 0x0004  0000  nop
}

func ExampleJSON() {
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
	in, _ := d.Decode(bits.Of(0x8bfe))
	var j view.JSON
	fmt.Println(string(j.Append(nil, d, in)))
	// Output:
	// {"address":0,"word":"8bfe","size":16,"name":"br","mnemonic":"br","text":"br.eq -2","operands":[{"name":"COND","kind":"condition","value":1},{"name":"TARGET","kind":"target","target":-4}],"flow":[{"kind":"jump","maybe":true,"target":-4}]}
}
