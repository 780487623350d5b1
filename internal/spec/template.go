package spec

import (
	"errors"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// ItemKind is the kind of a piece of a template.
type ItemKind uint8

// ItemText is text that prints as it is. ItemRef is a reference in braces. ItemAlign is padding up to a column.
// ItemBreak is a line break. If an instruction prints on one line, the break prints as one blank.
const (
	ItemText ItemKind = iota
	ItemRef
	ItemAlign
	ItemBreak
)

// Item is a piece of a template.
type Item struct {
	Kind ItemKind
	// Text is the text of an ItemText. For an ItemBreak, it is the indentation of the next line beyond the margin.
	Text string
	// Braces is the number of braces in an ItemText that are written {{ or }}.
	Braces int
	// Ref is the name in the braces. It may have dots or a leading @.
	Ref string
	// Before and After are texts that print before and after a reference if the reference prints something, as in {
	// ?SAT} and {SAT? }.
	Before, After string
	// Column is the column of an ItemAlign, from 0.
	Column int
	Span   diag.Span
}

// parseTemplate appends the pieces of a template's trimmed text. In a strict description, {{ and }} are printed braces,
// and an invalid reference in braces is an error. In a plain description, an invalid reference is a name that resolves
// nowhere, as in Mesa's tools.
func (s *ISA) parseTemplate(items []Item, src text) ([]Item, diag.List) {
	var errs diag.List
	margin := s.margin(src.s)
	for off := 0; off < len(src.s); {
		if i := s.indexBrace(src.s[off:]); i >= 0 {
			items = s.appendText(items, src, off, off+i+1, margin)
			items[len(items)-1].Braces++
			off += i + len("{{")
			continue
		}
		open := strings.IndexByte(src.s[off:], '{')
		end := -1
		if open >= 0 {
			end = strings.IndexByte(src.s[off+open:], '}')
		}
		if end < 0 {
			if open >= 0 && s.Strict {
				errs = append(errs, diag.Errorf(diag.TemplateText, src.at(off+open), "{ without }"))
			}
			items = s.appendText(items, src, off, len(src.s), margin)
			break
		}
		open, end = off+open, off+open+end
		items = s.appendText(items, src, off, open, margin)
		var err *diag.Error
		if items, err = s.appendRef(items, src.s[open+1:end], src.part(open, end+1)); err != nil {
			errs = append(errs, err)
		}
		off = end + 1
	}
	return items, errs
}

// indexBrace returns the index of the first {{ or }} in t, or -1. In a plain description, or if another { comes first,
// it returns -1.
func (s *ISA) indexBrace(t string) int {
	if !s.Strict {
		return -1
	}
	i := strings.IndexByte(t, '{')
	if i >= 0 && !strings.HasPrefix(t[i:], "{{") {
		t = t[:i]
		i = -1
	}
	if k := strings.Index(t, "}}"); k >= 0 && (i < 0 || k < i) {
		return k
	}
	return i
}

// margin returns the indentation of the least indented line, in bytes. It ignores the first line, because the text is
// trimmed. In a plain description, it returns 0.
func (s *ISA) margin(t string) int {
	_, rest, found := strings.Cut(t, "\n")
	if !found || !s.Strict {
		return 0
	}
	margin := len(t)
	for line := range strings.Lines(rest) {
		if text := strings.TrimLeft(line, blanks); text != "" {
			margin = min(margin, len(line)-len(text))
		}
	}
	return margin
}

// appendText appends src.s[from:to] as items. It joins the text with a preceding ItemText.
func (s *ISA) appendText(items []Item, src text, from, to, margin int) []Item {
	n := len(items)
	items = s.appendLines(items, src, from, to, margin)
	if n == 0 || len(items) == n || items[n-1].Kind != ItemText || items[n].Kind != ItemText {
		return items
	}
	items[n-1].Text += items[n].Text
	items[n-1].Braces += items[n].Braces
	if a, b := &items[n-1].Span, items[n].Span; a.Src == b.Src && b.Off >= a.End { // otherwise the text belongs to another template
		a.End = b.End
	}
	return append(items[:n], items[n+1:]...)
}

// appendLines appends src.s[from:to] as items. In a strict description, a line break with the blanks around it becomes
// one ItemBreak.
func (s *ISA) appendLines(items []Item, src text, from, to, margin int) []Item {
	t := src.s[from:to]
	if t == "" {
		return items
	}
	if !s.Strict || !strings.Contains(t, "\n") {
		return append(items, Item{Kind: ItemText, Text: t, Span: src.part(from, to)})
	}
	for i, line := range strings.SplitAfter(t, "\n") {
		if i > 0 {
			if n := len(items); n == 0 || items[n-1].Kind != ItemBreak {
				items = append(items, Item{Kind: ItemBreak, Span: src.at(from - 1)})
			}
		}
		end := from + len(line)
		if strings.HasSuffix(line, "\n") {
			line = strings.TrimRight(line, blanks)
		}
		end, from = from+len(line), end
		if i > 0 {
			text := strings.TrimLeft(line, blanks)
			if n := len(line) - len(text); n > margin {
				items[len(items)-1].Text = line[margin:n]
			}
			line = text
		}
		if line != "" {
			items = append(items, Item{Kind: ItemText, Text: line, Span: src.part(end-len(line), end)})
		}
	}
	return items
}

// maxColumn is the largest column of a display. The limit keeps printed lines short enough for the parser.
const maxColumn = 10000

// appendRef appends items for inner, the text between two braces.
func (s *ISA) appendRef(items []Item, inner string, span diag.Span) ([]Item, *diag.Error) {
	name, suffix, aligned := strings.Cut(inner, ":align=")
	if aligned {
		column, err := strconv.Atoi(strings.TrimSpace(suffix))
		switch {
		case err == nil && column >= 0:
		case s.Strict && !errors.Is(err, strconv.ErrRange):
			return items, diag.Errorf(diag.TemplateText, span, "%q, expected a column such as :align=24", ":align="+suffix)
		default:
			column = LeadingNumber(suffix)
		}
		if column > maxColumn {
			return items, diag.Errorf(diag.TemplateText, span, "%q, expected a column of at most %d", ":align="+suffix, maxColumn)
		}
		items = append(items, Item{Kind: ItemAlign, Column: column, Span: span})
		if name == "" {
			return items, nil
		}
	}
	item := Item{Kind: ItemRef, Ref: name, Span: span}
	if left, right, ok := strings.Cut(name, "?"); ok {
		switch {
		case isRef(left):
			item.Ref, item.After = left, right
		case isRef(right):
			item.Ref, item.Before = right, left
		}
	}
	if s.Strict && !isRef(item.Ref) {
		return items, diag.Errorf(diag.TemplateText, span, "{%s} names no field, expected {NAME}, {NAME.PART}, {@context}, {NAME?text} or {text?NAME}", inner)
	}
	return append(items, item), nil
}

func isRef(s string) bool { return isPath(strings.TrimPrefix(s, "@")) }

// LeadingNumber parses the decimal number at the start of s, as C's strtoul does. Blanks and a plus sign may precede
// the number. It returns 0 if there is no number. If the number is larger than maxColumn, the result is some number
// above maxColumn.
func LeadingNumber(s string) int {
	s = strings.TrimPrefix(strings.TrimLeft(s, blanks), "+")
	n := 0
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9' && n <= maxColumn; i++ {
		n = 10*n + int(s[i]-'0')
	}
	return n
}
