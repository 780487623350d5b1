package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// arraysOf reads the arrays of C that asm writes: the bytes of each by its name.
func arraysOf(t *testing.T, text string) map[string][]byte {
	t.Helper()
	arrays := map[string][]byte{}
	for _, m := range regexp.MustCompile(`static const uint(8|16|32)_t (\w+)\[(\d+)\] = \{([^{}]*)\};\n`).FindAllStringSubmatch(text, -1) {
		size, _ := strconv.Atoi(m[1])
		count, _ := strconv.Atoi(m[3])
		numbers := strings.Fields(m[4])
		if len(numbers) != count {
			t.Errorf("%s: %d numbers in an array of %d", m[2], len(numbers), count)
		}
		var data []byte
		for _, n := range numbers {
			v, err := strconv.ParseUint(strings.TrimSuffix(n, ","), 0, size)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, binary.LittleEndian.AppendUint64(nil, v)[:size/8]...)
		}
		arrays[m[2]] = data
	}
	return arrays
}

// assembled is what asm writes to standard output.
func assembled(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(append([]string{"asm"}, args...), nil, &out, &errs); status != exitOK {
		t.Fatalf("%q: status %d, %s", args, status, errs.String())
	}
	return out.Bytes()
}

// A C array contains the bytes of the code, for every machine.
func TestArraysGiveBytesBack(t *testing.T) {
	examples := filepath.Join("..", "..", "examples")
	dir := t.TempDir()
	plain := filepath.Join(dir, "three.s")
	write(t, plain, "add r1, r2, r3\nshl r1, r1, 4\nbr 0\n")
	bare := filepath.Join(dir, "bare.s")
	write(t, bare, "add b32 $r1 $r2 $r3\nexit nop\n")
	for _, c := range []struct {
		args []string
		raw  []string // which writes the same bytes
	}{
		{[]string{"--isa", "example", plain}, nil},
		{[]string{"--spec", filepath.Join("..", "..", "target", "example", "example.xml"), plain}, nil},
		{[]string{"--isa", "tesla", bare}, nil},
		{[]string{filepath.Join(examples, "a2xx", "light.vs.a2xx")}, nil},
		{[]string{filepath.Join(examples, "tegra", "light.asm")}, []string{"--format", "high"}},
	} {
		want := assembled(t, append(c.args, c.raw...)...)
		if got := assembled(t, append(c.args, "--format", "raw")...); !bytes.Equal(got, want) {
			t.Errorf("%q: raw % x, expected % x", c.args, got, want)
		}
		text := string(assembled(t, append(c.args, "--format", "c")...))
		if c.raw != nil { // Tegra's own array, of one for each instruction, has a test of its own
			continue
		}
		if got := arraysOf(t, text)["code"]; !bytes.Equal(got, want) {
			t.Errorf("%q: % x, expected % x\n%s", c.args, got, want, text)
		}
	}
}

// The arrays of PICA200 are what an SHBIN file holds, which is read here by hand: the code, and of the operand descriptors
// the first of two words.
func TestArraysOfSHBIN(t *testing.T) {
	for _, name := range []string{"light", "flow", "every"} {
		base := filepath.Join("..", "..", "examples", "pica200", name)
		file, err := os.ReadFile(base + ".shbin")
		if err != nil {
			t.Fatal(err)
		}
		word := func(at uint32) uint32 { return binary.LittleEndian.Uint32(file[at:]) }
		dvlp := 8 + 4*word(4)
		code := file[dvlp+word(dvlp+8):][:4*word(dvlp+12)]
		var opdesc []byte
		for i := range word(dvlp + 20) {
			at := dvlp + word(dvlp+16) + 8*i
			opdesc = append(opdesc, file[at:at+4]...)
		}
		arrays := arraysOf(t, string(assembled(t, base+".pica", "--format", "c")))
		if !bytes.Equal(arrays["code"], code) || !bytes.Equal(arrays["opdesc"], opdesc) || len(arrays) != 2 {
			t.Errorf("%s: %d arrays, % x and % x, expected % x and % x", name, len(arrays), arrays["code"], arrays["opdesc"], code, opdesc)
		}
	}
}
