package prove

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
)

// randomISA writes a description of eight bits whose leaves, overrides and texts collide now and
// then.
func randomISA(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("<isa>\n<bitset name=\"#instruction\" size=\"8\"/>\n")
	b.WriteString("<enum name=\"#e\"><value val=\"0\" display=\"\"/><value val=\"1\" display=\"x\"/><value val=\"2\" display=\"x1\"/></enum>\n")
	b.WriteString("<bitset name=\"#r\" size=\"2\"><display>{P}r{V}</display><field name=\"V\" low=\"0\" high=\"1\" type=\"uint\"/></bitset>\n")
	types := []string{"uint", "int", "hex", "offset", "#e", "#r"}
	names := []string{"add", "ad", "a", "sub"}
	for i, fixed := range []string{"0", "10", "110", "111"} {
		low := 8 - len(fixed)
		fmt.Fprintf(&b, "<bitset name=\"leaf%d\" extends=\"#instruction\" displayname=\"%s\">\n<pattern low=\"%d\" high=\"7\">%s</pattern>\n", i, names[r.IntN(4)], low, fixed)
		var refs []string
		for k, at := 0, 0; at < low; k++ {
			width := min(1+r.IntN(3), low-at)
			kind := types[r.IntN(len(types))]
			param := ""
			if kind == "#r" && k == 0 {
				kind = "uint"
			} else if kind == "#r" {
				width, param = 2, "<param name=\"F0\" as=\"P\"/>"
				if at+2 > low {
					kind, width, param = "uint", low-at, ""
				}
			}
			fmt.Fprintf(&b, "<field name=\"F%d\" low=\"%d\" high=\"%d\" type=\"%s\">%s</field>\n", k, at, at+width-1, kind, param)
			if r.IntN(8) > 0 {
				refs = append(refs, fmt.Sprintf("{F%d}", k))
			}
			at += width
		}
		fmt.Fprintf(&b, "<display>{NAME}%s</display>\n", join(r, refs))
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "<override><expr>{F0} %s %d</expr><display>{NAME}%s</display></override>\n", []string{"==", "&gt;", "!="}[r.IntN(3)], r.IntN(4), join(r, refs))
		}
		b.WriteString("</bitset>\n")
	}
	b.WriteString("</isa>\n")
	return b.String()
}

func join(r *rand.Rand, refs []string) string {
	text := ""
	for _, ref := range refs {
		text += []string{" ", ",", "", "1"}[r.IntN(4)] + ref
	}
	return text
}

// What is proved of a text by its automaton is true: printing every word finds no two words with one
// text beside those that are reported.
func TestProofsHold(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	proofs, shown := 0, 0
	for range 400 {
		source := randomISA(r)
		set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", isa.Options{})
		if err != nil {
			t.Fatalf("%s\n%s", isa.Explain(err), source)
		}
		report, err := Check(set, Options{Search: -1, untried: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range report.Findings {
			verify(t, set, &report.Findings[i])
		}
		proved := false
		for _, c := range report.Claims {
			proved = proved || c.Proved && strings.HasPrefix(c.Text, "no two words of #instruction print one text")
		}
		if !proved {
			continue
		}
		proofs++
		for _, pair := range twinWords(t, set) {
			shown++
			if !reported(report, pair) {
				t.Errorf("%q is %s and %s, but that was proved impossible:\n%s", pair.text, pair.a.Bits, pair.b.Bits, source)
			}
		}
	}
	if proofs < 40 || shown < 40 {
		t.Errorf("%d proofs, %d pairs: this tests too little", proofs, shown)
	}
}

type wordPair struct {
	a, b isa.Inst
	text string
}

// twinWords prints every word and returns those with a text that was there before.
func twinWords(t *testing.T, set *isa.Set) []wordPair {
	t.Helper()
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]isa.Inst{}
	var list []wordPair
	for v := range uint64(256) {
		in, ok := d.Decode(bits.Of(v))
		if !ok {
			continue
		}
		text := string(d.Append(nil, in))
		if len(d.Findings()) > 0 {
			continue
		}
		if old, ok := seen[text]; ok {
			list = append(list, wordPair{old, in, text})
			continue
		}
		seen[text] = in
	}
	return list
}

// reported reports whether a finding speaks of a pair of words: of their leaves, or of bits of their leaf.
func reported(r *Report, p wordPair) bool {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Code != diag.SameText && f.Code != diag.HiddenBits && f.Code != diag.FieldUnused {
			continue
		}
		hits := 0
		for _, leaf := range []*isa.Leaf{p.a.Leaf, p.b.Leaf} {
			from, _ := inside.Leaf(leaf).Spec.Span.LineCol()
			if within(f, from, from+12) {
				hits++
			}
		}
		if hits == 2 {
			return true
		}
	}
	return false
}

// FuzzCheck reads any description that loads: nothing may panic or run on.
func FuzzCheck(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.xml")
	nasty, _ := filepath.Glob("../internal/model/testdata/*.xml")
	files = append(files, nasty...)
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 1<<14 {
			return
		}
		set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", isa.Options{})
		if err != nil {
			return
		}
		from := time.Now()
		r, err := Check(set, Options{Search: 20})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Findings {
			_ = r.Findings[i].Explain()
		}
		if took := time.Since(from); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
