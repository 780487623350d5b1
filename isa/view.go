package isa

import (
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
	// ref is the field that is shown without asking for more, and kind that of its text, where it is number.
	ref    *model.Ref
	number bool
	kind   TokenKind
	// group is that of the operand of which the segment is a piece, nil for none.
	group *voice
	inner []innerVoice
	// symbols tells that the program may have a name for a value.
	symbols bool
	// marks are the tokens of the texts that the memo of the segment has, each in the place of its text.
	marks *[]marks
}

// marks are the tokens of the text of a key: their kinds and lengths, and one more than their number.
type marks struct {
	key    uint64
	count  uint8
	tokens [23]uint8
}

// viewsOf returns the views of a display in a voice.
func (d *Decoder) viewsOf(x *display, depth int) []view {
	voice := d.frames[depth].voice
	if x.view.voice == voice {
		return x.view.list
	}
	for i := range x.views {
		if x.views[i].voice == voice {
			return x.views[i].list
		}
	}
	list := make([]view, len(x.segments))
	for i := range list {
		v, p := &list[i], &x.segments[i]
		v.count, v.group = -1, d.groupVoice(p.operand, depth)
		if v.ref, v.symbols = p.ref, p.symbols; p.ref != nil && p.ref.Kind != spec.KindBitset {
			of := v.group
			if of == nil {
				of = voice
			}
			v.number, v.kind = true, of.of(p.ref, false)
		}
	}
	if x.view.voice == nil {
		x.view = views{voice, list}
	} else {
		x.views = append(x.views, views{voice, list})
	}
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
		if size := p.lit[chunkLen] - 1; size <= uint8(chunkLen) {
			dst = append(dst, p.lit[:size]...)
		} else {
			dst = append(dst, p.text...)
		}
		var v *view
		if list != nil {
			if v = &list[i]; len(dst) > at {
				d.viewText(p, v, at, depth)
			}
		}
		switch {
		case p.kind == segmentEnd:
		case v != nil:
			dst = d.viewTokens(dst, p, v, &from, known, depth)
		case d.trace != nil:
			dst = d.viewFields(dst, p, &from, known, depth)
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
	begun, brackets, fence := t.begun[depth], t.brackets, t.record()
	t.text = t.text[:0]
	for _, it := range texts {
		t.text = d.item(t.text, it, depth)
	}
	said := t.recorded(fence)
	v.count = -1
	if fits := len(said) <= len(v.tokens) && max(brackets, t.brackets) < 1<<8 && len(t.text) < 1<<5; fits {
		v.begun, v.brackets, v.begins, v.after, v.prefix = begun, uint8(brackets), t.begun[depth], uint8(t.brackets), int8(t.prefix)
		v.count = int8(len(said))
		for i, x := range said {
			v.tokens[i] = uint8(x.End-x.Start)<<3 | uint8(x.Kind)
		}
	}
	for i := range said {
		said[i].Start += start
		said[i].End += start
	}
	t.join(said)
	if t.prefix >= 0 {
		t.prefix += start
	}
}

// viewTokens prints what stands behind the text of a segment, with its tokens. known tells that keys can be read.
func (d *Decoder) viewTokens(dst []byte, p *segment, v *view, from *sources, known bool, depth int) []byte {
	t, start := d.trace, len(dst)
	t.group, t.inner = v.group, &v.inner
	switch {
	case v.symbols && d.Symbol != nil:
		return d.viewPiece(dst, p, v, depth)
	case v.number:
		d.labelled = false
		dst = d.number(dst, v.ref, d.value(v.ref, depth))
		kind := v.kind
		if d.labelled {
			kind = d.voice(depth).of(v.ref, true)
		}
		if len(dst) > start {
			t.number(kind, start, len(dst))
		}
		return dst
	case known && p.remembered() && t.prefix < 0 && t.brackets == 0 && d.settled(depth):
		return d.marked(dst, p, v, from, depth)
	}
	return d.viewPiece(dst, p, v, depth)
}

// settled reports whether what a frame prints next cannot be its mnemonic.
func (d *Decoder) settled(depth int) bool {
	v := d.voice(depth)
	return !v.instruction || v.named || d.trace.begun[depth]
}

// viewPiece prints what stands behind the text of a segment in the general way.
func (d *Decoder) viewPiece(dst []byte, p *segment, v *view, depth int) []byte {
	if v != nil && v.ref != nil && !v.symbols {
		return d.nested(dst, v.ref, depth)
	}
	traced, start := d.trace.mark(), len(dst)
	if dst = d.piece(dst, &p.items[0], depth); p.member && len(dst) == start {
		d.trace.reset(traced)
	}
	return dst
}

// marked prints a text that is remembered, and its tokens.
func (d *Decoder) marked(dst []byte, p *segment, v *view, from *sources, depth int) []byte {
	x := p.key.from(from)
	at, w, start, known := x, p.wide, len(dst), false
	if w != nil {
		if w.skip() {
			return d.viewPiece(dst, p, v, depth)
		}
		var s *slot
		if s, known = w.find(x); known {
			dst = append(dst, s.text[:s.size-1]...)
		}
		at = place(x, len(w.slots))
	} else if c := &p.dense.texts[x]; c[chunkLen] == longText {
		dst, known = append(dst, p.dense.long[x]...), true
	} else if known = c[chunkLen] > 0; known {
		dst = append(dst, c[:c[chunkLen]-1]...)
	}
	if v.marks == nil {
		v.marks = d.marksOf(p, depth)
	}
	t := d.trace
	if known && at < uint64(len(*v.marks)) {
		if m := &(*v.marks)[at]; m.key == x && m.count > 0 {
			for _, k := range m.tokens[:m.count-1] {
				end := start + int(k>>3)
				t.token(TokenKind(k&7), start, end)
				start = end
			}
			return dst
		}
	}
	fence, found := t.record(), len(d.findings)
	dst = d.viewPiece(dst[:start], p, v, depth)
	said := t.recorded(fence)
	if len(d.findings) == found {
		places := 0
		switch {
		case w != nil:
			if !known {
				w.put(x, dst[start:])
			}
			at, places = place(x, len(w.slots)), len(w.slots)
		case !known:
			p.dense.put(x, dst[start:])
			fallthrough
		default:
			places = len(p.dense.texts)
		}
		if t.brackets == 0 && t.prefix < 0 {
			v.mark(places, x, at, said, start)
		}
	}
	t.join(said)
	return dst
}

// mark keeps the tokens of a text that stands in the text from start on, if they have room. It has one of so many places.
func (v *view) mark(places int, x, at uint64, said []Token, start int) {
	if len(*v.marks) < places {
		*v.marks = make([]marks, places)
	}
	m := &(*v.marks)[at]
	if *m = (marks{key: x}); len(said) > len(m.tokens) {
		return
	}
	for i, s := range said {
		if s.Start != start || s.End-s.Start >= 1<<5 {
			return // not all is a token, or one is long
		}
		m.tokens[i] = uint8(s.End-s.Start)<<3 | uint8(s.Kind)
		start = s.End
	}
	m.count = uint8(len(said) + 1)
}

// viewFields prints what stands behind the text of a segment, with its fields.
func (d *Decoder) viewFields(dst []byte, p *segment, from *sources, known bool, depth int) []byte {
	var c *chunk
	if known && (p.kind == segmentDense || p.kind == segmentNamed && d.Symbol == nil) {
		if c = &p.dense.texts[p.key.from(from)]; c[chunkLen]-1 > uint8(chunkLen) {
			c = nil
		}
	}
	start := len(dst)
	switch {
	case p.ref == nil && c != nil && c[chunkLen] == 1 && p.optional():
		return dst
	case p.ref == nil || p.symbols && d.Symbol != nil:
		return d.viewPiece(dst, p, nil, depth)
	case p.ref.Kind == spec.KindBitset:
		dst = d.nested(dst, p.ref, depth)
	case c != nil:
		dst = append(dst, c[:c[chunkLen]-1]...)
	default:
		dst = d.number(dst, p.ref, d.value(p.ref, depth))
	}
	if len(dst) > start || !p.member {
		d.fieldToken(p.ref, depth, start, len(dst), false)
	}
	return dst
}

// optional reports whether items that print nothing show no field.
func (p *segment) optional() bool {
	it := &p.items[0]
	return p.member || it.Kind == model.ItemSet || it.Before != "" || it.After != ""
}

// marksOf returns room for the tokens of a segment's texts, which those that are alike share.
func (d *Decoder) marksOf(p *segment, depth int) *[]marks {
	k := markKey{d.voice(depth), p.alike, nil}
	if alts := p.items[0].Alts; len(alts) > 0 && alts[0].Ref != nil {
		k.field = alts[0].Ref.Field
	}
	if len(d.marks) >= maxSites {
		clear(d.marks)
	} else if d.marks == nil {
		d.marks = map[markKey]*[]marks{}
	}
	list := d.marks[k]
	if list == nil || p.alike == "" {
		list = new([]marks)
		d.marks[k] = list
	}
	return list
}

// markKey says on what the tokens of a segment's texts depend beside them.
type markKey struct {
	voice *voice
	alike string
	field *spec.Field
}
