package launch

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/target/tesla"
)

// call is a kernel with a grid, blocks and arguments.
type call struct {
	kernel *tesla.Kernel
	places *places
	grid   [2]int
	block  [3]int
	shared int // -1 where nobody says it
	params []param
	said   bool // the types of params
	args   []string
}

var callForm = lazy.Regexp(`^\s*([^<\s]+)\s*<<<(.*)>>>\s*\((.*)\)\s*;?\s*$`)

// calls returns the kernels that the options name.
func (s *session) calls() ([]call, error) {
	o := s.req.Options
	if len(o[optCall]) == 0 {
		c, err := s.single()
		return []call{c}, err
	}
	if len(o[optKernel])+len(o[optGrid])+len(o[optBlock])+len(o[optParams]) > 0 {
		return nil, exec.Optionf("--%s cannot be combined with --%s, --%s, --%s or --%s", optCall, optKernel, optGrid, optBlock, optParams)
	}
	var list []call
	for _, text := range o[optCall] {
		c, err := s.parseCall(text)
		if err != nil {
			return nil, exec.Optionf("--%s %q: %w", optCall, text, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// single returns the kernel of --kernel, --grid and --block, with its arguments.
func (s *session) single() (c call, err error) {
	if c, err = s.chosen(); err != nil {
		return c, err
	}
	if err := s.missing(c.kernel); err != nil {
		return c, err
	}
	c.params, c.said = s.params, len(s.params) > 0
	for _, name := range s.order {
		if !c.said && s.constantOrVariable(name) == nil {
			c.params = append(c.params, s.paramOf(name))
		}
	}
	for _, p := range c.params {
		c.args = append(c.args, p.name)
		if s.given[p.name] == nil {
			return c, exec.Optionf("parameter %s has no value, expected --%s %s=VALUE", p.name, optArg, p.name)
		}
	}
	return c, nil
}

// chosen returns the kernel of --kernel, --grid, --block and --shared.
func (s *session) chosen() (c call, err error) {
	o := s.req.Options
	c.places = s.places
	name := last(o[optKernel], s.req.Program)
	switch c.kernel, err = s.module.Kernel(name); {
	case err != nil && name != "":
		return c, &exec.OptionError{Err: err}
	case err != nil:
		return c, err
	}
	if err := c.dims(last(o[optGrid], "1"), last(o[optBlock], "1")); err != nil {
		return c, &exec.OptionError{Err: err}
	}
	c.shared = -1
	if text := last(o[optShared], ""); text != "" {
		if c.shared, err = strconv.Atoi(text); err != nil || c.shared < 0 || c.shared > s.places.maxShared() {
			return c, exec.Optionf("--%s %q, expected up to %d bytes", optShared, text, s.places.maxShared())
		}
	}
	return c, nil
}

// missing reports parameters of a kernel without a value. If the file does not list the parameters, it uses the size
// of their memory.
func (s *session) missing(k *tesla.Kernel) error {
	if _, said := s.req.Options[optParams]; said || len(s.given) > 0 {
		return nil
	}
	what := ""
	switch n := len(k.Parameters); {
	case n == 1:
		what = fmt.Sprintf("a parameter of %d bytes", k.Parameters[0].Size)
	case n > 1:
		var sizes []string
		for _, p := range k.Parameters {
			sizes = append(sizes, strconv.Itoa(p.Size))
		}
		what = fmt.Sprintf("%d parameters of %s bytes", n, strings.Join(sizes, ", "))
	case k.Parameters == nil && k.Shared > s.places.start():
		what = fmt.Sprintf("%d bytes of parameters and shared memory, starting at %s", k.Shared-s.places.start(), s.places.at(s.places.start()))
	default:
		return nil
	}
	return exec.Optionf("kernel %s has %s, but no argument is given: pass arguments in order with --%s NAME=VALUE, such as --%[4]s x=f32:1,2,3 or --%[4]s n=3; declare types with --%[5]s 'x:ptr n:s32', or no parameters with --%[5]s ''",
		k.Name, what, optArg, optArg, optParams)
}

func last(list []string, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	return list[len(list)-1]
}

// constantOrVariable returns the variable of the module with that name, or nil.
func (s *session) constantOrVariable(name string) *tesla.Variable {
	for i := range s.module.Variables {
		if v := &s.module.Variables[i]; v.Name == name {
			return v
		}
	}
	for _, r := range s.module.Relocations {
		if r.Variable == name {
			return &tesla.Variable{Name: name, Bank: -1}
		}
	}
	return nil
}

// paramOf returns the parameter for an argument without a declared parameter. The argument determines the type.
func (s *session) paramOf(name string) param {
	v := s.given[name]
	return param{name: name, pointer: v.array, typ: v.typ, known: true, count: max(1, v.count())}
}

// parseCall reads KERNEL<<<GRID, BLOCK, SHARED>>>(ARG, ...). Grids and blocks of several dimensions are 4x4 or (4,4).
func (s *session) parseCall(text string) (c call, err error) {
	m := callForm().FindStringSubmatch(text)
	if m == nil {
		return c, fmt.Errorf("expected KERNEL<<<GRID,BLOCK>>>(ARG,...)")
	}
	c.places = s.places
	if c.kernel, err = s.module.Kernel(m[1]); err != nil {
		return c, err
	}
	config := splitList(m[2])
	if len(config) < 2 || len(config) > 3 {
		return c, fmt.Errorf("<<< >>> contains %d values, expected the grid, the block and optionally the bytes of shared memory", len(config))
	}
	if err := c.dims(config[0], config[1]); err != nil {
		return c, err
	}
	c.shared = -1
	if len(config) == 3 {
		if c.shared, err = strconv.Atoi(config[2]); err != nil || c.shared < 0 || c.shared > s.places.maxShared() {
			return c, fmt.Errorf("the shared memory is %q, expected 0 to %d bytes", config[2], s.places.maxShared())
		}
	}
	for i, arg := range splitList(m[3]) {
		if s.given[arg] == nil {
			v, err := s.parse(arg, nil)
			if err != nil || v.array {
				return c, fmt.Errorf("argument %q is neither a number nor a name from --%s", arg, optArg)
			}
			arg = fmt.Sprintf("%d of %s", i, text)
			s.given[arg] = v
		}
		c.params, c.args = append(c.params, s.paramOf(arg)), append(c.args, arg)
	}
	return c, nil
}

// splitList splits at commas outside of parentheses.
func splitList(text string) []string {
	var list []string
	depth, from := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && depth == 0:
			if word := strings.TrimSpace(text[from:i]); word != "" {
				list = append(list, word)
			}
			from = i + 1
		case text[i] == '(':
			depth++
		case text[i] == ')':
			depth--
		}
	}
	return list
}

// dims reads the sizes of the grid and of a block.
func (c *call) dims(grid, block string) error {
	list, err := sizes(grid, len(c.grid), c.places.maxBlocks)
	if err != nil {
		return fmt.Errorf("grid %w", err)
	}
	copy(c.grid[:], list)
	if list, err = sizes(block, len(c.block), c.places.maxThreads); err != nil {
		return fmt.Errorf("block %w", err)
	}
	copy(c.block[:], list)
	if n := c.threads(); n > c.places.maxThreads || c.block[2] > c.places.maxZ {
		return fmt.Errorf("block %q has %d threads, expected at most %d, and at most %d in z", block, n, c.places.maxThreads, c.places.maxZ)
	}
	if n := int64(c.grid[0]) * int64(c.grid[1]) * int64(c.threads()); n > math.MaxInt {
		return fmt.Errorf("the launch has %d threads, expected at most %d", n, math.MaxInt)
	}
	return nil
}

func (c *call) threads() int { return c.block[0] * c.block[1] * c.block[2] }

func sizes(text string, n, most int) ([]int, error) {
	inside := strings.TrimPrefix(strings.TrimSpace(text), "dim3")
	inside = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(inside), "("), ")")
	words := strings.FieldsFunc(inside, func(r rune) bool { return r == ',' || r == 'x' || r == ' ' })
	list := []int{1, 1, 1}
	for i, w := range words {
		v, err := strconv.Atoi(w)
		if err != nil || i >= 3 || i >= n && v != 1 || v < 1 || v > most {
			return nil, fmt.Errorf("%q, expected up to %d numbers from 1 to %d", text, n, most)
		}
		list[i] = v
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("%q, expected up to %d numbers from 1 to %d", text, n, most)
	}
	return list, nil
}

// run is the run of a session.
type run struct {
	s   *session
	opt feed.RunOptions
	out *feed.Outcome
	// warp is the number of the traced warp, counted from the first kernel on.
	warp int
	// several is set if there are several kernels; threads is the number of threads that ran.
	several bool
	threads int
	// total is the most instructions that all warps of a kernel may run together; 0 is no bound.
	total int64
}

// call runs one kernel. It reports whether all threads ended normally.
func (r *run) call(ctx context.Context, c *call) (good bool, err error) {
	s := r.s
	if err := s.constants(c.kernel); err != nil {
		return false, err
	}
	parameters, size, err := s.sharedOf(c)
	if err != nil {
		return false, err
	}
	words := s.words
	words.Fetch = fetch(c.kernel.Code, s.machine.Unit)
	g := &exec.Grid{
		Program: exec.NewProgram(s.machine, words),
		Shared:  s.shared, Blocks: c.grid[0] * c.grid[1], Threads: c.threads(),
		Fit: func(w *exec.Wave) { s.fit(w, c, size) },
	}
	numbers := s.numbers(c)
	g.Begin = func(block int, own *exec.Shared, waves []*exec.Wave) {
		p := s.places
		copy(own.Memory(p.parameters.State())[p.start():], parameters)
		for k, n := range c.block {
			own.Give(p.threads[k], uint64(n))
		}
		for k, n := range [2]int{block % c.grid[0], block / c.grid[0]} {
			own.Give(p.blocks[k], uint64(c.grid[k]))
			own.Give(p.block[k], uint64(n))
		}
		for i, w := range waves {
			for _, n := range numbers[i] {
				w.Give(n.place, n.of...)
			}
			if s.begun != nil {
				s.begun(w)
			}
		}
	}
	st := newStats(s, c)
	res, err := g.Run(ctx, st.options(r))
	if err != nil {
		return false, err
	}
	r.warp -= g.Blocks * g.Waves()
	r.add(res, c)
	r.out.Stats = append(r.out.Stats, st.lines()...)
	good = len(res.Stops) == 0
	for i := range res.Stops {
		good = res.Stops[i].Reason == "end"
		if !good {
			break
		}
	}
	return good, nil
}

// add merges the outcome of a kernel into that of the kernels before it. With several kernels, diagnostics count the
// threads of one.
func (r *run) add(res *exec.Report, c *call) {
	program := 0
	if r.several {
		program = r.out.Program(c.kernel.Name, "threads of "+c.kernel.Name)
	}
	threads := c.grid[0] * c.grid[1] * c.threads()
	r.out.Join(res, program, r.threads, threads)
	r.threads += threads
	r.out.Lanes = r.threads
}

// fetch returns instructions of the code of a kernel.
func fetch(code []uint32, unit int) func(addr uint64) (v bits.Value, ok bool) {
	perWord := uint64(32 / unit)
	return func(addr uint64) (v bits.Value, ok bool) {
		at := addr / perWord
		if addr%perWord != 0 || at >= uint64(len(code)) {
			return v, false
		}
		v = bits.Of(uint64(code[at]))
		if at+1 < uint64(len(code)) {
			v.SetUint(32, 32, uint64(code[at+1]))
		}
		return v, true
	}
}

// sharedOf returns the parameters as they are in the memory of a block, and the size of this memory.
func (s *session) sharedOf(c *call) (parameters []byte, size int, err error) {
	at, _ := c.place(s.pointer)
	for i, p := range c.params {
		n, _ := p.size(s.pointer)
		end := at[i] + n
		if most := s.places.maxShared(); s.places.start()+end > most {
			return nil, 0, fmt.Errorf("parameter %s ends at byte %d, but shared memory has %d bytes", p.name, s.places.start()+end, most)
		}
		for len(parameters) < end {
			parameters = append(parameters, 0)
		}
		to := parameters[at[i]:end]
		if !p.pointer {
			copy(to, s.given[c.args[i]].data)
			continue
		}
		a := s.arrays[c.args[i]]
		if a == nil {
			return nil, 0, fmt.Errorf("%s is given a number, expected an array", p.name)
		}
		copy(to, put(nil, unsigned(64), a.addr))
	}
	return parameters, c.sharedSize(len(parameters)), nil
}

// sharedSize returns the size of the memory of a block with a number of bytes of parameters: what the kernel declares plus what the
// call adds, or else all shared memory of the hardware.
func (c *call) sharedSize(parameters int) int {
	if c.shared < 0 {
		return c.places.maxShared()
	}
	return min(max(c.kernel.Shared, c.places.start()+parameters)+c.shared, c.places.maxShared())
}

// fit sets the registers and the sizes of the memories of a warp.
func (s *session) fit(w *exec.Wave, c *call, shared int) {
	if c.kernel.Registers > 0 {
		w.Allocate(c.kernel.Registers)
	}
	w.SetSize(s.places.local.State(), s.places.maxLocal)
	w.SetSize(s.places.parameters.State(), shared)
}
