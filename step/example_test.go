package step_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/step"
	"github.com/isago/isago/target/example"
)

// One instruction, which adds r2 and r3, on many states.
func Example() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	machine, err := exec.Open(set)
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	code := step.Code{Words: []string{"2243"}} // add r1, r2, r3
	program, err := code.Program(machine)
	if err != nil {
		fmt.Println(err)
		return
	}
	runner := step.NewRunner(machine)
	query := step.Query{Program: runner.Program(program)} // once, before the runs
	for _, pair := range [][2]uint64{{5, 1}, {0xffff, 2}} {
		query.Initial.Registers = []step.Register{
			{Name: "r", Number: 2, Values: pair[:1]},
			{Name: "r", Number: 3, Values: pair[1:]},
		}
		result, err := runner.Run(context.Background(), &query)
		if err != nil {
			fmt.Println(err)
			return
		}
		changed, err := json.Marshal(result.Changed)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(string(changed))
	}
	// Output:
	// {"pc":0,"state":{"last":"0006","r":{"1":"0006"}}}
	// {"pc":0,"state":{"last":"0001","r":{"1":"0001"}}}
}
