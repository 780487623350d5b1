package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/target/pica200"
)

// picaRun is a shader with sets of uniforms and the results of two engines of an emulator.
type picaRun struct {
	Type       string `json:"type"`
	Entry      uint64 `json:"entry"`
	OutputMask int    `json:"output_mask"`
	Setups     []struct {
		Floats [][]string `json:"f"`
		Ints   [][]uint64 `json:"i"`
		Bools  []uint64   `json:"b"`
		Cases  []struct {
			Inputs [][]string `json:"v"`
			Interp picaState  `json:"interp"`
			JIT    picaState  `json:"jit"`
		} `json:"cases"`
	} `json:"setups"`
	Reference struct {
		// Engine is both, interp or jit. It names the reliable engines.
		Engine string `json:"engine"`
	} `json:"reference"`
}

// picaState is the state of the shader unit after a run.
type picaState struct {
	Outputs    [][]string `json:"o"`
	Registers  [][]string `json:"r"`
	A0X        int64      `json:"a0x"`
	A0Y        int64      `json:"a0y"`
	AL         int64      `json:"aL"`
	Flags      []uint64   `json:"cmp"`
	Primitives []picaPrim `json:"prims"`
}

// picaPrim is a triangle of a geometry shader.
type picaPrim struct {
	Invert   uint64       `json:"invert"`
	Vertices [][][]string `json:"v"`
}

const picaSuffix = ".json"

// picaShader returns the name of the shader for NAME.json: NAME.v.pica.shbin, or NAME.g.pica.shbin for
// a geometry shader.
func picaShader(file string) string {
	list, _ := filepath.Glob(strings.TrimSuffix(file, picaSuffix) + ".?.pica.shbin")
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// jitTolerance is the relative tolerance for the compiling engine, which adds dot products in another
// order.
const jitTolerance = 1.0 / (1 << 18)

// comparePicaExec runs the vertices of a file. The results must equal those of the interpreter bit for
// bit and those of the compiler within a tolerance, if the file marks them as reliable. A row's name
// is SETUP.CASE ENGINE, with numbers from 0.
func comparePicaExec(file string, k *known, report func(difference)) (rows int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var r picaRun
	if err := json.Unmarshal(data, &r); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	shader, err := os.ReadFile(picaShader(file))
	if err != nil {
		return 0, err
	}
	shbin, err := pica200.ReadSHBIN(shader)
	if err != nil {
		return 0, err
	}
	x, err := newExecutor("pica200")
	if err != nil {
		return 0, err
	}
	c := code{words: shbin.DVLP.Code}
	for _, d := range shbin.DVLP.Descriptors {
		c.table = append(c.table, bits.Of(uint64(d.Value)))
	}
	for i := range r.Setups {
		for n := range r.Setups[i].Cases {
			one := &r.Setups[i].Cases[n]
			for _, e := range []struct {
				name  string
				state *picaState
				same  func(got, want uint64) bool
			}{{"interp", &one.Interp, nil}, {"jit", &one.JIT, within(jitTolerance)}} {
				if r.Reference.Engine != e.name && r.Reference.Engine != "both" {
					continue
				}
				rows++
				err := k.run(fmt.Sprintf("%d.%d %s", i, n, e.name), report, func(quirks map[string]string) (got, want string, err error) {
					run := picaCase{executor: x, picaRun: &r, code: c, setup: i, n: n}
					run.code.quirks = quirks
					return run.compare(e.state, e.same)
				})
				if err != nil {
					return rows, fmt.Errorf("%s: %d.%d: %w", file, i, n, err)
				}
			}
		}
	}
	return rows, nil
}

// picaCase is a run of one vertex or one primitive.
type picaCase struct {
	*executor
	*picaRun
	code     code
	setup, n int
	slots    [3][]uint64
	// triangles are the emitted vertices, three per triangle. The winding precedes each triangle.
	triangles registers
}

func (p *picaCase) compare(state *picaState, same func(got, want uint64) bool) (got, want string, err error) {
	w, err := p.wave(&p.code, 1, p.Entry)
	if err != nil {
		return "", "", err
	}
	p.triangles = registers{}
	w.Services["emit"] = func(call *exec.Call) { p.emit(w, call) }
	s := &p.Setups[p.setup]
	for file, list := range map[string][][]string{"c": s.Floats, "v": s.Cases[p.n].Inputs} {
		for n, texts := range list {
			values, err := float32s(texts)
			if err != nil {
				return "", "", err
			}
			if err := w.set(file+strconv.Itoa(n), values...); err != nil {
				return "", "", err
			}
		}
	}
	for n, values := range s.Ints {
		if err := w.set("i"+strconv.Itoa(n), values...); err != nil {
			return "", "", err
		}
	}
	for n, v := range s.Bools {
		if err := w.set("b"+strconv.Itoa(n), v); err != nil {
			return "", "", err
		}
	}
	if err := w.run(); err != nil {
		return "", "", err
	}
	after := w.snapshot(0, "o", "r", "a0", "aL", "cmp")
	maps.Copy(after, p.triangles)
	expected, err := state.registers()
	if err != nil {
		return "", "", err
	}
	for name := range p.triangles {
		if expected[name] == nil {
			expected[name] = []uint64{}
		}
	}
	got, want, ok := differ(after, expected, same)
	if stop := w.unexpectedStop("end"); stop != "" {
		return got + " " + stop, want, nil
	}
	if ok {
		return "", "", nil
	}
	return got, want, nil
}

// emit stores the outputs of a geometry shader as a vertex and adds a triangle.
func (p *picaCase) emit(w *wave, call *exec.Call) {
	slot, complete, inverted := call.Args[0][0], call.Args[1][0], call.Args[2][0]
	if slot < uint64(len(p.slots)) {
		var v []uint64
		after := w.snapshot(0, "o")
		for n := range 16 {
			if p.OutputMask>>n&1 != 0 {
				v = append(v, after["o"+strconv.Itoa(n)]...)
			}
		}
		p.slots[slot] = v
	}
	if complete == 0 {
		return
	}
	name := fmt.Sprintf("triangle %d", len(p.triangles))
	p.triangles[name] = []uint64{inverted}
	for _, v := range p.slots {
		p.triangles[name] = append(p.triangles[name], v...)
	}
}

// registers converts a state of the emulator to registers.
func (s *picaState) registers() (registers, error) {
	out := registers{
		"a0": {uint64(uint32(s.A0X)), uint64(uint32(s.A0Y))}, "aL": {uint64(uint32(s.AL))}, "cmp": s.Flags,
	}
	var err error
	for file, list := range map[string][][]string{"o": s.Outputs, "r": s.Registers} {
		for n, texts := range list {
			if out[file+strconv.Itoa(n)], err = float32s(texts); err != nil {
				return nil, err
			}
		}
	}
	for i, prim := range s.Primitives {
		name := fmt.Sprintf("triangle %d", i)
		out[name] = []uint64{prim.Invert}
		for _, vertex := range prim.Vertices {
			for _, output := range vertex {
				values, err := float32s(output)
				if err != nil {
					return nil, err
				}
				out[name] = append(out[name], values...)
			}
		}
	}
	return out, nil
}
