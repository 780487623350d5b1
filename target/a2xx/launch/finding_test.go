package launch_test

import (
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
)

// What is read and nobody wrote is told; what an idle half puts into ps is told where ps is read.
func TestUnwritten(t *testing.T) {
	for _, row := range []struct{ name, code, want string }{
		{"an idle scalar half", "ALU: ADDv R0 = R0, R0", ""},
		{"of fdasm", "ALU: MAXv R0 = R0, R0 MAXs R0.____ = R40", ""},
		{"of Xenos", "ALU: MAXv R0 = R0, R0 RETAIN_PREV R0.____ = R40", ""},
		{"an idle vector half", "ALU: MAXv R40.____ = R40, R40 MAXs R1.x___ = R0", ""},
		{"sources that an operation has not", "ALU: FRACv R1 = R0 RECIP_IEEE R2.x___ = R0.xxxx", ""},
		{"components that nobody wants", "ALU: MAXv R1.x___ = R0, R0 MAXs R1._y__ = R0 / ALU: ADDv R2._y__ = R1.xyyy, R1.xyyy", ""},
		{"components that an export replaces", "ALU: MAXv export0.1___ = R40, R40 MAXs export0.1___ = R40", ""},
		{"what a predicate leaves out", "ALU: MAXvEQ R1 = R40, R40", ""},
		{"constants relative to a0, for ps alone", "ALU: MAXv R1 = R0, R0 MAXs R1.____ = C3[a0]", ""},
		{"a vector half", "ALU: ADDv R0 = R0, R40", "R40.x R40.y R40.z R40.w"},
		{"a predicate", "ALU: MAXv R0 = R0, R0 PRED_SETEs R0.____ = R40.x", "R40.x"},
		{"an address, and a result for ps alone", "ALU: MAXv R0 = R0, R0 MOVAs R0.____ = R40.yxyx", "R40.x"},
		{"ps at first", "ALU: MAXv R0 = R0, R0 ADD_PREVs R1.x___ = R0", "ps"},
		{"ps, read in the clause", "ALU: MAXv R0 = R0, R0 MULs R1.____ = R40 / ALU: MAXv R0 = R0, R0 ADD_PREVs R1.x___ = R0", "ps"},
		{"ps, read in another", "EXEC / ALU: MAXv R0 = R0, R0 MULs R1.____ = R40 / EXEC_END / ALU: MAXv R0 = R0, R0 ADD_PREVs R1.x___ = R0", "ps"},
		{"ps, kept in between", "EXEC / ALU: MAXv R0 = R0, R0 MULs R1.____ = C3[a0] / ALU: MAXv R0 = R0, R0 RETAIN_PREV R1.____ = R0 / EXEC_END / ALU: MAXv R0 = R0, R0 ADD_PREVs R1.x___ = R0", "ps"},
		{"ps, written in between", "EXEC / ALU: MAXv R0 = R0, R0 MULs R1.____ = R40 / ALU: MAXv R0 = R0, R0 MAXs R1.____ = R0 / EXEC_END / ALU: MAXv R0 = R0, R0 ADD_PREVs R1.x___ = R0", ""},
		{"ps, used and kept", "ALU: MAXv R0 = R0, R0 MULs R1.x___ = R40", "R40.x R40.w"},
	} {
		r, err := openSource(t, "vs", row.code, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}, Count: 3})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range out.Findings {
			got = append(got, f.Register())
		}
		if s := strings.Join(got, " "); s != row.want {
			t.Errorf("%s: findings of %q, want %q", row.name, s, row.want)
		}
	}
}
