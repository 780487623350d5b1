package pica200_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

func assemblerFor(t *testing.T) *pica200.Assembler {
	t.Helper()
	set, err := pica200.Load(isa.Options{Syntax: "picasso"})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	a, err := pica200.NewAssembler(set)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// program has each kind of block, a procedure, an alias with a swizzle, relative addressing and
// every kind of declaration.
const program = `
.fvec bones[4], scale
.bool lit
.ivec count
.constf k(0.0, 1.0, 2.0, -0.5)
.alias second k.yyyy
.in position
.out o_pos position
.out o_col color.xyz

.proc helper
	add r0, second, r0
	mul r0.xy, -k.z, r0
.end

.proc main
	mov r0, position
	mova a0.x, r0.w
	dp4 r1.x, bones[a0.x+1], r0
	for count
		add r1, bones[aL], r1
		cmp r1.x, gt, lt, r0
		breakc cmp.x && !cmp.y
	.end
	ifu lit
		call helper
	.else
		mov r0, scale
	.end
	ifc cmp.x
		mad r0, r0, scale, r1
	.end
	jmpu !lit, last
	nop
last:
	mov o_pos, r0
	mov o_col.xyz, r1
	end
.end
`

// A program assembles; its file reads and is written again to the same bytes; and its disassembly
// as source assembles to the same bytes.
func TestSourceComesBack(t *testing.T) {
	a := assemblerFor(t)
	out, err := a.Assemble([]*diag.Source{{Name: "program.pica", Text: program}}, pica200.AssembleOptions{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	sameBack(t, a, out.Bytes)
	light, err := os.ReadFile("../../examples/pica200/light.shbin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := pica200.ReadSHBIN(light)
	if err != nil {
		t.Fatal(err)
	}
	written, err := pica200.WriteSHBIN(f)
	if err != nil || !bytes.Equal(written, light) {
		t.Errorf("light.shbin is not written as it was read: %v", err)
	}
}

func sameBack(t *testing.T, a *pica200.Assembler, want []byte) {
	t.Helper()
	f, err := pica200.ReadSHBIN(want)
	if err != nil {
		t.Fatal(err)
	}
	written, err := pica200.WriteSHBIN(f)
	if err != nil || !bytes.Equal(written, want) {
		t.Errorf("the file is not written as it was read: %v", err)
	}
	source, err := a.Source(want)
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Assemble([]*diag.Source{{Name: "source.pica", Text: string(source)}}, pica200.AssembleOptions{})
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err), source)
	}
	if !bytes.Equal(out.Bytes, want) {
		t.Errorf("the source gives other bytes:\n%s", source)
	}
}

// What picasso takes in silence is refused where it is wrong, all of it at once.
func TestSourceRefused(t *testing.T) {
	a := assemblerFor(t)
	_, err := a.Assemble([]*diag.Source{{Name: "x.pica", Text: ".proc main\n\tmov r16, r0\n\tadd r0, r1, c1\n\tmov r0, nothing\n\tend\n.end\n"}}, pica200.AssembleOptions{})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, line := range []string{"x.pica:2:", "x.pica:3:", "x.pica:4:"} {
		if !strings.Contains(err.Error(), line) {
			t.Errorf("no error at %s in:\n%v", line, err)
		}
	}
}

// TestReadable checks what source does for its reader: a constant's value stands behind the line that reads it, but
// not where an address register is added; outputs of one meaning are numbered; a destination of one component has
// sources of one.
func TestReadable(t *testing.T) {
	a := assemblerFor(t)
	const shader = `.in p
.fvec view[2]
.constf k(1, 2.5, 0, -3)
.constfa t[2]
.constfa (2, 0, 0, 0)
.end
.consti n(3, 0, 1, 0)
.setb b2 true
.out o position
.out - dummy
.out d dummy.x
.out e dummy.y
.proc main
	mov r0, k
	mov r1.x, -k.w
	add r2.xy, k.ywww, p
	mul r3, t[1], r0.y
	mov r4, t[aL+1]
	dp4 r5.x, view[0], p
	dp4 r5.w, view[1], p
	dp3 r6.x, r1, r2
	mov r7.x, r1.x
	for n
		ifu b2
			mov e, r0
		.end
	.end
	mov o, r5
	end
.end
`
	out, err := a.Assemble([]*diag.Source{{Name: "x.pica", Text: shader}}, pica200.AssembleOptions{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	sameBack(t, a, out.Bytes)
	text, err := a.Source(out.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n.out out_dummy dummy\n", "\n.out out_dummy2 dummy.x\n", "\n.out out_dummy3 dummy.y\n",
		"\n\tmov r0, constf95\t; (1.0, 2.5, 0.0, -3.0)\n",
		"\n\tmov r1.x, -constf95.w\t; -3.0\n",
		"\n\tadd r2.xy, constf95.yw, p\t; 2.5, -3.0\n",
		"\n\tmul r3, constf93[1], r0.y\t; (0.0, 0.0, 0.0, 0.0)\n",
		"\n\tmov r4, constf93[aL+1]\n",
		"\n\tdp4 r5.x, view[0], p\n\tdp4 r5.w, view[1], p\n",
		"\n\tdp3 r6.x, r1, r2\n\tmov r7.x, r1.x\n", // which share a descriptor
		"\n\tfor consti3\t; (3, 0, 1, 0)\n\t\tifu b2\t; true\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestForeign checks what stands in the source of files that other tools have written: what picasso
// never writes has a line of its own, so that the source can be changed, and nothing is patched.
func TestForeign(t *testing.T) {
	a := assemblerFor(t)
	const shader = ".in p\n.in q\n.fvec m[4], n\n.out o position\n.proc main\nmov o, m[2]\nend\n.end\n"
	const emitting = ".proc main\nsetemit 1\nemit\nend\n.end\n"
	for _, x := range []struct {
		name, shader string
		change       func(*pica200.SHBIN, *pica200.DVLE)
		want         []string
	}{
		{"picasso's", shader, func(*pica200.SHBIN, *pica200.DVLE) {}, nil},
		{"an array of constants", ".constf k(1,0,0,0)\n.constfa t[2]\n.constfa (2,0,0,0)\n.end\n.out o position\n.proc main\nmov o, t[aL+1]\nmov r0, k\nend\n.end\n", func(*pica200.SHBIN, *pica200.DVLE) {},
			[]string{".constf constf95(1.0, 0.0, 0.0, 0.0)", ".constfa constf93[]", "\t.constfa (2.0, 0.0, 0.0, 0.0)", "\t.constfa (0.0, 0.0, 0.0, 0.0)", "\tmov out_position, constf93[aL+1]"}},
		{"a version", shader, func(f *pica200.SHBIN, _ *pica200.DVLE) { f.DVLP.Version = 0x102 }, []string{".isago version 0x102"}},
		{"the header of picasso before 2.6", shader, func(_ *pica200.SHBIN, d *pica200.DVLE) { d.Word04, d.InputMask, d.OutputMask = 0, 0, 0 },
			[]string{".isago header 0x0000 0 0 0x0 0x0"}},
		{"inputs and outputs without names", shader, func(_ *pica200.SHBIN, d *pica200.DVLE) { d.InputMask, d.OutputMask = 0xff, 0x83 },
			[]string{".isago header 0x1002 0 0 0xff 0x83"}},
		{"merged outputs", shader, func(_ *pica200.SHBIN, d *pica200.DVLE) { d.MergeOutmaps = 1 }, []string{".isago header 0x1002 0 1 0x3 0x1"}},
		{"an unknown type", shader, func(_ *pica200.SHBIN, d *pica200.DVLE) { d.Type = 7 }, []string{".isago header 0x1002 7 0 0x3 0x1"}},
		{"a vertex shader that emits", emitting, func(_ *pica200.SHBIN, d *pica200.DVLE) { d.Type = pica200.VertexShader },
			[]string{".isago header 0x1002 0 0 0x0 0x0"}},
		{"uniforms as they were declared", shader, func(_ *pica200.SHBIN, d *pica200.DVLE) {
			u := d.Uniforms
			u[0], u[3] = u[3], u[0]
			d.Symbols = "n\x00q\x00m\x00p\x00"
			for i := range u {
				u[i].SymbolOffset = uint32(2 * i)
			}
		}, []string{".isago unsorted", ".fvec n@c4"}},
		{"second words of descriptors", shader, func(f *pica200.SHBIN, _ *pica200.DVLE) { f.DVLP.Descriptors[0].Second = 0x10 },
			[]string{".isago desc 0 0x0000036f 0x00000010"}},
		{"an entry inside", shader, func(_ *pica200.SHBIN, d *pica200.DVLE) { d.Entry = 5 }, []string{".isago entry 5 2"}},
		{"something after the end", shader, func(f *pica200.SHBIN, d *pica200.DVLE) {
			f.Gaps = append(f.Gaps, pica200.Gap{Offset: int64(d.Offset + d.SymbolTable.Offset + d.SymbolTable.Count), Bytes: []byte("a.vsh\x00")})
		}, []string{".isago append 612e76736800"}},
	} {
		out, err := a.Assemble([]*diag.Source{{Name: x.name, Text: x.shader}}, pica200.AssembleOptions{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		x.change(out.File, &out.File.DVLEs[0])
		data, err := pica200.WriteSHBIN(out.File)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		sameBack(t, a, data)
		source, err := a.Source(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range x.want {
			if !strings.Contains(string(source), line+"\n") {
				t.Errorf("%s: no line %s in\n%s", x.name, line, source)
			}
		}
		if strings.Contains(string(source), ".isago patch") || x.want == nil && strings.Contains(string(source), ".isago") {
			t.Errorf("%s:\n%s", x.name, source)
		}
	}
}

// TestNihstro reads a file as nihstro lays it out (its assembler and shader_binary.h): one program,
// whose header stands right behind that of the DVLP, which has 28 bytes; then the code, the descriptors
// and the tables of outputs, constants, uniforms, labels and symbols. Its source says so in one line,
// and can be changed.
func TestNihstro(t *testing.T) {
	b := &shbinBuilder{}
	b.at(0x00).str("DVLB").u32(1, 0x28)
	b.at(0x0c).str("DVLP").u32(0, 0x5c, 2, 0x64, 1, 0)
	b.at(0x28).str("DVLE").u16(0).u8(0, 0).u32(0, 0, 0, 0)
	b.at(0x40).u32(0x58, 1, 0x7c, 1, 0x50, 1, 0x6c, 2, 0x8c, 11)
	b.at(0x68).u32(0x4c020000, 0x88000000)      // mov o0, c0; end
	b.at(0x70).u32(0x36f, 0)                    // a descriptor
	b.at(0x78).u16(0, 0).u8(0xf, 0, 0, 0)       // o0 is the position
	b.at(0x80).u16(2, 8).u32(0x3f0000, 0, 0, 0) // c8 is (1, 0, 0, 0)
	b.at(0x94).u32(0).u16(0x11, 0x11)           // m, c1
	b.at(0x9c).u32(2).u16(0x10, 0x10)           // mvp, c0
	b.at(0xa4).u8(0, 0, 0, 0).u32(0, 0, 6)      // main
	b.at(0xb4).str("m\x00mvp\x00main\x00")
	data := b.data
	f, err := pica200.ReadSHBIN(data)
	if err != nil {
		t.Fatal(err)
	}
	if !f.DVLP.Short || f.Gaps != nil || f.DVLEs[0].Labels[0].Name != "main" || f.DVLEs[0].Uniforms[0].Name != "m" {
		t.Errorf("%+v", f)
	}
	if again, err := pica200.WriteSHBIN(f); err != nil || !bytes.Equal(again, data) {
		t.Errorf("written as %x, %v\nexpected %x", again, err, data)
	}
	a := assemblerFor(t)
	sameBack(t, a, data)
	source, err := a.Source(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".isago like-nihstro\n", ".isago unsorted\n", "mov out_position, mvp\n"} {
		if !strings.Contains(string(source), want) {
			t.Errorf("no %s in\n%s", want, source)
		}
	}
	for _, bad := range []string{".isago patch", ".isago size", ".isago append"} {
		if strings.Contains(string(source), bad) {
			t.Errorf("%s in\n%s", bad, source)
		}
	}
}

// TestEmittingUnits checks in which file of the source a procedure with setemit stands: in that of a
// geometry shader where there is one, since it makes one of its file, whoever calls it.
func TestEmittingUnits(t *testing.T) {
	a := assemblerFor(t)
	const (
		vertex   = ".fvec a\n.entry v\n.proc v\nmov o0, a\nend\n.end\n"
		geometry = ".gsh point c4\n.fvec b\n.entry g\n.proc g\nmov o0, b\nend\n.end\n"
		calling  = ".gsh point c4\n.fvec b\n.entry g\n.proc g\nmov o0, b\ncall e\nend\n.end\n"
		emitter  = ".nodvle\n.proc e\nsetemit 2, prim\nemit\n.end\n"
		both     = ".entry g\n.proc g\nsetemit 0\nemit\nend\n.end\n"
	)
	for _, x := range []struct {
		name  string
		files []string
		file  string // in which setemit stands
		extra string // a line that says what the file does not
	}{
		{"a geometry shader without .gsh", []string{both}, "0", ""},
		{"behind a vertex shader", []string{vertex, both}, "1", ""},
		{"before a vertex shader", []string{both, vertex}, "0", ""},
		{"called by a later shader", []string{emitter, calling}, "0", ""},
		{"called by an earlier shader", []string{calling, emitter}, "0", ""},
		{"between vertex and geometry shader", []string{vertex, emitter, calling}, "1", ""},
		{"behind the vertex shader that is after it", []string{calling, vertex, emitter}, "0", ""},
		{"called by none, beside a geometry shader", []string{vertex, emitter, geometry}, "1", ""},
		{"called by none, without one", []string{vertex, emitter}, "0", ".isago header 0x1002 0 0 0x0 0x0"},
	} {
		var files []*diag.Source
		for i, text := range x.files {
			files = append(files, &diag.Source{Name: string(rune('a' + i)), Text: text})
		}
		out, err := a.Assemble(files, pica200.AssembleOptions{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		sameBack(t, a, out.Bytes)
		source, err := a.Source(out.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		text, file := string(source), "0"
		before, _, _ := strings.Cut(text, "setemit")
		if i := strings.LastIndex(before, ".isago file "); i >= 0 {
			file = before[i+len(".isago file "):][:1]
		}
		if file != x.file {
			t.Errorf("%s: setemit is in file %s, expected %s:\n%s", x.name, file, x.file, text)
		}
		if strings.Contains(text, ".isago patch") || strings.Contains(text, ".isago header") != (x.extra != "") || !strings.Contains(text, x.extra) {
			t.Errorf("%s:\n%s", x.name, text)
		}
	}
}

// TestSourceFloats checks that constants are printed as what they are, or as the shortest numbers that give them again. Of
// pi 16 bits of mantissa are kept: 3.1415710 to 3.1416015 are one number, and 3.1416 is among them; of
// 1/255 0.00392156839 (65793/2^24) to 0.00392162800.
func TestSourceFloats(t *testing.T) {
	a := assemblerFor(t)
	for text, want := range map[string]string{
		"0": "0.0", "-0": "-0.0", "1": "1.0", "250": "250.0", "65535": "65535.0", "0.001": "0.001", "0.1": "0.1", "-0.25": "-0.25", "1e-5": "1e-05",
		"0.3": "0.3", "3.14159": "3.1416", "0.00392156862745098": "0.0039216", "1e12": "1e+12", "-inf": "-inf", "f24:7f8000": "f24:7f8000", "f24:1": "f24:1",
		"0.0078125": "0.0078125", "0.00390625": "0.00390625", "100.0625": "100.0625", "1234944": "1.234944e+06", // 1/128, 1/256, 1601/16, 19296 * 64
	} {
		out, err := a.Assemble([]*diag.Source{{Name: "k", Text: ".constf k(" + text + ", 0, 0, 0)\n.proc main\nend\n.end\n"}}, pica200.AssembleOptions{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		sameBack(t, a, out.Bytes)
		source, err := a.Source(out.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), "("+want+", 0.0, 0.0, 0.0)") {
			t.Errorf("%s comes back in\n%s\nexpected %s", text, source, want)
		}
	}
}
