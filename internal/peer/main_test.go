package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A machine with 2-bit words. The high bit selects inc or dec, and the low bit is the register.
const tiny = `<isa>
<bitset name="#instruction" size="2"/>
<bitset name="inc" extends="#instruction"><display>{NAME} r{R}</display><pattern pos="1">0</pattern><field name="R" pos="0" type="uint"/></bitset>
<bitset name="dec" extends="#instruction"><display>{NAME} r{R}</display><pattern pos="1">1</pattern><field name="R" pos="0" type="uint"/></bitset>
</isa>`

func TestRows(t *testing.T) {
	const agree = `{"gen": 0, "word": "0", "text": "inc r0"}` + "\n" + `{"gen": 0, "word": "3", "text": "dec r1"}` + "\n"
	const wrong = `{"gen": 0, "word": "2", "text": "dec R0"}` + "\n"
	for _, c := range []struct {
		name, rows, known string
		ok                bool
		out               string
	}{
		{"all agree", agree, "", true, "2 rows, 2 agree, 0 listed as different, 0 differ"},
		{"one differs", agree + wrong, "", false, "3 rows, 2 agree, 0 listed as different, 1 differ"},
		{"one is listed", agree + wrong, "2\tthe peer shouts\n", true, "3 rows, 2 agree, 1 listed as different, 0 differ"},
		{"a listed row agrees", agree, "# mended since\n2\tthe peer shouts\n", false, "2 is listed as different and agrees"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "tiny.xml", tiny)
			write(t, dir, "tiny.jsonl", c.rows)
			known := filepath.Join(dir, "known.txt")
			if c.known != "" {
				write(t, dir, "known.txt", c.known)
			}
			var out strings.Builder
			ok, err := runFile(&out, filepath.Join(dir, "tiny.jsonl"), known, "", 10)
			if err != nil {
				t.Fatal(err)
			}
			if ok != c.ok || !strings.Contains(out.String(), c.out) {
				t.Errorf("ok is %t, expected %t; the output lacks %q:\n%s", ok, c.ok, c.out, out.String())
			}
		})
	}
}

// TestKnownNeedsReasons requires a reason after each row that may differ.
func TestKnownNeedsReasons(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "known.txt", "# comment\n00000001\n")
	_, err := readKnown(filepath.Join(dir, "known.txt"))
	if err == nil || !strings.Contains(err.Error(), `known.txt:2: "00000001", expected ROW<tab>REASON`) {
		t.Errorf("error %v", err)
	}
}

func TestShader(t *testing.T) {
	var out strings.Builder
	ok, err := runFile(&out, "../../examples/pica200/light.shbin", "no list", "", 10)
	if err != nil || !ok || !strings.Contains(out.String(), "25 rows, 25 agree") {
		t.Errorf("ok %t, error %v:\n%s", ok, err, out.String())
	}
}

// TestMesa compares the smallest fragment shader, with two clauses and one instruction.
func TestMesa(t *testing.T) {
	dir := t.TempDir()
	var words []byte
	for _, w := range []uint32{0, 0x1001c400, 0x20000002, 0x000f8000, 0, 0x02000000} {
		words = binary.LittleEndian.AppendUint32(words, w)
	}
	write(t, dir, "one.fs.bin", string(words))
	const text = "\tALLOC PARAM/PIXEL SIZE(0x0)\n\tEXEC_END ADDR(0x1) CNT(0x1)\n\t   (S)ALU:\tMAXv\texport0 = C0, C0\t; gl_FragColor\n"
	for _, c := range []struct {
		text, out string
		ok        bool
	}{
		{text, "5 rows, 5 agree", true},
		{strings.Replace(text, "C0, C0", "C0, C1", 1), "5 rows, 3 agree, 0 listed as different, 2 differ", false},
		{strings.Replace(text, "ALLOC", "ALOC", 1), "5 rows, 3 agree, 0 listed as different, 2 differ", false},
	} {
		write(t, dir, "one.fs.mesa.txt", c.text)
		var out strings.Builder
		ok, err := runFile(&out, filepath.Join(dir, "one.fs.bin"), "no list", "", 10)
		if err != nil || ok != c.ok || !strings.Contains(out.String(), c.out) {
			t.Errorf("ok %t, error %v, expected %q:\n%s", ok, err, c.out, out.String())
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestListing has a listing that agrees, one that differs, and a text that assembles to another word.
func TestListing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "tegra-diff.jsonl", `{"words":["001f806c","0000000d","8006c003","60001ffc"],"dis":"EXEC(export[31]=scalar)(cr=0)(p.xyzw)\n\tNOPv \n\tNOPs \n;","src":"EXEC NOPv NOPs;"}
{"words":["011f806c","0000000d","8006c003","60001ffc"],"dis":"EXEC(export[31]=scalar)(cr=0)(p.xyzw)\n\tNOPv \n\tNOPs \n;","src":"EXEC NOPv;"}
`)
	var found []string
	rows, err := compareListing("tegra")(filepath.Join(dir, "tegra-diff.jsonl"), nil, func(d difference) { found = append(found, d.word) })
	if err != nil || rows != 2 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	if got, want := strings.Join(found, ", "), "011f806c0000000d8006c00360001ffc dis, 011f806c0000000d8006c00360001ffc src"; got != want {
		t.Errorf("differences %s, expected %s", got, want)
	}
}
