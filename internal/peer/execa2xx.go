package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strconv"
)

// a2xxRow is a program with its inputs and results from an emulator of Xenos. Missing values are 0.
type a2xxRow struct {
	Name   string              `json:"name"`
	Stage  string              `json:"stage"`
	Words  []string            `json:"words"`
	Regs   map[string][]string `json:"regs"`
	Consts map[string][]string `json:"consts"`
	// Bools hold 32 constants per word. Ints are the loop constants.
	Bools map[string]string `json:"bools"`
	Ints  map[string]string `json:"ints"`
	// Fetch are pairs of words. Three pairs are one fetch constant. Mem are memory words by index.
	Fetch map[string][]string `json:"vf"`
	Mem   map[string]string   `json:"mem"`
	// Exports are in execution order, each with the components that were written.
	Exports []struct {
		Export int      `json:"export"`
		Mask   int      `json:"mask"`
		Value  []string `json:"value"`
	} `json:"exports"`
	// RegsOut are the registers that changed.
	RegsOut map[string][]string `json:"regs_out"`
}

// compareA2XXExec runs the rows of a file and compares all registers and exports bit for bit, except
// that all NaNs are equal. Special functions may differ in other emulators. The row's name identifies
// it.
func compareA2XXExec(file string, k *known, report func(difference)) (rows int, err error) {
	x, err := newExecutor("a2xx")
	if err != nil {
		return 0, err
	}
	return eachRow(file, func(_ int, r *a2xxRow) error {
		return k.run(r.Name, report, func(quirks map[string]string) (got, want string, err error) { return x.a2xx(r, quirks) })
	})
}

func (x *executor) a2xx(r *a2xxRow, quirks map[string]string) (got, want string, err error) {
	c := code{contexts: map[string]string{"stage": r.Stage}, quirks: map[string]string{"machine": "xenos"}}
	maps.Copy(c.quirks, quirks)
	if c.words, err = words32(r.Words); err != nil {
		return "", "", err
	}
	w, err := x.wave(&c, 1, 0)
	if err != nil {
		return "", "", err
	}
	if err := r.feed(w); err != nil {
		return "", "", err
	}
	expected := w.snapshot(0, "R", "export")
	for n, texts := range r.RegsOut {
		if expected["R"+n], err = float32s(texts); err != nil {
			return "", "", err
		}
	}
	for _, e := range r.Exports {
		values, err := float32s(e.Value)
		name := "export" + strconv.Itoa(e.Export)
		if err != nil || len(values) != 4 || expected[name] == nil {
			return "", "", fmt.Errorf("export %d: %q, %v", e.Export, e.Value, err)
		}
		for k, v := range values {
			if e.Mask>>k&1 != 0 {
				expected[name][k] = v
			}
		}
	}
	if err := w.run(); err != nil {
		return "", "", err
	}
	got, want, ok := differ(w.snapshot(0, "R", "export"), expected, nil)
	if stop := w.unexpectedStop("end"); stop != "" {
		return got + " " + stop, want, nil
	}
	if ok {
		return "", "", nil
	}
	return got, want, nil
}

// feed sets the inputs of a row.
func (r *a2xxRow) feed(w *wave) error {
	for n := range 64 { // registers without another initial value
		if err := w.set("R"+strconv.Itoa(n), 0, 0, 0, 0); err != nil {
			return err
		}
	}
	for file, list := range map[string]map[string][]string{"R": r.Regs, "C": r.Consts} {
		for n, texts := range list {
			values, err := hexWords(texts)
			if err != nil {
				return err
			}
			if err := w.set(file+n, values...); err != nil {
				return err
			}
		}
	}
	for n, text := range r.Ints {
		if err := setWord(w, "loop"+n, text); err != nil {
			return err
		}
	}
	for n, text := range r.Bools {
		at, err := strconv.Atoi(n)
		values, err2 := hexWords([]string{text})
		if err != nil || err2 != nil {
			return fmt.Errorf("bools %s: %q, expected a decimal number before the colon and a hexadecimal word after it", n, text)
		}
		for k := range 32 {
			if err := w.set("bools"+strconv.Itoa(32*at+k), values[0]>>k&1); err != nil {
				return err
			}
		}
	}
	for n, texts := range r.Fetch {
		at, err := strconv.Atoi(n)
		values, err2 := hexWords(texts)
		if err != nil || err2 != nil || len(values) != 2 {
			return fmt.Errorf("vf %s: %q, expected the number of a fetch constant before the colon and two hexadecimal words after it", n, texts)
		}
		s, _, err := w.state("sampler" + strconv.Itoa(at/3))
		if err != nil {
			return err
		}
		for k, v := range values {
			w.Set(s, at/3, 2*(at%3)+k, 0, v)
		}
	}
	return r.memory(w)
}

// memory sets the memory words.
func (r *a2xxRow) memory(w *wave) error {
	data := []byte{}
	for n, text := range r.Mem {
		at, err := strconv.ParseUint(n, 10, 20)
		v, err2 := strconv.ParseUint(text, 16, 32)
		if err != nil || err2 != nil {
			return fmt.Errorf("mem %s: %q, expected a decimal number before the colon and a hexadecimal word after it", n, text)
		}
		for uint64(len(data)) < 4*at+4 {
			data = append(data, 0)
		}
		binary.LittleEndian.PutUint32(data[4*at:], uint32(v))
	}
	w.SetMemory(w.m.State("memory"), data)
	return nil
}

func setWord(w *wave, register, text string) error {
	values, err := hexWords([]string{text})
	if err != nil {
		return err
	}
	return w.set(register, values...)
}
