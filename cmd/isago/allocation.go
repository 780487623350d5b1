package main

import (
	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/program"
)

// allocation is the number of registers that a launch allocates to a program whose file does not state the number, such
// as raw code. The number is 0 if it is unknown.
type allocation struct{ registers int }

const registersFlag = "registers"

func (a *allocation) add(cmd *cobra.Command, usage string) {
	cmd.Flags().Var(amount[int]{&a.registers, 1}, registersFlag, usage)
}

// check returns an error for a number of registers that a launch cannot allocate. most is the largest possible number,
// or 0 for a machine whose programs always have all registers.
func (a *allocation) check(most int) error {
	switch {
	case a.registers == 0 || a.registers <= most:
		return nil
	case most == 0:
		return usagef("--%s does not apply to this machine, whose programs can use all registers", registersFlag)
	}
	return usagef("--%s %d, expected 1 to %d", registersFlag, a.registers, most)
}

// of returns the number of registers that are allocated to the program at base in an image, or 0 if it is unknown. base
// is the Base of the pieces of the program.
func (a *allocation) of(im *program.Image, base int64) int {
	if n := im.Registers[base]; n > 0 {
		return n
	}
	return a.registers
}
