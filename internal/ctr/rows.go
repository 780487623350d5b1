package ctr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/cfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/vectors"
)

// one is 1.0 in 24 bits.
const one = 0x3f0000

// verify runs the shader of a row on isago, once for each thing that the color shows. It returns a skip if the vector then
// ends in another state than without the shader around it.
func (w *writer) verify(r *row) error {
	code := w.m.Words32(w.root, r.file.DVLP.Code, 0)
	var err error
	for name, value := range r.v.Context {
		if code.Context, err = w.m.Set().ParseContext(code.Context, name, value); err != nil {
			return err
		}
	}
	quirks := map[string]string{}
	maps.Copy(quirks, r.f.Quirks)
	maps.Copy(quirks, r.v.Quirks)
	if code.Quirks, err = w.m.ParseQuirks(quirks); err != nil {
		return err
	}
	code.Tables[0] = nil
	for _, d := range r.file.DVLP.Descriptors {
		code.Tables[0] = append(code.Tables[0], bits.Of(uint64(d.Value)))
	}
	program := exec.NewProgram(w.m, code)
	for _, fill := range []uint64{0, 1} {
		if err := w.verifyWith(r, program, fill); err != nil {
			return err
		}
	}
	return nil
}

// verifyWith verifies a row with a value in the registers that the shader does not set.
func (w *writer) verifyWith(r *row, program *exec.Program, fill uint64) error {
	threshold, other := [4]uint32{one}, [4]uint32{one}
	if fill != 0 {
		other = [4]uint32{0x408000, 0xc04000, 0x418000, 0xbf0000} // 3, -2.5, 6 and -1
	}
	color, err := w.run(r, program, r.shader.Where, threshold, nil, fill)
	if err != nil {
		return err
	}
	if color != [4]uint32{one} {
		return r.differs()
	}
	for i := range r.shows {
		s := &r.shows[i]
		for k := range r.shader.Shows[s.first:s.end] {
			if _, err := w.run(r, program, r.shader.Shows[s.first+k].Boolean, other, s, fill); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs the shader of a row with a boolean uniform set, and returns the color in 24 bits. It returns a skip if a register
// has another value than after the vector.
func (w *writer) run(r *row, program *exec.Program, selected int, threshold [4]uint32, s *show, fill uint64) (color [4]uint32, err error) {
	wave := exec.NewWave(program)
	wave.Budget = 1 << 16
	wave.Start(1, uint64(r.file.DVLEs[0].Entry))
	uploads := append(slices.Clone(r.uploads), upload{boolean, selected, [4]uint32{1}}, upload{attribute, r.shader.Position, [4]uint32{one, one, one, one}})
	if fill != 0 || s == nil {
		uploads = append(uploads, upload{float, r.shader.Threshold, threshold})
	}
	for _, state := range w.m.States {
		if state.Kind != exec.Registers || state.ReadOnly || state.Scope == exec.ScopeInstruction {
			continue
		}
		k, up := uploaded(state)
		for n := range state.Count {
			for c := range state.Type.Lanes {
				v := fill
				if fill == 0 && (!up || k == attribute || k == float) {
					continue // unwritten, so that a read is a finding
				}
				switch {
				case up && k == float: // as the program fills the uniforms that a vector does not name
					v, _ = exec.Parse(strconv.Itoa(n+2), state.Type)
				case up && k != attribute:
					v = 0
				case state.Type.Kind == isa.Float:
					v, _ = exec.Parse(strconv.FormatUint(fill, 10), state.Type)
				}
				wave.Set(state, n, c, 0, v)
			}
		}
		if !up {
			continue
		}
		for _, u := range uploads {
			if u.kind != k {
				continue
			}
			for c := range state.Type.Lanes {
				wave.Set(state, u.number, c, 0, wide(u.values[c], state))
			}
		}
	}
	for wave.RunFor(256); !wave.Done() && wave.Budget > 0; {
		wave.RunFor(256)
	}
	if stops := wave.Stops(); len(stops) != 1 || stops[0].Reason != "end" {
		return color, r.differs()
	}
	for _, f := range wave.Findings() {
		if f.PC < uint64(len(r.v.Words)) && f.State != nil {
			return color, r.differs() // the vector reads a register that it does not name
		}
	}
	if s != nil {
		for c, want := range s.register.Values {
			if s.has[c] {
				want = wide(s.held[c], s.state)
			}
			if got := exec.Canonical(wave.Get(s.state, s.register.Number, c, 0), s.state.Type); got != exec.Canonical(want, s.state.Type) {
				return color, r.differs()
			}
		}
	}
	for _, state := range w.m.States {
		if state.Use != "output" {
			continue
		}
		for _, o := range r.file.DVLEs[0].Outputs {
			for c := range color {
				got, _ := float24(wave.Get(state, int(o.Register), c, 0))
				switch {
				case o.Semantic == pica200.SemanticColor:
					color[c] = got
				case got != one:
					return color, r.differs() // the position
				}
			}
		}
	}
	return color, nil
}

// differs returns the reason why a vector ends in another state with the shader around it.
func (r *row) differs() error {
	switch {
	case r.rounded:
		return skipf("an operand has more than 24 bits")
	case len(r.v.Initial.Stacks) > 0:
		return skipf("it depends on open scopes")
	}
	return skipf("its result depends on state that a program cannot set")
}

// wide returns the bits of a component as the machine holds it.
func wide(x uint32, s *exec.State) uint64 {
	if s.Type.Kind == isa.Float {
		return uint64(math.Float32bits(pica200.Float24(x)))
	}
	return uint64(x)
}

// rows writes the rows of a file.
func (w *writer) rows(f *vectors.File, id string, rows []*row) error {
	head := *f
	head.Vectors = []vectors.Vector{}
	text, err := json.Marshal(&head)
	if err != nil {
		return err
	}
	text, ok := bytes.CutSuffix(text, []byte("]}"))
	if !ok {
		return errors.New("the JSON of a file does not end with its vectors")
	}
	var b, table bytes.Buffer
	fmt.Fprintf(&b, "/* Vectors of %s. isago vectors --format 3ds wrote this file. */\n#include \"vectors.h\"\n\n", strings.ReplaceAll(f.Instruction, "*/", "* /"))
	pieces(&b, "head", text)
	count := 0
	for i, r := range rows {
		w.report.Rows++
		if r.end {
			w.report.Ends++
		}
		if !r.used {
			r.used, r.number = true, count
			count++
			w.shader(&b, id, r, rows)
		}
		text, err := json.Marshal(r.v)
		if err != nil {
			return err
		}
		pieces(&b, fmt.Sprintf("json_%d", i), bytes.TrimSuffix(text, []byte("}")))
		fmt.Fprintf(&b, "static const struct upload uploads_%d[] = {\n", i)
		for _, u := range r.uploads {
			fmt.Fprintf(&b, "\t{%d, %d, {0x%x, 0x%x, 0x%x, 0x%x}},\n", u.kind, u.number, u.values[0], u.values[1], u.values[2], u.values[3])
		}
		fmt.Fprintf(&b, "};\nstatic const struct show shows_%d[] = {\n", i)
		for k := range r.shows {
			r.shows[k].write(&b, r.shader.Shows)
		}
		if len(r.shows) == 0 {
			b.WriteString("\t{\"\", 0, 0, 0, 0, 0, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0},\n")
		}
		b.WriteString("};\n")
		fmt.Fprintf(&table, "\t{%s, json_%d, &shader_%d, uploads_%d, shows_%d, %d, %d, %d, %d},\n", cfile.Literal(r.v.Name), i, r.number, i, i, len(r.uploads), len(r.shows), r.here(), r.fell)
	}
	fmt.Fprintf(&b, "static const struct row rows[] = {\n%s};\n\nextern const struct file file_%s;\nconst struct file file_%s = {%s, head, rows, %d};\n", table.Bytes(), id, id, cfile.Literal(id), len(rows))
	w.out = append(w.out, cfile.File{Name: "source/" + id + ".c", Data: b.Bytes()})
	return nil
}

// here returns the address where a vector continues, or where it stopped.
func (r *row) here() uint64 { return r.v.Final.PC }

// shader writes the shader of some rows as C, and its source as a file.
func (w *writer) shader(b *bytes.Buffer, id string, r *row, rows []*row) {
	var names []string
	for _, x := range rows {
		if x.assembled == r.assembled {
			names = append(names, x.v.Name)
		}
	}
	source := "; isago vectors --format 3ds wrote this file. Vectors: " + strings.Join(names, ", ") + "\n" + r.source
	w.out = append(w.out, cfile.File{Name: fmt.Sprintf("shaders/%s_%d.v.pica", id, r.number), Data: []byte(source)})
	fmt.Fprintf(b, "static const uint32_t shbin_%d[] = {\n", r.number)
	words := make([]uint32, (len(r.data)+3)/4)
	for i, c := range r.data {
		words[i/4] |= uint32(c) << (8 * (i % 4))
	}
	for i, x := range words {
		sep := " "
		if i%8 == 0 {
			sep = "\t"
		}
		fmt.Fprintf(b, "%s0x%x,", sep, x)
		if i%8 == 7 || i == len(words)-1 {
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(b, "};\nstatic const struct shader shader_%d = {shbin_%d, %d, %d, %d, %d, %d};\n", r.number, r.number, len(r.data), r.shader.Position, r.shader.Go, r.shader.Where, r.shader.Threshold)
}

// write writes how the program shows a register.
func (s *show) write(b *bytes.Buffer, pieces []piece) {
	shown, number := "VALUES", s.register.Number
	switch s.state.Type.Kind {
	case isa.Bool:
		shown = "FLAGS"
	case isa.Signed:
		shown = "ADDRESS"
	}
	if s.register.Single {
		number = -1
	}
	vector := 0
	if s.register.Vector {
		vector = 1
	}
	var booleans, expected [4]uint64
	for k, p := range pieces[s.first:s.end] {
		booleans[k] = uint64(p.Boolean)
	}
	copy(expected[:], s.register.Values)
	has := 0
	for c, ok := range s.has {
		if ok {
			has |= 1 << c
		}
	}
	list := func(x [4]uint64) string { return fmt.Sprintf("{0x%x, 0x%x, 0x%x, 0x%x}", x[0], x[1], x[2], x[3]) }
	fmt.Fprintf(b, "\t{%s, %d, %s, %d, %d, %d, %s, %s, {0x%x, 0x%x, 0x%x, 0x%x}, %d},\n", cfile.Literal(s.register.Name), number, shown, len(s.register.Values), vector, (s.register.Bits+3)/4, list(booleans), list(expected), s.held[0], s.held[1], s.held[2], s.held[3], has)
}

// pieces writes a text as an array of string literals, which have a maximum length.
func pieces(b *bytes.Buffer, name string, text []byte) {
	fmt.Fprintf(b, "static const char *const %s[] = {\n", name)
	for part := range slices.Chunk(text, 1000) {
		fmt.Fprintf(b, "\t%s,\n", cfile.Literal(string(part)))
	}
	b.WriteString("\t0\n};\n")
}
