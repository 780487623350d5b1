package view

import (
	"strings"
	"testing"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// Each line of effects is a sentence without a subject: certain effects first, then those that depend on a condition.
func TestEffectsRead(t *testing.T) {
	file := &facts.State{Name: "r", Count: 4, Components: []string{"x", "y"}}
	flag := &facts.State{Name: "cmp", Single: true}
	calls := &facts.State{Name: "calls", Kind: facts.Stack, Components: []string{"end", "return"}}
	loops := &facts.State{Name: "loops", Kind: facts.Stack}
	memory := &facts.State{Name: "g0", Kind: facts.Memory}
	next := isa.Flow{Kind: isa.Next, Maybe: true, Target: 64}
	for _, test := range []struct {
		name string
		of   facts.Effects
		want string
	}{
		{"nothing but the next instruction", facts.Effects{Flows: []isa.Flow{{Kind: isa.Next, Target: 64}}}, ""},
		{"reads", facts.Effects{Reads: []facts.Access{
			{State: file, Number: 1, Mask: 1, Address: -1}, {State: file, Number: -1, Mask: 3, Maybe: true, Address: -1},
			{State: flag, Mask: 1, Carried: true, Address: -1}, {State: calls, Number: -1, Address: -1},
		}}, "reads r1.x and the calls stack; forwards cmp; may read r[]\n"},
		{"writes", facts.Effects{Writes: []facts.Access{
			{State: loops, Number: -1, Maybe: true, Address: -1}, {State: calls, Number: -1, Maybe: true, Address: -1},
			{State: calls, Mask: 2, Maybe: true, Address: -1}, {State: memory, Size: 4, Address: 16},
		}}, "writes 4 bytes of g0 at 0x10; may write calls.return and the loops and calls stacks\n"},
		{"jump", facts.Effects{Flows: []isa.Flow{{Kind: isa.Jump, Target: 1280}}}, "jumps to 0xa0\n"},
		{"conditional jump", facts.Effects{Flows: []isa.Flow{{Kind: isa.Jump, Maybe: true, Target: 1280}, next}},
			"may jump to 0xa0; otherwise falls through\n"},
		{"conditional call", facts.Effects{Flows: []isa.Flow{{Kind: isa.Call, Maybe: true, Target: 1280}, next}},
			"may call 0xa0; otherwise falls through\n"},
		{"end", facts.Effects{Flows: []isa.Flow{{Kind: isa.End, Target: -1}}}, "ends the program\n"},
		{"several", facts.Effects{Flows: []isa.Flow{
			{Kind: isa.End, Maybe: true, Target: -1}, {Kind: isa.Jump, Maybe: true, Target: -1}, {Kind: isa.End, Maybe: true, Target: -1},
			{Kind: isa.Return, Maybe: true, Target: -1, Stack: "calls"}, {Kind: isa.Return, Maybe: true, Target: -1, Stack: "loops"},
		}}, "may jump to a computed address, continue at an address from the calls or loops stack or end the program\n"},
		{"traps", facts.Effects{Traps: []facts.Trap{{Why: "calls is full", Maybe: true}, {Why: "brkpt"}}}, "traps: brkpt; may trap: calls is full\n"},
		{"host callbacks", facts.Effects{Services: []string{"emit", "texel"}}, "uses the host callbacks emit and texel\n"},
		{"other lanes", facts.Effects{Lanes: true, Waits: true}, "depends on other lanes\nwaits for other lanes\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			e := newExplainer(&out, Palette{}, ExplainOptions{Width: 200})
			e.effects("", &test.of)
			if out.String() != test.want {
				t.Errorf("\n%swant\n%s", &out, test.want)
			}
		})
	}
}
