package pica200

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// programNames is what a file of source declares for a program, and the names that its code uses.
type programNames struct {
	lines []string
	names map[symbolKey]string
}

// namePrograms makes the declarations of every program.
func namePrograms(w *sourceWriter) []*programNames {
	var list []*programNames
	shared := &space{}
	shared.init(&w.asm.banks)
	for i := range w.file.DVLEs {
		shared.nextFile()
		n := &namer{w: w, d: &w.file.DVLEs[i], used: map[string]bool{}, space: shared, emits: w.structure.emitting[i]}
		n.out.names = map[symbolKey]string{}
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
	// emits tells that what makes a geometry shader stands in its file, merges that its outputs ask
	// for merged maps.
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
	for i := range n.d.Constants {
		n.constant(&n.d.Constants[i])
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
		if bank, num, ok := bankOf(u.First); ok && bank == 'c' {
			free = min(free, num)
		}
	}
	if free == math.MaxInt {
		free = 0
	}
	switch n.d.GeometryMode {
	case GeometryVariable:
		n.line(".gsh variable c%d %d", free, n.d.VariableCount)
	case GeometryFixed:
		free = max(free, int(n.d.FixedStart)+1)
		n.line(".gsh fixed c%d c%d %d", free, n.d.FixedStart, n.d.FixedCount)
	default:
		n.line(".gsh point c%d", free)
	}
	n.space = &space{}
	n.space.initGeometry(&n.w.asm.banks, free)
}

// bankOf splits a register of the uniform table into bank and number.
func bankOf(r UniformReg) (bank byte, num int, ok bool) {
	for _, b := range uniformBanks {
		if b.first <= r && r <= b.last {
			return b.name[0], int(r - b.first), true
		}
	}
	return 0, 0, false
}

// uniform declares a row of the uniform table.
func (n *namer) uniform(u *Uniform) {
	bank, num, ok := bankOf(u.First)
	last, _, ok2 := bankOf(u.Last)
	if !ok || !ok2 || last != bank || u.Last < u.First {
		return
	}
	size := int(u.Last-u.First) + 1
	name := n.name(u.Name, bank == 'v')
	if name == "" {
		return
	}
	if bank == 'v' {
		n.input(name, num, size)
		return
	}
	text := name
	if !n.takes(bank, num, size) {
		text += fmt.Sprintf("@%c%d", bank, num)
	}
	if size > 1 {
		text += fmt.Sprintf("[%d]", size)
	}
	n.line("%s %s", bankWords[bank], text)
	for i := range size {
		n.register(bank, num+i, elementName(name, i, size))
	}
}

func elementName(name string, i, size int) string {
	if size == 1 {
		return name
	}
	return fmt.Sprintf("%s[%d]", name, i)
}

// takes tells whether the next uniform of a bank would get the register anyway.
func (n *namer) takes(bank byte, num, size int) bool {
	b := &n.space.banks[bank]
	saved := b.up
	if first, ok := b.uniform(size); ok && first == num {
		return true
	}
	b.up = saved
	b.explicit = append(b.explicit, registers{num, num + size})
	return false
}

func (n *namer) input(name string, num, size int) {
	if size > 1 {
		return
	}
	free := 0
	for n.inputs>>free&1 != 0 {
		free++
	}
	n.inputs |= 1 << num
	if free == num {
		n.line(".in %s", name)
	} else {
		n.line(".in %s v%d", name, num)
	}
	n.register('v', num, name)
}

// register gives a register its name, unless it has one.
func (n *namer) register(bank byte, num int, name string) {
	for _, s := range spaces {
		if b, first, _ := bankOf(s.first); b == bank {
			key := symbolKey{s.space, s.value + uint64(num-first)}
			if _, ok := n.out.names[key]; !ok {
				n.out.names[key] = name
			}
		}
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

// constant declares a row of the constant table: with a name where the register is the next.
func (n *namer) constant(c *Constant) {
	r, ok := c.Register()
	if !ok {
		return
	}
	bank, num, _ := bankOf(r)
	value := c.sourceValue()
	if bank == 'b' {
		n.line(".setb b%d %s", num, value)
		return
	}
	letter := map[byte]string{'c': "f", 'i': "i"}[bank]
	b := &n.space.banks[bank]
	down, bound := b.down, b.bound
	if first, ok := b.constant(1); ok && first == num {
		name := n.name(fmt.Sprintf("const%s%d", letter, num), false)
		n.line(".const%s %s%s", letter, name, value)
		n.register(bank, num, name)
		return
	}
	b.down, b.bound = down, bound
	n.line(".set%s %c%d%s", letter, bank, num, value)
}

// sourceValue formats the payload so that source gives it back.
func (c *Constant) sourceValue() string {
	if c.Type != ConstantFloat {
		return c.Value()
	}
	var words []string
	for _, u := range c.Float24s() {
		words = append(words, sourceFloat(u))
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// sourceFloat formats a float24 as a number if that is read back as the same bits.
func sourceFloat(u uint32) string {
	text := strings.ToLower(strings.TrimPrefix(formatFloat(Float24(u)), "+")) // inf is +Inf in Go
	if c := parseFloat24(text); c.problem == "" && c.value == u {
		return text
	}
	return float24Prefix + strconv.FormatUint(uint64(u&(1<<24-1)), 16)
}

// output declares a row of the output table.
func (n *namer) output(o *Output) {
	if nameOrNumber(semantics[:], int(o.Semantic)) == strconv.Itoa(int(o.Semantic)) || o.Register >= outputRegisters || o.Mask == 0 || o.Mask > 15 {
		return
	}
	free := 0
	for n.outputs>>free&1 != 0 {
		free++
	}
	taken := n.outputs>>o.Register&1 != 0
	n.outputs |= 1 << o.Register
	name, mask, reg := "-", "", ""
	if !taken {
		name = n.name(fmt.Sprintf("out_%s", o.Semantic), false)
		n.out.names[symbolKey{"destination", uint64(o.Register)}] = name
	}
	if o.Mask != 15 {
		mask = "." + o.Components()
	}
	if free != int(o.Register) {
		reg, mask = fmt.Sprintf(" o%d%s", o.Register, mask), ""
	}
	n.line(".out %s %s%s%s", name, o.Semantic, mask, reg)
}
