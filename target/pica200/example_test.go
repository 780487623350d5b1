package pica200_test

import (
	"fmt"
	"os"

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
