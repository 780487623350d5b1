package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

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
	return f.raw() != nil && f.isSource(cmd)
}

// wantsSuffixes tells whether code without container is printed as source by its suffixes.
func (f *disFlags) wantsSuffixes(cmd *cobra.Command) bool {
	m, err := catalog.Lookup(f.isa)
	return err == nil && m.Suffixes && f.spec == "" && f.syntax == "" && f.isSource(cmd)
}

// isSource tells whether no flag asks for a listing.
func (f *disFlags) isSource(cmd *cobra.Command) bool {
	if f.listing {
		return false
	}
	for _, name := range []string{"plain", "json", "addresses", "words", "lossless", "findings", "root", "color", "labels", "entry", "max-errors"} {
		if cmd.Flags().Changed(name) {
			return false
		}
	}
	return true
}

// rawSource prints a program without container as source; done is false for a file of a format.
func (f *disFlags) rawSource(cmd *cobra.Command, name string, in *code) (done bool, err error) {
	raw, err := f.isRaw(in)
	if err != nil || !raw {
		return false, err
	}
	data, err := in.all()
	if err != nil {
		return false, err
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

// hexProgram reads a program given as 32-bit words in hexadecimal. The bytes become standard input, whose
// name it returns.
func (f *disFlags) hexProgram(cmd *cobra.Command, name string) (string, error) {
	text, err := readAll(cmd, name)
	if err != nil {
		return name, err
	}
	f.hex = false
	var data []byte
	src := &diag.Source{Name: inputName(name), Text: string(text)}
	for off := 0; ; {
		rest := strings.TrimLeft(src.Text[off:], " \t\r\n")
		off = len(src.Text) - len(rest)
		word, _, _ := strings.Cut(strings.NewReplacer("\t", " ", "\r", " ", "\n", " ").Replace(rest[:min(len(rest), 64)]), " ")
		if word == "" {
			break
		}
		v, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(word), "0x"), 16, 32)
		if err != nil {
			return name, diag.Errorf(diag.HexSyntax, diag.Span{Src: src, Off: off, End: off + len(word)}, "%q, expected a word of at most 8 hexadecimal digits", word)
		}
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
		off += len(word)
	}
	cmd.SetIn(bytes.NewReader(data))
	return "-", nil
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
	if n := len(out.Bytes) % 4; n > 0 {
		return nil, usagef("--hex writes words, and the program has %d bytes behind the last one", n)
	}
	out.Bytes = hexLinesOf(out.Bytes, c.root.Size/32)
	return out, nil
}

// hexLinesOf formats little-endian words, so many a line.
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
	return append(text, '\n')
}
