package a2xx_test

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

// TestExamples assembles every example to the file that stands beside it, and takes that apart and
// together again.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/a2xx/*.a2xx")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(f, ".a2xx") + ".bin")
		if err != nil {
			t.Fatal(err)
		}
		stage := strings.Split(filepath.Base(f), ".")[1]
		x := toolsFor(t, "", stage)
		out, err := x.assemble(t, string(text))
		if err != nil {
			t.Error(diag.Render(err))
			continue
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s: assembled\n%x\nexpected\n%x", f, out.Bytes(), want)
		}
		for _, syntax := range []string{"", "mesa"} {
			y := toolsFor(t, syntax, stage)
			if source := y.roundTrip(t, want); strings.Contains(source, "unchecked") {
				t.Errorf("%s: the source is not checked:\n%s", f, source)
			}
		}
	}
}

// wiki is the complete example of freedreno's wiki of 2015, whose names are those of an older fdasm.
//
//go:embed testdata/wiki.a2xx
var wiki string

// renamed has the names of the wiki, and those of today.
var renamed = strings.NewReplacer("COORD", "POSITION", "RCP", "RECIP_IEEE", "RSQ", "RECIPSQ_IEEE", "MOV ", "MAXs ", "CONST(4)", "CONST(4, 0)")

var (
	comments = regexp.MustCompile(`;.*`)
	blanks   = regexp.MustCompile(`[ \t]+`)
)

// bare returns the lines of a source without comments, and with single blanks.
func bare(source string) string {
	var lines []string
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(blanks.ReplaceAllString(comments.ReplaceAllString(line, ""), " "))
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// TestWiki assembles the wiki's example, disassembles it to itself, and finds what the text says in the
// words.
func TestWiki(t *testing.T) {
	x := toolsFor(t, "", "vs")
	out, err := x.assemble(t, wiki)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	got, want := bare(x.roundTrip(t, out.Bytes())), bare(renamed.Replace(wiki))
	if got != want {
		t.Errorf("becomes\n%s\nexpected\n%s", got, want)
	}
	// Six clauses in three units, then what they run: three fetches and three ALU instructions, of which
	// the fourth waits, and so on.
	if n := len(out.Words); n != 3*(3+6+6+4+5) {
		t.Errorf("%d words", n)
	}
	// EXEC: unit 3, six instructions, three fetches (bits 0, 2, 4), the fourth waits (bit 7).
	clause := uint64(out.Words[0]) | uint64(out.Words[1]&0xffff)<<32
	if want := uint64(1)<<44 | (0x15|0x80)<<16 | 6<<12 | 3; clause != want {
		t.Errorf("the first clause is %012x, expected %012x", clause, want)
	}
	// EXEC_END: the second half of unit 2, from unit 3+6+6+4, five instructions.
	clause = uint64(out.Words[7]>>16) | uint64(out.Words[8])<<16
	if want := uint64(2)<<44 | 5<<12 | 19; clause != want {
		t.Errorf("the last clause is %012x, expected %012x", clause, want)
	}
	// The last unit: both halves export to 0, xyz of the product and w of C12.x.
	last := out.Words[len(out.Words)-3:]
	if last[0] != 0x14878000 { // scalar 5, mask w; export; vector mask xyz
		t.Errorf("the last unit starts %08x", last[0])
	}
}
