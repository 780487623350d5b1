package pica200

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"
	"strconv"
	"strings"
)

// programNames is what a file of source declares for a program, and the names that its code uses.
type programNames struct {
	lines  []string
	names  map[register]string
	values map[register][]string // of constants
}

// namePrograms makes the declarations of every program.
func namePrograms(w *sourceWriter) []*programNames {
	var list []*programNames
	shared := &space{}
	shared.init(&w.asm.banks)
	for i := range w.file.DVLEs {
		shared.nextFile()
		n := &namer{w: w, d: &w.file.DVLEs[i], used: map[string]bool{}, space: shared, emits: w.structure.emitting[i]}
		n.out.names, n.out.values = map[register]string{}, map[register][]string{}
		n.declare()
		list = append(list, &n.out)
	}
	return list
}

func (w *sourceWriter) declare(p *programNames) {
	for _, l := range p.lines {
		w.line("%s", l)
	}
}

// namer makes the declarations of one program. It hands out registers as the assembler does, and so
// knows where one must be named.
type namer struct {
	w       *sourceWriter
	d       *DVLE
	used    map[string]bool
	space   *space
	out     programNames
	inputs  uint16
	outputs uint16
	// emits is set if the file has what makes a geometry shader; merges is set if its outputs ask for merged maps.
	emits, merges bool
}

func (n *namer) line(format string, args ...any) {
	n.out.lines = append(n.out.lines, fmt.Sprintf(format, args...))
}

func (n *namer) declare() {
	n.entry()
	n.geometry()
	if !slices.IsSortedFunc(n.d.Uniforms, byRegister) {
		n.line(".isago unsorted")
	}
	for i := range n.d.Uniforms {
		n.uniform(&n.d.Uniforms[i])
	}
	for i := 0; i < len(n.d.Constants); {
		if k := n.array(n.d.Constants[i:]); k > 0 {
			i += k
			continue
		}
		n.constant(&n.d.Constants[i])
		i++
	}
	for i := range n.d.Outputs {
		n.output(&n.d.Outputs[i])
	}
	for _, l := range n.d.Labels {
		if name := strings.ReplaceAll(l.Name, ".", "$"); isIdentifier(name) {
			n.line(".isago label %d %d %d %s", l.ID, l.Address, l.Size, name)
		}
	}
	n.header()
}

// header says what the declarations do not.
func (n *namer) header() {
	d := n.d
	made := headerFact{word04: dvleWord04, kind: VertexShader, inputs: n.inputs, outputs: n.outputs}
	if d.Type == GeometryShader || n.emits {
		made.kind = GeometryShader
	}
	if n.merges {
		made.merge = 1
	}
	if is := (headerFact{d.Word04, d.Type, d.MergeOutmaps, d.InputMask, d.OutputMask}); is != made {
		n.line("%s", is.line())
	}
}

func (n *namer) entry() {
	p, ok := n.w.structure.procs[registers{int(n.d.Entry), int(n.d.End)}]
	switch {
	case !ok:
		n.line(".isago entry %d %d", n.d.Entry, n.d.End)
	case p.name != "main":
		n.line(".entry %s", p.name)
	case len(n.d.Uniforms)+len(n.d.Constants)+len(n.d.Outputs) == 0:
		n.line(".entry main") // something must stand here for the file to be a program
	}
}

func (n *namer) geometry() {
	if n.d.Type != GeometryShader {
		return
	}
	dummy := slices.ContainsFunc(n.d.Outputs, func(o Output) bool { return o.Semantic == SemanticDummy })
	n.merges = dummy
	if dummy && n.d.MergeOutmaps == 0 && n.d.GeometryMode == GeometryPoint {
		n.line(".gsh") // the one whose dummies do not merge
		n.merges = false
		return
	}
	free := math.MaxInt
	for _, u := range n.d.Uniforms {
		if bank, num, ok := u.First.place(); ok && bank == floatBank {
			free = min(free, num)
		}
	}
	if free == math.MaxInt {
		free = 0
	}
	switch n.d.GeometryMode {
	case GeometryVariable:
		n.line(".gsh variable %s %d", floatBank.name(free), n.d.VariableCount)
	case GeometryFixed:
		free = max(free, int(n.d.FixedStart)+1)
		n.line(".gsh fixed %s %s %d", floatBank.name(free), floatBank.name(int(n.d.FixedStart)), n.d.FixedCount)
	default:
		n.line(".gsh point %s", floatBank.name(free))
	}
	n.space = &space{}
	n.space.initGeometry(&n.w.asm.banks, free)
}

// uniform declares a row of the uniform table.
func (n *namer) uniform(u *Uniform) {
	bank, num, ok := u.First.place()
	last, _, ok2 := u.Last.place()
	if !ok || !ok2 || last != bank || u.Last < u.First {
		return
	}
	size := int(u.Last-u.First) + 1
	name := n.name(u.Name, bank == inputBank)
	if name == "" {
		return
	}
	if bank == inputBank {
		n.input(name, num, size)
		return
	}
	text := name
	if !n.takes(bank, num, size) {
		text += "@" + bank.name(num)
	}
	if size > 1 {
		text += fmt.Sprintf("[%d]", size)
	}
	n.line(".%s %s", bank.word(), text)
	for i := range size {
		n.register(bank, num+i, elementName(name, i, size))
	}
}

func elementName(name string, i, size int) string {
	if size == 1 {
		return name
	}
	return name + "[" + strconv.Itoa(i) + "]"
}

// takes reports whether the next uniform of a bank would get the register anyway.
func (n *namer) takes(of bank, num, size int) bool {
	b := &n.space.banks[of]
	if b.gives(b.uniform, size, num) {
		return true
	}
	b.explicit = append(b.explicit, registers{num, num + size})
	return false
}

func (n *namer) input(name string, num, size int) {
	if size > 1 {
		return
	}
	free := mathbits.TrailingZeros16(^n.inputs)
	n.inputs |= 1 << num
	if free == num {
		n.line(".in %s", name)
	} else {
		n.line(".in %s %s", name, inputBank.name(num))
	}
	n.register(inputBank, num, name)
}

// register gives a register its name, unless it has one.
func (n *namer) register(of bank, num int, name string) {
	key := register{n.w.asm.banks.files[of], num}
	if _, ok := n.out.names[key]; !ok {
		n.out.names[key] = name
	}
}

// name makes a name of a table one that source can declare, as long as it was; "" if there is none.
// A _ in front hides uniforms from the table, but not inputs.
func (n *namer) name(symbol string, input bool) string {
	name := []byte(strings.ReplaceAll(symbol, ".", "$"))
	for i, c := range name {
		if !identifierByte(c, i == 0) || i == 0 && c == '_' && !input {
			name[i] = 'x'
		}
	}
	for i := len(name) - 1; i >= 0 && (n.used[string(name)] || n.w.asm.banks.reserved(string(name))); {
		if name[i] < 'a' || name[i] >= 'z' {
			name[i] = 'a'
			i--
		} else {
			name[i]++
		}
	}
	text := string(name)
	if n.used[text] || n.w.asm.banks.reserved(text) {
		return ""
	}
	n.used[text] = true
	return text
}

// numbered returns a name that is free: the given one, or it with a number from 2 on.
func (n *namer) numbered(base string) string {
	name := base
	for i := 2; n.used[name] || n.w.asm.banks.reserved(name); i++ {
		name = base + strconv.Itoa(i)
	}
	n.used[name] = true
	return name
}

// array declares as an array the constants that stand in a row from the first on and fill what is left
// up to those before. It returns how many there are, 0 if they are no array.
func (n *namer) array(list []Constant) int {
	first, ok := list[0].Register()
	bank, num, _ := first.place()
	b := &n.space.banks[bank]
	k := b.down - num
	if !ok || list[0].Type != ConstantFloat || k < 2 || k > len(list) {
		return 0
	}
	for i, c := range list[:k] {
		if r, ok := c.Register(); !ok || r != first+UniformReg(i) {
			return 0
		}
	}
	if !b.gives(b.constant, k, num) {
		return 0
	}
	name := n.name(fmt.Sprintf("constf%d", num), false)
	n.line(".constfa %s[]", name)
	for i := range list[:k] {
		n.line("\t.constfa %s", list[i].sourceValue())
		n.value(bank, num+i, &list[i])
		n.register(bank, num+i, elementName(name, i, k))
	}
	n.line(".end")
	return k
}

// constantLetters are what stands after .const and .set.
var constantLetters = [...]string{floatBank: "f", intBank: "i"}

// constant declares a row of the constant table: with a name where the register is the next.
func (n *namer) constant(c *Constant) {
	r, ok := c.Register()
	if !ok {
		return
	}
	bank, num, _ := r.place()
	n.value(bank, num, c)
	value := c.sourceValue()
	if bank == boolBank {
		n.line(".setb %s %s", bank.name(num), value)
		return
	}
	letter := constantLetters[bank]
	if b := &n.space.banks[bank]; b.gives(b.constant, 1, num) {
		name := n.name(fmt.Sprintf("const%s%d", letter, num), false)
		n.line(".const%s %s%s", letter, name, value)
		n.register(bank, num, name)
		return
	}
	n.line(".set%s %s%s", letter, bank.name(num), value)
}

// value notes the value of a register; a row that comes later counts.
func (n *namer) value(of bank, num int, c *Constant) {
	n.out.values[register{n.w.asm.banks.files[of], num}] = c.components()
}

// sourceValue formats the payload so that source gives it back.
func (c *Constant) sourceValue() string {
	if c.Type == ConstantBool {
		return c.Value()
	}
	return "(" + strings.Join(c.components(), ", ") + ")"
}

// components formats the components of the payload so that source gives them back.
func (c *Constant) components() (list []string) {
	switch c.Type {
	case ConstantBool:
		return []string{c.Value()}
	case ConstantInt:
		for _, v := range c.Ints() {
			list = append(list, strconv.Itoa(int(v)))
		}
	default:
		for _, u := range c.Float24s() {
			list = append(list, sourceFloat(u))
		}
	}
	return list
}

// sourceFloat formats a float24 as it may have been written: as the number that it is, where that has few digits, as
// 1/128 has, else as the shortest number that is read back as the same bits: what is read is cut off, so 0.001 gives
// the float below it and stands for that again.
func sourceFloat(u uint32) string {
	f := Float24(u)
	text := strings.ToLower(strings.TrimPrefix(formatFloat(f), "+")) // inf is +Inf in Go
	if !reads(text, u) {
		return float24Prefix + strconv.FormatUint(uint64(u&(1<<24-1)), 16)
	}
	if exactly, _ := strconv.ParseFloat(text, 64); exactly == float64(f) {
		return text
	}
	middle := (float64(f) + float64(Float24(u+1))) / 2
	for digits := 1; digits < len(text); digits++ {
		if shorter := strconv.FormatFloat(middle, 'g', digits, 64); reads(shorter, u) {
			return shorter
		}
	}
	return text
}

// reads reports whether a number is read as the bits of a float24.
func reads(text string, u uint32) bool {
	c := parseFloat24(text)
	return c.problem == "" && c.warning == "" && c.value == u
}

// output declares a row of the output table.
func (n *namer) output(o *Output) {
	if nameOrNumber(semantics[:], int(o.Semantic)) == strconv.Itoa(int(o.Semantic)) || o.Register >= outputRegisters || o.Mask == 0 || o.Mask > 15 {
		return
	}
	free := mathbits.TrailingZeros16(^n.outputs)
	taken := n.outputs>>o.Register&1 != 0
	n.outputs |= 1 << o.Register
	name, mask, reg := "-", "", ""
	if !taken {
		name = n.numbered(fmt.Sprintf("out_%s", o.Semantic))
		n.out.names[register{n.w.asm.banks.files[outputBank], int(o.Register)}] = name
	}
	if o.Mask != 15 {
		mask = "." + o.Components()
	}
	if free != int(o.Register) {
		reg, mask = " "+outputBank.name(int(o.Register))+mask, ""
	}
	n.line(".out %s %s%s%s", name, o.Semantic, mask, reg)
}
