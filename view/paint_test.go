package view_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// TestPaintedSource holds the kind of each word in lines of the four languages: M a mnemonic, m a modifier, r a register, i a
// number or string, a a name, c a comment.
func TestPaintedSource(t *testing.T) {
	tests := []struct{ machine, source, want string }{
		{"pica200", ".fvec lamp[2]", "<m:.fvec> <a:lamp>[<i:2>]"},
		{"pica200", "\tmov r0.xy, -lamp[1].z ; far\n.fvec lamp[2]", "\t<M:mov> <r:r0>.<m:xy>, -<a:lamp>[<i:1>].<m:z> <c:; far>\n<m:.fvec> <a:lamp>[<i:2>]"},
		{"pica200", "\tcallc !cmp.x, there\nthere:", "\t<M:callc> !<r:cmp>.<m:x>, <a:there>\n<a:there>:"},
		{"tegra", "\tMOVv r0.xyzw, a[0].xyzw // x", "\t<M:MOVv> <r:r0>.<m:xyzw>, <r:a>[<i:0>].<m:xyzw> <c:// x>"},
		{"tegra", "\t[0] = \"matrix; // no comment\";", "\t[<i:0>] = <i:\"matrix; ><c:// no comment\";>"},
		{"a2xx", "   (S)ALU:\tMULv\tR0 = R2.wwww, C7", "   (<m:S>)<m:ALU>:\t<M:MULv>\t<r:R0> = <r:R2>.<m:wwww>, <r:C7>"},
		{"tesla", "(e $c0) add b32 $r1 b32 s[0x18] $r0l", "(<m:e> <r:$c0>) <M:add> <m:b32> <r:$r1> <m:b32> <r:s>[<i:0x18>] <r:$r0l>"},
		{"tesla", "ld b32 $r3 g14[$r1]", "<M:ld> <m:b32> <r:$r3> <r:g14>[<r:$r1>]"},
	}
	names := strings.NewReplacer("\x1b[1;34m", "<M:", "\x1b[36m", "<m:", "\x1b[32m", "<r:", "\x1b[33m", "<i:", "\x1b[35m", "<a:", "\x1b[2m", "<c:", "\x1b[0m", ">")
	for _, tt := range tests {
		m, err := catalog.Lookup(tt.machine)
		if err != nil {
			t.Fatal(err)
		}
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		painted := string(view.Colours.Source(nil, set, []byte(tt.source)))
		if got := names.Replace(painted); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.machine, got, tt.want)
		}
		if plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(painted, ""); plain != tt.source {
			t.Errorf("the text changed: %q", plain)
		}
	}
}
