package main

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The sizes of a character, a line and the margin, in SVG units.
const (
	charWidth  = 8
	lineHeight = 19
	margin     = 18
)

// colours maps SGR colour numbers to colours on a light and on a dark background. Each has a contrast
// of at least 4.5 to its background.
var colours = map[int][2]string{
	31: {"#b3261e", "#ff7b72"},
	32: {"#1a6b2d", "#7ee787"},
	33: {"#7a4d00", "#e3b341"},
	34: {"#0a53be", "#79b8ff"},
	35: {"#8b2aa8", "#d8a0ff"},
	36: {"#0b6672", "#56d4dd"},
}

var ground, ink, faint = [2]string{"#f8f9fb", "#0f141a"}, [2]string{"#1f2328", "#dce3ea"}, [2]string{"#5d6670", "#93a0ad"}

// svg draws lines of text with SGR codes. The picture has its own background and follows the reader's
// colour scheme, so that it is readable on light and dark pages.
func svg(lines []string) string {
	columns := 0
	for _, line := range lines {
		width := 0
		for _, r := range runs(line) {
			width += utf8.RuneCountInString(r.text)
		}
		columns = max(columns, width)
	}
	width, height := columns*charWidth+2*margin, len(lines)*lineHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", width, height, width, height)
	b.WriteString("<title>isago explains an instruction bit by bit and lists a program, in colour</title>\n<style>\n")
	b.WriteString("text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace }\n.b { font-weight: bold }\n")
	rules(&b, 0)
	b.WriteString("@media (prefers-color-scheme: dark) {\n")
	rules(&b, 1)
	b.WriteString("}\n</style>\n")
	fmt.Fprintf(&b, "<rect class=\"ground\" x=\".5\" y=\".5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", width-1, height-1)
	for i, line := range lines {
		writeLine(&b, line, margin+(i+1)*lineHeight-5)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func rules(b *strings.Builder, scheme int) {
	fmt.Fprintf(b, ".ground { fill: %s; stroke: %s; stroke-opacity: .4 }\ntext { fill: %s }\n.dim { fill: %s }\n", ground[scheme], faint[scheme], ink[scheme], faint[scheme])
	for n := 31; n <= 36; n++ {
		fmt.Fprintf(b, ".c%d { fill: %s }\n", n, colours[n][scheme])
	}
}

// writeLine places each run at its column and sets its length, so that columns align in every font. It
// splits runs at two blanks, because some viewers collapse blanks.
func writeLine(b *strings.Builder, line string, y int) {
	column := 0
	for _, r := range runs(line) {
		for piece := range strings.SplitSeq(r.text, "  ") {
			text := strings.TrimSpace(piece)
			if text != "" {
				lead := len(piece) - len(strings.TrimLeft(piece, " "))
				writePiece(b, text, r.class(), column+lead, y)
			}
			column += utf8.RuneCountInString(piece) + 2
		}
		column -= 2
	}
}

func writePiece(b *strings.Builder, text, class string, column, y int) {
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" textLength=\"%d\"", margin+column*charWidth, y, utf8.RuneCountInString(text)*charWidth)
	if class != "" {
		fmt.Fprintf(b, " class=\"%s\"", class)
	}
	fmt.Fprintf(b, ">%s</text>\n", html.EscapeString(text))
}

// run is text in one style.
type run struct {
	text      string
	colour    int
	bold, dim bool
}

func (r run) class() string {
	var list []string
	if r.bold {
		list = append(list, "b")
	}
	if r.dim {
		list = append(list, "dim")
	}
	if r.colour != 0 {
		list = append(list, fmt.Sprint("c", r.colour))
	}
	return strings.Join(list, " ")
}

// runs splits a line at its SGR codes.
func runs(line string) []run {
	var list []run
	var look run
	for line != "" {
		text, rest, found := strings.Cut(line, "\x1b[")
		if text != "" {
			look.text = strings.ReplaceAll(text, "\t", "    ")
			list = append(list, look)
		}
		if !found {
			break
		}
		codes, after, _ := strings.Cut(rest, "m")
		look.apply(codes)
		line = after
	}
	return list
}

// apply changes the style by the numbers of an SGR code. Bright colours look like normal ones.
func (r *run) apply(codes string) {
	for code := range strings.SplitSeq(codes, ";") {
		n, _ := strconv.Atoi(code)
		switch {
		case n == 0:
			*r = run{}
		case n == 1:
			r.bold = true
		case n == 2:
			r.dim = true
		case n >= 91 && n <= 96:
			r.colour = n - 60
		case n >= 31 && n <= 36:
			r.colour = n
		case n == 39:
			r.colour = 0
		}
	}
}
