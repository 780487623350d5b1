package view_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
	"github.com/isago/isago/view"
)

// TestLosslessPrograms holds that the lossless listing of any words assembles to the same words, on a machine with several
// instruction lengths and alignments.
func TestLosslessPrograms(t *testing.T) {
	set, err := tesla.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	compiler, err := tesla.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		ctx := set.DefaultContext()
		for _, c := range set.Contexts() {
			if ctx, err = set.ParseContext(ctx, c.Name, rapid.SampledFrom(c.Values).Draw(t, c.Name)); err != nil {
				t.Fatal(err)
			}
		}
		var data []byte
		for _, w := range rapid.SliceOfN(rapid.OneOf(rapid.Uint32(), nearBranch()), 0, 30).Draw(t, "words") {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		text := losslessListing(t, set, ctx, data)
		out, err := compiler.Compile([]*diag.Source{{Name: "p.s", Text: text}}, program.CompileOptions{
			Context: func(*isa.Set) (bits.Value, error) { return ctx, nil },
		})
		if err != nil {
			t.Fatalf("%s\n%s", diag.Render(err), text)
		}
		if !bytes.Equal(out.Bytes, data) {
			t.Fatalf("%x became %x\n%s", data, out.Bytes, text)
		}
	})
}

// nearBranch draws the first word of a branch to one of the first words.
func nearBranch() *rapid.Generator[uint32] {
	return rapid.Custom(func(t *rapid.T) uint32 { return 0x10000003 | rapid.Uint32Range(0, 20).Draw(t, "target")<<11 })
}

func losslessListing(t *rapid.T, set *isa.Set, ctx bits.Value, data []byte) string {
	s := view.Stream{In: bytes.NewReader(data), Size: int64(len(data)), Workers: 1}
	s.New = func(labels *program.Labels) (*view.Listing, error) {
		d, err := set.NewDecoder("")
		if err != nil {
			return nil, err
		}
		p, err := asm.New(set, "")
		if err != nil {
			return nil, err
		}
		d.SetContext(ctx)
		p.SetContext(ctx)
		if labels != nil {
			p.Symbol = labels.Address
		}
		lossless := asm.NewLossless(d, p)
		l := &view.Listing{Decoder: d, Image: &program.Image{}, Quiet: true}
		l.Print = func(dst []byte, in isa.Inst) []byte {
			text, ok := lossless.Append(dst, in)
			if !ok {
				return program.AppendData(dst, d.Root(), in.Bits, in.Leaf.Size)
			}
			return text
		}
		return l, nil
	}
	var out bytes.Buffer
	if _, err := s.Write(t.Context(), bufio.NewWriter(&out)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
