package pica200_test

import (
	"fmt"
	"math"
	"os"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

func ExampleReadSHBIN() {
	data, err := os.ReadFile("../../examples/pica200/light.shbin")
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := pica200.ReadSHBIN(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(file.DVLP.Code), "words,", len(file.DVLP.Descriptors), "descriptors")
	for _, u := range file.DVLEs[0].Uniforms {
		fmt.Println(u.Name, u.First, u.Last)
	}
	// Output:
	// 25 words, 9 descriptors
	// position v0 v0
	// normal v1 v1
	// color v2 v2
	// texcoord v3 v3
	// projection c0 c3
	// modelView c4 c7
	// lightDirection c8 c8
	// lightColor c9 c9
	// ambient c10 c10
	// useVertexColor b0 b0
}

func ExampleSourceOf() {
	data, err := os.ReadFile("../../examples/pica200/sprite.shbin")
	if err != nil {
		fmt.Println(err)
		return
	}
	source, err := pica200.SourceOf(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", source)
	// Output:
	// ; 1 program, 15 words, 10 operand descriptors
	//
	// .in position
	// .in texcoord
	// .fvec screen
	// .fvec place
	// .fvec atlas
	// .constf constf95(0.0, 1.0, 0.5, 0.0)
	// .out out_position position
	// .out out_texcoord0 texcoord0.xy
	// .out out_color color
	//
	// .proc main
	// 	mov r0, position
	// 	mov r1, place
	// 	mul r2.xy, r0.xy, r1.w
	// 	mul r3.xy, r0.yx, r1.z
	// 	add r2.x, r2.x, -r3.x
	// 	add r2.y, r2.y, r3.y
	// 	add r2.xy, r2, r1
	// 	mul r2.xy, screen, r2
	// 	add out_position.xy, -screen.zw, r2
	// 	mov out_position.zw, constf95.xyxy	; 0.0, 1.0, 0.0, 1.0
	// 	mov r4, texcoord
	// 	mul r4.xy, atlas, r4
	// 	add out_texcoord0.xy, atlas.zw, r4
	// 	mov out_color, constf95.y	; 1.0
	// 	end
	// .end
}

// A decoder of PICA200 as an emulator holds a shader: an array of code, and one of operand descriptors.
func ExampleLoad() {
	code := []uint32{0x4e001000, 0x88000000}
	descriptors := []uint32{0x36c}

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
	entries := make([]bits.Value, len(descriptors))
	for i, e := range descriptors {
		entries[i] = bits.Of(uint64(e))
	}
	d.SetTable(0, entries) // the first table of the machine, and its only one
	for _, word := range code {
		in, ok := d.Decode(bits.Of(uint64(word)))
		if !ok {
			fmt.Printf(".word 0x%08x\n", word)
			continue
		}
		fmt.Println(string(d.Append(nil, in)))
	}
	// Output:
	// mov r0.xy, v1
	// end
}

// A shader unit: two arrays, and registers by name.
func Example_processor() {
	code := []uint32{0x4e001000, 0x88000000} // mov r0.xy, v1; end
	opdesc := []bits.Value{bits.Of(0x36c)}

	set, err := pica200.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	p, err := exec.NewProcessor(set, exec.Setup{
		Tables: [][]bits.Value{opdesc},
		Fetch: func(addr uint64) (bits.Value, bool) {
			if addr >= uint64(len(code)) {
				return bits.Value{}, false
			}
			return bits.Of(uint64(code[addr])), true
		},
	})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	if err := p.Write("v1", 0, 0x3f800000, 0x40000000, 0, 0); err != nil { // 1, 2, 0, 0
		fmt.Println(err)
		return
	}
	p.Start(0)
	for _, stop := range p.Run(1000) {
		fmt.Println(stop)
	}
	r0, err := p.Read("r0", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range r0 {
		fmt.Println(math.Float32frombits(uint32(c)))
	}
	// Output:
	// end at 0x4
	// 1
	// 2
	// 0
	// 0
}
