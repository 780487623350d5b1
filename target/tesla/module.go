package tesla

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// Module is the part of a cubin that a run needs.
type Module struct {
	// Chip is the architecture, such as sm_11.
	Chip string
	// PointerSize is the number of bytes of a pointer parameter, or 0 if the file does not contain it.
	PointerSize int
	Kernels     []Kernel
	// Constants are the constants of all kernels.
	Constants []Segment
	// Variables are the memory that the program names.
	Variables []Variable
	// Relocations are the words that hold the address of a variable.
	Relocations []Relocation
}

// Kernel is a kernel of a module.
type Kernel struct {
	Name string
	Code []uint32
	// Registers is the number of registers of the kernel, or 0 if the file does not contain it. Shared is the number
	// of bytes of shared memory that it declares, parameters included.
	Registers, Shared int
	// Constants are the constants of this kernel.
	Constants []Segment
	// Parameters are the parameters in the file, in order; nil if the file does not list them.
	Parameters []Parameter
}

// Parameter is the place of a parameter of a kernel: bytes after the first one, and its size.
type Parameter struct{ Offset, Size int }

// Segment is the content of a part of a constant memory. Bank is the number of the memory.
type Segment struct {
	Bank, Offset int
	Data         []byte
}

// Variable is memory that a program names: constant memory, or global memory if Bank is -1.
type Variable struct {
	Name         string
	Bank, Offset int
	// Size is the number of bytes, or 0 if the file does not contain it. Data is the initial content.
	Size int
	Data []byte
}

// Relocation is a place in constant memory that holds the address of a variable.
type Relocation struct {
	Bank, Offset, Size int
	// Kernel is the kernel of the constants, "" for those of all kernels.
	Kernel   string
	Variable string
}

// Kernel returns the kernel with a name: the whole name, or the name in C++ that it was made from.
func (m *Module) Kernel(name string) (*Kernel, error) {
	var names, matches []string
	var found *Kernel
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if k.Name == name || name == "" {
			return k, nil
		}
		if plainName(k.Name) == name {
			found, matches = k, append(matches, k.Name)
		}
		names = append(names, k.Name)
	}
	switch {
	case len(matches) == 1:
		return found, nil
	case len(matches) > 1:
		return nil, fmt.Errorf("several kernels are called %q, expected one of %s", name, strings.Join(matches, ", "))
	case len(m.Kernels) == 0:
		return nil, fmt.Errorf("the file has no kernel")
	}
	return nil, fmt.Errorf("unknown kernel %q, expected one of %s", name, strings.Join(names, ", "))
}

// plainName returns the name of a function without what C++ adds: of _Z5scalePfi, scale.
func plainName(name string) string {
	rest, ok := strings.CutPrefix(name, "_Z")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.Atoi(rest[:digits])
	if !ok || err != nil || n > len(rest)-digits {
		return name
	}
	return rest[digits : digits+n]
}

// ReadModule reads a cubin of either form.
func ReadModule(data []byte) (*Module, error) {
	if IsELF(data) {
		return readELFModule(data)
	}
	return readTextModule(&diag.Source{Text: string(data)})
}

// token is a word of a text cubin, with its place.
type token struct {
	text string
	span diag.Span
}

// tokenAt returns what stands in a part of a text.
func tokenAt(src *diag.Source, from, to int) token {
	return token{src.Text[from:to], diag.Span{Src: src, Off: from, End: to}}
}

// errorf is an error of a file at the token.
func (t token) errorf(format string, args ...any) error {
	return diag.Errorf(diag.FileFormat, t.span, format, args...)
}

// word returns the word of code or data that the token is.
func (t token) word(what string) (uint32, error) {
	v, err := strconv.ParseUint(t.text, 0, 32)
	if err != nil {
		return 0, t.errorf("%.40q in %s, expected a word such as 0x10000001", t.text, what)
	}
	return uint32(v), nil
}

// node is a block of a text cubin: what stands before its brace, and what is in it.
type node struct {
	name     token
	words    []token
	values   map[string]token
	children []*node
}

func (n *node) number(key string) (int, error) {
	t, ok := n.values[key]
	if !ok {
		return 0, nil
	}
	v, err := strconv.ParseUint(t.text, 0, 31)
	if err != nil {
		return 0, t.errorf("%s = %s, expected a number", key, t.text)
	}
	return int(v), nil
}

// numbers reads several values of a block.
func (n *node) numbers(keys ...string) ([]int, error) {
	list := make([]int, len(keys))
	for i, key := range keys {
		var err error
		if list[i], err = n.number(key); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name.text == name {
			return c
		}
	}
	return nil
}

// endOf returns the position of the first of some characters from a position on, or the end of the text.
func endOf(text string, from int, chars string) int {
	if n := strings.IndexAny(text[from:], chars); n >= 0 {
		return from + n
	}
	return len(text)
}

// parseNodes reads the blocks of a text cubin.
func parseNodes(src *diag.Source) (*node, error) {
	const deepest = 16
	text := src.Text
	stack := []*node{{values: map[string]token{}}}
	var last token // the word before a brace or an equals sign
	for i := 0; i < len(text); {
		if end := noise(text, i, true); end > i {
			i = end
			continue
		}
		top := stack[len(stack)-1]
		switch c := text[i]; c {
		case '{':
			if len(stack) == deepest {
				return nil, tokenAt(src, i, i+1).errorf("blocks nested %d deep", deepest)
			}
			n := &node{name: last, values: map[string]token{}}
			if len(top.words) > 0 && last.text != "" {
				top.words = top.words[:len(top.words)-1]
			} else {
				n.name = token{span: tokenAt(src, i, i+1).span}
			}
			top.children = append(top.children, n)
			stack, last = append(stack, n), token{}
			i++
		case '}':
			if len(stack) == 1 {
				return nil, tokenAt(src, i, i+1).errorf("this } closes no block")
			}
			stack, last = stack[:len(stack)-1], token{}
			i++
		case '=':
			from := i + 1
			for from < len(text) && (text[from] == ' ' || text[from] == '\t') {
				from++
			}
			end := endOf(text, from, " \t\r\n}")
			if last.text != "" {
				top.values[last.text] = tokenAt(src, from, end)
				top.words = top.words[:len(top.words)-1]
			}
			last, i = token{}, end
		default:
			end := endOf(text, i, " \t\r\n{}=")
			last = tokenAt(src, i, end)
			top.words, i = append(top.words, last), end
		}
	}
	if len(stack) > 1 {
		open := stack[len(stack)-1].name
		return nil, open.errorf("block %s has no end, expected }", open.text)
	}
	return stack[0], nil
}

func readTextModule(src *diag.Source) (*Module, error) {
	top, err := parseNodes(src)
	if err != nil {
		return nil, err
	}
	m := &Module{}
	for _, n := range top.children {
		switch {
		case n.name.text == "architecture" && len(n.words) == 1:
			m.Chip = n.words[0].text
		case n.name.text == "code":
			k, err := textKernel(m, n)
			if err != nil {
				return nil, err
			}
			m.Kernels = append(m.Kernels, *k)
		default:
			if err := textSegment(m, &m.Constants, "", n); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

func textKernel(m *Module, n *node) (*Kernel, error) {
	k := &Kernel{Name: n.values["name"].text}
	numbers, err := n.numbers("reg", "smem")
	if err != nil {
		return nil, err
	}
	k.Registers, k.Shared = numbers[0], numbers[1]
	code := n.child("bincode")
	if code == nil {
		return nil, n.name.errorf("kernel %s has no bincode", k.Name)
	}
	if k.Code, err = wordList(code, "bincode of "+k.Name); err != nil {
		return nil, err
	}
	for _, c := range n.children {
		if err := textSegment(m, &k.Constants, k.Name, c); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// wordList reads the words of a block.
func wordList(n *node, what string) ([]uint32, error) {
	list := make([]uint32, len(n.words))
	for i, t := range n.words {
		var err error
		if list[i], err = t.word(what); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// relocated is the memory of constants that the compiler leaves to the loader.
const relocated = 14

// textSegment reads a block of constants, of a variable, or of a relocation: one without content that the loader
// fills.
func textSegment(m *Module, into *[]Segment, kernel string, n *node) error {
	if n.values["segnum"].text == "" {
		return nil
	}
	numbers, err := n.numbers("segnum", "offset", "bytes")
	if err != nil {
		return err
	}
	bank, offset, size := numbers[0], numbers[1], numbers[2]
	const most = 1 << 16
	if offset+size > most {
		return n.name.errorf("%d bytes of constants at %d do not fit, expected at most %d", size, offset, most)
	}
	name := n.values["name"].text
	mem := n.child("mem")
	if name != "" && (n.name.text == "reloc" || n.values["segname"].text == "reloc" || mem == nil && bank == relocated) {
		m.Relocations = append(m.Relocations, Relocation{bank, offset, max(size, 4), kernel, name})
		return nil
	}
	v := Variable{Name: name, Bank: bank, Offset: offset, Size: size}
	if mem != nil {
		words, err := wordList(mem, "mem")
		if err != nil {
			return err
		}
		for _, w := range words {
			v.Data = binary.LittleEndian.AppendUint32(v.Data, w)
		}
		if size > 0 {
			v.Data = v.Data[:min(size, len(v.Data))]
		}
		*into = append(*into, Segment{bank, offset, v.Data})
	}
	if name != "" {
		m.Variables = append(m.Variables, v)
	}
	return nil
}

// The sections of an ELF cubin that hold memory.
const (
	sectionText     = ".text."
	sectionConstant = ".nv.constant"
	sectionGlobal   = ".nv.global"
	sectionShared   = ".nv.shared."
	sectionInfo     = ".nv.info."
)

func readELFModule(data []byte) (*Module, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a valid ELF file: %v [%s]", err, diag.FileFormat)
	}
	m := &Module{Chip: fmt.Sprintf("sm_%d", architectureOf(data)), PointerSize: 4}
	if f.Class == elf.ELFCLASS64 {
		m.PointerSize = 8
	}
	for _, s := range f.Sections {
		name, ok := strings.CutPrefix(s.Name, sectionText)
		if !ok || s.Type != elf.SHT_PROGBITS {
			continue
		}
		code, err := contentOf(s)
		if err != nil {
			return nil, err
		}
		if len(code)%4 != 0 {
			return nil, fmt.Errorf("section %s has %d bytes, expected a multiple of 4 [%s]", s.Name, len(code), diag.FileFormat)
		}
		k := Kernel{Name: name, Code: wordsOf(code), Registers: registersOf(s)}
		if shared := f.Section(sectionShared + name); shared != nil {
			k.Shared = int(shared.Size)
		}
		if info := f.Section(sectionInfo + name); info != nil {
			list, err := contentOf(info)
			if err != nil {
				return nil, err
			}
			k.Parameters = parametersOf(list)
		}
		m.Kernels = append(m.Kernels, k)
	}
	if err := m.elfConstants(f); err != nil {
		return nil, err
	}
	return m, m.elfVariables(f)
}

func contentOf(s *elf.Section) ([]byte, error) {
	data, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("section %s has %d bytes, which are not inside the file [%s]", s.Name, s.Size, diag.FileFormat)
	}
	return data, nil
}

// constantSection reads the name of a section of constants: of a memory, and of a kernel or of all.
func constantSection(name string) (bank int, kernel string, ok bool) {
	rest, ok := strings.CutPrefix(name, sectionConstant)
	if !ok {
		return 0, "", false
	}
	number, kernel, _ := strings.Cut(rest, ".")
	bank, err := strconv.Atoi(number)
	return bank, kernel, err == nil && bank >= 0
}

// segments returns where the constants of a kernel are, of all where it is "".
func (m *Module) segments(kernel string) *[]Segment {
	for i := range m.Kernels {
		if m.Kernels[i].Name == kernel && kernel != "" {
			return &m.Kernels[i].Constants
		}
	}
	return &m.Constants
}

func (m *Module) elfConstants(f *elf.File) error {
	for _, s := range f.Sections {
		bank, kernel, ok := constantSection(s.Name)
		if !ok || s.Type != elf.SHT_PROGBITS {
			continue
		}
		data, err := contentOf(s)
		if err != nil {
			return err
		}
		into := m.segments(kernel)
		*into = append(*into, Segment{Bank: bank, Data: data})
	}
	return nil
}

// elfVariables reads the symbols of what is no code, and the relocations that name them.
func (m *Module) elfVariables(f *elf.File) error {
	symbols, err := f.Symbols()
	if err != nil {
		return nil // a file without symbols names nothing
	}
	for _, s := range symbols {
		if int(s.Section) >= len(f.Sections) || elf.ST_TYPE(s.Info) != elf.STT_OBJECT {
			continue
		}
		section := f.Sections[s.Section]
		v := Variable{Name: s.Name, Bank: -1, Offset: int(s.Value), Size: int(s.Size)}
		if bank, _, ok := constantSection(section.Name); ok {
			v.Bank = bank
		} else if !strings.HasPrefix(section.Name, sectionGlobal) {
			continue
		}
		if section.Type == elf.SHT_PROGBITS {
			data, err := contentOf(section)
			if err != nil {
				return err
			}
			if s.Value <= uint64(len(data)) && s.Size <= uint64(len(data))-s.Value {
				v.Data = data[s.Value : s.Value+s.Size]
			}
		}
		m.Variables = append(m.Variables, v)
	}
	for _, s := range f.Sections {
		if err := m.elfRelocations(f, s, symbols); err != nil {
			return err
		}
	}
	return nil
}

// elfRelocations reads a section of relocations. The kinds that fill a word are told apart by their numbers.
func (m *Module) elfRelocations(f *elf.File, s *elf.Section, symbols []elf.Symbol) error {
	if s.Type != elf.SHT_REL && s.Type != elf.SHT_RELA || int(s.Info) >= len(f.Sections) {
		return nil
	}
	target := f.Sections[s.Info].Name
	bank, kernel, ok := constantSection(target)
	if !ok && !strings.HasPrefix(target, sectionText) {
		return nil
	}
	data, err := contentOf(s)
	if err != nil {
		return err
	}
	for _, r := range relocationsIn(f.Class, s.Type, data) {
		if r.symbol == 0 || r.symbol > len(symbols) {
			return fmt.Errorf("%s refers to symbol %d, expected 1 to %d [%s]", s.Name, r.symbol, len(symbols), diag.FileFormat)
		}
		name := symbols[r.symbol-1].Name
		if !ok {
			return fmt.Errorf("the code of %s has a relocation for %s, and relocations of code are unknown [%s]", strings.TrimPrefix(target, sectionText), name, diag.FileFormat)
		}
		bytes := 4
		if kinds64 := []int{2, 4}; slices.Contains(kinds64, r.kind) {
			bytes = 8
		}
		m.Relocations = append(m.Relocations, Relocation{bank, int(min(r.offset, 1<<16)), bytes, kernel, name})
	}
	return nil
}

// attribute is one thing that an ELF cubin says of a kernel: its number, and a value of two bytes or of as many as are given.
type attribute struct {
	format, number byte
	value          []byte
}

// attributesOf reads the attributes of a kernel. whole is false where the value of the last one is cut off.
func attributesOf(info []byte) (list []attribute, whole bool) {
	const formatSized = 4
	for len(info) >= 4 {
		a := attribute{info[0], info[1], info[2:4]}
		n := int(binary.LittleEndian.Uint16(a.value))
		info = info[4:]
		if a.format == formatSized {
			if n > len(info) {
				return list, false
			}
			a.value, info = info[:n], info[n:]
		}
		list = append(list, a)
	}
	return list, true
}

// parameter returns the parameter that the attribute describes: index, ordinal, offset, and the size from bit 18 of a word on.
func (a *attribute) parameter() (index int, p Parameter, ok bool) {
	const formatSized, number, length = 4, 0x17, 12
	if a.format != formatSized || a.number != number || len(a.value) < length {
		return 0, p, false
	}
	return int(binary.LittleEndian.Uint16(a.value[4:])), Parameter{
		Offset: int(binary.LittleEndian.Uint16(a.value[6:])),
		Size:   int(binary.LittleEndian.Uint32(a.value[8:]) >> 18),
	}, true
}

// parametersOf reads what the attributes of a kernel say of its parameters.
func parametersOf(info []byte) []Parameter {
	found := map[int]Parameter{}
	attributes, whole := attributesOf(info)
	if !whole {
		return nil
	}
	for i := range attributes {
		if index, p, ok := attributes[i].parameter(); ok {
			found[index] = p
		}
	}
	var list []Parameter
	for i := range len(found) {
		p, ok := found[i]
		if !ok {
			return nil
		}
		list = append(list, p)
	}
	return list
}
