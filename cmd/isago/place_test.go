package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLocations holds how FILE[:MEMBER][@PLACE] and FILE:LINE are read: the longest name of a file counts.
func TestLocations(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.shbin", "C:a.s", "b:c@d.s", "b"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Skip("a file cannot be called", name) // as on Windows
		}
	}
	for text, want := range map[string]location{
		"a.shbin":             {file: "a.shbin"},
		"a.shbin@main":        {file: "a.shbin", place: "main"},
		"a.shbin@main+3":      {file: "a.shbin", place: "main", plus: 3},
		"a.shbin@0x1c":        {file: "a.shbin", place: "0x1c"},
		"a.shbin:sub":         {file: "a.shbin", member: "sub"},
		"a.shbin:sub@1c":      {file: "a.shbin", member: "sub", place: "1c"},
		"a.shbin:sub@l1c+2":   {file: "a.shbin", member: "sub", place: "l1c", plus: 2},
		"a.shbin:12":          {file: "a.shbin", line: 12},
		"a.shbin:12@0x4":      {file: "a.shbin", member: "12", place: "0x4"},
		"a.shbin:0":           {file: "a.shbin", member: "0"},
		"C:a.s":               {file: "C:a.s"},
		"C:a.s:12":            {file: "C:a.s", line: 12},
		"C:a.s:k@0x4":         {file: "C:a.s", member: "k", place: "0x4"},
		"b:c@d.s":             {file: "b:c@d.s"},
		"b:c@d.s@l4":          {file: "b:c@d.s", place: "l4"},
		"b:c@d":               {file: "b", member: "c", place: "d"},
		"a.shbin@":            {},
		"a.shbin:":            {},
		"a.shbin@main+":       {},
		"a.shbin@a b":         {},
		"a.shbin:9999999999":  {file: "a.shbin", member: "9999999999"},
		"none.shbin@main":     {},
		"mov r0, v0":          {},
		"a.shbin@main+0x10":   {},
		"a.shbin@a@b":         {},
		"a.shbin:k@main:0x10": {file: "a.shbin", member: "k", place: "main:0x10"},
	} {
		got, ok := locationOf(text)
		if got != want || ok != (want != location{}) {
			t.Errorf("%q: %+v %v, expected %+v", text, got, ok, want)
		}
	}
	for text, missing := range map[string]bool{
		"none@0x4": true, "none:12": true, "none:k@l4": true, `C:\none.s:12`: true, "D:/none@main": true,
		"mov r0, v0": false, "ALU: MAXv R0": false, "none": false, "a: b@c": false,
	} {
		if err := missingFile(text); (err != nil) != missing {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// placeFiles returns programs in all formats, and the flags that select their machines.
func placeFiles(t *testing.T) map[string][]string {
	const examples = "../../examples/"
	dir := t.TempDir()
	files := map[string][]string{
		examples + "pica200/flow.shbin":   nil,
		examples + "pica200/light.shbin":  nil,
		examples + "tegra/skin.vp":        nil,
		examples + "tesla/bitonic.cubin":  nil,
		examples + "a2xx/lights.vs.bin":   {"--isa", "a2xx"},
		examples + "a2xx/choices.fs.bin":  {"--isa", "a2xx", "--stage", "fs"},
		filepath.Join(dir, "kernels.cub"): nil,
		filepath.Join(dir, "capture.rd"):  nil,
		filepath.Join(dir, "raw.bin"):     {"--isa", "example"},
	}
	put := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Two kernels; the second reads a register that nothing writes, and jumps.
	kernel := "code {\n\tname = %s\n\tlmem = 0\n\tsmem = 16\n\treg = 4\n\tbar = 0\n\tbincode {\n\t\t%s\n\t}\n}\n"
	first, second := "0x10008009 0x00000003 0x10000003 0x00000780 0xf0000001 0xe0000001", "0xf0000001 0xe0000000 0x20000805 0x04004780 0x1000100b 0x00000780 0x10001003 0x00000780 0xf0000001 0xe0000001"
	put("kernels.cub", []byte("architecture {sm_10}\nabiversion {1}\n"+fmt.Sprintf(kernel, "first", first)+fmt.Sprintf(kernel, "second", second)))
	put("capture.rd", placeCapture(t, examples+"a2xx/lights.vs.bin", examples+"a2xx/choices.fs.bin"))
	// add r1, r2, r3; an unknown word; br to the first; add
	put("raw.bin", []byte{0x43, 0x22, 0x00, 0xa0, 0xfe, 0x83, 0x43, 0x22})
	return files
}

// placeCapture is a capture of a vertex and a fragment shader: sections of a kind, a length and bytes, with the command stream
// that loads both.
func placeCapture(t *testing.T, vertex, fragment string) (out []byte) {
	word := binary.LittleEndian.AppendUint32
	section := func(kind uint32, data []byte) {
		out = append(word(word(out, kind), uint32(len(data))), data...)
	}
	var stream []byte
	for stage, name := range []string{vertex, fragment} {
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := uint32(len(code) / 4)
		stream = word(word(word(stream, 3<<30|(n+1)<<16|0x2b<<8), uint32(stage)), n)
		stream = append(stream, code...)
	}
	section(13, word(nil, 201))
	section(2, []byte("test\x00"))
	section(3, word(word(word(nil, 0x1000), uint32(len(stream))), 0))
	section(12, stream)
	section(6, word(word(word(nil, 0x1000), uint32(len(stream)/4)), 0))
	return out
}

// printed returns the output and the errors of a command that succeeds, perhaps with findings.
func printed(t *testing.T, args ...string) (out string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(args, strings.NewReader(""), &stdout, &stderr); status != exitOK && status != exitFindings {
		t.Fatalf("%q: status %d\n%s", args, status, stderr.String())
	}
	return stdout.String() + stderr.String()
}

var (
	columnPattern = regexp.MustCompile(`(?m)^\S*?0x([0-9a-f]{4,})  (?:  )*(\S.*)$`)
	labelPattern  = regexp.MustCompile(`(?m)^ *((?:l|fxn)[0-9a-f]+):$`)
	headPattern   = regexp.MustCompile(`(?m)^(?:// name = |; shader )([a-z0-9]+)`)
	tracePattern  = regexp.MustCompile(`(?m)^ *(0x[0-9a-f]{4,})  `)
	placePattern  = regexp.MustCompile(`(?m)(\S+@0x[0-9a-f]+): `)
)

// TestPlaces passes each place that a command prints to each command that accepts a place.
func TestPlaces(t *testing.T) {
	for file, flags := range placeFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			with := func(command string, args ...string) []string {
				return append(append([]string{command}, flags...), args...)
			}
			explained := func(place, text string) {
				t.Helper()
				var stdout, stderr bytes.Buffer
				status := run(with("explain", place), strings.NewReader(""), &stdout, &stderr)
				if status == exitMistake && strings.Contains(stderr.String(), "no instruction of ") {
					return // the place of an unknown word
				}
				first, _, _ := strings.Cut(stdout.String(), "\n")
				first, _, _ = strings.Cut(first, "\t; ") // a clause of A2XX is two lines here, and one in a listing
				if status != exitOK && status != exitFindings || text != "" && !strings.HasPrefix(strings.TrimSpace(text), strings.TrimSpace(first)) {
					t.Errorf("explain %s: status %d, %q, expected %q\n%s", place, status, first, text, stderr.String())
				}
			}
			listing := printed(t, with("dis", "--listing", "--addresses", file)...)
			heads := headPattern.FindAllStringSubmatchIndex(listing, -1)
			member := func(at int) (name string) {
				for _, h := range heads {
					if h[0] < at {
						name = ":" + listing[h[2]:h[3]]
					}
				}
				return name
			}
			lines, programs := 0, map[string]bool{}
			for _, m := range columnPattern.FindAllStringSubmatchIndex(listing, -1) {
				lines++
				programs[member(m[0])] = true
				for _, form := range []string{"0x%s", "%s"} {
					explained(file+member(m[0])+"@"+fmt.Sprintf(form, listing[m[2]:m[3]]), listing[m[4]:m[5]])
				}
			}
			for _, m := range labelPattern.FindAllStringSubmatchIndex(listing, -1) {
				explained(file+member(m[0])+"@"+listing[m[2]:m[3]], "")
			}
			if lines < 4 {
				t.Errorf("%d addresses in\n%s", lines, listing)
			}
			// The outputs with places that include the file.
			text := printed(t, with("lint", file)...) + printed(t, with("survey", "--all", file)...) +
				printed(t, with("dis", "--listing", "--findings", "stderr", file)...)
			places := placePattern.FindAllStringSubmatch(text, -1)
			if len(places) == 0 {
				t.Errorf("no place in\n%s", text)
			}
			for _, m := range places {
				if strings.HasPrefix(m[1], file) { // and not one in a source
					explained(m[1], "")
				}
			}
			if strings.HasSuffix(file, ".shbin") {
				trace := tracePattern.FindAllStringSubmatch(printed(t, "run", "--trace", file), -1)
				if len(trace) < 10 {
					t.Errorf("%d addresses in the trace", len(trace))
				}
				for _, m := range trace {
					explained(file+"@"+m[1], "")
				}
			}
			if strings.HasSuffix(file, "kernels.cub") {
				if text := printed(t, "run", "--trace", "--budget", "4", file+":second"); !strings.Contains(text, "0x0008") {
					t.Errorf("the trace of the second kernel is\n%s", text)
				}
			}
			placesOfJSON(t, file, printed(t, with("dis", "--json", file)...), explained)
			for name := range programs {
				for _, command := range []string{"dis", "lint", "survey"} {
					printed(t, with(command, file+name)...)
				}
				if text := printed(t, with("diff", file+name, file+name)...); text != "" {
					t.Errorf("%s%s differs from itself:\n%s", file, name, text)
				}
			}
		})
	}
}

// placesOfJSON passes the addresses in JSON, which are numbers, to explain.
func placesOfJSON(t *testing.T, file, text string, explained func(place, text string)) {
	var doc struct {
		Code []struct {
			Address int64
			Program string
			Name    string
			Flow    []struct{ Target *int64 }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Code {
		if c.Program != "" {
			c.Program = ":" + c.Program
		}
		if c.Name != "" {
			explained(fmt.Sprintf("%s%s@0x%x", file, c.Program, c.Address), "")
		}
		for _, f := range c.Flow {
			if f.Target != nil {
				explained(fmt.Sprintf("%s%s@%x", file, c.Program, *f.Target), "")
			}
		}
	}
}
