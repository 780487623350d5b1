package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// machineFlags choose an instruction set and how it is read.
type machineFlags struct {
	isa, spec, root, syntax string
	gen                     uint32
	contexts                []string
	color                   string
}

func (f *machineFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.isa, "isa", "", "machine, as isago list names it")
	flags.StringVar(&f.spec, "spec", "", "description to read instead of a machine that isago ships")
	flags.StringVar(&f.root, "root", "", "bitset whose words are read (default: that of instructions)")
	flags.StringVar(&f.syntax, "syntax", "", "spelling (default: the plain one)")
	flags.Uint32Var(&f.gen, "gen", 0, "generation of the machine (gpu_id), where the description has several")
	flags.StringArrayVar(&f.contexts, "context", nil, "NAME=VALUE: what the word does not say; also --NAME VALUE")
	flags.StringVar(&f.color, "color", "auto", "auto, always or never")
	_ = cmd.RegisterFlagCompletionFunc("isa", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, m := range catalog.Machines() {
			names = append(names, m.Name+"\t"+m.Title)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
}

// given tells whether an instruction set was named.
func (f *machineFlags) given() bool { return f.isa != "" || f.spec != "" }

// load compiles the instruction set that was named, or that of m where none was.
func (f *machineFlags) load(m *catalog.Machine) (*isa.Set, error) {
	opt := isa.Options{Gen: f.gen, Syntax: f.syntax}
	switch {
	case f.isa != "" && f.spec != "":
		return nil, usagef("--isa and --spec exclude each other")
	case f.spec != "":
		return isa.Load(os.DirFS(filepath.Dir(f.spec)), filepath.Base(f.spec), opt)
	case f.isa != "":
		named, err := catalog.Lookup(f.isa)
		if err != nil {
			return nil, &usageError{err}
		}
		return named.Load(opt)
	case m != nil:
		return m.Load(opt)
	}
	return nil, usagef("which machine? name one with --isa NAME (isago list shows them) or --spec FILE")
}

// context evaluates --context.
func (f *machineFlags) context(set *isa.Set) (bits.Value, error) {
	ctx := set.DefaultContext()
	for _, c := range f.contexts {
		name, value, ok := strings.Cut(c, "=")
		if !ok {
			return ctx, usagef("--context %q, expected NAME=VALUE", c)
		}
		var err error
		if ctx, err = set.ParseContext(ctx, name, value); err != nil {
			return ctx, usagef("--%s: %v; the contexts of %s are: %s", name, err, setName(set), contextNames(set))
		}
	}
	return ctx, nil
}

func setName(set *isa.Set) string {
	if n := set.Name(); n != "" {
		return n
	}
	return "the description"
}

func contextNames(set *isa.Set) string {
	var names []string
	for _, c := range set.Contexts() {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// decoder returns a decoder for the flags.
func (f *machineFlags) decoder(set *isa.Set) (*isa.Decoder, error) {
	d, err := set.NewDecoder(f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, err
	}
	d.SetContext(ctx)
	return d, nil
}

// parser returns a parser for the flags.
func (f *machineFlags) parser(set *isa.Set) (*asm.Parser, error) {
	p, err := asm.New(set, f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, err
	}
	p.SetContext(ctx)
	return p, nil
}

// palette decides about colour: where --color leaves it open, on a terminal that does not say
// NO_COLOR.
func (f *machineFlags) palette(w io.Writer) (view.Palette, error) {
	switch f.color {
	case "always":
		return view.Colours, nil
	case "never":
		return view.Palette{}, nil
	case "auto":
	default:
		return view.Palette{}, usagef("--color %q, expected auto, always or never", f.color)
	}
	file, ok := w.(*os.File)
	if ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd())) {
		return view.Colours, nil
	}
	return view.Palette{}, nil
}

// open returns the input named on the command line; - is standard input.
func open(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(name)
}

// inputName is how errors name an input.
func inputName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// readImage reads a program: in a format that is recognised by its content, or, where a machine is
// named, raw words.
func (f *machineFlags) readImage(cmd *cobra.Command, name string) (*isa.Set, *program.Image, error) {
	r, err := open(cmd, name)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err
	}
	m, format, known := catalog.Recognise(data)
	if known && (f.isa == "" || f.isa == m.Name) && f.spec == "" {
		set, err := f.load(&m)
		if err != nil {
			return nil, nil, err
		}
		im, err := format.Open(set, data)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", inputName(name), err)
		}
		return set, im, nil
	}
	if !f.given() {
		return nil, nil, usagef("%s is of no format that isago knows: name the machine with --isa NAME", inputName(name))
	}
	set, err := f.load(nil)
	if err != nil {
		return nil, nil, err
	}
	im, err := rawImage(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", inputName(name), err)
	}
	return set, im, nil
}

// rawImage reads little-endian 32-bit words.
func rawImage(data []byte) (*program.Image, error) {
	if len(data)%4 != 0 {
		return nil, errors.New(fmt.Sprint(len(data), " bytes, expected words of 4 bytes; --hex reads hexadecimal text"))
	}
	im := &program.Image{Format: "raw"}
	for i := 0; i < len(data); i += 4 {
		im.Words = append(im.Words, binary.LittleEndian.Uint32(data[i:]))
	}
	return im, nil
}

// writeFile writes data beside the file and renames it, so that a failed run loses nothing; - is
// standard output.
func writeFile(cmd *cobra.Command, name string, data []byte) error {
	if name == "-" {
		_, err := cmd.OutOrStdout().Write(data)
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // it is gone when the renaming worked
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
