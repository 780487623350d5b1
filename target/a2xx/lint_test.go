package a2xx_test

import (
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

// TestWarnings assembles what is taken and hardly meant. No warning is expected where want is empty.
func TestWarnings(t *testing.T) {
	const (
		move  = "\n ALU: MAXv R0 = R1, R1"
		color = "\nEXEC_END\n ALU: MAXv export0 = R0, R0"
		two   = color + "\n ALU: MAXv export1 = R0, R0"
	)
	loops := func(n int) string { return strings.Repeat("LOOP_START ADDR(end) LOOP_ID(0)\n", n) + "end:\nEXEC_END" }
	// chain has subroutines that call the next one, n calls in all.
	chain := func(n int) string {
		text := "COND_CALL ADDR(1) DIR(1) FORCE_CALL\nEXEC_END"
		for i := range n {
			if text += "\ns" + string(rune('0'+i)) + ":"; i < n-1 {
				text += "\nCOND_CALL ADDR(s" + string(rune('1'+i)) + ") DIR(1) FORCE_CALL"
			}
			text += "\nRETURN"
		}
		return strings.Replace(text, "ADDR(1)", "ADDR(s0)", 1)
	}
	for _, c := range []struct{ name, source, want string }{
		{"no room", strings.TrimSpace(color), "2:2: warning: export 0, but no earlier clause allocates PARAM/PIXEL [missing-alloc]"},
		{"room of another kind", "ALLOC POSITION SIZE(0x0)" + color, "3:2: warning: export 0, but no earlier clause allocates PARAM/PIXEL [missing-alloc]"},
		{"no room for a position", "EXEC_END\n ALU: MAXv export62 = R0, R0", "2:2: warning: export 62, but no earlier clause allocates POSITION [missing-alloc]"},
		{"no room in memory", "EXEC_END\n ALU: MAXv export32 = R0, R0", "2:2: warning: export 32, but no earlier clause allocates MEMORY [missing-alloc]"},
		{"room too late", "EXEC\n ALU: MAXv export0 = R0, R0\nALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END", "2:2: warning: export 0, but no earlier clause allocates PARAM/PIXEL [missing-alloc]"},
		{"room somewhere, and jumps", "COND_JMP ADDR(1) DIR(1) FORCE_CALL\nEXEC\n ALU: MAXv export0 = R0, R0\nALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END", ""},
		{"room for one of two", "ALLOC PARAM/PIXEL SIZE(0x0)" + two, "4:2: warning: export 1 is the 2nd after an allocation of 1 [alloc-size]"},
		{"room for two", "ALLOC PARAM/PIXEL SIZE(0x1)" + two, ""},
		{"one export twice", "ALLOC PARAM/PIXEL SIZE(0x0)" + color + "\n ALU: MAXv export0.x___ = R0, R0", ""},
		{"a position and a point size", "ALLOC POSITION SIZE(0x0)\nEXEC_END\n ALU: MAXv export62 = R0, R0\n ALU: MAXv export63.x___ = R0, R0", "4:2: warning: export 63 is the 2nd after an allocation of 1 [alloc-size]"},
		{"memory, whose number says something else", "ALLOC MEMORY SIZE(0x0)\nEXEC_END\n ALU: MAXv export32 = R0, R0\n ALU: MAXv export33 = R0, R0", ""},
		{"a depth", ".stage fs\nALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\n ALU: MAXv export61 = R0, R0", ""},
		{"an export of vertices in a fragment program", ".stage fs\nALLOC POSITION SIZE(0x0)\nEXEC_END\n ALU: MAXv export62 = R0, R0", "4:2: warning: export 62, but this stage has 0 to 3, 32 to 37, 61 [stage-export]"},
		{"an export of fragments in a vertex program", "ALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\n ALU: MAXv export61 = R0, R0", "3:2: warning: export 61, but this stage has 0 to 15, 32 to 37, 62 to 63 [stage-export]"},
		{"an export that no stage has", "ALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\n ALU: MAXv export16 = R0, R0", "3:2: warning: export 16, but this stage has 0 to 15, 32 to 37, 62 to 63 [stage-export]"},
		{"four loops", loops(4), ""},
		{"five loops", loops(5), "5:1: warning: loops are 5 deep here, expected at most 4 (on Xenos) [nesting]"},
		{"five loops in a row", strings.Repeat("LOOP_START ADDR(0) LOOP_ID(0)\nLOOP_END ADDR(0) LOOP_ID(0)\n", 5) + "EXEC_END", ""},
		{"four calls", chain(4), ""},
		{"five calls", chain(5), "1:1: warning: calls are 5 deep here, expected at most 4 (on Xenos) [nesting]"},
		{"a call of itself", "again:\nCOND_CALL ADDR(again) DIR(0) FORCE_CALL\nEXEC_END", "2:1: warning: the subroutine called here calls itself, expected calls at most 4 deep (on Xenos) [nesting]"},
		{"384 units", "EXEC_END\n.org 383" + move, ""},
		{"385 units", "EXEC_END\n.org 384" + move, "1:1: warning: the program has 385 units; Mesa's driver loads at most 384, although addresses reach 512 [store-size]"},
		{"an end under a condition", "COND_EXEC_END COND(1)" + move, "1:1: warning: the program ends only if the condition of this clause holds [missing-end]"},
		{"two ends, one under a condition", "COND_EXEC_END COND(1)" + move + "\nEXEC_END", ""},
		{"two exports in one instruction", "ALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\n ALU: MAXv export0.xyz_ = R0, R0\n MAXs export1.___w = R1", "3:2: warning: both halves export to the number of the vector half; that of the scalar half has no effect [scalar-export]"},
		{"a constant 1, which both masks have", "ALLOC POSITION SIZE(0x0)\nEXEC_END\n ALU: MAXv export62.xyz1 = R0, R0", ""},
		{"0 in the bits of the scalar number", "ALLOC POSITION SIZE(0x0)\nEXEC_END\n ALU: MAXv export62.xyz_ = R0, R0\n MAXs export62.___w = R1 {SDST=0x0}", ""},
		{"a fetch that a runtime patches", "EXEC_END\n FETCH: VERTEX R1.xyz1 = R0.x FMT_1_REVERSE UNSIGNED STRIDE(0) CONST(31, 2)", "2:2: warning: FMT_1_REVERSE of CONST(31, 2) is a placeholder, which a runtime patches before it draws [unpatched-fetch]"},
		{"the same format elsewhere", "EXEC_END\n FETCH: VERTEX R1.xyz1 = R0.x FMT_1_REVERSE UNSIGNED STRIDE(0) CONST(31, 1)", ""},
		{"one component twice", "EXEC_END" + move + "\n MAXs R0.x___ = R1", "2:2: warning: both halves write one component of a register: the result of the scalar half counts (Xenos) [same-register]"},
		{"two components of one register", "EXEC_END\n ALU: MAXv R0.xyz_ = R1, R1\n MAXs R0.___w = R1", ""},
		{"a fourth third", "EXEC_END\n FETCH: VERTEX R1.xyz1 = R0.x FMT_32_FLOAT SIGNED STRIDE(12) CONST(20, 3)", "2:2: warning: a fetch constant has three thirds, 0 to 2 [fetch-constant]"},
	} {
		out, err := toolsFor(t, "", "vs").assemble(t, c.source)
		if err != nil {
			t.Errorf("%s: %s", c.name, diag.Render(err))
			continue
		}
		got := strings.ReplaceAll(out.Warnings.Error(), "test.a2xx:", "")
		if len(out.Warnings) == 0 {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
