package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
)

type asmFlags struct {
	machineFlags
	jobsFlag
	sourceFlags
	plain, hex bool
	// isSource is set if the input is source for the compiler of a machine.
	isSource bool
	output   string
}

func newAsm() *cobra.Command {
	var f asmFlags
	cmd := &cobra.Command{
		Use:     "asm [flags] [FILE...]",
		GroupID: "code",
		Short:   "Assemble source text into a program",
		Long: `asm translates source text into a program. The source contains instructions as dis prints them,
labels ("name:"), directives and comments. Without a FILE, asm reads standard input, unless that is a
terminal or another device. - reads standard input in any case.

  .word EXPR,...   data: words of 32 bits, or of the size of an instruction if that is 16 or 8 bits
  .align BYTES     zeros up to a multiple of BYTES
  .skip BYTES      zeros
  .set NAME, EXPR  a name for a number; .equ is the same
  $(EXPR)          a number in an instruction

Expressions use C's operators on signed 64-bit numbers. They may contain names defined with .set,
labels, and "." (the address of the current line). Labels and "." are byte addresses. docs/assembly.md
describes the language.

--isa names the machine. Without it, asm chooses the machine by the suffix of the first FILE (.pica, .vsh,
.gsh, .a2xx, .cubin.s) or by directives in the source.

For pica200, asm reads picasso's language and writes an SHBIN file. Each source becomes one program of the
file, and all programs share their procedures. With --each, each source becomes a separate file. With --hex,
asm treats source that has no directives and none of the suffixes above as a list of instructions, not as
picasso's language. If isago is started under the name picasso, it accepts picasso's command line; so does
"isago asm --picasso". --compat picasso repeats picasso's misreadings of a source, with a warning for each.

For tegra, asm reads grate's language or an isago tegra-vp file, and writes a tegra-vp file: text that
includes the names of the program. --format and --hex choose other formats.

--format c writes C arrays for any machine: one array for the words of the program or of each kernel, and one
for the entries of each table. --format raw writes the bytes of the code.

--hex writes one instruction per line: its words in groups of 32 bits, in the order in which programs store
them, and its table entries, each after a slash.

--plain assembles each line independently of the other lines. For a line that asm cannot read, it prints
"error: ..." and continues.

Exit status: 0; 1 if asm cannot read the input; 2 for a mistake on the command line; 3 if asm could not
read some lines of --plain.`,
		Example: `  isago asm --isa pica200 --hex program.s
  isago asm --isa example -o program.bin program.s
  isago asm -o light.shbin light.pica
  echo "mov r0, v0" | isago asm --isa pica200 --plain --hex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := orStandardInput(cmd, args, noFile)
			if err != nil {
				return err
			}
			done, err := f.recognise(cmd, args)
			if err != nil {
				return err
			}
			defer done()
			c, err := f.compiler()
			if err != nil {
				return err
			}
			if c != nil {
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
	complete(cmd, "format", f.formats)
	complete(cmd, "compat", f.compats)
	f.jobsFlag.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.plain, "plain", false, "assemble each line independently of the other lines; needs --hex")
	flags.BoolVar(&f.hex, "hex", false, "write hexadecimal text, one instruction per line")
	flags.StringVarP(&f.output, "output", "o", "-", "write to `FILE`; - is standard output")
	return cmd
}

// errBytes is the error for binary output to a terminal.
var errBytes = usagef("not writing binary data to a terminal; use --hex or -o FILE")

func (f *asmFlags) run(cmd *cobra.Command, name string) error {
	switch {
	case f.plain && !f.hex:
		return usagef("--plain needs --hex")
	case f.each || f.header != "":
		return usagef("--each and --header need source in a machine's own dialect, but these flags select generic source")
	case f.output == "-" && !f.hex && f.format != formatC && isTerminal(cmd.OutOrStdout()):
		return errBytes
	}
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	p, err := f.parser(set)
	if err != nil {
		return err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return &usageError{err}
	}
	if err := f.check(); err != nil {
		return err
	}
	w := newWordWriter(set, root, f.hex)
	if f.plain {
		return f.runLines(cmd, name, w)
	}
	src, in, err := openText(cmd, name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := create(cmd, f.output)
	if err != nil {
		return err
	}
	progress := progressOf(cmd)
	progress.start("%s: assembling", inputName(name))
	defer progress.end()
	return out.done(w.program(cmd, f, p, src, out))
}

// runLines assembles each line of a file separately.
func (f *asmFlags) runLines(cmd *cobra.Command, name string, w *wordWriter) error {
	r, err := open(cmd, name)
	if err != nil {
		return err
	}
	defer r.Close()
	out, err := create(cmd, f.output)
	if err != nil {
		return err
	}
	return out.done(w.lines(cmd, f, name, r, out))
}

// wordWriter writes assembled instructions, as bytes or as hexadecimal text.
type wordWriter struct {
	set  *isa.Set
	root *isa.Root
	hex  bool
	// entryBits holds the entry size of each table, in bits.
	entryBits []int
}

func newWordWriter(set *isa.Set, root *isa.Root, hex bool) *wordWriter {
	w := &wordWriter{set: set, root: root, hex: hex}
	for _, t := range set.Tables() {
		w.entryBits = append(w.entryBits, t.Bits)
	}
	return w
}

// warn prints one warning about hidden bits for each leaf, in the order of the source.
func (f *asmFlags) warn(cmd *cobra.Command, list []hiddenBits) error {
	slices.SortFunc(list, func(a, b hiddenBits) int { return cmp.Compare(a.number, b.number) })
	seen := map[*isa.Leaf]bool{}
	var warnings diag.List
	for _, h := range list {
		if !seen[h.leaf] {
			seen[h.leaf] = true
			warnings = append(warnings, &diag.Error{Code: diag.HiddenBits, Level: diag.Warning, Span: h.span, Msg: h.msg})
		}
	}
	shown, err := f.wanted(warnings)
	if len(shown) > 0 {
		fmt.Fprint(cmd.ErrOrStderr(), explain(cmd, shown))
	}
	return err
}

// hiddenBits is a warning about the hidden bits of an instruction. number is the number of its line or its word.
type hiddenBits struct {
	number int
	leaf   *isa.Leaf
	span   diag.Span
	msg    string
}

// newHiddenBits returns the detector of bits that the assembly text does not determine, or nil if the warning is off.
// The warning is off for the machines of isago, because their descriptions give the reason for each such bit.
func (f *asmFlags) newHiddenBits(set *isa.Set) (*prove.HiddenBits, error) {
	if f.spec == "" || slices.Contains(f.noWarn, string(diag.HiddenBits)) || slices.Contains(f.noWarn, allWarnings) {
		return nil, nil
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, err
	}
	return prove.NewHiddenBits(set, f.root, ctx)
}

// lines assembles each line of r separately.
func (w *wordWriter) lines(cmd *cobra.Command, f *asmFlags, name string, r io.Reader, out *output) error {
	var found atomic.Bool
	var mu sync.Mutex
	var hidden []hiddenBits
	comment := program.Comment(w.set)
	defer progressOf(cmd).startLines(cmd, name)()
	err := eachLine(cmd.Context(), r, out.Writer, f.jobs, func() (lineFunc, error) {
		p, err := f.parser(w.set)
		if err != nil {
			return nil, err
		}
		p.Comment = comment
		unsaid, err := f.newHiddenBits(w.set)
		if err != nil {
			return nil, err
		}
		return func(dst, text []byte, number int) []byte {
			err := tooLong(text)
			if err == nil {
				dst, err = w.line(dst, p, string(text), func(word bits.Value) {
					if unsaid == nil {
						return
					}
					if leaf, msg := unsaid.Describe(word, func() (string, bool) { return string(text), true }); msg != "" {
						at := diag.Span{Src: &diag.Source{Name: inputName(name), Text: string(text), Before: number - 1}, End: len(text)}
						mu.Lock()
						hidden = append(hidden, hiddenBits{number, leaf, at, msg})
						mu.Unlock()
					}
				})
			}
			if err != nil {
				found.Store(true)
				return fmt.Appendf(dst, "error: %v", wrongLine(name, number, text, err))
			}
			return dst
		}, nil
	})
	if err == nil {
		err = f.warn(cmd, hidden)
	}
	if err == nil && found.Load() {
		return errFindings
	}
	return err
}

// line assembles one line of text and appends its words. It appends nothing for a blank line or a comment. For an
// instruction, it also calls read with the bits.
func (w *wordWriter) line(dst []byte, p *asm.Parser, text string, read func(bits.Value)) ([]byte, error) {
	code := program.StripComment(text, p.Comment)
	blank := strings.TrimSpace(code) == ""
	if blank && len(code) == len(text) {
		return dst, nil
	}
	if words, ok, err := source.Numbers(code, w.root.WordSize, nil); ok {
		return w.data(dst, words, err)
	}
	res, err := p.Parse(text)
	switch {
	case err != nil && blank: // a comment that is not an instruction
		return dst, nil
	case err != nil:
		return dst, err
	}
	read(res.Inst.Bits)
	return w.append(dst, &source.Word{Word: res.Inst.Bits, Size: res.Inst.Leaf.Size, Entries: res.Entries}), nil
}

// data appends the words of a .word directive. err is the error of parsing the directive, or nil.
func (w *wordWriter) data(dst []byte, words []uint32, err error) ([]byte, error) {
	if err != nil {
		return dst, err
	}
	if most := w.root.StoredSize(w.root.Size) / w.root.WordSize; len(words) > most {
		return dst, fmt.Errorf("the line has %d words, expected at most %d, the size of the longest instruction", len(words), most)
	}
	var data source.Word
	data.Word, data.Size = program.Data(w.root, words)
	return w.append(dst, &data), nil
}

// append appends an instruction, as bytes or as a line of hex without a line break.
func (w *wordWriter) append(dst []byte, in *source.Word) []byte {
	if !w.hex {
		return program.AppendBytes(dst, w.root, in.Word, in.Size)
	}
	dst = program.AppendWords(dst, w.set, in.Word, in.Size)
	for i := range in.Entries {
		e := &in.Entries[i]
		dst = append(dst, " / "...)
		dst = program.AppendWords(dst, w.set, e.Value, w.entryBits[e.Table])
	}
	return dst
}

// program assembles a whole source and writes the program.
func (w *wordWriter) program(cmd *cobra.Command, f *asmFlags, p *asm.Parser, src *program.Text, out *output) error {
	a := source.Assembler{Set: w.set, Root: w.root, Parser: p, Jobs: f.jobs, New: func() (*asm.Parser, error) { return f.parser(w.set) }}
	code, err := a.Assemble(src)
	if err != nil {
		return err
	}
	if isCodeFormat(f.format) {
		if err := w.warnOf(cmd, f, code); err != nil {
			return err
		}
		text, err := w.arrays(f.format, code)
		if err == nil {
			_, err = out.Write(text)
		}
		return err
	}
	if !w.hex && code.UsesTables() {
		return usagef("raw bytes cannot contain the table entries of %s; add --hex", setName(w.set))
	}
	if err := w.warnOf(cmd, f, code); err != nil {
		return err
	}
	var buf []byte
	for x := range code.Words {
		buf = w.append(buf[:0], x)
		if w.hex {
			buf = append(buf, '\n')
		} else {
			code.Order.Arrange(buf, w.root.WordSize/8)
		}
		if _, err = out.Write(buf); err != nil {
			break
		}
	}
	return err
}

// arrays returns a program in a format that is available for every machine.
func (w *wordWriter) arrays(format string, code *source.Code) ([]byte, error) {
	all := codeArray{name: "code", unit: w.root.WordSize}
	entries := make([][]bits.Value, len(w.entryBits))
	for x := range code.Words {
		start := len(all.data)
		all.data = program.AppendBytes(all.data, w.root, x.Word, x.Size)
		if format == formatRaw {
			code.Order.Arrange(all.data[start:], w.root.WordSize/8)
		}
		for _, e := range x.Entries {
			for len(entries[e.Table]) <= e.Index {
				entries[e.Table] = append(entries[e.Table], bits.Value{})
			}
			entries[e.Table][e.Index] = e.Value
		}
	}
	return writeArrays(format, setName(w.set), []codeArray{all}, tableArrays(w.set, entries))
}

// warnOf prints warnings about the hidden bits of a program.
func (w *wordWriter) warnOf(cmd *cobra.Command, f *asmFlags, code *source.Code) error {
	unsaid, err := f.newHiddenBits(w.set)
	if unsaid == nil {
		return err
	}
	var hidden []hiddenBits
	n := 0
	for x := range code.Words {
		n++
		text := func() (string, bool) {
			at := code.Span(x)
			s := at.Src.Text[at.Off:at.End]
			return s, !strings.HasPrefix(strings.TrimSpace(s), ".")
		}
		if leaf, msg := unsaid.Describe(x.Word, text); msg != "" {
			hidden = append(hidden, hiddenBits{n, leaf, code.Span(x), msg})
		}
	}
	return f.warn(cmd, hidden)
}
