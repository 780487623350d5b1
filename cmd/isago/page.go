package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/isago/isago/manual"
)

// maxPage is the maximum number of bytes of JSON from which dis makes a page: about 60,000 instructions.
const maxPage = 256 << 20

// pageBuffer holds the JSON of a page. It rejects more than maxPage bytes.
type pageBuffer struct{ bytes.Buffer }

var errPage = errors.New("the program is too large for a page; --offset and --length select a part of raw code, FILE:PROGRAM one program")

func (b *pageBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxPage {
		return 0, errPage
	}
	return b.Buffer.Write(p)
}

// page prints a program as a web page.
func (f *disFlags) page(cmd *cobra.Command, name string) error {
	own := *f
	own.format, own.manual, own.json, own.fields, own.facts, own.file = "", "", true, true, true, ""
	own.documented = true
	var report pageBuffer
	out := cmd.OutOrStdout()
	cmd.SetOut(&report)
	err := own.run(cmd, name)
	cmd.SetOut(out)
	if errors.Is(err, errPage) {
		return fmt.Errorf("%s: %w", inputName(name), errPage)
	}
	if err != nil && !errors.Is(err, errFindings) {
		return err
	}
	l := manual.Listing{Title: filepath.Base(inputName(name)), Set: own.set, Name: own.set.Name(), Manual: f.manual}
	var page bytes.Buffer
	if writeErr := l.Write(&page, report.Bytes()); writeErr != nil {
		return writeErr
	}
	if _, writeErr := out.Write(page.Bytes()); writeErr != nil {
		return writeErr
	}
	return err
}
