package spec

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/diag"
)

// text is a piece of a description as the parsers read it, with the position of each of its bytes in the file. The text
// differs from the file if the file has comments, entities or line ends of two bytes.
type text struct {
	s string
	// span is the position of the text, or the position for errors if the text is empty.
	span diag.Span
	// runs is nil if the text and the file are equal byte for byte.
	runs []run
}

// run maps bytes of a text to bytes of src. The run ends where the next run starts. The index of its first byte is at
// in the text and off in src.
type run struct {
	at  int
	src *diag.Source
	off int
	// If the run is one character for an entity or a line end of two bytes, size is the length of the entity or the
	// line end in src. Otherwise size is 0.
	size int
}

// find returns the index of the run that contains byte i.
func (t text) find(i int) int {
	return sort.Search(len(t.runs), func(k int) bool { return t.runs[k].at > i }) - 1
}

// at returns the position of byte i.
func (t text) at(i int) diag.Span {
	r := run{src: t.span.Src, off: t.span.Off}
	if t.runs != nil {
		r = t.runs[t.find(i)]
	}
	if r.size > 0 {
		return diag.Span{Src: r.src, Off: r.off, End: r.off + r.size}
	}
	off := r.off + i - r.at
	return diag.Span{Src: r.src, Off: off, End: off + 1}
}

// part returns the position of t.s[from:to]. For an empty range at the end of the text, it returns the position after
// the last byte.
func (t text) part(from, to int) diag.Span {
	switch {
	case len(t.s) == 0:
		return t.span
	case from >= len(t.s):
		last := t.at(len(t.s) - 1)
		return diag.Span{Src: last.Src, Off: last.End, End: last.End + 1}
	}
	first, last := t.at(from), t.at(min(max(to, from+1), len(t.s))-1)
	if last.Src != first.Src || last.End < first.End { // the range ends in another file, or earlier in the same file
		return first
	}
	return diag.Span{Src: first.Src, Off: first.Off, End: last.End}
}

// cut returns t.s[from:to] with its positions.
func (t text) cut(from, to int) text {
	if from == 0 && to == len(t.s) {
		return t
	}
	if from == to {
		return text{span: t.span}
	}
	out := text{s: t.s[from:to], span: t.part(from, to)}
	if t.runs == nil {
		return out
	}
	for k := t.find(from); k < len(t.runs) && t.runs[k].at < to; k++ {
		r := t.runs[k]
		if r.at < from {
			if r.size == 0 {
				r.off += from - r.at
			}
			r.at = from
		}
		r.at -= from
		out.runs = append(out.runs, r)
	}
	return out
}

// trim removes blanks at both ends.
func (t text) trim() text {
	from, to := 0, len(t.s)
	for from < to && charClass[t.s[from]] == classBlank {
		from++
	}
	for from < to && charClass[t.s[to-1]] == classBlank {
		to--
	}
	return t.cut(from, to)
}

// fields splits a text at blanks.
func fields(t text) []text {
	var list []text
	for from := 0; from < len(t.s); {
		to := from
		for to < len(t.s) && !isBlank(rune(t.s[to])) {
			to++
		}
		if to > from {
			list = append(list, t.cut(from, to))
		}
		from = to + 1
	}
	return list
}

const blanks = " \t\r\n\v\f"

func isBlank(r rune) bool { return strings.ContainsRune(blanks, r) }

// replace returns t with each match replaced with the text by. next returns the index of the first match in s, or -1.
// Each match has size bytes.
func (t text) replace(size int, by text, next func(s string) int) text {
	if next(t.s) < 0 {
		return t
	}
	var b strings.Builder
	out := text{span: t.span, runs: []run{}}
	add := func(p text) {
		if p.runs == nil && p.s != "" {
			p.runs = []run{{src: p.span.Src, off: p.span.Off}}
		}
		for _, r := range p.runs {
			r.at += b.Len()
			out.runs = append(out.runs, r)
		}
		b.WriteString(p.s)
	}
	for from := 0; ; {
		i := next(t.s[from:])
		if i < 0 {
			add(t.cut(from, len(t.s)))
			break
		}
		add(t.cut(from, from+i))
		add(by)
		from += i + size
	}
	out.s = b.String()
	return out
}

// textBuilder joins the pieces of text inside one element. It drops pieces that consist only of blanks until another
// piece comes.
type textBuilder struct {
	// While the text is one piece that is equal to the file, piece is the text and span is its position.
	piece string
	span  diag.Span
	// Otherwise s is the whole text and runs are its positions.
	s    []byte
	runs []run
}

// text returns the trimmed text. ok is false if the trimmed text is empty.
func (b *textBuilder) text() (t text, ok bool) {
	switch {
	case b.s != nil:
		t = text{s: string(b.s), runs: b.runs}
	case b.piece == "":
		return text{}, false
	default:
		t = text{s: b.piece, span: b.span}
	}
	if t = t.trim(); t.s == "" {
		return text{}, false
	}
	return text{s: t.s, span: t.part(0, len(t.s)), runs: t.runs}, true
}

// add appends a piece. span is its position in the file, and decoded is its text with the entities decoded.
func (b *textBuilder) add(decoded string, span diag.Span) {
	first := b.piece == "" && b.s == nil
	if first && strings.TrimLeft(decoded, blanks) == "" {
		return
	}
	off, raw := span.Off, span.Src.Text[span.Off:span.End]
	entities := true
	if strings.HasPrefix(raw, cdata) {
		raw, off, entities = strings.TrimSuffix(raw[len(cdata):], cdataEnd), off+len(cdata), false
	}
	if first && decoded == raw {
		b.piece, b.span = decoded, diag.Span{Src: span.Src, Off: off, End: off + len(raw)}
		return
	}
	if b.piece != "" {
		b.s, b.runs = []byte(b.piece), []run{{0, b.span.Src, b.span.Off, 0}}
		b.piece = ""
	}
	at := len(b.s)
	b.s = append(b.s, decoded...)
	b.runs = appendRuns(b.runs, at, span.Src, off, raw, entities)
}

// appendRuns appends the runs of raw, which starts at offset off of src. The text to which raw decodes starts at index
// at. entities reports whether raw may contain entities.
func appendRuns(runs []run, at int, src *diag.Source, off int, raw string, entities bool) []run {
	if !strings.ContainsAny(raw, "&\r") {
		return append(runs, run{at, src, off, 0})
	}
	fresh := true // the next plain byte starts a run
	for i := 0; i < len(raw); {
		size, bytes := 1, 1
		switch c := raw[i]; {
		case c == '&' && entities:
			size = max(1, strings.IndexByte(raw[i:], ';')+1)
			bytes = entityLen(raw[i : i+size])
		case c == '\r' && strings.HasPrefix(raw[i+1:], "\n"):
			size = 2
		}
		switch {
		case raw[i] == '&' && entities || size > 1:
			runs = append(runs, run{at, src, off + i, size})
			fresh = true
		case fresh:
			runs = append(runs, run{at, src, off + i, 0})
			fresh = false
		}
		i += size
		at += bytes
	}
	return runs
}

// entityLen returns the number of bytes that an entity such as &amp; or &#233; decodes to.
func entityLen(s string) int {
	number, ok := strings.CutPrefix(s, "&#")
	if !ok {
		return 1
	}
	base := 10
	if hex, ok := strings.CutPrefix(number, "x"); ok {
		number, base = hex, 16
	}
	r, _ := strconv.ParseInt(strings.TrimSuffix(number, ";"), base, 32)
	return max(1, utf8.RuneLen(rune(r)))
}
