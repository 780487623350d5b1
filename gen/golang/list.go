package golang

import (
	_ "embed"
	"fmt"
	"strings"
)

// listText is the file that lists programs.
//
//go:embed list.txt
var listText string

// listing writes what lists programs of the main root.
func (w *writer) listing() {
	r := w.p.Main
	noMatch := ".word 0x"
	if w.p.Mesa {
		noMatch = "no match: "
	}
	w.f("%s", w.fill(strings.NewReplacer(
		"@STEP@", fmt.Sprint(r.Step()), "@UNIT@", fmt.Sprint(r.Unit), "@HIGHFIRST@", fmt.Sprint(r.HighFirst), "@LOWFIRST@", fmt.Sprint(!r.HighFirst),
		"@SIZES@", r.Lengths(), "@NOMATCH@", noMatch, "@DIGITS@", fmt.Sprint(w.p.Digits(r)), "@INST@", w.of("Inst", r), "@FINDER@", w.finder(r),
	).Replace(listText)))
}
