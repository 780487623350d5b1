package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/target/catalog"
)

// raw returns how programs of the machine that is named are stored without a container, nil where
// they are one instruction after another.
func (f *setFlags) raw() *catalog.RawFormat {
	if f.spec != "" || f.isa == "" {
		return nil
	}
	m, err := catalog.Lookup(f.isa)
	if err != nil {
		return nil
	}
	return m.Raw
}

// wantsSuffixes tells whether code without container is printed as source by its suffixes.
func (f *disFlags) wantsSuffixes(cmd *cobra.Command) bool {
	m, err := catalog.Lookup(f.isa)
	return err == nil && m.Suffixes && f.wantsSource(cmd, false)
}

// rawProgram returns how an input of so many bytes is a program, nil where it is one instruction after
// another: a stream of any length.
func (f *machineFlags) rawProgram(size int64) *catalog.RawFormat {
	r := f.raw()
	if r == nil || f.root != "" || r.Largest > 0 && size > r.Largest && f.order == "" {
		return nil
	}
	return r
}

// checkOrder refuses an order that programs of the machine do not have.
func (f *setFlags) checkOrder() error {
	r := f.raw()
	switch {
	case f.order == "":
		return nil
	case r == nil || len(r.Orders) == 0:
		return usagef("--order belongs to raw programs of machines with several orders of words, such as tegra")
	case !slices.Contains(r.Orders, f.order):
		return usagef("--order %q, expected one of %s", f.order, strings.Join(r.Orders, ", "))
	}
	return nil
}

// rawSource prints a program without container as source; done is false for anything else.
func (f *disFlags) rawSource(cmd *cobra.Command, name string, in *code) (done bool, err error) {
	isRaw, err := f.isRaw(in)
	raw := f.rawProgram(in.size)
	if err != nil || !isRaw || raw == nil {
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
	text, err := raw.Source(set, ctx, data, f.order)
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
