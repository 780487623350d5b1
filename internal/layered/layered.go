// Package layered draws directed graphs of boxes with lines of text. Edges lead down, from layer to layer; edges that close a
// cycle lead up and are marked. It writes SVG and Graphviz DOT.
package layered

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// Node is a box with lines of text. Title is its first line, and Class is a class of the style sheet, or "".
type Node struct {
	Title string
	Lines []string
	Class string
}

// Edge leads from a node to a node, by their indices. Label may be "".
type Edge struct {
	From, To int
	Label    string
}

// Graph is a graph whose first node is the entry. Nodes that cannot be reached from it are drawn too.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge
}

// MaxPoints is the maximum number of boxes and of bends of edges in a picture.
const MaxPoints = 1 << 15

// Sizes in units of the picture.
const (
	charWidth  = 7.25
	lineHeight = 16
	padding    = 10
	gapX       = 32
	gapY       = 46
	sweeps     = 8
)

// point is a box, or a bend of an edge that crosses a layer.
type point struct {
	node         int // -1 for a bend
	layer        int
	half, height float64 // half of the width
	x, y         float64 // the middle of the top
	up, down     []int
}

// Back reports for each edge whether it closes a cycle: whether it leads to a node on the path by which a search in depth
// reached its start.
func (g *Graph) Back() []bool {
	out := make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		out[e.From] = append(out[e.From], i)
	}
	back, state, next := make([]bool, len(g.Edges)), make([]uint8, len(g.Nodes)), make([]int, len(g.Nodes))
	for start := range g.Nodes {
		if state[start] != 0 {
			continue
		}
		path := []int{start} // not recursive, because a graph can be deep
		state[start] = 1
		for len(path) > 0 {
			n := path[len(path)-1]
			if next[n] == len(out[n]) {
				state[n], path = 2, path[:len(path)-1]
				continue
			}
			e := out[n][next[n]]
			next[n]++
			switch to := g.Edges[e].To; state[to] {
			case 0:
				state[to], path = 1, append(path, to)
			case 1:
				back[e] = true
			}
		}
	}
	return back
}

// layers returns the layer of each node: the length of the longest path to it without the edges back.
func (g *Graph) layers(back []bool) []int {
	layer, into := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	out := make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		if !back[i] {
			out[e.From] = append(out[e.From], e.To)
			into[e.To]++
		}
	}
	var ready []int
	for n := range g.Nodes {
		if into[n] == 0 {
			ready = append(ready, n)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		for _, to := range out[ready[0]] {
			layer[to] = max(layer[to], layer[ready[0]]+1)
			if into[to]--; into[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return layer
}

// lay places the boxes and the bends. chains has the points of each edge, from its start to its end.
func (g *Graph) lay(back []bool) (points []point, chains [][]int, err error) {
	layer := g.layers(back)
	var rows [][]int
	add := func(p point) int {
		for len(rows) <= p.layer {
			rows = append(rows, nil)
		}
		points = append(points, p)
		rows[p.layer] = append(rows[p.layer], len(points)-1)
		return len(points) - 1
	}
	for i, n := range g.Nodes {
		longest := len([]rune(n.Title))
		for _, l := range n.Lines {
			longest = max(longest, len([]rune(l)))
		}
		add(point{node: i, layer: layer[i], half: float64(float64(longest)*(charWidth/2)) + padding, height: float64((len(n.Lines)+1)*lineHeight + padding)})
	}
	for i, e := range g.Edges {
		from, to := e.From, e.To
		if back[i] {
			from, to = to, from
		}
		chain := []int{from}
		for l := layer[from] + 1; l < layer[to]; l++ {
			if len(points) >= MaxPoints {
				return nil, nil, fmt.Errorf("the graph is larger than %d boxes and bends", MaxPoints)
			}
			chain = append(chain, add(point{node: -1, layer: l, half: 5}))
		}
		if from != to {
			chain = append(chain, to)
		}
		for k := 1; k < len(chain); k++ {
			points[chain[k-1]].down = append(points[chain[k-1]].down, chain[k])
			points[chain[k]].up = append(points[chain[k]].up, chain[k-1])
		}
		if back[i] {
			slices.Reverse(chain)
		}
		chains = append(chains, chain)
	}
	y := 0.0
	for _, row := range rows {
		tallest := 0.0
		for _, p := range row {
			points[p].y = y
			tallest = max(tallest, points[p].height)
		}
		y += tallest + gapY
	}
	order(points, rows)
	return points, chains, nil
}

// order orders the points of each layer, and places them: each moves to the mean of its neighbours, first from the top down,
// then from the bottom up.
func order(points []point, rows [][]int) {
	pack := func(row []int, wanted map[int]float64) {
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(wanted[a], wanted[b]) })
		// The points do not overlap, and the row as a whole stays at the mean of what its points want.
		left, shift := 0.0, 0.0
		for i, p := range row {
			at := wanted[p]
			if half := points[p].half; i == 0 {
				left = at + half
			} else {
				at = max(at, left+gapX+half)
				left = at + half
			}
			shift += at - wanted[p]
			points[p].x = at
		}
		for _, p := range row {
			points[p].x -= shift / float64(len(row))
		}
	}
	mean := func(list []int, otherwise float64) float64 {
		if len(list) == 0 {
			return otherwise
		}
		sum := 0.0
		for _, p := range list {
			sum += points[p].x
		}
		return sum / float64(len(list))
	}
	for sweep := range sweeps {
		for i := range rows {
			row := rows[i]
			if sweep%2 == 1 {
				row = rows[len(rows)-1-i]
			}
			wanted := map[int]float64{}
			for _, p := range row {
				near := points[p].up
				if sweep%2 == 1 {
					near = points[p].down
				}
				wanted[p] = mean(near, points[p].x)
			}
			pack(row, wanted)
		}
	}
}

// SVG returns the graph as a picture with its own styles, for light and dark.
func (g *Graph) SVG() (string, error) {
	back := g.Back()
	points, chains, err := g.lay(back)
	if err != nil {
		return "", err
	}
	left, right, bottom := 0.0, 0.0, 0.0
	for _, p := range points {
		left, right, bottom = min(left, p.x-p.half), max(right, p.x+p.half), max(bottom, p.y+p.height)
	}
	left, right = left-60, right+60
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%.0f" height="%.0f" viewBox="%.0f -20 %.0f %.0f">`+"\n", right-left, bottom+40, left, right-left, bottom+40)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(g.Title))
	b.WriteString(`<style>
svg{color-scheme:light dark;background:light-dark(#fff,#14181e);font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
text{fill:light-dark(#1c2128,#e3e8ef);white-space:pre}.title{font-weight:600}.label{fill:light-dark(#5b6573,#98a4b3)}
rect{fill:light-dark(#f4f6f9,#1c222a);stroke:light-dark(#5b6573,#98a4b3)}
.loop rect{fill:light-dark(#d3f2d6,#1f5230)}.diverge rect{stroke:light-dark(#b45309,#e3bd73);stroke-width:2.5}.stop rect{fill:light-dark(#ffd6de,#6b2a3b)}
path{fill:none;stroke:light-dark(#5b6573,#98a4b3);stroke-width:1.3}.back{stroke:light-dark(#0a6e4f,#6fd3ae);stroke-dasharray:5 3}
.head{fill:light-dark(#5b6573,#98a4b3);stroke:none}
</style>
`)
	for i, chain := range chains {
		class := "edge"
		if back[i] {
			class = "back"
		}
		first, last := &points[chain[0]], &points[chain[len(chain)-1]]
		var d strings.Builder
		var tip, anchor string
		var labelX, labelY float64
		if back[i] {
			tip, labelX = backward(&d, points, chain)
			labelY, anchor = first.y-6, "start"
			if labelX < first.x {
				anchor = "end"
			}
		} else {
			x, y := first.x, first.y+first.height
			fmt.Fprintf(&d, "M%.1f %.1f", x, y)
			for _, p := range chain[1:] {
				to := &points[p]
				middle := (y + to.y) / 2
				fmt.Fprintf(&d, "C%.1f %.1f %.1f %.1f %.1f %.1f", x, middle, to.x, middle, to.x, to.y)
				x, y = to.x, to.y
			}
			tip = fmt.Sprintf("M%.1f %.1fl-4 -8h8z", last.x, last.y)
			second := &points[chain[1]]
			gap := 6.0
			if anchor = "start"; second.x < first.x {
				anchor, gap = "end", -6
			}
			labelX, labelY = first.x+float64((second.x-first.x)*0.4)+gap, first.y+first.height+14
		}
		fmt.Fprintf(&b, `<path class="%s" d="%s"/><path class="head" d="%s"/>`+"\n", class, d.String(), tip)
		if label := g.Edges[i].Label; label != "" {
			fmt.Fprintf(&b, `<text class="label" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`+"\n", anchor, labelX, labelY, html.EscapeString(label))
		}
	}
	for _, p := range points {
		if p.node < 0 {
			continue
		}
		n := g.Nodes[p.node]
		fmt.Fprintf(&b, `<g class="%s"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5"/>`, html.EscapeString(n.Class), p.x-p.half, p.y, 2*p.half, p.height)
		for i, line := range append([]string{n.Title}, n.Lines...) {
			class := ""
			if i == 0 {
				class = ` class="title"`
			}
			fmt.Fprintf(&b, `<text%s x="%.1f" y="%.1f">%s</text>`, class, p.x-p.half+padding, p.y+float64((i+1)*lineHeight), html.EscapeString(line))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String(), nil
}

// backward draws an edge back, and returns its head and where its label begins or ends. The edge leaves its start and meets its end at
// a side, or at the top and the bottom if the next bend is there.
func backward(d *strings.Builder, points []point, chain []int) (tip string, label float64) {
	first, last := &points[chain[0]], &points[chain[len(chain)-1]]
	switch len(chain) {
	case 1: // a box that follows itself
		x, y, quarter := first.x+first.half, first.y+float64(first.height/2), float64(first.height/4)
		fmt.Fprintf(d, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x, y+quarter, x+34, y+quarter, x+34, y-quarter, x, y-quarter)
		return fmt.Sprintf("M%.1f %.1fl8 -4v8z", x, y-quarter), x + 6
	case 2: // next to the edge from the end to the start, on the outer side
		side := 0.6
		if first.x < last.x {
			side = -side
		}
		x, endX, endY := first.x+float64(side*first.half), last.x+float64(side*last.half), last.y+last.height
		middle := (first.y + endY) / 2
		fmt.Fprintf(d, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x, first.y, x, middle, endX, middle, endX, endY)
		return fmt.Sprintf("M%.1f %.1fl-4 8h8z", endX, endY), x + float64(10*side)
	}
	bend := &points[chain[1]]
	if x, y, side := first.near(bend.x); side == 0 {
		fmt.Fprintf(d, "M%.1f %.1fL%.1f %.1f", bend.x, first.y, bend.x, bend.y)
		label = bend.x + 6
	} else {
		fmt.Fprintf(d, "M%.1f %.1fQ%.1f %.1f %.1f %.1f", x, y, bend.x, y, bend.x, bend.y)
		label = x + float64(side*6)
	}
	for _, p := range chain[2 : len(chain)-1] {
		next := &points[p]
		middle := (bend.y + next.y) / 2
		fmt.Fprintf(d, "C%.1f %.1f %.1f %.1f %.1f %.1f", bend.x, middle, next.x, middle, next.x, next.y)
		bend = next
	}
	x, y, side := last.near(bend.x)
	if side == 0 {
		fmt.Fprintf(d, "L%.1f %.1f", bend.x, last.y+last.height)
		return fmt.Sprintf("M%.1f %.1fl-4 8h8z", bend.x, last.y+last.height), label
	}
	fmt.Fprintf(d, "Q%.1f %.1f %.1f %.1f", bend.x, y, x, y)
	return fmt.Sprintf("M%.1f %.1fl%.0f -4v8z", x, y, 8*side), label
}

// near returns the middle of the side of a box that is next to a column, and 1 for the right one and -1 for the left one, or 0 if the
// column meets the box.
func (p *point) near(column float64) (x, y, side float64) {
	y = p.y + float64(p.height/2)
	switch {
	case column > p.x+p.half:
		return p.x + p.half, y, 1
	case column < p.x-p.half:
		return p.x - p.half, y, -1
	}
	return p.x, y, 0
}

// DOT returns the graph in the language of Graphviz.
func (g *Graph) DOT() string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ")
	var b strings.Builder
	fmt.Fprintf(&b, "digraph \"%s\" {\n\tnode [shape=box, fontname=monospace];\n", quoted.Replace(g.Title))
	for i, n := range g.Nodes {
		label := ""
		for _, line := range append([]string{n.Title}, n.Lines...) {
			label += quoted.Replace(line) + `\l`
		}
		fmt.Fprintf(&b, "\tn%d [label=\"%s\", class=\"%s\"];\n", i, label, quoted.Replace(n.Class))
	}
	back := g.Back()
	for i, e := range g.Edges {
		style := ""
		if back[i] {
			style = ", style=dashed, constraint=false"
		}
		fmt.Fprintf(&b, "\tn%d -> n%d [label=\"%s\"%s];\n", e.From, e.To, quoted.Replace(e.Label), style)
	}
	b.WriteString("}\n")
	return b.String()
}
