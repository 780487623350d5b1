// Package translatetest compares translated programs that run on a Vulkan device with the plain engine. Tests of machines use
// it.
package translatetest

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/internal/shade/spirv"
	"github.com/isago/isago/internal/shade/wgsl"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/translate"
)

// Comparison collects programs, and compares their translations with the plain engine.
type Comparison struct {
	// Given and Count are those of flow.Config. If Given is nil, the launch sets all registers of lanes.
	Given func(s *sem.State, number, comp int) bool
	Count func(s *sem.State) int
	// Wanted is that of flow.Config. If it is nil, all registers of lanes are compared.
	Wanted func(s *sem.State, number, comp int) bool
	// Known makes the uniforms of the wave constants.
	Known bool

	// WGSL compiles a shader as WGSL to SPIR-V.
	WGSL func(s *shade.Shader) ([]byte, error)

	// Programs counts the programs that were equal, in each language.
	Programs, Lanes, Values, Lines, Words int
	// Branches, Loops and Calls count those of them with a condition, a loop and a function of the program.
	Branches, Loops, Calls int
	// Refused counts the programs that were not compared, by reason.
	Refused map[string]int

	device   *vulkan.Device
	language translate.Language // of the programs of Add
	jobs     []*job
	batch    *batch // is not full
	added    int    // programs of Add
	err      error  // of the first program that differed
}

// job is a program that waits for its run.
type job struct {
	name   string
	text   *translate.Text
	shader *vulkan.Shader
	want   [][]uint64 // for each lane, the outputs; nil for a lane that is not compared
	ends   []bool     // for each lane, whether the program ends normally
	types  []sem.Type
	mask   []bool // for each output, whether the program writes it
	batch  *batch // nil if the shader does not share its text
}

var language = flag.String("language", "glsl", "language of the translations of random programs: glsl (with SPIR-V), glsl-es or wgsl")

// Open returns a comparison. It skips the test if there is no device.
func Open(t testing.TB) *Comparison {
	x := &Comparison{device: vulkan.Open(t), Refused: map[string]int{}}
	x.device.Unoptimized = true
	for _, l := range translate.Languages() {
		if l.String() == *language {
			x.language = l
		}
	}
	if x.language == translate.WGSL {
		x.WGSL = shadetest.Naga(t, wgsl.Source)
	}
	return x
}

// String returns the counts.
func (x *Comparison) String() string {
	n := max(1, x.Programs)
	return fmt.Sprintf("%d translations with %d lanes and %d values equal; %.2f lines a word; %d words each, %d %% with a condition, %d %% with a loop, %d %% with a call; not compared: %v",
		x.Programs, x.Lanes, x.Values, float64(x.Lines)/float64(max(1, x.Words)), x.Words/n, 100*x.Branches/n, 100*x.Loops/n, 100*x.Calls/n, x.Refused)
}

func (x *Comparison) refuse(reason string) error {
	x.Refused[reason]++
	return nil
}

var numbers = regexp.MustCompile(`0x[0-9a-f]+|\d+`)

// Add translates the program of a wave that has run. before has the values before the run.
func (x *Comparison) Add(ctx context.Context, name string, entry uint64, before flowtest.Before, after *exec.Wave) error {
	own := func(s *sem.State, _, _ int) bool {
		return s.Kind == sem.FileState && s.Scope == spec.ScopeLane && !s.ReadOnly
	}
	c := flowtest.Config(after.Program, entry)
	c.Count, c.Given, c.Wanted, c.OneLane = x.Count, own, own, c.Machine.Wave
	if x.Given != nil {
		c.Given = x.Given
	}
	if x.Wanted != nil {
		c.Wanted = x.Wanted
	}
	states := after.Program.Machine.States
	if x.Known {
		c.Known = func(s *sem.State, number, comp int) (uint64, bool) {
			return before.Get(states[s.Index], number, comp, 0), true
		}
	}
	p, err := flow.Specialise(ctx, c)
	if err != nil {
		for e := err; e != nil; e = errors.Unwrap(e) {
			err = e
		}
		return x.refuse(err.Error())
	}
	o := Options
	o.Language = x.language
	if x.added++; x.added%(4*batchSize) == 0 { // to bound the memory
		x.run()
	}
	o.Name += fmt.Sprint(x.added) // so that texts can be in one shader
	text, err := o.Translate(inside.Key{}, p, after.Program, c.Given)
	var refusal *translate.Refusal
	if errors.As(err, &refusal) {
		return x.refuse(numbers.ReplaceAllString(refusal.Reason, "N"))
	}
	if err != nil {
		return err
	}
	return x.AddText(name, text, before, after)
}

// Options are the options with which a text is translated for a Comparison.
var Options = translate.Options{Shape: translate.Function, Name: "program", Set: 0, Binding: 2}

// AddText adds a translated program: a vertex or fragment shader in GLSL or SPIR-V, or a function as GLSL and as SPIR-V, or as WGSL.
func (x *Comparison) AddText(name string, text *translate.Text, before flowtest.Before, after *exec.Wave) error {
	states, machine := after.Program.Machine.States, after.Program.Machine.Inside(inside.Key{})
	stops := make([]string, exec.Lanes)
	for _, s := range after.Stops() {
		for lane := range stops {
			if s.Lanes>>uint(lane)&1 != 0 {
				stops[lane] = s.Reason
			}
		}
	}
	first := slices.IndexFunc(stops, func(reason string) bool { return reason != "budget" && reason != "" })
	if first < 0 {
		return x.refuse("it does not end")
	}
	j := &job{name: name, text: text, shader: &vulkan.Shader{Groups: 1}}
	stage := text.Shader(inside.Key{}).Stage
	draws := stage != shade.Library
	vectors, lanes := 0, exec.Lanes // of 16 bytes with the inputs of a lane, and the lanes whose inputs fit
	if !draws {
		for _, b := range text.Inputs {
			vectors += b.Count * b.Components
		}
		vectors = max(1, (vectors+3)/4)
		lanes = min(lanes, shadetest.InputBytes/16/vectors)
	}
	write, language := spirv.Write, " as SPIR-V"
	switch {
	case stage == shade.Vertex:
		j.shader.Source, j.shader.Module, j.shader.Draw = text.Source, text.Module, vertexDraw(text)
		x.jobs = append(x.jobs, j)
	case stage == shade.Fragment:
		j.shader.Source, j.shader.Module, j.shader.Draw = text.Source, text.Module, fragmentDraw(text)
		x.jobs = append(x.jobs, j)
	case text.Language == translate.WGSL:
		write, language = x.WGSL, " as WGSL"
	default:
		function, reason := wrap(text, vectors, lanes, before, states)
		if reason != "" {
			return x.refuse(reason)
		}
		if x.batch == nil || !x.batch.add(text.Name, function) {
			x.batch = &batch{language: text.Language, functions: map[string]string{text.Name: function}}
		}
		j.shader.Entry, j.batch = "test_"+text.Name, x.batch
		x.jobs = append(x.jobs, j)
	}
	j.shader.Uniforms = uniforms(text, states, before)
	for _, s := range states {
		buffer := slices.ContainsFunc(text.Buffers, func(b translate.Buffer) bool { return slices.Contains(b.States, s.Name) && b.Binding == 3 })
		if s.Kind == exec.Memory && (buffer || !draws && strings.Contains(text.Source, "load_"+s.Name)) {
			j.shader.Memory = before.Memory(s)
		}
	}
	byName := map[string]*exec.State{}
	for _, s := range states {
		byName[s.Name] = s
	}
	types := map[string]sem.Type{}
	for _, s := range machine.States {
		types[s.Name] = s.Type.Elem()
	}
	for lane := range lanes {
		if stops[lane] == "budget" || stops[lane] == "" { // another lane runs twice instead
			lane = first
		}
		for _, b := range text.Inputs {
			for n := range b.Count {
				if b.Builtin != "" && draws {
					continue
				}
				for k := range b.Components {
					v := value(before.Get, byName[b.State], b, n, k, lane)
					j.shader.Inputs = binary.LittleEndian.AppendUint32(j.shader.Inputs, word(v, types[b.State]))
				}
				for k := b.Components; draws && k < 4; k++ {
					j.shader.Inputs = binary.LittleEndian.AppendUint32(j.shader.Inputs, 0)
				}
			}
		}
		for !draws && len(j.shader.Inputs)%16 != 0 {
			j.shader.Inputs = append(j.shader.Inputs, 0)
		}
		var want []uint64
		if stops[lane] != "" {
			for _, b := range text.Outputs {
				for k := range b.Components {
					want = append(want, value(after.Get, byName[b.State], b, 0, k, lane))
				}
			}
			if want == nil {
				want = []uint64{}
			}
		}
		j.want, j.ends = append(j.want, want), append(j.ends, stops[lane] == "end")
	}
	for _, b := range text.Outputs {
		for k := range b.Components {
			t := types[b.State]
			if b.Type == sem.F32.String() {
				t = sem.F32
			}
			j.types, j.mask = append(j.types, t), append(j.mask, b.Mask>>uint(k)&1 != 0)
		}
	}
	j.shader.Size = exec.Lanes * 4 * (len(j.types) + 1)
	if draws {
		return nil
	}
	module, err := shadetest.Compute(text.Shader(inside.Key{}), lanes, func(f *shade.Func, memory *shade.Expr) ([]*shade.Stmt, error) {
		return body(f, text.Name, memory, before, states)
	}, write)
	if err != nil {
		return err
	}
	other, shader := *j, *j.shader
	shader.Entry, shader.Module, shader.Loose = "", module, text.Language == translate.WGSL
	other.name, other.shader, other.batch = name+language, &shader, nil
	x.jobs = append(x.jobs, &other)
	return nil
}

// value returns component k of the n-th register of a variable. The components may be words of a memory, or consecutive
// registers.
func value(get func(s *exec.State, number, comp, lane int) uint64, s *exec.State, b translate.Binding, n, k, lane int) uint64 {
	switch {
	case s.Kind == exec.Memory:
		return get(s, b.First*8/s.Word.Bits+k, 0, lane)
	case b.Components > max(1, s.Type.Lanes):
		return get(s, b.First+k, 0, lane)
	}
	return get(s, b.First+n, b.Comp+k, lane)
}

// word returns the bits of a value as the shader takes it: signed integers have 32 bits.
func word(v uint64, t sem.Type) uint32 {
	if t.Kind == sem.Sint {
		return uint32(int64(v<<(64-t.Width)) >> (64 - t.Width))
	}
	return uint32(v)
}

// uniforms returns the uniform block.
func uniforms(text *translate.Text, states []*exec.State, before flowtest.Before) []byte {
	var out []byte
	for _, b := range text.Uniforms {
		file := slices.IndexFunc(states, func(s *exec.State) bool { return s.Name == b.State })
		for n := range b.Count {
			slot := make([]byte, 16)
			for k := range b.Components {
				v := before.Get(states[file], b.First+n, b.Comp+k, 0)
				t := sem.U32
				if b.Type[0] == 's' {
					var w int
					fmt.Sscanf(b.Type[1:], "%d", &w)
					t = sem.Type{Kind: sem.Sint, Width: w}
				}
				binary.LittleEndian.PutUint32(slot[4*k:], word(v, t))
			}
			at := b.Offset + 16*n
			out = append(out, make([]byte, max(0, at+16-len(out)))...)
			copy(out[at:], slot)
		}
	}
	return out
}

// batchSize is the number of functions that are compiled together. glslang takes a quarter of a second to start.
const batchSize = 32

// batch is a compute shader with several functions. The function test_NAME calls the function NAME for each lane.
type batch struct {
	language  translate.Language
	functions map[string]string // the text of each function and of its caller, by name
	text      string
}

// add adds a function. It reports whether the batch has room for it.
func (b *batch) add(name, function string) bool {
	if len(b.functions) == batchSize || b.functions[name] != "" {
		return false
	}
	b.functions[name] = function
	return true
}

// source returns the text.
func (b *batch) source() string {
	if b.text != "" {
		return b.text
	}
	extensions, rest := map[string]bool{"#extension GL_EXT_spirv_intrinsics : require\n": true}, ""
	for _, name := range slices.Sorted(maps.Keys(b.functions)) {
		for line := range strings.Lines(b.functions[name]) {
			if strings.HasPrefix(line, "#extension") { // they must come first
				extensions[line] = true
			} else {
				rest += line
			}
		}
	}
	version := map[translate.Language]string{translate.GLSL: "450", translate.GLSLES: "310 es"}[b.language]
	b.text = "#version " + version + "\n" + strings.Join(slices.Sorted(maps.Keys(extensions)), "") + `
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
layout(local_size_x = 256) in; // Together of shadetest invocations for each lane
layout(std140, set = 0, binding = 4) uniform test_inputs { uvec4 test_in[4096]; };
layout(std430, set = 0, binding = 1) writeonly buffer test_results { uint test_out[]; };
layout(std430, set = 0, binding = 3) readonly buffer test_memory { uint test_bytes[]; };
uint test_bits(float x) { return isnan(x) || (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : floatBitsToUint(x); }
uint test_bits(uint x) { return x; }
uint test_bits(int x) { return uint(x); }
uint test_bits(bool x) { return uint(x); }
` + rest + "void main() {}\n"
	return b.text
}

// wrap returns the text of a function, and a function that calls it for a lane. The inputs of a lane have that number of vectors, and
// there are inputs for a number of lanes. reason is the reason why there is none. Names that
// do not start with the name of the function are renamed, so that another text may have them too.
func wrap(text *translate.Text, vectors, lanes int, before flowtest.Before, states []*exec.State) (function, reason string) {
	var w, undef strings.Builder
	rename := func(name string) {
		if !strings.HasPrefix(name, text.Name) && !strings.HasPrefix(name, "isago_") {
			fmt.Fprintf(&w, "#define %s %s_%[1]s\n", name, text.Name)
			fmt.Fprintf(&undef, "#undef %s\n", name)
		}
	}
	s := text.Shader(inside.Key{})
	for _, f := range s.Funcs {
		rename(f.Name)
	}
	for _, v := range s.Globals {
		rename(v.Name)
	}
	for _, b := range s.Blocks {
		for _, v := range b.Members {
			rename(v.Name)
		}
	}
	w.WriteString(text.Source)
	for _, decl := range text.Shared {
		body, why := define(decl, text.Name, before, states)
		if why != "" {
			return "", why
		}
		w.WriteString(body)
	}
	fmt.Fprintf(&w, "void test_%s() {\n\tuint lane = gl_LocalInvocationIndex / 4u, first = lane %% %du * %du;\n", text.Name, lanes, vectors)
	var args []string
	at := 0
	for i, b := range text.Inputs {
		t, vector := types(b.Type)
		if b.Components > 1 {
			t = fmt.Sprint(vector, b.Components)
		}
		if b.Count > 1 {
			fmt.Fprintf(&w, "\t%s i%d[%d];\n", t, i, b.Count)
		} else {
			fmt.Fprintf(&w, "\t%s i%d;\n", t, i)
		}
		for n := range b.Count {
			for k := range b.Components {
				dest := fmt.Sprint("i", i)
				if b.Count > 1 {
					dest += fmt.Sprintf("[%d]", n)
				}
				if b.Components > 1 {
					dest += "." + "xyzw"[k:k+1]
				}
				v := fmt.Sprintf("test_in[first + %du].%c", at/4, "xyzw"[at%4])
				switch b.Type[0] {
				case 'f':
					v = "uintBitsToFloat(" + v + ")"
				case 's':
					v = "int(" + v + ")"
				case 'b':
					v += " != 0u"
				}
				fmt.Fprintf(&w, "\t%s = %s;\n", dest, v)
				at++
			}
		}
		args = append(args, fmt.Sprint("i", i))
	}
	size := 1
	for i, b := range text.Outputs {
		t, vector := types(b.Type)
		if b.Components > 1 {
			t = fmt.Sprint(vector, b.Components)
		}
		fmt.Fprintf(&w, "\t%s o%d;\n", t, i)
		args = append(args, fmt.Sprint("o", i))
		size += b.Components
	}
	for _, b := range slices.Concat(text.Inputs, text.Outputs) {
		if strings.HasSuffix(b.Type, "64") || strings.HasSuffix(b.Type, "f16") {
			return "", "a parameter of type " + b.Type
		}
	}
	call := fmt.Sprintf("%s(%s)", text.Name, strings.Join(args, ", "))
	if text.Stops {
		fmt.Fprintf(&w, "\ttest_out[lane * %du] = uint(%s);\n", size, call)
	} else {
		fmt.Fprintf(&w, "\t%s;\n\ttest_out[lane * %du] = 1u;\n", call, size)
	}
	k := 1
	for i, b := range text.Outputs {
		for c := range b.Components {
			v := fmt.Sprint("o", i)
			if b.Components > 1 {
				v += "." + "xyzw"[c:c+1]
			}
			fmt.Fprintf(&w, "\ttest_out[lane * %du + %du] = test_bits(%s);\n", size, k, v)
			k++
		}
	}
	w.WriteString("}\n")
	return w.String() + undef.String(), ""
}

// types returns the names of a type and of its vectors.
func types(t string) (scalar, vector string) {
	switch t[0] {
	case 'f':
		return "float", "vec"
	case 's':
		return "int", "ivec"
	case 'b':
		return "bool", "bvec"
	}
	return "uint", "uvec"
}

var prototype = regexp.MustCompile(`^(\w+) (\w+)\((.*)\);$`)

// define returns the definition of a function that the translation declares: a load reads the memory, and a service returns
// what flowtest.Record returns.
func define(decl, program string, before flowtest.Before, states []*exec.State) (body, reason string) {
	m := prototype.FindStringSubmatch(decl)
	result, name, params := m[1], m[2], m[3]
	if strings.HasPrefix(name, program+"_store_") {
		return "", "a store to a memory"
	}
	if strings.HasPrefix(name, program+"_outside_") || strings.HasPrefix(name, program+"_swap_") {
		return "", "an access that may end the program, or an atomic access"
	}
	if rest, ok := strings.CutPrefix(name, program+"_load_"); ok {
		at := slices.IndexFunc(states, func(s *exec.State) bool { return s.Name == rest })
		if at < 0 || states[at].Scope < exec.ScopeBlock {
			return "", "a load of other bytes than 4, or of a memory of a lane"
		}
		n := len(before.Memory(states[at]))
		return fmt.Sprintf("uint %s(uint a) {\n\tif (a > %du) return 0u;\n\tuint s = 8u * (a & 3u), w = test_bytes[a >> 2] >> s;\n\tif (s > 0u) w |= test_bytes[(a >> 2) + 1u] << (32u - s);\n\treturn w;\n}\n", name, max(n-4, 0)), ""
	}
	var w strings.Builder
	fmt.Fprintf(&w, "%s %s(%s) {\n\tuint sum = 3u;\n", result, name, params)
	for _, p := range strings.Split(params, ", ") {
		f := strings.Fields(p)
		if len(f) < 2 {
			continue
		}
		n := int(f[0][len(f[0])-1] - '0')
		if n < 2 || n > 4 {
			fmt.Fprintf(&w, "\tsum = sum * 31u + test_bits(%s);\n", f[1])
			continue
		}
		for k := range n {
			fmt.Fprintf(&w, "\tsum = sum * 31u + test_bits(%s.%c);\n", f[1], "xyzw"[k])
		}
	}
	if result != "void" {
		n := int(result[len(result)-1] - '0')
		if n < 2 || n > 4 {
			n = 1
		}
		var parts []string
		for k := range n {
			v := fmt.Sprintf("(sum + %du) & 0xffu", k)
			switch result[0] {
			case 'f', 'v':
				v = "uintBitsToFloat(" + v + ")"
			case 'b':
				v = "((" + v + ") & 1u) != 0u"
			}
			parts = append(parts, v)
		}
		fmt.Fprintf(&w, "\treturn %s(%s);\n", result, strings.Join(parts, ", "))
	}
	w.WriteString("}\n")
	return w.String(), ""
}

// Run runs the programs that were added, and reports the first difference from the plain engine.
func (x *Comparison) Run(t testing.TB) {
	t.Helper()
	if x.run(); x.err != nil {
		t.Error(x.err)
	}
}

// run runs the programs that were added.
func (x *Comparison) run() {
	var shaders []*vulkan.Shader
	for _, j := range x.jobs {
		if j.batch != nil {
			j.shader.Source = j.batch.source()
		}
		shaders = append(shaders, j.shader)
	}
	x.device.Run(shaders)
	for _, j := range x.jobs {
		if errors.Is(j.shader.Err, vulkan.ErrSlow) {
			x.Refused[j.shader.Err.Error()]++
			continue
		}
		if err := x.compare(j); err != nil && x.err == nil {
			x.err = fmt.Errorf("%s: %w\n%s", j.name, err, j.text.Source)
		}
	}
	x.jobs, x.batch = nil, nil
}

// count counts what a program has.
func (x *Comparison) count(f *shade.Func) {
	kinds := map[shade.StmtKind]bool{}
	shade.EachStmt(f.Body, func(s *shade.Stmt) { kinds[s.Kind] = true })
	for n, has := range map[*int]bool{&x.Branches: kinds[shade.If] || kinds[shade.Switch], &x.Loops: kinds[shade.Loop], &x.Calls: kinds[shade.Do]} {
		if has {
			*n++
		}
	}
}

// Ends reports whether most lanes of a wave that has run ended normally.
func Ends(w *exec.Wave) bool {
	var ended uint64
	for _, s := range w.Stops() {
		if s.Reason == "end" {
			ended |= s.Lanes
		}
	}
	return 2*bits.OnesCount64(ended) > bits.OnesCount64(w.Exists())
}

// compare compares the results of a program.
func (x *Comparison) compare(j *job) error {
	if j.shader.Err != nil {
		return j.shader.Err
	}
	if j.shader.Draw != nil {
		if err := j.drawn(); err != nil {
			return err
		}
	}
	x.Programs++
	x.Lines += j.text.Lines
	x.Words += j.text.Words
	x.count(j.text.Shader(inside.Key{}).Entry)
	size := len(j.types) + 1
	for lane, want := range j.want {
		if want == nil {
			continue
		}
		get := func(i int) uint64 {
			return uint64(binary.LittleEndian.Uint32(j.shader.Results[4*(lane*size+i):]))
		}
		if ends := get(0) != 0; ends != j.ends[lane] {
			return fmt.Errorf("lane %d: ends normally: %v, expected %v", lane, ends, j.ends[lane])
		}
		if !j.ends[lane] {
			continue
		}
		x.Lanes++
		for i, t := range j.types {
			if !j.mask[i] {
				continue
			}
			x.Values++
			got := get(i+1) & (1<<t.Width - 1)
			if sem.Canonical(got, t) != sem.Canonical(want[i], t) {
				k := i
				for _, b := range j.text.Outputs {
					if k < b.Components {
						return fmt.Errorf("lane %d: component %d of %s is %x, expected %x", lane, k, b.Name, got, want[i])
					}
					k -= b.Components
				}
			}
		}
	}
	return nil
}
