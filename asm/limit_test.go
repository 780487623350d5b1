package asm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Expressions that use others twice, which use others twice, end with an error, soon.
func TestDoublingExpressions(t *testing.T) {
	var plainly, under strings.Builder
	const n = 40
	const start = `<bitset name="#instruction" size="32"><display>x {D0}</display><field name="A" low="0" high="31" type="uint"/>`
	plainly.WriteString(start)
	under.WriteString(start)
	for i := range n {
		fmt.Fprintf(&plainly, `<derived name="D%d" type="uint" width="32"><expr>{D%d} + {D%d}</expr></derived>`, i, i+1, i+1)
		fmt.Fprintf(&under, `<override><expr>{D%d} == {D%d} + {A}</expr><derived name="D%d" type="uint" width="32"><expr>{D%d} + {D%d}</expr></derived></override>
			<derived name="D%d" type="uint" width="32"><expr>{A}</expr></derived>`, i+1, i+1, i, i+1, i+1, i)
	}
	for _, b := range []*strings.Builder{&plainly, &under} {
		fmt.Fprintf(b, `<derived name="D%d" type="uint" width="32"><expr>{A}</expr></derived></bitset>`, n)
		begin := time.Now()
		toolsFor(t, load(t, b.String())).rows(t, []row{{"x 5", "", "text-ambiguous"}})
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	}
}
