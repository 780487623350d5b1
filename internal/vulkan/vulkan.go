// Package vulkan compiles GLSL, validates SPIR-V and runs shaders on a Vulkan device, for tests of translations. It needs the packages
// glslang-tools, spirv-tools, mesa-vulkan-drivers and libvulkan-dev of Debian, and gcc.
package vulkan

import (
	"bufio"
	"bytes"
	"cmp"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

//go:embed harness
var harness embed.FS

// Device runs shaders.
type Device struct {
	// Unoptimized asks the compiler of lavapipe not to optimise. It then takes half of the time for most functions, and much
	// longer for some large ones.
	Unoptimized bool

	dir, program string
	draws        func() (program string, err error)
	files        int
	// vertex has the modules of vertex shaders by their texts.
	mutex  sync.Mutex
	vertex map[string]string
}

// Shader is a compute shader, or a shader of a graphics pipeline, and its data.
type Shader struct {
	// Source is the GLSL text, whose set 0 has the inputs at binding 0, the results at 1, a uniform block at 2 and a memory at 3.
	// Binding 4 has the first 64 KiB of the inputs as a uniform block.
	// If it is "", Module is the SPIR-V module.
	Source string
	Module []byte
	// Entry is the function of Source that is the entry point. The default is main. Shaders with the same Source are compiled
	// together.
	Entry string
	// Loose is set if the arithmetic of the module need not have the decoration NoContraction, which WGSL cannot ask for.
	Loose bool
	// Draw is set for a shader of a graphics pipeline.
	Draw *Draw
	// Groups is the number of workgroups in x, and Rows that of workgroups in y; 0 rows are 1.
	Groups, Rows int
	// Block is the size of a workgroup for the specialization constants 0, 1 and 2, or zero.
	Block                    [3]int
	Inputs, Uniforms, Memory []byte
	// Size is the number of bytes of the results.
	Size int
	// Back is set if the results are the memory after the run, and not the buffer at binding 1.
	Back bool
	// Results are the results of the run. Err is the error of the compiler or of the validator.
	Results []byte
	Err     error
}

// Attribute is an attribute of a vertex.
type Attribute struct {
	Location, Components int
	Kind                 byte // f, s or u for float, int or uint
}

// Open builds the program that runs shaders. It skips the test if a tool is missing, and in short mode.
func Open(t testing.TB) *Device {
	t.Helper()
	if testing.Short() {
		t.Skip("no translations in short mode")
	}
	for _, tool := range []string{"glslangValidator", "spirv-val", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: %s is not installed, so no translation runs (apt-get install glslang-tools spirv-tools mesa-vulkan-drivers libvulkan-dev gcc)", tool)
		}
	}
	d := &Device{dir: t.TempDir(), vertex: map[string]string{}}
	d.draws = sync.OnceValues(func() (string, error) { return d.build("draw") })
	if err := os.CopyFS(d.dir, harness); err != nil {
		t.Fatal(err)
	}
	var err error
	if d.program, err = d.build("main"); errors.Is(err, errHeader) {
		t.Skip("SKIPPED: libvulkan-dev is not installed, so no translation runs")
	} else if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(d.program)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: there is no Vulkan device (install mesa-vulkan-drivers), so no translation runs: %s", out)
	}
	return d
}

var errHeader = errors.New("there is no vulkan/vulkan.h")

// build compiles a program of the harness, and returns its file.
func (d *Device) build(name string) (string, error) {
	program := filepath.Join(d.dir, name)
	source := filepath.Join(d.dir, "harness", name+".c")
	out, err := exec.Command("gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-o", program, source, "-lvulkan").CombinedOutput()
	switch {
	case err != nil && bytes.Contains(out, []byte("vulkan/vulkan.h")):
		return "", errHeader
	case err != nil:
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}

// Compile compiles and validates GLSL of a stage, such as vert or comp, and returns the name of the file with the module.
func (d *Device) Compile(source, stage string) (string, error) {
	d.files++
	return d.compile(source, stage, nil, d.files)
}

// compile compiles GLSL. entries are the functions that are entry points as well as main.
func (d *Device) compile(source, stage string, entries []string, number int) (string, error) {
	name := filepath.Join(d.dir, fmt.Sprintf("s%d.%s", number, stage))
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		return "", err
	}
	module := name + ".spv"
	args := []string{"-V", "--target-env", "vulkan1.1", "-o", module, name}
	if entries != nil {
		args = append(args, "--keep-uncalled")
	}
	out, err := exec.Command("glslangValidator", args...).CombinedOutput()
	text := strings.TrimSpace(strings.Replace(string(out), name, "", 1))
	if err != nil || text != "" {
		return "", fmt.Errorf("glslangValidator: %v\n%s", err, text)
	}
	if entries != nil {
		data, err := os.ReadFile(module)
		if err != nil {
			return "", err
		}
		if data, err = addEntries(data, entries); err != nil {
			return "", err
		}
		if err := os.WriteFile(module, data, 0o666); err != nil {
			return "", err
		}
	}
	return module, valid(module, true)
}

// CompileES compiles GLSL ES of a stage, such as vert or comp.
func (d *Device) CompileES(source, stage string) error {
	d.files++
	name := filepath.Join(d.dir, fmt.Sprintf("s%d.%s", d.files, stage))
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		return err
	}
	out, err := exec.Command("glslangValidator", name).CombinedOutput()
	text := strings.TrimSpace(strings.Replace(string(out), name, "", 1))
	if err != nil || text != "" {
		return fmt.Errorf("glslangValidator: %v\n%s\n%s", err, text, source)
	}
	return nil
}

// Cross returns what spirv-cross makes of a module: GLSL ES 3.10, or 3.20 for a geometry shader.
func Cross(module string, geometry bool) (string, error) {
	version := "310"
	if geometry {
		version = "320"
	}
	var text, failed bytes.Buffer
	cmd := exec.Command("spirv-cross", "--es", "--version", version, module)
	cmd.Stdout, cmd.Stderr = &text, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("spirv-cross: %w\n%s", err, failed.String())
	}
	return text.String(), nil
}

// addEntries makes functions of a module entry points with the execution modes of main. GLSL cannot have several.
func addEntries(data []byte, names []string) ([]byte, error) {
	m := read(data)
	text := func(w []uint32) string {
		var b []byte
		for _, x := range w {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		b, _, _ = bytes.Cut(b, []byte{0})
		return string(b)
	}
	ids := map[string]uint32{}
	var modes [][]uint32
	m.each(func(op uint32, w []uint32) {
		switch op {
		case debugName:
			ids[text(w[2:])] = w[1]
		case executionMode:
			modes = append(modes, w)
		}
	})
	out := slices.Clone(m[:headWords])
	m.each(func(op uint32, w []uint32) {
		out = append(out, w...)
		for _, f := range names {
			id := ids[f+"("] // as glslang names functions
			if op == entryPoint && text(w[3:]) == "main" {
				words := append(read(append([]byte(f), make([]byte, 4-len(f)%4)...)), w[5:]...)
				out = append(out, instruction(entryPoint, append([]uint32{w[1], id}, words...)...)...)
			}
			if op == executionMode && &w[0] == &modes[len(modes)-1][0] {
				for _, x := range modes {
					out = append(out, instruction(executionMode, append([]uint32{id}, x[2:]...)...)...)
				}
			}
		}
	})
	for _, f := range names {
		if ids[f+"("] == 0 {
			return nil, fmt.Errorf("the module has no function %s", f)
		}
	}
	return out.bytes(), nil
}

// Validate validates a SPIR-V module and returns the name of a file with it.
func (d *Device) Validate(module []byte) (string, error) {
	d.files++
	return d.validate(&Shader{Module: module}, d.files)
}

func (d *Device) validate(s *Shader, number int) (string, error) {
	name := filepath.Join(d.dir, fmt.Sprintf("s%d.spv", number))
	if err := os.WriteFile(name, s.Module, 0o666); err != nil {
		return "", err
	}
	return name, valid(name, !s.Loose)
}

// valid checks that the validator accepts the module in a file, and that its arithmetic is exact if it must be.
func valid(module string, mustBeExact bool) error {
	if out, err := exec.Command("spirv-val", "--target-env", "vulkan1.1", module).CombinedOutput(); err != nil || len(out) > 0 {
		return fmt.Errorf("spirv-val: %v\n%s", err, out)
	}
	if !mustBeExact {
		return nil
	}
	return exact(module)
}

// exact checks that all arithmetic on floats in a module has the decoration NoContraction, without which a device may compute
// with other roundings.
func exact(module string) error {
	data, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	const (
		decorate      = 71
		noContraction = 42
	)
	arithmetic := map[uint32]bool{129: true, 131: true, 133: true, 136: true, 140: true, 141: true, 142: true, 148: true} // OpFAdd to OpDot
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	marked := map[uint32]bool{}
	for i := 5; i < len(data)/4; i += max(1, int(word(i)>>16)) {
		switch op := word(i) & 0xffff; {
		case op == decorate && word(i+2) == noContraction:
			marked[word(i+1)] = true
		case arithmetic[op] && !marked[word(i+2)]:
			return fmt.Errorf("the operation %d with the result %%%d may be contracted", op, word(i+2))
		}
	}
	return nil
}

// ErrSlow is the error of a shader that the driver does not compile and run in the CPU time that the harness allows.
var ErrSlow = errors.New("the driver takes too long")

// slowStatus is SLOW of the harness.
const slowStatus = 3

// unit is a text that is compiled once for several shaders.
type unit struct {
	once    sync.Once
	entries []string
	module  string
	err     error
}

// Run compiles and runs shaders. It sets their Results and Err.
func (d *Device) Run(list []*Shader) {
	units := map[string]*unit{}
	for _, s := range list {
		if s.Source != "" && units[s.Source] == nil {
			units[s.Source] = &unit{}
		}
		if s.Entry != "" && !slices.Contains(units[s.Source].entries, s.Entry) {
			units[s.Source].entries = append(units[s.Source].entries, s.Entry)
		}
	}
	var wait sync.WaitGroup
	work := make(chan int)
	for range 2 {
		wait.Go(func() {
			p := &process{device: d, program: d.program}
			defer p.stop()
			for i := range work {
				list[i].Results, list[i].Err = d.run(p, list[i], units[list[i].Source], d.files+i+1)
			}
		})
	}
	for i := range list {
		work <- i
	}
	close(work)
	wait.Wait()
	d.files += len(list)
}

// run compiles and runs a shader.
func (d *Device) run(p *process, s *Shader, u *unit, number int) ([]byte, error) {
	module, stage, err := "", "comp", error(nil)
	if s.Draw != nil {
		stage = s.Draw.Stage
		p = &process{device: d}
		defer p.stop()
		if p.program, err = d.draws(); err != nil {
			return nil, err
		}
	}
	if u != nil {
		u.once.Do(func() { u.module, u.err = d.compile(s.Source, stage, u.entries, number) })
		module, err = u.module, u.err
	} else {
		module, err = d.validate(s, number)
	}
	if err != nil {
		return nil, err
	}
	base := filepath.Join(d.dir, fmt.Sprint("s", number))
	name := func(kind string, data []byte) (string, error) {
		if len(data) == 0 {
			return "-", nil
		}
		return base + kind, os.WriteFile(base+kind, data, 0o666)
	}
	job := ""
	if s.Draw != nil {
		if job, err = d.job(s, module, base+".out", number); err != nil {
			return nil, err
		}
	} else {
		in, err1 := name(".in", s.Inputs)
		uniforms, err2 := name(".uniforms", s.Uniforms)
		memory, err3 := name(".memory", s.Memory)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		job = fmt.Sprintln(module, cmp.Or(s.Entry, "main"), s.Groups, max(1, s.Rows), in, base+".out", s.Size, uniforms, memory, map[bool]int{false: 1, true: 3}[s.Back], s.Block[0], s.Block[1], s.Block[2])
	}
	if err := p.do(job); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(base + ".out")
	if err == nil && s.Draw != nil {
		return s.drawn(data)
	}
	return data, err
}

// process is a process of the program that runs shaders. It starts with the first of them.
type process struct {
	device  *Device
	program string
	cmd     *exec.Cmd
	jobs    io.WriteCloser
	lines   *bufio.Scanner
}

// do runs a job. A process that fails or takes too long ends, and the next job starts another.
func (p *process) do(job string) error {
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return err
		}
	}
	_, err := io.WriteString(p.jobs, job)
	var said []string
	for err == nil && p.lines.Scan() {
		if p.lines.Text() == "ok" {
			return nil
		}
		said = append(said, p.lines.Text())
	}
	stopped := p.stop()
	var exit *exec.ExitError
	if errors.As(stopped, &exit) && exit.ExitCode() == slowStatus {
		return ErrSlow
	}
	err = errors.Join(err, stopped)
	return fmt.Errorf("the device fails: %v\n%s", err, strings.Join(said, "\n"))
}

// start starts the process.
func (p *process) start() error {
	p.cmd = exec.Command(p.program)
	p.cmd.Env = append(os.Environ(), "LP_NATIVE_VECTOR_WIDTH=128") // its code is compiled faster
	if p.device.Unoptimized {
		p.cmd.Env = append(p.cmd.Env, "GALLIVM_PERF=nopt")
	}
	out, err := p.cmd.StdoutPipe()
	p.cmd.Stderr = p.cmd.Stdout
	if err == nil {
		p.jobs, err = p.cmd.StdinPipe()
	}
	p.lines = bufio.NewScanner(out)
	return errors.Join(err, p.cmd.Start())
}

// stop ends the process.
func (p *process) stop() error {
	if p.cmd == nil {
		return nil
	}
	p.jobs.Close()
	err := p.cmd.Wait()
	p.cmd = nil
	return err
}
