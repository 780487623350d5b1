package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/jsontext"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

type stepFlags struct {
	setFlags
	jobsFlag
}

func newStep() *cobra.Command {
	var f stepFlags
	cmd := &cobra.Command{
		Use:     "step [flags] [FILE]",
		GroupID: "code",
		Short:   "Execute instructions on register states, given as JSON lines",
		Long: `step executes an instruction, or a short program, on a given state. It is a reference for tests of emulators.
Each line of the input is a JSON object, and step prints one line for each. Without a FILE, step reads
standard input, unless that is a terminal or another device. - reads standard input in any case.

  isa      the machine (or --isa, --spec)
  words    the program: words in hex, in the order in which files store them
  root     the root of the words
  context  values of contexts
  tables   table entries, in hex
  state    registers before the run, in hex
  lanes    an array of states, one for each lane, in addition to state
  memory   bytes by address, in hex
  active   the lanes that exist, as a mask in hex
  quirks   values of quirks
  pc       where the program starts (default 0)
  steps    the maximum number of instructions to run (default 10000)
  read     registers to return in addition to those that changed

Registers of a register file have their numbers as keys. A vector is an array of its components; missing ones are 0.
A stack is an array of its entries, the oldest first. The private memory of a lane is part of its state, by
address. The answer contains pc, where the program stopped, and address, the same place in bytes. If a line
cannot run, the answer is {"error": ...}, and step continues.

Exit status: 0; 1 if step cannot read the input; 2 for a mistake on the command line; 3 if some lines could
not run.`,
		Example: `  echo '{"isa":"pica200","words":["4e000000"],"tables":{"opdesc":["0000036f"]},"state":{"v":{"0":["3f800000","0","0","0"]}}}' | isago step`,
		Args:    atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := orStandardInput(cmd, args, noFile)
			if err != nil {
				return err
			}
			return f.run(cmd, args[0])
		},
	}
	f.setFlags.add(cmd)
	f.jobsFlag.add(cmd)
	return cmd
}

func (f *stepFlags) run(cmd *cobra.Command, name string) error {
	var m *exec.Machine // the machine of lines that name no machine
	if f.given() {
		set, err := f.load(nil)
		if err == nil {
			m, err = exec.Open(set)
		}
		if err != nil {
			return err
		}
	}
	if file, ok := cmd.InOrStdin().(*os.File); ok && name == "-" && isTerminal(file) {
		fmt.Fprintln(cmd.ErrOrStderr(), stepHint)
	}
	in, err := open(cmd, name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(cmd.OutOrStdout(), outputBuffer)
	var wrong atomic.Bool
	defer progressOf(cmd).startLines(cmd, name)()
	err = eachLine(cmd.Context(), in, w, f.jobs, func() (lineFunc, error) {
		s := stepper{ctx: cmd.Context(), machines: map[string]stepMachine{"": {m, f.product}}, wrong: &wrong}
		return s.line, nil
	})
	if err = errors.Join(err, in.Close()); err == nil && wrong.Load() {
		return errFindings
	}
	return err
}

// stepHint is the message for a user who starts step on a terminal without input.
const stepHint = "isago step: reading lines of JSON from the terminal, such as those of isago step --help"

// stepper answers lines.
type stepper struct {
	ctx      context.Context
	machines map[string]stepMachine // by name; "" is the machine of the command line
	wrong    *atomic.Bool           // set if a line could not run
}

// stepMachine is a machine, and the product by whose name a line selects it.
type stepMachine struct {
	*exec.Machine
	product isa.Product
}

// stepQuery is a line of input.
type stepQuery struct {
	ISA     string                       `json:"isa"`
	Root    string                       `json:"root"`
	Context map[string]string            `json:"context"`
	Words   []string                     `json:"words"`
	State   stateJSON                    `json:"state"`
	Lanes   []stateJSON                  `json:"lanes"`
	Tables  map[string][]string          `json:"tables"`
	Memory  map[string]map[string]string `json:"memory"`
	PC      json.Number                  `json:"pc"`
	Active  string                       `json:"active"`
	Steps   int64                        `json:"steps"`
	Quirks  map[string]string            `json:"quirks"`
	Read    []string                     `json:"read"`
}

type stateJSON map[string]json.RawMessage

// stepAnswer is a line of output.
type stepAnswer struct {
	State  map[string]any               `json:"state"`
	Lanes  []map[string]any             `json:"lanes,omitempty"`
	Memory map[string]map[string]string `json:"memory,omitempty"`
	Calls  []stepCall                   `json:"calls,omitempty"`
	Stop   string                       `json:"stop"`
	PC     *uint64                      `json:"pc,omitempty"`
	// Address is PC in bytes from the start of the code, or the address of the instruction that the instruction at PC
	// runs.
	Address *uint64    `json:"address,omitempty"`
	Stops   []stepStop `json:"stops,omitempty"`
	// Unknown lists the unknown behaviour of the machine that the run encountered.
	Unknown []string `json:"unknown,omitempty"`
}

type stepCall struct {
	Name string   `json:"name"`
	Args []string `json:"args"`
	Lane int      `json:"lane"`
}

type stepStop struct {
	Lanes string `json:"lanes"`
	Stop  string `json:"stop"`
	PC    uint64 `json:"pc"`
	// Address is PC in bytes from the start of the code, or the address of the instruction that the instruction at PC
	// runs.
	Address uint64 `json:"address"`
}

func (s *stepper) line(dst, line []byte, number int) []byte {
	if len(bytes.TrimSpace(line)) == 0 {
		return dst
	}
	answer, err := s.answer(line)
	var out []byte
	if err == nil {
		out, err = json.Marshal(answer)
	}
	var text *jsontext.Error
	if errors.As(err, &text) {
		text.Line = number
	}
	if err != nil {
		s.wrong.Store(true)
		return view.AppendError(dst, err)
	}
	return append(dst, out...)
}

func (s *stepper) machine(name string) (stepMachine, error) {
	if m := s.machines[name]; m.Machine != nil {
		return m, nil
	}
	if name == "" {
		return stepMachine{}, errors.New("isa is missing, and neither --isa nor --spec is given")
	}
	named, product, err := catalog.Find(name)
	if err != nil {
		return stepMachine{}, err
	}
	set, err := named.Load(isa.Options{})
	if err != nil {
		return stepMachine{}, err
	}
	m, err := exec.Open(set)
	if err == nil {
		s.machines[name] = stepMachine{m, product}
	}
	return s.machines[name], err
}

func (s *stepper) answer(line []byte) (*stepAnswer, error) {
	var q stepQuery
	if err := jsontext.Unmarshal(line, &q); err != nil {
		return nil, err
	}
	m, err := s.machine(q.ISA)
	if err != nil {
		return nil, err
	}
	context, quirks := splitSettings(func(name string) bool {
		return slices.ContainsFunc(m.Set().Contexts(), func(c isa.ContextInfo) bool { return c.Name == name })
	}, m.product)
	maps.Copy(context, q.Context)
	maps.Copy(quirks, q.Quirks)
	q.Context, q.Quirks = context, quirks
	run := stepRun{q: &q, m: m.Machine}
	return run.answer(s.ctx)
}

// stepRun answers one query.
type stepRun struct {
	q     *stepQuery
	m     *exec.Machine
	w     *exec.Wave
	lanes int
	calls []stepCall
}

const stepMemory = 1 << 16 // bytes of a memory without a size in the description

func (r *stepRun) answer(ctx context.Context) (*stepAnswer, error) {
	p, err := r.program()
	if err != nil {
		return nil, err
	}
	r.lanes = max(1, len(r.q.Lanes))
	if r.lanes > exec.Lanes {
		return nil, fmt.Errorf("the wave has %d lanes, expected at most %d", r.lanes, exec.Lanes)
	}
	if r.q.Steps < 0 {
		return nil, fmt.Errorf("steps %d, expected the maximum number of instructions, or 0 for the default", r.q.Steps)
	}
	var pc uint64
	if r.q.PC != "" {
		if pc, err = strconv.ParseUint(r.q.PC.String(), 0, 32); err != nil {
			return nil, fmt.Errorf("pc %s, expected an unsigned number of 32 bits", r.q.PC)
		}
	}
	if _, ok := p.Fetch(pc); !ok {
		return nil, fmt.Errorf("no instruction starts at pc %d", pc)
	}
	r.w = exec.NewWave(p)
	if r.w.Budget = 10000; r.q.Steps > 0 {
		r.w.Budget = r.q.Steps
	}
	r.services()
	r.w.Start(r.lanes, pc)
	if r.q.Active != "" {
		mask, err := strconv.ParseUint(r.q.Active, 16, 64)
		if err != nil || mask == 0 || mask&^r.w.Exists() != 0 {
			return nil, fmt.Errorf("active %q, expected a nonzero hexadecimal mask of %d lanes", r.q.Active, r.lanes)
		}
		r.w.SetLanes(mask)
	}
	if err := r.setAll(); err != nil {
		return nil, err
	}
	before, memory := r.snapshot(), r.memories()
	if err := r.w.Run(ctx); err != nil {
		return nil, err
	}
	return r.changes(before, memory)
}

// program returns the program to run.
func (r *stepRun) program() (*exec.Program, error) {
	root, err := r.m.Root(r.q.Root)
	if err != nil {
		return nil, err
	}
	code, size, err := r.code(root)
	if err != nil {
		return nil, err
	}
	words := r.m.Words32(root, code, size)
	for name, value := range r.q.Context {
		if words.Context, err = r.m.Set().ParseContext(words.Context, name, value); err != nil {
			return nil, err
		}
	}
	for name, entries := range r.q.Tables {
		known := false
		for i, t := range r.m.Set().Tables() {
			if t.Name != name {
				continue
			}
			known = true
			for _, e := range entries {
				v, err := bits.ParseHex(e)
				if err != nil {
					return nil, fmt.Errorf("table %s: %v", name, err)
				}
				words.Tables[i] = append(words.Tables[i], v)
			}
		}
		if !known {
			return nil, fmt.Errorf("unknown table %q", name)
		}
	}
	if words.Quirks, err = r.m.ParseQuirks(r.q.Quirks); err != nil {
		return nil, err
	}
	return exec.NewProgram(r.m, words), nil
}

// code parses the words of the query. A text is one word of 32 bits. If the machine stores programs in narrower words,
// a shorter text is as many of these words as its digits fill. size is the length of the code in bits.
func (r *stepRun) code(root *isa.Root) (code []uint32, size int64, err error) {
	for _, text := range r.q.Words {
		v, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return nil, 0, fmt.Errorf("word %q, expected up to 8 hexadecimal digits", text)
		}
		width := min(32, root.StoredSize(4*len(text)))
		for bit := 0; bit < width; bit += 8 { // both are whole bytes
			if size%32 == 0 {
				code = append(code, 0)
			}
			code[len(code)-1] |= uint32(v) >> bit & 0xff << (size % 32)
			size += 8
		}
	}
	if len(code) == 0 {
		return nil, 0, errors.New("there are no words, expected at least one")
	}
	return code, size, nil
}

// services records the calls of host callbacks, which all return 0.
func (r *stepRun) services() {
	r.w.Services = map[string]exec.Service{}
	for _, name := range r.m.Services() {
		r.w.Services[name] = func(c *exec.Call) {
			for lane := range exec.Lanes {
				if c.Mask>>uint(lane)&1 == 0 {
					continue
				}
				call := stepCall{Name: name, Args: []string{}, Lane: lane}
				for _, a := range c.Args {
					call.Args = append(call.Args, strconv.FormatUint(a[lane], 16))
				}
				r.calls = append(r.calls, call)
			}
		}
	}
}

// setAll sets the state of the wave from the query.
func (r *stepRun) setAll() error {
	for _, s := range r.m.States {
		if s.Kind == exec.Memory && s.Count == 0 {
			r.w.SetSize(s, stepMemory)
		}
	}
	for lane := range r.lanes {
		if err := r.set(r.q.State, lane); err != nil {
			return err
		}
	}
	for name, pieces := range r.q.Memory {
		s := r.m.State(name)
		if s == nil || s.Kind != exec.Memory {
			return fmt.Errorf("unknown memory %q", name)
		}
		for lane := range r.owners(s) {
			if err := r.setMemory(s, lane, pieces); err != nil {
				return fmt.Errorf("memory %s: %w", name, err)
			}
		}
	}
	for lane := range r.q.Lanes { // after the values for all lanes
		if err := r.set(r.q.Lanes[lane], lane); err != nil {
			return fmt.Errorf("lane %d: %w", lane, err)
		}
	}
	return nil
}

// owners returns the number of instances of a memory: one for each lane, or one that all lanes share.
func (r *stepRun) owners(s *exec.State) int {
	if s.Scope < exec.ScopeWave {
		return r.lanes
	}
	return 1
}

// memory returns the bytes of a memory. If each lane has its own memory, these are the bytes of one lane.
func (r *stepRun) memory(s *exec.State, lane int) []byte {
	data := r.w.Memory(s)
	if s.Scope >= exec.ScopeWave {
		return data
	}
	size := len(data) / exec.Lanes
	return data[lane*size : (lane+1)*size]
}

func (r *stepRun) setMemory(s *exec.State, lane int, pieces map[string]string) error {
	data := r.memory(s, lane)
	for at, text := range pieces {
		addr, err := strconv.ParseUint(at, 0, 32)
		piece, err2 := hex.DecodeString(text)
		if err != nil || err2 != nil || addr+uint64(len(piece)) > uint64(len(data)) {
			return fmt.Errorf("%q: %q, expected hexadecimal bytes at an address within the %d bytes of the memory", at, text, len(data))
		}
		copy(data[addr:], piece)
	}
	return nil
}

func (r *stepRun) set(state stateJSON, lane int) error {
	for name, raw := range state {
		s := r.m.State(name)
		var err error
		switch {
		case s == nil:
			err = errors.New("unknown register, stack or memory")
		case s.Kind == exec.Memory && s.Scope >= exec.ScopeWave:
			err = errors.New("all lanes share this memory, expected it in the field memory")
		case s.Kind == exec.Memory:
			var pieces map[string]string
			if err = jsontext.UnmarshalPart(raw, &pieces); err == nil {
				err = r.setMemory(s, lane, pieces)
			}
		case s.Kind == exec.Stack:
			err = r.setStack(s, lane, raw)
		case s.Single:
			err = r.setRegister(s, 0, lane, raw)
		default:
			err = r.setFile(s, lane, raw)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (r *stepRun) setFile(s *exec.State, lane int, raw json.RawMessage) error {
	var numbers map[string]json.RawMessage
	if err := jsontext.UnmarshalPart(raw, &numbers); err != nil {
		return err
	}
	for key, value := range numbers {
		n, err := strconv.Atoi(key)
		if err != nil || n < 0 || n >= s.Count {
			return fmt.Errorf("register %q, expected 0 to %d", key, s.Count-1)
		}
		if err := r.setRegister(s, n, lane, value); err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
	}
	return nil
}

func (r *stepRun) setRegister(s *exec.State, n, lane int, raw json.RawMessage) error {
	texts := make([]string, 1)
	var err error
	if s.Type.Lanes > 1 {
		err = jsontext.UnmarshalPart(raw, &texts)
	} else {
		err = jsontext.UnmarshalPart(raw, &texts[0])
	}
	if err != nil {
		return err
	}
	if len(texts) > s.Type.Lanes {
		return fmt.Errorf("%d components, expected at most %d", len(texts), s.Type.Lanes)
	}
	for k, text := range texts {
		v, err := hexBits(text, s.Type)
		if err != nil {
			return err
		}
		r.w.Set(s, n, k, lane, v)
	}
	return nil
}

// hexBits parses the bits of a component in hexadecimal.
func hexBits(text string, t isa.Type) (uint64, error) {
	v, err := strconv.ParseUint(text, 16, 64)
	if err != nil || t.Bits < 64 && v>>uint(t.Bits) != 0 {
		return 0, fmt.Errorf("%q, expected a hexadecimal number of at most %d bits", text, t.Bits)
	}
	return v, nil
}

func (r *stepRun) setStack(s *exec.State, lane int, raw json.RawMessage) error {
	var entries []map[string]string
	if err := jsontext.UnmarshalPart(raw, &entries); err != nil {
		return err
	}
	if s.Scope >= exec.ScopeWave && lane > 0 {
		return nil
	}
	for _, e := range entries {
		slots := make([]uint64, len(s.Slots))
		for i, slot := range s.Slots {
			text, ok := e[slot.Name]
			if !ok {
				continue
			}
			delete(e, slot.Name)
			var err error
			if slots[i], err = hexBits(text, slot.Type); err != nil {
				return fmt.Errorf("%s: %w", slot.Name, err)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(e)) {
			return fmt.Errorf("unknown slot %q", name)
		}
		if !r.w.PushEntry(s, lane, slots) {
			return errors.New("more entries than the stack can hold")
		}
	}
	return nil
}

// snapshot holds every register of every lane as text, by state, lane and number.
type snapshot map[*exec.State][][]any

func (r *stepRun) snapshot() snapshot {
	out := snapshot{}
	for _, s := range r.m.States {
		if s.Kind == exec.Memory || s.ReadOnly || s.Scope == exec.ScopeInstruction {
			continue
		}
		lanes := make([][]any, r.lanes)
		for lane := range lanes {
			lanes[lane] = r.registers(s, lane)
		}
		out[s] = lanes
	}
	return out
}

// registers lists the registers of a file in a lane, or the entries of a stack.
func (r *stepRun) registers(s *exec.State, lane int) []any {
	if s.Kind == exec.Stack {
		list := []any{}
		for k := r.w.Depth(s, lane) - 1; k >= 0; k-- {
			e := map[string]string{}
			for i, slot := range s.Slots {
				e[slot.Name] = strconv.FormatUint(r.w.Entry(s, k, i, lane), 16)
			}
			list = append(list, e)
		}
		return list
	}
	list := make([]any, s.Count)
	for n := range list {
		list[n] = r.register(s, n, lane)
	}
	return list
}

func (r *stepRun) register(s *exec.State, n, lane int) any {
	digits := max(1, (s.Type.Bits+3)/4)
	text := func(k int) string {
		return fmt.Sprintf("%0*x", digits, exec.Canonical(r.w.Get(s, n, k, lane), s.Type))
	}
	if s.Type.Lanes == 1 {
		return text(0)
	}
	var list []string
	for k := range s.Type.Lanes {
		list = append(list, text(k))
	}
	return list
}

// memories returns copies of the memories. The copy of an unused memory, which contains only 0, is nil.
func (r *stepRun) memories() map[*exec.State][]byte {
	out := map[*exec.State][]byte{}
	for _, s := range r.m.States {
		if s.Kind != exec.Memory {
			continue
		}
		if out[s] = nil; r.w.Used(s) {
			out[s] = bytes.Clone(r.w.Memory(s))
		}
	}
	return out
}

// changes returns an answer with the state that changed and the registers that the query requests.
func (r *stepRun) changes(before snapshot, memory map[*exec.State][]byte) (*stepAnswer, error) {
	a := &stepAnswer{State: map[string]any{}, Calls: r.calls}
	after := r.snapshot()
	if len(r.q.Lanes) > 0 {
		a.Lanes = make([]map[string]any, r.lanes)
		for i := range a.Lanes {
			a.Lanes[i] = map[string]any{}
		}
	}
	for s, lanes := range after {
		for lane, regs := range lanes {
			into := a.State
			if s.Scope < exec.ScopeWave && a.Lanes != nil {
				into = a.Lanes[lane]
			}
			r.compare(into, s, before[s][lane], regs)
		}
	}
	for _, name := range r.q.Read {
		if s := r.m.State(name); s == nil || s.Kind == exec.Memory {
			return nil, fmt.Errorf("read: unknown register %q", name)
		}
	}
	for s, old := range memory {
		if !r.w.Used(s) {
			continue
		}
		for lane := range r.owners(s) {
			data := r.memory(s, lane)
			was := make([]byte, len(data))
			if old != nil {
				was = old[lane*len(data):][:len(data)]
			}
			r.compareMemory(a, s, lane, changedBytes(was, data))
		}
	}
	r.stops(a)
	for _, f := range r.w.Findings() {
		if f.Text != "" {
			a.Unknown = append(a.Unknown, fmt.Sprintf("0x%x: %s", f.Address, f.Text))
		}
	}
	return a, nil
}

// compareMemory adds the changed bytes of a memory to an answer.
func (r *stepRun) compareMemory(a *stepAnswer, s *exec.State, lane int, pieces map[string]string) {
	switch {
	case len(pieces) == 0:
	case s.Scope < exec.ScopeWave && a.Lanes != nil:
		a.Lanes[lane][s.Name] = pieces
	case s.Scope < exec.ScopeWave:
		a.State[s.Name] = pieces
	default:
		if a.Memory == nil {
			a.Memory = map[string]map[string]string{}
		}
		a.Memory[s.Name] = pieces
	}
}

// compare adds the registers of a state that changed, or that the query requests, to an answer.
func (r *stepRun) compare(into map[string]any, s *exec.State, before, after []any) {
	read := false
	for _, name := range r.q.Read {
		read = read || name == s.Name
	}
	same := func(n int) bool {
		x, _ := json.Marshal(before[n])
		y, _ := json.Marshal(after[n])
		return bytes.Equal(x, y)
	}
	switch {
	case s.Kind == exec.Stack:
		x, _ := json.Marshal(before)
		if y, _ := json.Marshal(after); read || !bytes.Equal(x, y) {
			into[s.Name] = after
		}
	case s.Single:
		if read || !same(0) {
			into[s.Name] = after[0]
		}
	default:
		changed := map[string]any{}
		for n := range after {
			if read || !same(n) {
				changed[strconv.Itoa(n)] = after[n]
			}
		}
		if len(changed) > 0 {
			into[s.Name] = changed
		}
	}
}

// changedBytes returns the runs of changed bytes in hexadecimal, by address.
func changedBytes(before, after []byte) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(after); i++ {
		j := i
		for j < len(after) && before[j] != after[j] {
			j++
		}
		if j > i {
			out[strconv.Itoa(i)] = hex.EncodeToString(after[i:j])
			i = j
		}
	}
	return out
}

// stops adds to an answer the reasons why the lanes stopped. If all lanes stopped together, it adds one place instead
// of a list.
func (r *stepRun) stops(a *stepAnswer) {
	list := r.w.Stops()
	sort.SliceStable(list, func(i, j int) bool { return list[i].Lanes&-list[i].Lanes < list[j].Lanes&-list[j].Lanes })
	var reasons []string
	for _, s := range list {
		text := s.Reason
		if s.Reason == "budget" && r.q.Steps > 0 {
			text = "steps"
		}
		if s.Text != "" {
			text += ": " + s.Text
		}
		reasons = append(reasons, text)
		a.Stops = append(a.Stops, stepStop{strconv.FormatUint(s.Lanes, 16), text, s.PC, s.Address})
	}
	if r.w.Waits() {
		reasons = append(reasons, "barrier")
	}
	a.Stop = strings.Join(reasons, ", ")
	if len(a.Stops) == 1 {
		a.PC, a.Address, a.Stops = &a.Stops[0].PC, &a.Stops[0].Address, nil
	}
}
