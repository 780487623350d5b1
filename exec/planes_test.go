package exec_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
)

// planesXML is a machine with registers of all widths. add adds one register of each file to the next, with what all lanes
// share, and put writes the words of memories.
const planesXML = `<isa strict="true">
<file name="r" type="u32" count="3"/><file name="d" type="u64" count="3" init="0"/><file name="f" type="f32x2" count="2" init="0"/>
<file name="c" type="u32" count="2" scope="launch" use="constant" init="0"/>
<view name="h" file="r" type="u16"/>
<memory name="attr" use="input" scope="lane" access="u32"/><memory name="out" use="output" scope="lane" size="16" access="u32"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="add" extends="#instruction"><display>add</display><pattern low="0" high="7">00000000</pattern>
<semantics>r[2] = r[0] + r[1] + c[0]; d[2] = d[0] + d[1]; f[1] = f[0];</semantics></bitset>
<bitset name="put" extends="#instruction"><display>put</display><pattern low="0" high="7">00000001</pattern>
<semantics>out.u32[4] = attr.u32[0] + r[0]; if (r[0] == 3) { out.u32[r[0] * 4] = 9; }</semantics></bitset>
</isa>`

func planesLaunch(t *testing.T, words ...uint32) *exec.Launch {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"planes.xml": {Data: []byte(planesXML)}}, "planes.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l, err := exec.Raw(m, words, 8*int64(len(words)), bits.Value{}, nil)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return l
}

func ports(t *testing.T, l *exec.Launch, names ...string) (list []exec.Port) {
	t.Helper()
	for _, name := range names {
		p, err := l.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// Inputs of 32 and 64 bits, of one cell, of fewer cells than lanes and of missing cells, for lanes of one wave and of several.
func TestPlanes(t *testing.T) {
	l := planesLaunch(t, 0)
	b := l.Bind(ports(t, l, "r0", "r1", "d0", "d1", "f0", "c0"), ports(t, l, "r2", "d2", "f1"))
	const nan, canonical = 0xffc12345, 0x7fc00000
	for _, lanes := range []int{0, 1, 63, 64, 65, 200, 3000} {
		for _, jobs := range []int{1, 3} {
			in, out := exec.NewPlanes(b.Inputs, lanes), exec.NewPlanes(b.Outputs, lanes)
			missing := 0
			for lane := range lanes {
				in[0].U32[lane], in[2].U64[lane] = uint32(lane), uint64(lane)<<40
				in[4].U32[lane], in[5].U32[lane] = nan, uint32(lane)
			}
			in[0].Missing = make([]uint64, (lanes+63)/64)
			for lane := 0; lane < lanes; lane += 5 {
				in[0].Missing[lane/64] |= 1 << uint(lane%64)
				missing++
			}
			in[1] = exec.Plane{U32: []uint32{100, 200, 300}}
			in[3] = exec.Plane{U64: []uint64{1 << 63}}
			in[6] = exec.Plane{U32: []uint32{7}}
			kept := slices.Clone(in[0].U32)
			report, err := b.Run(t.Context(), lanes, in, out, exec.RunOptions{Jobs: jobs})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(kept, in[0].U32) {
				t.Error("an input changed")
			}
			for lane := range lanes {
				r := uint32(lane + []int{100, 200, 300}[lane%3] + 7)
				if lane%5 == 0 {
					r -= uint32(lane) // an input that is missing is 0
				}
				if out[0].U32[lane] != r || out[1].U64[lane] != uint64(lane)<<40+1<<63 || out[2].U32[lane] != canonical || out[3].U32[lane] != uint32(lane) {
					t.Fatalf("%d lanes, %d jobs, lane %d: %d, %#x, %#x, %d", lanes, jobs, lane, out[0].U32[lane], out[1].U64[lane], out[2].U32[lane], out[3].U32[lane])
				}
			}
			unwritten := 0
			for _, f := range report.Findings {
				unwritten += f.Count
			}
			if unwritten != missing || report.LaneInstructions != int64(lanes) {
				t.Errorf("%d lanes: %d reads of missing inputs, want %d; %d instructions", lanes, unwritten, missing, report.LaneInstructions)
			}
		}
	}
}

// Words of memories and registers of views are planes too, and the last plane of a component counts.
func TestPlanesOfMemoryAndViews(t *testing.T) {
	l := planesLaunch(t, 1)
	b := l.Bind(ports(t, l, "r0", "h1", "h0", "attr[0x0]"), ports(t, l, "out[0x4]", "h0"))
	out := exec.NewPlanes(b.Outputs, 2)
	in := []exec.Plane{{U32: []uint32{0xffffffff}}, {U32: []uint32{0}}, {U32: []uint32{3, 4}}, {U32: []uint32{10, 20}}}
	if _, err := b.Run(t.Context(), 2, in, out, exec.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(out[0].U32, out[1].U32); got != "[13 24] [3 4]" {
		t.Error(got)
	}
}

// Planes that do not fit are errors.
func TestPlanesThatDoNotFit(t *testing.T) {
	l := planesLaunch(t, 0)
	b := l.Bind(ports(t, l, "r0", "c0"), ports(t, l, "d2"))
	u32 := func(n int) exec.Plane { return exec.Plane{U32: make([]uint32, n)} }
	u64 := func(n int) exec.Plane { return exec.Plane{U64: make([]uint64, n)} }
	for _, row := range []struct {
		in, out []exec.Plane
		want    string
	}{
		{[]exec.Plane{u32(2)}, []exec.Plane{u64(2)}, "there are 1 input planes, expected 2"},
		{[]exec.Plane{u32(2), u32(1)}, nil, "there are 0 output planes, expected 1"},
		{[]exec.Plane{u32(2), u32(2)}, []exec.Plane{u64(2)}, "input plane 1 has 2 cells, expected 1: all lanes share a register of c"},
		{[]exec.Plane{u64(2), u32(1)}, []exec.Plane{u64(2)}, "input plane 0 has 0 cells of 32 bits and 2 of 64, expected at least 1 of 32 and none of the other"},
		{[]exec.Plane{u32(0), u32(1)}, []exec.Plane{u64(2)}, "input plane 0 has 0 cells of 32 bits and 0 of 64, expected at least 1 of 32 and none of the other"},
		{[]exec.Plane{u32(2), u32(1)}, []exec.Plane{u64(1)}, "output plane 0 has 0 cells of 32 bits and 1 of 64, expected at least 2 of 64 and none of the other"},
		{[]exec.Plane{{U32: make([]uint32, 65), Missing: make([]uint64, 1)}, u32(1)}, []exec.Plane{u64(2)}, "input plane 0 has 1 words of missing cells, expected 2"},
	} {
		if _, err := b.Run(t.Context(), 2, row.in, row.out, exec.RunOptions{}); err == nil || err.Error() != row.want {
			t.Errorf("error %v, want %s", err, row.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Run(ctx, 2, []exec.Plane{u32(2), u32(1)}, []exec.Plane{u64(2)}, exec.RunOptions{}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// adder is an engine that gives the sums of the first two inputs, in no order, and notes the parts that it ran.
type adder struct{ parts, closed int }

func (a *adder) Worker(*exec.Binding, *exec.RunOptions, bool) (exec.Worker, error) { return a, nil }
func (a *adder) Close()                                                            { a.closed++ }

func (a *adder) Run(_ context.Context, p *exec.Part, t *exec.Tally) error {
	for lane := range p.Lanes {
		first := p.In[0].U32[0]
		if len(p.In[0].U32) > 1 {
			first = p.In[0].U32[lane]
		}
		p.Out[0].U32[lane] = first + p.In[1].U32[lane]
	}
	p.Wait()
	a.parts++
	return nil
}

// Another engine gets the same planes, for rows too.
func TestOtherEngine(t *testing.T) {
	l := planesLaunch(t, 0)
	b, a := l.Bind(ports(t, l, "r0", "r1"), ports(t, l, "r2")), &adder{}
	b.Engine = a
	const lanes = 3000
	in, out := exec.NewPlanes(b.Inputs, lanes), exec.NewPlanes(b.Outputs, lanes)
	in[0] = exec.Plane{U32: []uint32{5}}
	for lane := range lanes {
		in[1].U32[lane] = uint32(lane)
	}
	if _, err := b.Run(t.Context(), lanes, in, out, exec.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	for lane, v := range out[0].U32 {
		if v != uint32(lane+5) {
			t.Fatalf("lane %d: %d", lane, v)
		}
	}
	if a.parts != 3 || a.closed != 1 {
		t.Errorf("%d parts, closed %d times", a.parts, a.closed)
	}
}

// A wave clears what a shorter wave before it left, and what is missing now.
func TestPlanesAgain(t *testing.T) {
	l := planesLaunch(t, 0)
	l.Shared.Set(l.Program.Machine.State("c"), 0, 0, 0)
	b := l.Bind(ports(t, l, "r0", "r1"), ports(t, l, "r2"))
	run := func(lanes int, in ...exec.Plane) string {
		out := exec.NewPlanes(b.Outputs, lanes)
		report, err := b.Run(t.Context(), lanes, in, out, exec.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out[0].U32[:2], out[0].U32[lanes-1], len(report.Findings))
	}
	one := exec.Plane{U32: slices.Repeat([]uint32{1}, 64)}
	none := exec.Plane{U32: []uint32{9}, Missing: []uint64{1}}
	got := []string{run(64, one, one), run(64, none, one), run(3, one, one), run(64, one, none), run(64, one, one)}
	if want := "[2 2] 2 0; [1 1] 1 1; [2 2] 2 0; [1 1] 1 1; [2 2] 2 0"; strings.Join(got, "; ") != want {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
}
