package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// changes are what ways do to parts of registers, by the semantics of the instructions. X:Y is X from Y, = a copy, ~ what may
// not happen, # a value, and ... leaves something out; what is used for more than registers stands behind |.
const changes = `
pica200	mov r0.xy, r1.yyyy	r0.x:=r1.y r0.y:=r1.y |
pica200	mov r0, v0	r0.x: r0.y: r0.z: r0.w: |
pica200	mul r3.x, r2.w, r2.z	r3.x:r2.z,r2.w |
pica200	dp3 r0.x, r1, v0	r0.x:r1.x,r1.y,r1.z |
pica200	mova a0.x, r1.z	a0.x:r1.z |
pica200	add r0.x, c5[a0.x], r1	r0.x:r1.x | a0.x
pica200	cmp r1.x, eq, lt, r2.y	cmp.x:r1.x,r2.y cmp.y:r1.x,r2.y |
pica200	jmpc cmp.x && !cmp.y, 5	| cmp.x cmp.y
pica200	emit	o0.x:=bank0.x ... bank0.x:=o0.x ... filled2:~filled2 | slot primitive inverted
pica200	setemit 2, prim	slot:#2 primitive:#1 inverted:#0 |
tegra	EXEC MOVv r0.x***, r1.yyyy;	r0.x:=r1.y |
tegra	EXEC(eq) BRAs 5;	| cr0.x cr0.y cr0.z cr0.w
tesla	(e $c1) mov b32 $r1 $r2	r1:~r1,r2,c1 |
tesla	add b32 $r1 $r2 $r3	r1:r2,r3 |
tesla	mov b16 $r1l $r2h	r1:r1,r2 |
`

func TestChanges(t *testing.T) {
	for _, row := range strings.Split(strings.TrimSpace(changes), "\n") {
		cells := strings.Split(row, "\t")
		m, d, in := read(t, cells[0], cells[1])
		got := changesOf(t, m, d, in)
		parts := strings.Split(cells[2], " ... ")
		for _, part := range parts[1:] {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %s\n got %s\nwant %s", cells[0], cells[1], got, part)
			}
		}
		if len(parts) == 1 && got != cells[2] || !strings.HasPrefix(got, parts[0]) {
			t.Errorf("%s: %s\n got %s\nwant %s", cells[0], cells[1], got, cells[2])
		}
	}
}

// changesOf lists what an instruction changes and uses, in the form of changes.
func changesOf(t *testing.T, m *facts.Machine, d *isa.Decoder, in isa.Inst) string {
	t.Helper()
	names := map[facts.Part]string{}
	for _, s := range m.States() {
		for n := range s.Count {
			for k := range max(1, len(s.Components)) {
				if p, ok := m.Part(s, n, k); ok {
					names[p] = facts.Access{State: s, Number: n, Mask: 1 << k, Address: -1}.String()
				}
			}
		}
	}
	ways, err := m.Ways(d, in, facts.Stacks{}, func(*facts.State, int, int) (uint64, bool) { return 0, false })
	if err != nil {
		t.Fatal(err)
	}
	var list, uses []string
	for _, w := range ways {
		for _, c := range w.Changes {
			x := names[c.Part] + ":"
			switch {
			case c.Copies:
				x += "="
			case c.Weak:
				x += "~"
			}
			var from []string
			for _, p := range c.From {
				from = append(from, names[p])
			}
			if x += strings.Join(from, ","); c.Known {
				x += fmt.Sprint("#", c.Value)
			}
			if !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
		for _, p := range w.Uses {
			if !slices.Contains(uses, names[p]) {
				uses = append(uses, names[p])
			}
		}
	}
	return strings.TrimSpace(strings.Join(list, " ") + " | " + strings.Join(uses, " "))
}

// What one way to an address changes and another way there does not is a change that may not happen, whichever comes first.
func TestChangesOfOneWay(t *testing.T) {
	for _, row := range [][2]string{
		{"if (r[0] == 0) { end; } r[2] = 1; end;", "r2:~r2 | r0"},
		{"if (r[0] == 0) { r[2] = 1; end; } end;", "r2:~r0,r2 | r0"},
	} {
		set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa strict="true">
<file name="r" type="u32" count="3"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"><display>run</display><pattern low="0" high="7">00000000</pattern><semantics>` + row[0] + `</semantics></bitset>
</isa>`)}}, "a.xml", isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		m, err := facts.Open(set)
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		d, err := set.NewDecoder("")
		if err != nil {
			t.Fatal(err)
		}
		in, _ := d.Decode(bits.Value{})
		if got := changesOf(t, m, d, in); got != row[1] {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[1])
		}
	}
}

// The sides of a choice between conditions are decided as they are elsewhere: what is neither does not happen.
func TestChoiceOfConditions(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa strict="true">
<file name="r" type="u32" count="3"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"><display>run</display><pattern low="0" high="7">00000000</pattern>
<semantics>let b = r[1] == 0; let c = r[2] == 0; if (r[0] == 0 ? b : c) { if (!b &amp;&amp; !c) { pc = 100; } }</semantics></bitset>
</isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := facts.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	in, _ := d.Decode(bits.Value{})
	ways, err := m.Ways(d, in, facts.Stacks{}, nil)
	if err != nil || len(ways) != 1 || ways[0].Next != 8 {
		t.Errorf("ways %+v, %v, want the next instruction alone", ways, err)
	}
}
