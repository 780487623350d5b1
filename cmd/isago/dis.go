package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

type disFlags struct {
	machineFlags
	listingFlags
	jobsFlag
	rangeFlags
	outputFlag
	plain, hex, json, fields, facts, addresses, words, jumps, lossless, listing bool
	// ir prints the operations of each instruction.
	ir bool
	// ssa prints the blocks of the specialised program.
	ssa bool
	// graph is dot or svg to draw the control flow of the specialised program, or "".
	graph string
	// oneLane specialises the program for waves of one lane.
	oneLane  bool
	findings string
	// format is text or html, or "" for text, and manual is the address of a manual to which a page links.
	format, manual string
	// documented adds the documentation of fields to JSON, and set is then the instruction set of the program. Both are for a page.
	documented bool
	set        *isa.Set
	// file is the name of the file if several files are printed, or "".
	file string
	// suffixes is set if code without a container is printed as source.
	suffixes bool
}

func newDis() *cobra.Command {
	var f disFlags
	cmd := &cobra.Command{
		Use:     "dis [flags] [FILE[:PROGRAM]... | WORD...]",
		GroupID: "code",
		Short:   "Disassemble programs and single words",
		Long: `dis prints programs as text. It recognises the format of FILE by its content; raw words need --isa or
--spec. FILE:PROGRAM selects one program of a file, such as a kernel of a cubin. Without a FILE, dis reads
standard input, unless that is a terminal or another device. - reads standard input in any case.

dis prints several files, or all programs in a folder, one after another, each below a heading. With --json,
each file is one object. -o FOLDER writes one file for each input, with .s or .json added to the name.

If asm can write the format of FILE, dis prints source that assembles to the same bytes. --listing, or any
flag for listings, prints a listing instead. dis also prints raw tesla words as source. Raw words may also be
hexadecimal text, such as a C array.

An argument that is not a file and looks like hexadecimal is code: words in the order in which programs
store them. An argument with table entries after a slash is one line of hexadecimal text, as for --hex. With
--hex, every argument is such a line, even if a file has that name.

--hex reads one instruction per line. A single group of digits is the whole instruction as a number, most
significant digit first. Several groups are 32-bit words in the order in which programs store them. Table entries follow the word, each after a
slash, or come from --table. For a line that dis cannot read, it prints "error: ..." and continues. For a2xx,
the whole input is one program of 32-bit words, which dis reads before it prints; with --root, each line is
an instruction.

dis prints raw code larger than --label-limit bytes while it reads the code, also from a pipe. It then prints
branch targets as numbers, without labels. --jumps and --max-errors need the whole code and reject larger
code. dis reads raw a2xx programs, and hexadecimal text without --hex, completely before it prints them.

--plain prints only the text of each instruction, one per line. --jumps draws an arrow next to the listing
from each jump to its target.

--ssa resolves all control flow that depends only on the program's words: calls, returns, ends of blocks and
their stacks. It prints the remaining operations as blocks in SSA form, with the branches that depend on
inputs. If the lanes of the machine share a program counter (a2xx, tesla), the masks of lanes are values of the
program. With --one-lane, a wave has one lane, and the control flow is that of the lane. docs/run.md describes
the form.

--graph draws the control flow of a lane, without what depends only on the program's words, as a picture (svg)
or for Graphviz (dot): each block with its instructions, edges that close a loop dashed, and the blocks after
which lanes may diverge marked.

--format html prints a listing as a web page without other files: jumps are links in both directions, a
click on a register marks its uses, an operand shows its documentation, and columns can be switched off.
--manual links mnemonics to a reference that isago manual has written.

--compat mesa prints the text that Mesa's isaspec prints for the same description, including its defects.
Findings follow a tab, and --labels adds labels. docs/language.md lists the differences from Mesa's tools.

Exit status: 0; 1 if dis cannot read the input; 2 for a mistake on the command line; 3 if words are unknown
or have unexpected bits, or dis could not read some lines of --hex.`,
		Example: `  isago dis light.shbin
  isago dis light.shbin | isago asm --isa pica200 -o same.shbin
  isago dis --addresses --words light.shbin
  isago dis --isa tesla 20038404
  isago dis --isa pica200 "4c000000 / 36f"
  echo 4c000000/36f | isago dis --isa pica200 --plain --hex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := orStandardInput(cmd, args, noFile)
			if err != nil {
				return err
			}
			if ok, err := f.useWords(cmd, args); err != nil {
				return err
			} else if ok {
				return outputTo(cmd, f.output, func() error { return f.run(cmd, argumentWords) })
			}
			list, err := f.programFiles(cmd, args, false)
			if err != nil {
				return err
			}
			return f.files(cmd, list, len(list) > 1 || isFolder(args[0]))
		},
	}
	f.machineFlags.add(cmd)
	f.listingFlags.add(cmd)
	f.jobsFlag.add(cmd)
	f.rangeFlags.add(cmd)
	flags := cmd.Flags()
	f.outputFlag.add(cmd, "`FILE` to write; in a folder, or with / at the end of the name, one file for each input; - is standard output")
	flags.BoolVar(&f.plain, "plain", false, "print only the text, one instruction per line")
	flags.BoolVar(&f.hex, "hex", false, "read hexadecimal text, one instruction per line")
	flags.BoolVar(&f.json, "json", false, "print JSON with the name, operands and control flow of each instruction; with --hex one object per line")
	flags.BoolVar(&f.fields, "fields", false, "with --json, add the tokens of each text and all fields of each word")
	flags.BoolVar(&f.facts, "facts", false, "with --json, add what each instruction reads and writes, and where control can go")
	flags.BoolVar(&f.addresses, "addresses", false, "print the address of each instruction, in bytes from the start of the program")
	flags.BoolVar(&f.words, "words", false, "print the words of each instruction")
	flags.BoolVar(&f.jumps, "jumps", false, "draw an arrow from each jump to its target; calls have no arrow")
	flags.BoolVar(&f.listing, "listing", false, "print a listing instead of source")
	flags.BoolVar(&f.lossless, "lossless", false, "add the bits that the text does not show, so that assembling gives the same words")
	flags.BoolVar(&f.ir, "ir", false, "print the operations of each instruction below its text")
	flags.BoolVar(&f.oneLane, "one-lane", false, "with --ssa, specialise the program for waves of one lane (a2xx, tesla)")
	flags.StringVar(&f.graph, "graph", "", "draw the control flow as `FORMAT`: dot or svg")
	complete(cmd, "graph", fixed("dot", "svg"))
	flags.BoolVar(&f.ssa, "ssa", false, "print the program as blocks in SSA form; control flow that depends only on the words is resolved")
	flags.StringVar(&f.format, "format", "text", "`FORMAT` of the output: text or html")
	complete(cmd, "format", fixed("text", "html"))
	flags.StringVar(&f.manual, "manual", "", "with --format html, link to the reference at `ADDRESS`: a folder, as seen from the page, or a web address")
	f.addOrder(cmd)
	f.addTables(cmd)
	flags.StringVar(&f.findings, "findings", "", "`WHERE` to report unexpected bits: comment, stderr or off (default: comment; off with --plain)")
	complete(cmd, "findings", fixed("comment", "stderr", "off"))
	return cmd
}

// detail returns the level of detail of JSON output.
func (f *disFlags) detail() view.Detail {
	switch {
	case f.documented:
		return view.WithDocs
	case f.fields:
		return view.WithFields
	}
	return view.Brief
}

// check returns an error for an invalid combination of flags, and sets the default of --findings.
func (f *disFlags) check() error {
	if raw := f.raw(); f.hex && f.root == "" && raw != nil && raw.Mixed {
		f.hex, f.asText = false, true
	}
	switch f.format {
	case "", "text":
		if f.manual != "" {
			return usagef("--manual needs --format html")
		}
	case "html":
		if f.plain || f.hex || f.json || f.fields || f.facts || f.addresses || f.words || f.jumps || f.lossless || f.ir || f.ssa || f.maxErrors > 0 || f.compat != "" {
			return usagef("--format html cannot be combined with flags for another output format or for columns")
		}
	default:
		return usagef("unknown format %q, expected one of text, html", f.format)
	}
	switch {
	case f.plain && f.json:
		return usagef("--plain cannot be combined with --json")
	case f.hex && (f.addresses || f.words || f.jumps):
		return usagef("--addresses, --words and --jumps cannot be combined with --hex, which reads separate lines")
	case f.hex && f.listing:
		return usagef("--listing cannot be combined with --hex, which reads separate lines")
	case f.hex && f.forceRaw:
		return usagef("--raw cannot be combined with --hex, which reads text")
	case f.hex && f.cmd.Flags().Changed("order"):
		return usagef("--order cannot be combined with --hex, which reads text")
	case f.hex && f.compat == "" && (f.labels || len(f.entries) > 0 || f.maxErrors > 0):
		return usagef("--labels, --entry and --max-errors cannot be combined with --hex, except with --compat mesa")
	case f.json && f.listing:
		return usagef("--listing cannot be combined with --json")
	case f.json && f.maxErrors > 0:
		return usagef("--max-errors cannot be combined with --json, which prints the whole program")
	case f.ir && (f.labels || len(f.entries) > 0 || f.maxErrors > 0 || f.findings != ""):
		return usagef("--ir cannot be combined with --labels, --entry, --max-errors or --findings")
	case f.hex && (f.offset != 0 || f.length != 0):
		return usagef("--offset and --length cannot be combined with --hex, which reads all lines")
	case f.fields && !f.json:
		return usagef("--fields needs --json")
	case f.facts && !f.json:
		return usagef("--facts needs --json")
	case f.graph != "" && f.graph != "dot" && f.graph != "svg":
		return usagef("unknown graph %q, expected one of dot, svg", f.graph)
	case f.graph != "" && (f.ssa || f.format == "html"):
		return usagef("--graph cannot be combined with --ssa or --format html")
	case f.oneLane && !f.ssa:
		return usagef("--one-lane needs --ssa")
	case f.graph != "" && (f.ir || f.hex || f.json || f.plain || f.lossless || f.listing || f.addresses || f.words || f.jumps || f.labels || len(f.entries) > 0 || f.maxErrors > 0 || f.findings != "" || f.compat != ""):
		return usagef("--graph cannot be combined with flags for another output format, columns, labels or findings")
	case f.ssa && (f.ir || f.hex || f.json || f.plain || f.lossless || f.listing || f.addresses || f.words || f.jumps || f.labels || len(f.entries) > 0 || f.maxErrors > 0 || f.findings != "" || f.compat != ""):
		return usagef("--ssa cannot be combined with flags for another output format, columns, labels or findings")
	case f.ir && (f.hex || f.json || f.plain || f.lossless || f.listing || f.addresses || f.words || f.jumps):
		return usagef("--ir cannot be combined with --hex, --json, --plain, --lossless, --listing, --addresses, --words or --jumps")
	case f.json && (f.addresses || f.words || f.jumps):
		return usagef("--addresses, --words and --jumps cannot be combined with --json, which always contains this information")
	case f.jumps && (f.plain || f.lossless):
		return usagef("--jumps cannot be combined with --plain or --lossless; arrows are drawn only in the normal listing")
	}
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
	if err := f.checkRaw(); err != nil {
		return err
	}
	return f.checkListing()
}

// files prints one file to standard output or to -o FILE. It prints several files one after another, or each into a
// file in -o FOLDER.
func (f *disFlags) files(cmd *cobra.Command, list []input, several bool) error {
	if !several {
		name, err := f.pick(list[0].name)
		if err == nil {
			err = noWords(name)
		}
		if err != nil {
			return err
		}
		output := f.output
		if inFolder(output) {
			output = filepath.Join(output, list[0].under+f.extension())
		}
		if err := makeFolder(f.output, output); err != nil {
			return err
		}
		return outputTo(cmd, output, func() error { return f.run(cmd, name) })
	}
	probe := *f // mistakes on the command line are reported once
	if err := probe.check(); err != nil {
		return err
	}
	if (f.format == "html" || f.graph == "svg") && !inFolder(f.output) {
		return usagef("--format html and --graph svg write a file for each input, expected one FILE, or -o with the name of a folder")
	}
	if f.given() {
		if _, err := f.load(nil); err != nil {
			return err
		}
	}
	outputs := make([]string, len(list))
	first := map[string]string{}
	for i, in := range list {
		if outputs[i] = "-"; !inFolder(f.output) {
			continue
		}
		outputs[i] = filepath.Join(f.output, in.under+f.extension())
		if other, ok := first[outputs[i]]; ok {
			return usagef("%s would be written for both %s and %s", outputs[i], other, in.name)
		}
		first[outputs[i]] = in.name
	}
	if inFolder(f.output) {
		if err := sessionOf(cmd).files.mayWrite(outputs...); err != nil {
			return err
		}
	}
	all := func() error {
		var worst error
		for i, in := range list {
			own := *f // each file selects its own machine
			own.file = in.name
			progressOf(cmd).files(i, len(list))
			name, err := own.pick(in.name)
			if err == nil {
				err = noWords(name)
			}
			if err == nil && outputs[i] == "-" && !f.json && !f.plain {
				fileHeading(cmd, i, in.name)
			}
			if err == nil {
				err = makeFolder(f.output, outputs[i])
			}
			if err == nil {
				err = outputTo(cmd, outputs[i], func() error { return own.run(cmd, name) })
			}
			if worst, err = worseOf(cmd, worst, err); err != nil {
				return err
			}
		}
		return worst
	}
	if inFolder(f.output) {
		return all()
	}
	return outputTo(cmd, f.output, all)
}

// extension returns the suffix that dis adds to the name of an input to name its file in the folder of -o.
func (f *disFlags) extension() string {
	switch {
	case f.format == "html":
		return ".html"
	case f.graph != "":
		return "." + f.graph
	case f.json:
		return ".json"
	}
	return ".s"
}

func (f *disFlags) run(cmd *cobra.Command, name string) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.hex {
		defer progressOf(cmd).startLines(cmd, name)()
	} else {
		progress := progressOf(cmd)
		progress.start("%s: disassembling", inputName(name))
		defer progress.end()
	}
	switch {
	case f.format == "html":
		return f.page(cmd, name)
	case f.ir:
		return f.operations(cmd, name)
	case f.ssa || f.graph != "":
		return f.blocks(cmd, name)
	}
	palette, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	if f.plain {
		palette = view.Palette{}
	}
	if f.compat != "" {
		return f.mesa(cmd, name)
	}
	if f.hex {
		return f.lines(cmd, name, palette)
	}
	in, more, err := f.openArriving(cmd, name)
	if err != nil {
		return err
	}
	defer in.Close()
	if more != nil {
		if err := f.warnOfText(cmd, name, in); err != nil {
			return err
		}
		return f.code(cmd, name, in, more, palette)
	}
	if in, err = f.rawCode(name, in); err != nil {
		return err
	}
	if err := f.warnOfText(cmd, name, in); err != nil {
		return err
	}
	if f.wantsSource(cmd) {
		if done, err := f.rawSource(cmd, name, in, palette); done || err != nil {
			return err
		}
		if done, err := f.source(cmd, name, in, palette); done || err != nil {
			return err
		}
	}
	return f.code(cmd, name, in, nil, palette)
}

// code prints a program. more is the reader that openArriving returned, or nil.
func (f *disFlags) code(cmd *cobra.Command, name string, in *code, more io.Reader, palette view.Palette) error {
	raw, err := f.isRaw(in)
	if err != nil {
		return err
	}
	if raw && f.wantsSuffixes(cmd) {
		f.lossless, f.suffixes, f.findings = true, true, "off"
	}
	found := 0
	switch stream := raw && f.rawProgram(in.size) == nil; {
	case !stream && more == nil:
		found, err = f.whole(cmd, name, in, palette)
	case !f.jumps && f.maxErrors == 0:
		found, err = f.stream(cmd, name, in, more, palette)
	case more != nil || in.size > f.labelLimit:
		flag := map[bool]string{true: "--jumps", false: "--max-errors"}[f.jumps]
		return fmt.Errorf("%s: %s needs all of the code, expected at most %d bytes; --label-limit sets the limit", inputName(name), flag, f.labelLimit)
	default:
		found, err = f.whole(cmd, name, in, palette)
	}
	if err == nil && found > 0 {
		return errFindings
	}
	return err
}

// whole reads a program into memory and prints it. It returns the number of findings.
func (f *disFlags) whole(cmd *cobra.Command, name string, in *code, palette view.Palette) (found int, err error) {
	data, err := in.all()
	if err != nil {
		return 0, err
	}
	set, im, err := f.imageOf(name, data)
	if err != nil {
		return 0, err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return 0, &usageError{err}
	}
	if err := f.addEntries(im, root); err != nil {
		return 0, err
	}
	l, err := f.newListing(set, palette)
	if err != nil {
		return 0, err
	}
	l.Image = im
	if l.Facts != nil {
		if l.Facts, err = l.Facts.Choosing(im.Quirks); err != nil {
			return 0, err
		}
	}
	im.Lead = append(f.arranged.Lines(), im.Lead...)
	l.Decoder.SetTables(im.Tables)
	if f.lossless {
		if l.Print, err = f.losslessPrinter(set, l, l.Labels()); err != nil {
			return 0, err
		}
	}
	if f.findings == "stderr" {
		l.Report = f.reporter(cmd, name, im.Members())
	}
	write := l.Write
	if f.json {
		l.Detail, write = f.detail(), l.WriteJSON
	}
	return write(bufio.NewWriterSize(cmd.OutOrStdout(), outputBuffer))
}

// stream prints code without a container, piece by piece. more is the reader that openArriving returned, or nil.
func (f *disFlags) stream(cmd *cobra.Command, name string, in *code, more io.Reader, palette view.Palette) (found int, err error) {
	set, err := f.load(nil)
	if err != nil {
		return 0, err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return 0, &usageError{err}
	}
	empty := &program.Image{Format: "raw"}
	if empty.Tables, err = f.readTables(set); err != nil {
		return 0, err
	}
	if err := f.addEntries(empty, root); err != nil {
		return 0, err
	}
	s := view.Stream{In: in, Size: in.size, Pipe: more, Entries: empty.Entries, Workers: f.jobs, JSON: f.json, Partial: f.suffixes}
	if more != nil {
		word, err := f.arrange(endless)
		if err != nil {
			return 0, err
		}
		if word > 0 {
			s.Pipe = &arrangedPipe{r: more, word: int(word), order: f.arranged}
		}
	}
	if f.suffixes {
		s.Size -= in.size % int64(root.WordSize/8)
	}
	s.New = func(labels *program.Labels) (*view.Listing, error) {
		l, err := f.newListing(set, palette)
		if err != nil {
			return nil, err
		}
		l.Image = empty
		if f.lossless {
			l.Print, err = f.losslessPrinter(set, l, labels)
		}
		l.Detail = f.detail()
		return l, err
	}
	if f.findings == "stderr" {
		s.Report = f.reporter(cmd, name, empty.Members())
	}
	if s.Unlabelled = (s.Size > f.labelLimit || more != nil) && !f.labels && !f.plain; s.Unlabelled && f.labelLimit > 0 {
		enough := "a larger --label-limit"
		if more == nil {
			enough = fmt.Sprintf("--label-limit %d", s.Size)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: branch targets are numbers in code larger than %d bytes; %s replaces them with labels, after an extra pass over the code\n", inputName(name), f.labelLimit, enough)
	}
	if progress := progressOf(cmd); progress.w != nil {
		s.Progress = func(what string, done, all int64) {
			if more != nil {
				progress.report("%s: %s, %d bytes", inputName(name), what, done)
				return
			}
			progress.report("%s: %s, %d %%", inputName(name), what, 100*done/max(all, 1))
		}
	}
	out := bufio.NewWriterSize(cmd.OutOrStdout(), outputBuffer)
	if f.lossless && !f.plain && !f.addresses && !f.words && !f.json {
		for _, line := range f.arranged.Lines() {
			fmt.Fprintln(out, line)
		}
	}
	found, err = s.Write(cmd.Context(), out)
	if err != nil {
		return found, fileError(name, err)
	}
	if more == nil {
		s.Rest = make([]byte, in.size-s.Size)
		if _, err := io.ReadFull(io.NewSectionReader(in, s.Size, in.size-s.Size), s.Rest); err != nil {
			return found, err
		}
	}
	return found, f.rest(cmd, s.Rest)
}

// rest prints the bytes after the last word as a .byte directive.
func (f *disFlags) rest(cmd *cobra.Command, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	text := []byte("    .byte")
	for i, b := range data {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, " 0x%02x", b)
	}
	_, err := cmd.OutOrStdout().Write(append(text, '\n'))
	return err
}

// newListing returns a listing for the flags, without an image.
func (f *disFlags) newListing(set *isa.Set, palette view.Palette) (*view.Listing, error) {
	d, err := f.decoder(set)
	if err != nil {
		return nil, err
	}
	f.set = set
	known, err := f.openFacts(set)
	if err != nil {
		return nil, err
	}
	return &view.Listing{
		Facts: known, Decoder: d, Addresses: f.addresses, Words: f.words, Jumps: f.jumps, Bare: f.plain,
		Palette: palette, File: f.file, Quiet: f.findings != "comment", MaxErrors: f.maxErrors,
	}, nil
}

// openFacts returns the source of facts about instructions, or nil without --facts.
func (f *disFlags) openFacts(set *isa.Set) (*facts.Machine, error) {
	if !f.facts {
		return nil, nil
	}
	known, err := facts.Open(set)
	if err != nil && f.documented { // a page can omit the effects
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return known.Choosing(f.withQuirks(set, nil))
}

// reporter returns a function that prints a finding on standard error.
func (f *disFlags) reporter(cmd *cobra.Command, name string, members program.Members) func(addr int64, text string) {
	return func(addr int64, text string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s%s: %s\n", inputName(name), members.Place(addr), text)
	}
}

// losslessPrinter returns a printer that adds the bits that the text of an instruction does not determine.
func (f *disFlags) losslessPrinter(set *isa.Set, l *view.Listing, labels *program.Labels) (func([]byte, isa.Inst) []byte, error) {
	if l.Image.Pieces != nil {
		return losslessPieces(set, l, labels), nil
	}
	p, err := f.parser(set)
	if err != nil {
		return nil, err
	}
	for i, t := range l.Image.Tables {
		p.Tables[i] = &asm.FixedTable{Entries: t}
	}
	if !l.Bare && labels != nil {
		p.Symbol = labels.Address
	}
	lossless := asm.NewLossless(l.Decoder, p)
	return func(dst []byte, in isa.Inst) []byte {
		text, ok := lossless.Append(dst, in)
		if !ok {
			return program.AppendData(dst, l.Decoder.Root(), in.Bits, in.Leaf.Size)
		}
		return text
	}, nil
}

// losslessPieces is like losslessPrinter, but for an image with pieces, which may have different roots and contexts.
func losslessPieces(set *isa.Set, l *view.Listing, labels *program.Labels) func([]byte, isa.Inst) []byte {
	type tools struct {
		p        *asm.Parser
		lossless *asm.Lossless
	}
	known := map[*isa.Decoder]tools{}
	return func(dst []byte, in isa.Inst) []byte {
		d := l.Current()
		x, ok := known[d]
		if !ok {
			x.p, _ = asm.New(set, d.Root().Name) // a root of the set
			if !l.Bare && labels != nil {
				x.p.Symbol = l.Symbol(labels)
			}
			x.lossless = asm.NewLossless(d, x.p)
			known[d] = x
		}
		x.p.SetContext(d.Context())
		text, ok := x.lossless.Append(dst, in)
		if !ok {
			return program.AppendData(dst, d.Root(), in.Bits, in.Leaf.Size)
		}
		return text
	}
}

// lines disassembles hexadecimal text with one instruction per line.
func (f *disFlags) lines(cmd *cobra.Command, name string, palette view.Palette) error {
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	known, err := f.openFacts(set)
	if err != nil {
		return err
	}
	var found atomic.Bool
	start := func() (lineFunc, error) {
		d, err := f.decoder(set)
		if err != nil {
			return nil, err
		}
		h := hexLines{disFlags: f, cmd: cmd, name: inputName(name), d: d, placer: program.NewPlacer(d), palette: palette, found: &found}
		h.writer.Facts = known
		if f.lossless {
			p, err := f.parser(set)
			if err != nil {
				return nil, err
			}
			h.printer = asm.NewLossless(d, p)
		}
		return h.line, nil
	}
	r, err := open(cmd, name)
	if err != nil {
		return err
	}
	defer r.Close()
	jobs := f.jobs
	if f.findings == "stderr" {
		jobs = 1 // findings must be printed in order
	}
	err = eachLine(cmd.Context(), r, bufio.NewWriterSize(cmd.OutOrStdout(), outputBuffer), jobs, start)
	if err == nil && found.Load() {
		return errFindings
	}
	return err
}

// hexLines disassembles lines of hexadecimal text.
type hexLines struct {
	*disFlags
	cmd     *cobra.Command
	name    string
	d       *isa.Decoder
	placer  *program.Placer
	printer *asm.Lossless // nil without --lossless
	palette view.Palette
	writer  view.JSON
	read    program.Line
	found   *atomic.Bool
	number  int
}

// line appends the text of the instruction in one line, or an error message.
func (h *hexLines) line(dst, text []byte, number int) []byte {
	h.number = number
	if err := tooLong(text); err != nil {
		return h.wrong(dst, text, err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return dst
	}
	if err := h.read.Parse(h.d.Set(), text); err != nil {
		return h.wrong(dst, text, err)
	}
	in, ok, err := h.placer.Prepare(&h.read)
	switch {
	case err != nil:
		return h.wrong(dst, text, err)
	case !ok:
		return h.unknown(dst, h.read.Word, h.read.Size(h.d.Root()))
	case h.json:
		return h.object(dst, in)
	case h.printer == nil:
		return h.appendFound(h.palette.Append(dst, h.d, in))
	}
	text, ok = h.printer.Append(dst, in)
	if !ok {
		return h.unknown(dst, in.Bits, in.Leaf.Size)
	}
	return h.appendFound(text)
}

// wrong appends the error message for a line that cannot be read.
func (h *hexLines) wrong(dst, line []byte, err error) []byte {
	h.found.Store(true)
	err = wrongLine(h.name, h.number, line, err)
	if h.json {
		return view.AppendError(dst, err)
	}
	return fmt.Appendf(dst, "error: %v", err)
}

// unknown appends the data directive or the JSON object for a word that is not an instruction.
func (h *hexLines) unknown(dst []byte, word bits.Value, size int) []byte {
	conflict := h.d.Conflict()
	finding := view.NoInstruction(conflict)
	h.report(finding)
	if h.json {
		return h.writer.Unknown(dst, h.d.Root(), 0, word, size, finding)
	}
	dst = program.AppendData(dst, h.d.Root(), word, size)
	if len(conflict) == 0 || h.disFlags.findings != "comment" {
		return dst
	}
	return view.AppendRemark(dst, h.d.Set(), finding)
}

// object appends an instruction as JSON.
func (h *hexLines) object(dst []byte, in isa.Inst) []byte {
	h.writer.Detail = h.detail()
	if h.printer == nil {
		dst = h.writer.Append(dst, h.d, in)
	} else {
		text, ok := h.printer.Append(nil, in)
		if !ok {
			return h.unknown(dst, in.Bits, in.Leaf.Size)
		}
		dst = h.writer.AppendText(dst, h.d, in, text)
	}
	h.reportFindings()
	return dst
}

// appendFound reports the findings of the last instruction. With --findings comment, it appends them as a comment.
func (h *hexLines) appendFound(dst []byte) []byte {
	h.reportFindings()
	if h.disFlags.findings == "comment" {
		return view.AppendFindings(dst, h.d)
	}
	return dst
}

func (h *hexLines) reportFindings() {
	if h.d.NumFindings() == 0 {
		return
	}
	h.found.Store(true)
	if h.findings != "stderr" {
		return
	}
	for _, f := range h.d.Findings() {
		h.report(f.Text)
	}
}

func (h *hexLines) report(finding string) {
	h.found.Store(true)
	if h.findings == "stderr" {
		fmt.Fprintf(h.cmd.ErrOrStderr(), "%s:%d: %s\n", h.name, h.number, finding)
	}
}
