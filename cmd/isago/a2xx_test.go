package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/internal/xenostest"
)

var manyListings = flag.Int("listings", 8, "number of random programs in TestA2XXListings")

// TestA2XXListings lists programs that no assembler would write, for both stages and in both syntaxes. It assembles the listings
// unchanged, without the stage on the command line.
func TestA2XXListings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range *manyListings {
		data := a2xxProgram(rnd)
		syntax, stage := []string{"fdasm", "mesa"}[i%2], []string{"vs", "fs"}[i/2%2]
		order := []string{"little", "big"}[i/4%2]
		var listing, back, errs bytes.Buffer
		run([]string{"dis", "--isa", "a2xx", "--syntax", syntax, "--stage", stage, "--order", order, "--lossless", "-"}, bytes.NewReader(data), &listing, &errs)
		text := listing.String()
		status := run([]string{"asm", "--isa", "a2xx", "--syntax", syntax, "--no-warn", "all", "-o", "-", "-"}, &listing, &back, &errs)
		if status != exitOK || !bytes.Equal(back.Bytes(), data) {
			t.Fatalf("%x\nis listed as\n%s\nwhich becomes\n%x\n%s", data, text, back.Bytes(), errs.String())
		}
	}
}

// TestXenosFilesComeBack prints shader files of the Xbox 360, with names that source has to change, as source in each syntax and as
// listings. Assembling the text returns the words in the order of the file.
func TestXenosFilesComeBack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for i := range 2 * *manyListings {
		data := a2xxProgram(rnd)
		data = data[:len(data)&^3]
		s := xenostest.Shader{Vertex: i%2 == 0, Constants: []xenostest.Constant{
			{Name: "$WorldViewProj", Set: 2, Count: 64}, {Name: "light[0].dir\n; x", Set: 2, First: 64, Count: 64}, {Name: "SIZE", Set: 3, Count: 8}, {Name: "é", Set: 1, Count: 32},
		}}
		for ; len(data) > 0; data = data[4:] {
			s.Words = append(s.Words, binary.LittleEndian.Uint32(data))
		}
		for i := range 4 {
			flags, syntax := []string{"dis", "-"}, []string{"asm", "--isa", "a2xx", "--no-warn", "all", "-o", "-", "-"}
			if i%2 == 1 {
				flags = append(flags, "--lossless")
			}
			if i/2 == 1 {
				flags, syntax = append(flags, "--syntax", "mesa"), append(syntax, "--syntax", "mesa")
			}
			var text, back, errs bytes.Buffer
			run(flags, bytes.NewReader(s.File()), &text, &errs)
			source := text.String()
			status := run(syntax, &text, &back, &errs)
			var want []byte
			for _, w := range s.Words {
				want = binary.BigEndian.AppendUint32(want, w)
			}
			if status != exitOK || !bytes.Equal(back.Bytes(), want) {
				t.Fatalf("%q: %08x\nis listed as\n%s\nwhich becomes\n%x\n%s", flags, s.Words, source, back.Bytes(), errs.String())
			}
		}
	}
}

// TestXenosFacts checks what an instruction reads if the second operand of its scalar half is in one slot on Xenos and in another
// on Adreno. Slots x, y, z and w of R3.yxzx are y, x, z and x: the vector half reads only slot x, the scalar half w, and x or z.
func TestXenosFacts(t *testing.T) {
	source := "ALLOC POSITION SIZE(0x0)\nEXEC_END\nALU: MULADDv export62.x___ = R3.yxzx, R1, R1\nSUBs export62.___w = R3.yxzx\n"
	var raw, errs bytes.Buffer
	if run([]string{"asm", "--isa", "a2xx", "-o", "-", "-"}, strings.NewReader(source), &raw, &errs) != exitOK {
		t.Fatal(errs.String())
	}
	s := xenostest.Shader{Vertex: true}
	for data := raw.Bytes(); len(data) > 0; data = data[4:] {
		s.Words = append(s.Words, binary.LittleEndian.Uint32(data))
	}
	for _, c := range []struct {
		flags []string
		file  []byte
		want  string
	}{
		{[]string{"--isa", "a2xx"}, raw.Bytes(), `"components":["x","y"]`},
		{nil, s.File(), `"components":["x","y","z"]`},
		{[]string{"--isa", "a2xx"}, s.Code(), `"components":["x","y","z"]`},
		{[]string{"--isa", "a2xx", "--order", "big"}, s.Code(), `"components":["x","y","z"]`},
	} {
		var out bytes.Buffer
		if status := run(append([]string{"dis", "--json", "--facts", "-"}, c.flags...), bytes.NewReader(c.file), &out, &errs); status != exitOK {
			t.Fatal(errs.String())
		}
		if text := out.String(); !strings.Contains(text, `{"state":"R","number":3,`+c.want) {
			t.Errorf("%q: R3 is not read as %s in\n%s", c.flags, c.want, text)
		}
	}
}

// TestXenosRawLint lints raw code that reads an unwritten component: as in TestXenosFacts, only Xenos reads slot z of R20. lint
// treats input in the byte order of Xenos, code or source, as Xenos code.
func TestXenosRawLint(t *testing.T) {
	source := "ALLOC POSITION SIZE(0x0)\nEXEC_END\nALU: MAXv R20.xy__ = R1, R1\nALU: MULADDv export62.x___ = R20.yxzx, R1, R1\nSUBs export62.___w = R20.yxzx\n"
	for head, want := range map[string]string{"": "", ".isago big-endian\n": "R20.z"} {
		var raw, errs bytes.Buffer
		if run([]string{"asm", "--isa", "a2xx", "--no-warn", "all", "-o", "-", "-"}, strings.NewReader(head+source), &raw, &errs) != exitOK {
			t.Fatal(errs.String())
		}
		for _, in := range []string{raw.String(), head + source} {
			var out bytes.Buffer
			status := run([]string{"lint", "--isa", "a2xx", "-"}, strings.NewReader(in), &out, &errs)
			if status != map[bool]int{true: exitOK, false: exitFindings}[want == ""] || !strings.Contains(out.String(), want) {
				t.Errorf("%q: status %d, %s%s", in, status, out.String(), errs.String())
			}
		}
	}
}

// TestXenosLint reports the fetches that the runtime patches that the file does not list. Such a fetch does not end the program.
func TestXenosLint(t *testing.T) {
	source := "EXEC\nFETCH: VERTEX R1.xyzw = R0.x FMT_1_REVERSE UNSIGNED STRIDE(0) CONST(31, 2)\nALLOC POSITION SIZE(0x0)\nEXEC_END\n(S)ALU: MAXv export62 = R1, R1\n"
	for _, c := range []struct {
		elements []xenostest.Semantic
		status   int
		want     string
	}{
		{xenostest.Semantics([3]int{0, 0, 2}), exitOK, ""},
		{xenostest.Semantics([3]int{0, 0, 3}), exitFindings, "<stdin>@0x18: warning: FMT_1_REVERSE of CONST(31, 2) is a placeholder, which a runtime patches before it draws [unpatched-fetch]"},
	} {
		var raw, out, errs bytes.Buffer
		if run([]string{"asm", "--isa", "a2xx", "--no-warn", "all", "-o", "-", "-"}, strings.NewReader(source), &raw, &errs) != exitOK {
			t.Fatal(errs.String())
		}
		s := xenostest.Shader{Vertex: true, Elements: c.elements}
		for data := raw.Bytes(); len(data) > 0; data = data[4:] {
			s.Words = append(s.Words, binary.LittleEndian.Uint32(data))
		}
		status := run([]string{"lint", "-"}, bytes.NewReader(s.File()), &out, &errs)
		if got, _, _ := strings.Cut(out.String(), "\n"); status != c.status || got != c.want || strings.Count(out.String(), "warning") > 1 {
			t.Errorf("status %d: %s%s", status, out.String(), errs.String())
		}
	}
}

// a2xxProgram returns a program of random words. Most of its first clauses run instructions inside the program.
func a2xxProgram(rnd *rand.Rand) []byte {
	units := rnd.IntN(16)
	data := make([]byte, 12*units+rnd.IntN(12))
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	clauses := 2 * (1 + rnd.IntN(3))
	for i := range clauses {
		if 6*i+6 > len(data) {
			break
		}
		var b [8]byte
		word := rnd.Uint64() & rnd.Uint64() & (1<<44 - 1) &^ 0x7fff
		word |= uint64(clauses/2+rnd.IntN(units+1)) | uint64(rnd.IntN(8))<<12 | rnd.Uint64()<<44
		binary.LittleEndian.PutUint64(b[:], word)
		copy(data[6*i:], b[:6])
	}
	return data
}
