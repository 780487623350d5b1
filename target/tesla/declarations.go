package tesla

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
)

// declarationList collects what a cubin declares.
type declarationList struct {
	list    []program.FileDeclaration
	program string
}

func (l *declarationList) add(key, text string) {
	l.list = append(l.list, program.FileDeclaration{Program: l.program, Key: key, Text: text})
}

// lines adds lines of the form KEY = VALUE.
func (l *declarationList) lines(lines []string) {
	for _, line := range lines {
		key, _, _ := strings.Cut(line, " = ")
		l.add(key, line)
	}
}

// bytes adds the content of a memory, four words a line.
func (l *declarationList) bytes(name string, data []byte) {
	c := bank{memory: name, data: data}
	for _, line := range c.words() {
		key, _, _ := strings.Cut(line, " =")
		l.add(key, line)
	}
}

// textDeclarations lists what a text cubin holds but its code and architecture: every value and every word of its blocks. Blanks,
// comments and the order of blocks are not among them.
func textDeclarations(src *diag.Source) ([]program.FileDeclaration, error) {
	top, err := parseNodes(src)
	if err != nil {
		return nil, err
	}
	var l declarationList
	l.node("", &node{words: top.words, values: top.values, children: slices.DeleteFunc(slices.Clone(top.children), func(n *node) bool {
		return isCode(n) || n.name.text == "architecture" && len(n.words) == 1
	})}, true)
	number := 0
	for _, n := range top.children {
		if !isCode(n) {
			continue
		}
		name := n.values["name"].text
		if name == "" {
			name = fmt.Sprintf("kernel %d", number)
		}
		number++
		l.program = name
		n.children = slices.DeleteFunc(slices.Clone(n.children), func(c *node) bool { return c.name.text == "bincode" })
		l.node("", n, false)
	}
	return l.list, nil
}

// isCode reports whether a block is a kernel.
func isCode(n *node) bool { return n.name.text == "code" }

// naming are the values that tell blocks of one name apart.
var naming = []string{"name", "segname", "segnum", "offset"}

// node adds the values and words of a block and of those inside it. whole adds the name too.
func (l *declarationList) node(path string, n *node, whole bool) {
	for _, key := range slices.Sorted(maps.Keys(n.values)) {
		if path == "" && key == "name" && !whole || path != "" && slices.Contains(naming, key) {
			continue
		}
		l.add(path+key, path+key+" = "+plainNumber(n.values[key].text))
	}
	l.words(strings.TrimSuffix(path, ": "), n.words)
	children := slices.Clone(n.children)
	slices.SortStableFunc(children, func(a, b *node) int { return strings.Compare(a.title(), b.title()) })
	for _, c := range children {
		l.add(path+c.title(), path+c.title())
		l.node(path+c.title()+": ", c, true)
	}
}

// title returns the name of a block and the values that tell it from others of that name.
func (n *node) title() string {
	var values []string
	for _, key := range naming {
		if t, ok := n.values[key]; ok {
			values = append(values, key+" "+plainNumber(t.text))
		}
	}
	if len(values) == 0 {
		return n.name.text
	}
	return n.name.text + "(" + strings.Join(values, ", ") + ")"
}

// words adds the words of a block, four a line as those of a memory.
func (l *declarationList) words(name string, words []token) {
	const perLine = 4
	at := 0
	for line := range slices.Chunk(words, perLine) {
		text := make([]string, len(line))
		for i, t := range line {
			if text[i] = t.text; len(t.text) > 0 && t.text[0] >= '0' && t.text[0] <= '9' {
				if v, err := strconv.ParseUint(t.text, 0, 32); err == nil {
					text[i] = fmt.Sprintf("0x%08x", v)
				}
			}
		}
		key := name
		if len(words) > perLine {
			key = fmt.Sprintf("%s[0x%x]", name, 4*at)
		}
		l.add(key, key+" = "+strings.Join(text, " "))
		at += len(line)
	}
}

// plainNumber returns a number in decimal, however it was written, and other text as it is.
func plainNumber(text string) string {
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return strconv.FormatUint(v, 10)
	}
	return text
}

// elfDeclarations lists what an ELF cubin holds but its code. The order of sections, their places, tables of strings, and what
// debuggers read are not among it.
func elfDeclarations(f *elf.File, data []byte, banks []bank) ([]program.FileDeclaration, error) {
	var l declarationList
	l.add("class", fmt.Sprintf("%d-bit addresses", map[elf.Class]int{elf.ELFCLASS32: 32, elf.ELFCLASS64: 64}[f.Class]))
	flags := binary.LittleEndian.Uint32(data[map[elf.Class]int{elf.ELFCLASS32: 36, elf.ELFCLASS64: 48}[f.Class]:]) &^ 0xff
	l.add("abi", fmt.Sprintf("type %d, ABI %d version %d, flags 0x%x", f.Type, f.OSABI, f.ABIVersion, flags))
	for _, s := range sectionsByName(f) {
		var err error
		switch name := s.Name; {
		case s.Type == elf.SHT_NULL, s.Type == elf.SHT_SYMTAB, s.Type == elf.SHT_STRTAB, strings.HasPrefix(name, ".debug"), strings.HasPrefix(name, ".nv_debug"):
		case strings.HasPrefix(name, sectionText) && s.Type == elf.SHT_PROGBITS:
			l.program = strings.TrimPrefix(name, sectionText)
			l.lines(headerOf(f, s, l.program, nil)[1:])
		case s.Type == elf.SHT_REL, s.Type == elf.SHT_RELA:
			err = l.relocations(f, s)
		case strings.HasPrefix(name, sectionConstant), strings.HasPrefix(name, sectionShared), strings.HasPrefix(name, sectionLocal):
		case strings.HasPrefix(name, sectionInfo):
			l.program = strings.TrimPrefix(name, sectionInfo)
			err = l.info(s)
		default:
			l.program = ""
			l.add(name, fmt.Sprintf("%s = %d bytes", name, s.Size))
			if s.Type != elf.SHT_NOBITS && s.Flags&elf.SHF_COMPRESSED == 0 {
				var content []byte
				if content, err = contentOf(s); err == nil {
					l.bytes(name, content)
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range banks {
		c := &banks[i]
		l.program = c.kernel
		l.lines(append([]string{c.size()}, c.words()...))
	}
	l.symbols(f)
	return l.list, nil
}

// sectionLocal starts the names of sections with the memory of a thread.
const sectionLocal = ".nv.local."

func sectionsByName(f *elf.File) []*elf.Section {
	list := slices.Clone(f.Sections)
	slices.SortStableFunc(list, func(a, b *elf.Section) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// info adds the parameters of a kernel, and the other attributes that the file gives the kernel.
func (l *declarationList) info(s *elf.Section) error {
	data, err := contentOf(s)
	if err != nil {
		return err
	}
	l.add("attributes", fmt.Sprintf("%d bytes of attributes", len(data)))
	attributes, _ := attributesOf(data)
	for i := range attributes {
		a := &attributes[i]
		if index, p, ok := a.parameter(); ok {
			rest := binary.LittleEndian.Uint32(a.value[8:]) & (1<<18 - 1)
			l.add(fmt.Sprint("parameter ", index), fmt.Sprintf("parameter %d: %d bytes at 0x%x, index 0x%x, attributes 0x%x",
				index, p.Size, p.Offset, binary.LittleEndian.Uint32(a.value), rest))
			continue
		}
		key := fmt.Sprintf("attribute 0x%02x", a.number)
		l.add(key, fmt.Sprintf("%s of format %d = % x", key, a.format, a.value))
	}
	return nil
}

// relocations adds the places that a loader fills, with the names of what it fills them with.
func (l *declarationList) relocations(f *elf.File, s *elf.Section) error {
	if int(s.Info) >= len(f.Sections) {
		return nil
	}
	data, err := contentOf(s)
	if err != nil {
		return err
	}
	symbols, _ := f.Symbols() // none names nothing
	target := f.Sections[s.Info].Name
	l.program = strings.TrimPrefix(target, sectionText)
	if l.program == target {
		_, l.program, _ = constantSection(target)
	}
	for _, r := range relocationsIn(f.Class, s.Type, data) {
		name := strconv.Itoa(r.symbol)
		if r.symbol > 0 && r.symbol <= len(symbols) {
			name = symbols[r.symbol-1].Name
		}
		key := fmt.Sprintf("%s[0x%x]", target, r.offset)
		l.add("relocation "+key, fmt.Sprintf("relocation of kind %d at %s: %s + %d", r.kind, key, name, r.addend))
	}
	return nil
}

// relocation is an entry of a section of relocations: a place that a symbol fills.
type relocation struct {
	offset       uint64
	symbol, kind int
	addend       int64
}

// relocationsIn reads the entries of a section.
func relocationsIn(class elf.Class, kind elf.SectionType, data []byte) (list []relocation) {
	wide, rela := class == elf.ELFCLASS64, kind == elf.SHT_RELA
	size := 8
	if wide {
		size = 16
	}
	if rela {
		size += size / 2
	}
	for ; len(data) >= size; data = data[size:] {
		r := relocation{offset: uint64(binary.LittleEndian.Uint32(data)), symbol: int(binary.LittleEndian.Uint32(data[4:]) >> 8), kind: int(data[4])}
		if wide {
			r = relocation{offset: binary.LittleEndian.Uint64(data), symbol: int(binary.LittleEndian.Uint32(data[12:])), kind: int(data[8])}
		}
		switch {
		case rela && wide:
			r.addend = int64(binary.LittleEndian.Uint64(data[16:]))
		case rela:
			r.addend = int64(int32(binary.LittleEndian.Uint32(data[8:])))
		}
		list = append(list, r)
	}
	return list
}

// symbols adds the variables and the functions that the file names. Those of sections and files are the linker's.
func (l *declarationList) symbols(f *elf.File) {
	symbols, _ := f.Symbols() // none names nothing
	for _, s := range symbols {
		kind := elf.ST_TYPE(s.Info)
		if s.Name == "" || kind == elf.STT_SECTION || kind == elf.STT_FILE {
			continue
		}
		section := s.Section.String()
		if int(s.Section) < len(f.Sections) {
			section = f.Sections[s.Section].Name
		}
		kernel, inCode := strings.CutPrefix(section, sectionText)
		l.program = ""
		text := fmt.Sprintf("symbol %s: %s %s in %s", s.Name, elf.ST_BIND(s.Info), kind, section)
		if inCode { // how long the code is shows in the code
			l.program = kernel
			l.add("symbol "+s.Name, fmt.Sprintf("%s at 0x%x", text, s.Value))
			continue
		}
		l.add("symbol "+s.Name, fmt.Sprintf("%s[0x%x], %d bytes", text, s.Value, s.Size))
	}
}
