package asm_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/isago/isago/bits"
)

// fuzzed lists the descriptions for the fuzz targets.
var fuzzed = []string{"pica200", "flags", "touch"}

// A line of this size must be accepted or rejected in this time, even on a busy machine.
const (
	maxFuzzLine = 512
	maxFuzzTime = 3 * time.Second
)

// FuzzParse parses arbitrary lines. The parsed instruction is printed, and its text is parsed again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"add r2.xz, -c1[a0.x].wzyx, r3.y", "mad o0, v0, v0.x, v2.x", "mova a0.xyzw, v0", "jmpc !cmp.x || cmp.y, 4",
		"setemit 1, prim inv", "call 12, 4", "nop {0..25=0x3}", "mov r0, v0 {DESC@57}", "mov r0, v0 {DESC.SWZ2=0x1b, 7..11=0x1f}",
		"(sy)(ss)add.sat.r.e hpc, -r3*", "(rpt2)add.r r1, |h(sp)|", "cmp3 r1 #-3", "end +3", "end",
		"abcbcm12", "h1f.7-3-4", "ab e a +63", "0xff.f/abc", "add r1, r2 ; comment", "{", "}", "{@=}", "a{b=1,c@2}", "\x00\xff", "\t \r\n",
		"nop{=0}", // 1: a suffix without a name was read as bit -1
	} {
		for i := range fuzzed {
			f.Add(byte(i), seed)
		}
	}
	var all []*tools
	for _, name := range fuzzed {
		all = append(all, toolsFor(f, loadFile(f, name)))
	}
	f.Fuzz(func(t *testing.T, which byte, line string) {
		if len(line) > maxFuzzLine {
			return
		}
		x := all[int(which)%len(all)]
		start := time.Now()
		res, err := x.p.Parse(line)
		if took := time.Since(start); took > maxFuzzTime {
			t.Fatalf("%q took %v", line, took)
		}
		if err != nil {
			if codeOf(err) == "" {
				t.Fatalf("error %v has no code", err)
			}
			return
		}
		set := func() {
			for i, info := range x.set.Tables() {
				table := make([]bits.Value, info.Size)
				for _, e := range res.Entries {
					if e.Table == i {
						table[e.Index] = e.Value
					}
				}
				x.d.SetTable(i, table)
			}
			x.d.SetContext(res.Context)
		}
		set()
		text, in, found, ok := x.print(res.Inst.Bits)
		if !ok || len(found) > 0 {
			return // a suffix can make an invalid word
		}
		if in != res.Inst {
			t.Fatalf("%q is %s of %s, which decodes as %s", line, res.Inst.Bits, name(res.Inst), name(in))
		}
		res, err = x.p.Parse(text)
		if err != nil {
			t.Fatalf("%q prints %q: %v", line, text, err)
		}
		set()
		if again, _, _, _ := x.print(res.Inst.Bits); again != text {
			t.Fatalf("%q prints %q, which prints %q", line, text, again)
		}
	})
}

// FuzzExpected asks what can follow in arbitrary lines, and locates the parts of those that are instructions.
func FuzzExpected(f *testing.F) {
	for _, seed := range []string{"add r2.xz, -c1[a0.x].wzyx, ", "jmpc !cmp.x |", "nop {0..", "(sy)(ss)add.sat.r.e hpc, -r3*", "a  ", " $(", "\x00\xff", "ab e a +", "mov r0, v0 ; c"} {
		for i := range fuzzed {
			f.Add(byte(i), seed)
		}
	}
	var all []*tools
	for _, name := range fuzzed {
		all = append(all, toolsFor(f, loadFile(f, name)))
	}
	f.Fuzz(func(t *testing.T, which byte, line string) {
		if len(line) > maxFuzzLine {
			return
		}
		x := all[int(which)%len(all)]
		for _, p := range x.p.Expected(line, len(line)) {
			if _, ok := x.p.Try(p.Example); !ok || p.Off > len(line) {
				t.Fatalf("%q: %s %q at %d: example %q", line, p.Kind, p.Text, p.Off, p.Example)
			}
		}
		a, err := x.p.Annotate(line)
		if _, ok := x.p.Try(line); ok != (err == nil) {
			t.Fatalf("%q: Annotate returns %v", line, err)
		}
		for _, k := range a.Tokens {
			if k.Start >= k.End || k.End > len(line) {
				t.Fatalf("%q: token from %d to %d", line, k.Start, k.End)
			}
		}
	})
}

// FuzzWord uses 32 bytes as a word, and as the source of its tables and contexts.
func FuzzWord(f *testing.F) {
	for i := range nasty {
		f.Add(byte(i), []byte{})
		for _, word := range []uint64{0, 0x024a1980, 0xe000005f, 0xffffffff, 0x1e240007, 0x12345678_80029abc,
			0x30313039_00304030, // 1: a sign and the blank after it, in tables; see splits
		} {
			f.Add(byte(i), binary.LittleEndian.AppendUint64(nil, word))
		}
	}
	var all []*rig
	for _, name := range nasty {
		all = append(all, newRig(f, name))
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		var buf [32]byte
		copy(buf[:], data)
		var words [8]uint32
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(buf[4*i:])
		}
		w := bits.FromWords(words[:])
		r := all[int(which)%len(all)]
		n := 0
		r.fill(func() bits.Value { // the same bytes, rotated
			n += 37
			return w.Shr(n % 256).Or(w.Shl(256 - n%256))
		})
		if _, err := r.check(w); err != nil {
			t.Fatal(err)
		}
	})
}
