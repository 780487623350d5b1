package launch

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/tesla"
)

// isCompute reports whether a program runs on a grid: its threads have numbers.
func isCompute(m *exec.Machine, ctx bits.Value) bool { return m.Place(threadInput, ctx) != nil }

// threadInput is an input that only programs on a grid have.
const threadInput = "thread.x"

// primitive is a lane of a program that emits vertices.
const primitive = "primitive"

// nouns are the names of a lane, by the name of the input with its attributes.
var nouns = [][2]string{{"vertex", "vertices"}, {primitive, "primitives"}, {"fragment", "fragments"}}

// attributes returns the names of a lane of a program, and the input with its attributes.
func attributes(m *exec.Machine, ctx bits.Value) (noun, plural string, p *exec.Place) {
	for _, n := range nouns {
		if p := m.Place(n[0], ctx); p != nil {
			return n[0], n[1], p
		}
	}
	return "lane", "lanes", nil
}

// openStage opens a program of a cubin that is not a compute program.
func openStage(req feed.Request, m *tesla.Module, machine *exec.Machine, ctx bits.Value) (feed.Runner, error) {
	for _, o := range Options() {
		if o.Name != optKernel && len(req.Options[o.Name]) > 0 {
			_, plural, _ := attributes(machine, ctx)
			return nil, exec.Optionf("--%s applies only to compute programs, but the lanes of this program are %s", o.Name, plural)
		}
	}
	name := last(req.Options[optKernel], req.Program)
	k, err := m.Kernel(name)
	if err != nil && name != "" {
		return nil, &exec.OptionError{Err: err}
	}
	if err != nil {
		return nil, err
	}
	l, err := exec.Raw(machine, k.Code, 0, ctx, req.Quirks)
	if err != nil {
		return nil, err
	}
	if k.Registers > 0 {
		l.Fit = func(w *exec.Wave) { w.Allocate(k.Registers) }
	}
	constants, err := exec.PlaceOf(l.Program.Machine, ctx, "constants")
	if err != nil {
		return nil, err
	}
	for _, list := range [][]tesla.Segment{m.Constants, k.Constants} {
		for _, c := range list {
			if err := setConstants(banksOf(constants, l.Shared), c.Bank, c.Offset, c.Data); err != nil {
				return nil, err
			}
		}
	}
	return Words(l), nil
}

// Words returns a runner for programs of vertices, primitives or fragments, and for compute programs without a grid,
// in which each thread is alone. A row of a geometry program is a vertex that it emits.
func Words(l *exec.Launch) feed.Runner {
	m := l.Program.Machine
	s := &stageRun{Batch: feed.NewBatch(l)}
	for _, st := range m.States {
		if st.Kind == exec.Memory && st.Use == "output" {
			s.outputs = st
		}
	}
	ctx := l.Program.Context
	if isCompute(m, ctx) {
		return s.Batch
	}
	noun, plural, place := attributes(m, ctx)
	s.Noun, s.Nouns, s.primitives = noun, plural, noun == primitive
	l.Services = map[string]exec.Service{"vertex": s.emit, "primitive": s.restart}
	if place != nil {
		s.attributes = place.State()
		l.Services["varying"] = s.varying
	}
	return s
}

// stageRun is a program with the vertices that it emits.
type stageRun struct {
	*feed.Batch
	outputs, attributes *exec.State

	// primitives is set if a lane is a primitive, which may emit vertices.
	primitives bool

	mu      sync.Mutex
	emits   bool
	emitted map[int][]emitted // by primitive
	strip   map[int]int
}

// emitted is a vertex: the strip of its primitive, and the output words that were written before it.
type emitted struct {
	strip int
	words map[int]uint64
}

// varying returns the value of v[] at an address for each fragment, without interpolation.
func (s *stageRun) varying(c *exec.Call) {
	for lane := range exec.Lanes {
		if c.Mask>>uint(lane)&1 == 0 {
			continue
		}
		n := int(min(c.Arg("place")[0][lane]/uint64(s.attributes.Word.Bits/8), 1<<16))
		if c.Wave.Written(s.attributes, n, 0)>>uint(lane)&1 == 0 {
			c.Wave.Unwritten(s.attributes, n, 0, 1<<uint(lane))
		}
		c.Results[0][lane] = c.Wave.Get(s.attributes, n, 0, lane)
	}
}

func (s *stageRun) emit(c *exec.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emits = true
	for lane := range exec.Lanes {
		if c.Mask>>uint(lane)&1 == 0 {
			continue
		}
		v := emitted{strip: s.strip[c.Wave.Number*exec.Lanes+lane], words: map[int]uint64{}}
		for n := range len(c.Wave.Memory(s.outputs)) / exec.Lanes / (s.outputs.Word.Bits / 8) {
			if c.Wave.Written(s.outputs, n, 0)>>uint(lane)&1 != 0 {
				v.words[n] = c.Wave.Get(s.outputs, n, 0, lane)
			}
		}
		i := c.Wave.Number*exec.Lanes + lane
		s.emitted[i] = append(s.emitted[i], v)
	}
}

func (s *stageRun) restart(c *exec.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for lane := range exec.Lanes {
		if c.Mask>>uint(lane)&1 != 0 {
			s.strip[c.Wave.Number*exec.Lanes+lane]++
		}
	}
}

// MaxPrimitives is the most primitives of a run. The run keeps all emitted vertices until their outputs are complete.
const MaxPrimitives = 1 << 20

// Call runs the program with arguments.
func (s *stageRun) Call(ctx context.Context, args []feed.Argument, opt feed.RunOptions) (*feed.Outcome, error) {
	return s.CallRows(ctx, args, opt, s.Run)
}

// Run runs the program for all inputs.
func (s *stageRun) Run(ctx context.Context, opt feed.RunOptions) (*feed.Outcome, error) {
	s.emits, s.emitted, s.strip = false, map[int][]emitted{}, map[int]int{}
	if s.primitives {
		if opt.Rows = nil; max(opt.Count, s.Given().Lanes) > MaxPrimitives {
			return nil, exec.Optionf("%d primitives, expected at most %d: the columns of emitted vertices are known only after all primitives have run", max(opt.Count, s.Given().Lanes), MaxPrimitives)
		}
	}
	out, err := s.Batch.Run(ctx, opt)
	if err != nil || !s.emits {
		return out, err
	}
	words := map[int]bool{}
	for _, list := range s.emitted {
		for _, v := range list {
			for n := range v.words {
				words[n] = true
			}
		}
	}
	t := feed.Table{Name: "vertices", Row: "vertex", Columns: []feed.Column{{Name: "primitive", Type: unsigned(32), Label: true}, {Name: "strip", Type: unsigned(32), Label: true}}}
	order := slices.Sorted(maps.Keys(words))
	for _, n := range order {
		t.Columns = append(t.Columns, feed.Column{Name: exec.WordName(s.outputs, n), Type: s.outputs.Word})
	}
	for _, i := range slices.Sorted(maps.Keys(s.emitted)) {
		for _, v := range s.emitted[i] {
			row := []uint64{uint64(i), uint64(v.strip)}
			for _, n := range order {
				row = append(row, exec.Canonical(v.words[n], s.outputs.Word))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	out.Tables = []feed.Table{t}
	return out, nil
}
