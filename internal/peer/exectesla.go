package main

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// teslaRow is an instruction with the state of a lane before and after it, from the models of hwtest.
type teslaRow struct {
	Words   []string `json:"words"`
	Chipset string   `json:"chipset"`
	Op      string   `json:"op"`
	Group   string   `json:"group"`
	// Debug is the debug word of a multiprocessor, which changes results.
	Debug int `json:"dbg"`
	// In and Out map r5 to a hexadecimal value, r4d to a register pair and c1 to numeric flags. For
	// atomics, mem is the word at address 0, src2 and src3 are the second and third operands, and old
	// is the loaded value.
	In  map[string]any `json:"in"`
	Out map[string]any `json:"out"`
	// OutHalf is the half register, such as $r7l, if the instruction writes only that.
	OutHalf string `json:"out_half"`
	// OutBits is the number of bits in a result of 64-bit instructions, 64 or 32.
	OutBits int `json:"out_bits"`
	// QuadR4 is r4 in each of four lanes. Lane is the lane to compare.
	QuadR4 []string `json:"quad_r4"`
	Lane   int      `json:"lane"`
}

// compareTeslaExec runs the rows of a file and compares all registers and flags bit for bit. A row's
// name is its number, from 1.
func compareTeslaExec(file string, k *known, report func(difference)) (rows int, err error) {
	x, err := newExecutor("tesla")
	if err != nil {
		return 0, err
	}
	return eachRow(file, func(n int, r *teslaRow) error {
		return k.run(strconv.Itoa(n), report, func(quirks map[string]string) (got, want string, err error) {
			got, want, err = x.tesla(r, quirks)
			return r.Op + ": " + got, r.Op + ": " + want, err
		})
	})
}

func (x *executor) tesla(r *teslaRow, quirks map[string]string) (got, want string, err error) {
	if r.Debug != 0 {
		return "", "", fmt.Errorf("dbg %d, expected 0, because no quirk sets the debug word", r.Debug)
	}
	c := code{contexts: map[string]string{"chip": r.Chipset, "stage": "cp"}, quirks: quirks}
	if c.words, err = words32(r.Words); err != nil {
		return "", "", err
	}
	w, err := x.wave(&c, max(1, len(r.QuadR4)), 0)
	if err != nil {
		return "", "", err
	}
	// The words of an atomic select the memory, so all memories hold the same value.
	memories, err := r.memories(w)
	if err != nil {
		return "", "", err
	}
	// old is the register that receives the loaded value.
	pair := r.Group == "atom64"
	old := map[bool]string{false: "r7", true: "r8"}[pair]
	for name, value := range r.In {
		if name == "mem" {
			continue
		}
		if err := teslaSet(name, value, func(register string, v uint64) error { return w.set(register, v) }); err != nil {
			return "", "", err
		}
	}
	for lane, text := range r.QuadR4 {
		v, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return "", "", err
		}
		s, n, err := w.state("r4")
		if err != nil {
			return "", "", err
		}
		w.Set(s, n, 0, lane, v)
	}
	expected := w.snapshot(r.Lane, "r", "c")
	for name, value := range r.Out {
		v, err := wordOf(value)
		switch {
		case err != nil:
			return "", "", err
		case name == "mem":
			continue
		case name == "old" && pair:
			name += "d"
		}
		if name = strings.Replace(name, "old", old, 1); r.OutBits == 64 && name[0] == 'r' {
			name += "d"
		}
		before := expected[name]
		switch {
		case strings.HasSuffix(r.OutHalf, "l") && name[0] == 'r':
			v = before[0]&^0xffff | v&0xffff
		case strings.HasSuffix(r.OutHalf, "h") && name[0] == 'r':
			v = before[0]&0xffff | v&^0xffff
		}
		if err := teslaSet(name, v, func(register string, v uint64) error { expected[register] = []uint64{v}; return nil }); err != nil {
			return "", "", err
		}
	}
	if err := w.run(); err != nil {
		return "", "", err
	}
	got, want, ok := differ(w.snapshot(r.Lane, "r", "c"), expected, nil)
	if stored, wanted := r.stored(memories); stored != wanted {
		got, want, ok = got+" "+stored, want+" "+wanted, false
	}
	if stop := w.unexpectedStop("end of words", "end"); stop != "" {
		return got + " " + stop, want, nil
	}
	if ok {
		return "", "", nil
	}
	return got, want, nil
}

// memories sets the word at address 0 of each memory that all lanes share.
func (r *teslaRow) memories(w *wave) (list [][]byte, err error) {
	var v uint64
	if value, ok := r.In["mem"]; ok {
		if v, err = wordOf(value); err != nil {
			return nil, err
		}
	}
	for _, s := range w.m.States {
		if s.Group == "g" {
			list = append(list, binary.LittleEndian.AppendUint64(nil, v))
			w.SetMemory(s, list[len(list)-1])
		}
	}
	return list, nil
}

// stored returns the contents of memories after a run, and the expected contents.
func (r *teslaRow) stored(memories [][]byte) (got, want string) {
	before, _ := wordOf(r.In["mem"])
	after, err := wordOf(r.Out["mem"])
	if err == nil && after != before {
		want = fmt.Sprintf("mem=%x", after)
	}
	for _, m := range memories {
		if v := binary.LittleEndian.Uint64(m); v != before {
			got += fmt.Sprintf("mem=%x", v)
		}
	}
	return got, want
}

// wordOf parses a value of a row: hexadecimal digits or a number.
func wordOf(value any) (uint64, error) {
	switch v := value.(type) {
	case uint64:
		return v, nil
	case float64:
		return uint64(v), nil
	case string:
		return strconv.ParseUint(v, 16, 64)
	}
	return 0, fmt.Errorf("value %v, expected hexadecimal digits or a number", value)
}

// teslaSet sets a register of a row: r5, or a pair such as r4d, src2 or src3.
func teslaSet(name string, value any, set func(register string, v uint64) error) error {
	v, err := wordOf(value)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch name {
	case "src2":
		name = "r4d"
	case "src3":
		name = "r6d"
	}
	number, pair := strings.CutSuffix(name, "d")
	if !pair {
		return set(name, v)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(number, "r"))
	if err != nil {
		return fmt.Errorf("unknown register %q", name)
	}
	if err := set(number, v&0xffffffff); err != nil {
		return err
	}
	return set("r"+strconv.Itoa(n+1), v>>32)
}
