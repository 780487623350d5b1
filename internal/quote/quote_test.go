package quote

import (
	"strings"
	"testing"
)

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"mad", "mad", 0}, {"mda", "mad", 1}, {"mad", "md", 1}, {"mad", "maid", 1},
		{"mad", "mud", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3},
	} {
		if got := EditDistance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := EditDistance(c.b, c.a); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

// TestBrief checks that Brief shortens words longer than the names in descriptions, and cuts very long
// messages.
func TestBrief(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct{ msg, want string }{
		{"short", "short"},
		{"name " + long[:80] + " is long", "name " + long[:80] + " is long"},
		{`no directive "` + long + `", expected .word`, `no directive "` + long[:39] + `...", expected .word`},
		{long + " " + long, long[:40] + "... " + long[:40] + "..."},
	} {
		if got := Brief(c.msg); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
	if got := len(Brief(strings.Repeat("a ", 1<<20))); got > 1<<13 {
		t.Errorf("%d bytes", got)
	}
}

// TestBriefQuotes checks that BriefQuotes shortens quoted texts and very long words, but not paths.
func TestBriefQuotes(t *testing.T) {
	long := strings.Repeat("9", 3000000)
	path := strings.Repeat("folder/", 100) + "file"
	for msg, want := range map[string]string{
		"a": "a",
		path + ": \"" + long + "\", expected a number":    path + `: "` + long[:39] + `...", expected a number`,
		`no "` + strings.Repeat("a b", 100) + `\"c" here`: `no "` + strings.Repeat("a b", 13) + `..." here`,
		`"open ` + path:                 `"open ` + path,
		`an "a" and a "\q" and ` + path: `an "a" and a "\q" and ` + path,
		"x " + long + ": y":             "x " + long[:40] + "... y",
	} {
		if got := BriefQuotes(msg); got != want {
			t.Errorf("%.200s: got %.200s, expected %.200s", msg, got, want)
		}
	}
}
