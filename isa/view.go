package isa

import (
	"math"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// view belongs to one segment of a display in one site. It caches what is needed to record the tokens and the fields of
// that segment.
type view struct {
	// text holds the token kinds of the constant text, in the format of trace.kinds. They are valid if
	// the state before the text equals before. after is the state after the text.
	text          string
	before, after textState
	// group is the style of the operand to which the segment belongs, or nil.
	group *tokenStyle
	// field is the field that is printed without conditions, or nil. It is not set if tokens are
	// recorded.
	field *fieldSite
	// kinds caches the token kinds of the segment's texts.
	kinds memo
}

// textState is the state on which the tokens of a text depend, in addition to its style.
type textState struct {
	// mnemonicPrinted reports whether the mnemonic was printed. brackets is the number of open
	// brackets in a register.
	mnemonicPrinted bool
	brackets        int
	// prefix is the offset, from the start of the text, of a number prefix at the end of the text. It is
	// noPrefix if there is no such prefix.
	prefix int
}

const noPrefix = math.MinInt / 2

// viewsOf returns the views of a display at the frame's site.
func (d *Decoder) viewsOf(x *display, depth int) []view {
	s := d.frames[depth].site
	if s.views == nil {
		s.views = make([][]view, len(x.unit.Cases))
	}
	if s.views[x.number] == nil {
		list := make([]view, len(x.segments))
		for i := range list {
			if p := &x.segments[i]; s.style != nil {
				list[i].group = d.groupStyle(p.operand, depth)
			} else if p.ref != nil {
				list[i].field = d.reached(p.ref, depth)
			}
		}
		s.views[x.number] = list
	}
	return s.views[x.number]
}

// view prints a display and records its tokens, fields or operands.
func (d *Decoder) view(dst []byte, x *display, depth int) []byte {
	if !x.reads.find(d, &d.frames[depth].from) {
		x = plainDisplayOf(x.unit, x.number)
	}
	views := d.viewsOf(x, depth)
	groups := x.groups
	if d.watch != watchOperands {
		groups = nil
	}
	open, start := false, 0 // whether a group is open, and the offset of its text
	for i := range x.segments {
		p := &x.segments[i]
		for ; len(groups) > 0; groups = groups[1:] {
			g := &groups[0]
			if !open && g.from.segment == i {
				d.watch, open, start = watchNothing, true, len(dst)+g.from.offset
			}
			if !open || g.to.segment != i {
				break
			}
			d.watch, open = watchOperands, false
			d.walk.note(nil, nil, g.operand, g.items, depth, start, len(dst)+g.to.offset)
		}
		at := len(dst)
		if dst = p.constant(dst); d.watch == watchTokens && len(dst) > at {
			d.viewText(p, &views[i], at, depth)
		}
		switch {
		case p.kind == segmentEnd:
		case d.watch == watchTokens:
			dst = d.viewTokens(dst, p, &views[i], depth)
		case d.watch == watchFields:
			dst = d.viewFields(dst, p, views[i].field, depth)
		default:
			dst = d.viewOperands(dst, p, depth)
		}
	}
	return dst
}

// viewText records the tokens of a segment's constant text. start is the offset of that text in the
// buffer.
func (d *Decoder) viewText(p *segment, v *view, start, depth int) {
	t := &d.trace
	if v.text != "" && !d.general && v.before.mnemonicPrinted == t.mnemonicPrinted[depth] && v.before.brackets == t.brackets {
		t.kinds = append(t.upTo(start), v.text...)
		t.mnemonicPrinted[depth], t.brackets, t.prefix = v.after.mnemonicPrinted, v.after.brackets, start+v.after.prefix
		return
	}
	v.before = textState{t.mnemonicPrinted[depth], t.brackets, 0}
	at := start
	for _, it := range p.fronts {
		t.group = d.groupStyle(it.Operand, depth)
		switch {
		case it.Text == "":
		case it.Kind == model.ItemName:
			d.nameToken(it.Text, at, depth)
		default:
			d.literalToken(it.Text, at, depth)
		}
		at += len(it.Text)
	}
	v.text = string(t.upTo(at)[start-t.start:])
	v.after = textState{t.mnemonicPrinted[depth], t.brackets, t.prefix - start}
	if t.prefix < 0 {
		v.after.prefix = noPrefix
	}
}

// viewTokens prints the item of a segment and records its tokens.
func (d *Decoder) viewTokens(dst []byte, p *segment, v *view, depth int) []byte {
	t := &d.trace
	t.group = v.group
	if !p.hasMemo() || p.symbols && d.Symbol != nil || t.prefix >= 0 || t.brackets > 0 || !d.settled(depth) {
		return d.viewItem(dst, p, depth)
	}
	m := &v.kinds
	if m.moreTexts == nil {
		alike := p.alike
		if alike != (cacheKey{}) {
			alike.style, alike.styleField = d.style(depth), p.items[0].Alts[0].Ref.Field
		}
		*m = d.memoOf(p, alike)
	}
	if m.skip() {
		return d.viewItem(dst, p, depth)
	}
	x, start := p.key.from(&d.frames[depth].from), len(dst)
	if text, known := p.memo.text(x); known && len(text) == 0 {
		return dst // an option that prints nothing
	} else if kinds, ok := m.text(x); ok && known {
		t.kinds = append(t.upTo(start), kinds...)
		return append(dst, text...)
	}
	found := len(d.findings)
	dst = d.viewItem(dst, p, depth)
	if len(d.findings) == found && t.brackets == 0 && t.prefix < 0 {
		t.kinds = t.upTo(len(dst))
		m.keep(x, t.kinds[start-t.start:])
		p.keep(x, dst[start:])
	}
	return dst
}

// settled reports whether the next text of a frame cannot be its mnemonic.
func (d *Decoder) settled(depth int) bool {
	v := d.style(depth)
	return !v.hasMnemonic || v.named || d.trace.mnemonicPrinted[depth]
}

// viewItem prints the item of a segment without the segment's memo.
func (d *Decoder) viewItem(dst []byte, p *segment, depth int) []byte {
	start, shown := len(dst), len(d.trace.shown)
	if dst = d.item(dst, &p.items[0], depth); p.member && len(dst) == start {
		dst = d.dropText(dst, start, shown)
	}
	return dst
}

// viewFields prints the item of a segment and records its fields. f is the field that is printed
// without conditions, or nil.
func (d *Decoder) viewFields(dst []byte, p *segment, f *fieldSite, depth int) []byte {
	it, start, found := &p.items[0], len(dst), len(d.findings)
	switch {
	case p.symbols && d.Symbol != nil || f == nil && !p.hasMemo():
		return d.viewItem(dst, p, depth)
	case f != nil && p.ref.Kind == spec.KindBitset:
		dst = d.nested(dst, p.ref, depth)
	default:
		d.watch = watchNothing
		dst = d.segment(dst, p, depth)
		d.watch = watchFields
	}
	left := len(dst) == start && (p.member || it.Kind == model.ItemSet || it.Before+it.After != "") // the text is dropped, with its fields
	if f != nil && !left {
		d.trace.shown = append(d.trace.shown, shownField{f, start, len(dst), p.ref.ScopeDepth > 0})
	} else if !left {
		d.dropFindings(found)
		dst = d.viewItem(dst[:start], p, depth)
	}
	return dst
}

// viewOperands prints the item of a segment. It records the operands of the item if watch is
// watchOperands.
func (d *Decoder) viewOperands(dst []byte, p *segment, depth int) []byte {
	if d.watch == watchNothing {
		return d.segment(dst, p, depth)
	}
	if p.looks {
		return d.items(dst, p.items, depth)
	}
	start := len(dst)
	d.watch = watchNothing
	dst = d.segment(dst, p, depth)
	d.watch = watchOperands
	if p.ref != nil {
		d.walk.field(p.ref, nil, depth, start, len(dst))
	}
	return dst
}
