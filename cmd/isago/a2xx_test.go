package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"
)

var manyListings = flag.Int("listings", 8, "number of random programs in TestA2XXListings")

// TestA2XXListings lists programs that no assembler would write, of both stages and in both spellings, and
// assembles the listings as they stand: without the stage on the command line.
func TestA2XXListings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range *manyListings {
		data := a2xxProgram(rnd)
		syntax, stage := []string{"fdasm", "mesa"}[i%2], []string{"vs", "fs"}[i/2%2]
		order := []string{"little", "big"}[i/4%2]
		var listing, back, errs bytes.Buffer
		run([]string{"dis", "--isa", "a2xx", "--syntax", syntax, "--stage", stage, "--order", order, "--lossless", "-"}, bytes.NewReader(data), &listing, &errs)
		text := listing.String()
		status := run([]string{"asm", "--isa", "a2xx", "--syntax", syntax, "--no-warn", "all", "-o", "-", "-"}, &listing, &back, &errs)
		if status != exitOK || !bytes.Equal(back.Bytes(), data) {
			t.Fatalf("%x\nis listed as\n%s\nwhich becomes\n%x\n%s", data, text, back.Bytes(), errs.String())
		}
	}
}

// a2xxProgram makes a program of random words whose first clauses run, mostly, what is there.
func a2xxProgram(rnd *rand.Rand) []byte {
	units := rnd.IntN(16)
	data := make([]byte, 12*units+rnd.IntN(12))
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	clauses := 2 * (1 + rnd.IntN(3))
	for i := range clauses {
		if 6*i+6 > len(data) {
			break
		}
		var b [8]byte
		word := rnd.Uint64() & rnd.Uint64() & (1<<44 - 1) &^ 0x7fff
		word |= uint64(clauses/2+rnd.IntN(units+1)) | uint64(rnd.IntN(8))<<12 | rnd.Uint64()<<44
		binary.LittleEndian.PutUint64(b[:], word)
		copy(data[6*i:], b[:6])
	}
	return data
}
