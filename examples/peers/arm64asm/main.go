// Command arm64asm prints AArch64 code from standard input, with operands and jumps, by golang.org/x/arch.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"golang.org/x/arch/arm64/arm64asm"
)

func main() {
	code, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	for pc := 0; pc+4 <= len(code); pc += 4 {
		inst, err := arm64asm.Decode(code[pc:])
		if err != nil {
			continue
		}
		fmt.Println(arm64asm.GNUSyntax(inst))
		for _, arg := range inst.Args {
			switch a := arg.(type) {
			case arm64asm.Reg: // X5 or W5: file, number and size are one number
				fmt.Println("  register", a)
			case arm64asm.RegSP:
				fmt.Println("  register", a)
			case arm64asm.RegExtshiftAmount: // only its text has the register
				fmt.Println("  register", a.String())
			case arm64asm.Imm:
				fmt.Println("  immediate", a.Imm)
			case arm64asm.PCRel:
				fmt.Println("  target", pc+int(a))
			}
		}
		switch inst.Op {
		case arm64asm.B, arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
			fmt.Println("  jump")
		case arm64asm.BL, arm64asm.BLR:
			fmt.Println("  call")
		case arm64asm.RET:
			fmt.Println("  return")
		}
	}
}
