package pica200

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// WriteSHBIN returns the bytes of a shader file. Headers and tables go where their offsets say, which
// Place computes for a file that was not read, and between them the gaps; counts follow from the
// tables. What ReadSHBIN returns is written as the bytes that were read. The error tells that two
// parts want the same bytes, or that one lies beyond what an offset can say.
func WriteSHBIN(f *SHBIN) ([]byte, error) {
	w := &shbinWriter{}
	w.headers(f)
	w.code(&f.DVLP, dvlbSize+int64(len(f.DVLEs))*dvleOffsetSize)
	for i := range f.DVLEs {
		w.tables(i, &f.DVLEs[i])
	}
	for _, g := range f.Gaps {
		w.part(kindGap, 0, g.Offset, g.Bytes)
	}
	return w.join()
}

// MaxFileSize is the largest file that is written. Offsets have 32 bits and may be relative to others.
const MaxFileSize = 1 << 30

// shbinWriter collects the parts of a file.
type shbinWriter struct{ parts []writtenPart }

type writtenPart struct {
	kind  *shbinKind
	dvle  int
	start int64
	data  []byte
}

func (p *writtenPart) name() string { return p.kind.nameIn(p.dvle) }

func (w *shbinWriter) part(kind *shbinKind, dvle int, start int64, data []byte) {
	if len(data) > 0 {
		w.parts = append(w.parts, writtenPart{kind, dvle, start, data})
	}
}

// join puts the parts in their places.
func (w *shbinWriter) join() ([]byte, error) {
	slices.SortStableFunc(w.parts, func(a, b writtenPart) int { return cmp.Compare(a.start, b.start) })
	size := int64(0)
	for _, p := range w.parts {
		size = max(size, p.start+int64(len(p.data)))
	}
	out := make([]byte, 0, min(size, MaxFileSize))
	for i := range w.parts {
		p := &w.parts[i]
		switch {
		case p.start < int64(len(out)):
			return nil, fmt.Errorf("%s at 0x%x overlaps the %s, which ends at 0x%x", p.name(), p.start, w.parts[i-1].name(), len(out))
		case p.start+int64(len(p.data)) > MaxFileSize:
			return nil, fmt.Errorf("%s at 0x%x would make the file larger than 0x%x bytes", p.name(), p.start, MaxFileSize)
		}
		out = append(out, make([]byte, int(p.start)-len(out))...)
		out = append(out, p.data...)
	}
	return out, nil
}

func u16(dst []byte, v uint16) []byte { return binary.LittleEndian.AppendUint16(dst, v) }
func u32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }

// ref appends the place and the number of the entries of a table.
func ref(dst []byte, t TableRef, n int) []byte { return u32(u32(dst, t.Offset), uint32(n)) }

func (w *shbinWriter) headers(f *SHBIN) {
	b := u32([]byte(magicDVLB), uint32(len(f.DVLEs)))
	for i := range f.DVLEs {
		b = u32(b, f.DVLEs[i].Offset)
	}
	w.part(kindDVLB, 0, 0, b)
	w.part(kindDVLP, 0, int64(len(b)), f.DVLP.header())
	for i := range f.DVLEs {
		d := &f.DVLEs[i]
		w.part(kindDVLE, i, int64(d.Offset), d.header())
	}
}

func (p *DVLP) header() []byte {
	b := u32([]byte(magicDVLP), p.Version)
	b = ref(b, p.CodeTable, len(p.Code))
	b = ref(b, p.DescriptorTable, len(p.Descriptors))
	b = u32(b, p.Word18)
	if p.Short {
		return b
	}
	return u32(u32(u32(b, p.Word1C), p.Word20), p.Word24)
}

func (d *DVLE) header() []byte {
	b := u16([]byte(magicDVLE), d.Word04)
	b = append(b, byte(d.Type), d.MergeOutmaps)
	b = u32(u32(b, d.Entry), d.End)
	b = u16(u16(b, d.InputMask), d.OutputMask)
	b = append(b, byte(d.GeometryMode), d.FixedStart, d.VariableCount, d.FixedCount)
	for _, t := range d.tables() {
		b = ref(b, *t.ref, t.count)
	}
	return b
}

func (w *shbinWriter) code(p *DVLP, base int64) {
	code, descriptors := make([]byte, 0, wordSize*len(p.Code)), make([]byte, 0, descriptorSize*len(p.Descriptors))
	for _, c := range p.Code {
		code = u32(code, c)
	}
	for _, d := range p.Descriptors {
		descriptors = u32(u32(descriptors, d.Value), d.Second)
	}
	w.part(kindCode, 0, base+int64(p.CodeTable.Offset), code)
	w.part(kindDescriptor, 0, base+int64(p.DescriptorTable.Offset), descriptors)
}

func (w *shbinWriter) tables(i int, d *DVLE) {
	var constants, labels, outputs, uniforms []byte
	for _, c := range d.Constants {
		constants = append(u16(u16(constants, uint16(c.Type)), c.ID), c.Payload[:]...)
	}
	for _, l := range d.Labels {
		labels = append(append(labels, l.ID), l.Pad[:]...)
		labels = u32(u32(u32(labels, l.Address), l.Size), l.SymbolOffset)
	}
	for _, o := range d.Outputs {
		outputs = append(u16(u16(outputs, uint16(o.Semantic)), o.Register), o.Mask)
		outputs = append(outputs, o.Pad[:]...)
	}
	for _, u := range d.Uniforms {
		uniforms = u16(u16(u32(uniforms, u.SymbolOffset), uint16(u.First)), uint16(u.Last))
	}
	data := [...][]byte{constants, labels, outputs, uniforms, []byte(d.Symbols)}
	for k, t := range d.tables() {
		w.part(t.kind, i, int64(d.Offset)+int64(t.ref.Offset), data[k])
	}
}

// Place sets the places of headers and tables as picasso does: one after the other, with each DVLE padded to words.
// It replaces the gaps.
func (f *SHBIN) Place() {
	f.Gaps = nil
	p := &f.DVLP
	at := uint32(dvlpSize)
	at = p.CodeTable.place(kindCode, at, len(p.Code))
	at = p.DescriptorTable.place(kindDescriptor, at, len(p.Descriptors))
	p.Word18 = at
	at += dvlbSize + uint32(len(f.DVLEs))*dvleOffsetSize
	for i := range f.DVLEs {
		d := &f.DVLEs[i]
		d.Offset = at
		at += d.place(dvleSize, 0, 1, 2, 3, 4)
		if pad := -at % wordSize; pad > 0 {
			f.Gaps = append(f.Gaps, Gap{Offset: int64(at), Bytes: make([]byte, pad)})
			at += pad
		}
	}
}

// PlaceLikeNihstro sets the places of headers and tables as nihstro does: the headers, with a short DVLP, then code
// and descriptors, then the tables of each DVLE, without padding. It replaces the gaps.
func (f *SHBIN) PlaceLikeNihstro() {
	f.Gaps = nil
	p := &f.DVLP
	p.Short = true
	base := dvlbSize + uint32(len(f.DVLEs))*dvleOffsetSize
	at := base + dvlpShortSize
	for i := range f.DVLEs {
		f.DVLEs[i].Offset = at
		at += dvleSize
	}
	at = p.CodeTable.place(kindCode, at-base, len(p.Code))
	at = base + p.DescriptorTable.place(kindDescriptor, at, len(p.Descriptors))
	for i := range f.DVLEs {
		d := &f.DVLEs[i]
		at = d.Offset + d.place(at-d.Offset, 2, 0, 3, 1, 4)
	}
}

// place puts tables, by their numbers, one after the other from an offset on; it returns the offset after them.
func (d *DVLE) place(at uint32, order ...int) uint32 {
	tables := d.tables()
	for _, i := range order {
		at = tables[i].ref.place(tables[i].kind, at, tables[i].count)
	}
	return at
}

// place puts a table at an offset; it returns the offset after it.
func (t *TableRef) place(kind *shbinKind, at uint32, n int) uint32 {
	t.Offset, t.Count = at, uint32(n)
	return at + uint32(n)*uint32(kind.entry)
}
