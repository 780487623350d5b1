package layered

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// loop is a loop whose body has two ways, and a box that follows itself.
var loop = Graph{
	Title: "a <loop>",
	Nodes: []Node{{Title: "entry"}, {Title: "head", Class: "loop"}, {Title: "left", Lines: []string{`mov "r0", <r1> & 1`}}, {Title: "right"}, {Title: "latch"}, {Title: "exit"}},
	Edges: []Edge{{0, 1, ""}, {1, 2, "yes"}, {1, 3, "no"}, {2, 4, ""}, {3, 4, ""}, {4, 1, ""}, {1, 5, ""}, {3, 3, ""}},
}

func TestBack(t *testing.T) {
	for i, back := range loop.Back() {
		if e := loop.Edges[i]; back != (e.From == 4 && e.To == 1 || e.From == e.To) {
			t.Errorf("edge %d to %d: back is %v", e.From, e.To, back)
		}
	}
}

// Edges lead down, and no boxes overlap.
func TestLay(t *testing.T) {
	back := loop.Back()
	points, _, err := loop.lay(back)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range loop.Edges {
		if from, to := points[e.From], points[e.To]; !back[i] && from.y+from.height >= to.y {
			t.Errorf("the edge from %s to %s does not lead down", loop.Nodes[e.From].Title, loop.Nodes[e.To].Title)
		}
	}
	for i, p := range points {
		for _, q := range points[:i] {
			if p.layer == q.layer && p.x-p.half < q.x+q.half && q.x-q.half < p.x+p.half {
				t.Errorf("points %v and %v overlap", p, q)
			}
		}
	}
}

func TestSVG(t *testing.T) {
	text, err := loop.SVG()
	if err != nil {
		t.Fatal(err)
	}
	boxes := 0
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(xml.StartElement); ok && s.Name.Local == "rect" {
			boxes++
		}
	}
	if boxes != len(loop.Nodes) || strings.Contains(text, "<r1>") || strings.Contains(text, "<loop>") {
		t.Errorf("%d boxes in\n%s", boxes, text)
	}
}

func TestDOT(t *testing.T) {
	text := loop.DOT()
	for _, part := range []string{`n2 [label="left\lmov \"r0\", <r1> & 1\l", class=""];`, `n4 -> n1 [label="", style=dashed, constraint=false];`, `n1 -> n2 [label="yes"];`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
}

// A graph with too many bends is an error.
func TestTooLarge(t *testing.T) {
	g := Graph{Nodes: make([]Node, 2000)}
	for i := range g.Nodes[1:] {
		g.Edges = append(g.Edges, Edge{i, i + 1, ""}, Edge{0, i + 1, ""})
	}
	if _, err := g.SVG(); err == nil {
		t.Error("no error")
	}
}
