// Package operandtest formats the operands and the control flow of instructions for golden files.
package operandtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/isa"
)

// Legend is the header of a golden file.
const Legend = "# A row has the text, the mnemonic and the flow; below it each operand: name, text, role, kind, what it is, bits.\n"

// Describe formats the text, the mnemonic and the flow of an instruction, with a line for each
// operand. Branch targets count in units of unit bits.
func Describe(d *isa.Decoder, in isa.Inst, unit int64) string {
	text, list := d.AppendOperands(nil, nil, in)
	var b strings.Builder
	fmt.Fprintf(&b, "%s | %s", oneLine(text), d.Mnemonic(in))
	for _, f := range d.Flows(nil, in) {
		b.WriteString(" | " + describeFlow(&f, unit))
	}
	b.WriteString("\n")
	for i := range list {
		b.WriteString("  " + operand(d.Set(), string(text), &list[i], unit) + "\n")
	}
	return b.String()
}

func oneLine(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

func describeFlow(f *isa.Flow, unit int64) string {
	s := f.Kind.String()
	if f.Maybe {
		s += " maybe"
	}
	if f.Target >= 0 {
		s += fmt.Sprintf(" to %d", f.Target/unit)
	}
	if f.Count > 0 {
		s += fmt.Sprintf(" count %d", f.Count)
	}
	if f.Stack != "" {
		s += " on " + f.Stack
	}
	return s
}

func operand(set *isa.Set, text string, o *isa.Operand, unit int64) string {
	part := []string{o.Name, strconv.Quote(text[o.Start:o.End]), dash(o.Role.String()), dash(o.Kind.String())}
	add := func(format string, args ...any) { part = append(part, fmt.Sprintf(format, args...)) }
	if o.Register.File != nil {
		add("%s", Register(o.Register))
	}
	if o.Memory != nil {
		add("%s at %d", o.Memory.Name, o.Value)
	}
	if o.Relative.File != nil {
		add("+ %s", Register(o.Relative))
	}
	switch o.Kind {
	case isa.TargetOperand:
		add("= %d", int64(o.Value)/unit)
	case isa.ImmediateOperand:
		add("%s = %d", o.Type, int64(o.Value))
	case isa.ConditionOperand, isa.ModifierOperand, isa.SamplerOperand:
		add("= %d", o.Value)
	}
	for i, name := range set.Modifiers() {
		if o.Modifiers>>i&1 != 0 {
			add("%s", name)
		}
	}
	if o.Swizzled {
		add("swizzle %d%d%d%d", o.Swizzle[0], o.Swizzle[1], o.Swizzle[2], o.Swizzle[3])
	}
	if o.Masked {
		add("mask %04b", o.Mask)
	}
	for _, r := range o.Bits {
		add("%s", run(r))
	}
	return strings.Join(part, " ")
}

func run(r isa.BitRange) string {
	s := strconv.Itoa(r.Low)
	if r.Width > 1 {
		s = fmt.Sprintf("%d..%d", r.Low+r.Width-1, r.Low)
	}
	if r.Table >= 0 {
		s = fmt.Sprintf("entry %d:%s", r.Entry, s)
	}
	return s
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Register formats a register, for example c5, c5.x for a component, c5..c6 or r2[31:16].
func Register(r isa.Register) string {
	s := r.File.Name + strconv.Itoa(r.Index)
	if r.Count > 1 {
		s += ".." + r.File.Name + strconv.Itoa(r.Index+r.Count-1)
	}
	if r.Width != r.File.Type.Size() {
		s += fmt.Sprintf("[%d:%d]", r.Low+r.Width-1, r.Low)
	}
	if r.Component >= 0 {
		s += "." + r.File.Components[r.Component]
	}
	return s
}

// CompareGolden compares a text with a golden file. If update is set, it writes the file instead.
func CompareGolden(t *testing.T, file, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s:%d\n got %s\nwant %s", file, i+1, a[i], b[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", file, len(a), len(b))
}
