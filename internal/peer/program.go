package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/view"
)

// listedProgram is a program and the listing by Mesa's isaspec.
type listedProgram struct {
	Gen     uint32 `json:"gen"`
	Options struct {
		ShowErrors  bool `json:"show_errors"`
		MaxErrors   int  `json:"max_errors"`
		Labels      bool `json:"branch_labels"`
		Entrypoints []struct {
			Name   string `json:"name"`
			Offset int    `json:"offset"`
		} `json:"entrypoints"`
	} `json:"options"`
	Words  []string `json:"words"`
	Output string   `json:"output"`
}

// comparePrograms compares the listings in FILE.program.json for the description FILE.xml.
func comparePrograms(file string, _ *known, report func(difference)) (rows int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var programs []listedProgram
	if err := json.Unmarshal(data, &programs); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	c := isaspecComparer{file: strings.TrimSuffix(file, programSuffix) + ".xml", compat: true, printers: map[uint32]*printer{}}
	for i := range programs {
		p := &programs[i]
		got, err := c.list(p)
		if err != nil {
			return i, err
		}
		if got != p.Output {
			report(difference{word: fmt.Sprintf("program %d", i), got: got, want: p.Output})
		}
	}
	return len(programs), nil
}

// programSuffix is the suffix of files with whole programs.
const programSuffix = ".program.json"

func (c *isaspecComparer) list(p *listedProgram) (string, error) {
	pr, err := c.printer(p.Gen)
	if err != nil {
		return "", err
	}
	l := view.Mesa{
		Printer: pr.mesa, Digits: (pr.decoder.Root().Size + 31) / 32 * 8,
		Labels: p.Options.Labels, Findings: p.Options.ShowErrors, MaxErrors: p.Options.MaxErrors,
	}
	for _, e := range p.Options.Entrypoints {
		l.Entries = append(l.Entries, view.MesaEntry{Name: e.Name, Index: e.Offset})
	}
	for _, w := range p.Words {
		v, err := bits.ParseHex(w)
		if err != nil {
			return "", err
		}
		l.Words = append(l.Words, v)
	}
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	pr.mesa.Reset()
	if _, err := l.Write(w); err != nil {
		return "", err
	}
	err = w.Flush()
	return out.String(), err
}
