package main

import (
	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/program"
)

// allocation is the number of registers that a launch allocates to a program if the file does not state it, as in raw code; 0
// if unknown.
type allocation struct{ registers int }

const registersFlag = "registers"

func (a *allocation) add(cmd *cobra.Command, usage string) {
	cmd.Flags().Var(amount[int]{&a.registers, 1}, registersFlag, usage)
}

// check refuses a number of registers that no launch allocates; most is how many there are, 0 where programs have all.
func (a *allocation) check(most int) error {
	switch {
	case a.registers == 0 || a.registers <= most:
		return nil
	case most == 0:
		return usagef("--%s: programs of this machine have all registers", registersFlag)
	}
	return usagef("--%s %d, expected 1 to %d", registersFlag, a.registers, most)
}

// of returns the number of registers of the program of an image at base, the Base of its pieces; 0 if unknown.
func (a *allocation) of(im *program.Image, base int64) int {
	if n := im.Registers[base]; n > 0 {
		return n
	}
	return a.registers
}
