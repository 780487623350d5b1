package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// teslaRow is an instruction with the state of a lane before and after, as hwtest's models have it.
type teslaRow struct {
	Words   []string `json:"words"`
	Chipset string   `json:"chipset"`
	Op      string   `json:"op"`
	Group   string   `json:"group"`
	// Debug is the debug word of a multiprocessor, which changes results.
	Debug int `json:"dbg"`
	// In and Out are r5 in hexadecimal, r4d a pair, c1 flags as a number; of atomics mem is the word at address 0 of the
	// memory that the words name, src2 and src3 the second and third operand, old what is loaded.
	In  map[string]any `json:"in"`
	Out map[string]any `json:"out"`
	// OutHalf is a half register, $r7l, where only that is written.
	OutHalf string `json:"out_half"`
	// OutBits are the bits of a result of 64-bit instructions, 64 or 32.
	OutBits int `json:"out_bits"`
	// QuadR4 is r4 in each of four lanes, of which Lane is compared.
	QuadR4 []string `json:"quad_r4"`
	Lane   int      `json:"lane"`
}

// compareTeslaExec runs the rows of such a file and compares all registers and flags, bit for bit. A row is named by its
// number, from 1.
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
		return "", "", fmt.Errorf("dbg %d, expected 0: no quirk has the debug word", r.Debug)
	}
	c := code{contexts: map[string]string{"chip": r.Chipset, "stage": "cp"}, quirks: quirks}
	if c.words, err = words32(r.Words); err != nil {
		return "", "", err
	}
	w, err := x.wave(&c, max(1, len(r.QuadR4)), 0)
	if err != nil {
		return "", "", err
	}
	// Which memory an atomic uses its words say: all of them hold the same.
	memories, err := r.memories(w)
	if err != nil {
		return "", "", err
	}
	// old is where an atomic puts what it has loaded.
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
	w.Run(context.Background())
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

// memories gives each memory that all lanes share the word that a row has at address 0.
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

// stored returns what memories hold after a run beside what they held before, and what they should.
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

// wordOf reads a value of a row: digits in hexadecimal, or a number.
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

// teslaSet gives a register of a row its value: r5, or the registers of a pair as r4d, src2 and src3.
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
		return fmt.Errorf("no register %q", name)
	}
	if err := set(number, v&0xffffffff); err != nil {
		return err
	}
	return set("r"+strconv.Itoa(n+1), v>>32)
}
