package feed_test

import (
	"context"
	"fmt"
	"os"

	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/catalog"
)

// A CUDA kernel: the options are those of isago run, and the arguments have the names of the option params.
func ExampleRun() {
	cubin, err := os.ReadFile("../examples/tesla/vecadd.cubin")
	if err != nil {
		fmt.Println(err)
		return
	}
	kernel, err := catalog.Open(feed.Request{Data: cubin, Options: map[string][]string{
		"grid":   {"2"},
		"block":  {"4"},
		"params": {"a:ptr:f32 b:ptr:f32 c:ptr:f32 n:s32"},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := feed.Run(context.Background(), kernel, map[string][]float64{
		"a": {1.5, 2, 3, 4, 5},
		"b": {10.5, 20, 30, 40, 50},
		"c": make([]float64, 5),
		"n": {5},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out["c"])
	// Output:
	// [12 22 33 44 55]
}
