package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
	"github.com/isago/isago/prove"
)

const rejectsSuffix = ".rejects.txt"

// compareRejects reads descriptions that Mesa's tools reject, each with the stage, the message and the
// text. isago must reject each one or report a finding. If the stage is none, Mesa accepts the
// description. isago must then accept it and print the same text for the word in the message. A row's
// name is its case.
func compareRejects(file string, _ *known, report func(difference)) (rows int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for _, block := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		fields := map[string]string{}
		for line := range strings.Lines(block) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			fields[name] = value
		}
		if fields["case"] == "" || fields["xml"] == "" || fields["stage"] == "" {
			return rows, fmt.Errorf("%s: case %d: %q, expected lines case, stage, message and xml", file, rows+1, block)
		}
		rows++
		if got, want := readRejected(fields["xml"], fields["stage"], fields["message"]); got != want {
			report(difference{word: fields["case"], got: got, want: want})
		}
	}
	return rows, nil
}

// prints matches a message with the text of a word.
var prints = regexp.MustCompile(`gen (\d+), word ([0-9a-f]+) prints: (.*)$`)

const refused = "refused, or a finding"

func readRejected(xml, stage, message string) (got, want string) {
	fsys := fstest.MapFS{"a.xml": {Data: []byte(xml)}}
	shown := prints.FindStringSubmatch(message)
	var gen uint64
	if shown != nil {
		gen, _ = strconv.ParseUint(shown[1], 10, 32)
	}
	set, err := isa.Load(fsys, "a.xml", isa.Options{Gen: uint32(gen)})
	if stage != "none" {
		if err != nil {
			return refused, refused
		}
		r, err := prove.Check(context.Background(), set, prove.Options{})
		if err != nil || slices.ContainsFunc(r.Findings, func(f prove.Finding) bool { return f.Code != diag.NotProved }) {
			return refused, refused
		}
		return "accepted", refused
	}
	switch {
	case err != nil:
		return diag.Render(err), "accepted"
	case shown == nil:
		return "", ""
	}
	return printed(set, shown[2]), strings.ReplaceAll(shown[3], "<tab>", "\t")
}

// printed returns the text of a word by Mesa's rules, with its findings.
func printed(set *isa.Set, word string) string {
	p, err := mesa.New(set, "")
	if err != nil {
		return err.Error()
	}
	v, err := bits.ParseHex(word)
	if err != nil {
		return err.Error()
	}
	out, ok := p.Append(nil, v)
	if !ok {
		return "no match: " + word
	}
	text := string(out)
	if f := p.Findings(); len(f) > 0 {
		text += "\t; " + strings.Join(f, ", ")
	}
	return text
}
