package manual

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

// colors is the number of colours of fields in the style sheet.
const colors = 8

// The sizes of a picture of bits, in the units of its view box.
const (
	cellWidth = 28
	boxHeight = 34
	rowTop    = 18
	labelStep = 16
	glyph     = 7.4 // the width of a character
)

// picture draws the bits of a word, 32 in a row. A field whose name does not fit into its box has the name below it.
func picture(w view.FormWord, numbers map[string]int) template.HTML {
	var out strings.Builder
	columns := min(32, w.Size)
	y := 0
	for high := w.Size - 1; high >= 0; {
		low := high / 32 * 32
		y += drawRow(&out, w, high, low, y, (columns-(high-low+1))*cellWidth, numbers)
		high = low - 1
	}
	label := fmt.Sprintf("the %d bits of the word", w.Size)
	if w.Table != "" {
		label = fmt.Sprintf("the %d bits of an entry of the table %s", w.Size, w.Table)
	}
	width := columns*cellWidth + 2
	return template.HTML(fmt.Sprintf(`<svg class="bits" role="img" aria-label="%s" viewBox="-1 0 %d %d" style="min-width:%dpx;max-width:%dpx">%s</svg>`,
		template.HTMLEscapeString(label), width, y, min(width*7/10, 700), max(width*12/10, 200), out.String()))
}

// drawRow draws the bits from high down to low, and returns the height of the row.
func drawRow(out *strings.Builder, w view.FormWord, high, low, y, left int, numbers map[string]int) int {
	lanes := []float64{} // the right ends of the names below the boxes
	for _, r := range w.Runs {
		h, l := min(r.High, high), max(r.Low, low)
		if h < l {
			continue
		}
		x, width := left+(high-h)*cellWidth, (h-l+1)*cellWidth
		class, text := "nothing", ""
		switch r.Kind {
		case view.BitsFixed, view.BitsExpected:
			class = map[view.BitKind]string{view.BitsFixed: "fixed", view.BitsExpected: "expected"}[r.Kind]
		case view.BitsIgnored:
			class = "ignored"
		case view.BitsField:
			text = r.Text
			n, ok := numbers[cmp.Or(text)]
			if w.Field != "" {
				n, ok = numbers[w.Field+"."+text]
			}
			class = "nothing"
			if ok {
				class = fmt.Sprintf("f%d", n%colors)
			}
		}
		fmt.Fprintf(out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, class, x, y+rowTop, width, boxHeight)
		if r.Kind == view.BitsFixed || r.Kind == view.BitsExpected {
			for i := h; i >= l; i-- {
				fmt.Fprintf(out, `<text class="digit" x="%d" y="%d">%c</text>`, left+(high-i)*cellWidth+cellWidth/2, y+rowTop+22, r.Text[r.High-i])
			}
		}
		number := func(bit, at int) {
			fmt.Fprintf(out, `<text class="bit" x="%d" y="%d">%d</text>`, at, y+rowTop-5, bit)
		}
		number(h, x+cellWidth/2)
		if l != h {
			number(l, x+width-cellWidth/2)
		}
		size := float64(float64(len([]rune(text))) * glyph)
		switch {
		case text == "":
		case size < float64(width-4):
			fmt.Fprintf(out, `<text class="name" x="%d" y="%d">%s</text>`, x+width/2, y+rowTop+22, template.HTMLEscapeString(text))
		default:
			center := x + width/2
			start := float64(max(center-4, 0))
			if end := float64(left + (high-low+1)*cellWidth); start+size > end {
				start = max(0, end-size)
			}
			lane := 0
			for lane < len(lanes) && lanes[lane] > start {
				lane++
			}
			if lane == len(lanes) {
				lanes = append(lanes, 0)
			}
			lanes[lane] = start + size + 12
			bottom := y + rowTop + boxHeight
			fmt.Fprintf(out, `<path class="lead" d="M%d %dV%d"/>`, center, bottom, bottom+5+lane*labelStep)
			fmt.Fprintf(out, `<text class="below" x="%.0f" y="%d">%s</text>`, start, bottom+17+lane*labelStep, template.HTMLEscapeString(text))
		}
	}
	return rowTop + boxHeight + 10 + len(lanes)*labelStep
}

// Limits of a map: the number of bits that choose a cell, and the number of names in a cell.
const (
	mapBits  = 7
	mapNames = 3
)

// matrix draws the instructions of a root by the bits that tell most of them apart: half of the bits choose the row, the
// others choose the column. It returns "" if the root has only one instruction.
func (m *machine) matrix(p *rootPages) template.HTML {
	chosen := chooseBits(p)
	if len(p.leaves) < 2 || len(chosen) == 0 {
		return ""
	}
	rows, columns := chosen[:len(chosen)/2], chosen[len(chosen)/2:]
	const w, h, left, top = 116, 46, 76, 44
	var out strings.Builder
	bits := func(list []int, n int) string {
		var s strings.Builder
		for i := range list {
			fmt.Fprint(&s, n>>(len(list)-1-i)&1)
		}
		return s.String()
	}
	in := func(l *isa.Leaf, row, column int) bool {
		for i, b := range rows {
			if l.Mask.Bit(b) == 1 && uint(l.Match.Bit(b)) != uint(row>>(len(rows)-1-i)&1) {
				return false
			}
		}
		for i, b := range columns {
			if l.Mask.Bit(b) == 1 && uint(l.Match.Bit(b)) != uint(column>>(len(columns)-1-i)&1) {
				return false
			}
		}
		return true
	}
	for c := range 1 << len(columns) {
		fmt.Fprintf(&out, `<text class="digit" x="%d" y="%d">%s</text>`, left+c*w+w/2, top-8, bits(columns, c))
	}
	for r := range 1 << len(rows) {
		if len(rows) > 0 {
			fmt.Fprintf(&out, `<text class="digit" x="%d" y="%d">%s</text>`, left/2, top+r*h+h/2+5, bits(rows, r))
		}
		for c := range 1 << len(columns) {
			var here []*isa.Leaf
			for _, l := range p.leaves {
				if in(l, r, c) {
					here = append(here, l)
				}
			}
			x, y := left+c*w, top+r*h
			switch len(here) {
			case 0:
				fmt.Fprintf(&out, `<rect class="free" x="%d" y="%d" width="%d" height="%d"/>`, x, y, w, h)
			default:
				fmt.Fprintf(&out, `<rect class="f%d" x="%d" y="%d" width="%d" height="%d"/>`, here[0].ID%colors, x, y, w, h)
				shown := min(len(here), mapNames)
				for i, l := range here[:shown] {
					name := short(l.Name, 15)
					if i == shown-1 && len(here) > shown {
						name = fmt.Sprintf("%s +%d", short(l.Name, 10), len(here)-shown)
					}
					fmt.Fprintf(&out, `<a href="%s"><title>%s</title><text class="map" x="%d" y="%d">%s</text></a>`, template.HTMLEscapeString(m.page[l]), template.HTMLEscapeString(l.Name+": "+firstSentence(l.Doc())), x+w/2, y+h/2+4+(2*i-shown+1)*7, template.HTMLEscapeString(name))
				}
			}
		}
	}
	places := func(list []int) string {
		var s []string
		for _, b := range list {
			s = append(s, fmt.Sprint(b))
		}
		return strings.Join(s, ", ")
	}
	fmt.Fprintf(&out, `<text class="axis" x="%d" y="14">bits %s</text>`, left, places(columns))
	if len(rows) > 0 {
		fmt.Fprintf(&out, `<text class="axis" x="0" y="%d">bits</text><text class="axis" x="0" y="%d">%s</text>`, top-22, top-8, places(rows))
	}
	width, height := left+w<<len(columns)+1, top+h<<len(rows)+1
	return template.HTML(fmt.Sprintf(`<figure><figcaption>%s: the instructions by bits %s</figcaption><div class="scroll"><svg class="map" role="group" aria-label="map of the encodings" viewBox="0 0 %d %d" style="min-width:%dpx;max-width:%dpx">%s</svg></div></figure>`,
		template.HTMLEscapeString(p.Name), places(chosen), width, height, width*8/10, width, out.String()))
}

func short(name string, most int) string {
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

// chooseBits returns the bits that tell most leaves apart, the highest first. It stops when another bit would not help.
func chooseBits(p *rootPages) (chosen []int) {
	cells := [][]*isa.Leaf{p.leaves}
	cost := func(cells [][]*isa.Leaf) (n int) {
		for _, c := range cells {
			n += len(c) * len(c)
		}
		return n
	}
	split := func(bit int) (out [][]*isa.Leaf) {
		for _, c := range cells {
			var zero, one []*isa.Leaf
			for _, l := range c {
				fixed, set := l.Mask.Bit(bit) == 1, l.Match.Bit(bit) == 1
				if !fixed || !set {
					zero = append(zero, l)
				}
				if !fixed || set {
					one = append(one, l)
				}
			}
			out = append(out, zero, one)
		}
		return out
	}
	for len(chosen) < mapBits {
		best, least := -1, cost(cells)*9/10
		var next [][]*isa.Leaf
		for bit := p.Root.Size - 1; bit >= 0; bit-- {
			if slices.Contains(chosen, bit) {
				continue
			}
			if s := split(bit); cost(s) < least {
				best, least, next = bit, cost(s), s
			}
		}
		if best < 0 {
			break
		}
		chosen, cells = append(chosen, best), next
	}
	slices.Sort(chosen)
	slices.Reverse(chosen)
	return chosen
}
