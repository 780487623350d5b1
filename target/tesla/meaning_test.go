package tesla_test

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
)

// meaning holds what instructions do; its head tells the columns.
//
//go:embed testdata/meaning.txt
var meaning string

// TestMeaning runs the rows, and finds that each instruction of the description has one.
func TestMeaning(t *testing.T) {
	s := load(t)
	m, err := exec.Open(s)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := asm.New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, line := range strings.Split(meaning, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		cols := append(strings.Split(line, "\t"), "", "", "")
		t.Run(fmt.Sprintf("%d %s", i+1, cols[1]), func(t *testing.T) {
			r := meaningRow{t: t, m: m, seen: seen}
			chip, stage, _ := strings.Cut(cols[0], " ")
			r.context = context(t, s, chip, stage)
			p.SetContext(r.context)
			r.assemble(p, cols[1])
			after := strings.Fields(cols[3] + " " + cols[4])
			r.start(strings.Fields(cols[2]), after)
			for r.w.Run(t.Context()); r.w.Waits(); r.w.Run(t.Context()) {
			}
			r.check(after)
		})
	}
	for _, root := range m.Set().Roots() {
		if root.Name != "#instruction" {
			continue
		}
		for _, leaf := range root.Leaves {
			if !seen[leaf.Name] {
				t.Errorf("%s has no row in meaning.txt", leaf.Name)
			}
		}
	}
}

// meaningRow runs one row.
type meaningRow struct {
	t       *testing.T
	m       *exec.Machine
	context bits.Value
	seen    map[string]bool
	code    []uint32
	w       *exec.Wave
	lanes   int
	calls   []string
	before  map[string]uint64 // of each register in each lane
}

func (r *meaningRow) assemble(p *asm.Parser, source string) {
	for _, statement := range strings.Split(source, " / ") {
		res, err := p.ParseBytes([]byte(statement))
		if err != nil {
			r.t.Fatalf("%s: %v", statement, err)
		}
		r.seen[res.Inst.Leaf.Name] = true
		for at := 0; at < res.Inst.Leaf.Size; at += 32 {
			r.code = append(r.code, uint32(res.Inst.Bits.Uint(at, 32)))
		}
	}
}

// start makes the threads and gives them their state.
func (r *meaningRow) start(before, after []string) {
	root, err := r.m.Root("")
	if err != nil {
		r.t.Fatal(err)
	}
	quirks := map[string]uint64{}
	before = slices.DeleteFunc(before, func(e string) bool {
		name, ok := strings.CutPrefix(e, "quirk=")
		if ok {
			quirks[name] = 1
		}
		return ok
	})
	words := r.m.Words32(root, r.code, 0)
	words.Context, words.Quirks = r.context, quirks
	r.w = exec.NewWave(exec.NewProgram(r.m, words))
	r.w.Budget = 1000
	for _, s := range r.m.States {
		if s.Kind == exec.Memory && s.Count == 0 {
			r.w.SetSize(s, 1<<10)
		}
	}
	r.w.Services = map[string]exec.Service{}
	for _, name := range r.m.Services() {
		r.w.Services[name] = func(c *exec.Call) {
			r.calls = append(r.calls, name)
			for k, plane := range c.Results {
				for lane := range plane {
					plane[lane] = map[string]uint64{"varying": 0x40000000}[name] + map[string]uint64{"texel": 1, "sample": 1}[name]*uint64(k+1)
				}
			}
		}
	}
	r.lanes = 1
	for _, e := range slices.Concat(before, after) {
		r.lanes = max(r.lanes, strings.Count(e, "|")+1)
	}
	r.w.Start(r.lanes, 0)
	for _, e := range before {
		r.each(e, func(lane int, p place, v uint64) { p.set(r.w, lane, v) })
	}
	r.before = r.registers()
}

// registers lists what all registers hold that a row may name.
func (r *meaningRow) registers() map[string]uint64 {
	out := map[string]uint64{}
	for _, file := range []string{"r", "c", "a"} {
		s := r.m.State(file)
		for n := range s.Count {
			for lane := range r.lanes {
				out[fmt.Sprintf("%s%d of thread %d", file, n, lane)] = r.w.Get(s, n, 0, lane)
			}
		}
	}
	return out
}

// check compares what is there with what a row expects.
func (r *meaningRow) check(after []string) {
	stop, pc, calls, unknown := "end of words", "", "", ""
	want := r.before
	for _, e := range after {
		name, value, _ := strings.Cut(e, "=")
		switch name {
		case "stop":
			stop = value
		case "pc":
			pc = value
		case "calls":
			calls = value
		case "unknown":
			unknown = value
		default:
			r.each(e, func(lane int, p place, v uint64) {
				if got := p.get(r.w, lane); got != v {
					r.t.Errorf("%s of thread %d is %#x, want %#x", name, lane, got, v)
				}
				p.expect(want, lane, v)
			})
		}
	}
	for name, v := range r.registers() {
		if want[name] != v {
			r.t.Errorf("%s is %#x, want %#x", name, v, want[name])
		}
	}
	r.ended(stop, pc)
	if got := strings.Join(r.calls, ","); got != calls {
		r.t.Errorf("calls %q, want %q", got, calls)
	}
	known := true
	for _, f := range r.w.Findings() {
		known = known && f.State != nil
	}
	if known != (unknown == "") {
		r.t.Errorf("findings %v, want that something is not known: %v", r.w.Findings(), unknown == "1")
	}
}

func (r *meaningRow) ended(reason, pc string) {
	stops := r.w.Stops()
	if len(stops) == 0 {
		r.t.Fatal("it waits")
	}
	last := stops[len(stops)-1]
	if stops[0].Reason != reason {
		r.t.Errorf("stop %v, want %s", stops[0], reason)
	}
	if pc != "" && fmt.Sprintf("%#x", last.PC) != pc {
		r.t.Errorf("pc %#x, want %s", last.PC, pc)
	}
}

// each calls f for an entry in each thread.
func (r *meaningRow) each(entry string, f func(lane int, p place, v uint64)) {
	r.t.Helper()
	name, list, ok := strings.Cut(entry, "=")
	if !ok {
		r.t.Fatalf("%q, expected NAME=VALUE", entry)
	}
	p := r.place(name)
	values := strings.Split(list, "|")
	for lane := range r.lanes {
		f(lane, p, r.value(values[min(lane, len(values)-1)], p.width, p.state.Name == "c"))
	}
}

// place is a register, half a register, a pair, or bytes of a memory.
type place struct {
	state *exec.State
	n     int
	width int // in bits
}

var memoryPlace = regexp.MustCompile(`^(\w+)\.u(8|16|32|64)\[(\w+)\]$`)
var registerPlace = regexp.MustCompile(`^([a-z]+)(\d+)$`)

func (r *meaningRow) place(name string) place {
	r.t.Helper()
	if m := memoryPlace.FindStringSubmatch(name); m != nil {
		width, _ := strconv.Atoi(m[2])
		at, err := strconv.ParseInt(m[3], 0, 32)
		if s := r.m.State(m[1]); s != nil && err == nil {
			return place{s, int(at), width}
		}
	}
	m := registerPlace.FindStringSubmatch(name)
	if m == nil {
		r.t.Fatalf("no place %q", name)
	}
	n, _ := strconv.Atoi(m[2])
	switch m[1] {
	case "h":
		return place{r.m.State("r"), n, 16}
	case "d":
		return place{r.m.State("r"), n, 64}
	}
	s := r.m.State(m[1])
	if s == nil {
		r.t.Fatalf("no file %q", m[1])
	}
	return place{s, n, s.Type.Bits}
}

// bytes are those of a memory that a place is.
func (p place) bytes(w *exec.Wave, lane int) []byte {
	data := w.Memory(p.state)
	if p.state.Scope.String() == "lane" {
		n := len(data) / exec.Lanes
		data = data[lane*n : (lane+1)*n]
	}
	return data[p.n : p.n+p.width/8]
}

func (p place) get(w *exec.Wave, lane int) uint64 {
	switch {
	case p.state.Kind == exec.Memory:
		var buf [8]byte
		copy(buf[:], p.bytes(w, lane))
		return binary.LittleEndian.Uint64(buf[:])
	case p.state.Name == "r" && p.width == 16:
		return w.Get(p.state, p.n/2, 0, lane) >> uint(16*(p.n%2)) & 0xffff
	case p.state.Name == "r" && p.width == 64:
		return w.Get(p.state, p.n, 0, lane) | w.Get(p.state, p.n+1, 0, lane)<<32
	}
	return w.Get(p.state, p.n, 0, lane)
}

func (p place) set(w *exec.Wave, lane int, v uint64) {
	switch {
	case p.state.Kind == exec.Memory:
		var buf [8]byte
		binary.LittleEndian.PutUint64(buf[:], v)
		copy(p.bytes(w, lane), buf[:])
	case p.state.Name == "r" && p.width == 16:
		shift := uint(16 * (p.n % 2))
		old := w.Get(p.state, p.n/2, 0, lane)
		w.Set(p.state, p.n/2, 0, lane, old&^(0xffff<<shift)|v<<shift)
	case p.state.Name == "r" && p.width == 64:
		w.Set(p.state, p.n, 0, lane, v&0xffffffff)
		w.Set(p.state, p.n+1, 0, lane, v>>32)
	default:
		w.Set(p.state, p.n, 0, lane, v)
	}
}

// expect puts a value into a list of all registers.
func (p place) expect(list map[string]uint64, lane int, v uint64) {
	name := func(n int) string { return fmt.Sprintf("%s%d of thread %d", p.state.Name, n, lane) }
	switch {
	case p.state.Kind == exec.Memory:
	case p.state.Name == "r" && p.width == 16:
		shift := uint(16 * (p.n % 2))
		list[name(p.n/2)] = list[name(p.n/2)]&^(0xffff<<shift) | v<<shift
	case p.state.Name == "r" && p.width == 64:
		list[name(p.n)], list[name(p.n+1)] = v&0xffffffff, v>>32
	default:
		list[name(p.n)] = v
	}
}

// value reads a value of so many bits.
func (r *meaningRow) value(text string, width int, flags bool) uint64 {
	r.t.Helper()
	if flags {
		if text == "-" {
			return 0
		}
		v := uint64(0)
		for _, letter := range text {
			v |= 1 << uint(strings.IndexRune("zsco", letter))
		}
		return v
	}
	mask := ^uint64(0) >> uint(64-width)
	if text == "nan" {
		return map[int]uint64{32: 0x7fc00000, 64: 0x7ff8000000000000}[width]
	}
	number := text[:len(text)-1]
	x, err := strconv.ParseFloat(number, 64)
	float := err == nil && !strings.HasPrefix(text, "0x")
	switch suffix := text[len(text)-1]; {
	case float && suffix == 'f':
		return uint64(math.Float32bits(float32(x)))
	case float && suffix == 'd':
		return math.Float64bits(x)
	case float && suffix == 'h':
		in := sem.Inst{Op: sem.OpConvert}.Typed(sem.Type{Kind: sem.Float, Width: 16}, sem.Type{Kind: sem.Float, Width: 64})
		return sem.Apply(&in, math.Float64bits(x), 0, 0)
	}
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return v & mask
	}
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		r.t.Fatalf("no value %q", text)
	}
	return uint64(v) & mask
}
