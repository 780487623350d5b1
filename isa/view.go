package isa

import (
	"strings"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// views are what somebody who hears a voice sees in the segments of a display.
type views struct {
	voice *voice
	list  []view
}

// view is what there is to see in a segment. It is small, for there are many.
type view struct {
	// tokens are those of the constant text, their kinds and lengths, count of them: -1 where that is not known.
	// They are so where it is printed with so many brackets open, behind a mnemonic or not.
	tokens   [12]uint8
	count    int8
	begun    bool
	brackets uint8
	// begins and after are what is open behind it, prefix where in it a number starts that goes on, -1 for none.
	begins bool
	after  uint8
	prefix int8
	// kind is that of the text of the field that is shown.
	kind TokenKind
	// group is that of the operand of which the segment is a piece, nil for none.
	group *voice
	inner []innerVoice
}

// viewsOf returns the views of a display in a voice.
func (d *Decoder) viewsOf(x *display, depth int) []view {
	voice := d.frames[depth].voice
	for i := range x.views {
		if x.views[i].voice == voice {
			return x.views[i].list
		}
	}
	list := make([]view, len(x.segments))
	for i := range list {
		v, p := &list[i], &x.segments[i]
		v.count, v.group = -1, d.groupVoice(p.operand, depth)
		if p.ref != nil && p.ref.Kind != spec.KindBitset {
			of := v.group
			if of == nil {
				of = voice
			}
			v.kind = of.of(p.ref, false)
		}
	}
	x.views = append(x.views, views{voice, list})
	return list
}

// view prints a display of which the tokens, the fields or the operands are asked for.
func (d *Decoder) view(dst []byte, x *display, depth int) []byte {
	var from sources
	from[0] = &d.frames[depth].v
	known := !x.reads.more || x.reads.find(d, depth, &from)
	groups, open := x.groups, false
	if !d.collects {
		groups = nil
	}
	var list []view
	if d.trace != nil && !d.trace.fields {
		list = d.viewsOf(x, depth)
	}
	start := 0 // of the group that is open
	for i := range x.segments {
		p := &x.segments[i]
		for ; len(groups) > 0; groups = groups[1:] {
			g := &groups[0]
			if !open && g.from.segment == i {
				start, open = len(dst)+g.from.offset, true
				d.collects = false
			}
			if !open || g.to.segment != i {
				break
			}
			open, d.collects = false, true
			d.walk.group(g.operand, g.items, depth, start, len(dst)+g.to.offset)
		}
		at := len(dst)
		if p.text != "" {
			dst = append(dst, p.text...)
		} else {
			dst = append(dst, p.lit[:p.lit[chunkLen]-1]...)
		}
		var v *view
		if list != nil {
			if v = &list[i]; len(dst) > at {
				d.viewText(p, v, at, depth)
			}
		}
		switch {
		case p.kind == segmentEnd:
		case d.trace != nil:
			dst = d.viewItem(dst, p, v, &from, known, depth)
		case !known || d.collects && p.looks:
			dst = d.items(dst, p.items, depth)
		default:
			start, collects := len(dst), d.collects
			d.collects, d.sited = false, false
			dst = d.show(dst, p, &from, depth)
			if d.collects, d.sited = collects, true; collects && p.ref != nil {
				d.walk.field(p.ref, depth, start, len(dst))
			}
		}
	}
	return dst
}

// show prints what stands behind the text of a segment.
func (d *Decoder) show(dst []byte, p *segment, from *sources, depth int) []byte {
	if p.kind == segmentDense || p.kind == segmentNamed && d.Symbol == nil {
		if c := &p.dense.texts[p.key.from(from)]; c[chunkLen]-1 <= uint8(chunkLen) {
			return append(dst, c[:c[chunkLen]-1]...)
		}
	}
	return d.segment(dst, p, from, depth)
}

// viewText tells the tokens of the constant text of a segment, which stands in the text from start on.
func (d *Decoder) viewText(p *segment, v *view, start, depth int) {
	t := d.trace
	if v.count < 0 || v.begun != t.begun[depth] || int(v.brackets) != t.brackets {
		d.say(p.texts, v, start, depth)
		return
	}
	t.begun[depth], t.brackets, t.prefix = v.begins, int(v.after), -1
	if v.prefix >= 0 {
		t.prefix = start + int(v.prefix)
	}
	for _, x := range v.tokens[:v.count] {
		end := start + int(x>>3)
		t.token(TokenKind(x&7), start, end)
		start = end
	}
}

// say tells the tokens of a constant text, and keeps them in a view if they have room there.
func (d *Decoder) say(texts []*model.Item, v *view, start, depth int) {
	t := d.trace
	begun, brackets, tokens := t.begun[depth], t.brackets, t.tokens
	t.tokens, t.text = t.said[:0], t.text[:0]
	for _, it := range texts {
		t.text = d.item(t.text, it, depth)
	}
	t.tokens, t.said = tokens, t.tokens
	for _, x := range t.said {
		t.token(x.Kind, start+x.Start, start+x.End)
	}
	v.count = -1
	if fits := len(t.said) <= len(v.tokens) && max(brackets, t.brackets) < 1<<8 && len(t.text) < 1<<5; fits {
		v.begun, v.brackets, v.begins, v.after, v.prefix = begun, uint8(brackets), t.begun[depth], uint8(t.brackets), int8(t.prefix)
		v.count = int8(len(t.said))
		for i, x := range t.said {
			v.tokens[i] = uint8(x.End-x.Start)<<3 | uint8(x.Kind)
		}
	}
	if t.prefix >= 0 {
		t.prefix += start
	}
}

// viewItem prints what stands behind the text of a segment, with its tokens or fields. known tells that the key can be
// read.
func (d *Decoder) viewItem(dst []byte, p *segment, v *view, from *sources, known bool, depth int) []byte {
	t, start := d.trace, len(dst)
	if t.inner, t.group = nil, nil; v != nil {
		t.group, t.inner = v.group, &v.inner
	}
	var c *chunk
	if known && (p.kind == segmentDense || p.kind == segmentNamed && d.Symbol == nil) {
		c = &p.dense.texts[p.key.from(from)]
	}
	if p.ref == nil || p.ref.Kind == spec.KindBitset {
		if c != nil && c[chunkLen] == 1 && p.silent(t.fields) { // nothing is printed
			if p.items[0].Before != "" {
				t.prefix = -1
			}
			return dst
		}
		traced := t.mark()
		if dst = d.piece(dst, &p.items[0], depth); p.member && len(dst) == start {
			t.reset(traced)
		}
		return dst
	}
	name, named := d.symbol(p.ref, depth)
	d.labelled = false
	switch {
	case named:
		dst = append(dst, name...)
	case c != nil && c[chunkLen]-1 <= uint8(chunkLen):
		dst = append(dst, c[:c[chunkLen]-1]...)
	default:
		dst = d.number(dst, p.ref, d.value(p.ref, depth))
	}
	switch end := len(dst); {
	case end == start && p.member:
	case t.fields:
		t.shown = append(t.shown, shownField{d.frames[depth-p.ref.ScopeDepth].site.reached(p.ref, d), start, end})
	case end == start:
	case named || d.labelled:
		t.number(d.voice(depth).of(p.ref, true), start, end)
	default:
		t.number(v.kind, start, end)
	}
	return dst
}

// silent reports whether items that print nothing leave no trace.
func (p *segment) silent(fields bool) bool {
	it := &p.items[0]
	if fields {
		return p.member || it.Kind == model.ItemSet || it.Before != "" || it.After != ""
	}
	return !strings.ContainsFunc(it.Before, func(r rune) bool { return r < 128 && letter(byte(r)) || r == '[' || r == ']' })
}
