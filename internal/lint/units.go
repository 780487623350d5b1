package lint

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// unitReader decodes the words of other roots that instructions of the program run.
type unitReader struct {
	decoders map[*isa.Root]*isa.Decoder
	// pieces are the pieces of other roots, by their address in the image.
	pieces map[int64]*program.Piece
	buf    []isa.Hazard
}

// unitHazards reports the hazards of the words that an instruction runs. It reports each hazard at the
// address of the word.
func (l *linter) unitHazards(in *inst) error {
	return l.eachUnit(in, func(d *isa.Decoder, x isa.Inst) {
		l.units.buf = d.Hazards(l.units.buf[:0], x)
		for _, h := range l.units.buf {
			l.report(d.Addr, diag.Code(h.Name), h.Text, "%s", h.Text)
		}
	})
}

// eachUnit calls do with each word of another root that an instruction runs, with a decoder for it.
func (l *linter) eachUnit(in *inst, do func(d *isa.Decoder, x isa.Inst)) error {
	runs, ok := in.inst.Leaf.Runs()
	if !ok {
		return nil
	}
	part := func(p bits.Part) uint64 { return in.inst.Bits.Uint(p.Low, p.Width) }
	first := int64(part(runs.Address))
	for k := range int(part(runs.Count)) {
		var step isa.RunsStep // the zero step if the instruction runs more words than it has steps
		if k < len(runs.Steps) {
			step = runs.Steps[k]
		}
		n := int(part(step.Root))
		if n >= len(runs.Roots) {
			continue
		}
		root := runs.Roots[n]
		addr := (first + int64(k)) * int64(root.Size)
		if l.Base+addr+int64(root.Size) > l.End {
			return nil
		}
		d, err := l.unitDecoder(root, l.Base+addr, runs.Context, part(step.Context))
		if err != nil {
			return err
		}
		v, _ := l.Image.At(l.Base+addr, root, root.Size)
		d.Addr = addr
		if x, ok := d.Decode(v); ok {
			do(d, x)
		}
	}
	return nil
}

// unitDecoder returns a decoder for the word of a root at an address of the image. If the image
// defines the contexts of the word, the decoder uses them. Otherwise it uses the contexts of the
// program, except that the given context has the given value.
func (l *linter) unitDecoder(root *isa.Root, addr int64, context string, value uint64) (*isa.Decoder, error) {
	if l.units.decoders == nil {
		l.units.decoders, l.units.pieces = map[*isa.Root]*isa.Decoder{}, map[int64]*program.Piece{}
		for i := range l.Image.Pieces {
			if p := &l.Image.Pieces[i]; p.Root != nil && p.Root != l.Decoder.Root() {
				l.units.pieces[p.Addr] = p
			}
		}
	}
	d := l.units.decoders[root]
	if d == nil {
		var err error
		if d, err = l.Decoder.Set().NewDecoder(root.Name); err != nil {
			return nil, err
		}
		d.SetTables(l.Image.Tables)
		l.units.decoders[root] = d
	}
	d.SetContext(l.unitContext(root, addr, context, value))
	return d, nil
}

func (l *linter) unitContext(root *isa.Root, addr int64, context string, value uint64) bits.Value {
	if p := l.units.pieces[addr]; p != nil && p.Root == root {
		return p.Context
	}
	ctx := l.Decoder.Context()
	if c := inside.Machine(l.Decoder.Set()).ISA.Context(context); c != nil {
		ctx.SetUint(c.Low, c.Width, value)
	}
	return ctx
}
