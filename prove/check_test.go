package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/diagtest"
	"github.com/isago/isago/isa"
)

// check checks a description given as text.
func check(t *testing.T, file, source string) (*isa.Set, *Report) {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{file: {Data: []byte(source)}}, file, isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	r, err := Check(t.Context(), set, Options{Search: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return set, r
}

// TestFindings checks each file of testdata. The first lines of a file list its findings and, in some
// files, the words and the claims.
func TestFindings(t *testing.T) {
	files, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	codes := map[diag.Code]bool{}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		source, file := string(data), filepath.Base(path)
		wanted := diagtest.Wanted(source, "want")
		for c := range diagtest.Codes(wanted) {
			codes[c] = true
		}
		t.Run(strings.TrimSuffix(file, ".xml"), func(t *testing.T) {
			set, r := check(t, file, source)
			var got, words, claims []string
			for i := range r.Findings {
				f := &r.Findings[i]
				got = append(got, f.Error())
				for k := range f.Witnesses {
					words = append(words, f.Witnesses[k].String())
				}
				verify(t, set, f)
			}
			for _, c := range r.Claims {
				claims = append(claims, c.Text)
			}
			same(t, "findings", got, wanted)
			if want := diagtest.Wanted(source, "word"); want != nil {
				same(t, "words", words, want)
			}
			if want := diagtest.Wanted(source, "claim"); want != nil {
				same(t, "claims", claims, want)
			}
		})
	}
	for _, c := range diag.Codes() {
		if strings.HasPrefix(c.Meaning, "check: ") && !codes[c.Code] {
			t.Errorf("no file of testdata has the finding %s", c.Code)
		}
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// verify decodes the witnesses of a finding and requires that they demonstrate it.
func verify(t *testing.T, set *isa.Set, f *Finding) {
	t.Helper()
	var texts []string
	for i := range f.Witnesses {
		w := &f.Witnesses[i]
		at, err := set.WithOptions(isa.Options{Gen: w.Gen})
		if err != nil {
			t.Fatal(err)
		}
		d, err := at.NewDecoder(f.Root)
		if err != nil {
			t.Fatal(err)
		}
		d.SetContext(w.Context)
		in, ok := d.Decode(w.Word)
		text := ""
		if ok {
			for _, x := range d.IndexFields(in) {
				entries := make([]bits.Value, x.Index+1)
				entries[x.Index] = w.Entries[x.Field]
				d.SetTable(x.TableIndex, entries)
			}
			text = string(d.Append(nil, in))
		}
		texts = append(texts, text)
		kinds := map[isa.FindingKind]bool{}
		for _, x := range d.Findings() {
			kinds[x.Kind] = true
		}
		fails := false
		switch f.Code {
		case diag.LeafOverlap:
			fails = ok || !kinds[isa.Conflict]
		case diag.UnmatchedWords:
			fails = ok || kinds[isa.Conflict]
		case diag.NoDisplay:
			fails = !ok || !kinds[isa.NoDisplay]
		case diag.Unresolved:
			fails = !kinds[isa.NoField]
		case diag.ExprUndefined: // a word that fails its own requirement may match no leaf
		case diag.HiddenBits, diag.SameText, diag.FieldUnused:
			fails = !ok || len(kinds) > 0
		default:
			fails = !ok
		}
		if kinds[isa.Conflict] { // all words of a leaf or of an operand may match another leaf too
			fails = fails && ok && f.Code != diag.NoDisplay && f.Code != diag.Unresolved || !ok && f.Code == diag.UnmatchedWords
		}
		if fails {
			t.Errorf("%s: %s does not show it: %v %q %v", f.Error(), w.Hex(), ok, text, d.Findings())
		}
	}
	switch f.Code {
	case diag.HiddenBits, diag.SameText:
		if f.Code == diag.HiddenBits && len(texts) == 0 {
			return // every candidate for a witness has another finding
		}
		if len(texts) != 2 || texts[0] != texts[1] || f.Witnesses[0].Word == f.Witnesses[1].Word {
			t.Errorf("%s: %v are no two words with one text: %q", f.Error(), f.Witnesses, texts)
		}
	case diag.LeafOverlap, diag.UnmatchedWords, diag.NoDisplay, diag.Unresolved, diag.ExprUndefined:
		if len(texts) != 1 {
			t.Errorf("%s: %d words, expected one", f.Error(), len(texts))
		}
	}
}

// TestSameAgain requires equal reports from two checks, because no limit may depend on time.
func TestSameAgain(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, first := check(t, filepath.Base(path), string(data))
		_, again := check(t, filepath.Base(path), string(data))
		if d := cmp.Diff(lines(first), lines(again)); d != "" {
			t.Errorf("%s: two runs differ:\n%s", path, d)
		}
	}
}

// lines formats everything in a report.
func lines(r *Report) (list []string) {
	for _, findings := range [][]Finding{r.Findings, r.Suppressed} {
		for i := range findings {
			list = append(list, findings[i].Explain(), fmt.Sprint(findings[i].Rows))
			for k := range findings[i].Witnesses {
				list = append(list, findings[i].Witnesses[k].String())
			}
		}
	}
	for _, c := range r.Claims {
		list = append(list, c.Text)
	}
	return list
}
