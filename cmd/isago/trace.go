package main

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

// tracer prints one line for each instruction that lane 0 runs, with the registers that the instruction read and wrote.
// An instruction that another instruction runs has its own line.
type tracer struct {
	w       io.Writer
	set     *isa.Set
	palette view.Palette
	at      traced
}

// traced is the instruction that lane 0 is running. The instruction may be one that another instruction runs.
type traced struct {
	on     bool
	text   string
	length int
	// code has the operations of the instruction, and from is the number of the first one. before has the values of the
	// registers before that operation.
	machine *exec.Machine
	code    *sem.Code
	from    int
	before  map[string]uint64
	values  map[sem.ID]*uint64 // values of operations, nil for a value that does not follow from before
}

// traceWidth is the width of the column of instructions.
const traceWidth = 32

func (t *tracer) step(w *exec.Wave, e exec.Event) {
	switch e.Kind {
	case exec.Starts:
		t.begin(w, e, 0)
		t.at.text, t.at.length = t.instruction(w.Program, e.PC)
		t.at.text = fmt.Sprintf("0x%04x  %s", w.Program.Machine.Address(e.PC), t.at.text)
	case exec.Runs:
		t.end(w, e.Op)
		t.begin(w, e, e.Op)
		if t.at.on {
			in := &t.at.code.Insts[e.Op]
			t.at.text, t.at.length = t.unit(w.Program, in)
			t.at.text = fmt.Sprintf("  0x%04x  %s", t.address(w.Program, in), t.at.text)
			t.at.length += 2
		}
	case exec.Ends:
		if t.at.code != nil {
			t.end(w, len(t.at.code.Insts))
		}
	}
}

// begin records the instruction that lane 0 is about to run and the values of its registers.
func (t *tracer) begin(w *exec.Wave, e exec.Event, op int) {
	t.at = traced{}
	if code, err := w.Program.Code(inside.Key{}, e.PC); err == nil && e.Lanes&1 != 0 {
		t.at = traced{on: true, machine: w.Program.Machine, code: code, from: op, before: w.Values(0), values: map[sem.ID]*uint64{}}
	}
}

// end prints the trace line of an instruction. Lane 0 has run the operations whose numbers are below to.
func (t *tracer) end(w *exec.Wave, to int) {
	p := &t.at
	if !p.on {
		return
	}
	p.on = false
	now := w.Values(0)
	read, wrote := p.touched(to)
	for name, v := range now {
		if p.before[name] != v && !slices.Contains(wrote, name) {
			wrote = append(wrote, name)
		}
	}
	line := p.text + strings.Repeat(" ", max(0, traceWidth-p.length))
	if text := registers(w, read, p.before); text != "" {
		line += "  " + t.palette.Dim(text)
	}
	if text := registers(w, wrote, now); text != "" {
		line += "  -> " + text
	}
	fmt.Fprintln(t.w, strings.TrimRight(line, " "))
}

// touched returns the components of registers that the operations read and wrote. It leaves out operations under a
// false or unknown condition, such as one that other lanes decide, and values that are only forwarded.
func (p *traced) touched(to int) (read, wrote []string) {
	for i := p.from; i < to; i++ {
		in := &p.code.Insts[i]
		list := &read
		if in.Op == sem.OpWrite || in.Op == sem.OpWriteX {
			list = &wrote
		}
		name, ok := p.register(in)
		if !ok || in.Carried() || in.State.ReadOnly || in.Guard != sem.NoID && !p.holds(in.Guard) {
			continue
		}
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	return read, wrote
}

// register returns the name of the component that an operation reads or writes.
func (p *traced) register(in *sem.Inst) (name string, ok bool) {
	number := in.Imm
	switch in.Op {
	case sem.OpRead, sem.OpWrite:
	case sem.OpReadX, sem.OpWriteX:
		v := p.value(in.A)
		if v == nil || *v >= uint64(in.State.Count) {
			return "", false
		}
		number = *v
	default:
		return "", false
	}
	return exec.Finding{State: p.machine.States[in.State.Index], Number: int(number), Comp: in.Comp}.Register(), true
}

func (p *traced) holds(id sem.ID) bool {
	v := p.value(id)
	return v != nil && *v != 0
}

// value returns the value of an operation in lane 0 if it follows from the values of registers before the instruction,
// and nil otherwise.
func (p *traced) value(id sem.ID) *uint64 {
	if v, ok := p.values[id]; ok {
		return v
	}
	v := p.follow(id)
	p.values[id] = v
	return v
}

func (p *traced) follow(id sem.ID) *uint64 {
	in := &p.code.Insts[id]
	switch start := &p.code.Insts[p.from]; {
	case start.Op == sem.OpRun && start.Guard == id: // lane 0 is here
		v := uint64(1)
		return &v
	case in.Op == sem.OpConst:
		return &in.Imm
	case in.Op == sem.OpSplat:
		return p.value(in.A)
	case in.Op == sem.OpRead || in.Op == sem.OpReadX:
		return p.held(id)
	case !in.Op.Pure():
		return nil
	}
	var args [3]uint64
	for i, a := range [3]sem.ID{in.A, in.B, in.C} {
		if a == sem.NoID {
			continue
		}
		v := p.value(a)
		if v == nil {
			return nil
		}
		args[i] = *v
	}
	v := sem.Apply(in, args[0], args[1], args[2])
	return &v
}

// held returns the value that a register had before the instruction, for an operation that reads the register. It
// returns nil if the register may have been written since.
func (p *traced) held(id sem.ID) *uint64 {
	in := &p.code.Insts[id]
	name, ok := p.register(in)
	v, there := p.before[name]
	if !ok || !there || int(id) < p.from {
		return nil
	}
	for k := p.from; k < int(id); k++ {
		if o := &p.code.Insts[k]; o.State == in.State && (o.Op == sem.OpWrite || o.Op == sem.OpWriteX) {
			return nil
		}
	}
	return &v
}

// registers formats the components with their values, grouped by register: v0.xy=1,2.
func registers(w *exec.Wave, names []string, values map[string]uint64) string {
	sort.SliceStable(names, func(i, j int) bool { return inTurn(names[i]) < inTurn(names[j]) })
	var list []string
	for i := 0; i < len(names); {
		base, letters, _ := strings.Cut(names[i], ".")
		numbers := []string{w.Text(names[i], values[names[i]])}
		for i++; i < len(names); i++ {
			next, letter, dotted := strings.Cut(names[i], ".")
			if next != base || !dotted {
				break
			}
			letters += letter
			numbers = append(numbers, w.Text(names[i], values[names[i]]))
		}
		if letters != "" {
			base += "." + letters
		}
		list = append(list, base+"="+strings.Join(numbers, ","))
	}
	return strings.Join(list, " ")
}

// inTurn returns a sort key for a name: numbers sort by value, and w sorts after z.
func inTurn(name string) string {
	base, letter, _ := strings.Cut(name, ".")
	digits := strings.TrimLeft(base, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
	if letter == "w" {
		letter = "~"
	}
	return fmt.Sprintf("%s%8s.%s", strings.TrimSuffix(base, digits), digits, letter)
}

// instruction returns the text of the instruction at an address, and its length in characters without colours.
func (t *tracer) instruction(p *exec.Program, pc uint64) (text string, length int) {
	v, ok := p.Fetch(pc)
	if !ok {
		return "?", 1
	}
	return t.word(p, p.Root.Name, v)
}

// address returns the address of the word that an instruction runs, in bytes from the start of the program.
func (t *tracer) address(p *exec.Program, in *sem.Inst) uint64 {
	root, err := p.Machine.Root(in.Text())
	if err != nil {
		return 0
	}
	return in.Imm * uint64(root.Size) / 8
}

// unit returns the text and the length of an instruction that another instruction runs.
func (t *tracer) unit(p *exec.Program, in *sem.Inst) (text string, length int) {
	root, err := p.Machine.Root(in.Text())
	if err != nil {
		return "?", 1
	}
	v, ok := p.Inner(root, in.Imm)
	if !ok {
		return "?", 1
	}
	return t.word(p, in.Text(), v)
}

// word returns the text of a word with blanks between its parts, and its length in characters without colours.
func (t *tracer) word(p *exec.Program, root string, v bits.Value) (text string, length int) {
	d, err := t.set.NewDecoder(root)
	if err != nil {
		return "?", 1
	}
	d.SetTables(p.Tables)
	d.SetContext(p.Context)
	in, ok := d.Decode(v)
	if !ok {
		return "?", 1
	}
	return blank(t.palette.Append(nil, d, in)), len(d.Append(nil, in))
}

// blank replaces the tabs in a text with blanks.
func blank(text []byte) string { return strings.ReplaceAll(string(text), "\t", " ") }
