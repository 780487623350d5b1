package gen_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/c"
	"github.com/isago/isago/gen/golang"
	"github.com/isago/isago/isa"
)

// doubling is a description of leaves that each have a field computed of twice another, so many times.
func doubling(leaves, times int) string {
	var b strings.Builder
	b.WriteString("<isa>\n<bitset name=\"#instruction\" size=\"40\"/>\n")
	for i := range leaves {
		fmt.Fprintf(&b, "<bitset name=\"op%d\" extends=\"#instruction\">\n<display>op {D%d} {REST}</display>\n<pattern low=\"32\" high=\"39\">%08b</pattern>\n", i, times, i)
		b.WriteString("<field name=\"D0\" low=\"0\" high=\"15\" type=\"uint\"/>\n<field name=\"REST\" low=\"16\" high=\"31\" type=\"uint\"/>\n")
		for k := range times {
			fmt.Fprintf(&b, "<derived name=\"D%d\" width=\"32\" type=\"uint\"><expr>{D%d} + {D%d} + %d</expr></derived>\n", k+1, k, k, i)
		}
		b.WriteString("</bitset>\n")
	}
	return b.String() + "</isa>\n"
}

// random is a description of leaves of 20 random fixed bits of 64.
func random(leaves int) string {
	var b strings.Builder
	b.WriteString("<isa>\n<bitset name=\"#instruction\" size=\"64\"/>\n")
	r := uint64(1)
	for i := range leaves {
		pattern := []byte(strings.Repeat("x", 64))
		for fixed := 0; fixed < 20; {
			r = r*6364136223846793005 + 1442695040888963407
			if at := r >> 58; pattern[at] == 'x' {
				pattern[at] = "01"[r>>57&1]
				fixed++
			}
		}
		fmt.Fprintf(&b, "<bitset name=\"l%d\" extends=\"#instruction\"><display>l%d</display><pattern low=\"0\" high=\"63\">%s</pattern></bitset>\n", i, i, pattern)
	}
	return b.String() + "</isa>\n"
}

// A description that would become too much code is refused, with the place and the bound.
func TestTooLarge(t *testing.T) {
	for _, x := range []struct{ name, source, want string }{
		{"expression", doubling(1, 24), "a.xml:31:50: too large for generated code: with what it uses written out, the expression has more than 16384 operators, names and numbers [xml-limit]"},
		{"expressions", doubling(128, 11), "too large for generated code: with this expression, all together have more than 524288 operators, names and numbers [xml-limit]"},
		{"leaves", random(2000), "a.xml:2:1: too large for generated code: distinguishing its 2000 leaves needs more than 536870912 comparisons [xml-limit]"},
	} {
		t.Run(x.name, func(t *testing.T) {
			_, err := gen.New(t.Context(), load(t, x.source), gen.Options{Fallback: "a"})
			if err == nil || !strings.HasSuffix(err.Error(), x.want) || !strings.HasPrefix(err.Error(), "a.xml:") {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := gen.New(t.Context(), load(t, doubling(1, 8)), gen.Options{Fallback: "a"}); err != nil {
		t.Error(err)
	}
}

// Planning ends when its context is cancelled, with the error of that.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := gen.New(ctx, load(t, doubling(1, 1)), gen.Options{Fallback: "a"}); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", p, err)
	}
}

// ending is a context that ends after it was asked so many times.
type ending struct {
	context.Context
	left int
}

func (c *ending) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Writing ends soon after its context does, wherever that is, with the error of that.
func TestWritingCancelled(t *testing.T) {
	p, err := gen.New(t.Context(), load(t, doubling(200, 1)), gen.Options{Fallback: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(ctx context.Context) error{
		"c":  func(ctx context.Context) error { _, err := c.Write(ctx, p); return err },
		"go": func(ctx context.Context) error { _, err := golang.Write(ctx, p); return err },
	} {
		all := ending{t.Context(), 1 << 30}
		if err := write(&all); err != nil {
			t.Fatal(err)
		}
		asked := 1<<30 - all.left
		if asked < 400 { // once for each leaf in each of several files
			t.Errorf("%s: the context is asked %d times", name, asked)
		}
		for _, after := range []int{0, 1, 100, asked / 2, asked - 1} {
			ctx := ending{t.Context(), after}
			if err := write(&ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: cancelled after %d of %d: %v", name, after, asked, err)
			}
			if ctx.left < -100 {
				t.Errorf("%s: goes on %d times after it was cancelled", name, -ctx.left)
			}
		}
	}
}

func load(t *testing.T, source string) *isa.Set {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return set
}

// TestClass has three ranges of generations that a leaf of 3 to 5 tells apart: each has its first and its last.
func TestClass(t *testing.T) {
	p, err := gen.New(t.Context(), load(t, `<isa><bitset name="#instruction" size="8"/>
<bitset name="a" extends="#instruction"><display>a</display><gen min="3" max="5"/><pattern low="0" high="7">00000000</pattern></bitset>
<bitset name="b" extends="#instruction"><display>b</display><pattern low="0" high="7">00000001</pattern></bitset></isa>`), gen.Options{Fallback: "a", AllGens: true})
	if err != nil {
		t.Fatal(err)
	}
	for g, same := range map[uint32]uint32{0: 2, 3: 5, 4: 3, 6: 1 << 31} {
		if p.Class(g) != p.Class(same) {
			t.Errorf("generations %d and %d are of classes %d and %d, expected one", g, same, p.Class(g), p.Class(same))
		}
	}
	if p.Class(2) == p.Class(3) || p.Class(5) == p.Class(6) || p.Class(2) == p.Class(6) {
		t.Errorf("classes %d, %d, %d, %d, expected three", p.Class(2), p.Class(3), p.Class(5), p.Class(6))
	}
}
