package launch_test

import (
	"image/color"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

// TestLaunchFacts has a row for what fragments find at their start: where the pixel is, and what vertices handed on. Numbers
// of vertices, the position, depth and colour have theirs in TestNumbers, TestTriangles, TestDepth and TestRectangle. The
// numbers of exports are those of Mesa's driver.
func TestLaunchFacts(t *testing.T) {
	const head = "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / "
	const vs = "ALLOC POSITION SIZE(0x0) / ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(20, 1) / (S)ALU: MAXv export62 = R1, R1 / " +
		"ALU: MAXv export0 = C0, C0 / ALU: MAXv export1 = C1, C1"
	const buffer = `"buffers": [{"constant": [20, 1], "floats": [-1,-1,0, 3,-1,0, -1,3,0]}]`
	for _, row := range []struct {
		fact, stage, program, fragment, scene string
		want                                  color.NRGBA // of pixel 2,1 of 8 by 4
	}{
		// 2.5/8 and 1.5/4 of 255: 79.69 and 95.63.
		{"R0.xy are the place in the picture, from the left and the top", "fs", head + "ALU: MAXv export0.xy01 = R0, R0", "", `{"size": [8, 4]}`, color.NRGBA{80, 96, 0, 255}},
		// 2.5 and 1.5, times 1/5: 0.5 and 0.3 of 255 are 127.5 and 76.5.
		{"R0.zw are the place in pixels", "fs", head + "ALU: MULv export0.xy01 = R0.zwzw, C0.xxxx", "", `{"size": [8, 4], "fragment": {"constants": {"C0": [0.2]}}}`, color.NRGBA{128, 77, 0, 255}},
		{"parameter 0 is R0 of the fragments", "vs", vs, head + "ALU: MAXv export0 = R0, R0", `{"vertex": {"constants": {"C0": [1,0,0,1], "C1": [0,0,1,1]}}, "size": [8, 4], "indices": [0, 1, 2], ` + buffer + `}`, color.NRGBA{255, 0, 0, 255}},
		{"parameter 1 is R1", "vs", vs, head + "ALU: MAXv export0 = R1, R1", `{"vertex": {"constants": {"C0": [1,0,0,1], "C1": [0,0,1,1]}}, "size": [8, 4], "indices": [0, 1, 2], ` + buffer + `}`, color.NRGBA{0, 0, 255, 255}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			f := files{"s.json": []byte(row.scene)}
			options := map[string][]string{"scene": {"s.json"}}
			if row.fragment != "" {
				f["f.bin"], options["fragment"] = bytesOf(assemble(t, row.fragment)), []string{"f.bin"}
			}
			out := drawnBy(t, row.stage, row.program, f, options)
			if got := out.Picture.(interface{ NRGBAAt(x, y int) color.NRGBA }).NRGBAAt(2, 1); got != row.want || len(out.Findings) > 0 {
				t.Errorf("%v, %v, expected %v", got, out.Findings, row.want)
			}
		})
	}
}

// TestPlaces draws with a description whose inputs and outputs are in other registers.
func TestPlaces(t *testing.T) {
	moved := strings.NewReplacer(`name="vertex" file="R" number="0"`, `name="vertex" file="R" number="4"`,
		`name="parameters" file="R" number="0"`, `name="parameters" file="R" number="2"`,
		`name="parameters" file="export" number="0"`, `name="parameters" file="export" number="5" count="3"`, ` count="16" components="xyzw"`, ` components="xyzw"`,
		`name="position" file="export" number="62"`, `name="position" file="export" number="63"`,
		`name="colour" file="export" number="0" count="4"`, `name="colour" file="export" number="3"`)
	fsys := fstest.MapFS{}
	for _, name := range []string{"a2xx.xml", "alu.xml", "cf.xml", "constant.xml", "fetch.xml", "meaning.xml"} {
		data, err := a2xx.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: []byte(moved.Replace(string(data)))}
	}
	set, err := isa.Load(fsys, "a2xx.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	const vs = "ALLOC POSITION SIZE(0x0) / ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / FETCH: VERTEX R1.xyz1 = R4.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(20, 1) / (S)ALU: MAXv export63 = R1, R1 / " +
		"ALU: MAXv export6 = C1, C1"
	fragment := bytesOf(assemble(t, "ALLOC PARAM/PIXEL SIZE(0x0) / EXEC_END / ALU: MAXv export3 = R3, R3"))
	f := files{"f.bin": fragment, "s.json": []byte(`{"vertex": {"constants": {"C1": [0,0,1,1]}}, "size": [8, 4], "indices": [0, 1, 2], ` +
		`"buffers": [{"constant": [20, 1], "floats": [-1,-1,0, 3,-1,0, -1,3,0]}]}`)}
	r, err := openWith(t, set, m, "vs", vs, f, map[string][]string{"scene": {"s.json"}, "fragment": {"f.bin"}})
	if err != nil {
		t.Fatal(err)
	}
	out := drawn(t, r)
	if got, want := out.Picture.(interface{ NRGBAAt(x, y int) color.NRGBA }).NRGBAAt(2, 1), (color.NRGBA{0, 0, 255, 255}); got != want || len(out.Findings) > 0 {
		t.Errorf("%v, %v, expected %v", got, out.Findings, want)
	}
}
