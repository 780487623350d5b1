// Package launch runs Tesla kernels over grids of blocks, and Tesla vertex, geometry and fragment programs.
package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/jsontext"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

// The names of the options.
const (
	optKernel   = "kernel"
	optGrid     = "grid"
	optBlock    = "block"
	optShared   = "shared"
	optParams   = "params"
	optPointer  = "pointer-size"
	optArg      = "arg"
	optCall     = "call"
	optOut      = "out"
	optPicture  = "picture"
	optWarp     = "warp"
	optParallel = "parallel"
	optRaces    = "races"
	optTotal    = "grid-budget"
	optMemory   = "memory"
)

// Options are the options of kernels.
func Options() []feed.Option {
	return []feed.Option{
		{Name: optKernel, Usage: "run this `KERNEL`, by its name in the file or in the C++ source (default: the first)"},
		{Name: optGrid, Usage: "the size of the grid in blocks: `X` or X,Y", Compares: true},
		{Name: optBlock, Usage: "the size of a block in threads: `X`, X,Y or X,Y,Z", Translates: true},
		{Name: optShared, Usage: "`BYTES` of shared memory in addition to what the kernel declares (default: all of it)", Translates: true},
		{Name: optParams, Usage: "the parameters of the kernel in order, as `NAME:TYPE`, separated by blanks: ptr, ptr:f32, s32, f32x4", Translates: true},
		{Name: optPointer, Usage: "the size of a pointer parameter in `BYTES`, 4 or 8 (default: as in the file, or as fits its shared memory)", Translates: true},
		{Name: optArg, Usage: "an argument, as `NAME=VALUE`: 5, 1.5, f32:1,2,3, f32[1024], f32[8]:count, @FILE, f32:@FILE"},
		{Name: optCall, Usage: "launch a kernel, as `KERNEL<<<GRID,BLOCK,SHARED>>>(ARG,...)`; several launches share the memory"},
		{Name: optOut, Usage: "output an array, as `NAME`, NAME=FILE or NAME:TYPE=FILE; the suffix of FILE selects JSON, CSV or bytes", Writes: true},
		{Name: optPicture, Usage: "the array that --png draws, as `NAME:WIDTHxHEIGHT`"},
		{Name: optWarp, Usage: "--trace follows the warp with this `NUMBER` in the grid (default: 0)"},
		{Name: optParallel, Usage: "run blocks in parallel; only for programs that do not depend on the order of blocks", Bool: true},
		{Name: optTotal, Usage: fmt.Sprintf("stop after `N` instructions of all warps of a kernel together; 0 never stops (default: %d)", int64(DefaultTotal))},
		{Name: optMemory, Usage: fmt.Sprintf("limit arguments and variables together to `BYTES` (default: %d)", DefaultMemory)},
		{Name: optRaces, Usage: "report data races in shared memory", Bool: true},
	}
}

// The default bounds of a run: instructions of all warps of a kernel (some minutes), and bytes of all arguments and
// variables.
const (
	DefaultBudget = 1 << 24 // instructions of a warp
	DefaultTotal  = 1 << 32
	DefaultMemory = 1 << 30
)

// session is a module with its inputs.
type session struct {
	req     feed.Request
	module  *tesla.Module
	machine *exec.Machine
	words   exec.Words

	params []param
	// given are the arguments by name; order are their names in the order of the command line.
	given map[string]*value
	order []string
	// room is the most bytes that arguments and variables may have, left the bytes that remain.
	room, left int

	// pointer is the number of bytes of a pointer parameter.
	pointer int

	// begun is called for each warp that starts; nil for no call.
	begun  func(w *exec.Wave)
	places *places
	arrays map[string]*array
	banks  [][]byte
	shared *exec.Shared
}

// Open opens a cubin for a run.
func Open(req feed.Request) (feed.Runner, error) {
	if err := req.Load(tesla.Load); err != nil {
		return nil, err
	}
	m, err := read(req.Data, req.Context)
	if err != nil {
		return nil, err
	}
	machine, err := exec.Open(req.Set)
	if err != nil {
		return nil, err
	}
	ctx := req.Context
	if m.Chip != "" {
		if ctx, err = req.Set.ParseContext(ctx, "chip", m.Chip); err != nil {
			return nil, err
		}
	}
	if !isCompute(machine, ctx) {
		return openStage(req, m, machine, ctx)
	}
	s := &session{req: req, module: m, machine: machine, given: map[string]*value{}, arrays: map[string]*array{}}
	if s.places, err = placesOf(machine, ctx); err != nil {
		return nil, err
	}
	root, err := machine.Root("")
	if err != nil {
		return nil, err
	}
	s.words = exec.Words{Root: root, Context: ctx, Tables: make([][]bits.Value, len(req.Set.Tables()))}
	if s.words.Quirks, err = machine.ParseQuirks(req.Quirks); err != nil {
		return nil, err
	}
	return s, s.options()
}

// options reads the parameters and the arguments of the options.
func (s *session) options() (err error) {
	s.room = DefaultMemory
	if text := last(s.req.Options[optMemory], ""); text != "" {
		if s.room, err = strconv.Atoi(text); err != nil || s.room < 0 {
			return exec.Optionf("--%s %q, expected a number of bytes, at least 0", optMemory, text)
		}
	}
	s.left = s.room
	if s.params, err = parseParams(strings.Join(s.req.Options[optParams], " ")); err != nil {
		return exec.Optionf("--%s: %w", optParams, err)
	}
	for _, text := range s.req.Options[optArg] {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return exec.Optionf("--%s %q, expected NAME=VALUE", optArg, text)
		}
		if err := s.give(name, value); err != nil {
			return exec.Optionf("--%s: %w", optArg, err)
		}
	}
	return nil
}

// read reads a cubin. It assembles one whose code is source.
func read(data []byte, ctx bits.Value) (*tesla.Module, error) {
	if !tesla.IsSource(data) {
		return tesla.ReadModule(data)
	}
	compiler, err := tesla.NewCompiler()
	if err != nil {
		return nil, err
	}
	out, err := compiler.Compile([]*diag.Source{{Text: string(data)}}, program.CompileOptions{Context: func(*isa.Set) (bits.Value, error) { return ctx, nil }})
	if err != nil {
		return nil, err
	}
	return tesla.ReadModule(out.Bytes)
}

// give stores an argument.
func (s *session) give(name, text string) error {
	return s.put(name, strings.Contains(text, rgba), func(want *isa.Type) (*value, error) { return s.parse(text, want) })
}

// put stores an argument. A number as its name is the index of the parameter. read returns the value; want is its type,
// or nil if the type is unknown.
func (s *session) put(name string, colours bool, read func(want *isa.Type) (*value, error)) error {
	p := s.param(name)
	if n, err := strconv.Atoi(name); err == nil && p == nil && n >= 0 && n < len(s.params) {
		p = &s.params[n]
		name = p.name
	}
	if _, twice := s.given[name]; twice {
		return fmt.Errorf("%s is given twice", name)
	}
	var want *isa.Type
	if p != nil && p.known {
		want = &p.typ
	}
	v, err := read(want)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.left -= len(v.data)
	return s.take(name, v, colours)
}

func (s *session) take(name string, v *value, colours bool) error {
	p := s.param(name)
	if p != nil && p.pointer {
		v.array = true
	}
	if p != nil && !p.pointer && v.count() != p.count {
		return fmt.Errorf("%s: %d numbers, expected %d", name, v.count(), p.count)
	}
	s.given[name] = v
	s.order = append(s.order, name)
	if v.array && (p == nil || p.pointer) && !s.isConstant(name) {
		s.arrays[name] = &array{name: name, typ: v.typ, rgba: colours, data: v.data}
	}
	return nil
}

// isConstant reports whether a name is that of a variable in constant memory.
func (s *session) isConstant(name string) bool {
	return slices.ContainsFunc(s.module.Variables, func(v tesla.Variable) bool { return v.Name == name && v.Bank >= 0 })
}

func (s *session) param(name string) *param {
	for i := range s.params {
		if s.params[i].name == name {
			return &s.params[i]
		}
	}
	return nil
}

// Set stores an argument of numbers.
func (s *session) Set(name string, values []string) error {
	return s.give(name, strings.Join(values, ","))
}

// Read reads arguments by name from a JSON object.
func (s *session) Read(data []byte, format string) error {
	if format != "json" {
		return fmt.Errorf("arguments as %s, expected a JSON object; --%s NAME=@FILE reads one array", format, optArg)
	}
	var fields map[string]json.RawMessage
	if err := jsontext.Unmarshal(data, &fields); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		texts, err := jsontext.Texts(fields[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text := strings.Join(texts, ",")
		if strings.HasPrefix(strings.TrimSpace(string(fields[name])), "[") && !strings.Contains(text, "[") {
			text = "[" + text + "]"
		}
		if err := s.give(name, text); err != nil {
			return err
		}
	}
	return nil
}

// Call runs the kernels with more arguments. Each call has the arguments of the options and of Set, and new memory.
func (s *session) Call(ctx context.Context, args []feed.Argument, opt feed.RunOptions) (*feed.Outcome, error) {
	c := *s
	c.given, c.order, c.arrays = maps.Clone(s.given), slices.Clone(s.order), map[string]*array{}
	for name, a := range s.arrays {
		c.arrays[name] = &array{name: name, typ: a.typ, rgba: a.rgba, data: bytes.Clone(a.data)}
	}
	unnamed := 0 // arguments whose parameters have no names
	for _, a := range args {
		if err := c.put(a.Name, false, func(want *isa.Type) (*value, error) { return c.convert(a, want) }); err != nil {
			return nil, err
		}
		if _, err := strconv.Atoi(a.Name); err != nil && s.constantOrVariable(a.Name) == nil {
			unnamed++
		}
	}
	if unnamed > 0 && len(c.order) > 1 && len(c.params) == 0 && len(c.req.Options[optCall]) == 0 {
		return nil, exec.Optionf("the parameters of the kernel have no names: name them with the option %s, such as x:ptr:f32 n:s32, or call the arguments 0, 1 and so on", optParams)
	}
	out, err := c.Run(ctx, opt)
	if err != nil {
		return nil, err
	}
	for _, name := range c.arrayNames() {
		out.Named = append(out.Named, c.arrays[name].output())
	}
	return out, nil
}

// convert returns the value of an argument of a call. want is its type, or nil if the type is unknown.
func (s *session) convert(a feed.Argument, want *isa.Type) (*value, error) {
	n := a.Values.Len()
	v := &value{typ: a.Values.Type(), typed: true, array: n != 1 || s.constantOrVariable(a.Name) != nil}
	if want != nil {
		v.typ = *want
	}
	if size := n * v.typ.Bits / 8; size > s.left {
		return nil, s.explain(&fullError{size}, s.left)
	}
	for i := range n {
		bits, err := a.Values.Bits(i, v.typ)
		if err != nil {
			return nil, err
		}
		v.data = put(v.data, v.typ, bits)
	}
	return v, nil
}

// output returns the array as an output of a call.
func (a *array) output() feed.Output {
	p := exec.Plane{}
	for k := range a.count() {
		if v := get(a.data, a.typ, k); a.typ.Bits > 32 {
			p.U64 = append(p.U64, v)
		} else {
			p.U32 = append(p.U32, uint32(v))
		}
	}
	return feed.Output{Name: a.name, Type: a.typ, Planes: []exec.Plane{p}}
}

// Budget is the default limit on the instructions of a warp. It is high because kernels have long loops.
func (s *session) Budget() int64 { return DefaultBudget }

// Run runs the kernels of the options, one after another.
func (s *session) Run(ctx context.Context, opt feed.RunOptions) (*feed.Outcome, error) {
	calls, err := s.calls()
	if err != nil {
		return nil, err
	}
	if s.pointer, err = s.pointerSize(calls); err != nil {
		return nil, err
	}
	outputs, err := s.outputs()
	if err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	r := &run{s: s, opt: opt, total: DefaultTotal, out: &feed.Outcome{Noun: "thread", Nouns: "threads"}}
	if text := last(s.req.Options[optTotal], ""); text != "" {
		if r.total, err = strconv.ParseInt(text, 0, 64); err != nil || r.total < 0 {
			return nil, exec.Optionf("--%s %q, expected a number of instructions, at least 0", optTotal, text)
		}
	}
	if text := last(s.req.Options[optWarp], ""); text != "" {
		if r.warp, err = strconv.Atoi(text); err != nil || r.warp < 0 {
			return nil, exec.Optionf("--%s %q, expected the number of a warp", optWarp, text)
		}
	}
	r.several = slices.ContainsFunc(calls, func(c call) bool { return c.kernel != calls[0].kernel })
	for i := range calls {
		good, err := r.call(ctx, &calls[i])
		if err != nil {
			return nil, err
		}
		if !good {
			break
		}
	}
	return r.out, s.write(r.out, outputs)
}

// parse reads an argument that fits into the remaining bytes.
func (s *session) parse(text string, want *isa.Type) (*value, error) {
	v, err := parseValue(text, want, s.left, s.req.File)
	if err == nil && len(v.data) > s.left {
		err = &fullError{len(v.data)}
	}
	return v, s.explain(err, s.left)
}

// explain returns an error. If the argument does not fit into the remaining bytes, it is the error of the bound of
// all arguments and variables.
func (s *session) explain(err error, left int) error {
	var full *fullError
	if !errors.As(err, &full) {
		return err
	}
	return fmt.Errorf("%w, expected at most %d: %d of the %d bytes for all arguments and variables are in use; --%s BYTES allows more", err, left, s.room-left, s.room, optMemory)
}

// load puts all arrays into memory.
func (s *session) load() error {
	var list []*array
	for _, name := range s.order {
		if a := s.arrays[name]; a != nil {
			list = append(list, a)
		}
	}
	module := slices.DeleteFunc(variables(s.module), func(v variable) bool { return s.arrays[v.name] != nil })
	left := s.left
	for _, v := range module {
		if v.size > left {
			return fmt.Errorf("%s: %w", v.name, s.explain(&fullError{v.size}, left))
		}
		left -= v.size
	}
	for _, v := range module {
		a := &array{name: v.name, typ: unsigned(32), data: make([]byte, v.size)}
		copy(a.data, v.data)
		s.arrays[v.name], list = a, append(list, a)
	}
	data, areas := layOut(list)
	s.shared = exec.NewShared(s.machine, exec.ScopeLaunch, exec.ScopeLaunch)
	for _, st := range s.places.global.States {
		s.shared.SetMemory(st, data, areas...)
	}
	s.banks = banksOf(s.places.constants, s.shared)
	return nil
}

// banksOf returns the constant memories, by their numbers.
func banksOf(constants *exec.Place, shared *exec.Shared) (banks [][]byte) {
	for _, st := range constants.States {
		banks = append(banks, shared.Memory(st))
	}
	return banks
}
