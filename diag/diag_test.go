package diag

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strconv"
	"strings"
	"testing"
)

// marked returns a source, and the span between [ and ].
func marked(text string) Span {
	from, to := strings.Index(text, "["), strings.Index(text, "]")
	text = strings.Replace(strings.Replace(text, "[", "", 1), "]", "", 1)
	return Span{&Source{Name: "a.xml", Text: text}, from, to - 1}
}

func TestLineCol(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
	}{
		{"[a]bc", 1, 1},
		{"ab[c]", 1, 3},
		{"ab\nc[d]", 2, 2},
		{"ab\r\nc[d]", 2, 2},
		{"\n\n[]", 3, 1},
		{"é·😀[x]", 1, 4}, // characters, not bytes
		{"\t\t[x]", 1, 3},
		{"[]", 1, 1},
		{"ab[\n]c", 1, 3},
	} {
		if line, col := marked(c.text).LineCol(); line != c.line || col != c.col {
			t.Errorf("%q: got %d:%d, want %d:%d", c.text, line, col, c.line, c.col)
		}
	}
	src := &Source{Name: "a.xml", Text: "ab\ncd"}
	for _, c := range []struct {
		off  int
		want string
	}{{-5, "a.xml:1:1"}, {99, "a.xml:2:3"}} {
		if got := (Span{src, c.off, c.off + 1}).String(); got != c.want {
			t.Errorf("offset %d: got %s, want %s", c.off, got, c.want)
		}
	}
	if got := (Span{}).String(); got != "-" {
		t.Errorf("no span: got %s", got)
	}
}

func TestRender(t *testing.T) {
	wide := strings.Repeat("0123456789", 50)
	for _, c := range []struct{ text, line, carets string }{
		{"one [two] three", "one two three", "    ^^^"},
		{"before\none [two]\nafter", "one two", "    ^^^"},
		{"[one]", "one", "^^^"},
		{"one[]", "one", "   ^"},
		{"one[]\ntwo", "one", "   ^"},
		{"o[]ne", "one", " ^"},
		{"one [two\r\nthree]", "one two", "    ^^^"}, // to the end of the line
		{"one[]\r\ntwo", "one", "   ^"},
		{"\tone\t[two]\t", "\tone\ttwo\t", "\t   \t^^^"}, // tabs stay tabs
		{"[a\tb]", "a\tb", "^^^"},
		{"é·😀 [ü·] é", "é·😀 ü· é", "     ^^"},        // an emoji takes two columns
		{"中[文]x", "中文x", "  ^^"},                     // as characters of East Asia do
		{"e\u0301[x]", "e\u0301x", " ^"},             // an accent takes none
		{"\x1b[x]\x00[2J", "␛x␀[2J", " ^"},           // no control characters
		{"\u202e[\xff\x7f]", "\ufffd\ufffd␡", " ^^"}, // no change of the order of text
		// A window of 160 bytes around the error.
		{wide[:100] + "[x]" + wide, wide[20:100] + "x" + wide[:79], strings.Repeat(" ", 80) + "^"},
		{"[x]" + wide, "x" + wide[:159], "^"},
		{wide + "[x]", wide[420:500] + "x", strings.Repeat(" ", 80) + "^"},
		{wide + "[]", wide[420:500], strings.Repeat(" ", 80) + "^"},
		{wide[:200] + "[" + wide + "]", wide[120:200] + wide[:80], strings.Repeat(" ", 80) + strings.Repeat("^", 80)},
		// The window starts and ends between characters: é has two bytes.
		{"x" + strings.Repeat("é", 100) + "[x]" + strings.Repeat("é", 100), strings.Repeat("é", 40) + "x" + strings.Repeat("é", 39), strings.Repeat(" ", 40) + "^"},
	} {
		span := marked(c.text)
		got := Render(Errorf(XMLSyntax, span, "message"))
		line, _ := span.LineCol()
		want := fmt.Sprintf("%s: error: message [xml-syntax]\n%5d | %s\n      | %s", span, line, c.line, c.carets)
		if strings.TrimRight(got, " \t\n") != want {
			t.Errorf("%q\ngot\n%s\nwant\n%s", c.text, got, want)
		}
	}
}

func TestRenderNotesAndLists(t *testing.T) {
	src := &Source{Name: "a.xml", Text: "one\ntwo\n\nthree"}
	second := Errorf(Duplicate, Span{src, 4, 7}, "%s is defined twice", "two").With(Span{src, 0, 3}, "the other %s", "definition")
	first := Errorf(BitRange, Span{src, 0, 3}, "first")
	nowhere := Errorf(XMLLimit, Span{}, "nowhere")
	blank := Errorf(XMLElement, Span{src, 8, 8}, "a blank line has no carets")
	other := Errorf(XMLElement, Span{&Source{Name: "b.xml", Text: "x"}, 0, 1}, "another file")
	list := List{nowhere, other, blank, second, first}
	list.Sort()
	const want = `a.xml:1:1: error: first [bit-range]
    1 | one
      | ^^^
a.xml:2:1: error: two is defined twice [duplicate]
    2 | two
      | ^^^
a.xml:1:1: note: the other definition
    1 | one
      | ^^^
a.xml:3:1: error: a blank line has no carets [xml-element]
b.xml:1:1: error: another file [xml-element]
    1 | x
      | ^
nowhere [xml-limit]
`
	if got := Render(list); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Render(fmt.Errorf("loading: %w", list.Err())); got != want {
		t.Errorf("wrapped: got\n%s", got)
	}
	if got, want := Render(errors.New("some other error")), "some other error\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (List{first, nowhere}).Error(), "a.xml:1:1: first [bit-range]\nnowhere [xml-limit]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListIsErrors(t *testing.T) {
	if err := (List{}).Err(); err != nil {
		t.Errorf("an empty list is the error %v", err)
	}
	var one *Error
	if err := (List{Errorf(Extends, Span{}, "x")}).Err(); !errors.As(err, &one) || one.Code != Extends {
		t.Errorf("errors.As finds %v", one)
	}
	if errors.Is(List{Errorf(Extends, Span{}, "x")}, fs.ErrNotExist) {
		t.Error("errors.Is finds what is not there")
	}
}

// TestCodes checks that each code is documented once, with an example.
func TestCodes(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	documented := map[Code]int{}
	for _, c := range Codes() {
		documented[c.Code]++
		if c.Meaning == "" || c.Example == "" {
			t.Errorf("%s has no semantics or no example", c.Code)
		}
	}
	declared := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 {
			if id, isName := spec.Type.(*ast.Ident); isName && id.Name == "Code" {
				declared++
				code, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if documented[Code(code)] != 1 {
					t.Errorf("%s is documented %d times", code, documented[Code(code)])
				}
			}
		}
		return true
	})
	if declared != len(documented) {
		t.Errorf("%d codes are declared, %d documented", declared, len(documented))
	}
}

// TestCapped checks that a long list ends with the number of the other errors.
func TestCapped(t *testing.T) {
	for n, want := range map[int]string{
		0:            "",
		MaxShown:     "49 [ignored-text]",
		MaxShown + 1: "1 more warning, not shown [ignored-text]",
		200:          "150 more warnings, not shown [ignored-text]",
	} {
		var list List
		for i := range n {
			list = append(list, Errorf(IgnoredText, Span{}, "%d", i))
		}
		got := list.Capped("warning")
		if last := len(got) - 1; len(got) > MaxShown+1 || last >= 0 && got[last].Error() != want {
			t.Errorf("of %d warnings %d are left, the last %v", n, len(got), got[last])
		}
		if len(list) != n || n > MaxShown && list[MaxShown].Msg != "50" {
			t.Errorf("the list itself has changed")
		}
	}
}

// TestRenderManyOnOneLine checks that rendering many errors in a line of a megabyte takes about as long
// as reading the line.
func TestRenderManyOnOneLine(t *testing.T) {
	const n = 200_000
	src := &Source{Name: "a.s", Text: strings.Repeat("a:\n", 3) + strings.Repeat("a:", n)}
	var list List
	for i := range n {
		list = append(list, Errorf(Duplicate, Span{src, 9 + 2*i, 10 + 2*i}, "twice"))
	}
	list = append(list, Errorf(Duplicate, Span{src, 3, 4}, "twice"), Errorf(Duplicate, Span{src, len(src.Text) + 1, 0}, "twice"))
	if got := Render(list); !strings.HasSuffix(got, "= note: the same in lines 4, 2, 4\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestBag checks that a Bag stores some of the warnings with the same message and counts the others.
func TestBag(t *testing.T) {
	src := &Source{Name: "a.s", Text: strings.Repeat("mov r0, v0\n", 3*maxSame)}
	var b Bag
	for line := range 3 * maxSame {
		at := Span{src, 11 * line, 11*line + 3}
		for range 2 { // twice at the same position
			b.Warn(UnexpectedBits, at, "odd")
		}
		if line%2 == 0 && line < 100 {
			b.Warn(UnexpectedBits, at, "even")
		}
	}
	if len(b.List) != maxSame+50 {
		t.Errorf("%d warnings are kept", len(b.List))
	}
	b.List.Sort()
	got := Render(b.List)
	for _, want := range []string{"warning: odd", "the same in lines 1, 2, 3, 4, 5 and 187 more\n", "warning: even", "the same in lines 3, 5, 7, 9, 11 and 44 more\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

// TestSaidOnce checks that a message about several lines is printed once, with the lines.
func TestSaidOnce(t *testing.T) {
	src := &Source{Name: "a.pica", Text: strings.Repeat("mov r0, v0\n", 9)}
	at := func(line int) Span { return Span{src, 11 * (line - 1), 11*(line-1) + 3} }
	list := List{Errorf(Directive, at(1), "one"), Errorf(BlockNesting, at(2), "two"), Errorf(Directive, at(3), "one")}
	const want = `a.pica:1:1: error: one [directive]
    1 | mov r0, v0
      | ^^^
      = note: the same in line 3
a.pica:2:1: error: two [block-nesting]
    2 | mov r0, v0
      | ^^^
`
	if got := Render(list); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	list = nil
	for line := range 9 {
		list = append(list, Errorf(Directive, at(line+1), "one"))
	}
	if got := Render(list); !strings.HasSuffix(got, "= note: the same in lines 2, 3, 4, 5, 6 and 3 more\n") || strings.Count(got, "error:") != 1 {
		t.Errorf("nine of one kind:\n%s", got)
	}
}

func TestWarningsAndHelp(t *testing.T) {
	e := Warnf(MissingEnd, marked("[nop]"), "no %s", "end")
	e.Help = []string{"add one"}
	const want = `a.xml:1:1: warning: no end [missing-end]
    1 | nop
      | ^^^
      = help: add one
`
	if got := Render(e); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := e.Error(), "a.xml:1:1: warning: no end [missing-end]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	plain := RenderColour(e)
	for {
		at := strings.Index(plain, "\x1b[")
		if at < 0 {
			break
		}
		plain = plain[:at] + plain[at+strings.IndexByte(plain[at:], 'm')+1:]
	}
	if plain != want {
		t.Errorf("colour changes more than colour:\n%s", plain)
	}
}

// Two exchanged letters count as one edit.

// TestErrorIsBrief checks that Error shortens long quotes.
func TestErrorIsBrief(t *testing.T) {
	long := strings.Repeat("x", 100)
	if got := Errorf(Directive, Span{}, "no %s", long).Error(); got != "no "+long[:40]+"... [directive]" {
		t.Error(got)
	}
}
