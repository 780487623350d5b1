// Package ctr writes test vectors of PICA200 as a program for the Nintendo 3DS, which runs them on the hardware.
package ctr

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/cfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/vectors"
)

//go:embed shader.pica.txt
var shaderText string

//go:embed main.c.txt
var mainText []byte

//go:embed vectors.h.txt
var headerText []byte

//go:embed Makefile.txt
var makefileText []byte

// Report counts what the program contains.
type Report struct {
	// Rows is the number of vectors that the program runs. Ends counts those in which a jump replaces the word that ends
	// the program. Own is the number of vectors that the program has in addition, to test how it reads registers.
	Rows, Ends, Own int
	// Skipped has the names of the other vectors by the reason.
	Skipped map[string][]string
}

// String returns the counts in lines.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d vectors run on the hardware, and %d test how the program reads registers.\n", r.Rows, r.Own)
	if r.Ends > 0 {
		fmt.Fprintf(&b, "In %d of them, a jump replaces the word that ends the program.\n", r.Ends)
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Skipped)) {
		fmt.Fprintf(&b, "%d skipped: %s\n", len(r.Skipped[reason]), reason)
	}
	return b.String()
}

// skip is the reason why the hardware cannot run a vector.
type skip string

func (s skip) Error() string { return string(s) }

func skipf(format string, args ...any) error { return skip(fmt.Sprintf(format, args...)) }

// Write returns the program: its Makefile, its source, and the source of each shader.
func Write(files []*vectors.File, m *exec.Machine) ([]cfile.File, *Report, error) {
	w, err := newWriter(m)
	if err != nil {
		return nil, nil, err
	}
	var list []string
	own, err := w.own()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range append([]*vectors.File{own}, files...) {
		if f.Machine != m.Set().Name() {
			return nil, nil, fmt.Errorf("vectors of %s, expected vectors of %s", f.Machine, m.Set().Name())
		}
		name, err := w.file(f)
		if err != nil {
			return nil, nil, err
		}
		if name != "" {
			list = append(list, name)
		}
	}
	w.report.Own = len(own.Vectors)
	w.report.Rows -= w.report.Own
	var b bytes.Buffer
	b.WriteString("/* The files of vectors. isago vectors --format 3ds wrote this file. */\n#include \"vectors.h\"\n\n")
	for _, name := range list {
		fmt.Fprintf(&b, "extern const struct file file_%s;\n", name)
	}
	b.WriteString("const struct file *const files[] = {\n")
	for _, name := range list {
		fmt.Fprintf(&b, "\t&file_%s,\n", name)
	}
	fmt.Fprintf(&b, "};\nconst int file_count = %d;\n", len(list))
	skipped := &bytes.Buffer{}
	skipped.WriteString(w.report.String())
	for _, reason := range slices.Sorted(maps.Keys(w.report.Skipped)) {
		fmt.Fprintf(skipped, "\n%s:\n", reason)
		for _, name := range w.report.Skipped[reason] {
			fmt.Fprintf(skipped, "  %s\n", name)
		}
	}
	return append(w.out, cfile.File{Name: "source/files.c", Data: b.Bytes()}, cfile.File{Name: "source/main.c", Data: mainText}, cfile.File{Name: "source/vectors.h", Data: headerText},
		cfile.File{Name: "Makefile", Data: makefileText}, cfile.File{Name: "skipped.txt", Data: skipped.Bytes()}), &w.report, nil
}

type writer struct {
	m        *exec.Machine
	root     *isa.Root
	decoder  *isa.Decoder
	asm      *pica200.Assembler
	template *template.Template
	shown    map[string]bool // the states that a program can show
	settable map[string]bool
	words    int // the number of words of a vertex shader
	out      []cfile.File
	report   Report
	ids      map[string]bool
}

func newWriter(m *exec.Machine) (*writer, error) {
	w := &writer{m: m, shown: map[string]bool{}, settable: map[string]bool{}, ids: map[string]bool{}, report: Report{Skipped: map[string][]string{}}}
	var err error
	if w.root, err = m.Root(""); err != nil {
		return nil, err
	}
	if w.decoder, err = m.Set().NewDecoder(w.root.Name); err != nil {
		return nil, err
	}
	syntax, err := m.Set().WithOptions(isa.Options{Syntax: pica200.Syntax})
	if err != nil {
		return nil, err
	}
	if w.asm, err = pica200.NewAssembler(syntax); err != nil {
		return nil, err
	}
	if most, ok := m.Set().Limit("vertex words"); ok {
		w.words = int(most)
	}
	stub := func(...any) (string, error) { return "", nil }
	if w.template, err = template.New("shader").Funcs(template.FuncMap{"desc": stub, "piece": stub}).Parse(shaderText); err != nil {
		return nil, err
	}
	for _, t := range w.template.Templates() {
		if name, ok := strings.CutPrefix(t.Name(), "show "); ok {
			w.shown[name] = true
		}
		if name, ok := strings.CutPrefix(t.Name(), "set "); ok {
			w.settable[name] = true
		}
	}
	return w, nil
}

// kind is how a value is uploaded or shown, as enum kind of vectors.h.
type kind int

const (
	attribute kind = iota
	float
	integer
	boolean
)

// upload is a value for the hardware: an attribute of the vertices, or a uniform.
type upload struct {
	kind   kind
	number int
	values [4]uint32
}

// piece is what a template sets or shows.
type piece struct {
	State                               string
	Number, Uniform, Integer, Threshold int
	// Boolean selects what the color shows. Component is the letter of a component.
	Boolean   int
	Component string
}

// shader is the data of the template.
type shader struct {
	Text, Descriptors, Words, Pads []string
	Position, Go, Where, Threshold int
	Shows, Sets                    []piece
}

// show is a register that the program observes.
type show struct {
	register   vectors.Register // after the run
	state      *exec.State
	first, end int // its entries in shader.Shows
	// held has the float of 24 bits that a component has if it has the expected value. It has none if the vector computes
	// a value of more bits.
	held [4]uint32
	has  [4]bool
}

// newShow returns how the program observes a register. before is the register before the run, or nil.
func newShow(x, before *vectors.Register, s *exec.State, first, end int) show {
	out := show{register: *x, state: s, first: first, end: end}
	for c, v := range x.Values {
		if s.Type.Kind == isa.Float {
			out.held[c], out.has[c] = float24(v)
			out.has[c] = out.has[c] || before != nil && before.Values[c] == v
		}
	}
	return out
}

// row is a vector that runs on the hardware.
type row struct {
	f       *vectors.File
	v       *vectors.Vector
	shader  shader
	uploads []upload
	shows   []show
	fell    int  // the address after the words
	end     bool // a jump replaces the word that ends the program
	rounded bool // an operand has more than 24 bits
	*assembled
}

// free returns the numbers of a file that a row does not name, the highest first.
type free []int

func (f *free) take(what string) (int, error) {
	if len(*f) == 0 {
		return 0, skipf("it leaves no %s for the program", what)
	}
	n := (*f)[0]
	*f = (*f)[1:]
	return n, nil
}

// uploaded returns how values of a register are uploaded, if they are.
func uploaded(s *exec.State) (kind, bool) {
	switch {
	case s.Use == "input":
		return attribute, true
	case s.Use != "constant":
		return 0, false
	case s.Type.Kind == isa.Float:
		return float, true
	case s.Type.Kind == isa.Bool:
		return boolean, true
	}
	return integer, true
}

// float24 returns the bits of a component as the hardware holds it, rounded to nearest even. exact is set if the hardware has
// the number.
func float24(x uint64) (u uint32, exact bool) {
	sign := uint32(x>>31) << 23
	switch f := math.Abs(float64(math.Float32frombits(uint32(x)))); {
	case math.IsNaN(f):
		u = 0x7f<<16 | max(1, uint32(x)>>7&0xffff)
	case f >= math.Ldexp(1, 64):
		u = 0x7f << 16
	case f < math.Ldexp(1, -62):
		u = uint32(math.RoundToEven(math.Ldexp(f, 78)))
	default:
		u = (uint32(x)&(1<<31-1) + 0x3f + uint32(x)>>7&1) >> 7
		u -= (127 - 63) << 16
	}
	u |= sign
	return u, math.Float32bits(pica200.Float24(u)) == uint32(x)
}

// row prepares a vector. It returns a skip if the hardware cannot run it.
func (w *writer) row(f *vectors.File, v *vectors.Vector) (*row, error) {
	if v.Lanes != 1 || v.Active != "" {
		return nil, skipf("it has several lanes")
	}
	if len(v.Calls) > 0 {
		return nil, skipf("it calls %s, which is for geometry shaders", v.Calls[0].Name)
	}
	if len(v.Initial.Memories)+len(v.Final.Memories) > 0 {
		return nil, skipf("it has a memory")
	}
	if !sameStacks(&v.Initial, &v.Final) {
		return nil, skipf("it opens or closes scopes")
	}
	if v.Initial.PC != 0 {
		return nil, skipf("it does not start at address 0")
	}
	r := &row{f: f, v: v, shader: shader{Text: v.Text}}
	if err := w.program(r); err != nil {
		return nil, err
	}
	return r, w.state(r)
}

// program prepares the words of a row, and the words after them up to the last target of a jump.
func (w *writer) program(r *row) error {
	v := r.v
	r.fell = len(v.Words)
	last := int(v.Final.PC)
	r.shader.Words = slices.Clone(v.Words)
	switch {
	case len(v.Stops) > 1 || len(v.Stops) == 1 && v.Stops[0].Reason != "end":
		return skipf("it stops with %q", v.Stops[0].Reason)
	case len(v.Stops) == 1 && (len(v.Words) == 1 || last >= len(v.Words)):
		return skipf("it ends the program")
	case len(v.Stops) == 1:
		r.shader.Words[last], r.end = "", true // a jump to here
	case len(v.Stops) == 0 && v.Steps == 0:
		return skipf("it does not end")
	case last < len(v.Words):
		return skipf("it continues at one of its own words")
	}
	for i, text := range v.Words {
		word, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return fmt.Errorf("word %q, expected up to 8 hexadecimal digits", text)
		}
		w.decoder.Addr = int64(i) * 32
		in, ok := w.decoder.Decode(bits.Of(word))
		if !ok {
			return skipf("it has a word that is not an instruction")
		}
		for _, flow := range w.decoder.Flows(nil, in) {
			last = max(last, int(flow.Target)/32)
		}
	}
	if last >= w.words {
		return skipf("a target is outside of the code memory")
	}
	for at := len(v.Words); at <= max(last, len(v.Words)); at++ {
		switch {
		case at == int(v.Final.PC) && !r.end:
			r.shader.Pads = append(r.shader.Pads, "here")
		case at == len(v.Words):
			r.shader.Pads = append(r.shader.Pads, "fell")
		default:
			r.shader.Pads = append(r.shader.Pads, "elsewhere")
		}
	}
	for name, entries := range v.Tables {
		if name != w.m.Set().Tables()[0].Name {
			return fmt.Errorf("unknown table %s", name)
		}
		r.shader.Descriptors = entries
	}
	return nil
}

// state prepares the registers of a row.
func (w *writer) state(r *row) error {
	frees := map[kind]*free{}
	named := map[string]bool{}
	key := func(x *vectors.Register) string { return fmt.Sprint(x.Name, " ", x.Number) }
	before := map[string]*vectors.Register{}
	for i := range r.v.Initial.Registers {
		x := &r.v.Initial.Registers[i]
		named[key(x)] = true
		before[key(x)] = x
	}
	// Registers that the vector does not change and that cannot have their value. verify tells whether the value matters.
	left := map[string]bool{}
	for i := range r.v.Final.Registers {
		x := &r.v.Final.Registers[i]
		left[key(x)] = unchanged(before[key(x)], x, w.m.State(x.Name))
		// The shader around the vector writes outputs itself, so a vector must not write them, even with their own value.
		if state := w.m.State(x.Name); !w.shown[x.Name] && (!left[key(x)] || state.Use == "output") {
			return skipf("it changes %s, which a program cannot read", x.Name)
		}
	}
	for _, s := range w.m.States {
		k, ok := uploaded(s)
		if !ok || s.Kind != exec.Registers {
			continue
		}
		list := free{}
		for n := s.Count - 1; n >= 0; n-- {
			if !named[key(&vectors.Register{Name: s.Name, Number: n})] {
				list = append(list, n)
			}
		}
		frees[k] = &list
	}
	var err error
	take := func(k kind, what string) (n int) {
		if err == nil {
			n, err = frees[k].take(what)
		}
		return n
	}
	s := &r.shader
	s.Position, s.Go, s.Where, s.Threshold = take(attribute, "input register"), take(boolean, "boolean uniform"), take(boolean, "boolean uniform"), take(float, "float uniform")
	r.uploads = append(r.uploads, upload{boolean, s.Go, [4]uint32{1}})
	var sets, temporaries []piece
	attributes := 1
	for i := range r.v.Initial.Registers {
		x := &r.v.Initial.Registers[i]
		state := w.m.State(x.Name)
		if k, ok := uploaded(state); ok {
			up := upload{kind: k, number: x.Number}
			for c, v := range x.Values {
				if up.values[c] = uint32(v); state.Type.Kind == isa.Float {
					var exact bool
					up.values[c], exact = float24(v)
					r.rounded = r.rounded || !exact
				}
			}
			if k == attribute {
				if attributes++; attributes > maxAttributes {
					return skipf("it reads more than %d input registers", maxAttributes-1)
				}
			}
			r.uploads = append(r.uploads, up)
			continue
		}
		zero := !slices.ContainsFunc(x.Values, func(v uint64) bool { return v != 0 })
		if !w.settable[x.Name] {
			if !zero && !left[key(x)] {
				return skipf("it needs a value in %s, which a program cannot set", x.Name)
			}
			continue
		}
		p := piece{State: x.Name, Number: x.Number}
		up, rounded, e := w.value(x, state)
		r.rounded = r.rounded || rounded
		if e != nil && !left[key(x)] {
			return e
		}
		if e != nil {
			delete(left, key(x)) // it is not shown
		}
		if up.kind == integer {
			p.Integer = take(integer, "integer uniform")
			up.number = p.Integer
		} else {
			p.Uniform = take(float, "float uniform")
			up.number = p.Uniform
		}
		r.uploads = append(r.uploads, up)
		if state.Use == "temporary" {
			temporaries = append(temporaries, p)
		} else {
			sets = append(sets, p)
		}
	}
	s.Sets = append(sets, temporaries...)
	for i := range r.v.Final.Registers {
		x := &r.v.Final.Registers[i]
		state := w.m.State(x.Name)
		if _, ok := left[key(x)]; !w.shown[x.Name] || !ok {
			continue
		}
		first, count := len(s.Shows), 1
		if state.Type.Kind == isa.Signed {
			count = len(x.Values)
		}
		for c := range count {
			s.Shows = append(s.Shows, piece{State: x.Name, Number: x.Number, Threshold: s.Threshold, Boolean: take(boolean, "boolean uniform"), Component: state.Component(c)})
		}
		r.shows = append(r.shows, newShow(x, before[key(x)], state, first, len(s.Shows)))
	}
	return err
}

// unchanged reports whether a register has the same value after the run. All NaNs are the same.
func unchanged(before, after *vectors.Register, s *exec.State) bool {
	return before != nil && slices.EqualFunc(before.Values, after.Values, func(a, b uint64) bool {
		return exec.Canonical(a, s.Type) == exec.Canonical(b, s.Type)
	})
}

// sameStacks reports whether stacks have the same entries after the run.
func sameStacks(before, after *vectors.State) bool {
	entries := func(s *vectors.State) map[string]string {
		m := map[string]string{}
		for _, t := range s.Stacks {
			if len(t.Entries) > 0 {
				m[t.Name] = fmt.Sprint(t.Entries)
			}
		}
		return m
	}
	return maps.Equal(entries(before), entries(after))
}

// maxAttributes is the maximum number of attributes of a vertex (libctru).
const maxAttributes = 12

// value returns the uniform from which a shader sets a register. rounded is set if 24 bits cannot hold the value. Components
// that cannot have their value are 0, and err is the reason.
func (w *writer) value(x *vectors.Register, s *exec.State) (up upload, rounded bool, err error) {
	up.kind = float
	for c, v := range x.Values {
		f, ok := float32(0), true
		switch {
		case s.Type.Kind == isa.Signed && len(x.Values) == 1: // a loop counter
			if up.kind = integer; v > math.MaxUint8 {
				err = skipf("%s is not from 0 to 255", x.Name)
				continue
			}
			up.values[1] = uint32(v)
			continue
		case s.Type.Kind == isa.Signed:
			if f = float32(int32(v)); math.Abs(float64(f)) > 1<<17 {
				err = skipf("%s has more than 17 bits", x.Name)
				continue
			}
		case s.Type.Kind == isa.Bool:
			f = float32(v)
		default:
			f = math.Float32frombits(uint32(v))
		}
		x32 := uint64(math.Float32bits(f))
		if s.Type.Kind == isa.Float {
			x32 = v // also a NaN that the processor would change
		}
		up.values[c], ok = float24(x32)
		rounded = rounded || !ok
	}
	return up, rounded, err
}

//go:embed harness.pica.txt
var harnessText string

// text returns the disassembly of a word.
func (w *writer) text(word uint64) string {
	in, _ := w.decoder.Decode(bits.Of(word))
	return string(w.decoder.Append(nil, in))
}

// own returns the vectors that test the program itself: registers are shown as they were set.
func (w *writer) own() (*vectors.File, error) {
	out, err := w.asm.Assemble([]*diag.Source{{Name: "harness.v.pica", Text: harnessText}}, pica200.AssembleOptions{})
	if err != nil {
		return nil, err
	}
	word := out.File.DVLP.Code[0]
	f := &vectors.File{Format: vectors.Format, Machine: w.m.Set().Name(), Instruction: "harness", Doc: "Registers as the program of the 3DS sets and shows them. The instruction does nothing."}
	for _, s := range w.m.States {
		if s.Use != "temporary" || !w.shown[s.Name] {
			continue
		}
		for i, list := range harnessValues {
			x := vectors.Register{Name: s.Name, Number: 1, Values: list[:s.Type.Lanes], Bits: s.Type.Bits, Vector: s.Type.Lanes > 1}
			state := vectors.State{Registers: []vectors.Register{x}}
			v := vectors.Vector{Name: fmt.Sprintf("harness/%d", i+1), Text: []string{w.text(uint64(word))}, Words: []string{fmt.Sprintf("%08x", word)}, Lanes: 1, Steps: 1, Initial: state, Final: state,
				Reasons: []string{"the value of a register is shown as it was set"}}
			v.Final.PC = 1
			f.Vectors = append(f.Vectors, v)
		}
	}
	return f, nil
}

// harnessValues are floats of 24 bits: zeros, ones, the smallest and the largest subnormal and normal number, infinities, a
// NaN, and numbers in which only the first or the last bit of the mantissa is set.
var harnessValues = [][4]uint64{
	{0x00000000, 0x80000000, 0x3f800000, 0xbf800000},
	{0x18800000, 0x207fff00, 0x20800000, 0x5f7fff80},
	{0x7f800000, 0xff800000, 0x7fc00000, 0x3f800080},
	{0x3fc00000, 0xbfc00080, 0x40490f80, 0xdf7fff80},
}

// file writes the rows of a file, and returns its identifier, or "" if the hardware runs no row.
func (w *writer) file(f *vectors.File) (string, error) {
	var rows []*row
	shaders := map[string]*assembled{}
	for i := range f.Vectors {
		v := &f.Vectors[i]
		r, err := w.row(f, v)
		if err == nil {
			err = w.compile(r, shaders)
		}
		var s skip
		switch {
		case errors.As(err, &s):
			w.report.Skipped[s.Error()] = append(w.report.Skipped[s.Error()], v.Name)
			continue
		case err != nil:
			return "", fmt.Errorf("%s: %w", v.Name, err)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return "", nil
	}
	id := identifier(f.Instruction, w.ids)
	return id, w.rows(f, id, rows)
}

// assembled is a shader, which several rows may have.
type assembled struct {
	source string
	file   *pica200.SHBIN
	data   []byte
	number int
	used   bool
}

// compile assembles the shader of a row, unless an earlier row has the same, and runs it.
func (w *writer) compile(r *row, shaders map[string]*assembled) error {
	key := fmt.Sprintf("%v", r.shader)
	if r.assembled = shaders[key]; r.assembled == nil {
		a, err := w.assemble(&r.shader)
		if err != nil {
			return err
		}
		r.assembled, shaders[key] = a, a
	}
	if err := r.check(r.assembled.file); err != nil {
		return err
	}
	if n := len(r.assembled.file.DVLP.Code); n > w.words {
		return skipf("its shader has more than %d words", w.words)
	}
	return w.verify(r)
}

func identifier(text string, used map[string]bool) string {
	id := strings.Map(func(c rune) rune {
		if c < 0x80 && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			return c
		}
		return '_'
	}, strings.ToLower(text))
	for unique, i := id, 2; ; i++ {
		if !used[unique] {
			used[unique] = true
			return unique
		}
		unique = id + "_" + strconv.Itoa(i)
	}
}

// assemble returns the source and the bytes of the shader of a row.
func (w *writer) assemble(s *shader) (*assembled, error) {
	next := len(s.Descriptors)
	desc := func() string {
		next++
		return fmt.Sprintf("{DESC@%d}", next-1)
	}
	t := template.Must(w.template.Clone())
	t.Funcs(template.FuncMap{
		"desc": desc,
		"piece": func(what string, p piece) (string, error) {
			var b strings.Builder
			err := t.ExecuteTemplate(&b, what+" "+p.State, p)
			return strings.TrimLeft(b.String(), "\n"), err
		},
	})
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, "shader", s); err != nil {
		return nil, err
	}
	source := strings.TrimSpace(b.String()) + "\n"
	out, err := w.asm.Assemble([]*diag.Source{{Name: "shader.v.pica", Text: source}}, pica200.AssembleOptions{})
	if err != nil {
		return nil, fmt.Errorf("the shader does not assemble: %w\n%s", err, source)
	}
	return &assembled{source: source, file: out.File, data: out.Bytes}, nil
}

// check reports an error if the shader does not have the words and the table entries of the vector.
func (r *row) check(file *pica200.SHBIN) error {
	code, table := file.DVLP.Code, file.DVLP.Descriptors
	for i, text := range r.v.Words {
		if r.shader.Words[i] == "" {
			continue
		}
		if word, err := strconv.ParseUint(text, 16, 32); err != nil || i >= len(code) || code[i] != uint32(word) {
			return fmt.Errorf("word %d of the shader differs from the word %s of the vector", i, text)
		}
	}
	for i, text := range r.shader.Descriptors {
		if d, err := strconv.ParseUint(text, 16, 32); err != nil || i >= len(table) || table[i].Value != uint32(d) {
			return fmt.Errorf("table entry %d of the shader differs from the entry %s of the vector", i, text)
		}
	}
	return nil
}
