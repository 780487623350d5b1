package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/view"
)

// What is told of a program that is read is how much of it is done; the next thing takes its place, and the end all.
func TestProgressOfListing(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	im, err := program.Raw(d.Root(), make([]byte, 8)) // four words
	if err != nil {
		t.Fatal(err)
	}
	l := &view.Listing{Decoder: d, Image: im}
	var told bytes.Buffer
	p := &progress{w: &told}
	p.watch("a.bin", l)
	l.Each(func(view.Decoded) bool { p.next = time.Time{}; return true })
	p.end()
	const line = "\r\x1b[K"
	if want := line + "a.bin: 0 %" + line + "a.bin: 25 %" + line + "a.bin: 50 %" + line + "a.bin: 75 %" + line; told.String() != want {
		t.Errorf("got %q, want %q", told.String(), want)
	}
}
