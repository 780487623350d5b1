package lint

import (
	"math/rand/v2"
	"testing"
)

// TestDiagrams compares sets of cases with tables that list each case.
func TestDiagrams(t *testing.T) {
	const conditions = 5
	type table [1 << conditions]bool
	random := rand.New(rand.NewPCG(1, 2))
	d := newDiagrams()
	sets, tables := []cases{noCase, anyCase}, []table{{}, {}}
	for i := range tables[1] {
		tables[1][i] = true
	}
	for k := range int32(conditions) {
		var x table
		for i := range x {
			x[i] = i>>k&1 != 0
		}
		sets, tables = append(sets, d.test(k, noCase, anyCase)), append(tables, x)
	}
	numbers := map[table]cases{}
	for range 2000 {
		a, b, c := random.IntN(len(sets)), random.IntN(len(sets)), random.IntN(len(sets))
		var set cases
		var x table
		if mask := random.IntN(1 << conditions); random.IntN(3) > 0 {
			set = d.choose(sets[a], sets[b], sets[c])
			for i := range x {
				if x[i] = tables[c][i]; tables[a][i] {
					x[i] = tables[b][i]
				}
			}
		} else {
			list := map[int32]bool{}
			for k := range int32(conditions) {
				list[k] = mask>>k&1 != 0
			}
			set = d.forget(sets[a], list, mask)
			for i, is := range tables[a] {
				for k := range x {
					x[k] = x[k] || is && i&^mask == k&^mask
				}
			}
		}
		if was, ok := numbers[x]; ok && was != set {
			t.Fatalf("two sets %d and %d have the same cases", was, set)
		}
		for y, was := range numbers {
			if was == set && y != x {
				t.Fatalf("one set %d has different cases %v and %v", set, x, y)
			}
		}
		numbers[x] = set
		if len(sets) < 300 {
			sets, tables = append(sets, set), append(tables, x)
		} else {
			k := conditions + 2 + random.IntN(len(sets)-conditions-2)
			sets[k], tables[k] = set, x
		}
	}
	if d.full {
		t.Error("a limit is exceeded")
	}
}
