package isa

import (
	"fmt"
	mathbits "math/bits"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// key reads the few bits on which something depends, in a frame and in those around it, as one
// number.
type key struct {
	windows []keyWindow
	// width is the number of bits of all windows.
	width int
}

// keyWindow is a run of bits in the frame that is hops further out.
type keyWindow struct {
	hops, limb, shift, at uint8
	mask                  uint64
}

// maxKeyWindows bounds the pieces of a key: what is more scattered is as fast in the general way.
const maxKeyWindows = 6

func (k *key) read(d *Decoder, depth int) uint64 {
	var x uint64
	for i := range k.windows {
		w := &k.windows[i]
		x |= d.frames[depth-int(w.hops)].v[w.limb&3] >> (w.shift & 63) & w.mask << (w.at & 63)
	}
	return x
}

// write gives frames the bits that read finds.
func (k *key) write(d *Decoder, depth int, x uint64) {
	for _, w := range k.windows {
		v := &d.frames[depth-int(w.hops)].v
		v[w.limb] = v[w.limb]&^(w.mask<<w.shift) | x>>w.at&w.mask<<w.shift
	}
}

// keyed is an item whose text depends on few bits, of the word and of those around it: an operand that
// is printed in one way or another as a flag outside says, a computed value.
type keyed struct {
	key    key
	unit   *model.Unit
	item   *model.Item
	shared *keyedTexts
}

// keyedTexts are the texts of a keyed item by its key, made once it has been printed often. Items
// that mean the same share them: an operand that many instructions have.
type keyedTexts struct {
	uses  atomic.Uint32
	texts atomic.Pointer[texts]
}

// keyedUses is how often an item is printed in the general way before all its texts are made. It is
// well below the number of texts, so that long programs gain, and above what one screen needs.
const keyedUses = 100

// newKeyed returns nil where the text of an item depends on too much.
func (s *Set) newKeyed(u *model.Unit, it *model.Item) *keyed {
	c := &dependencies{budget: maxDependencies}
	c.item(it, 0)
	k, ok := c.key()
	if !ok {
		return nil
	}
	shared, _ := s.keyed.LoadOrStore(string(c.shape), &keyedTexts{})
	return &keyed{key: k, unit: u, item: it, shared: shared.(*keyedTexts)}
}

// append appends the text of the item in a frame; ok is false where it is not kept.
func (k *keyed) append(dst []byte, d *Decoder, depth int) (text []byte, ok bool) {
	t := k.shared.texts.Load()
	if t == nil {
		if k.shared.uses.Add(1) < keyedUses {
			return dst, false
		}
		t = k.make(d.set)
		k.shared.texts.Store(t)
	}
	return t.append(dst, k.key.read(d, depth))
}

// make prints the item for all values of its key. What is found in one is to be found again each
// time: its text is not kept.
func (k *keyed) make(set *Set) *texts {
	t := newTexts(1 << k.key.width)
	d, depth := inFrames(set, k.unit)
	var buf []byte
	for x := range t.short {
		d.findings = d.findings[:0]
		d.leave(0)
		k.key.write(d, depth, uint64(x))
		if buf = d.item(buf[:0], k.item, depth); len(d.findings) == 0 {
			t.set(x, string(buf))
		}
	}
	return t
}

// inFrames returns a decoder whose frames, up to depth, are that of a unit and those around it.
func inFrames(set *Set, u *model.Unit) (d *Decoder, depth int) {
	d = newDecoder(set, u.Env)
	for up := u.Env.Up; up != nil; up = up.Env.Up {
		depth++
	}
	for i := depth; i >= 0; i-- {
		d.frames[i].unit = u
		u = u.Env.Up
	}
	return d, depth
}

// keyedCond is a condition that depends on few bits: bit x of table tells whether it holds where the
// key is x.
type keyedCond struct {
	key   key
	table uint64
}

// newKeyedCond returns nil where a condition depends on too much.
func (s *Set) newKeyedCond(u *model.Unit, p *model.Prog) *keyedCond {
	const maxWidth = 6 // of a table in 64 bits
	c := &dependencies{budget: maxDependencies}
	c.prog(p, 0)
	k, ok := c.key()
	if !ok || k.width > maxWidth {
		return nil
	}
	out := &keyedCond{key: k}
	d, depth := inFrames(s, u)
	for x := range uint64(1) << k.width {
		k.write(d, depth, x)
		if d.eval(p, depth) != 0 {
			out.table |= 1 << x
		}
	}
	return out
}

func (k *keyedCond) holds(d *Decoder, depth int) bool {
	return k.table>>(k.key.read(d, depth)&63)&1 != 0
}

// dependencies gathers the bits on which a text or a value depends: of the frame at hand, and of
// those around it.
type dependencies struct {
	masks []bits.Value // by hops
	// budget is what is left to look at; what depends on more, or on anything but bits, has none.
	budget int
	// shape says all that was looked at, so that what has the same shape has the same texts.
	shape []byte
}

const maxDependencies = 1000

func (c *dependencies) fail() { c.budget = -1 }

// spend tells whether there is more to look at.
func (c *dependencies) spend() bool {
	c.budget--
	return c.budget >= 0
}

// saw adds to the shape.
func (c *dependencies) saw(what ...any) { c.shape = fmt.Appendln(c.shape, what...) }

// key joins the bits that were gathered; ok is false where there are too many.
func (c *dependencies) key() (k key, ok bool) {
	if c.budget < 0 {
		return k, false
	}
	for hops, m := range c.masks {
		for limb, x := range m {
			for x != 0 {
				shift := mathbits.TrailingZeros64(x)
				n := mathbits.TrailingZeros64(^(x >> shift))
				w := keyWindow{hops: uint8(hops), limb: uint8(limb), shift: uint8(shift), at: uint8(k.width), mask: ^uint64(0) >> (64 - n)}
				if k.width += n; k.width > maxTexts || len(k.windows) == maxKeyWindows {
					return k, false
				}
				k.windows = append(k.windows, w)
				x &^= w.mask << shift
			}
		}
	}
	return k, true
}

// item follows an item in the frame that is hops outside of the one at hand. Frames inside of it
// have negative hops: their bits are those of a field that was followed already.
func (c *dependencies) item(it *model.Item, hops int) {
	if it.Kind == model.ItemAlign || it.Kind == model.ItemBreak {
		c.fail()
		return
	}
	c.saw("item", it.Kind, it.Text, it.Before, it.After, it.Join, len(it.Members), len(it.Alts))
	for i := range it.Members {
		c.item(&it.Members[i], hops)
	}
	for i := range it.Alts {
		c.alt(&it.Alts[i], hops)
		if ref := it.Alts[i].Ref; c.spend() {
			c.shown(ref, hops)
		}
	}
}

// shown follows what a reference prints beside its value.
func (c *dependencies) shown(ref *model.Ref, hops int) {
	switch {
	case ref == nil || ref.Field.Symbols != "":
		c.fail()
	case ref.Kind == spec.KindBranch || ref.Kind == spec.KindAbsBranch || ref.Kind == spec.KindCustom || ref.Width > 64:
		c.fail()
	case ref.Kind == spec.KindBitset:
		c.env(ref.Env, hops-1)
	}
}

func (c *dependencies) env(env *model.Env, hops int) {
	if -hops >= maxFrames {
		c.fail()
	}
	for _, l := range env.Root.Leaves {
		if !c.spend() {
			return
		}
		u := env.Unit(l)
		c.saw("leaf", pointer(l), len(u.Cases))
		if len(u.Requires) > 0 || len(u.Tables) > 0 {
			c.fail()
		}
		for _, x := range u.Cases {
			c.saw("case", x.Cond != nil, x.Shown, len(x.Items))
			if x.Cond != nil {
				c.prog(x.Cond, hops)
			}
			for i := range x.Items {
				c.item(&x.Items[i], hops)
			}
		}
	}
}

func (c *dependencies) alt(a *model.Alt, hops int) {
	if !c.spend() {
		return
	}
	if a.Cond != nil {
		c.prog(a.Cond, hops+a.CondHops)
	}
	ref := a.Ref
	if ref == nil || ref.Context != nil || len(ref.Enter) > 0 || ref.Field.Table != nil {
		c.fail()
		return
	}
	c.saw("ref", a.Cond != nil, pointer(ref.Field), hops, ref.Hops)
	if hops += ref.Hops; ref.Prog != nil {
		c.prog(ref.Prog, hops)
		return
	}
	for _, p := range ref.Field.Parts {
		c.bits(hops, p)
	}
}

func (c *dependencies) prog(p *model.Prog, hops int) {
	if len(p.Missing) > 0 || p.Cycle {
		c.fail()
		return
	}
	c.node(p.Root, hops)
}

func (c *dependencies) node(n *model.Node, hops int) {
	if n == nil || !c.spend() {
		return
	}
	c.saw("node", n.Op, n.Type, n.Value, hops, len(n.Alts), n.Y != nil)
	for i := range n.Alts {
		c.alt(&n.Alts[i], hops)
	}
	c.node(n.X, hops)
	c.node(n.Y, hops)
	c.node(n.Z, hops)
}

// pointer names what is the same only if it is one.
func pointer(p any) string { return fmt.Sprintf("%p", p) }

func (c *dependencies) bits(hops int, p spec.Part) {
	if hops < 0 {
		return
	}
	for len(c.masks) <= hops {
		c.masks = append(c.masks, bits.Value{})
	}
	c.masks[hops] = c.masks[hops].Or(bits.Ones(p.Width).Shl(p.Low))
}
