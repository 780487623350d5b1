package view_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/alloctest"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/schematest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/survey"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/view"
)

// TestSurveySchema holds a survey against the schema: words that are and are not instructions, with findings, rare values and features.
func TestSurveySchema(t *testing.T) {
	root := schematest.Load(t, "../docs/json.schema.json")
	set, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	s := survey.New(set)
	s.Files, s.FilesWithoutFeatures = 1, 1
	for i := range 400 {
		at, word := survey.Place{Addr: int64(32 * i)}, bits.Of(0x4c0a2000)
		if i%4 == 0 {
			word = bits.Of(uint64(i) * 0x9e3779b1 & 0xffffffff)
		}
		if in, ok := d.Decode(word); ok {
			s.CountInstruction(d, in, at)
		} else {
			s.CountUnknown(d.Root(), word, at)
		}
	}
	s.CountDeclared("stage vertex", 0)
	report, err := s.Report([]string{"a"}, func(survey.Place) (string, int64) { return "main", 0 }, func(*isa.Root) (*isa.Decoder, error) { return d, nil })
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.NonconformingFirst)*len(report.Shapes)*len(report.Rare)*len(report.Features) == 0 {
		t.Errorf("the survey has not all: %s", data)
	}
	root.Def(t, "survey").Check(t, "survey", data)
}

// TestSchema holds words of every instruction of every machine against the schema, brief and in full, and
// reads them with the Go type.
func TestSchema(t *testing.T) {
	root := schematest.Load(t, "../docs/json.schema.json")
	r := rand.New(rand.NewPCG(3, 4))
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		told, err := facts.Open(set)
		if err != nil {
			told = nil // the description has no semantics
		}
		for _, kind := range set.Roots() {
			d, err := set.NewDecoder(kind.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range kind.Leaves {
				v := bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
				in, ok := d.Decode(v.AndNot(l.Mask).Or(l.Match).And(bits.Ones(l.Size)))
				if !ok {
					continue
				}
				for _, detail := range []view.Detail{view.Brief, view.WithFields, view.WithDocs} {
					j := view.JSON{Detail: detail}
					if detail == view.WithDocs {
						j.Facts = told
					}
					data := j.Append(nil, d, in)
					root.Def(t, "instruction").Check(t, m.Name+" "+l.Name, data)
					dec := json.NewDecoder(bytes.NewReader(data))
					dec.DisallowUnknownFields()
					var back view.Instruction
					if err := dec.Decode(&back); err != nil {
						t.Errorf("%s %s: %v", m.Name, l.Name, err)
					}
					if want := string(d.Append(nil, in)); back.Text != strings.ToValidUTF8(want, "\uFFFD") {
						t.Errorf("%s: %q, want %q", l.Name, back.Text, want)
					}
				}
			}
		}
	}
}

// A second sight of an instruction allocates nothing.
func TestJSONAllocates(t *testing.T) {
	d := exampleDecoder(t)
	in, _ := d.Decode(bits.Of(0x2243))
	var j view.JSON
	buf := j.Append(nil, d, in)
	alloctest.None(t, "JSON", 100, func() { buf = j.Append(buf[:0], d, in) })
}

func BenchmarkJSON(b *testing.B) {
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			b.Fatal(diag.Render(err))
		}
		d, err := set.NewDecoder("")
		if err != nil {
			b.Fatal(err)
		}
		var list []isa.Inst
		for _, l := range d.Root().Leaves {
			if in, ok := d.Decode(l.Match); ok {
				list = append(list, in)
			}
		}
		b.Run(m.Name, func(b *testing.B) {
			var j view.JSON
			var buf []byte
			size := 0
			for b.Loop() {
				size = 0
				for _, in := range list {
					buf = j.Append(buf[:0], d, in)
					size += len(buf)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(list)), "ns/inst")
			b.ReportMetric(float64(size)/float64(len(list)), "B/inst")
		})
	}
}

// TestDiffSchema holds a difference against the schema: an instruction that replaces another, one that is added, a declaration.
func TestDiffSchema(t *testing.T) {
	root := schematest.Load(t, "../docs/json.schema.json")
	set, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listing := func(name string, words ...uint32) *view.Listing {
		d, err := set.NewDecoder("")
		if err != nil {
			t.Fatal(err)
		}
		var data []byte
		for _, w := range words {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		im, err := program.Raw(d.Root(), data)
		if err != nil {
			t.Fatal(err)
		}
		im.Declarations = func() ([]program.FileDeclaration, error) {
			return []program.FileDeclaration{{Key: "name", Text: "name " + name}}, nil
		}
		return &view.Listing{Decoder: d, Image: im}
	}
	// nop, end; the bits below the opcode of add are its operands: destination 21..25, source 12..18, source 7..11
	diff, err := view.Compare(listing("a", 0x00001000, 0x88000000), listing("b", 0x00201000, 0x84000000, 0x88000000))
	if err != nil {
		t.Fatal(err)
	}
	report := diff.Report("a.bin", "b.bin")
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	root.Def(t, "diff").Check(t, "diff", data)
	if report.Equal || report.Same != 1 || len(report.Hunks) != 1 || len(report.Declared) != 1 {
		t.Fatalf("%s", data)
	}
	added := report.Hunks[0].Added
	if len(added) != 2 || added[0].Replaces == nil || *added[0].Replaces != 0 || len(added[0].Fields) != 1 || added[1].Replaces != nil || added[1].Address != 4 || added[1].Text != "nop" {
		t.Errorf("%s", data)
	}
	if f := added[0].Fields[0]; f.Before != "0" || f.After != "1" {
		t.Errorf("destination %s becomes %s, want 0 and 1", f.Before, f.After)
	}
}
