package view

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestJumps draws arrows that nest, cross, share a target, and go nowhere else.
func TestJumps(t *testing.T) {
	tests := map[string]struct {
		lines int
		jumps [][2]int // from, to
		want  string
	}{
		"none":        {2, nil, "\n\n"},
		"forward":     {3, [][2]int{{0, 2}}, "╭─\n│\n╰▶\n"},
		"backward":    {3, [][2]int{{2, 0}}, "╭▶\n│\n╰─\n"},
		"itself":      {2, [][2]int{{1, 1}}, "\n╶▶\n"},
		"nested":      {4, [][2]int{{0, 3}, {1, 2}}, "╭──\n│╭─\n│╰▶\n╰─▶\n"},
		"beside":      {4, [][2]int{{0, 1}, {2, 3}}, "╭─\n╰▶\n╭─\n╰▶\n"},
		"crossing":    {4, [][2]int{{0, 2}, {1, 3}}, " ╭─\n╭┼─\n│╰▶\n╰─▶\n"},
		"one target":  {4, [][2]int{{0, 3}, {1, 3}}, "╭─\n├─\n│\n╰▶\n"},
		"both":        {3, [][2]int{{0, 2}, {1, 0}}, "╭┬▶\n│╰─\n╰─▶\n"},
		"from a jump": {3, [][2]int{{0, 1}, {1, 2}}, " ╭─\n╭┴▶\n╰─▶\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			at := map[int]*arrow{}
			for _, j := range tt.jumps {
				if at[j[1]] == nil {
					at[j[1]] = &arrow{first: j[1], last: j[1], to: j[1]}
				}
				at[j[1]].add(j[0])
			}
			j := layJumps(at)
			var got strings.Builder
			for n := range tt.lines {
				got.WriteString(strings.TrimRight(string(j.append(nil, Palette{}, n, false)), " ") + "\n")
			}
			if got.String() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), tt.want)
			}
		})
	}
}

// Short arrows are placed first, each in the first column in which no other arrow uses its lines.
func TestJumpsTakeFirstRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, lines := range []int{1, 63, 64, 65, 5000} {
		at := map[int]*arrow{}
		for range 2 * lines {
			to := r.IntN(lines)
			if at[to] == nil {
				at[to] = &arrow{first: to, last: to, to: to}
			}
			if from := to + r.IntN(41) - 20; 0 <= from && from < lines {
				at[to].add(from)
			}
		}
		column := map[int]int{} // by the line to which the arrow goes
		lanes := layJumps(at).lanes
		for i, lane := range lanes {
			for _, a := range lane {
				column[a.to] = i
			}
		}
		overlaps := func(lane []arrow, a *arrow) bool {
			return slices.ContainsFunc(lane, func(x arrow) bool {
				shorter := x.last-x.first < a.last-a.first || x.last-x.first == a.last-a.first && x.to < a.to
				return shorter && x.first <= a.last && a.first <= x.last
			})
		}
		for to, a := range at {
			want := slices.IndexFunc(lanes, func(lane []arrow) bool { return !overlaps(lane, a) })
			if got, ok := column[to]; ok && got != want || !ok && want >= 0 {
				t.Errorf("%d lines: the arrow to %d, lines %d to %d, is in column %d, want %d", lines, to, a.first, a.last, got, want)
			}
		}
	}
}
