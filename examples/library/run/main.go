// Command run runs the vertex shader of a SHBIN file on three vertices.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/pica200/launch"
)

const vertices = `position.x,position.y,position.z,position.w
 0,   0, 0, 1
32,   0, 0, 1
 0, 240, 0, 1
`

func main() {
	data, err := os.ReadFile(os.Args[1])
	check(err)
	set, err := pica200.Load(isa.Options{})
	check(err)
	shader, err := launch.Open(feed.Request{Set: set, Data: data, Format: "SHBIN"})
	check(err)
	check(shader.Set("screen", []string{"0.005", "0.0083333", "1", "1"})) // 2/400, 2/240
	check(shader.Set("place", []string{"200", "120", "0", "1"}))
	check(shader.Read([]byte(vertices), "csv"))
	out, err := shader.Run(context.Background(), feed.RunOptions{})
	check(err)
	for _, row := range out.Tables[0].Rows {
		for _, bits := range row[:4] { // the position is the first output
			fmt.Printf("%9.4f", math.Float32frombits(uint32(bits)))
		}
		fmt.Println()
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
