package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestTeslaBytes holds that asm assembles the listing of any bytes as a Tesla program to the same bytes. The bytes contain unknown
// words, misaligned and truncated long instructions, and bytes after the last word.
func TestTeslaBytes(t *testing.T) {
	dir := t.TempDir()
	text, back := filepath.Join(dir, "p.s"), filepath.Join(dir, "p.bin")
	rnd := rand.New(rand.NewPCG(7, 8))
	for i, c := range []struct{ chip, stage string }{{"g80", "vp"}, {"g84", "gp"}, {"gt215", "fp"}, {"sm_13", "cp"}} {
		data := teslaProgram(rnd, 300)
		data = data[:len(data)-i]
		context := []string{"--isa", "tesla", "--context", "chip=" + c.chip, "--context", "stage=" + c.stage}
		var source bytes.Buffer
		dis := newRoot()
		dis.SetArgs(append([]string{"dis", "-"}, context...))
		dis.SetIn(bytes.NewReader(data))
		dis.SetOut(&source)
		if err := dis.Execute(); err != nil && !errors.Is(err, errFindings) {
			t.Fatal(err)
		}
		if err := os.WriteFile(text, source.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		asm := newRoot()
		asm.SetArgs(append([]string{"asm", "-o", back, text}, context...))
		if err := asm.Execute(); err != nil {
			t.Fatalf("%v\n%s", err, source.Bytes())
		}
		if got, err := os.ReadFile(back); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%x became %x, %v\n%s", data, got, err, source.Bytes())
		}
	}
}

// teslaProgram returns words of all kinds: any, short ones, control words with near targets, second words.
func teslaProgram(rnd *rand.Rand, words int) (data []byte) {
	special := []uint32{0, 0xffffffff, 0x00000780, 0x80070000, 0xe0000001, 0xf0000001, 0x10000003}
	for range words {
		w := rnd.Uint32()
		switch rnd.IntN(4) {
		case 0:
			w &^= 1
		case 1:
			w = 0x10000003 | uint32(rnd.IntN(words))<<11
		case 2:
			w = special[rnd.IntN(len(special))]
		}
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}
