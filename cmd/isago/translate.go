package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/translate"
	"github.com/isago/isago/view"
)

type translateFlags struct {
	machineFlags
	jobsFlag
	rangeFlags
	outputFlag
	to, shape, uniforms, demand, scheme, entry string
	locations, quirks, dimensions, counts      []string
	options                                    translate.Options
	machineOptions                             machineOptions
	noComments, json                           bool
}

func newTranslate() *cobra.Command {
	var f translateFlags
	cmd := &cobra.Command{
		Use:     "translate [flags] FILE[:PROGRAM]...",
		GroupID: "code",
		Short:   "Translate programs to text for GPUs",
		Long: `translate converts programs to shaders for GPUs. The text computes the same bits as "isago run", except where
its header says otherwise. It has the names in the file, and comments with the instructions, or with the
lines of the source if FILE is source.

translate recognises the format of FILE by its content; raw code needs --isa or --spec. FILE:PROGRAM selects
one program of a file. Without a FILE, translate reads standard input.

Languages:
  glsl      GLSL 4.50 for Vulkan
  glsl-es   GLSL ES 3.10; 3.20 for geometry shaders
  spirv     a SPIR-V module for Vulkan 1.1
  wgsl      WGSL for WebGPU
  hlsl      HLSL, which the program spirv-cross makes of the SPIR-V module; its bits were not compared

Shapes:
  function  a function whose parameters are the inputs and outputs, for an emulator's own shader
  vertex    a vertex shader: textures are samplers, memories are storage buffers
  fragment  a fragment shader, likewise
  geometry  a geometry shader, likewise
  compute   a compute shader, for kernels only

Without --shape, a kernel becomes a compute shader. Another program becomes a function, or a shader of its
stage with --to spirv or hlsl. Without --block, the size of a workgroup is the specialization constants 0, 1
and 2, which glsl-es lacks.

--json prints a map: for each program the uniforms, inputs and outputs with their names, registers, offsets
and locations, and what the text needs. If no -o is given, the map also contains the texts.

Several programs need -o DIR/ or --json. With -o DIR/, translate writes each text into its own file, and the
map into manifest.json. It writes a temporary folder and renames it to DIR when it is complete. It replaces an
existing DIR only if isago translate wrote that.

translate refuses a program that the text cannot express, with the place and the reason, and continues with
the next program. docs/translate.md describes the texts and how to embed them.

Exit status: 0; 1 if translate cannot read or write; 2 for a mistake on the command line; 3 if a program was
refused; 130 if translate was interrupted.`,
		Example: `  isago translate light.shbin
  isago translate --shape vertex --set 1 -o light.vert light.shbin
  isago translate --interface registers --json -o shaders/ game/
  isago translate --block 128 --params "a:ptr b:ptr c:ptr n:s32" vecadd.cubin`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := orStandardInput(cmd, args, noFile)
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			list, err := f.programFiles(cmd, args, false)
			if err != nil {
				return err
			}
			return f.run(cmd, list, len(list) > 1 || isFolder(args[0]))
		},
	}
	f.machineFlags.add(cmd)
	f.jobsFlag.add(cmd)
	f.rangeFlags.add(cmd)
	f.outputFlag.add(cmd, "`FILE` to write, or DIR/ for one file per program and manifest.json; - is standard output")
	flags := cmd.Flags()
	choice := func(to *string, name, usage string, values []string) {
		flags.StringVar(to, name, values[0], usage+": "+strings.Join(values, ", "))
		complete(cmd, name, fixed(values...))
	}
	choice(&f.to, "to", "`LANGUAGE` of the text", namesOfAll(translate.Languages()))
	flags.StringVar(&f.shape, "shape", "", "`SHAPE` of the text: "+strings.Join(namesOfAll(translate.Shapes()), ", ")+" (default: compute for a kernel, the stage of the program with --to spirv or hlsl, else function)")
	complete(cmd, "shape", fixed(namesOfAll(translate.Shapes())...))
	choice(&f.uniforms, "uniforms", "`FORM` of the uniforms; plain is for OpenGL", namesOfAll(translate.UniformForms()))
	choice(&f.demand, "demand", "`WHAT` the text demands of the device for floats: nearest rounding with signed zeros, infinities and NaN, also denormals, or nothing", namesOfAll(translate.Demands()))
	choice(&f.scheme, "interface", "`SCHEME` of names and places: the names in the file, or registers, the same for all programs of a machine", []string{"names", "registers"})
	o := &f.options
	flags.StringVar(&o.Name, "name", "", "`NAME` of the function (default: from the name of the file)")
	flags.Var(amount[int]{&o.Set, 0}, "set", "`NUMBER` of the descriptor set of the uniform block")
	flags.Var(amount[int]{&o.Binding, 0}, "binding", "`NUMBER` of the binding of the uniform block")
	flags.StringArrayVar(&f.locations, "location", nil, "location of an input or output, as `NAME=NUMBER`; repeatable")
	flags.StringArrayVar(&f.counts, "outputs", nil, "number of values of an output of the machine, as `NAME=COUNT`, such as colour=2 or depth=1; repeatable")
	flags.StringVar(&o.Position, "position", "", "`NAME` of the output that becomes gl_Position (default: the first that contains pos, or the first)")
	flags.StringArrayVar(&f.dimensions, "dimension", nil, "dimension of a texture that the program does not state, as `NUMBER=DIM`: "+strings.Join(translate.Dimensions(), ", ")+"; repeatable")
	flags.Var(amount[int]{&o.Vertices, 1}, "vertices", "`NUMBER` of vertices of a primitive that a geometry shader gets: 1, 2, 3, or 4 or 6 with adjacency (default: in the file)")
	flags.Var(amount[int]{&o.Attributes, 1}, "attributes", "`NUMBER` of registers that a geometry shader gets for each vertex (default: in the file)")
	flags.Var(amount[int]{&o.MaxVertices, 1}, "max-vertices", "`NUMBER` of vertices that a geometry shader can emit (default: those of a program without loops, or what every device allows)")
	flags.StringVar(&f.entry, "entry", "", "start at `PLACE`, a label or an address as isago dis prints it, such as 0x20")
	flags.StringArrayVar(&f.quirks, "quirk", nil, "choose the value of a quirk, as `NAME=VALUE`")
	flags.BoolVar(&o.Approximate, "approximate", false, "use the faster computations of the device where exact ones cost; the header of the text lists them")
	flags.BoolVar(&f.noComments, "no-comments", false, "leave out the comments with instructions")
	flags.BoolVar(&f.json, "json", false, "print the map of names, registers and places as JSON")
	f.addOrder(cmd)
	f.addTables(cmd)
	f.machineOptions.add(cmd, func(o feed.Option) bool { return o.Translates })
	complete(cmd, "quirk", func() []string { return quirkPairs(f.loaded()) })
	return cmd
}

// namesOfAll returns the names of values.
func namesOfAll[T fmt.Stringer](list []T) (names []string) {
	for _, x := range list {
		names = append(names, x.String())
	}
	return names
}

// chosen returns the value of a flag among the values that it can have.
func chosen[T fmt.Stringer](flag, name string, all []T) (x T, err error) {
	i := slices.IndexFunc(all, func(x T) bool { return x.String() == name })
	if i < 0 {
		return x, usagef("unknown --%s %q, expected one of %s", flag, name, strings.Join(namesOfAll(all), ", "))
	}
	return all[i], nil
}

// check returns an error for an invalid combination of flags, and sets the options of the translation.
func (f *translateFlags) check() (err error) {
	o := &f.options
	if o.Language, err = chosen("to", f.to, translate.Languages()); err != nil {
		return err
	}
	if f.shape != "" {
		if o.Shape, err = chosen("shape", f.shape, translate.Shapes()); err != nil {
			return err
		}
		if o.Shape == translate.Function && needsStage(o.Language) {
			return usagef("--to %s needs another --shape, because Vulkan links no modules", f.to)
		}
	}
	if o.Uniforms, err = chosen("uniforms", f.uniforms, translate.UniformForms()); err != nil {
		return err
	}
	if o.Demand, err = chosen("demand", f.demand, translate.Demands()); err != nil {
		return err
	}
	switch f.scheme {
	case "names":
	case "registers":
		o.Registers = true
	default:
		return usagef("unknown --interface %q, expected names or registers", f.scheme)
	}
	o.Locations = map[string]int{}
	for _, x := range f.locations {
		name, number, _ := strings.Cut(x, "=")
		n, err := strconv.ParseUint(number, 0, 31)
		if err != nil || name == "" {
			return usagef("--location %q, expected NAME=NUMBER", x)
		}
		o.Locations[name] = int(n)
	}
	o.Outputs = map[string]int{}
	for _, x := range f.counts {
		name, count, _ := strings.Cut(x, "=")
		n, err := strconv.ParseUint(count, 0, 31)
		if err != nil || name == "" {
			return usagef("--outputs %q, expected NAME=COUNT", x)
		}
		o.Outputs[name] = int(n)
	}
	for _, name := range []string{"set", "binding"} {
		if o.Uniforms != translate.Block && f.cmd.Flags().Changed(name) {
			return usagef("--%s cannot be combined with --uniforms %s, which has no block with a binding", name, f.uniforms)
		}
	}
	if o.Position != "" && o.Shape != translate.Vertex {
		return usagef("--position needs --shape vertex")
	}
	for _, name := range []string{"vertices", "attributes", "max-vertices"} {
		if o.Shape != translate.Geometry && f.cmd.Flags().Changed(name) {
			return usagef("--%s needs --shape geometry", name)
		}
	}
	if len(f.dimensions) > 0 && (o.Shape == translate.Function || o.Shape == translate.Compute) {
		return usagef("--dimension needs --shape vertex, fragment or geometry")
	}
	o.Dimensions = map[int]string{}
	for _, x := range f.dimensions {
		number, dimension, _ := strings.Cut(x, "=")
		n, err := strconv.ParseUint(number, 0, 31)
		if err != nil || !slices.Contains(translate.Dimensions(), dimension) {
			return usagef("--dimension %q, expected NUMBER=DIM, where DIM is one of %s", x, strings.Join(translate.Dimensions(), ", "))
		}
		o.Dimensions[int(n)] = dimension
	}
	if err := o.Language.Missing(); err != nil {
		return fmt.Errorf("--to %w", err)
	}
	return f.checkRaw()
}

// needsStage reports whether a language has no functions that another shader includes.
func needsStage(l translate.Language) bool { return l == translate.SPIRV || l == translate.HLSL }

// manifestName is the name of the map in a folder of translations. translate recognises such a folder by it.
const manifestName = "manifest.json"

// translations is the map that --json prints.
type translations struct {
	Format   int            `json:"format"`
	Language string         `json:"language"`
	Uniforms string         `json:"uniforms"`
	Set      *int           `json:"set,omitempty"`
	Binding  *int           `json:"binding,omitempty"`
	Programs []*translation `json:"programs"`
}

// translation is a program of the map.
type translation struct {
	File    string `json:"file"`
	Program string `json:"program,omitempty"`
	Machine string `json:"machine,omitempty"`
	Shape   string `json:"shape,omitempty"`
	// Entry is the address of the first instruction, in bytes.
	Entry  *int64 `json:"entry,omitempty"`
	Output string `json:"output,omitempty"`
	*translatedText
	Refused *refusal `json:"refused,omitempty"`
}

type translatedText struct {
	Function string `json:"function"`
	// UniformSize is the number of bytes of the uniforms.
	UniformSize int               `json:"uniform_size"`
	Uniforms    []uniformBinding  `json:"uniforms"`
	Inputs      []locationBinding `json:"inputs"`
	Outputs     []locationBinding `json:"outputs"`
	Textures    []textureBinding  `json:"textures,omitempty"`
	Buffers     []bufferBinding   `json:"buffers,omitempty"`
	// Block is the size of a workgroup, if it is not that of specialization constants.
	Block       *[3]int  `json:"block,omitempty"`
	MaxVertices int      `json:"max_vertices,omitempty"`
	Shared      []string `json:"shared,omitempty"`
	Doubles     bool     `json:"doubles,omitempty"`
	Integers64  bool     `json:"integers64,omitempty"`
	Stops       bool     `json:"stops,omitempty"`
	Lines       int      `json:"lines"`
	Words       int      `json:"instructions"`
	Text        string   `json:"text,omitempty"`
	Module      []byte   `json:"module,omitempty"`
}

// registerBinding is a variable for registers.
type registerBinding struct {
	Name       string `json:"name"`
	State      string `json:"state"`
	Number     int    `json:"number"`
	Count      int    `json:"count"`
	Component  int    `json:"component,omitempty"`
	Components int    `json:"components"`
	Type       string `json:"type"`
}

type uniformBinding struct {
	registerBinding
	Offset int `json:"offset"`
}

type locationBinding struct {
	registerBinding
	// Location is nil for a value of the pipeline.
	Location *int   `json:"location,omitempty"`
	Builtin  string `json:"builtin,omitempty"`
	// Interpolation is that of an input that the program interpolates itself.
	Interpolation translate.Interpolation `json:"interpolation,omitempty"`
	Centroid      bool                    `json:"centroid,omitempty"`
	// Written are the components that the program writes, as letters.
	Written string `json:"written,omitempty"`
}

type textureBinding struct {
	Name      string `json:"name"`
	Number    int    `json:"number"`
	Dimension string `json:"dimension"`
	Set       int    `json:"set"`
	Binding   int    `json:"binding"`
	Sampler   int    `json:"sampler,omitempty"`
	// SamplerBinding is the binding of the sampler in WGSL.
	SamplerBinding int `json:"sampler_binding"`
}

type bufferBinding struct {
	Name     string   `json:"name"`
	States   []string `json:"states,omitempty"`
	Set      *int     `json:"set,omitempty"`
	Binding  *int     `json:"binding,omitempty"`
	Uniform  bool     `json:"uniform,omitempty"`
	Size     int      `json:"size,omitempty"`
	ReadOnly bool     `json:"read_only,omitempty"`
	// Parameters are those of a kernel, as far as they are known.
	Parameters []parameterBinding `json:"parameters,omitempty"`
}

type parameterBinding struct {
	Name   string `json:"name,omitempty"`
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
}

// refusal is the reason why a program has no text.
type refusal struct {
	Code    diag.Code `json:"code"`
	Reason  string    `json:"reason"`
	Address *int64    `json:"address,omitempty"`
}

// job is a program that waits for its translation, or a file that cannot be read.
type translateJob struct {
	record  *translation
	under   string // the path of the text in the folder, without the extension
	program *launched
	// kernel is set for the shape Compute, and isKernel for any shape.
	kernel   *translate.Kernel
	isKernel bool
	set      *isa.Set
	options  translate.Options
	err      error
}

// translated is the result of a job.
type translated struct {
	record *translation
	name   string // the path of the text in the folder
	text   []byte
	err    error
}

// run translates files. several is set if the command line names several files or a folder.
func (f *translateFlags) run(cmd *cobra.Command, list []input, several bool) error {
	toFolder := f.output != "-" && (several || inFolder(f.output))
	switch {
	case several && f.options.Name != "":
		return usagef("--name cannot be combined with several files")
	case several && f.entry != "":
		return usagef("--entry cannot be combined with several files")
	case several && !toFolder && !f.json:
		return usagef("several files need -o DIR/ or --json")
	}
	if f.given() {
		if _, err := f.load(nil); err != nil { // a mistake on the command line is reported once
			return err
		}
	}
	var dir *folder
	if toFolder {
		var err error
		if dir, err = createFolder(cmd, f.output, manifestName, "translate"); err != nil {
			return err
		}
		defer dir.drop()
	}
	all := translations{Format: 1, Language: f.to, Uniforms: f.uniforms}
	if f.options.Uniforms == translate.Block {
		all.Set, all.Binding = &f.options.Set, &f.options.Binding
	}
	progress := progressOf(cmd)
	if len(list) == 1 {
		progress.start("%s: translating", inputName(list[0].name))
	} else {
		progress.start("translating")
	}
	defer progress.end()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var worst error
	var texts [][]byte
	names := map[string]bool{}
	start := func() (func(translateJob) translated, error) {
		return func(j translateJob) translated { return j.run(ctx) }, nil
	}
	err := inorder.Run(f.jobs, f.programs(cmd, list, toFolder || f.json, several), start, func(r translated, _ bool) error {
		progress.report("%s: translating", inputName(r.record.File))
		var refused *diag.Error
		switch {
		case r.err == nil:
		case errors.Is(r.err, context.Canceled), errors.As(r.err, new(*usageError)), r.record.Refused == nil && !several:
			return r.err
		case errors.As(r.err, &refused) && refused.Code == diag.NotTranslated:
			printError(cmd, r.err)
			worst = cmp.Or(worst, errFindings)
		default:
			printError(cmd, r.err)
			worst = errFailed
		}
		all.Programs = append(all.Programs, r.record)
		switch {
		case r.err != nil:
		case dir != nil:
			name := uniqueName(names, r.name)
			r.record.Output = filepath.ToSlash(name)
			return dir.write(name, r.text)
		case f.output == "-" && f.json:
			if f.options.Language == translate.SPIRV {
				r.record.Module = r.text
			} else {
				r.record.Text = string(r.text)
			}
		default:
			texts = append(texts, r.text)
		}
		return nil
	})
	if err == nil {
		err = f.checkNames(all.Programs)
	}
	if err != nil {
		return err
	}
	progress.end()
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if dir != nil {
		if err := dir.write(manifestName, data); err != nil {
			return err
		}
		if err := dir.done(); err != nil {
			return err
		}
	}
	for _, text := range texts {
		if err := writeFile(cmd, f.output, text); err != nil {
			return err
		}
	}
	switch {
	case f.json:
		_, err = cmd.OutOrStdout().Write(data)
	case dir != nil:
		n := 0
		for _, r := range all.Programs {
			if r.Refused != nil {
				n++
			}
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d texts, %d programs refused (%s)\n", f.output, len(all.Programs)-n, n, filepath.Join(f.output, manifestName))
	}
	return cmp.Or(err, worst)
}

// uniqueName returns a name of a file that no other text of the folder has.
func uniqueName(taken map[string]bool, path string) string {
	name, extension := path, filepath.Ext(path)
	for i := 2; taken[strings.ToLower(name)]; i++ {
		name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, extension), i, extension)
	}
	taken[strings.ToLower(name)] = true
	return name
}

// checkNames returns an error for a --location of a name, or a --dimension of a texture, that no program has.
func (f *translateFlags) checkNames(list []*translation) error {
	names, textures := map[string]bool{}, map[int]bool{}
	for _, r := range list {
		if r.translatedText == nil {
			return nil
		}
		for _, b := range slices.Concat(r.Inputs, r.Outputs) {
			names[b.Name] = true
		}
		for _, x := range r.Textures {
			textures[x.Number] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.options.Locations)) {
		if !names[name] {
			return usagef("--location %s=%d: no input or output has the name %[1]s", name, f.options.Locations[name])
		}
	}
	for _, n := range slices.Sorted(maps.Keys(f.options.Dimensions)) {
		if !textures[n] {
			return usagef("--dimension %d=%s: no program has the texture %[1]d", n, f.options.Dimensions[n])
		}
	}
	return nil
}

// programs opens files, and returns the programs in them.
func (f *translateFlags) programs(cmd *cobra.Command, list []input, many, several bool) iter.Seq[translateJob] {
	return func(yield func(translateJob) bool) {
		for _, in := range list {
			own := *f // each file selects its own machine
			jobs, err := own.open(cmd, in, many, several)
			if err == nil {
				err = cmd.Context().Err()
			}
			if err != nil {
				jobs = []translateJob{{record: &translation{File: inputName(in.name), Refused: refusalOf(err)}, err: err}}
			}
			for _, j := range jobs {
				if !yield(j) {
					return
				}
			}
		}
	}
}

// refusalOf returns the entry of the map for an error.
func refusalOf(err error) *refusal {
	r := refusal{Code: diag.FileFormat, Reason: err.Error()}
	var e *diag.Error
	if errors.As(err, &e) {
		r.Code, r.Reason = e.Code, e.Msg
	}
	return &r
}

// open opens the programs of a file. many is set if it may have several programs, and several if there are several files.
func (f *translateFlags) open(cmd *cobra.Command, in input, many, several bool) (jobs []translateJob, err error) {
	name, err := f.pick(in.name)
	if err == nil {
		err = noWords(name)
	}
	if err != nil {
		return nil, err
	}
	member := f.member
	f.member = ""
	given, err := pairs("quirk", f.quirks)
	if err != nil {
		return nil, err
	}
	file, err := f.openPart(cmd, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p, err := f.readProgram(name, file)
	if err != nil {
		return nil, err
	}
	for q, value := range p.im.Quirks {
		given[q] = cmp.Or(given[q], value)
	}
	options, err := f.optionsFor(cmd, &p, several)
	if err != nil {
		return nil, err
	}
	programs, err := f.launches(p.set, p.im, p.data, f.withQuirks(p.set, given), options)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range programs {
		names = append(names, programs[i].name)
	}
	if member != "" {
		i := slices.Index(names, member)
		if n, err := strconv.Atoi(member); i < 0 && err == nil && n < len(programs) {
			i = n
		}
		if i < 0 {
			return nil, usagef("%s: unknown program %s, expected one of %s", inputName(name), member, strings.Join(names, ", "))
		}
		programs = programs[i : i+1]
	}
	switch {
	case len(programs) == 1:
	case !many:
		return nil, usagef("%s has %d programs; %s:NAME selects one of %s, and -o DIR/ or --json translates all", inputName(name), len(programs), name, strings.Join(names, ", "))
	case f.options.Name != "":
		return nil, usagef("--name cannot be combined with %s, which has %d programs", inputName(name), len(programs))
	case f.entry != "":
		return nil, usagef("--entry cannot be combined with %s, which has %d programs", inputName(name), len(programs))
	}
	if f.entry != "" {
		if err := f.enter(name, &p, &programs[0]); err != nil {
			return nil, err
		}
	}
	var inner map[int64][]innerText
	if !f.noComments {
		if inner, err = f.innerTexts(&p); err != nil {
			return nil, err
		}
	}
	for i := range programs {
		j := translateJob{program: &programs[i], set: p.set, options: f.options, under: in.under}
		if err := f.choose(&j, several); err != nil {
			return nil, err
		}
		l := j.program.launch
		entry := int64(l.Program.Machine.Address(l.Entry))
		j.record = &translation{File: inputName(name), Program: j.program.name, Machine: p.set.Name(), Shape: j.options.Shape.String(), Entry: &entry}
		if len(programs) > 1 {
			j.under += "." + fileNameOf(cmp.Or(j.program.name, strconv.Itoa(i)))
		}
		if j.options.Name == "" {
			j.options.Name = strings.TrimSuffix(filepath.Base(in.under), filepath.Ext(in.under))
			if j.program.name != "" {
				j.options.Name += "_" + j.program.name
			}
		}
		if !f.noComments {
			if j.options.Comment, err = f.comments(&p, j.program, inner); err != nil {
				return nil, err
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// optionsFor returns the options of the machine of a program. Programs of other machines do not have them: if there are several
// files, the options are only for those that do.
func (f *translateFlags) optionsFor(cmd *cobra.Command, p *imageFile, several bool) (map[string][]string, error) {
	m, _, container := f.recognise(p.data)
	known, what := m.Options, "programs for "+p.set.Name()
	if !container {
		what = "raw code"
	}
	if several {
		known = nil
		for _, m := range catalog.Machines() {
			known = append(known, m.Options...)
		}
	}
	options, err := f.machineOptions.given(cmd, what, known)
	maps.DeleteFunc(options, func(name string, _ []string) bool { return !hasOption(m.Options, name) })
	return options, err
}

// choose chooses the shape of a program, and opens a kernel that becomes a compute shader.
func (f *translateFlags) choose(j *translateJob, several bool) (err error) {
	p := j.program
	kernel, is := p.runner.(interface {
		Kernel() (*translate.Kernel, error)
	})
	j.isKernel = is
	if f.shape == "" {
		j.options.Shape = translate.Function
		switch {
		case is:
			j.options.Shape = translate.Compute
		case needsStage(f.options.Language):
			j.options.Shape = translate.ShapeOf(p.launch)
		}
	}
	if is && j.options.Shape == translate.Compute && p.err == nil {
		if j.kernel, p.err = kernel.Kernel(); p.err == nil {
			j.kernel.Entry = p.launch.Entry
		}
	}
	if !several && p.err != nil {
		return misuse(nil, p.err)
	}
	return nil
}

// fileNameOf replaces the characters of the name of a program that the name of a file should not have.
func fileNameOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}

// enter makes a program start at --entry.
func (f *translateFlags) enter(name string, p *imageFile, x *launched) error {
	l, err := f.listingOf(p.set, p.im)
	if err != nil {
		return err
	}
	found, err := l.Find(x.name, f.entry, 0)
	if err != nil {
		return usagef("--entry %s: %s: %v; isago dis --addresses lists labels and addresses", f.entry, inputName(name), err)
	}
	x.launch.Entry = uint64(found.Addr-x.start) / uint64(x.launch.Program.Machine.Unit)
	return nil
}

// comments returns the function that returns the comment for an instruction: the lines of the source, or the disassembly. inner
// holds the instructions that another one runs, by its place in bits.
func (f *translateFlags) comments(p *imageFile, x *launched, inner map[int64][]innerText) (func(addr uint64) string, error) {
	text, err := f.instructionText(p.set, x.launch.Program)
	if err != nil {
		return nil, err
	}
	lines := map[int64]string{}
	if p.source != nil {
		for _, at := range p.source.Places {
			line, _ := at.Span.LineCol()
			lines[at.Addr] = fmt.Sprintf("line %d  %s", line, strings.Join(strings.Fields(at.Span.Src.Text[at.Span.Off:at.Span.End]), " "))
		}
	}
	return func(addr uint64) string {
		at := x.start + int64(addr)*int64(x.launch.Program.Machine.Unit)
		all := cmp.Or(lines[at], text(addr))
		for _, in := range inner[at] {
			all += "\n" + cmp.Or(lines[in.addr], fmt.Sprintf("0x%04x  %s", (in.addr-x.start)/8, in.text))
		}
		return all
	}, nil
}

// innerText is an instruction that another one runs.
type innerText struct {
	addr int64 // in bits
	text string
}

// innerTexts returns the instructions that others run, such as those of a clause, by the places of the others.
func (f *translateFlags) innerTexts(p *imageFile) (map[int64][]innerText, error) {
	if p.im.Pieces == nil {
		return nil, nil
	}
	m, err := exec.Open(p.set)
	if err != nil {
		return nil, err
	}
	outer, err := m.Root("")
	if err != nil {
		return nil, err
	}
	l, err := f.listingOf(p.set, p.im)
	if err != nil {
		return nil, err
	}
	list := map[int64][]innerText{}
	last := int64(-1)
	l.Each(func(x view.Decoded) bool {
		switch {
		case x.Decoder.Root() == outer:
			last = x.Addr
		case x.Known && last >= 0:
			list[last] = append(list[last], innerText{x.Addr, strings.Join(strings.Fields(string(x.Decoder.Append(nil, x.Inst))), " ")})
		}
		return true
	})
	return list, nil
}

// run translates the program.
func (j *translateJob) run(ctx context.Context) translated {
	r := translated{record: j.record, name: j.under + j.options.Extension(), err: j.err}
	if j.program == nil {
		return r
	}
	prefix := j.program.prefix(j.record.File)
	refuse := func(reason string, address *int64) translated {
		r.record.Refused = &refusal{diag.NotTranslated, reason, address}
		r.err = diag.Errorf(diag.NotTranslated, diag.Span{}, "%scannot be translated: %s", prefix, reason)
		return r
	}
	if err := j.program.err; errors.As(err, new(*exec.OptionError)) {
		return refuse(err.Error(), nil)
	} else if err != nil { // the launch has a mistake, such as a damaged declaration
		r.record.Refused = refusalOf(err)
		r.err = fmt.Errorf("%s%w", prefix, err)
		return r
	}
	text, err := j.translate(ctx)
	var no *translate.Refusal
	switch {
	case errors.As(err, &no) && no.Addr != translate.NoAddr:
		at := int64(j.program.launch.Program.Machine.Address(no.Addr))
		prefix += fmt.Sprintf("0x%x: ", at)
		return refuse(no.Reason, &at)
	case errors.As(err, &no):
		return refuse(no.Reason, nil)
	case err != nil:
		r.err = err
		return r
	}
	r.text = text.Bytes()
	r.record.translatedText = mapOf(text, j.options)
	if j.kernel != nil && j.kernel.Block != [3]int{} {
		r.record.Block = &j.kernel.Block
	}
	r.record.Function = text.Name
	return r
}

// translate translates the program.
func (j *translateJob) translate(ctx context.Context) (*translate.Text, error) {
	if j.kernel != nil {
		return j.kernel.Translate(ctx, j.options)
	}
	if j.isKernel && j.options.Shape != translate.Function {
		return nil, &translate.Refusal{Addr: translate.NoAddr, Reason: "a kernel, which becomes a compute shader or a function"}
	}
	return translate.Translate(ctx, j.program.launch, j.options)
}

// mapOf returns the map of a text.
func mapOf(text *translate.Text, o translate.Options) *translatedText {
	t := &translatedText{
		Uniforms: []uniformBinding{}, Inputs: []locationBinding{}, Outputs: []locationBinding{}, Shared: text.Shared,
		Doubles: text.Doubles, Integers64: text.Integers64, Stops: text.Stops, Lines: text.Lines, Words: text.Words, MaxVertices: text.MaxVertices,
	}
	registers := func(b translate.Binding) registerBinding {
		return registerBinding{b.Name, b.State, b.First, b.Count, b.Comp, b.Components, b.Type}
	}
	located := func(b translate.Binding, written string) locationBinding {
		x := locationBinding{registerBinding: registers(b), Builtin: b.Builtin, Interpolation: b.Interpolation, Centroid: b.Centroid, Written: written}
		if b.Builtin == "" {
			x.Location = &b.Location
		}
		return x
	}
	for _, b := range text.Uniforms {
		t.UniformSize = max(t.UniformSize, b.Offset+16*b.Count)
		t.Uniforms = append(t.Uniforms, uniformBinding{registers(b), b.Offset})
	}
	for _, b := range text.Inputs {
		t.Inputs = append(t.Inputs, located(b, ""))
	}
	for _, x := range text.Textures {
		t.Textures = append(t.Textures, textureBinding{x.Name, x.Number, x.Dimension, x.Set, x.Binding, x.Sampler, x.SamplerBinding})
	}
	for _, x := range text.Buffers {
		b := bufferBinding{Name: x.Name, States: x.States, Uniform: x.Uniform, Size: x.Size, ReadOnly: x.ReadOnly}
		if !x.Uniform || o.Uniforms == translate.Block {
			b.Set, b.Binding = &x.Set, &x.Binding
		}
		for _, p := range x.Parameters {
			b.Parameters = append(b.Parameters, parameterBinding(p))
		}
		t.Buffers = append(t.Buffers, b)
	}
	for _, b := range text.Outputs {
		var written bytes.Buffer
		for k := range b.Components {
			if b.Mask>>uint(k)&1 != 0 {
				written.WriteByte("xyzw"[k])
			}
		}
		t.Outputs = append(t.Outputs, located(b, written.String()))
	}
	return t
}
