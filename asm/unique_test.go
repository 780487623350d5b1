package asm

import (
	"flag"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

var pathWords = flag.Int("path-words", 300, "how many words TestPaths prints of each root and set of contexts")

// TestPaths prints words of few instructions with few operands, as programs have them: what is known by the paths of
// texts is what reading each text back gives. Every description is tried, with all kinds of things that a number can
// matter by.
func TestPaths(t *testing.T) {
	known := 0
	for _, file := range descriptions(t) {
		t.Run(strings.ReplaceAll(file, "../", ""), func(t *testing.T) {
			s, err := isa.Load(os.DirFS(filepath.Dir(file)), filepath.Base(file), isa.Options{})
			if err != nil {
				t.Skip(isa.Explain(err)) // made to be refused
			}
			for _, root := range s.Roots() {
				for turn := range 3 {
					known += comparePaths(t, s, root.Name, turn)
				}
			}
		})
	}
	if known < 1000 {
		t.Errorf("%d words were known", known)
	}
}

// TestContradictions prints words whose texts only seem to have a second reading: it gives a bit two values, or one with
// which a condition does not hold.
func TestContradictions(t *testing.T) {
	for _, far := range []string{"{S} == 1", "{S} &gt; 0"} {
		s, err := isa.Load(fstest.MapFS{"test.xml": {Data: []byte(`<isa strict="true"><bitset name="#instruction" size="16"/>
<enum name="#side"><value val="0" display="left"/><value val="1" display="left"/></enum>
<bitset name="turn" extends="#instruction">
<override expr="` + far + `"><display>turn {S} {N}, far</display></override><display>turn {S} {N}</display>
<field name="N" low="0" high="14" type="uint"/><field name="S" pos="15" type="#side"/></bitset></isa>`)}}, "test.xml", isa.Options{})
		if err != nil {
			t.Fatal(isa.Explain(err))
		}
		x := newVerdictTest(t, s, "")
		x.remembers.texts.asked = fewTexts
		for i := range uint64(200) {
			in, _ := x.remembers.d.Decode(bits.Of(i*0x155 | i<<15&0x8000))
			x.compare(t, in)
		}
		if known := x.remembers.texts.known; known < 150 {
			t.Errorf("%s: %d of 200 words were known", far, known)
		}
	}
}

// descriptions lists all descriptions of this repository.
func descriptions(t *testing.T) (files []string) {
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".xml") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	return files
}

// random draws any word, with no ignored bits as a rule and most fields small.
func (x *verdictTest) random() isa.Inst {
	d := x.remembers.d
	leaves := d.Root().Leaves
	l := leaves[x.r.Intn(len(leaves))]
	w := randomValue(x.r)
	if x.r.Intn(2) == 0 {
		w = w.And(randomValue(x.r)).And(randomValue(x.r))
	}
	if x.r.Intn(4) > 0 {
		w = w.AndNot(l.DontCare)
	}
	in, _ := d.Decode(w.AndNot(l.Mask).Or(l.Match).And(bits.Ones(l.Size)))
	return in
}

// comparePaths prints words of a root in contexts that are drawn, and returns how many of them were known.
func comparePaths(t *testing.T, s *isa.Set, root string, turn int) (known int) {
	x := newVerdictTest(t, s, root)
	x.r = rand.New(rand.NewSource(*memoSeed + int64(turn)))
	if turn > 0 {
		x.change(t, turn)
	}
	if len(x.remembers.d.Root().Leaves) == 0 {
		return 0
	}
	x.remembers.texts.asked = fewTexts // from the first word on
	f := newFew(x.remembers.d, x.r)
	for i := range *pathWords {
		if u := &x.remembers.texts; u.asked > manyTexts-2 {
			known, u.asked, u.known = known+u.known, fewTexts, 0 // not to be judged
		}
		in := x.random()
		if i%2 == 0 && len(f.insts) > 0 {
			in = f.word(x.remembers.d, x.r)
		}
		if in.Leaf != nil {
			x.compare(t, in)
		}
	}
	return known + x.remembers.texts.known
}
