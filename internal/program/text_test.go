package program_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
)

// lexis has comments of all kinds.
var lexis = program.NewLexis(";", []string{"//"},
	program.BlockComment{Open: "/*", Close: "*/"}, program.BlockComment{Open: "/+", Close: "+/", Nests: true})

// split returns the statements that are not blank, as OFFSET:TEXT.
func split(s *program.Statements) (list []string, open int64) {
	open = -1
	program.Each(s, 1, nil, func(b *program.Batch[bool]) error {
		for _, x := range b.Statements {
			if text := strings.TrimSpace(x.Text); text != "" {
				list = append(list, fmt.Sprintf("%d:%s", x.Off+int64(strings.Index(x.Text, text)), text))
			}
		}
		open = max(open, b.Open)
		return nil
	})
	return list, open
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "[] -1",
		"a\nb":                     "[0:a 2:b] -1",
		"a; b\r\n\n;c ;":           "[0:a 3:b 8:c] -1",
		"a // b; c\nd":             "[0:a 10:d] -1",
		"a /* ; */ b":              "[0:a         b] -1",
		"a /* \n */ b":             "[0:a 10:b] -1",
		"/* x */ a /**/b/* */":     "[8:a     b] -1",
		"/+ /+ */ +/ ; +/a":        "[16:a] -1",
		"a / b /":                  "[0:a / b /] -1",
		"a\nb /* // */\nc/+ /+ +/": "[0:a 2:b] 14",
		"// /* \na":                "[7:a] -1",
	} {
		list, open := split(program.NewText(&diag.Source{Text: text}).Split(lexis))
		if got := fmt.Sprint(list, open); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

// longSource is text of a few windows, with lines and comments of all lengths.
func longSource() string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := 0; b.Len() < 400<<10; i++ {
		switch r.IntN(200) {
		case 0:
			b.WriteString("/* " + strings.Repeat("comment;\n", r.IntN(12_000)) + "*/")
		case 1:
			b.WriteString(strings.Repeat("long ", r.IntN(15_000)) + "\n")
		default:
			fmt.Fprintf(&b, "line %d // x\n", i)
		}
	}
	return b.String()
}

// What a text is divided into does not depend on where its windows end.
func TestWindows(t *testing.T) {
	text := longSource()
	var whole []string
	lexis.Split(text, func(off int, s string) bool {
		if s := strings.TrimSpace(s); s != "" {
			whole = append(whole, fmt.Sprintf("%d:%s", off, s))
		}
		return true
	})
	src := &diag.Source{Name: "x.s", Text: text}
	file := program.OpenText("x.s", strings.NewReader(text), int64(len(text)))
	for _, x := range []*program.Text{program.NewText(src), file} {
		list, open := split(x.Split(lexis))
		if !slices.Equal(list, whole) || open >= 0 {
			t.Errorf("%d statements, expected %d", len(list), len(whole))
		}
	}
	for _, at := range []int{len(text) - 10, 0, len(text) / 2, 70 << 10} {
		at += strings.IndexByte(text[at:], '\n') - 1
		want := diag.Span{Src: src, Off: at, End: at + 1}
		got := file.Span(int64(at), int64(at)+1)
		if got.String() != want.String() || file.View(int64(at), int64(at)+1) != text[at:at+1] {
			t.Errorf("byte %d is at %s, expected %s", at, got, want)
		}
	}
	if list, open := split(program.OpenText("", strings.NewReader(text+"/*"), int64(len(text)+2)).Split(lexis)); open != int64(len(text)) {
		t.Errorf("%d statements, and the open comment is at %d", len(list), open)
	}
}

// A file that has become shorter is a mistake, and no end of it.
func TestShortFile(t *testing.T) {
	text := program.OpenText("", strings.NewReader("nop\n"), 5)
	err := program.Each(text.Split(lexis), 1, nil, func(*program.Batch[bool]) error { return nil })
	if err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}
