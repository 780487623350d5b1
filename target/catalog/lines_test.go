package catalog_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

var linesFile = flag.String("lines", "", "BenchmarkLines also reads the lines of this file, as MACHINE=FILE")

// lineReader is a parser in some contexts, with the lines that it reads.
type lineReader struct {
	set   *isa.Set
	root  string
	ctx   bits.Value
	lines []string
}

// fresh returns a parser that has read nothing.
func (r *lineReader) fresh(tb testing.TB) *asm.Parser {
	tb.Helper()
	p, err := asm.New(r.set, r.root)
	if err != nil {
		tb.Fatal(err)
	}
	p.SetContext(r.ctx)
	p.Symbol = func(string) (int64, bool) { return 0, true }
	return p
}

// bundled returns the lines of a machine's programs in examples, each as it is listed, in their order: by root and
// contexts, of several programs.
func bundled(tb testing.TB, m catalog.Machine, set *isa.Set) (readers []*lineReader) {
	tb.Helper()
	if m.NewCompiler == nil {
		return nil
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", m.Name, "*"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		list, ok := listed(tb, m, set, data, nil)
		if src := (&diag.Source{Name: file, Text: string(data)}); !ok {
			if of, ok := catalog.RecogniseSource(src); !ok || of.Name != m.Name {
				continue
			}
			data, ctx := compiled(tb, m, src, set.DefaultContext())
			list, _ = listed(tb, m, set, data, &ctx)
		}
		for _, x := range list {
			i := slices.IndexFunc(readers, func(r *lineReader) bool { return r.root == x.root && r.ctx == x.ctx })
			if i < 0 {
				readers = append(readers, x)
			} else {
				readers[i].lines = append(readers[i].lines, x.lines...)
			}
		}
	}
	return readers
}

// compiled compiles a source, and returns the contexts of the program too.
func compiled(tb testing.TB, m catalog.Machine, src *diag.Source, ctx bits.Value) ([]byte, bits.Value) {
	tb.Helper()
	c, err := m.NewCompiler()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := c.Compile([]*diag.Source{src}, catalog.CompileOptions{Jobs: 1})
	if err != nil {
		tb.Fatal(diag.Render(err))
	}
	if out.Context != nil {
		ctx = *out.Context
	}
	return out.Bytes, ctx
}

// listed returns the lines of the instructions of a program, by root; ok is false where that is no file of the machine's. A
// program without container is one if its contexts are given.
func listed(tb testing.TB, m catalog.Machine, set *isa.Set, data []byte, ctx *bits.Value) (readers []*lineReader, ok bool) {
	tb.Helper()
	d, err := set.NewDecoder("")
	if err != nil {
		tb.Fatal(err)
	}
	if ctx != nil {
		d.SetContext(*ctx)
	}
	var im *catalog.Image
	of, format, recognised := catalog.Recognise(data)
	switch {
	case recognised && of.Name == m.Name:
		im, err = format.Open(set, data)
	case m.Raw != nil && ctx != nil:
		im, err = m.Raw.Open(set, *ctx, data, "")
	default:
		return nil, false
	}
	if err != nil {
		return nil, false
	}
	d.SetTables(im.Tables)
	l := &view.Listing{Decoder: d, Image: im, Bare: true}
	l.Each(func(x view.Decoded) bool {
		if !x.Known {
			return true
		}
		root := x.Decoder.Root().Name
		i := slices.IndexFunc(readers, func(r *lineReader) bool { return r.root == root && r.ctx == x.Decoder.Context() })
		if i < 0 {
			i = len(readers)
			readers = append(readers, &lineReader{set: set, root: root, ctx: x.Decoder.Context()})
		}
		readers[i].lines = append(readers[i].lines, string(x.Decoder.Append(nil, x.Inst)))
		return true
	})
	return readers, true
}

// randomLines returns so many different lines of all instructions of a machine, whose operands are random.
func randomLines(tb testing.TB, set *isa.Set, most int) *lineReader {
	tb.Helper()
	d, err := set.NewDecoder("")
	if err != nil {
		tb.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	fillTables(d, rnd)
	r := &lineReader{set: set, root: d.Root().Name, ctx: d.Context()}
	seen := map[string]bool{}
	leaves := d.Root().Leaves
	var text []byte
	for range 20 * most {
		l := leaves[rnd.IntN(len(leaves))]
		v := bits.Value{rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64()}
		in, ok := d.Decode(v.AndNot(l.Mask.Or(l.DontCare).Or(l.AssertedBits())).Or(l.Match).And(bits.Ones(l.Size)))
		if !ok {
			continue
		}
		if text = d.Append(text[:0], in); len(d.Findings()) > 0 || seen[string(text)] {
			continue
		}
		seen[string(text)] = true
		if r.lines = append(r.lines, string(text)); len(r.lines) == most {
			break
		}
	}
	return r
}

// distinct leaves each line once.
func (r *lineReader) distinct() {
	seen := map[string]bool{}
	r.lines = slices.DeleteFunc(r.lines, func(line string) bool {
		was := seen[line]
		seen[line] = true
		return was
	})
}

// BenchmarkLines reads lines that are all different, each once, by parsers that have read nothing: "bundled" are those of
// the programs in examples, "random" have random operands, "file" are those of the flag -lines. Lines that a parser alone
// cannot read are left out.
func BenchmarkLines(b *testing.B) {
	machine, file, _ := strings.Cut(*linesFile, "=")
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			b.Fatal(diag.Render(err))
		}
		run := func(name string, readers ...*lineReader) {
			if len(readers) > 0 {
				b.Run(m.Name+"/"+name, func(b *testing.B) { readLines(b, readers) })
			}
		}
		run("bundled", bundled(b, m, set)...)
		run("random", randomLines(b, set, 4000))
		if m.Name == machine {
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			d, err := set.NewDecoder("")
			if err != nil {
				b.Fatal(err)
			}
			r := &lineReader{set: set, root: d.Root().Name, ctx: d.Context()}
			for line := range bytes.Lines(data) {
				r.lines = append(r.lines, string(bytes.TrimSpace(line)))
			}
			run("file", r)
		}
	}
}

func readLines(b *testing.B, readers []*lineReader) {
	var parsers []*asm.Parser
	lines := 0
	for _, r := range readers {
		r.distinct()
		p := r.fresh(b)
		r.lines = slices.DeleteFunc(r.lines, func(line string) bool {
			_, ok := p.Try(line)
			return !ok
		})
		lines += len(r.lines)
		parsers = append(parsers, r.fresh(b))
	}
	for b.Loop() {
		b.StopTimer()
		for i, r := range readers {
			parsers[i] = r.fresh(b)
		}
		b.StartTimer()
		for i, r := range readers {
			for _, line := range r.lines {
				if _, ok := parsers[i].Try(line); !ok {
					b.Fatal(line)
				}
			}
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Minst/s")
	b.ReportMetric(float64(lines), "lines")
}
