package view

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// Quirks prints quirks with their names, their values, the default first, and the meaning of each value.
func Quirks(w io.Writer, list []facts.Quirk, width int) error {
	e := newExplainer(w, Palette{}, ExplainOptions{Width: width})
	e.quirkRows(list)
	return e.err
}

// quirks prints the quirks on which an instruction depends.
func (e *explainer) quirks(list []facts.Quirk) {
	if len(list) > 0 {
		e.printf("\n%s\n", wrap("Quirks: sources disagree about these. run uses the first value; --quirk NAME=VALUE chooses another.", "  ", e.Width))
	}
	e.quirkRows(list)
}

func (e *explainer) quirkRows(list []facts.Quirk) {
	for i := range list {
		q := &list[i]
		values := q.Default
		for _, v := range q.Values {
			if v.Name != q.Default {
				values += "|" + v.Name
			}
		}
		e.printf("%s\n", hang(fmt.Sprintf("%s=%s: %s", q.Name, values, q.Doc), "    ", "      ", e.Width))
		for _, v := range q.Values {
			if v.Doc != "" {
				e.printf("%s\n", hang(v.Name+": "+v.Doc, "      ", "        ", e.Width))
			}
		}
	}
}

// appendQuirks appends the quirks on which an instruction depends, if there are any.
func (j *JSON) appendQuirks(dst []byte, d *isa.Decoder, in isa.Inst) []byte {
	if j.Facts == nil {
		return dst
	}
	list := j.Facts.QuirksOf(d, in)
	if len(list) == 0 {
		return dst
	}
	for i := range list { // texts of a description have its line breaks
		list[i].Doc = strings.Join(strings.Fields(list[i].Doc), " ")
	}
	text, err := json.Marshal(list)
	if err != nil {
		return dst // strings can always be written
	}
	return append(append(dst, `,"quirks":`...), text...)
}
