package sem

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// describe returns the columns of an operation in the table of docs/ir.md: T and F, the arguments, and the immediate.
func (o Op) describe() [3]string {
	s := o.signature()
	types := typingNames[s.result]
	if s.from != tNone {
		types += "; " + typingNames[s.from]
	}
	var args []string
	for i, t := range s.args {
		if t != tNone {
			args = append(args, "ABC"[i:i+1]+": "+typingNames[t])
		}
	}
	if s.list {
		args = append(args, "list")
	}
	return [3]string{types, strings.Join(args, ", "), immediateNames[s.imm]}
}

// TestPageOfOperations compares the table of docs/ir.md with the signatures of the operations.
func TestPageOfOperations(t *testing.T) {
	text, err := os.ReadFile("../../docs/ir.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][3]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*) \\| (.*) \\| (.*) \\| (.+) \\|$").FindAllStringSubmatch(string(text), -1) {
		rows[m[1]] = [3]string{m[2], m[3], m[4]}
	}
	for o := range operations {
		op := Op(o)
		if got := rows[op.String()]; op != OpOpaque && op != OpSettled && got != op.describe() {
			t.Errorf("%s: docs/ir.md says %q, expected %q", op, got, op.describe())
		}
		delete(rows, op.String())
	}
	if len(rows) > 0 {
		t.Errorf("rows without an operation: %v", rows)
	}
}
