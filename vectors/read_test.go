package vectors

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/isago/isago/internal/sem"
)

// sample returns a file with registers, stacks and memories, of a wave with several lanes too.
func sample(t *testing.T) *File {
	t.Helper()
	b := newBench(t, "pica200")
	v := b.word("mul r0.xy, v0.wzyx, r1")
	b.add(v, map[string][]uint64{"v0": b.floats(), "r1": b.floats(), "r0": {1, 2, 3, 4}, "c3": {1, 0, 0xffffffff, 2}, "a0": {0xfffffffe, 3}, "b2": {1}})
	one := &b.file.Vectors[0]
	one.Initial.Stacks = []Stack{{Name: "calls", Lane: 0, Entries: []map[string]uint64{{"end": 7, "return": 2}, {"end": 9, "return": 1}}}}
	one.Final.Stacks = one.Initial.Stacks
	one.Decides = []Decision{{Quirk: "float", Value: "f24", Final: one.Final}}
	one.Calls = []Call{{Name: "emit", Lane: 0, Args: []string{"3f800000"}}}
	one.Stops = []Stop{{Lanes: "1", Reason: "end"}}
	wave := one.Initial
	wave.Registers, wave.Stacks = nil, nil
	for lane := range 3 {
		wave.Registers = append(wave.Registers, Register{Name: "r", Number: 4, Lane: lane, Values: []uint64{uint64(lane), 1, 2, 3}, Bits: 32, Vector: true})
	}
	wave.Registers = append(wave.Registers, Register{Name: "b", Number: 1, Lane: -1, Values: []uint64{1}, Bits: 1})
	sortState(&wave)
	two := Vector{Name: "test/2", Text: one.Text, Words: one.Words, Tables: one.Tables, Lanes: 3, Steps: 1, Initial: wave, Final: wave, Reasons: []string{"lanes"}}
	b.file.Vectors = append(b.file.Vectors, two)
	return b.file
}

// TestRoundTrip writes files and reads them.
func TestRoundTrip(t *testing.T) {
	tesla := newBench(t, "tesla")
	tesla.add(tesla.word("st b32 s[0x10] $r1"), map[string][]uint64{"r1": {0x12345678}})
	tesla.file.Vectors[0].Initial.Memories = []Memory{{Name: "l", Lane: 0, Address: 8, Bytes: []byte{1, 2}}}
	for _, f := range []*File{sample(t), tesla.file} {
		data, err := json.MarshalIndent(f, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Vectors {
			sortState(&f.Vectors[i].Initial)
		}
		back, err := Read(bytes.NewReader(data), "a.json", openMachine)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		for i := range f.Vectors {
			if !reflect.DeepEqual(f.Vectors[i], back.Vectors[i]) {
				t.Errorf("wrote\n%+v\nread\n%+v\n%s", f.Vectors[i], back.Vectors[i], data)
			}
		}
		f.Vectors, back.Vectors = nil, nil
		if len(f.Quirks) == 0 {
			f.Quirks = back.Quirks
		}
		if !reflect.DeepEqual(f, back) {
			t.Errorf("wrote %+v, read %+v", f, back)
		}
	}
}

const shortFile = `{"format": 1, "machine": "pica200", "instruction": "mul", "vectors": [
 {"name": "mul/1", "text": ["mul r0, v0, r1"], "words": ["22000880"], "tables": {"opdesc": ["36f"]}, "lanes": 1, "steps": 1,
  "initial": {"pc": 0, "state": {"r": {"0": ["3f800000", "0", "0", "0"]}}},
  "final": {"pc": 1, "state": {"r": {"0": ["0", "0", "0", "0"]}}},
  "reasons": ["why"]}]}`

// TestReadErrors requires that a mistake is reported where it is.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"format": 1`, `"format": 2`, `f:1:12: format 2, expected 1`},
		{`"pica200"`, `"pica"`, `f:1:26: unknown machine "pica"`},
		{`"format": 1, `, ``, `f:1:1: format 0, expected 1`},
		{`"words"`, `"wrods"`, `f:2:48: unknown name "wrods"; did you mean words?`},
		{`["22000880"]`, `["2200088g"]`, `f:2:2: word "2200088g", expected up to 8 hexadecimal digits`},
		{`["22000880"]`, `[]`, `f:2:2: there are no words, expected at least one`},
		{`"opdesc"`, `"opdecs"`, `f:2:2: unknown table "opdecs"`},
		{`"name": "mul/1"`, `"name": ""`, `f:2:11: name "", expected another name for each vector`},
		{`"lanes": 1`, `"lanes": 65`, `f:2:111: 65 lanes, expected 1 to 64`},
		{`"steps": 1`, `"steps": -1`, `f:2:123: -1 steps, expected a number of instructions, or 0`},
		{`"initial": {"pc": 0, `, `"initial": {`, `f:3:14: no pc, expected the program counter`},
		{`"pc": 0`, `"pc": -1`, `f:3:14: pc: a number, expected a whole number of 64 bits, not negative`},
		{`{"r": {"0": ["3f`, `{"R": {"0": ["3f`, `f:3:14: R: unknown register, stack or memory`},
		{`{"0": ["3f800000"`, `{"16": ["3f800000"`, `f:3:14: r: register "16", expected 0 to 15`},
		{`{"0": ["3f800000"`, `{"00": ["0", "0", "0", "0"], "0": ["3f800000"`, `f:3:14: r0 of lane 0 for the second time, expected each once`},
		{`["3f800000", "0", "0", "0"]`, `["3f800000", "0", "0"]`, `f:3:14: r0: 3 components, expected 4`},
		{`["3f800000", "0", "0", "0"]`, `["3f800000", "0", "0", "0", "0"]`, `f:3:14: r: 0: 5 components, expected at most 4`},
		{`["3f800000", "0", "0", "0"]`, `["3f800000", "100000000", "0", "0"]`, `f:3:14: r: 0: "100000000", expected a hexadecimal number of at most 32 bits`},
		{`["3f800000", "0", "0", "0"]`, `["3f800000", 0, "0", "0"]`, `f:3:14: r: 0: a number, expected a text`},
		{`["3f800000", "0", "0", "0"]`, "[\"3f800000\",\n 0, \"0\", \"0\"]", `f:3:14: r: 0: a number, expected a text`},
		{`{"r": {"0": ["3f`, `{"calls": [{"end": "3", "other": "1"}], "r": {"0": ["3f`, `f:3:14: calls: unknown slot "other"`},
		{`{"r": {"0": ["3f`, `{"broke": "1", "r": {"0": ["3f`, `f:3:14: broke: a program cannot observe it, expected a register`},
		{`{"pc": 0, "state"`, `{"pc": 0, "lanes": [{}, {}], "state"`, `f:3:33: 2 lanes, expected the 1 lanes of the vector`},
		{`{"pc": 0, "state"`, `{"pc": 0, "lanes": [{"r": {"0": ["0", "0", "0", "0"]}}], "state"`, `f:3:14: r0 of lane 0 for the second time, expected each once`},
		{`{"pc": 0, "state"`, `{"pc": 0, "memory": {"g": {}}, "state"`, `f:3:14: unknown memory "g"`},
		{`"final": {"pc": 1, "state"`, `"final": {"pc": 1, "calls": [], "state"`, `f:4:12: calls or stops in this state, expected them in the vector`},
		{`"final": {"pc": 1, "state": {"r": {"0": ["0", "0", "0", "0"]}}},`, ``, `f:2:2: no state final, expected it`},
		{`"reasons"`, `"actual": {}, "reasons"`, `f:5:3: unknown name "actual"`},
	} {
		got := ""
		text := strings.Replace(shortFile, c.old, c.new, 1)
		if c.old != "" && text == shortFile {
			t.Fatalf("%q is not in the file", c.old)
		}
		if _, err := Read(strings.NewReader(text), "f", openMachine); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.new, got, c.want)
		}
	}
}

// TestReadAnswers reads results in each form.
func TestReadAnswers(t *testing.T) {
	f, err := Read(strings.NewReader(shortFile), "f", openMachine)
	if err != nil {
		t.Fatal(err)
	}
	state := `{"pc": 1, "state": {"r": {"0": ["0", "0", "0", "1"]}}, "calls": []}`
	for _, c := range []struct {
		text    string
		against []*File
		want    string
	}{
		{strings.Replace(shortFile, `"reasons"`, `"actual": `+state+`, "reasons"`, 1), nil, ""},
		{strings.Replace(shortFile, `"reasons"`, `"hardware": `+state+`, "reasons"`, 1), nil, ""},
		{strings.Replace(shortFile, `"reasons"`, `"actual": `+state+`, "reasons"`, 1), []*File{f}, ""},
		{strings.Replace(shortFile, `["0", "0", "0", "0"]`, `["0", "0", "0", "1"]`, 1), []*File{f}, ""},
		{`{"vectors": [{"name": "mul/1", "final": ` + state + `}]}`, []*File{f}, ""},
		{`{"name": "mul/1", "actual": ` + state + `}` + "\n", []*File{f}, ""},
		{"\n" + `{"name": "mul/1", "hardware": ` + state + `}`, []*File{f}, ""},
		{shortFile, nil, "f:1:70: no vector has the field actual or hardware, expected the result of an engine in it"},
		{`{"name": "mul/1", "actual": ` + state + `}`, nil, "f: lines of results, expected also the file of vectors to which they belong"},
		{"{\"name\": \"mul/1\", \"actual\": " + state + "}\n{\"name\": \"mul/1\", \"actual\": " + state + "}", []*File{f}, `f:2:10: vector "mul/1" for the second time, expected one result`},
		{"\n{\"name\": \"mul/2\", \"actual\": " + state + "}", []*File{f}, `f:2:10: unknown vector "mul/2"; did you mean mul/1?`},
		{"\n\n{\"name\": \"mul/1\"}", []*File{f}, `f:3:1: no result, expected the field actual or hardware`},
		{`{"name": "mul/1", "actual": {"state": {"r": {"0": ["0"]}}}}`, []*File{f}, `f:1:29: r0: 1 components, expected 4`},
		{`{"name": "mul/1", "actual": {"sate": {}}}`, []*File{f}, `f:1:30: unknown name "sate"; did you mean state?`},
		{`{"vectors": [{"name": "mul/3"}]}`, []*File{f}, `f:1:23: unknown vector "mul/3"; did you mean mul/1?`},
		{`{"vectors": [{"name": "mul/1"}]}`, []*File{f}, `f:1:14: no result, expected the field actual, hardware or final`},
	} {
		list, err := ReadAnswers(strings.NewReader(c.text), "f", openMachine, c.against...)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
		if err != nil {
			continue
		}
		if len(list) != 1 || len(list[0].List) != 1 || find(&list[0].List[0].State, "r0").Values[3] != 1 || list[0].List[0].NoPC {
			t.Errorf("%s: %+v", c.text, list)
		}
	}
}

// FuzzRead requires that every file that Read accepts can be written, read again and run, and that Check accepts its own
// final states.
func FuzzRead(f *testing.F) {
	sem.Checked = false // the verification of lowered code takes longer than all else
	f.Cleanup(func() { sem.Checked = true })
	seeds, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(seeds) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range seeds {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		known, err := Read(strings.NewReader(shortFile), "f", openMachine)
		if err != nil {
			t.Fatal(err)
		}
		for _, against := range [][]*File{nil, {known}} {
			if list, err := ReadAnswers(bytes.NewReader(data), "f", openMachine, against...); err == nil {
				checkAll(t, list)
			}
		}
		file, err := Read(bytes.NewReader(data), "f", openMachine)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("no position: %v", err)
			}
			return
		}
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(bytes.NewReader(text), "f", openMachine); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		a := &Answers{File: file}
		for i := range file.Vectors {
			a.List = append(a.List, Answer{Name: file.Vectors[i].Name, State: file.Vectors[i].Final})
		}
		if r := checkAll(t, []*Answers{a}); r != nil && r.Differ > 0 {
			t.Errorf("final states differ from themselves:\n%s", r.Append(nil))
		}
	})
}

func checkAll(t *testing.T, list []*Answers) *Report {
	for _, a := range list {
		if len(a.File.Vectors) > 4 {
			return nil
		}
	}
	m, err := openMachine(list[0].File.Machine)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(m, list, CheckOptions{})
	if err != nil {
		return nil
	}
	r.Append(nil)
	if _, err := json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return r
}
