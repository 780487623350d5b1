// Command run runs the vertex shader of a SHBIN file on three vertices.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/pica200/launch"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	check(err)
	shader, err := launch.Open(feed.Request{Data: data})
	check(err)
	out, err := feed.Run(context.Background(), shader, map[string][]float32{
		"screen":   {2. / 400, 2. / 240, 1, 1},
		"place":    {200, 120, 0, 1},
		"position": {0, 0, 0, 1, 32, 0, 0, 1, 0, 240, 0, 1},
	})
	check(err)
	for vertex := range slices.Chunk(out["position"], 4) {
		fmt.Printf("%.4f\n", vertex)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
