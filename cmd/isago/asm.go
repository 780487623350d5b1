package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

type asmFlags struct {
	machineFlags
	sourceFlags
	plain, hex bool
	output     string
}

func newAsm() *cobra.Command {
	var f asmFlags
	cmd := &cobra.Command{
		Use:     "asm [flags] FILE...",
		GroupID: "code",
		Short:   "Turn text into the words of a program",
		Long: `asm reads instructions as dis prints them, labels ("name:"), ".word 0x..." and comments, and
writes the words. - is standard input.

For pica200 without --hex and --plain it reads picasso's language and writes an SHBIN file: several
files become one, in which each is a program and all share their procedures; with --each every file
becomes one of its own. Called under the name picasso, or with --picasso as its first argument, it
takes picasso's command line.

With --plain each line of the input is one instruction, and each line of output its words in hex,
32 bits a group, in the order in which programs store them, with table entries behind a slash; a
line that cannot be read becomes "error: ...", and the rest goes on.

Exit status: 0; 1 for input that cannot be read; 2 for a mistake on the command line; 3 where lines
of --plain could not be read.`,
		Example: `  isago asm --isa pica200 --hex program.s
  isago asm --isa pica200 -o light.shbin light.pica
  echo "mov r0, v0" | isago asm --isa pica200 --plain --hex -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c, err := f.compiler(); c != nil || err != nil {
				return f.compileFiles(cmd, c, args)
			}
			if err := oneFile(cmd, args); err != nil {
				return err
			}
			return f.run(cmd, args[0])
		},
	}
	f.machineFlags.add(cmd)
	f.sourceFlags.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.plain, "plain", false, "one instruction a line, independent of the others")
	flags.BoolVar(&f.hex, "hex", false, "write lines of hexadecimal instead of bytes")
	flags.StringVarP(&f.output, "output", "o", "-", "file to write")
	return cmd
}

func (f *asmFlags) run(cmd *cobra.Command, name string) error {
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	p, err := f.parser(set)
	if err != nil {
		return err
	}
	r, err := open(cmd, name)
	if err != nil {
		return err
	}
	defer r.Close()
	if f.plain {
		if !f.hex {
			return usagef("--plain writes text: add --hex")
		}
		return f.lines(cmd, set, p, r)
	}
	return f.program(cmd, set, p, r, name)
}

// lines assembles each line on its own.
func (f *asmFlags) lines(cmd *cobra.Command, set *isa.Set, p *asm.Parser, r io.Reader) error {
	if f.output != "-" {
		return usagef("--plain writes to standard output")
	}
	out := bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)
	found := false
	var buf []byte
	err := eachLine(r, out, func(text []byte, tooLong bool) error {
		buf = buf[:0]
		var err error
		switch {
		case tooLong:
			err = fmt.Errorf("line of more than %d bytes", maxInputLine)
		case len(bytes.TrimSpace(text)) > 0:
			buf, err = appendLine(buf, set, p, string(text))
		}
		if err != nil {
			found = true
			buf = fmt.Appendf(buf[:0], "error: %v", err)
		}
		buf = append(buf, '\n')
		_, err = out.Write(buf)
		return err
	})
	if err == nil && found {
		return errFindings
	}
	return err
}

// appendLine appends the words of one line of text.
func appendLine(dst []byte, set *isa.Set, p *asm.Parser, text string) ([]byte, error) {
	if words, ok, err := program.ParseWord(text); ok || err != nil {
		for i, w := range words {
			if i > 0 {
				dst = append(dst, ' ')
			}
			v := bits.Of(uint64(w))
			dst = v.AppendHex(dst, 8)
		}
		return dst, err
	}
	res, err := p.Parse(text)
	if err != nil {
		return dst, err
	}
	dst = program.AppendWords(dst, set, res.Inst.Bits, res.Inst.Leaf.Size)
	return appendEntries(dst, set, res.Entries), nil
}

func appendEntries(dst []byte, set *isa.Set, entries []asm.Entry) []byte {
	tables := set.Tables()
	for i := range entries {
		e := &entries[i]
		dst = append(dst, " / "...)
		dst = program.AppendWords(dst, set, e.Value, tables[e.Table].Bits)
	}
	return dst
}

// program assembles a whole text.
func (f *asmFlags) program(cmd *cobra.Command, set *isa.Set, p *asm.Parser, r io.Reader, name string) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	src := &diag.Source{Name: inputName(name), Text: string(text)}
	code, err := program.Assemble(p, set, src)
	if err != nil {
		return err
	}
	if f.hex {
		var out []byte
		for _, in := range code.Insts {
			out = program.AppendWords(out, set, in.Word, in.Size)
			out = appendEntries(out, set, in.Entries)
			out = append(out, '\n')
		}
		return writeFile(cmd, f.output, out)
	}
	if len(set.Tables()) > 0 && code.UsesTables() {
		return usagef("raw words cannot hold the table entries of %s: use --hex", setName(set))
	}
	var out []byte
	for _, in := range code.Insts {
		out = appendBytes(out, set, in.Word, in.Size)
	}
	return writeFile(cmd, f.output, out)
}

// appendBytes appends the little-endian words of an instruction in the order of programs.
func appendBytes(dst []byte, set *isa.Set, v bits.Value, size int) []byte {
	n := (size + 31) / 32
	for i := range n {
		at := i
		if set.HighFirst() {
			at = n - 1 - i
		}
		dst = binary.LittleEndian.AppendUint32(dst, v.Word(at))
	}
	return dst
}
