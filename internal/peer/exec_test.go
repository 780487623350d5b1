package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/target/pica200"
)

// compared compares a file, with a list of known rows, and returns the output.
func compared(t *testing.T, file, known string) (out string, ok bool) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "known.txt")
	write(t, filepath.Dir(list), "known.txt", known)
	var b strings.Builder
	ok, err := runFile(&b, file, list, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), ok
}

// TestTeslaExec has one row of each form, computed by hand. A row with "wrong" in its op has a false
// result, which must be found.
func TestTeslaExec(t *testing.T) {
	out, ok := compared(t, "testdata/tesla-exec.jsonl", "")
	for _, want := range []string{
		"\n  isago \"wrong sum: r7=00000005\"\n  peer  \"wrong sum: r7=00000006\"\n",
		"\n  isago \"wrong flags: c1=00000000\"\n  peer  \"wrong flags: c1=00000002\"\n",
		"\n  isago \"wrong register: r7=00000005 r9=00000000\"\n  peer  \"wrong register: r7=00000000 r9=00000005\"\n",
		"\n  isago \"wrong half: r7=11110005\"\n  peer  \"wrong half: r7=11110006\"\n",
		"\n  isago \"wrong high word: r11=40080000\"\n  peer  \"wrong high word: r11=40090000\"\n",
		"\n  isago \"wrong memory:  mem=7\"\n  peer  \"wrong memory:  mem=8\"\n",
		"\n  isago \"wrong memory that stays:  mem=7\"\n  peer  \"wrong memory that stays:  \"\n",
		"\n  isago \"wrong lane: r7=40400000\"\n  peer  \"wrong lane: r7=40000000\"\n",
		"16 rows, 8 agree, 0 listed as different, 8 differ",
	} {
		if !strings.Contains("\n"+out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if ok {
		t.Error("wrong rows are ok")
	}
}

// TestExecStops requires that an instruction that traps is a difference, whatever its results are.
func TestExecStops(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "tesla-exec.jsonl", `{"op":"beyond","words":["d185001d","e0c00780"],"chipset":"g200","in":{"r0":"00001000"},"out":{}}`+"\n")
	if out, ok := compared(t, filepath.Join(dir, "tesla-exec.jsonl"), ""); ok || !strings.Contains(out, "trap") {
		t.Errorf("ok %t:\n%s", ok, out)
	}
}

// TestExecMistakes requires that invalid rows are errors with the file and the line.
func TestExecMistakes(t *testing.T) {
	for _, c := range []struct{ file, row, want string }{
		{"tesla-exec.jsonl", `{"words":["xyz"],"chipset":"g200"}`, `word "xyz", expected up to 8 hexadecimal digits`},
		{"tesla-exec.jsonl", `{"words":["2005881c"],"chipset":"g300"}`, `g300`},
		{"tesla-exec.jsonl", `{"words":["2005881c"],"chipset":"g200","dbg":2}`, `dbg 2, expected 0`},
		{"tesla-exec.jsonl", `{"words":["2005881c"],"chipset":"g200","in":{"q4":"0"}}`, `unknown register "q4"`},
		{"tesla-exec.jsonl", `{"words":["2005881c"],"chipset":"g200","in":{"r4":[]}}`, `r4: value [], expected hexadecimal digits or a number`},
		{"a2xx/exec.jsonl", `{"name":"x","stage":"vs","words":["00001001","00002000","00000000"],"regs":{"64":["0"]}}`, `unknown register "R64"`},
		{"a2xx/exec.jsonl", `{"name":"x","stage":"vs","words":["00001001","00002000","00000000"],"exports":[{"export":0,"mask":15,"value":["0"]}]}`, `export 0`},
		{"a2xx/exec.jsonl", `{"name":"x","stage":"vs","words":["0"],"mem":{"-1":"0"}}`, `mem -1: "0", expected a decimal number before the colon and a hexadecimal word after it`},
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(c.file)), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, dir, c.file, c.row+"\n")
		_, err := runFile(&strings.Builder{}, filepath.Join(dir, c.file), "no list", "", 1)
		if err == nil || !strings.Contains(err.Error(), ".jsonl:1: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: error %v, expected %q", c.file, c.row, err, c.want)
		}
	}
}

// TestA2XXExec sets every kind of state. The row once multiplies and adds with one rounding, as the
// quirk mad selects: (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24. Two roundings would lose the 2^-24.
func TestA2XXExec(t *testing.T) {
	const file = "testdata/a2xx/exec.jsonl"
	for _, c := range []struct {
		name, known string
		ok          bool
		out         []string
	}{
		{"not listed", "", false, []string{"once\n  isago \"R0=3a000000,", "5 rows, 4 agree, 0 listed as different, 1 differ"}},
		{"with its quirk", "once\tquirk mad=once\tan early model rounds once\n", true, []string{"5 rows, 4 agree, 1 listed as different, 0 differ"}},
		{"with another", "once\tquirk dot=wxyz\tby mistake\n", false, []string{"once\n  isago", "1 differ", "once is listed as different and agrees"}},
		{"listed in vain", "once\tquirk mad=once\tan early model\nfetch\tquirk mad=once\tnot needed\n", false, []string{"fetch is listed as different and agrees"}},
		{"listed as wrong", "once\tthe peer rounds once\n", true, []string{"1 listed as different, 0 differ"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := compared(t, file, c.known)
			for _, want := range c.out {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			if ok != c.ok {
				t.Errorf("ok is %t:\n%s", ok, out)
			}
		})
	}
	dir := t.TempDir()
	write(t, dir, "known.txt", "once\tquirk nothing=once\tno such quirk\n")
	if _, err := runFile(&strings.Builder{}, file, filepath.Join(dir, "known.txt"), "", 1); err == nil || !strings.Contains(err.Error(), `unknown quirk "nothing"`) {
		t.Errorf("error %v", err)
	}
}

// picaRows writes a shader and its runs. v0 is 1,2,3,4 and c5 is 10 times that.
func picaRows(t *testing.T, dir, kind, source, state string) string {
	t.Helper()
	compiler, err := pica200.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	out, err := compiler.Compile([]*diag.Source{{Name: "x.pica", Text: source}}, program.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "x."+kind+".pica.shbin", string(out.Bytes))
	file, err := pica200.ReadSHBIN(out.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	const zero = `["0","0","0","0"]`
	uniforms := strings.Repeat(zero+",", 5) + `["41200000","41a00000","41f00000","42200000"]`
	text := fmt.Sprintf(`{"entry":%d,"output_mask":1,"reference":{"engine":"both"},"setups":[{"f":[%s],"i":[[2,3,1,0]],"b":[1],
		"cases":[{"v":[["3f800000","40000000","40400000","40800000"]],"interp":%s,"jit":%s}]}]}`, file.DVLEs[0].Entry, uniforms, state, state)
	if !json.Valid([]byte(text)) {
		t.Fatal("no JSON:", text)
	}
	write(t, dir, "x.json", text)
	return filepath.Join(dir, "x.json")
}

func TestPicaExec(t *testing.T) {
	const vertex = ".proc main\nadd r0, c5, v0\nmov o0, r0\nfor i0\nadd r0, c5, r0\n.end\nend\n.end\n"
	// o is 11,22,33,44. r is o plus 3 times 10,20,30,40. aL is 3 plus 1 for each of 3 rounds.
	const right = `{"o":[["41300000","41b00000","42040000","42300000"]],"r":[["42240000","42a40000","42f60000","43240000"]],"aL":6,"a0x":0,"a0y":0,"cmp":[0,0]}`
	// The next float after 41.
	nearly := strings.Replace(right, "42240000", "42240001", 1)
	// A triangle of v0 in all slots. Outputs are written before each emit, because two banks
	// alternate.
	const geometry = ".gsh point c0\n.proc main\nmov o0, v0\nsetemit 0\nemit\nmov o0, v0\nsetemit 1\nemit\nmov o0, v0\nsetemit 2, prim inv\nemit\nend\n.end\n"
	const vertices = `[["3f800000","40000000","40400000","40800000"]]`
	triangle := `{"o":` + vertices + `,"r":[],"aL":0,"a0x":0,"a0y":0,"cmp":[0,0],"prims":[{"invert":1,"v":[` + vertices + `,` + vertices + `,` + vertices + `]}]}`
	for _, c := range []struct {
		name, kind, source, state string
		ok                        bool
		out                       string
	}{
		{"right", "v", vertex, right, true, "2 rows, 2 agree"},
		{"a bit off", "v", vertex, nearly, false, "0.0 interp\n  isago \"r0=42240000"},
		{"a bit off is near for the compiler", "v", vertex, nearly, false, "2 rows, 1 agree"},
		{"wrong counter", "v", vertex, strings.Replace(right, `"aL":6`, `"aL":5`, 1), false, "isago \"aL=00000006\"\n  peer  \"aL=00000005\""},
		{"a triangle", "g", geometry, triangle, true, "2 rows, 2 agree"},
		{"wrong winding", "g", geometry, strings.Replace(triangle, `"invert":1`, `"invert":0`, 1), false, "triangle 0=00000001"},
		{"no triangle", "g", geometry, triangle[:strings.Index(triangle, `,"prims"`)] + "}", false, "triangle 0="},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := compared(t, picaRows(t, t.TempDir(), c.kind, c.source, c.state), "")
			if ok != c.ok || !strings.Contains(out, c.out) {
				t.Errorf("ok is %t, expected %t; the output lacks %q:\n%s", ok, c.ok, c.out, out)
			}
		})
	}
}

func TestRejects(t *testing.T) {
	dir := t.TempDir()
	const loads = `<isa><bitset name="#instruction" size="2"/><bitset name="one" extends="#instruction"><pattern low="0" high="1">00</pattern><display>x</display></bitset></isa>`
	write(t, dir, "a.rejects.txt", `case: not closed
stage: python
message: XMLSyntaxError
xml: <isa>

case: sound
stage: none
message: accepted; gen 45, word 0 prints: x
xml: `+loads+`

case: sound, but refused by Mesa
stage: python
message: made up
xml: `+strings.Replace(loads, `size="2"/>`, `size="2"><pattern pos="1">0</pattern></bitset>`, 1)+`

case: prints otherwise
stage: none
message: accepted; gen 45, word 0 prints: y
xml: `+loads+"\n")
	out, ok := compared(t, filepath.Join(dir, "a.rejects.txt"), "")
	if ok || !strings.Contains(out, "prints otherwise\n  isago \"x\"\n  peer  \"y\"") || !strings.Contains(out, "4 rows, 3 agree") {
		t.Errorf("ok %t:\n%s", ok, out)
	}
}

// TestAll compares a folder file by file and finds the lists by name.
func TestAll(t *testing.T) {
	dir, lists := t.TempDir(), t.TempDir()
	write(t, dir, "README.md", "What the files are.\n")
	write(t, dir, "tiny.xml", tiny)
	write(t, dir, "tiny.jsonl", `{"gen": 0, "word": "0", "text": "inc r0"}`+"\n"+`{"gen": 0, "word": "3", "text": "dec R1"}`+"\n")
	copied, err := os.ReadFile("testdata/a2xx/exec.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "a2xx"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a2xx/exec.jsonl", string(copied))
	write(t, lists, "a2xx-exec.txt", "once\tquirk mad=once\tan early model rounds once\n")
	write(t, lists, "tiny.txt", "3\tthe peer shouts\n")
	var out strings.Builder
	ok, err := runAll(&out, dir, lists, 10)
	if err != nil || ok {
		t.Fatalf("ok %t, error %v:\n%s", ok, err, out.String())
	}
	if want := `3
  isago "dec r1"
  peer  "dec R1"
file                      rows  agree  listed  differ
a2xx/exec.jsonl           5     4      1       0
tiny.jsonl                2     1      1       0
tiny.jsonl --compat mesa  2     1      0       1
all                       9     6      2       1
`; out.String() != want {
		t.Errorf("printed\n%s, expected\n%s", out.String(), want)
	}
	write(t, lists, "tiny-mesa.txt", "3\tthe peer shouts\n")
	if ok, err := runAll(&strings.Builder{}, dir, lists, 10); err != nil || !ok {
		t.Errorf("with both lists: ok %t, error %v", ok, err)
	}
	if _, err := runAll(&out, t.TempDir(), lists, 10); err == nil {
		t.Error("an empty folder is no error")
	}
}
