// Package vectest runs test vectors on the plain engine, for tests of what reads and writes them.
package vectest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/cfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/vectors"
)

// Open returns a machine of the catalog.
func Open(t testing.TB, name string) *exec.Machine {
	t.Helper()
	n, _, err := catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	set, err := n.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Processor is a machine that runs a vector.
type Processor struct {
	m     *exec.Machine
	w     *exec.Wave
	lanes int
	Calls []vectors.Call
}

func NewProcessor(m *exec.Machine, root *isa.Root, words []uint32, size int, tables map[string][]bits.Value, settings map[string]string, lanes int, active uint64) (*Processor, error) {
	code := m.Words32(root, words, int64(8*size))
	quirks := map[string]string{}
	for name, value := range settings {
		if slices.ContainsFunc(m.Set().Contexts(), func(c isa.ContextInfo) bool { return c.Name == name }) {
			var err error
			if code.Context, err = m.Set().ParseContext(code.Context, name, value); err != nil {
				return nil, err
			}
			continue
		}
		quirks[name] = value
	}
	var err error
	if code.Quirks, err = m.ParseQuirks(quirks); err != nil {
		return nil, err
	}
	for i, t := range m.Set().Tables() {
		code.Tables[i] = tables[t.Name]
	}
	p := &Processor{m: m, w: exec.NewWave(exec.NewProgram(m, code)), lanes: lanes}
	p.w.Services = map[string]exec.Service{}
	for _, name := range m.Services() {
		p.w.Services[name] = func(c *exec.Call) {
			for lane := range lanes {
				if c.Mask>>lane&1 == 0 {
					continue
				}
				call := vectors.Call{Name: name, Lane: lane, Args: []string{}}
				for _, a := range c.Args {
					call.Args = append(call.Args, strconv.FormatUint(a[lane], 16))
				}
				p.Calls = append(p.Calls, call)
			}
		}
	}
	for _, s := range m.States {
		if s.Kind == exec.Memory && s.Count == 0 {
			p.w.SetSize(s, 1<<16)
		}
	}
	p.w.Start(lanes, 0)
	p.w.SetLanes(active)
	return p, nil
}

// memory returns the bytes of a memory.
func (p *Processor) Memory(s *exec.State, lane int) []byte {
	data := p.w.Memory(s)
	if lane < 0 {
		return data
	}
	size := len(data) / exec.Lanes
	return data[lane*size : (lane+1)*size]
}

func (p *Processor) Set(s *exec.State, number uint64, lane int, parts []uint64) {
	switch s.Kind {
	case exec.Stack:
		p.w.PushEntry(s, max(lane, 0), parts)
	case exec.Memory:
		p.Memory(s, lane)[number] = byte(parts[0])
	default:
		for k, v := range parts {
			p.w.Set(s, int(number), k, max(lane, 0), v)
		}
	}
}

// get returns the parts, or nil if a stack has no such entry.
func (p *Processor) Get(s *exec.State, number uint64, lane int) (parts []uint64) {
	switch s.Kind {
	case exec.Stack:
		depth := p.w.Depth(s, max(lane, 0))
		for i := range s.Slots {
			if int(number) < depth {
				parts = append(parts, p.w.Entry(s, depth-1-int(number), i, max(lane, 0)))
			}
		}
	case exec.Memory:
		parts = []uint64{uint64(p.Memory(s, lane)[number])}
	default:
		for k := range s.Type.Lanes {
			parts = append(parts, exec.Canonical(p.w.Get(s, int(number), k, max(lane, 0)), s.Type))
		}
	}
	return parts
}

// run runs instructions, or all for 0, and returns the program counter.
func (p *Processor) Run(steps int) (pc uint64) {
	if steps == 0 {
		steps = 10000
	}
	p.w.RunFor(steps)
	for _, s := range p.w.Stops() {
		pc = s.PC
	}
	p.w.PCs(func(at, _ uint64) { pc = at })
	return pc
}

func (p *Processor) Stopped() (mask uint64) {
	for _, s := range p.w.Stops() {
		mask |= s.Lanes
	}
	return mask
}

// Sample is a vector without its final state. Its state names components by STATE NUMBER LANE.
type Sample struct {
	Text, Words string
	Tables      map[string][]string
	Context     map[string]string
	Quirks      map[string]string
	Lanes       int
	Active      uint64 // 0 if all lanes exist
	Steps       int
	Before      []Place
	Watch       []Place // further parts of the final state
	Reason      string
}

type Place struct {
	State  string
	Number uint64
	Lane   int
	Parts  []uint64
}

// At returns a place with its value before the run.
func At(state string, number uint64, lane int, parts ...uint64) Place {
	return Place{state, number, lane, parts}
}

// Record runs samples on the plain engine and returns them as a file.
func Record(t testing.TB, m *exec.Machine, isaName, instruction string, samples ...Sample) *vectors.File {
	t.Helper()
	f := &vectors.File{Format: vectors.Format, Machine: isaName, Instruction: instruction}
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range samples {
		v := vectors.Vector{Name: fmt.Sprintf("%s/%d", instruction, i+1), Text: strings.Split(s.Text, "\n"), Words: strings.Fields(s.Words), Tables: s.Tables, Context: s.Context, Quirks: s.Quirks,
			Lanes: max(s.Lanes, 1), Steps: s.Steps, Reasons: []string{s.Reason}}
		var words []uint32
		for _, text := range v.Words {
			n, err := strconv.ParseUint(text, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, uint32(n))
		}
		tables := map[string][]bits.Value{}
		for name, list := range s.Tables {
			for _, text := range list {
				v, err := bits.ParseHex(text)
				if err != nil {
					t.Fatal(err)
				}
				tables[name] = append(tables[name], v)
			}
		}
		active := uint64(1)<<v.Lanes - 1
		if s.Active != 0 {
			active, v.Active = s.Active, strconv.FormatUint(s.Active, 16)
		}
		settings := map[string]string{}
		maps.Copy(settings, s.Context)
		maps.Copy(settings, s.Quirks)
		p, err := NewProcessor(m, root, words, 4*len(words), tables, settings, v.Lanes, active)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range s.Before {
			p.Set(m.State(x.State), x.Number, x.Lane, x.Parts)
		}
		v.Initial = p.state(append(s.Before, s.Watch...))
		v.Final.PC = p.Run(s.Steps)
		pc := v.Final.PC
		v.Final = p.state(append(s.Before, s.Watch...))
		v.Final.PC, v.Calls = pc, p.Calls
		for _, stop := range p.w.Stops() {
			v.Stops = append(v.Stops, vectors.Stop{Lanes: strconv.FormatUint(stop.Lanes, 16), Reason: stop.Reason})
		}
		f.Vectors = append(f.Vectors, v)
	}
	return f
}

// state returns the values of places.
func (p *Processor) state(list []Place) (out vectors.State) {
	stacks := map[string]bool{}
	for _, x := range list {
		s := p.m.State(x.State)
		switch s.Kind {
		case exec.Stack:
			if stacks[x.State] {
				continue
			}
			stacks[x.State] = true
			stack := vectors.Stack{Name: s.Name, Lane: x.Lane}
			for n := uint64(0); ; n++ {
				parts := p.Get(s, n, x.Lane)
				if parts == nil {
					break
				}
				entry := map[string]uint64{}
				for i, slot := range s.Slots {
					entry[slot.Name] = parts[i]
				}
				stack.Entries = append(stack.Entries, entry)
			}
			out.Stacks = append(out.Stacks, stack)
		case exec.Memory:
			out.Memories = append(out.Memories, vectors.Memory{Name: s.Name, Lane: x.Lane, Address: x.Number, Bytes: []byte{byte(p.Get(s, x.Number, x.Lane)[0])}})
		default:
			out.Registers = append(out.Registers, vectors.Register{Name: s.Name, Single: s.Single, Number: int(x.Number), Lane: x.Lane, Values: p.Get(s, x.Number, x.Lane), Bits: s.Type.Bits, Vector: s.Type.Lanes > 1})
		}
	}
	slices.SortStableFunc(out.Registers, func(a, b vectors.Register) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Lane, b.Lane))
	})
	return out
}

// Tool returns the path of a program. Without it, the test is skipped, or fails where ISAGO_TOOLS is set.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := osexec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("ISAGO_TOOLS") != "":
		t.Fatalf("no %s, and ISAGO_TOOLS is set", name)
	default:
		t.Skipf("SKIPPED: no %s on this machine", name)
	}
	return path
}

func Compile(t testing.TB, dir, cc string, args ...string) {
	t.Helper()
	cmd := osexec.Command(cc, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%.3000s", cc, strings.Join(args, " "), err, out)
	}
}

// Save writes files into a folder.
func Save(t testing.TB, dir string, files ...cfile.File) {
	t.Helper()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		err := os.MkdirAll(filepath.Dir(name), 0o777)
		if err == nil {
			err = os.WriteFile(name, f.Data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
