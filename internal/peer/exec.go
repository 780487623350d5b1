package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// executor runs programs of one machine on states from rows.
type executor struct {
	set  *isa.Set
	m    *exec.Machine
	root *isa.Root
	// programs caches compiled programs by words, contexts and quirks.
	programs map[string]*exec.Program
	// specialised counts the runs that were repeated in specialised form. It is nil if runs are not repeated.
	specialised *flowtest.Tally
}

// repeats is set if runs are repeated in specialised form. tallies counts them by machine.
var (
	repeats bool
	tallies = map[string]*flowtest.Tally{}
)

func newExecutor(machine string) (*executor, error) {
	named, err := catalog.Lookup(machine)
	if err != nil {
		return nil, err
	}
	x := &executor{programs: map[string]*exec.Program{}}
	if repeats {
		if tallies[machine] == nil {
			tallies[machine] = &flowtest.Tally{}
		}
		x.specialised = tallies[machine]
	}
	if x.set, err = named.Load(isa.Options{}); err != nil {
		return nil, errors.New(diag.Render(err))
	}
	if x.m, err = exec.Open(x.set); err != nil {
		return nil, errors.New(diag.Render(err))
	}
	x.root, err = x.m.Root("")
	return x, err
}

// code is a program with its contexts and quirks.
type code struct {
	words []uint32
	// contexts are context values. quirks are quirk values that differ from the default.
	contexts, quirks map[string]string
	// table holds the entries of the table next to the code.
	table []bits.Value
}

// program compiles a program once for all rows that use it.
func (x *executor) program(c *code) (*exec.Program, error) {
	key := fmt.Sprint(c.words, c.contexts, c.quirks, c.table)
	if p := x.programs[key]; p != nil {
		return p, nil
	}
	words := x.m.Words32(x.root, c.words, 0)
	var err error
	for name, value := range c.contexts {
		if words.Context, err = x.set.ParseContext(words.Context, name, value); err != nil {
			return nil, err
		}
	}
	if len(c.table) > 0 {
		words.Tables[0] = c.table
	}
	if words.Quirks, err = x.m.ParseQuirks(c.quirks); err != nil {
		return nil, err
	}
	p := exec.NewProgram(x.m, words)
	x.programs[key] = p
	return p, nil
}

// wave starts a program with a number of lanes.
func (x *executor) wave(c *code, lanes int, entry uint64) (*wave, error) {
	p, err := x.program(c)
	if err != nil {
		return nil, err
	}
	w := &wave{Wave: exec.NewWave(p), x: x, m: x.m, lanes: lanes, entry: entry}
	const budget = 100_000
	w.Budget = budget
	w.Services = map[string]exec.Service{}
	w.Start(lanes, entry)
	return w, nil
}

// wave is a run of a program on a state. Registers have the names of the description.
type wave struct {
	*exec.Wave
	x     *executor
	m     *exec.Machine
	lanes int
	entry uint64
}

// run runs the program. If the executor counts specialised programs, run repeats the run with the specialised
// program, and returns an error if the results differ.
func (w *wave) run() error {
	tally := w.x.specialised
	if tally == nil {
		return w.Run(context.Background())
	}
	before := flowtest.Snapshot(w.Wave)
	hosts := w.Services // none returns a result
	tally.Calls = flowtest.Record(w.Wave)
	for name, host := range hosts {
		record := w.Services[name]
		w.Services[name] = func(c *exec.Call) {
			record(c)
			host(c)
		}
	}
	if err := w.Run(context.Background()); err != nil {
		return err
	}
	tally.Entry = w.entry
	if err := tally.Check(context.Background(), tally.Programs, before, w.Wave); err != nil {
		return fmt.Errorf("the specialised program: %w", err)
	}
	return nil
}

// state returns the register file and the number for a name such as r5, C12, p0 or aL.
func (w *wave) state(register string) (*exec.State, int, error) {
	if s := w.m.State(register); s != nil && s.Single {
		return s, 0, nil
	}
	name := strings.TrimRight(register, "0123456789")
	n, err := strconv.Atoi(register[len(name):])
	for _, s := range w.m.States {
		if s.Name == name && s.Kind == exec.Registers && err == nil && n < s.Count {
			return s, n, nil
		}
	}
	return nil, 0, fmt.Errorf("unknown register %q", register)
}

// set sets the components of a register in all lanes.
func (w *wave) set(register string, components ...uint64) error {
	s, n, err := w.state(register)
	if err != nil {
		return err
	}
	if len(components) > s.Type.Lanes {
		return fmt.Errorf("%d components of %s, expected %d", len(components), register, s.Type.Lanes)
	}
	for k, v := range components {
		for lane := range w.lanes {
			w.Set(s, n, k, lane, v)
		}
	}
	return nil
}

// registers maps register names to their components in one lane.
type registers map[string][]uint64

// snapshot reads all registers of some files in a lane.
func (w *wave) snapshot(lane int, files ...string) registers {
	out := registers{}
	for _, s := range w.m.States {
		if s.Kind != exec.Registers || !slices.Contains(files, s.Name) {
			continue
		}
		for n := range s.Count {
			name := s.Name
			if !s.Single {
				name += strconv.Itoa(n)
			}
			for k := range s.Type.Lanes {
				out[name] = append(out[name], exec.Canonical(w.Get(s, n, k, lane), s.Type))
			}
		}
	}
	return out
}

// differ lists the registers that differ, with both values. ok reports whether all are equal. same
// compares two components. If same is nil, their bits must be equal.
func differ(got, want registers, same func(got, want uint64) bool) (gotText, wantText string, ok bool) {
	if same == nil {
		same = func(got, want uint64) bool { return got == want }
	}
	var a, b []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !slices.EqualFunc(got[name], want[name], same) {
			a = append(a, fmt.Sprintf("%s=%s", name, hexOf(got[name])))
			b = append(b, fmt.Sprintf("%s=%s", name, hexOf(want[name])))
		}
	}
	return strings.Join(a, " "), strings.Join(b, " "), len(a) == 0
}

func hexOf(list []uint64) string {
	var text []string
	for _, v := range list {
		text = append(text, fmt.Sprintf("%08x", v))
	}
	return strings.Join(text, ",")
}

// unexpectedStop returns why the lanes stopped, unless the reason is among the expected ones. In that
// case it returns "".
func (w *wave) unexpectedStop(expected ...string) string {
	for _, s := range w.Stops() {
		if !slices.Contains(expected, s.Reason) {
			return s.String()
		}
	}
	if w.Waits() {
		return "waits at a barrier"
	}
	return ""
}

// nan is the one NaN to which all NaNs are mapped.
const nan = 0x7fc00000

// float32s parses hexadecimal components and maps all NaNs to one.
func float32s(texts []string) ([]uint64, error) {
	list, err := hexWords(texts)
	for i, v := range list {
		if math.IsNaN(float64(math.Float32frombits(uint32(v)))) {
			list[i] = nan
		}
	}
	return list, err
}

// hexWords parses 32-bit hexadecimal words.
func hexWords(texts []string) (list []uint64, err error) {
	for _, text := range texts {
		v, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return nil, fmt.Errorf("word %q, expected up to 8 hexadecimal digits", text)
		}
		list = append(list, v)
	}
	return list, nil
}

// words32 parses the words of a program.
func words32(texts []string) (words []uint32, err error) {
	list, err := hexWords(texts)
	for _, v := range list {
		words = append(words, uint32(v))
	}
	return words, err
}

// within returns a comparison of floats with a relative tolerance. NaN and infinities must be equal.
func within(tolerance float64) func(got, want uint64) bool {
	return func(got, want uint64) bool {
		a, b := float64(math.Float32frombits(uint32(got))), float64(math.Float32frombits(uint32(want)))
		return got == want || math.Abs(a-b) <= tolerance*math.Abs(b) && !math.IsInf(b, 0)
	}
}
