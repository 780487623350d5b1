package launch

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/shade/shadetest"
	"github.com/isago/isago/internal/translatetest"
	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/translate"
)

var translations = flag.Int("translations", 12, "number of random programs and instructions to translate; 0 translates all instructions")

// assembled returns a program of the statements of a text, and an exit, in a context such as "g200 cp".
func assembled(t *testing.T, m *exec.Machine, p *asm.Parser, context, text string) *exec.Program {
	t.Helper()
	chip, stage, _ := strings.Cut(context, " ")
	ctx := set.DefaultContext()
	var err error
	for name, value := range map[string]string{"chip": chip, "stage": stage} {
		if ctx, err = set.ParseContext(ctx, name, value); err != nil {
			t.Fatal(err)
		}
	}
	p.SetContext(ctx)
	var code []uint32
	for _, statement := range strings.Split(text+" / exit nop", " / ") {
		res, err := p.ParseBytes([]byte(statement))
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		for at := 0; at < res.Inst.Leaf.Size; at += 32 {
			code = append(code, uint32(res.Inst.Bits.Uint(at, 32)))
		}
	}
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	words := m.Words32(root, code, 0)
	words.Context = ctx
	return exec.NewProgram(m, words)
}

// instructions returns what assembles instructions.
func instructions(t *testing.T) (*exec.Machine, *asm.Parser) {
	t.Helper()
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

// others matches instructions whose result depends on the number of the lane or on other lanes.
var others = lazy.Regexp(`\(l[0-3]+\)|vote|quad|tex`)

// TestTranslatedInstructions compares translated instructions with the plain engine: each instruction that has a row in
// meaning.txt, with random registers. It takes every n-th row, so that -translations 0 compares all.
func TestTranslatedInstructions(t *testing.T) {
	x := translatetest.Open(t)
	text, err := os.ReadFile("../testdata/meaning.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, p := instructions(t)
	seen := map[string]bool{}
	x.Rows(t, string(text), *translations, func(_ int, cells []string) *translatetest.Row {
		name := cells[0] + cells[1]
		if seen[name] || strings.HasPrefix(cells[1], "interp") {
			return nil // the driver sees that the test's varying is a denormal, and takes 0 * x for 0
		}
		seen[name] = true
		row := &translatetest.Row{Program: assembled(t, m, p, cells[0], cells[1]), Lanes: 32}
		if others().MatchString(cells[1]) { // as the translation
			row.Lanes = 1
		}
		return row
	})
}

// TestTranslated runs random kernels with branches, loops, calls and memories as compute shaders, in GLSL and in SPIR-V, and compares
// the memory with that of a run. 10,000 programs are
//
//	go test . -run '^TestTranslated$' -translations 10000 -timeout 0
//
// and -first has the first seed. 0 programs are 1.
func TestTranslated(t *testing.T) {
	device := vulkan.Open(t)
	device.Unoptimized = true
	base, err := (&kernels{}).set(optBlock, "128").open([]byte("architecture {sm_13}\ncode { name = k bincode { } }"))
	if err != nil {
		t.Fatal(err)
	}
	const together = 64
	lines, count, slow := 0, 0, 0
	for first := 0; first < max(*translations, 1); first += together {
		var shaders []*vulkan.Shader
		var wants [][]byte
		var texts []string
		for seed := range uint64(min(together, max(*translations, 1)-first)) {
			p := &drawn{r: rand.New(rand.NewPCG(uint64(*seeds+first)+seed, 12)), four: true}
			text := p.write()
			if base.module, err = read([]byte(text), set.DefaultContext()); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			s := given32(t, base, 0, words(32*8, func(int) uint32 { return translatetest.Word(p.r) }))
			list, n := translatedShaders(t, s, func(translate.Language) bool { return false })
			lines, count = lines+n.Lines, count+n.Words
			if _, err := s.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Budget: 100000}}); err != nil {
				t.Fatal(err)
			}
			for _, x := range list {
				shaders, wants, texts = append(shaders, x), append(wants, bytes.Clone(s.shared.Memory(s.places.global.State()))), append(texts, text)
			}
		}
		device.Run(shaders)
		for i, x := range shaders {
			if errors.Is(x.Err, vulkan.ErrSlow) {
				slow++
				continue
			}
			if x.Err != nil {
				t.Fatalf("program %d: %v\n%s\n%s", first+i/2, x.Err, texts[i], x.Source)
			}
			if at := different(x.Results, wants[i]); at >= 0 {
				t.Fatalf("program %d: byte %#x is %#x, expected %#x\n%s\n%s", first+i/2, at, x.Results[at], wants[i][at], texts[i], shaders[i&^1].Source)
			}
		}
	}
	t.Logf("%d programs, %d shaders that take the driver too long; %d words each; %.2f lines a word", max(*translations, 1), slow, count/max(*translations, 1), float64(lines)/float64(max(count, 1)))
}

// translateKernel translates a kernel of source with blocks of 64 threads.
func translateKernel(t *testing.T, body string, language translate.Language) (*translate.Text, error) {
	t.Helper()
	return Translate(t.Context(), kernelRequest(body), translate.Options{Language: language})
}

// kernelRequest returns a request for a kernel of source with blocks of 64 threads.
func kernelRequest(body string) feed.Request {
	text := "architecture {sm_13}\ncode {\n\tname = k\n\treg = 20\n\tsmem = 64\n\tbincode {\n" + body + "\n\t}\n}\n"
	return feed.Request{
		Set: set, Context: set.DefaultContext(), Data: []byte(text), Options: map[string][]string{optBlock: {"64"}, optParams: {""}},
	}
}

// TestRefusedKernels tests what compute shaders cannot express, and next to it what is similar and can be expressed.
func TestRefusedKernels(t *testing.T) {
	for body, want := range map[string]string{
		"(e $c1) vote any $c2\nexit nop":                                                                        "the other lanes of a wave (instruction 0x0)",
		"(l02) mov b32 $r1 $r2\nexit nop":                                                                       "the other lanes of a wave (instruction 0x0)",
		"bar inc 0x0 0xfff\nbar wait 0x0 0xfff\nexit nop":                                                       "a barrier at which not all threads of a block arrive and wait",
		"and b32 $c0 # $r0 $r0\n(lg $c0) bra on\nbar inc wait 0x0 0xfff\non:\nexit nop":                         "a barrier that only some of the threads of a block may reach",
		"mov b32 $r1 u16 s[0x2]\nand b32 $c0 # $r1 $r1\n(lg $c0) bra on\nbar inc wait 0x0 0xfff\non:\nexit nop": "",
		"mov b32 $r1 $r0\nl:\nbar inc wait 0x0 0xfff\nsub b32 $c0 $r1 $r1 $r2\n(lg $c0) bra l\nexit nop":        "a barrier that only some of the threads of a block may reach",
		"(lg $c0) mov b32 $r1 $r2\nexit nop":                                                                    "",
		"exit nop":                                                                                              "",
	} {
		_, err := translateKernel(t, body, translate.GLSL)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\ngives %v, expected %q", body, err, want)
		}
	}
	for _, x := range []struct {
		body, block string
		o           translate.Options
		want        string
	}{
		{"exit nop", "", translate.Options{Language: translate.GLSLES}, "OpenGL has no specialization constants for the size of a block: state the size with --block X,Y,Z"},
		{"exit nop", "64", translate.Options{Language: translate.GLSLES}, ""},
		{"exit nop", "", translate.Options{Language: translate.WGSL}, ""},
		{"add b32 $r1 b32 s[0x10] $r1\nst b32 g14[$r1] $r1\nexit nop", "64", translate.Options{Language: translate.GLSLES, Uniforms: translate.Push}, "push constants, which GLSL ES lacks"},
		{"add b32 $r1 b32 s[0x10] $r1\nst b32 g14[$r1] $r1\nexit nop", "64", translate.Options{Language: translate.WGSL, Uniforms: translate.Push}, "push constants, which WGSL lacks"},
		{"nop\nld b64 $r0d g14[$r1]\nst b64 g14[$r2] $r0d\nexit nop", "64", translate.Options{Language: translate.GLSLES}, ""},
		{"nop\nld b64 $r0d g14[$r1]\nst b64 g14[$r2] $r0d\nexit nop", "64", translate.Options{Language: translate.WGSL}, ""},
	} {
		req := kernelRequest(x.body)
		if req.Options[optParams] = []string{"a:u32"}; x.block != "" {
			req.Options[optBlock] = []string{x.block}
		} else {
			delete(req.Options, optBlock)
		}
		_, err := Translate(t.Context(), req, x.o)
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s as %s gives %v, expected %q", x.body, x.o.Language, err, x.want)
		}
	}
}

// TestParameters tests which bytes are the parameters of a kernel: with their types, those up to the end of the last one, and without,
// the declared shared memory after the 16 bytes of the launch.
func TestParameters(t *testing.T) {
	text := func(shared int) []byte {
		return fmt.Appendf(nil, "architecture {sm_13}\ncode {\n\tname = k\n\treg = 4\n\tsmem = %d\n\tbincode {\nexit nop\n\t}\n}\n", shared)
	}
	for _, x := range []struct {
		shared         int
		params         []string
		bytes, memory  int
		more, expected string
	}{
		{shared: 64, bytes: 48, memory: 16384},
		{shared: 64, params: []string{"a:u32 b:f32x2"}, bytes: 16, memory: 16384},
		{shared: 64, params: []string{""}, bytes: 0, more: "100", memory: 164},
		{shared: 0, params: []string{"a:u16"}, bytes: 2, more: "0", memory: 18},
		{shared: 0, expected: "the file does not have the size of the parameters of kernel k: declare their types"},
	} {
		req := feed.Request{Set: set, Context: set.DefaultContext(), Data: text(x.shared), Options: map[string][]string{}}
		if x.params != nil {
			req.Options[optParams] = x.params
		}
		if x.more != "" {
			req.Options[optShared] = []string{x.more}
		}
		r, err := Open(req)
		if err != nil {
			t.Fatal(err)
		}
		k, err := r.(*session).Kernel()
		if x.expected != "" {
			if err == nil || !strings.Contains(err.Error(), x.expected) {
				t.Errorf("%+v: the error is %v", x, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", x, err)
			continue
		}
		if n := k.Sizes[k.Parameters.State()]; k.Bytes != x.bytes || n != x.memory {
			t.Errorf("%+v: %d bytes of parameters, and %d of shared memory", x, k.Bytes, n)
		}
	}
}

// translatedShaders loads the memory of a session, and returns its kernel as shaders in GLSL, in SPIR-V and in more languages, and the text in GLSL. chosen
// reports whether the size of a block is a specialization constant.
func translatedShaders(t *testing.T, s *session, chosen func(l translate.Language) bool, more ...translate.Language) (list []*vulkan.Shader, text *translate.Text) {
	t.Helper()
	calls, err := s.calls()
	if err != nil {
		t.Fatal(err)
	}
	if s.pointer, err = s.pointerSize(calls); err != nil {
		t.Fatal(err)
	}
	if err := s.load(); err != nil {
		t.Fatal(err)
	}
	c := &calls[0]
	parameters, _, err := s.sharedOf(c)
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(s.shared.Memory(s.places.global.State()))
	for _, language := range append([]translate.Language{translate.GLSL, translate.SPIRV}, more...) {
		kernel, block := s.translation(c, len(parameters)), [3]int{}
		if chosen(language) {
			kernel.Block, block = block, kernel.Block
		}
		if language == translate.WGSL { // naga fills it with zeros, a word at a time, which the driver is slow to compile
			kernel.Sizes[s.places.parameters.State()] = 2304
		}
		x, err := kernel.Translate(t.Context(), translate.Options{Language: language, Binding: 2})
		if err != nil {
			t.Fatal(err)
		}
		text = cmp.Or(text, x)
		if language == translate.WGSL {
			if x.Module, err = shadetest.CompileWGSL(t.TempDir(), x.Source); err != nil {
				t.Fatal(err)
			}
			x.Source = ""
		}
		list = append(list, &vulkan.Shader{
			Loose: language == translate.WGSL, Source: x.Source, Module: x.Module, Groups: c.grid[0], Rows: c.grid[1], Block: block, Memory: before, Uniforms: parameters, Size: len(before), Back: true,
		})
	}
	return list, text
}

// different returns the place of the first byte that differs, or -1.
func different(a, b []byte) int {
	for at := range b {
		if a[at] != b[at] {
			return at
		}
	}
	return -1
}

// TestTranslatedKernels runs kernels as compute shaders, in GLSL, in SPIR-V and, if naga is installed, in WGSL, and compares the memory with that of a run.
func TestTranslatedKernels(t *testing.T) {
	device := vulkan.Open(t)
	_, naga := osexec.LookPath("naga")
	if naga != nil {
		t.Log("SKIPPED: naga is not installed, so no WGSL runs (cargo install naga-cli)")
	}
	random := words(256, func(i int) uint32 { return uint32(i) * 0x9e3779b1 })
	for name, k := range map[string]*kernels{
		"saxpy":     (&kernels{}).set(optGrid, "2").set(optBlock, "64").set(optParams, "n:s32 a:f32 x:ptr y:ptr").set(optArg, "n=100", "a=2.5", "x=f32[100]:count", "y=f32[100]:1"),
		"reverse":   (&kernels{}).set(optBlock, "80").set(optParams, "values:ptr").set(optArg, "values=s32[80]:count"),
		"vecadd":    (&kernels{}).set(optGrid, "8").set(optBlock, "128").set(optParams, "a:ptr b:ptr c:ptr n:s32").set(optArg, "a=f32[1000]:count", "b=f32[1000]:count", "c=f32[1000]", "n=1000"),
		"matmul":    (&kernels{}).set(optGrid, "3,3").set(optBlock, "16,16").set(optParams, "a:ptr b:ptr c:ptr n:s32").set(optArg, "a=f32[2304]:count", "b=f32[2304]:count", "c=f32[2304]", "n=48").set(optPointer, "4"),
		"reduce":    (&kernels{}).set(optGrid, "40").set(optBlock, "256").set(optParams, "in:ptr part:ptr n:s32").set(optArg, "in=u32[10000]:count", "part=u32[40]", "n=10000").set(optPointer, "4"),
		"histogram": (&kernels{}).set(optGrid, "6").set(optBlock, "96").set(optParams, "data:ptr bins:ptr n:s32").set(optArg, "data=u8[20000]:count", "bins=u32[256]", "n=20000"),
		"bitonic":   (&kernels{}).set(optBlock, "256").set(optParams, "values:ptr n:s32").set(optArg, "n=256").set(optPointer, "4").array("values", "s32", random),
		"mandelbrot": (&kernels{}).set(optGrid, "4,3").set(optBlock, "16,16").set(optParams, "steps:ptr colours:ptr width:s32 limit:s32 x:f32 y:f32 step:f32").
			set(optArg, "steps=u32[3072]", "colours=rgba[3072]", "width=64", "limit=60", "x=-2.2", "y=-1.2", "step=0.05"),
		"blackscholes": (&kernels{}).set(optGrid, "3").set(optBlock, "128").set(optParams, "call:ptr put:ptr price:ptr strike:ptr years:ptr n:s32 rate:f32 volatility:f32").
			set(optArg, "call=f32[300]", "put=f32[300]", "price=f32[300]:count", "strike=f32[300]:count", "years=f32[300]:1.5", "n=300", "rate=0.02", "volatility=0.3"),
	} {
		data, err := os.ReadFile(example(name + ".cubin"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := k.open(data)
		if err != nil {
			t.Fatal(err)
		}
		var more []translate.Language
		if naga == nil && name != "blackscholes" && name != "mandelbrot" { // whose pairs the driver is slow to compile
			more = append(more, translate.WGSL)
		}
		shaders, _ := translatedShaders(t, s, func(l translate.Language) bool { return l == translate.SPIRV || name == "saxpy" && l == translate.GLSL }, more...)
		global := s.places.global.State()
		before := bytes.Clone(s.shared.Memory(global))
		device.Run(shaders)
		if _, err := s.Run(t.Context(), feed.RunOptions{}); err != nil {
			t.Fatal(err)
		}
		want := s.shared.Memory(global)
		for i, x := range shaders {
			if errors.Is(x.Err, vulkan.ErrSlow) {
				t.Logf("SKIPPED: %s: %v", name, x.Err)
				continue
			}
			if x.Err != nil {
				t.Errorf("%s: %v\n%s", name, x.Err, x.Source)
				continue
			}
			if at := different(x.Results, want); at >= 0 {
				t.Errorf("%s, shader %d: byte %#x is %#x, expected %#x", name, i, at, x.Results[at], want[at])
			}
			if bytes.Equal(want, before) {
				t.Errorf("%s changes no memory", name)
			}
		}
	}
}

// TestConditions checks that conditions replace the bits of flags, and that a sum of a short product needs no 64 bits.
func TestConditions(t *testing.T) {
	text, err := translateKernel(t, "add $r1 (mul u16 u16 s[0xc] $r0h) $r1\nset $c0 # g u32 b32 s[0x10] $r1\n(e $c0) ret\nst b32 g14[$r1] $r1\nexit nop", translate.GLSL)
	if err != nil {
		t.Fatal(err)
	}
	if text.Integers64 || !regexp.MustCompile(`\n\tif \(r1 >= t\d+\) return;\n`).MatchString(text.Source) {
		t.Errorf("64 bits: %v\n%s", text.Integers64, text.Source)
	}
}
