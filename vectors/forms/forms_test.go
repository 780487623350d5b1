package forms_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/vectors"
	"github.com/isago/isago/vectors/forms"
)

func machine(t testing.TB, name string) *exec.Machine {
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

// processor is a machine that runs a vector.
type processor struct {
	m     *exec.Machine
	w     *exec.Wave
	lanes int
	calls []vectors.Call
}

func newProcessor(m *exec.Machine, root *isa.Root, words []uint32, size int, tables map[string][]bits.Value, settings map[string]string, lanes int) (*processor, error) {
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
	p := &processor{m: m, w: exec.NewWave(exec.NewProgram(m, code)), lanes: lanes}
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
				p.calls = append(p.calls, call)
			}
		}
	}
	for _, s := range m.States {
		if s.Kind == exec.Memory && s.Count == 0 {
			p.w.SetSize(s, 1<<16)
		}
	}
	p.w.Start(lanes, 0)
	return p, nil
}

// memory returns the bytes of a memory.
func (p *processor) memory(s *exec.State, lane int) []byte {
	data := p.w.Memory(s)
	if lane < 0 {
		return data
	}
	size := len(data) / exec.Lanes
	return data[lane*size : (lane+1)*size]
}

func (p *processor) set(s *exec.State, number uint64, lane int, parts []uint64) {
	switch s.Kind {
	case exec.Stack:
		p.w.PushEntry(s, max(lane, 0), parts)
	case exec.Memory:
		p.memory(s, lane)[number] = byte(parts[0])
	default:
		for k, v := range parts {
			p.w.Set(s, int(number), k, max(lane, 0), v)
		}
	}
}

// get returns the parts, or nil if a stack has no such entry.
func (p *processor) get(s *exec.State, number uint64, lane int) (parts []uint64) {
	switch s.Kind {
	case exec.Stack:
		depth := p.w.Depth(s, max(lane, 0))
		for i := range s.Slots {
			if int(number) < depth {
				parts = append(parts, p.w.Entry(s, depth-1-int(number), i, max(lane, 0)))
			}
		}
	case exec.Memory:
		parts = []uint64{uint64(p.memory(s, lane)[number])}
	default:
		for k := range s.Type.Lanes {
			parts = append(parts, exec.Canonical(p.w.Get(s, int(number), k, max(lane, 0)), s.Type))
		}
	}
	return parts
}

// run runs instructions, or all for 0, and returns the program counter.
func (p *processor) run(steps int) (pc uint64) {
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

func (p *processor) stopped() (mask uint64) {
	for _, s := range p.w.Stops() {
		mask |= s.Lanes
	}
	return mask
}

// sample is a vector without its final state. Its state names components by STATE NUMBER LANE.
type sample struct {
	text, words string
	tables      map[string][]string
	context     map[string]string
	lanes       int
	steps       int
	before      []place
	watch       []place // further parts of the final state
	reason      string
}

type place struct {
	state  string
	number uint64
	lane   int
	parts  []uint64
}

// record runs samples on the plain engine and returns them as a file.
func record(t testing.TB, m *exec.Machine, isaName, instruction string, samples ...sample) *vectors.File {
	t.Helper()
	f := &vectors.File{Format: vectors.Format, Machine: isaName, Instruction: instruction}
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range samples {
		v := vectors.Vector{Name: fmt.Sprintf("%s/%d", instruction, i+1), Text: strings.Split(s.text, "\n"), Words: strings.Fields(s.words), Tables: s.tables, Context: s.context,
			Lanes: max(s.lanes, 1), Steps: s.steps, Reasons: []string{s.reason}}
		var words []uint32
		for _, text := range v.Words {
			n, err := strconv.ParseUint(text, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, uint32(n))
		}
		tables := map[string][]bits.Value{}
		for name, list := range s.tables {
			for _, text := range list {
				v, err := bits.ParseHex(text)
				if err != nil {
					t.Fatal(err)
				}
				tables[name] = append(tables[name], v)
			}
		}
		p, err := newProcessor(m, root, words, 4*len(words), tables, s.context, v.Lanes)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range s.before {
			p.set(m.State(x.state), x.number, x.lane, x.parts)
		}
		v.Initial = p.state(append(s.before, s.watch...))
		v.Final.PC = p.run(s.steps)
		pc := v.Final.PC
		v.Final = p.state(append(s.before, s.watch...))
		v.Final.PC, v.Calls = pc, p.calls
		for _, stop := range p.w.Stops() {
			v.Stops = append(v.Stops, vectors.Stop{Lanes: strconv.FormatUint(stop.Lanes, 16), Reason: stop.Reason})
		}
		f.Vectors = append(f.Vectors, v)
	}
	return f
}

// state returns the values of places.
func (p *processor) state(list []place) (out vectors.State) {
	stacks := map[string]bool{}
	for _, x := range list {
		s := p.m.State(x.state)
		switch s.Kind {
		case exec.Stack:
			if stacks[x.state] {
				continue
			}
			stacks[x.state] = true
			stack := vectors.Stack{Name: s.Name, Lane: x.lane}
			for n := uint64(0); ; n++ {
				parts := p.get(s, n, x.lane)
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
			out.Memories = append(out.Memories, vectors.Memory{Name: s.Name, Lane: x.lane, Address: x.number, Bytes: []byte{byte(p.get(s, x.number, x.lane)[0])}})
		default:
			out.Registers = append(out.Registers, vectors.Register{Name: s.Name, Single: s.Single, Number: int(x.number), Lane: x.lane, Values: p.get(s, x.number, x.lane), Bits: s.Type.Bits, Vector: s.Type.Lanes > 1})
		}
	}
	return out
}

func f32s(bits ...uint64) []uint64 { return bits }

// TestSamples holds some results that are computed by hand: 1.5 + 2.25 = 3.75, mova of 2.75 and -2.75 truncates, and a
// store writes the low byte first.
func TestSamples(t *testing.T) {
	pica, tesla := machine(t, "pica200"), machine(t, "tesla")
	files, stores := picaFiles(t, pica), teslaFiles(t, tesla)
	find := func(f *vectors.File, i int, name string) []uint64 {
		for _, r := range f.Vectors[i].Final.Registers {
			if r.Name == name {
				return r.Values
			}
		}
		return nil
	}
	if got := find(files[0], 0, "v"); got[0] != 0x3fc00000 {
		t.Errorf("v1.x is %x", got[0])
	}
	for _, r := range files[0].Vectors[0].Final.Registers {
		if r.Name == "r" && r.Number == 0 && r.Values[3] != 0x40700000 {
			t.Errorf("r0.w is %x", r.Values[3])
		}
	}
	if got := find(files[2], 0, "a0"); got[0] != 2 || got[1] != 0xfffffffe {
		t.Errorf("a0 is %x", got)
	}
	if got := find(files[1], 0, "cmp"); got[0] != 1 || got[1] != 1 {
		t.Errorf("cmp is %x", got)
	}
	var bytes []byte
	for _, m := range stores[1].Vectors[0].Final.Memories {
		bytes = append(bytes, m.Bytes...)
	}
	if fmt.Sprintf("%x", bytes) != "4433aa00" {
		t.Errorf("the bytes are %x", bytes)
	}
}

// picaFiles are vectors of PICA200. The opcodes and descriptors are those of the reference; r0 to r4 are temporary
// registers, v inputs and c uniforms. 3fc00000 is 1.5, 40100000 is 2.25, 40700000 is 3.75.
func picaFiles(t testing.TB, m *exec.Machine) []*vectors.File {
	all := func(x uint64) []uint64 { return f32s(x, x, x, x) }
	plain := map[string][]string{"opdesc": {"0d86c36f"}} // all components, no swizzles
	add := record(t, m, "pica200", "add",
		sample{text: "add r0, v1, r2", words: "02001900", tables: plain, steps: 1, reason: "1.5 + 2.25 is exact",
			before: []place{{"v", 1, 0, all(0x3fc00000)}, {"r", 2, 0, all(0x40100000)}, {"r", 0, 0, all(0)}}},
		sample{text: "add r0, v1, r2", words: "02001900", tables: plain, steps: 1, reason: "infinity - infinity is NaN",
			before: []place{{"v", 1, 0, all(0x7f800000)}, {"r", 2, 0, all(0xff800000)}, {"r", 0, 0, all(0)}}},
		sample{text: "add r0.xy, v1, r2", words: "02001900", tables: map[string][]string{"opdesc": {"0d86c36c"}}, steps: 1, reason: "z and w are not written",
			before: []place{{"v", 1, 0, all(0x3fc00000)}, {"r", 2, 0, all(0x40100000)}, {"r", 0, 0, f32s(0x40400000, 0x40400000, 0x40400000, 0xc0400000)}}})
	cmp := record(t, m, "pica200", "cmp", sample{text: "cmp c1, lt, ge, r0", words: "baa21800", tables: plain, steps: 1, reason: "x is less, and y is equal",
		before: []place{{"c", 1, -1, f32s(0x3f800000, 0x3f800000, 0, 0)}, {"r", 0, 0, f32s(0x40000000, 0x3f800000, 0, 0)}, {"cmp", 0, 0, f32s(0, 0)}}})
	mova := record(t, m, "pica200", "mova", sample{text: "mova a0.xy, c7", words: "48027000", tables: map[string][]string{"opdesc": {"0000036c"}}, steps: 1, reason: "2.75 and -2.75 have fractions",
		before: []place{{"c", 7, -1, f32s(0x40300000, 0xc0300000, 0, 0)}, {"a0", 0, 0, f32s(0, 0)}}})
	call := record(t, m, "pica200", "call", sample{text: "call 0x5, 2", words: "90001402", steps: 1, reason: "an entry on the stack",
		before: []place{{"calls", 0, 0, f32s(9, 1)}}})
	emit := record(t, m, "pica200", "emit", sample{text: "emit", words: "a8000000", steps: 1, reason: "the host callback",
		before: []place{{"slot", 0, 0, f32s(1)}, {"filled", 1, 0, f32s(0)}}})
	end := record(t, m, "pica200", "programs", sample{text: "mov r1, v0\nend", words: "4e200000 88000000", tables: plain, reason: "runs until the end",
		before: []place{{"v", 0, 0, all(0x3f800000)}, {"r", 1, 0, all(0)}}})
	return []*vectors.File{add, cmp, mova, call, emit, end}
}

// teslaFiles are vectors of Tesla for two lanes: an addition that sets flags, and a store to global memory.
func teslaFiles(t testing.TB, m *exec.Machine) []*vectors.File {
	context := map[string]string{"stage": "cp"}
	mask := place{"active", 0, -1, []uint64{3}}
	add := record(t, m, "tesla", "add b32", sample{text: "add b32 $c0 $r0 $r32 $r32", words: "20004001 040807c0", context: context, lanes: 2, steps: 1, reason: "a carry in one lane",
		before: []place{mask, {"r", 32, 0, []uint64{0x80000000}}, {"r", 32, 1, []uint64{5}}, {"r", 0, 0, []uint64{0}}, {"r", 0, 1, []uint64{0}}, {"c", 0, 0, []uint64{0}}, {"c", 0, 1, []uint64{0}}}})
	store := record(t, m, "tesla", "st b32", sample{text: "st b32 g0[$r8] $r2", words: "d0001009 a0c00780", context: context, lanes: 2, steps: 1, reason: "4 bytes of each lane",
		before: []place{mask, {"r", 8, 0, []uint64{0x10}}, {"r", 8, 1, []uint64{0x20}}, {"r", 2, 0, []uint64{0x11223344}}, {"r", 2, 1, []uint64{0xaabbccdd}}},
		watch:  []place{{"g0", 0x10, -1, nil}, {"g0", 0x11, -1, nil}, {"g0", 0x23, -1, nil}, {"g0", 0x24, -1, nil}}})
	return []*vectors.File{add, store}
}

// tool returns the path of a program. Without it, the test is skipped, or fails where ISAGO_TOOLS is set.
func tool(t testing.TB, name string) string {
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

func compile(t testing.TB, dir, cc string, args ...string) {
	t.Helper()
	cmd := osexec.Command(cc, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%.3000s", cc, strings.Join(args, " "), err, out)
	}
}

var strict = []string{"-Wall", "-Wextra", "-Wpedantic", "-Werror"}

// write writes the files of a form, and the emulator of the test with a main program.
func write(t testing.TB, dir, prefix string, out []forms.Output, main string) {
	t.Helper()
	if err := forms.Save(dir, out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/remote.c.txt")
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.ReplaceAll(string(text)+main, "@", prefix))
	if err := os.WriteFile(filepath.Join(dir, "emulator.c"), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// fault changes what a processor returns.
type fault func(command string, state string, number uint64, parts []uint64) []uint64

// serve answers the emulator of the test until it closes its file.
func serve(m *exec.Machine, root *isa.Root, from io.Reader, to io.Writer, broken fault) error {
	in := bufio.NewReader(from)
	var p *processor
	line := func() ([]string, error) {
		text, err := in.ReadString('\n')
		return strings.Fields(text), err
	}
	number := func(text string, base int) uint64 {
		v, _ := strconv.ParseUint(text, base, 64)
		return v
	}
	for {
		words, err := line()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch words[0] {
		case "reset":
			settings := map[string]string{}
			list, _ := line()
			for _, s := range list {
				name, value, _ := strings.Cut(s, "=")
				settings[name] = value
			}
			var code []uint32
			list, _ = line()
			for _, s := range list {
				code = append(code, uint32(number(s, 16)))
			}
			tables := map[string][]bits.Value{}
			list, _ = line()
			for range number(list[0], 10) {
				list, _ := line()
				limbs := int(number(list[2], 10))
				for i := range int(number(list[1], 10)) {
					var v bits.Value
					for k := range limbs {
						v[k] = number(list[3+i*limbs+k], 16)
					}
					tables[list[0]] = append(tables[list[0]], v)
				}
			}
			if p, err = newProcessor(m, root, code, int(number(words[2], 10)), tables, settings, int(number(words[1], 10))); err != nil {
				return err
			}
		case "set", "get":
			s := m.State(words[1])
			lane, _ := strconv.Atoi(words[3])
			at := number(words[4], 10)
			if strconv.Itoa(int(s.Kind)) != words[2] {
				return fmt.Errorf("kind %s of %s", words[2], words[1])
			}
			if words[0] == "set" {
				var parts []uint64
				for _, w := range words[5:] {
					parts = append(parts, number(w, 16))
				}
				p.set(s, at, lane, parts)
				fmt.Fprintln(to, 1)
				continue
			}
			parts := p.get(s, at, lane)
			if broken != nil {
				parts = broken("get", words[1], at, parts)
			}
			if parts == nil {
				fmt.Fprintln(to, 0)
				continue
			}
			var b bytes.Buffer
			b.WriteString("1")
			for _, v := range parts {
				fmt.Fprintf(&b, " %x", v)
			}
			fmt.Fprintln(to, b.String())
		case "run":
			pc := p.run(int(number(words[2], 10)))
			if broken != nil {
				pc = broken("run", "", 0, []uint64{pc})[0]
			}
			fmt.Fprintf(to, "%x\n", pc)
		case "stopped":
			fmt.Fprintf(to, "%x\n", p.stopped())
		case "call":
			i := int(number(words[1], 10))
			if i >= len(p.calls) {
				fmt.Fprintln(to, 0)
				continue
			}
			c := p.calls[i]
			fmt.Fprintf(to, "1 %s %x %x %s\n", c.Name, c.Lane, len(c.Args), strings.Join(c.Args, " "))
		default:
			return fmt.Errorf("command %q", words[0])
		}
	}
}

// start runs a program whose emulator is a processor, and returns its output and whether it succeeded.
func start(t testing.TB, name string, m *exec.Machine, root *isa.Root, broken fault) (string, error) {
	t.Helper()
	toProgram, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	commands, fromProgram, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(name)
	cmd.ExtraFiles = []*os.File{toProgram, fromProgram}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toProgram.Close()
	fromProgram.Close()
	if err := serve(m, root, commands, answers, broken); err != nil {
		t.Error(err)
	}
	answers.Close()
	err = cmd.Wait()
	return out.String(), err
}

const runAll = `
int main(void)
{
	int i, failed = 0;
	for (i = 0; i < (int)@_file_count; i++) failed += isago_run(@_files[i], &emulator, stdout);
	return failed > 0;
}
`
