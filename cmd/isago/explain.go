package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/survey"
	"github.com/isago/isago/view"
)

type explainFlags struct {
	machineFlags
	rangeFlags
	outputFlag
	json, nested, all bool
	// hex is set if the argument is a word, even if it could also be something else.
	hex bool
	// quirks holds the quirk values of the file that contains the instruction, by name.
	quirks map[string]string
}

func newExplain() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:     "explain [flags] [WORD | INSTRUCTION | MNEMONIC | FILE@PLACE | FILE:LINE]",
		GroupID: "code",
		Short:   "Explain an instruction bit by bit, or the code of a message",
		Long: `explain draws one instruction bit by bit, and lists each field with its value and its meaning. It also
prints what the instruction reads and writes, where control can go, and the quirks on which it depends.
Quirks are behaviour on which documents, emulators or hardware disagree.

The argument names the instruction:

  4e0a8001/36f      a word in hexadecimal, with table entries, each after a slash
  mov r0, v0        assembly text, as dis prints it
  mad               a mnemonic: all its forms, with bits, documentation, hazards and examples
  light.shbin@main  an instruction of a program: at a label, or at an address such as @0x1c, as dis
                    --addresses prints it, or at @main+3, three instructions after a label
  two.cubin:kern@0  an instruction in one program of a file that has several
  light.pica:9      line 9 of a source
  shaders@main      the same place in each program of a folder
  missing-end       the code of a message, as isago codes prints it

explain draws several places one after another. Without an argument, it reads standard input, unless that
is a terminal or another device. - reads standard input in any case. Each line is one
argument as above. explain skips labels and comments, and continues after an error.

With --hex, explain reads the argument as a word, even if it is also a mnemonic, such as add.

A mnemonic needs no --isa if only one machine has it. Fields that are 0 and not in the text share one line;
--all lists them.

Exit status: 0; 1 if the argument is not an instruction; 2 for a mistake on the command line; 3 if the
instruction has unexpected bits.`,
		Example: `  isago explain mad
  isago explain --isa pica200 4e0a8001/36f
  isago explain --isa pica200 "mad r0.xyz, v0, c4, r1"
  isago explain light.shbin@main+3`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := orStandardInput(cmd, args, "nothing to explain, expected a WORD, an INSTRUCTION, a MNEMONIC, FILE@PLACE or FILE:LINE")
			if err != nil {
				return err
			}
			list, err := f.places(cmd, args)
			if err != nil {
				return err
			}
			if len(list) > 0 {
				return outputTo(cmd, f.output, func() error { return f.several(cmd, list) })
			}
			text := strings.Join(args, " ")
			if text == "-" {
				return outputTo(cmd, f.output, func() error { return f.lines(cmd) })
			}
			at := diag.Span{Src: &diag.Source{Name: argument, Text: text}, End: len(text)}
			return outputTo(cmd, f.output, func() error { return f.run(cmd, text, at) })
		},
	}
	f.machineFlags.add(cmd)
	f.rangeFlags.add(cmd)
	f.outputFlag.add(cmd, outputFile)
	f.addOrder(cmd)
	f.addTables(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&f.hex, "hex", false, "read the argument as a word, even if it is also a mnemonic or the name of a file")
	cmd.Flags().BoolVar(&f.nested, "nested", false, "draw the fields inside operands instead of the operands")
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "also list fields that are 0 and not in the text")
	return cmd
}

// places returns the places that the arguments name. An argument names a place in one file, or the same place in each
// program of a folder. It returns nil if an argument is not a place, or if there is only one place and no folder.
func (f *explainFlags) places(cmd *cobra.Command, args []string) ([]input, error) {
	var list []input
	folders := false
	for _, arg := range args {
		if at, ok := locationOf(arg); ok && at != (location{file: arg}) {
			list = append(list, input{name: arg})
			continue
		}
		folder, place, ok := strings.Cut(arg, "@")
		if !ok || f.hex || !isFolder(folder) {
			return nil, nil
		}
		found, err := f.programFiles(cmd, []string{folder}, false)
		if err != nil {
			return nil, err
		}
		for _, in := range found {
			list = append(list, input{name: in.name + "@" + place})
		}
		folders = true
	}
	if len(list) < 2 && !folders {
		return nil, nil
	}
	return list, nil
}

// several draws the instructions at several places, each below the name of its place.
func (f *explainFlags) several(cmd *cobra.Command, list []input) error {
	var worst error
	for i, in := range list {
		if !f.json {
			fileHeading(cmd, i, in.name)
		}
		own := *f // each file selects its own machine
		err := own.run(cmd, in.name, diag.Span{Src: &diag.Source{Name: argument, Text: in.name}, End: len(in.name)})
		if worst, err = worseOf(cmd, worst, err); err != nil {
			return err
		}
	}
	return worst
}

// lines explains each line of standard input.
func (f *explainFlags) lines(cmd *cobra.Command) error {
	src, err := readSource(cmd, "-")
	if err != nil {
		return err
	}
	set := f.loaded()
	if f.given() && set == nil {
		_, err := f.load(nil)
		return err
	}
	var worst error
	off, drawn := 0, false
	for line := range strings.Lines(src.Text) {
		trimmed := strings.TrimSpace(line)
		start := off + strings.Index(line, trimmed)
		at := diag.Span{Src: src, Off: start, End: start + len(trimmed)}
		if set != nil {
			at = instructionIn(set, src, off, line)
		}
		if off += len(line); at.Off == at.End {
			continue
		}
		if drawn && !f.json {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		own := *f // each mnemonic selects its own machine
		err := own.run(cmd, src.Text[at.Off:at.End], at)
		drawn = err == nil || errors.Is(err, errFindings)
		if !drawn && !placed(err) {
			number, _ := at.LineCol()
			err = fmt.Errorf("%s:%d: %w", stdin, number, err)
		}
		if worst, err = worseOf(cmd, worst, err); err != nil {
			return err
		}
	}
	return worst
}

// run explains what the text names: a place, a code, a mnemonic, an instruction or a word. span is the position of the
// text for error messages.
func (f *explainFlags) run(cmd *cobra.Command, text string, span diag.Span) error {
	switch at, ok := locationOf(text); {
	case f.hex || !ok || at == location{file: text}:
	case at.line > 0:
		return f.lineOrMember(cmd, at)
	default:
		return f.place(cmd, at)
	}
	explain := f.anywhere
	if _, isCode := codeNamed(text); isCode && !isFile(text) && !f.hex {
		return printCodes(cmd, []string{text})
	}
	if f.given() || f.hex {
		explain = func(cmd *cobra.Command, text string) error {
			return f.explain(cmd, text, span)
		}
	}
	err := explain(cmd, text)
	switch {
	case err == nil || errors.Is(err, errFindings):
		return err
	case isFile(text):
		return usagef("%s is a file, expected one of its instructions: %[1]s@LABEL, %[1]s@ADDRESS, or in source %[1]s:LINE", text)
	}
	return cmp.Or(missingFile(text), withFile(text, err))
}

// withFile extends an error if the text looks like a file name: the message then starts by reporting that the file does
// not exist.
func withFile(text string, err error) error {
	var e *diag.Error
	if errors.As(err, &e) && strings.ContainsAny(text, "./\\") && !strings.ContainsAny(text, " \t") && !looksLikeWords(text) {
		e.Msg = fmt.Sprintf("file %s does not exist, and %s", text, e.Msg)
	}
	return err
}

// explain draws an instruction, a mnemonic or a word. at is the position of the text for error messages.
func (f *explainFlags) explain(cmd *cobra.Command, text string, at diag.Span) error {
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	d, err := f.decoder(set)
	if err != nil {
		return err
	}
	var wrong error // why the text is not an instruction
	if !f.hex {
		res, root, err := f.parse(set, text)
		if err == nil {
			if root != d.Root() {
				if d, err = f.decoderOf(set, root); err != nil {
					return err
				}
			}
			return f.draw(cmd, d, decodeResult(set, d, &res))
		}
		if forms := f.forms(set, text); len(forms) > 0 {
			return f.drawForms(cmd, set, forms)
		}
		wrong = err
	}
	d, in, err := f.word(set, d, text, wrong, at)
	if err != nil {
		return err
	}
	return f.draw(cmd, d, in)
}

// anywhere draws the forms of a mnemonic if exactly one machine has it, and returns an error otherwise.
func (f *explainFlags) anywhere(cmd *cobra.Command, mnemonic string) error {
	sets, err := (&setFlags{gen: f.gen, cmd: f.cmd}).sets() // without --syntax, because not all machines have it
	if err != nil {
		return err
	}
	var machines []string
	for _, set := range sets {
		if len(view.Forms(set, mnemonic)) > 0 {
			machines = append(machines, set.Name())
		}
	}
	// example is a template for new machines, so a real machine takes precedence
	if i := slices.Index(machines, "example"); len(machines) == 2 && i >= 0 {
		machines = slices.Delete(machines, i, i+1)
	}
	switch len(machines) {
	case 0:
		if err := notFound(mnemonic); err != nil {
			return err
		}
		_, err = f.load(nil) // which machine?
		return err
	case 1:
		f.isa = machines[0]
		return f.explain(cmd, mnemonic, diag.Span{})
	}
	return usagef("%s is an instruction of %s; choose one with --isa", mnemonic, strings.Join(machines, " and "))
}

// notFound returns the error for a text that is not a file, a code or a mnemonic. It returns nil if the text may be a
// word or an instruction.
func notFound(text string) error {
	if strings.ContainsAny(text, " \t,") || hexWord().MatchString(text) || isFile(text) {
		return nil
	}
	if fileName().MatchString(text) {
		_, err := os.Stat(text)
		return err
	}
	if near := quote.Nearest(text, knownCodes()); near != "" {
		return usagef("%q is not a file, and no machine has such a mnemonic; did you mean the code %s?", text, near)
	}
	return usagef("%q is not a file or a code, and no machine has such a mnemonic; choose a machine with --isa NAME or --spec FILE to explain other text", text)
}

var (
	// hexWord matches a word with its table entries.
	hexWord = lazy.Regexp(`^(?:0[xX])?[0-9a-fA-F]+(?:/[0-9a-fA-F]*)*$`)
	// fileName matches a text with a file extension or a path separator.
	fileName = lazy.Regexp(`[/\\]|[^.]\.[A-Za-z][A-Za-z0-9]*$`)
)

// roots returns the roots that explain searches: the root of --root, or all instruction roots.
func (f *explainFlags) roots(set *isa.Set) []*isa.Root {
	if f.root == "" {
		return set.InstructionRoots()
	}
	r, err := set.Root(f.root)
	if err != nil {
		return nil
	}
	return []*isa.Root{r}
}

func (f *explainFlags) forms(set *isa.Set, mnemonic string) []*isa.Leaf {
	roots := f.roots(set)
	return slices.DeleteFunc(view.Forms(set, mnemonic), func(l *isa.Leaf) bool { return !slices.Contains(roots, l.Root) })
}

// decoderOf returns a decoder for the flags with another root.
func (f *explainFlags) decoderOf(set *isa.Set, root *isa.Root) (*isa.Decoder, error) {
	other := f.machineFlags
	other.root = root.Name
	return other.decoder(set)
}

// parse parses a text as an instruction of the first root that accepts it. If no root accepts the text, parse returns
// the error of the first root.
func (f *explainFlags) parse(set *isa.Set, text string) (asm.Result, *isa.Root, error) {
	var first error
	for _, r := range f.roots(set) {
		other := f.machineFlags
		other.root = r.Name
		p, err := other.parser(set)
		if err != nil {
			return asm.Result{}, nil, err
		}
		tables, err := f.readTables(set)
		if err != nil {
			return asm.Result{}, nil, err
		}
		for i, t := range tables {
			if t != nil {
				p.Tables[i] = &asm.FixedTable{Entries: t}
			}
		}
		res, err := p.Parse(text)
		if err == nil {
			return res, r, nil
		}
		if first == nil {
			first = err
		}
	}
	return asm.Result{}, nil, first
}

func (f *explainFlags) options(cmd *cobra.Command) view.ExplainOptions {
	return view.ExplainOptions{Nested: f.nested, All: f.all, Width: textWidth(cmd.OutOrStdout())}
}

// draw draws an instruction.
func (f *explainFlags) draw(cmd *cobra.Command, d *isa.Decoder, in isa.Inst) error {
	palette, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	known, err := facts.Open(d.Set())
	if err == nil {
		known, err = known.Choosing(f.withQuirks(d.Set(), f.quirks))
	}
	if err != nil {
		known = nil // the description has no semantics
	}
	if f.json {
		err = printJSON(out, json.RawMessage((&view.JSON{Detail: view.WithDocs, Facts: known}).Append(nil, d, in)))
	} else {
		opt := f.options(cmd)
		opt.Facts = known
		err = view.Explain(out, d, in, palette, opt)
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		return err
	}
	if d.NumFindings() > 0 {
		return errFindings
	}
	return nil
}

// drawForms draws the forms of a mnemonic.
func (f *explainFlags) drawForms(cmd *cobra.Command, set *isa.Set, forms []*isa.Leaf) error {
	palette, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	known, err := facts.Open(set)
	if err != nil {
		known = nil // the description has no semantics
	}
	if f.json {
		list := instructionsOf(forms)
		for i, l := range forms {
			if known != nil {
				list[i].Quirks = known.QuirksOfLeaf(l)
			}
		}
		return printJSON(cmd.OutOrStdout(), list)
	}
	opt := f.options(cmd)
	opt.Facts = known
	out := bufio.NewWriter(cmd.OutOrStdout())
	for i, l := range forms {
		d, err := f.decoderOf(set, l.Root)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := view.ExplainForm(out, d, l, palette, opt); err != nil {
			return err
		}
	}
	return out.Flush()
}

// word decodes a word in hexadecimal, and returns the decoder and the instruction. wrong is the error of parsing the
// text as an instruction, or nil.
func (f *explainFlags) word(set *isa.Set, d *isa.Decoder, text string, wrong error, at diag.Span) (*isa.Decoder, isa.Inst, error) {
	line, hexErr := program.ParseLine(set, text)
	if hexErr != nil {
		var e *asm.Error
		if looksLikeHex(text) || !errors.As(wrong, &e) {
			return d, isa.Inst{}, inArgument(at, hexErr)
		}
		return d, isa.Inst{}, e.At(at.Src, at.Off)
	}
	var first error
	for _, r := range f.roots(set) {
		dr, err := f.decoderOf(set, r)
		if err != nil {
			return d, isa.Inst{}, err
		}
		in, ok, err := line.Prepare(dr)
		if err == nil && ok {
			return dr, in, nil
		}
		if err == nil {
			err = unknownWord(set, r, dr.Conflict(), line.Word, line.Size(r))
		}
		if first == nil {
			first = err
		}
	}
	return d, isa.Inst{}, inArgument(at, first)
}

// unknownWord returns the error for a word that matches no instruction, or two instructions.
func unknownWord(set *isa.Set, root *isa.Root, conflict []*isa.Leaf, word bits.Value, size int) error {
	digits := word.AppendHex(nil, (size+3)/4)
	if len(conflict) < 2 {
		e := diag.Errorf(diag.UnknownWord, diag.Span{}, "no instruction of %s has the bits %s", setName(set), digits)
		for _, s := range survey.NearestShapes(root, word, nearestShown) {
			e.Help = append(e.Help, "the nearest is "+s.Describe(root))
		}
		return e
	}
	e := diag.Errorf(diag.UnknownWord, diag.Span{}, "%s: %s", digits, view.NoInstruction(conflict))
	for _, l := range conflict {
		e = e.With(inside.Leaf(l).Spec.Span, "%s is defined here", l.Display)
	}
	return e
}

// nearestShown is the maximum number of similar instructions in the error for an unknown word.
const nearestShown = 3

// inArgument sets the position of an error without a position to the whole argument.
func inArgument(at diag.Span, err error) error {
	var e *diag.Error
	if errors.As(err, &e) && !e.Span.IsValid() {
		e.Span = at
	}
	return err
}

// looksLikeHex reports whether a text that is neither hex nor an instruction was probably meant as hex.
func looksLikeHex(text string) bool {
	return text != "" && text[0] >= '0' && text[0] <= '9' || strings.Contains(text, "/")
}

// decodeResult decodes an instruction that was parsed from text, with the context and the table entries of the text.
func decodeResult(set *isa.Set, d *isa.Decoder, res *asm.Result) isa.Inst {
	tables := make([][]bits.Value, len(set.Tables()))
	for _, e := range res.Entries {
		for len(tables[e.Table]) <= e.Index {
			tables[e.Table] = append(tables[e.Table], bits.Value{})
		}
		tables[e.Table][e.Index] = e.Value
	}
	d.SetTables(tables)
	d.SetContext(res.Context)
	if in, ok := d.Decode(res.Inst.Bits); ok {
		return in
	}
	return res.Inst
}
