package main

import (
	"encoding/binary"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// raw returns how programs of the machine that is named are stored without a container, nil where
// they are one instruction after another.
func (f *setFlags) raw() *catalog.Bare {
	if f.spec != "" || f.isa == "" {
		return nil
	}
	m, err := catalog.Lookup(f.isa)
	if err != nil {
		return nil
	}
	return m.Bare
}

// wantsRawSource tells whether the input may be a program without container that is printed as source.
func (f *disFlags) wantsRawSource(cmd *cobra.Command) bool {
	if f.listing || f.raw() == nil {
		return false
	}
	for _, name := range []string{"plain", "json", "addresses", "words", "lossless", "findings", "root", "color"} {
		if cmd.Flags().Changed(name) {
			return false
		}
	}
	return true
}

// rawSource prints a program without container as source; done is false for a file of a format.
func (f *disFlags) rawSource(cmd *cobra.Command, name string) (done bool, err error) {
	data, err := keepInput(cmd, name)
	if err != nil {
		return false, err
	}
	if _, _, known := catalog.Recognise(data); known {
		return false, nil
	}
	set, err := f.load(nil)
	if err != nil {
		return true, err
	}
	ctx, err := f.context(set)
	if err != nil {
		return true, err
	}
	text, err := f.raw().Source(set, ctx, data)
	if err != nil {
		return true, fileError(name, err)
	}
	_, err = cmd.OutOrStdout().Write(text)
	return true, err
}

// rawCompiler returns the compiler of a machine for the spelling and the contexts of the flags.
func (f *asmFlags) rawCompiler(raw *catalog.Bare) (program.Compiler, error) {
	set, err := f.load(nil)
	if err != nil {
		return nil, err
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, err
	}
	c, err := raw.NewCompiler(set, ctx)
	if err != nil || !f.hex {
		return c, err
	}
	root, err := set.Root("")
	return &hexCompiler{c, root}, err
}

// hexCompiler writes what another compiler makes as lines of hexadecimal, an instruction each.
type hexCompiler struct {
	program.Compiler
	root *isa.Root
}

// Compile does what the other compiler does.
func (c *hexCompiler) Compile(files []*diag.Source, opt program.CompileOptions) (*program.Compiled, error) {
	out, err := c.Compiler.Compile(files, opt)
	if err != nil {
		return nil, err
	}
	out.Bytes = hexLinesOf(out.Bytes, c.root.Size/32)
	return out, nil
}

// hexLinesOf formats little-endian words, so many a line, and the bytes behind them.
func hexLinesOf(data []byte, words int) (text []byte) {
	for n := 0; len(data) >= 4; n++ {
		if n%words > 0 {
			text = append(text, ' ')
		} else if n > 0 {
			text = append(text, '\n')
		}
		text = fmt.Appendf(text, "%08x", binary.LittleEndian.Uint32(data))
		data = data[4:]
	}
	if len(data) > 0 {
		text = fmt.Appendf(append(text, '\n'), "%x", data)
	}
	return append(text, '\n')
}

// extension is that of the files that the compiler makes.
func (f *asmFlags) extension() string {
	if f.raw() != nil {
		return ".bin"
	}
	return ".shbin"
}
