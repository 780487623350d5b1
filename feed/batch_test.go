package feed

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
)

// rowsXML writes its number into r1, into r2 from a number in r3 on, and into out at an address in r4.
const rowsXML = `<isa strict="true">
<file name="r" type="u32" count="8" init="0"/>
<memory name="out" use="output" size="64" scope="lane" outside="trap"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="copy" extends="#instruction"><display>copy</display><pattern low="0" high="7">00000000</pattern><semantics>r[1] = r[0];</semantics></bitset>
<bitset name="late" extends="#instruction"><display>late</display><pattern low="0" high="7">00000001</pattern><semantics>if (r[0] &gt;= r[3]) { r[2] = r[0]; }</semantics></bitset>
<bitset name="put" extends="#instruction"><display>put</display><pattern low="0" high="7">00000010</pattern><semantics>if (r[0] &gt;= r[3]) { out.u32[r[4]] = r[0]; }</semantics></bitset>
</isa>`

// rowsOf is the words, run by lanes whose number is in r0, with r3 and r4.
func rowsOf(t *testing.T, lanes int, r3, r4 uint64, words ...uint32) *Batch {
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
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l, err := exec.Raw(m, packed, int64(8*len(words)), set.DefaultContext(), nil)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l.Changed = true
	b := NewBatch(l)
	file := l.Program.Machine.State("r")
	port := func(n int) exec.Port { return exec.Port{Name: fmt.Sprint("r", n), State: file, First: n, Count: 1} }
	b.Feed(exec.Input{Lanes: lanes, Ports: []exec.Port{port(0), port(3), port(4)}, Row: func(lane int, row []uint64) {
		row[0], row[1], row[2] = uint64(lane), r3, r4
	}})
	return b
}

// The parts of a table make up the table that a run without parts gives, and what is found is found once.
func TestRowsInParts(t *testing.T) {
	for _, row := range []struct {
		name  string
		words []uint32
		want  []string
	}{
		{"what changed", []uint32{0, 1}, []string{"r1", "r2"}},
		{"words", []uint32{0, 2}, []string{"r1", "out[0x8]"}},
		{"an output that the first lanes do not write", []uint32{1}, []string{"r2"}},
	} {
		for _, jobs := range []int{1, 3} {
			whole, err := rowsOf(t, 5000, 100, 8, row.words...).Run(t.Context(), RunOptions{RunOptions: exec.RunOptions{Jobs: jobs}})
			if err != nil {
				t.Fatal(err)
			}
			b := rowsOf(t, 5000, 100, 8, row.words...)
			b.held = 3000
			var rows [][]uint64
			parts := 0
			out, err := b.Run(t.Context(), RunOptions{RunOptions: exec.RunOptions{Jobs: jobs}, Rows: func(part *Table) error {
				var names []string
				for _, c := range part.Columns {
					names = append(names, c.Name)
				}
				if !slices.Equal(names, row.want) || part.First != len(rows) {
					t.Errorf("%s: a part has the columns %v from row %d on, want %v and %d", row.name, names, part.First, row.want, len(rows))
				}
				rows = append(rows, part.Rows...)
				parts++
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(rows, whole.Tables[0].Rows, slices.Equal) || len(rows) != 5000 || rows[4999][len(row.want)-1] != 4999 {
				t.Errorf("%s: the parts are not the table", row.name)
			}
			if parts < 5 || out.Tables != nil || out.Result.Values != nil {
				t.Errorf("%s: %d parts, and %d tables", row.name, parts, len(out.Tables))
			}
			if got, want := fmt.Sprint(out.Stops, out.Findings, out.Instructions), fmt.Sprint(whole.Stops, whole.Findings, whole.Instructions); got != want {
				t.Errorf("%s: %s, want %s", row.name, got, want)
			}
		}
	}
}

// An output without a column, because no lane before wrote it, is an error, and not lost.
func TestLateOutputs(t *testing.T) {
	for _, row := range []struct {
		words []uint32
		want  string
	}{{[]uint32{0, 1}, "r2"}, {[]uint32{0, 2}, "out[0x8]"}} {
		b := rowsOf(t, 1<<20, 1<<19, 8, row.words...)
		b.held = 1 << 12
		_, err := b.Run(t.Context(), RunOptions{RunOptions: exec.RunOptions{Jobs: 2}, Rows: func(part *Table) error { return nil }})
		var late *LateOutputError
		if !errors.As(err, &late) || late.Output != row.want || late.From > 1<<19 || late.To < 1<<19 || late.Nouns != "vertices" {
			t.Errorf("%v, want an error of %s", err, row.want)
		}
		b = rowsOf(t, 1<<20, 1<<19, 8, row.words...)
		if err := b.Select([]string{row.want}); err != nil {
			t.Fatal(err)
		}
		n := 0
		_, err = b.Run(t.Context(), RunOptions{RunOptions: exec.RunOptions{Jobs: 2}, Rows: func(part *Table) error {
			n += len(part.Rows)
			return nil
		}})
		if err != nil || n != 1<<20 {
			t.Errorf("%s chosen: %d rows, %v", row.want, n, err)
		}
	}
}

// liveHeap returns the number of bytes of the heap that are in use.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// As many lanes as there are numbers for run in as much memory as some do, until the reader has enough.
func TestLanesWithoutEnd(t *testing.T) {
	b := rowsOf(t, math.MaxInt, 0, 8, 0, 1)
	enough := errors.New("enough")
	next, before, most := 0, liveHeap(), int64(0)
	b.held = 1 << 16
	_, err := b.Run(t.Context(), RunOptions{RunOptions: exec.RunOptions{Jobs: 2}, Rows: func(part *Table) error {
		if next = part.First + len(part.Rows); next >= 1<<21 {
			most = liveHeap()
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || most-before > 16<<20 {
		t.Errorf("%v after %d rows, with %d bytes", err, next, most-before)
	}
}
