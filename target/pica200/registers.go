package pica200

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// bank is a register file by what programs have it for.
type bank uint8

// The banks. Those that a shader file numbers come first, in its order.
const (
	inputBank bank = iota
	floatBank
	intBank
	boolBank
	outputBank
	otherBank
)

// bankOf returns the bank that a register file is.
func bankOf(f *isa.File) bank {
	switch {
	case f.Use == "input":
		return inputBank
	case f.Use == "output":
		return outputBank
	case f.Use != "constant":
		return otherBank
	case f.Type.Kind == isa.Float:
		return floatBank
	case f.Type.Kind == isa.Bool:
		return boolBank
	}
	return intBank
}

// bankFiles are the register files by bank.
type bankFiles [otherBank]*isa.File

// filesOf finds the register files of the banks.
func filesOf(set *isa.Set) (list bankFiles, err error) {
	for _, f := range set.Files() {
		if b := bankOf(f); b < otherBank && list[b] == nil {
			list[b] = f
		}
	}
	if slices.Contains(list[:], nil) {
		return list, fmt.Errorf("the description needs register files for inputs, outputs, and float, integer and boolean uniforms")
	}
	return list, nil
}

// numbered are the files of the description as it stands, for shader files that are read without one.
var numbered = sync.OnceValue(func() bankFiles {
	set, err := Load(isa.Options{})
	if err != nil {
		panic(err) // the description is a part of this package
	}
	list, err := filesOf(set)
	if err != nil {
		panic(err)
	}
	return list
})

// name returns the name of a register of a bank.
func (b bank) name(num int) string { return numbered()[b].Name + strconv.Itoa(num) }

// register is a register of a set.
type register struct {
	file *isa.File
	num  int
}

func (r register) String() string { return r.file.Name + strconv.Itoa(r.num) }

// symbolKey is a value in a space of names of the instruction set.
type symbolKey struct {
	space string
	value uint64
}

// symbolSpaces tells which register each value in a space of names means.
func symbolSpaces(set *isa.Set) (map[symbolKey]register, error) {
	means := map[symbolKey]register{}
	done := map[string]bool{}
	for _, b := range inside.Machine(set).ISA.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if f.Symbols == "" || f.Bitset == nil || done[f.Symbols+f.Bitset.Name] {
					continue
				}
				done[f.Symbols+f.Bitset.Name] = true
				if err := addSpace(means, set, f.Symbols, f.Bitset.Name); err != nil {
					return nil, err
				}
			}
		}
	}
	return means, nil
}

// addSpace notes the registers that the words of a kind of operand mean.
func addSpace(means map[symbolKey]register, set *isa.Set, space, root string) error {
	d, err := set.NewDecoder(root)
	if err != nil {
		return err
	}
	for word := range uint64(1) << d.Root().Size {
		in, ok := d.Decode(bits.Of(word))
		if !ok {
			continue
		}
		if r := d.Register(in); r.File != nil {
			means[symbolKey{space, word}] = register{r.File, r.Index}
		}
	}
	return nil
}

// banks are the registers as source names them: the letter of a file and a number.
type banks struct {
	letters [256]*isa.File // nil for what is no file
	inName  [256]bool      // what names go on with
	files   bankFiles
	// temporaries are the registers that programs read and write.
	temporaries *isa.File
	// indexed returns the files that an address register can offset.
	indexed func() []*isa.File
	// address are the address registers as instructions spell them, address[0] being none, and named
	// the index of each of their names, in lower case.
	address []string
	named   map[string]uint8
	// components are those of every register that is a vector.
	components components
}

// load reads the banks from the description.
func (b *banks) load(set *isa.Set) (err error) {
	if b.files, err = filesOf(set); err != nil {
		return err
	}
	for _, f := range set.Files() {
		if len(f.Name) == 1 {
			b.letters[f.Name[0]] = f
		}
		if f.Use == "temporary" && b.temporaries == nil {
			b.temporaries = f
		}
	}
	if b.temporaries == nil {
		return fmt.Errorf("the description needs a register file for temporaries")
	}
	for c := range b.inName {
		b.inName[c] = identifierByte(byte(c), false)
	}
	root, err := set.Root("")
	if err != nil {
		return err
	}
	b.indexed = sync.OnceValue(func() []*isa.File { return indexedIn(root) })
	model := inside.Machine(set).ISA
	b.address, b.named = []string{""}, map[string]uint8{}
	for _, e := range model.Enums {
		b.loadAddresses(e)
	}
	names := model.File(b.files[floatBank].Name).Names
	if names == nil {
		return fmt.Errorf("the registers of %s need names for their components", b.files[floatBank].Name)
	}
	return b.components.load(names)
}

// indexedIn lists the files of a root that an address register can offset.
func indexedIn(root *isa.Root) (list []*isa.File) {
	for _, l := range root.Leaves {
		for _, o := range l.OperandForms() {
			for _, f := range o.Added {
				if !slices.Contains(list, f) {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// loadAddresses takes the values of an enum that are registers for address registers, which stand in
// brackets.
func (b *banks) loadAddresses(e *spec.Enum) {
	for _, v := range e.Values {
		if v.Reg == nil {
			continue
		}
		b.address = append(b.address, strings.Trim(v.Display, "[]"))
		for _, name := range append([]string{v.Display}, v.Aliases...) {
			b.named[strings.ToLower(strings.Trim(name, "[]"))] = uint8(len(b.address) - 1)
		}
	}
}

// register returns the register of a name; ok is false where none has it.
func (b *banks) register(name string) (o operand, ok bool) {
	if len(name) < 2 || len(name) > 3 || b.letters[name[0]] == nil || name[1] == '0' && len(name) > 2 {
		return o, false
	}
	for _, c := range []byte(name[1:]) {
		if c < '0' || c > '9' {
			return o, false
		}
		o.num = 10*o.num + int(c-'0')
	}
	o.file, o.swz = b.letters[name[0]], noSwizzle
	return o, o.num < o.file.Count
}

// isRegister reports whether a name looks like that of a register, in either case.
func (b *banks) isRegister(name string) bool {
	return len(name) > 1 && name[1] >= '0' && name[1] <= '9' && b.letters[name[0]|0x20] != nil
}

// reserved reports whether a name is a register's and cannot be given to anything else.
func (b *banks) reserved(name string) bool {
	return len(name) > 1 && b.letters[name[0]] != nil && strings.Trim(name[1:], "0123456789") == ""
}

// namesOf joins the names of register files.
func namesOf(files []*isa.File, between string) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, between)
}
