package launch

import (
	"fmt"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

// array is memory with a name: an argument or a variable of the program.
type array struct {
	name string
	typ  isa.Type
	rgba bool
	data []byte
	// addr is its address in global memory.
	addr uint64
	// before is its content when the first kernel started.
	before []byte
}

// Arrays start at multiples of alignment from base on, with an unmapped gap after each, so that neither the pointer 0
// nor an overrun reaches an array.
const (
	base      = 0x10000
	alignment = 256
	// unknownSize is the size of a variable whose size is not in the file.
	unknownSize = 1 << 16
)

// layOut assigns addresses to arrays and returns the memory that contains them.
func layOut(arrays []*array) (data []byte, areas []exec.Area) {
	at := uint64(base)
	areas = append(areas, exec.Area{From: at, To: at}) // a memory of which no parts are named could be reached anywhere
	for _, a := range arrays {
		a.addr = at
		areas = append(areas, exec.Area{From: at, To: at + uint64(len(a.data)), Name: a.name})
		at = (at + uint64(len(a.data)) + 2*alignment - 1) / alignment * alignment
	}
	data = make([]byte, at)
	for _, a := range arrays {
		a.before = a.data
		a.data = data[a.addr : a.addr+uint64(len(a.data)) : a.addr+uint64(len(a.data))]
		copy(a.data, a.before)
	}
	return data, areas
}

// variable is memory that the program names.
type variable struct {
	name string
	size int
	data []byte // with which it begins
}

// variables returns the variables of a module in global memory: those that it describes, and those that relocations
// name.
func variables(m *tesla.Module) []variable {
	var list []variable
	known := map[string]bool{}
	for i := range m.Variables {
		v := &m.Variables[i]
		known[v.Name] = true
		if v.Bank >= 0 {
			continue
		}
		list = append(list, variable{v.Name, v.Size, v.Data})
	}
	for _, r := range m.Relocations {
		if !known[r.Variable] {
			known[r.Variable] = true
			list = append(list, variable{r.Variable, unknownSize, nil})
		}
	}
	return list
}

// constants fills the constant memories for a kernel: the contents of the file, the values of variables, and the
// addresses of variables in global memory.
func (s *session) constants(k *tesla.Kernel) error {
	for _, bank := range s.banks {
		clear(bank)
	}
	for _, list := range [][]tesla.Segment{s.module.Constants, k.Constants} {
		for _, c := range list {
			if err := setConstants(s.banks, c.Bank, c.Offset, c.Data); err != nil {
				return err
			}
		}
	}
	for _, v := range s.module.Variables {
		given := s.given[v.Name]
		if given == nil || v.Bank < 0 {
			continue
		}
		if v.Size > 0 && len(given.data) > v.Size {
			return fmt.Errorf("the value for %s has %d bytes, but the variable has only %d", v.Name, len(given.data), v.Size)
		}
		if err := setConstants(s.banks, v.Bank, v.Offset, given.data); err != nil {
			return err
		}
	}
	for _, r := range s.module.Relocations {
		if r.Kernel != "" && r.Kernel != k.Name {
			continue
		}
		a := s.arrays[r.Variable]
		if a == nil {
			return fmt.Errorf("a relocation names %s, which is not a variable in the memory that all threads share", r.Variable)
		}
		if err := setConstants(s.banks, r.Bank, r.Offset, put(nil, unsigned(8*r.Size), a.addr)); err != nil {
			return err
		}
	}
	return nil
}

func setConstants(banks [][]byte, bank, offset int, data []byte) error {
	if bank >= len(banks) || offset > len(banks[bank]) || len(data) > len(banks[bank])-offset {
		return fmt.Errorf("%d bytes of constants at c%d[%#x] do not fit in the constant memory", len(data), bank, offset)
	}
	copy(banks[bank][offset:], data)
	return nil
}
