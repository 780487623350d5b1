package feed_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
)

// A program that copies its first input draws the mesh where the mesh is, whatever the input is called.
func TestMesh(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"mesh.xml": {Data: []byte(`<isa strict="true">
<file name="v" type="f32x4" count="2" use="input"/><file name="o" type="f32x4" count="2" use="output"/><fetch unit="8"/>
<bitset name="#instruction" size="8"><display>copy</display><pattern low="0" high="7">00000000</pattern><semantics>o[0] = v[0];</semantics></bitset>
</isa>`)}}, "mesh.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l, err := exec.Raw(m, []uint32{0}, 8, bits.Value{}, nil)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	mesh, err := feed.ReadMesh(&diag.Source{Name: "corner.obj", Text: "v -1 -1 0\nv 1 -1 0\nv -1 1 0\nf 1 2 3\n"})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	mesh.Width, mesh.Height = 8, 8
	if _, err := mesh.Draw(t.Context(), feed.NewBatch(l), feed.RunOptions{}); err == nil || err.Error() != "no float input of the program is recognised as a position; choose one with --bind NAME=position" {
		t.Errorf("error %v", err)
	}
	mesh.Roles = map[string]string{"v0": "position"}
	if _, err := mesh.Draw(t.Context(), feed.NewBatch(l), feed.RunOptions{Count: 4}); err == nil || err.Error() != "--count 4, expected at most 3, the vertices of the mesh" {
		t.Errorf("error %v", err)
	}
	out, err := mesh.Draw(t.Context(), feed.NewBatch(l), feed.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The triangle is the half of the picture to the lower left.
	if out.Lanes != 3 || out.Picture.At(1, 6) == feed.Background || out.Picture.At(6, 1) != feed.Background {
		t.Errorf("%d lanes, %v and %v", out.Lanes, out.Picture.At(1, 6), out.Picture.At(6, 1))
	}
}
