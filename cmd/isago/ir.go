package main

import (
	"bufio"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// operations lists the instructions of a program, each with the operations that it is lowered to.
func (f *disFlags) operations(cmd *cobra.Command, name string) error {
	set, p, size, err := f.lowered(cmd, name)
	if err != nil {
		return err
	}
	start := func() (func(stretch) stretchText, error) {
		d, err := f.programDecoder(set, p)
		return func(s stretch) stretchText { return s.list(p, d) }, err
	}
	scout, err := f.programDecoder(set, p)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(cmd.OutOrStdout(), outputBuffer)
	findings := false
	progress := progressOf(cmd)
	err = inorder.Run(f.jobs, stretches(p, scout), start, func(r stretchText, _ bool) error {
		findings = findings || r.findings
		if r.err != nil {
			return r.err
		}
		progress.report("%s: %d %%", inputName(name), 100*int64(r.end)*int64(p.Machine.Unit)/size)
		_, err := w.Write(r.text)
		return err
	})
	if err = errors.Join(err, w.Flush()); err != nil || !findings {
		return err
	}
	return errFindings
}

// lowered reads a program for lowering. size is the size of its code in bits.
func (f *disFlags) lowered(cmd *cobra.Command, name string) (set *isa.Set, p *exec.Program, size int64, err error) {
	in, err := f.openPart(cmd, name)
	if err != nil {
		return nil, nil, 0, err
	}
	defer in.Close()
	set, im, err := f.readImage(name, in)
	if err != nil {
		return nil, nil, 0, err
	}
	m, err := exec.Open(set)
	if err != nil {
		return nil, nil, 0, err
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, nil, 0, err
	}
	root, err := m.Root(f.root)
	if err != nil {
		return nil, nil, 0, err
	}
	words := m.Words32(root, im.Words, im.Bits)
	words.Context = ctx
	copy(words.Tables, im.Tables)
	return set, exec.NewProgram(m, words), im.Size(), nil
}

// programDecoder returns a decoder of a program's instructions.
func (f *machineFlags) programDecoder(set *isa.Set, p *exec.Program) (*isa.Decoder, error) {
	named := *f
	named.root = p.Root.Name
	d, err := named.decoder(set)
	if err != nil {
		return nil, err
	}
	d.SetContext(p.Context)
	d.SetTables(p.Tables)
	return d, nil
}

// stretch is a part of a program: the instructions that start in the range of addresses from <= address < to.
type stretch struct{ from, to uint64 }

// stretchText is the listing of a stretch, which ends before the address end. findings is set if a word is not an
// instruction, or needs a missing table entry.
type stretchText struct {
	text     []byte
	end      uint64
	findings bool
	err      error
}

// stretchLength is the number of instructions in a stretch. The listing of one instruction may have a hundred lines.
const stretchLength = 64

// stretches divides a program at instruction boundaries. A word that is not an instruction is one unit long.
func stretches(p *exec.Program, d *isa.Decoder) iter.Seq[stretch] {
	unit := p.Machine.Unit
	return func(yield func(stretch) bool) {
		for s := (stretch{}); ; s.from = s.to {
			for range stretchLength {
				v, ok := p.Fetch(s.to)
				if !ok {
					break
				}
				length := 1
				if in, ok := d.Decode(v); ok {
					length = (in.Leaf.Size + unit - 1) / unit
				}
				s.to += uint64(length)
			}
			if s.to == s.from || !yield(s) {
				return
			}
		}
	}
}

// list returns the listing of the stretch. It does not keep the operations, because each instruction is lowered only
// once.
func (s stretch) list(p *exec.Program, d *isa.Decoder) (r stretchText) {
	r.end = s.to
	var buf []byte
	for addr := s.from; addr < s.to; {
		v, _ := p.Fetch(addr)
		text := "?"
		if in, ok := d.Decode(v); ok {
			buf = d.Append(buf[:0], in)
			text = blank(buf)
			r.findings = r.findings || in.MissingEntry
		}
		r.text = fmt.Appendf(r.text, "0x%04x\t%s\n", p.Machine.Address(addr), text)
		code, err := p.Lower(inside.Key{}, v, addr)
		addr++
		switch {
		case errors.Is(err, sem.ErrUnknown):
			r.findings = true
		case err != nil:
			r.err = err
			return r
		default:
			addr = max(addr, code.Next)
			r.text = code.Append(r.text, "\t")
		}
	}
	return r
}
