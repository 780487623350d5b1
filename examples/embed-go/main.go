// Command embed-go is a small emulator of the invented machine example. isago generates its decoder, the package
// example, which imports only the standard library.
package main

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/isago/isago/examples/embed-go/example"
)

//go:generate isago gen go --spec ../../target/example/example.xml --prefix example -o example

type machine struct {
	r, s [8]int16
	last int16
	pc   int
	o    *example.Options
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run computes 5 * 4 by adding: r1 counts up from -4.
func run() error {
	o := example.Defaults()
	start := example.AddFields{A: 1, Dst: 1, Immediate: true, B2: -4}
	again := example.BrFields{Cond: example.CondNe, Target: -2}
	code := []byte{0, 0, 0x15, 0x20, 0x31, 0x22, 0, 0} // add r0, r0, 5; add r1, r1, 1
	for at, pack := range map[int]func(*example.Options) (example.Word, error){0: start.Pack, 6: again.Pack} {
		w, err := pack(o)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint16(code[at:], uint16(w))
	}
	m := machine{o: o}
	for pc := 0; pc < len(code); pc += 2 {
		in, err := example.Decode(code[pc:])
		if err != nil {
			return err
		}
		fmt.Println(in, in.Args(o))
	}
	for m.pc < len(code)/2 {
		if err := m.step(code[2*m.pc:]); err != nil {
			return err
		}
	}
	fmt.Println("r0 =", m.r[0], "r1 =", m.r[1])
	return nil
}

// step executes one instruction.
func (m *machine) step(code []byte) error {
	in, err := example.Decode(code)
	if err != nil {
		return err
	}
	next := m.pc + 1
	switch in.Op {
	case example.ADD:
		var f example.AddFields
		f.Unpack(in, m.o)
		m.last = *m.reg(f.A) + m.operand(f.Immediate, f.B2, f.B)
		*m.reg(f.Dst) = m.last
	case example.MUL:
		var f example.MulFields
		f.Unpack(in, m.o)
		m.last = *m.reg(f.A) * m.operand(f.Immediate, f.B2, f.B)
		*m.reg(f.Dst) = m.last
	case example.SHL:
		var f example.ShlFields
		f.Unpack(in, m.o)
		m.last = *m.reg(f.A) << (f.Count + 1)
		*m.reg(f.Dst) = m.last
	case example.BR:
		var f example.BrFields
		f.Unpack(in, m.o)
		if taken(f.Cond, m.last) {
			if f.Link {
				m.s[1] = int16(next)
			}
			next = m.pc + int(f.Target)
		}
	}
	m.pc = next
	return nil
}

func taken(cond example.Cond, last int16) bool {
	switch cond {
	case example.CondEq:
		return last == 0
	case example.CondNe:
		return last != 0
	case example.CondLt:
		return last < 0
	}
	return true
}

// operand returns the second operand of an instruction: a number or a register.
func (m *machine) operand(immediate bool, number int32, register uint32) int16 {
	if immediate {
		return int16(number)
	}
	return *m.reg(register)
}

// reg returns the register that a 4-bit field names.
func (m *machine) reg(field uint32) *int16 {
	in, _ := m.o.DecodeRegister(example.Word(field))
	if in.Op == example.REGISTER_SPECIAL {
		var f example.RegisterSpecialFields
		f.Unpack(in, m.o)
		return &m.s[f.N]
	}
	var f example.RegisterGeneralFields
	f.Unpack(in, m.o)
	return &m.r[f.N]
}
