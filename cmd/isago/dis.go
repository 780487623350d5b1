package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

type disFlags struct {
	machineFlags
	plain, hex, json, addresses, words, lossless, listing bool
	findings                                              string
}

func newDis() *cobra.Command {
	var f disFlags
	cmd := &cobra.Command{
		Use:     "dis [flags] FILE",
		GroupID: "code",
		Short:   "Print the instructions of a program",
		Long: `dis prints a program as text. The format of FILE is recognised by its content; raw words need
--isa or --spec. - is standard input.

A file of a format that asm writes is printed as source, from which asm makes the same bytes; with
--listing, or any flag that belongs to a listing, its instructions are listed.

With --hex each line of the input is one instruction: a single group of digits is the number,
several groups are 32-bit words in the order in which programs store them, and table entries follow
behind a slash. With --plain each line of output is the text of one line of input and nothing else;
a line that cannot be read becomes "error: ...", and the rest goes on.

Exit status: 0; 1 for input that cannot be read; 2 for a mistake on the command line; 3 where words
were unknown or not as they should be.`,
		Example: `  isago dis light.shbin
  isago dis light.shbin | isago asm --isa pica200 -o same.shbin -
  isago dis --addresses --words light.shbin
  echo 4c000000/36f | isago dis --isa pica200 --plain --hex -`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.machineFlags.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.plain, "plain", false, "text alone, one line for each instruction")
	flags.BoolVar(&f.hex, "hex", false, "the input is lines of hexadecimal")
	flags.BoolVar(&f.json, "json", false, "everything known about each instruction, as JSON")
	flags.BoolVar(&f.addresses, "addresses", false, "a column with the address, counted in instructions of the shortest length")
	flags.BoolVar(&f.words, "words", false, "a column with the words")
	flags.BoolVar(&f.listing, "listing", false, "list the instructions, rather than print source")
	flags.BoolVar(&f.lossless, "lossless", false, "add what the text does not say, so that asm gives the same bits")
	flags.StringVar(&f.findings, "findings", "", "where odd bits are told of: comment, stderr or off (default: comment; off with --plain)")
	return cmd
}

// oneFile wants one file name.
func oneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usagef("isago %s: no FILE; - is standard input", cmd.Name())
	case len(args) > 1:
		return usagef("isago %s: %d files, expected one", cmd.Name(), len(args))
	}
	return nil
}

func (f *disFlags) run(cmd *cobra.Command, name string) error {
	switch f.findings {
	case "":
		f.findings = "comment"
		if f.plain {
			f.findings = "off"
		}
	case "comment", "stderr", "off":
	default:
		return usagef("--findings %q, expected comment, stderr or off", f.findings)
	}
	if f.hex {
		return f.lines(cmd, name)
	}
	if f.wantsSource(cmd) {
		if done, err := f.source(cmd, name); done || err != nil {
			return err
		}
	}
	return f.image(cmd, name)
}

// image prints a whole program.
func (f *disFlags) image(cmd *cobra.Command, name string) error {
	set, im, err := f.readImage(cmd, name)
	if err != nil {
		return err
	}
	d, err := f.decoder(set)
	if err != nil {
		return err
	}
	for i, t := range im.Tables {
		d.SetTable(i, t)
	}
	palette, err := f.palette(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	l := &view.Listing{Decoder: d, Image: im, Addresses: f.addresses, Words: f.words, Palette: palette, Quiet: f.findings != "comment"}
	if f.plain {
		l.Image = &program.Image{Words: im.Words, Tables: im.Tables}
		l.Bare = true
	}
	if f.lossless {
		if l.Print, err = f.lossy(set, d, l); err != nil {
			return err
		}
	}
	if f.findings == "stderr" {
		l.Report = func(addr int64, text string) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: byte 0x%x of the code: %s\n", inputName(name), addr/8, text)
		}
	}
	out := bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)
	write := l.Write
	if f.json {
		write = l.WriteJSON
	}
	found, err := write(out)
	if err == nil && found > 0 {
		return errFindings
	}
	return err
}

// lossy returns a printer that adds what the text of an instruction does not say.
func (f *disFlags) lossy(set *isa.Set, d *isa.Decoder, l *view.Listing) (func([]byte, isa.Inst) []byte, error) {
	p, err := f.parser(set)
	if err != nil {
		return nil, err
	}
	for i, t := range l.Image.Tables {
		p.Tables[i] = &asm.FixedTable{Entries: t}
	}
	p.Symbol = l.Labels().Address
	lossless := asm.NewLossless(d, p)
	return func(dst []byte, in isa.Inst) []byte {
		text, ok := lossless.Append(dst, in)
		if !ok {
			return view.AppendUnknown(dst, set, in.Bits, in.Leaf.Size)
		}
		return text
	}, nil
}

// lines prints lines of hex, one instruction each.
func (f *disFlags) lines(cmd *cobra.Command, name string) error {
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	d, err := f.decoder(set)
	if err != nil {
		return err
	}
	p, err := f.parser(set)
	if err != nil {
		return err
	}
	palette, err := f.palette(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if f.plain {
		palette = view.Palette{}
	}
	r, err := open(cmd, name)
	if err != nil {
		return err
	}
	defer r.Close()
	ln := hexLines{disFlags: f, cmd: cmd, d: d, lossless: asm.NewLossless(d, p), palette: palette}
	out := bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)
	var buf []byte
	err = eachLine(r, out, func(text []byte, tooLong bool) error {
		buf = ln.line(buf[:0], string(text), tooLong)
		buf = append(buf, '\n')
		_, err := out.Write(buf)
		return err
	})
	if err == nil && ln.found {
		return errFindings
	}
	return err
}

// hexLines prints instructions given as lines of hex.
type hexLines struct {
	*disFlags
	cmd      *cobra.Command
	d        *isa.Decoder
	lossless *asm.Lossless
	palette  view.Palette
	found    bool
	number   int
}

// line appends the answer to one line.
func (h *hexLines) line(dst []byte, text string, tooLong bool) []byte {
	h.number++
	if len(bytes.TrimSpace([]byte(text))) == 0 && !tooLong {
		return dst
	}
	if tooLong {
		return h.error(dst, fmt.Errorf("line of more than %d bytes", maxInputLine))
	}
	line, err := program.ParseLine(h.d.Set(), text)
	if err != nil {
		return h.error(dst, err)
	}
	in, ok, err := line.Prepare(h.d)
	switch {
	case err != nil:
		return h.error(dst, err)
	case !ok:
		return h.unknown(dst, &line)
	case h.json:
		return h.object(dst, view.NewInstruction(h.d, in, false))
	case h.disFlags.lossless:
		start := len(dst)
		if dst, ok = h.lossless.Append(dst, in); !ok {
			return h.unknown(dst[:start], &line)
		}
	default:
		dst = h.instruction(dst, in)
	}
	return h.findings(dst)
}

func (h *hexLines) instruction(dst []byte, in isa.Inst) []byte {
	return h.palette.Append(dst, h.d, in)
}

func (h *hexLines) error(dst []byte, err error) []byte {
	h.found = true
	return fmt.Appendf(dst, "error: %v", err)
}

// unknown answers a word that is no instruction with the directive that stands for it.
func (h *hexLines) unknown(dst []byte, line *program.Line) []byte {
	h.found = true
	size := min((max(line.Word.Len(), h.d.Root().MinSize)+31)/32*32, bits.Size)
	if h.json {
		return h.object(dst, view.Unknown(h.d.Set(), 0, line.Word, size))
	}
	return view.AppendUnknown(dst, h.d.Set(), line.Word, size)
}

func (h *hexLines) object(dst []byte, in view.Instruction) []byte {
	data, err := json.Marshal(in)
	if err != nil {
		return h.error(dst, err)
	}
	h.found = h.found || len(in.Findings) > 0
	return append(dst, data...)
}

func (h *hexLines) findings(dst []byte) []byte {
	for i, f := range h.d.Findings() {
		h.found = true
		switch {
		case h.disFlags.findings == "stderr":
			fmt.Fprintf(h.cmd.ErrOrStderr(), "line %d: %s\n", h.number, f.Text)
		case h.disFlags.findings == "off":
		case i == 0:
			dst = fmt.Appendf(dst, "\t; %s", f.Text)
		default:
			dst = fmt.Appendf(dst, ", %s", f.Text)
		}
	}
	return dst
}
