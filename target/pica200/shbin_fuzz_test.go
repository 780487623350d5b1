package pica200_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/isago/isago/target/pica200"
)

// FuzzSHBIN reads arbitrary bytes. A file that is refused has an error that points into it; of one
// that is accepted every byte is kept, which writing it back shows, as bytes and as source.
func FuzzSHBIN(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(shbinBare())
	f.Add(shbinOldLayout())
	f.Add(shbinFull())
	f.Add(append(shbinFull(), 1, 2, 3))
	f.Add(shbinPatch(0x1c, 4))          // code over descriptors
	f.Add(shbinPatch(0x0c, 0x64))       // one DVLE twice
	f.Add(shbinPatch(0x04, 0xffffffff)) // too many DVLEs
	for _, name := range []string{"every", "light", "points", "skin"} {
		data, err := os.ReadFile("../../examples/pica200/" + name + ".shbin")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	a := newAssembler(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := pica200.ReadSHBIN(data)
		if err != nil {
			if file != nil {
				t.Error("a file is returned with an error")
			}
			shbinCheckError(t, data, err)
			return
		}
		if !pica200.IsSHBIN(data) {
			t.Error("accepted, yet not recognised")
		}
		if got := shbinBytes(file); !bytes.Equal(got, data) {
			t.Errorf("written back as\n%x, read from\n%x", got, data)
		}
		if got, err := pica200.WriteSHBIN(file); err != nil || !bytes.Equal(got, data) {
			t.Errorf("WriteSHBIN gives\n%x, %v, read from\n%x", got, err, data)
		}
		shbinCheckCounts(t, data, file)
		roundTrip(t, a, data)
	})
}

// shbinCheckCounts checks that each table has as many entries as its header says, and that all of
// them together are not more than the file has bytes for.
func shbinCheckCounts(t *testing.T, data []byte, f *pica200.SHBIN) {
	total := 8 + 40
	count := func(ref pica200.TableRef, n, size int) {
		if uint32(n) != ref.Count {
			t.Errorf("%d entries of %d", n, ref.Count)
		}
		total += n * size
	}
	count(f.DVLP.CodeTable, len(f.DVLP.Code), 4)
	count(f.DVLP.DescriptorTable, len(f.DVLP.Descriptors), 8)
	for i := range f.DVLEs {
		d := &f.DVLEs[i]
		total += 4 + 64
		count(d.ConstantTable, len(d.Constants), 20)
		count(d.LabelTable, len(d.Labels), 16)
		count(d.OutputTable, len(d.Outputs), 8)
		count(d.UniformTable, len(d.Uniforms), 8)
		count(d.SymbolTable, len(d.Symbols), 1)
		if n := len(d.UniformNames()); n != pica200.UniformRegs {
			t.Errorf("%d names of uniform registers", n)
		}
	}
	for _, g := range f.Gaps {
		if len(g.Bytes) == 0 {
			t.Error("an empty gap")
		}
		total += len(g.Bytes)
	}
	if total != len(data) {
		t.Errorf("headers, tables and gaps have %d bytes together, the file %d", total, len(data))
	}
}
