package vectors_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
)

// The types of this file read the JSON of vectors without the package vectors, as the author of an emulator would.
type (
	file struct {
		Root    string
		Quirks  map[string]string
		Vectors []struct {
			Name           string
			Words          []string
			Tables         map[string][]string
			Context        map[string]string
			Quirks         map[string]string
			Lanes, Steps   int
			Active         string
			Initial, Final state
			Calls          []struct{ Name string }
		}
	}
	state struct {
		PC     uint64
		State  map[string]any
		Lanes  []map[string]any
		Memory map[string]map[string]string
	}
)

// each calls f for the values of a state: a component of a register, a slot of an entry of a stack, or a byte.
func (s *state) each(m *exec.Machine, f func(st *exec.State, lane, number, part int, v uint64)) {
	lanes := append([]map[string]any{s.State}, s.Lanes...)
	for i, registers := range lanes {
		lane := max(0, i-1)
		for name, value := range registers {
			st := m.State(name)
			register := func(n int, v any) {
				list, ok := v.([]any)
				if !ok {
					list = []any{v}
				}
				for k, text := range list {
					bits, _ := strconv.ParseUint(text.(string), 16, 64)
					f(st, lane, n, k, bits)
				}
			}
			switch value := value.(type) {
			case []any:
				if st.Kind != exec.Stack {
					register(0, value)
					continue
				}
				f(st, lane, -1, 0, uint64(len(value)))
				for n, entry := range value {
					for k, slot := range st.Slots {
						bits, _ := strconv.ParseUint(fmt.Sprint(entry.(map[string]any)[slot.Name]), 16, 64)
						f(st, lane, n, k, bits)
					}
				}
			case map[string]any:
				for at, v := range value {
					n, _ := strconv.Atoi(at)
					if st.Kind == exec.Memory {
						piece, _ := hex.DecodeString(v.(string))
						for k, b := range piece {
							f(st, lane, n+k, 0, uint64(b))
						}
						continue
					}
					register(n, v)
				}
			default:
				register(0, value)
			}
		}
	}
	for name, pieces := range s.Memory {
		for at, text := range pieces {
			n, _ := strconv.Atoi(at)
			piece, _ := hex.DecodeString(text)
			for k, b := range piece {
				f(m.State(name), 0, n+k, 0, uint64(b))
			}
		}
	}
}

// passVectors runs the vectors of a file on the plain engine and compares the states.
func passVectors(t *testing.T, m *exec.Machine, data []byte) (rows int) {
	t.Helper()
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	root, err := m.Root(f.Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range f.Vectors {
		var code []uint32
		size := int64(0)
		for _, text := range v.Words { // of 32 bits, or of 16
			w, _ := strconv.ParseUint(text, 16, 32)
			if size%32 == 0 {
				code = append(code, 0)
			}
			code[len(code)-1] |= uint32(w) << (size % 32)
			size += int64(4 * len(text))
		}
		words := m.Words32(root, code, size)
		quirks := map[string]string{}
		for _, list := range []map[string]string{f.Quirks, v.Quirks} {
			for name, value := range list {
				quirks[name] = value
			}
		}
		words.Quirks, err = m.ParseQuirks(quirks)
		for name, value := range v.Context {
			words.Context, err = m.Set().ParseContext(words.Context, name, value)
		}
		for i, table := range m.Set().Tables() {
			for _, text := range v.Tables[table.Name] {
				entry, err := bits.ParseHex(text)
				if err != nil {
					t.Fatal(err)
				}
				words.Tables[i] = append(words.Tables[i], entry)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		w := exec.NewWave(exec.NewProgram(m, words))
		w.Budget, w.Services = 1<<20, map[string]exec.Service{}
		calls := 0
		for _, name := range m.Services() {
			w.Services[name] = func(c *exec.Call) {
				for lane := range v.Lanes {
					calls += int(c.Mask >> lane & 1)
				}
			}
		}
		for _, st := range m.States {
			if st.Kind == exec.Memory && st.Count == 0 {
				w.SetSize(st, 1<<16)
			}
		}
		w.Start(v.Lanes, v.Initial.PC)
		if v.Active != "" {
			mask, _ := strconv.ParseUint(v.Active, 16, 64)
			w.SetLanes(mask)
		}
		memory := func(st *exec.State, lane int) []byte {
			data := w.Memory(st)
			if st.Scope < exec.ScopeWave {
				data = data[lane*len(data)/exec.Lanes:]
			}
			return data
		}
		entry := map[int][]uint64{}
		v.Initial.each(m, func(st *exec.State, lane, number, part int, x uint64) {
			switch {
			case st.Kind == exec.Registers:
				w.Set(st, number, part, lane, x)
			case st.Kind == exec.Memory:
				memory(st, lane)[number] = byte(x)
			case number >= 0:
				if entry[st.Index] = append(entry[st.Index], x); part == len(st.Slots)-1 {
					w.PushEntry(st, lane, entry[st.Index])
					entry[st.Index] = nil
				}
			}
		})
		if v.Steps > 0 {
			w.RunFor(v.Steps)
		} else if err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		v.Final.each(m, func(st *exec.State, lane, number, part int, want uint64) {
			got := uint64(0)
			switch {
			case st.Kind == exec.Registers:
				got = exec.Canonical(w.Get(st, number, part, lane), st.Type)
			case st.Kind == exec.Memory:
				got = uint64(memory(st, lane)[number])
			case number < 0:
				got = uint64(w.Depth(st, lane))
			default:
				got = w.Entry(st, w.Depth(st, lane)-1-number, part, lane)
			}
			if got != want {
				t.Errorf("%s: %s %d.%d in lane %d is %x, expected %x", v.Name, st.Name, number, part, lane, got, want)
			}
		})
		if calls != len(v.Calls) {
			t.Errorf("%s: %d calls, expected %d", v.Name, calls, len(v.Calls))
		}
		rows++
	}
	return rows
}
