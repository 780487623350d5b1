// Package catalog lists the machines that isago ships.
package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/examples"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
	a2xxlaunch "github.com/isago/isago/target/a2xx/launch"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/target/pica200"
	picalaunch "github.com/isago/isago/target/pica200/launch"
	"github.com/isago/isago/target/tegra"
	tegralaunch "github.com/isago/isago/target/tegra/launch"
	"github.com/isago/isago/target/tesla"
	teslalaunch "github.com/isago/isago/target/tesla/launch"
)

// Machine is a machine that isago ships.
type Machine struct {
	Name  string
	Title string
	// Load compiles the machine's description.
	Load func(isa.Options) (*isa.Set, error)
	// Products returns other names of the machine, without loading the description.
	Products func() ([]isa.Product, error)
	// Suffixed are the suffixes that only source files for the compiler have, such as .pica.
	Suffixed []string
	// Openers are words at the start of a line that only such source has.
	Openers []string
	// Formats are the file formats of the machine's programs.
	Formats []Format
	// NewCompiler returns a compiler from source to a file; nil for a machine without one.
	NewCompiler func() (program.Compiler, error)
	// Syntax is the syntax of instructions in the compiler's source; "" is the default.
	Syntax string
	// Compat are the tools that the compiler can imitate, by name.
	Compat []string
	// Raw is the format of programs without a container; nil if they are one instruction after another.
	Raw *RawFormat
	// Suffixes is set if the compiler reads raw code as dis --lossless prints it. That text is then the source of raw
	// code.
	Suffixes bool
	// Launch opens a program for a run; nil for a machine whose programs cannot run, or run only as words that are
	// one instruction after another.
	Launch func(feed.Request) (feed.Runner, error)
	// Words returns a runner for words without a container; nil if that is a Batch, or if Launch accepts them.
	Words func(*exec.Launch) feed.Runner
	// Demo draws the machine's demo; nil if there is none.
	Demo *feed.Demo
	// Bare is set if Launch also accepts words without a container.
	Bare bool
	// Options are the options of a run that only this machine has.
	Options []feed.Option
	// Outputs are the formats that the compiler writes, by name, the default first; none if it writes only one.
	Outputs []string
}

// The view of the demos: an object, slightly rotated, four units away from the eye.
const (
	demoView = "0.96,0,0.28,0,0.12,0.91,-0.41,-0.08,-0.25,0.42,0.87,-4,0,0,0,1"
	demoEye  = "2.6,0,0,0,0,2.6,0,0,0,0,-1.2,-2.2,0,0,-1,0"
)

// RawFormat is the format of a machine's programs without a container, if they are not simply one instruction after
// another. The sets are the machine's, in any syntax; the contexts are values that the program does not contain.
type RawFormat struct {
	// Orders are the orders of bytes or words that a program may have, by name. An empty order is detected.
	Orders []string
	// Largest is the largest size of a program in bytes. Without an order, larger data is one instruction after
	// another. 0 is no limit.
	Largest int64
	// Mixed is set if a program consists of instructions of several kinds.
	Mixed bool
	// Open reads a program for listing.
	Open func(set *isa.Set, ctx bits.Value, data []byte, order string) (*program.Image, error)
	// Source returns a program as source for the compiler.
	Source func(set *isa.Set, ctx bits.Value, data []byte, order string) ([]byte, error)
}

// Format is a file format.
type Format struct {
	Name string
	// Is reports whether a file has the format, by its content.
	Is func(data []byte) bool
	// Open reads a file. The instruction set is the machine's.
	Open func(set *isa.Set, data []byte) (*program.Image, error)
	// Source returns a file as source for the machine's compiler; nil for a format without one.
	Source func(data []byte) ([]byte, error)
	// SourceIn returns a file as source in the syntax of a set; nil for a format whose source has one syntax.
	SourceIn func(set *isa.Set, data []byte) ([]byte, error)
}

// Machines lists the machines in the order in which isago list prints them.
func Machines() []Machine {
	return []Machine{
		{
			Name: "pica200", Title: "PICA200, vertex and geometry shaders of the Nintendo 3DS", Load: pica200.Load, Products: pica200.Products,
			Formats:     []Format{{Name: "SHBIN", Is: pica200.IsSHBIN, Open: pica200.Open, Source: pica200.SourceOf}},
			NewCompiler: pica200.NewCompiler, Syntax: pica200.Syntax, Compat: []string{pica200.Picasso}, Launch: picalaunch.Open, Options: picalaunch.Options,
			Demo: &feed.Demo{Files: examples.FS, Program: "pica200/light.shbin", Mesh: "knot.obj", Set: []string{
				"modelView=" + demoView, "projection=" + demoEye,
				"lightDirection=0.48,0.64,0.6,0", "lightColor=0.85,0.55,0.3,0", "ambient=0.14,0.1,0.12,1",
			}}, Suffixed: []string{".pica", ".vsh", ".gsh"},
			Openers: []string{".proc", ".fvec", ".constf", ".in", ".out", ".gsh", ".nodvle"},
		},
		{
			Name: "tegra", Title: "vertex processor of NVIDIA Tegra 2, 3 and 4", Load: tegra.Load, Products: tegra.Products,
			Formats:     []Format{{Name: tegra.FormatName, Is: tegra.IsContainer, Open: tegra.Open, Source: tegra.SourceOf}},
			NewCompiler: tegra.NewCompiler, Launch: tegralaunch.Open, Bare: true,
			Demo: &feed.Demo{Files: examples.FS, Program: "tegra/textured.vp", Mesh: "knot.obj", Set: []string{
				"modelView=" + demoView, "projection=" + demoEye,
				"light=0.48,0.64,0.6,0", "diffuse=0.35,0.7,0.55,0", "ambient=0.08,0.12,0.16,1",
			}}, Outputs: tegra.Outputs(),
			Openers: []string{".asm", ".attributes", ".exports", ".uniforms", ".constants", "tegra-vp"},
			Raw:     &RawFormat{Orders: tegra.Orders(), Largest: 64 << 10, Open: tegra.OpenRaw, Source: tegra.SourceOfRaw},
		},
		{
			Name: "a2xx", Title: "Adreno A2XX, vertex and fragment shaders of the first Snapdragons", Load: a2xx.Load, Products: a2xx.Products,
			Formats: []Format{
				{Name: "freedreno capture", Is: a2xx.IsCapture, Open: a2xx.Open},
				{Name: "Xenos shader", Is: a2xx.IsXenosShader, Open: a2xx.OpenXenosShader, SourceIn: a2xx.SourceOfXenosShader},
			},
			Launch: a2xxlaunch.Open, Bare: true, Options: a2xxlaunch.Options, Demo: a2xxlaunch.Demo,
			NewCompiler: a2xx.NewCompiler, Outputs: a2xx.Outputs(), Suffixed: []string{".a2xx"},
			Openers: []string{"@attribute", "@uniform", "@varying", "@const"},
			Raw:     &RawFormat{Orders: a2xx.Orders(), Mixed: true, Open: a2xx.OpenRaw, Source: a2xx.SourceOf},
		},
		{
			Name: "tesla", Title: "NVIDIA Tesla, G80 to GT21x: vertex, geometry, fragment and compute programs", Load: tesla.Load, Products: tesla.Products,
			Formats: []Format{
				{Name: "cubin", Is: tesla.IsCubin, Open: tesla.Open, Source: tesla.SourceOf},
				{Name: "ELF cubin", Is: tesla.IsELF, Open: tesla.OpenELF},
			},
			NewCompiler: tesla.NewCompiler, Suffixed: []string{".cubin.s"}, Openers: []string{"architecture"},
			Suffixes: true, Outputs: tesla.Outputs(), Launch: teslalaunch.Open, Words: teslalaunch.Words, Options: teslalaunch.Options(),
		},
		{Name: "example", Title: "five instructions of an invented machine, the template for a new one", Load: example.Load, Products: example.Products},
	}
}

// Lookup returns the machine with that name, its own or that of a product.
func Lookup(name string) (Machine, error) {
	m, _, err := Find(name)
	return m, err
}

// Find returns the machine with that name, and the product if the name is that of one. Case does not matter.
func Find(name string) (Machine, isa.Product, error) {
	var own, all []string
	for _, m := range Machines() {
		if strings.EqualFold(m.Name, name) {
			return m, isa.Product{}, nil
		}
		own = append(own, m.Name)
	}
	for _, m := range Machines() {
		products, err := m.Products()
		if err != nil {
			return Machine{}, isa.Product{}, err
		}
		for _, p := range products {
			for _, n := range p.Names {
				if strings.EqualFold(n, name) {
					return m, p, nil
				}
			}
			all = append(all, p.Names...)
		}
	}
	all = slices.Concat(own, all)
	if ask := quote.DidYouMean(strings.ToLower(name), all); ask != "" {
		return Machine{}, isa.Product{}, fmt.Errorf("unknown machine %q%s", name, ask)
	}
	return Machine{}, isa.Product{}, fmt.Errorf("unknown machine %q, expected one of %s", name, strings.Join(own, ", "))
}

// RecogniseSource returns the machine whose compiler a source is for, by its suffix or by a word that only such
// source has.
func RecogniseSource(src *diag.Source) (m Machine, ok bool) {
	m, ok, _ = RecogniseText(program.NewText(src)) // which is in memory
	return m, ok
}

// RecogniseText is RecogniseSource for a source that may not be in memory.
func RecogniseText(src *program.Text) (m Machine, ok bool, err error) {
	name := strings.ToLower(src.Name())
	openers := map[string]Machine{}
	var first [256]bool // bytes of them
	for _, m := range Machines() {
		for _, s := range m.Suffixed {
			if strings.HasSuffix(name, s) {
				return m, true, nil
			}
		}
		for _, word := range m.Openers {
			openers[word], first[word[0]] = m, true
		}
	}
	ends := func(r rune) bool { return unicode.IsSpace(r) || r == '(' }
	err = src.Lines(func(line string) bool {
		line = strings.TrimLeftFunc(line, ends)
		if line == "" || !first[line[0]] {
			return true
		}
		if n := strings.IndexFunc(line, ends); n >= 0 {
			line = line[:n]
		}
		m, ok = openers[line]
		return !ok
	})
	return m, ok, err
}

// Recognise returns the machine and the format of a file, by its content; ok is false for a file of no known format.
func Recognise(data []byte) (m Machine, f Format, ok bool) {
	for _, m := range Machines() {
		for _, f := range m.Formats {
			if f.Is(data) {
				return m, f, true
			}
		}
	}
	return Machine{}, Format{}, false
}

// Open opens a program file of any machine, to run the program. The content of the file determines the machine. Open loads
// the machine's description unless req.Set has it.
func Open(req feed.Request) (feed.Runner, error) {
	m, _, ok := Recognise(req.Data)
	switch {
	case !ok:
		return nil, errors.New("expected a program file of a known machine")
	case m.Launch == nil:
		return nil, fmt.Errorf("programs of %s cannot be run", m.Title)
	}
	return m.Launch(req)
}
