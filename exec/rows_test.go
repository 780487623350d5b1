package exec

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// rowsXML is a machine of two instructions: one copies a number, the other starts again.
const rowsXML = `<isa strict="true">
<file name="r" type="u32" count="8" init="0"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="copy" extends="#instruction"><display>copy</display><pattern low="0" high="7">00000000</pattern><semantics>r[1] = r[0];</semantics></bitset>
<bitset name="round" extends="#instruction"><display>round</display><pattern low="0" high="7">00000011</pattern><semantics>pc = 0;</semantics></bitset>
</isa>`

// rowsOf is the words, run by lanes whose number is in r0.
func rowsOf(t *testing.T, lanes int, words ...uint32) (*Launch, Input) {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"rows.xml": {Data: []byte(rowsXML)}}, "rows.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	var packed []uint32 // four instructions in a word
	for i, w := range words {
		if i%4 == 0 {
			packed = append(packed, 0)
		}
		packed[i/4] |= w << (8 * (i % 4))
	}
	m, err := Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l, err := Raw(m, packed, int64(8*len(words)), set.DefaultContext(), nil)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	file := l.Program.Machine.State("r")
	return l, Input{Lanes: lanes, Ports: []Port{{Name: "r0", State: file, Count: 1}}, Row: func(lane int, row []uint64) { row[0] = uint64(lane) }}
}

// What runs without end ends with its context, wherever it is.
func TestRunsEndWithTheirContext(t *testing.T) {
	endless := []uint32{0, 3}
	for name, run := range map[string]func(ctx context.Context, trace func(*Wave, Event)) error{
		"rows": func(ctx context.Context, trace func(*Wave, Event)) error {
			l, in := rowsOf(t, 1, endless...)
			_, err := l.Run(ctx, in, RunOptions{Trace: trace})
			return err
		},
		"rows in parts": func(ctx context.Context, trace func(*Wave, Event)) error {
			l, in := rowsOf(t, 200, endless...)
			_, err := l.Stream(ctx, in, RunOptions{Trace: trace}, func(*Rows) error {
				t.Error("rows of lanes that did not end")
				return nil
			})
			return err
		},
		"a wave": func(ctx context.Context, trace func(*Wave, Event)) error {
			l, _ := rowsOf(t, 1, endless...)
			w := NewWave(l.Program)
			w.Trace = trace
			w.Start(1, 0)
			return w.Run(ctx)
		},
		"a block": func(ctx context.Context, trace func(*Wave, Event)) error {
			l, _ := rowsOf(t, 1, endless...)
			p := l.Program
			waves := []*Wave{NewWave(p), NewWave(p)}
			for _, w := range waves {
				w.Trace = trace
				w.Start(1, 0)
			}
			return RunBlock(ctx, waves)
		},
		"a grid": func(ctx context.Context, trace func(*Wave, Event)) error {
			l, _ := rowsOf(t, 1, endless...)
			g := Grid{Program: l.Program, Shared: NewShared(l.Program.Machine, ScopeLaunch, ScopeLaunch), Blocks: 9, Threads: 64}
			_, err := g.Run(ctx, GridOptions{Jobs: 2, Trace: trace})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := run(ctx, func(*Wave, Event) {
			if n++; n == 1000 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || n > 1000+4*slice {
			t.Errorf("%s: %v after %d events", name, err, n)
		}
		cancel()
		if err := run(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s that starts when its context has ended: %v", name, err)
		}
	}
}

// All waves of a grid together dispatch as many instructions as they may, and the last one is known.
func TestGridBudget(t *testing.T) {
	for _, row := range []struct {
		blocks, threads int
		total           int64
		want            string
	}{
		// Two waves of a block run in turns of 16. Of 100 instructions the first wave runs 52 and the second 48: both are at 0x0.
		{9, 64, 100, "[{grid budget at 0x0 64 0}] 100"},
		{9, 32, 7, "[{grid budget at 0x1 32 0}] 7"},
		{1, 32, 1 << 13, "[{grid budget at 0x0 32 0}] 8192"},
	} {
		l, _ := rowsOf(t, 1, 0, 3)
		p := l.Program
		g := Grid{Program: p, Shared: NewShared(p.Machine, ScopeLaunch, ScopeLaunch), Blocks: row.blocks, Threads: row.threads}
		res, err := g.Run(t.Context(), GridOptions{Total: row.total})
		if err != nil {
			t.Fatal(err)
		}
		var stops []any
		for _, s := range res.Stops {
			stops = append(stops, struct {
				string
				count, first int
			}{s.String(), s.Count, s.First})
		}
		if got := fmt.Sprint(stops, " ", res.Instructions); got != row.want {
			t.Errorf("%d blocks of %d, %d instructions: %s, want %s", row.blocks, row.threads, row.total, got, row.want)
		}
	}

	// Blocks that end share it too: of 10 blocks of one wave and 2 instructions, 14 instructions are enough for 7.
	m := parse(t, `<isa strict="true"><file name="r" type="u32" count="1" init="0"/><fetch unit="8"/><bitset name="#instruction" size="8"/>
<bitset name="step" extends="#instruction"><display>step</display><pattern low="0" high="7">00000000</pattern><semantics>r[0] = 1;</semantics></bitset>
<bitset name="stop" extends="#instruction"><display>stop</display><pattern low="0" high="7">00000001</pattern><semantics>end;</semantics></bitset></isa>`)
	g := Grid{Program: m.program("#instruction", Words{}, 0, 1), Shared: NewShared(m.Machine, ScopeLaunch, ScopeLaunch), Blocks: 10, Threads: 32}
	res, err := g.Run(t.Context(), GridOptions{Total: 14})
	if err != nil || len(res.Stops) != 2 || res.Stops[0].Count != 7*32 || res.Stops[1].Reason != GridBudget || res.Stops[1].First != 7*32 || res.Stops[1].Address != 0 {
		t.Errorf("%v, %v", res, err)
	}
	if res, err = g.Run(t.Context(), GridOptions{Total: 20}); err != nil || len(res.Stops) != 1 || res.Stops[0].Count != 320 {
		t.Errorf("with enough for all: %v, %v", res, err)
	}
}
