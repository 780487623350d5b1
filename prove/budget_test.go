package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// costly returns descriptions whose proofs need many steps.
func costly() map[string]string {
	leaf := func(size int, display, rest string) string {
		return fmt.Sprintf("<isa>\n<bitset name=\"#instruction\" size=\"%d\"/>\n<bitset name=\"op\" extends=\"#instruction\">\n%s<display>%s</display>\n</bitset>\n</isa>", size, rest, display)
	}
	product := `<field name="A" low="0" high="31" type="uint"/>
<field name="B" low="32" high="63" type="uint"/>
<derived name="C" width="64" type="uint"><expr>({A} * 1ull) * ({B} * 1ull)</expr></derived>
`
	fields := `<field name="A" low="0" high="15" type="uint"/>
<field name="B" low="16" high="31" type="uint"/>
`
	var overrides, prefixes, random strings.Builder
	for i := range 600 {
		fmt.Fprintf(&overrides, "<override><expr>{A} == %d</expr><display>op%d {B}</display></override>\n", i, i)
	}
	for i := range 3000 {
		fmt.Fprintf(&prefixes, "<value val=\"%d\" display=\"%s\"/>\n", i, strings.Repeat("a", i+1))
	}
	r := uint64(1)
	for i := range 2000 {
		pattern := []byte(strings.Repeat("x", 64))
		for fixed := 0; fixed < 20; {
			r = r*6364136223846793005 + 1442695040888963407
			if at := r >> 58; pattern[at] == 'x' {
				pattern[at] = "01"[r>>57&1]
				fixed++
			}
		}
		fmt.Fprintf(&random, "<bitset name=\"l%d\" extends=\"#instruction\"><display>l%d</display><pattern low=\"0\" high=\"63\">%s</pattern></bitset>\n", i, i, pattern)
	}
	return map[string]string{
		"product":   leaf(64, "mul {C}", product),
		"overrides": leaf(32, "op {A}, {B}", fields+overrides.String()),
		"prefixes": strings.Replace(leaf(32, "op {A}{B}", strings.ReplaceAll(fields, `type="uint"`, `type="#e"`)),
			"<isa>", "<isa>\n<enum name=\"#e\">\n"+prefixes.String()+"</enum>", 1),
		"random": "<isa>\n<bitset name=\"#instruction\" size=\"64\"/>\n" + random.String() + "</isa>",
	}
}

// TestEffort requires that a check ends when its effort is used up, and that a finding reports each
// property that was not proved.
func TestEffort(t *testing.T) {
	for name, source := range costly() {
		t.Run(name, func(t *testing.T) {
			set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			start := time.Now()
			r, err := Check(t.Context(), set, Options{Effort: 10})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			n := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Code == diag.NotProved })
			if n < 0 {
				t.Fatal("nothing is said of what is not proved")
			}
			if f := &r.Findings[n]; f.Level != Note || !f.Span.IsValid() || !strings.HasPrefix(f.Msg, "not proved: ") {
				t.Errorf("got %s %s", f.Level, f.Error())
			}
		})
	}
}

// TestEndsEarly requires that a check that ends early reports only findings that a complete check
// reports too.
func TestEndsEarly(t *testing.T) {
	files, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set, err := isa.Load(fstest.MapFS{"a.xml": {Data: source}}, "a.xml", isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		places := func(steps int64) map[string]bool {
			r, err := Check(t.Context(), set, Options{Search: 20, steps: steps})
			if err != nil {
				t.Fatal(err)
			}
			list := map[string]bool{}
			for i := range r.Findings {
				f := &r.Findings[i]
				if f.Code == diag.NotProved || f.Code == diag.SameText { // These messages depend on the leaf in which the finding was made first.
					continue
				}
				list[fmt.Sprintf("%s at %s", f.Code, f.Span)] = true
			}
			return list
		}
		all := places(0)
		for steps := int64(1); steps < 1<<22; steps += steps/2 + 1 {
			for place := range places(steps) {
				if !all[place] {
					t.Errorf("%s: with %d steps there is %s", path, steps, place)
				}
			}
		}
	}
}

// TestCancelled requires that a cancelled check ends with the error of its context.
func TestCancelled(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(costly()["product"])}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	r, err := Check(ctx, set, Options{Effort: 1_000_000})
	if r != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, %v", r, err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
