package forms

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	isabits "github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/cfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/vectors"
)

//go:embed vectors.h.txt
var runner []byte

// maxParts is ISAGO_PARTS of the runner.
const maxParts = 64

// C returns the vectors as headers of C: the runner, the names of the machine's states, and the vectors of each file.
func C(files []*vectors.File, m *exec.Machine) ([]File, error) {
	out, _, err := headers(files, m)
	return out, err
}

// headers returns the headers, and the identifier of each file.
func headers(files []*vectors.File, m *exec.Machine) (out []File, names []string, err error) {
	machine, err := machineName(files, m)
	if err != nil {
		return nil, nil, err
	}
	w := &machineWriter{m: m, name: newNamer(false).name(machine), states: map[string]int{}}
	var b bytes.Buffer
	w.machine(&b, machine)
	ids := newNamer(true)
	for _, f := range files {
		id := ids.name(f.Instruction)
		names = append(names, id)
		text, err := w.file(f, id)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Instruction, err)
		}
		file := w.name + "/" + id + ".h"
		out = append(out, File{Name: file, Data: text})
		fmt.Fprintf(&b, "#include %q\n", file)
	}
	fmt.Fprintf(&b, "\nstatic const struct isago_file *const %s_files[] = {", w.name)
	for _, id := range names {
		fmt.Fprintf(&b, "\n\t&%s_file_%s,", w.name, id)
	}
	if len(names) == 0 {
		b.WriteString("0")
	}
	fmt.Fprintf(&b, "\n};\nenum { %s_file_count = %d };\n#endif\n", w.name, len(names))
	return append(out, File{Name: w.name + "_vectors.h", Data: b.Bytes()}, File{Name: "isago_vectors.h", Data: runner}), names, nil
}

// machineWriter writes the vectors of a machine.
type machineWriter struct {
	m      *exec.Machine
	name   string
	states map[string]int // the number of the state in the enum
	list   []*exec.State
}

// machine writes what all vectors of the machine share.
func (w *machineWriter) machine(b *bytes.Buffer, name string) {
	guard := strings.ToUpper(w.name) + "_VECTORS_H"
	fmt.Fprintf(b, "/* Test vectors of %s. isago vectors --format c wrote this file. */\n#ifndef %s\n#define %s\n#include \"isago_vectors.h\"\n\n", name, guard, guard)
	wave := exec.NewWave(exec.NewProgram(w.m, w.m.Words32(w.m.Set().Roots()[0], nil, 0)))
	wave.Start(1, 0)
	ids := newNamer(false, "states", "state_count", "files", "file_count")
	var enum, parts, table bytes.Buffer
	for _, s := range w.m.States {
		if s.Scope == exec.ScopeInstruction || s.ReadOnly {
			continue
		}
		n := len(w.list)
		w.list = append(w.list, s)
		w.states[s.Name] = n
		fmt.Fprintf(&enum, "\t%s_%s,\n", w.name, ids.name(s.Name))
		kind, count, width, names, label := "ISAGO_REGISTERS", s.Type.Lanes, s.Type.Bits, s.Components, "0"
		switch s.Kind {
		case exec.Stack:
			kind, count, width, names = "ISAGO_STACK", len(s.Slots), 1, nil
			for _, slot := range s.Slots {
				names = append(names, slot.Name)
				width = max(width, slot.Type.Bits)
			}
		case exec.Memory:
			kind, count, width = "ISAGO_MEMORY", 1, 8
		}
		if len(names) > 0 {
			label = fmt.Sprintf("%s_parts_%d", w.name, n)
			fmt.Fprintf(&parts, "static const char *const %s[] = {", label)
			for i, x := range names {
				parts.WriteString(strings.Repeat(", ", min(i, 1)) + cfile.Literal(x))
			}
			parts.WriteString("};\n")
		}
		fmt.Fprintf(&table, "\t{%s, %s, %d, %d, %d, %d, %d, %d, %s},\n", cfile.Literal(s.Name), kind, truth(s.Single), truth(s.Kind == exec.Registers && s.Type.Kind == isa.Float),
			truth(s.Scope >= exec.ScopeWave), checked(wave, s), count, width, label)
	}
	fmt.Fprintf(b, "enum %s_state {\n%s\t%s_state_count\n};\n%s\nstatic const struct isago_state %s_states[] = {\n%s};\n\n", w.name, enum.Bytes(), w.name, parts.Bytes(), w.name, table.Bytes())
}

// checked returns the number of registers of a file that are 0 after the start.
func checked(w *exec.Wave, s *exec.State) int {
	if s.Kind != exec.Registers {
		return 0
	}
	for n := range s.Count {
		for k := range s.Type.Lanes {
			if w.Get(s, n, k, 0) != 0 {
				return 0
			}
		}
	}
	return s.Count
}

func truth(x bool) int {
	if x {
		return 1
	}
	return 0
}

// pool holds the arrays of a file. Equal lists of values are stored once.
type pool struct {
	vectors, pieces, calls, tables, strings bytes.Buffer
	pieceCount, callCount, tableCount       int
	words                                   []uint32
	values                                  []uint64
	valueAt                                 map[string]int
	stringAt                                map[string]int // of lists of strings
	stringCount                             int
}

// value returns the index of some values in the array.
func (p *pool) value(list ...uint64) int {
	key := fmt.Sprint(list)
	at, ok := p.valueAt[key]
	if !ok {
		at = len(p.values)
		p.values = append(p.values, list...)
		p.valueAt[key] = at
	}
	return at
}

// text returns the index of some strings in the array. C99 compilers need not accept more than 4095 characters.
func (p *pool) text(list []string) (int, error) {
	key := strings.Join(list, "\x00")
	at, ok := p.stringAt[key]
	if ok {
		return at, nil
	}
	at = p.stringCount
	p.stringAt[key] = at
	for _, s := range list {
		if len(s) > 4095 {
			return 0, fmt.Errorf("a text of %d characters, expected at most 4095: %.40q", len(s), s)
		}
		fmt.Fprintf(&p.strings, "\t%s,\n", cfile.Literal(s))
		p.stringCount++
	}
	return at, nil
}

// piece appends a piece of a state.
func (p *pool) piece(state, lane int, number uint64, value, missing int) {
	fmt.Fprintf(&p.pieces, "\t{%d, %d, %d, %d, %d},\n", state, lane, number, value, missing)
	p.pieceCount++
}

// file returns the header of a file.
func (w *machineWriter) file(f *vectors.File, id string) ([]byte, error) {
	root, err := w.m.Root(f.Root)
	if err != nil {
		return nil, err
	}
	p := &pool{valueAt: map[string]int{}, stringAt: map[string]int{}}
	for i := range f.Vectors {
		if err := w.vector(p, f, &f.Vectors[i], root); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Vectors[i].Name, err)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "/* Test vectors of %s, for %s_vectors.h. isago vectors --format c wrote this file. */\n", strings.ReplaceAll(f.Instruction, "*/", "* /"), w.name)
	// An empty array has one element that nothing reads.
	array := func(kind, name string, n int, text []byte, empty string) string {
		if n == 0 {
			text = []byte("\t" + empty + "\n")
		}
		label := fmt.Sprintf("%s_%s_%s", w.name, id, name)
		fmt.Fprintf(&b, "static const %s%s[] = {\n%s};\n", kind, label, text)
		return label
	}
	list := []string{
		array("struct isago_vector ", "vectors", len(f.Vectors), p.vectors.Bytes(), "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}"),
		array("struct isago_piece ", "pieces", p.pieceCount, p.pieces.Bytes(), "{0, 0, 0, 0, 0}"),
		array("struct isago_call ", "calls", p.callCount, p.calls.Bytes(), "{0, 0, 0, 0}"),
		array("struct isago_table ", "tables", p.tableCount, p.tables.Bytes(), "{0, 0, 0, 0}"),
		array("char *const ", "strings", p.stringCount, p.strings.Bytes(), "\"\""),
		array("uint32_t ", "words", len(p.words), numbers(p.words), "0"),
		array("uint64_t ", "values", len(p.values), numbers(p.values), "0"),
	}
	fmt.Fprintf(&b, "static const struct isago_file %s_file_%s = {%s, %s, %s_states, %s, %s_state_count, %d};\n", w.name, id, cfile.Literal(f.Machine), cfile.Literal(f.Instruction), w.name,
		strings.Join(list, ", "), w.name, len(f.Vectors))
	return b.Bytes(), nil
}

// numbers formats numbers as an initializer, in lines of eight.
func numbers[T uint32 | uint64](list []T) []byte {
	var b bytes.Buffer
	for i, x := range list {
		switch {
		case i%8 == 0:
			b.WriteByte('\t')
		default:
			b.WriteByte(' ')
		}
		if fmt.Fprintf(&b, "0x%x,", x); i%8 == 7 || i == len(list)-1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func (w *machineWriter) vector(p *pool, f *vectors.File, v *vectors.Vector, root *isa.Root) error {
	lines, err := p.text(v.Text)
	if err != nil {
		return err
	}
	reasons, err := p.text(v.Reasons)
	if err != nil {
		return err
	}
	words, size, err := code(v, root)
	if err != nil {
		return err
	}
	word, table, call := len(p.words), p.tableCount, p.callCount
	p.words = append(p.words, words...)
	for _, t := range w.m.Set().Tables() {
		entries, ok := v.Tables[t.Name]
		if !ok {
			continue
		}
		limbs := (t.Bits + 63) / 64
		var list []uint64
		for _, text := range entries {
			e, err := isabits.ParseHex(text)
			if err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
			list = append(list, e[:limbs]...)
		}
		fmt.Fprintf(&p.tables, "\t{%s, %d, %d, %d},\n", cfile.Literal(t.Name), p.value(list...), len(entries), limbs)
		p.tableCount++
	}
	if p.tableCount-table != len(v.Tables) {
		return fmt.Errorf("an unknown table among %v", v.Tables)
	}
	for _, c := range v.Calls {
		var list []uint64
		for _, text := range c.Args {
			x, err := isabits.ParseHex(text)
			if err != nil {
				return fmt.Errorf("call of %s: %w", c.Name, err)
			}
			list = append(list, x[0])
		}
		if len(list) > maxParts {
			return fmt.Errorf("call of %s: %d arguments, expected at most %d", c.Name, len(list), maxParts)
		}
		fmt.Fprintf(&p.calls, "\t{%s, %d, %d, %d},\n", cfile.Literal(c.Name), c.Lane, p.value(list...), len(list))
		p.callCount++
	}
	var stopped uint64
	for _, s := range v.Stops {
		x, err := isabits.ParseHex(s.Lanes)
		if err != nil {
			return fmt.Errorf("stops: %w", err)
		}
		stopped |= x[0]
	}
	active := uint64(1)<<(v.Lanes-1)<<1 - 1
	if v.Active != "" {
		if active, err = strconv.ParseUint(v.Active, 16, 64); err != nil {
			return fmt.Errorf("active %q, expected a mask in hexadecimal", v.Active)
		}
	}
	before := p.pieceCount
	if err := w.state(p, &v.Initial, false); err != nil {
		return err
	}
	after := p.pieceCount
	if err := w.state(p, &v.Final, true); err != nil {
		return err
	}
	fmt.Fprintf(&p.vectors, "\t{%s, %s, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, 0x%x, 0x%x, 0x%x, 0x%x, %d, %d, %d},\n", cfile.Literal(v.Name), cfile.Literal(settings(f, v)),
		lines, len(v.Text), reasons, len(v.Reasons), word, size, table, p.tableCount-table, call, p.callCount-call, v.Lanes, v.Steps,
		active, v.Initial.PC, v.Final.PC, stopped, before, after, p.pieceCount)
	return nil
}

// state appends the pieces of a state. after is set for the state after the run.
func (w *machineWriter) state(p *pool, s *vectors.State, after bool) error {
	at := func(name string) (int, *exec.State, error) {
		n, ok := w.states[name]
		if !ok {
			return 0, nil, fmt.Errorf("%s, expected a register, a stack or a memory of the machine", name)
		}
		return n, w.list[n], nil
	}
	for i := range s.Registers {
		r := &s.Registers[i]
		n, state, err := at(r.Name)
		if err != nil {
			return err
		}
		if len(r.Values) != state.Type.Lanes || len(r.Values) > maxParts {
			return fmt.Errorf("%d components of %s, expected %d", len(r.Values), r.Name, state.Type.Lanes)
		}
		p.piece(n, r.Lane, uint64(r.Number), p.value(r.Values...), 0)
	}
	for _, t := range s.Stacks {
		n, state, err := at(t.Name)
		if err != nil {
			return err
		}
		for i, e := range t.Entries {
			var slots []uint64
			for _, slot := range state.Slots {
				slots = append(slots, e[slot.Name])
			}
			p.piece(n, t.Lane, uint64(i), p.value(slots...), 0)
		}
		if after {
			p.piece(n, t.Lane, uint64(len(t.Entries)), 0, 1)
		}
	}
	for _, x := range s.Memories {
		n, _, err := at(x.Name)
		if err != nil {
			return err
		}
		for i, c := range x.Bytes {
			p.piece(n, x.Lane, x.Address+uint64(i), p.value(uint64(c)), 0)
		}
	}
	return nil
}
