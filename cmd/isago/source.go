package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/internal/textfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// sourceFlags are the flags for compiling source into files.
type sourceFlags struct {
	header string
	format string
	// spelling is the syntax of the source, and target is the format of the file. All flags together determine them.
	spelling, target string
	noNop            bool
	compat           string
	noWarn           []string
	werror, each     bool
	// convert converts the compiler's file to the output; nil writes the file unchanged.
	convert func(file []byte) ([]byte, error)
	// order is the byte order of the file if its source states none.
	order program.Order
	// processors is the maximum number of processors for one source.
	processors int
	// contexts returns the context values of the command line, and is nil for a command without --context.
	contexts func(*isa.Set) (bits.Value, error)
}

func (f *sourceFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.header, "header", "", "write a C header to `FILE`, with the registers of the uniforms")
	flags.StringVar(&f.format, "format", "", "write the format `NAME`: c (C arrays) or raw (bytes of the code) for every machine; also vp (default), high, low, hex or host1x for tegra, and bin (default) or hex for a2xx and tesla")
	flags.BoolVarP(&f.noNop, "no-nop", "n", false, "warn if a block needs a nop at its end, instead of adding one")
	flags.StringVar(&f.compat, "compat", "", "repeat the misreadings of `TOOL`: picasso, for pica200")
	noWarnFlag(cmd, &f.noWarn)
	flags.BoolVar(&f.werror, "werror", false, "treat warnings as errors")
	flags.BoolVar(&f.each, "each", false, "write one file for each source, into the folder of -o")
}

// check returns an error if --no-warn names an unknown warning.
func (f *sourceFlags) check() error {
	for _, name := range f.noWarn {
		if names := warningNames(); name != allWarnings && !slices.Contains(names, name) {
			return usagef("--no-warn %q, expected all or a warning from isago help codes%s", name, quote.DidYouMean(name, names))
		}
	}
	return nil
}

// noWarnFlag adds --no-warn, a list of names of warnings.
func noWarnFlag(cmd *cobra.Command, names *[]string) {
	cmd.Flags().StringSliceVar(names, "no-warn", nil, "hide the warning `NAME`, or several separated by commas; all hides every warning")
	complete(cmd, "no-warn", func() []string { return append(warningNames(), allWarnings) })
}

// allWarnings is the name for all warnings.
const allWarnings = "all"

func warningNames() []string {
	var names []string
	for _, w := range diag.Warnings() {
		names = append(names, string(w))
	}
	return names
}

// formats returns the values of --format for the machine that the flags name.
func (f *asmFlags) formats() []string {
	m, _ := catalog.Lookup(f.isa) // an unknown machine has only the formats of all machines
	list := slices.Clone(m.Outputs)
	for _, name := range []string{formatC, formatRaw} {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// compats returns the values of --compat for the machine that the flags name.
func (f *asmFlags) compats() []string {
	m, err := catalog.Lookup(f.isa)
	if err != nil {
		return nil
	}
	return m.Compat
}

// wanted removes the warnings that --no-warn hides. It replaces the warnings beyond the printing limit with their
// number. With --werror it returns the warnings as an error.
func (f *sourceFlags) wanted(list diag.List) (diag.List, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(e *diag.Error) bool {
		return slices.Contains(f.noWarn, string(e.Code)) || slices.Contains(f.noWarn, allWarnings)
	})
	if !f.werror || len(list) == 0 {
		return list.Capped("warning"), nil
	}
	for i, e := range list {
		hard := *e
		hard.Level = diag.Mistake
		list[i] = &hard
	}
	return nil, list.Capped("mistake")
}

// recognise recognises the machine of the first source. It sets f.isa if no flag names a machine. It sets f.isSource if
// the source is in the language of the machine. done releases the copy of standard input.
func (f *asmFlags) recognise(cmd *cobra.Command, names []string) (done func() error, err error) {
	none := func() error { return nil }
	if len(names) == 0 || f.spec != "" || f.plain {
		return none, nil
	}
	src, in, err := openText(cmd, names[0])
	if err != nil {
		return none, err
	}
	m, ok, err := catalog.RecogniseText(src)
	if ok && f.isa == "" {
		f.isa = m.Name
	}
	f.isSource = ok && f.isa == m.Name
	if names[0] == "-" {
		cmd.SetIn(io.NewSectionReader(in, 0, in.size))
		return in.Close, err
	}
	return none, errors.Join(err, in.Close())
}

// compiler returns the compiler for the flags, or nil if the source is a generic program.
func (f *asmFlags) compiler() (program.Compiler, error) {
	m, err := catalog.Lookup(f.isa)
	own := true
	if err == nil && f.spec == "" {
		if own, err = f.isSourceSyntax(&m); err != nil {
			return nil, err
		}
	}
	switch {
	case f.plain || f.isa == "" || f.spec != "" || f.root != "" || err != nil || m.NewCompiler == nil,
		(f.hex && !f.isSource || !own || f.format != "" && !isCodeFormat(f.format)) && m.Outputs == nil:
		switch {
		case f.format != "" && !isCodeFormat(f.format):
			return nil, usagef("--format %q, expected %s or %s; other formats exist only for programs of some machines, such as tegra", f.format, formatC, formatRaw)
		case f.format != "" && f.plain:
			return nil, usagef("--plain cannot be combined with --format")
		case f.format != "" && f.hex:
			return nil, usagef("--hex cannot be combined with --format")
		}
		if f.compat != "" {
			return nil, f.noCompat(nil)
		}
		return nil, nil // loading the machine reports an unknown name
	case f.hex && f.format != "":
		return nil, usagef("--hex cannot be combined with --format")
	case f.compat != "" && !slices.Contains(m.Compat, f.compat):
		return nil, f.noCompat(m.Compat)
	case f.format != "" && !slices.Contains(f.formats(), f.format):
		return nil, usagef("--format %q, expected one of %s", f.format, strings.Join(f.formats(), ", "))
	}
	return m.NewCompiler()
}

// noCompat is the error for a --compat that a machine does not have.
func (f *sourceFlags) noCompat(known []string) error {
	if len(known) > 0 {
		return usagef("--compat %q, expected %s", f.compat, strings.Join(known, " or "))
	}
	return usagef("--compat applies only to source in the dialect of another assembler, such as picasso")
}

// hexFormat is the format that --hex selects.
const hexFormat = "hex"

// compileFiles compiles the named sources into files.
func (f *asmFlags) compileFiles(cmd *cobra.Command, c program.Compiler, names []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.checkContexts(nil); err != nil {
		return err
	}
	f.sourceFlags.contexts, f.processors = f.context, f.jobs
	f.sourceFlags.order = program.Order{Big: f.product.ByteOrder == byteOrders[1] && slices.Index(f.formats(), f.format) <= 0 && !f.hex}
	f.spelling, f.target = f.syntax, f.format
	if m, err := catalog.Lookup(f.isa); f.hex && err == nil {
		f.target = hexFormat
		if m.Outputs == nil {
			f.target, f.convert = "", f.hexOf
		}
	}
	if m, err := catalog.Lookup(f.isa); err == nil && isCodeFormat(f.format) && !slices.Contains(m.Outputs, f.format) {
		f.target, f.convert = "", f.codeOfFile
	}
	if f.each {
		return f.compileEach(cmd, names)
	}
	if f.output == "-" && f.header == "-" {
		return usagef("the output and its header would both go to standard output")
	}
	return f.compile(cmd, c, names, f.output)
}

// hexOf returns the code of a compiled file as hexadecimal text, one instruction per line.
func (f *asmFlags) hexOf(file []byte) ([]byte, error) {
	l, err := f.listingFrom(f.output, file)
	if err != nil {
		return nil, err
	}
	w := newWordWriter(l.Decoder.Set(), l.Decoder.Root(), true)
	var buf []byte
	var fields []isa.Field
	l.Each(func(x view.Decoded) bool {
		word := source.Word{Word: x.Word, Size: x.Decoder.Root().MinSize}
		if x.Known {
			word.Size = x.Inst.Leaf.Size
			fields = x.Decoder.FieldValues(fields[:0], x.Inst)
			word.Entries = entriesOf(x.Decoder, fields)
		}
		buf = append(w.append(buf, &word), '\n')
		return true
	})
	return buf, nil
}

// entriesOf lists the table entries that index fields select.
func entriesOf(d *isa.Decoder, fields []isa.Field) []asm.Entry {
	var list []asm.Entry
	for i := range fields {
		for t, table := range d.Set().Tables() {
			if f := &fields[i]; f.Index && f.IndexOf == table.Name {
				n := int(f.Value[0])
				list = append(list, asm.Entry{Table: t, Index: n, Value: d.TableEntry(t, n)})
			}
		}
	}
	return list
}

// compile compiles sources into one file.
func (f *sourceFlags) compile(cmd *cobra.Command, c program.Compiler, names []string, output string) error {
	out, err := compiled(cmd, c, names, program.CompileOptions{NoPad: f.noNop, Format: f.target, Syntax: f.spelling, Compat: f.compat, Context: f.contexts, Jobs: f.processors})
	if err != nil {
		return err
	}
	if err := sessionOf(cmd).files.mayWrite(output, f.header); err != nil {
		return err
	}
	warnings, err := f.wanted(out.Warnings)
	if err != nil {
		return err
	}
	if len(warnings) > 0 {
		fmt.Fprint(cmd.ErrOrStderr(), explain(cmd, warnings))
	}
	if f.convert != nil {
		if out.Bytes, err = f.convert(out.Bytes); err != nil {
			return err
		}
	}
	if out.Order == (program.Order{}) {
		out.Order = f.order // the source states none
	}
	if f.convert == nil {
		out.Order.Arrange(out.Bytes, 4)
	}
	if err := writeFile(cmd, output, out.Bytes); err != nil || f.header == "" {
		return err
	}
	return writeFile(cmd, f.header, out.Header)
}

// compiled runs a compiler on the named sources.
func compiled(cmd *cobra.Command, c program.Compiler, names []string, opt program.CompileOptions) (*program.Compiled, error) {
	progress := progressOf(cmd)
	progress.start("%s: assembling", inputName(names[0]))
	defer progress.end()
	if reader, ok := c.(program.TextCompiler); ok && len(names) == 1 {
		src, in, err := openText(cmd, names[0])
		if err != nil {
			return nil, err
		}
		out, err := reader.CompileText(src, opt)
		return out, cmp.Or(err, in.Close())
	}
	var files []*diag.Source
	for _, name := range names {
		src, err := readSource(cmd, name)
		if err != nil {
			return nil, err
		}
		files = append(files, src)
	}
	return c.Compile(files, opt)
}

// writeFile writes data to a file; the name - is standard output.
func writeFile(cmd *cobra.Command, name string, data []byte) error {
	if name == "-" && bytes.IndexByte(data, 0) >= 0 && isTerminal(cmd.OutOrStdout()) { // formats that are text have no 0
		return errBytes
	}
	out, err := createSized(cmd, name, len(data))
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return out.done(err)
}

// openText opens a source for reading piece by piece. The source is usable until the input is closed.
func openText(cmd *cobra.Command, name string) (*program.Text, *code, error) {
	in, err := openCode(cmd, name)
	if err != nil {
		return nil, nil, err
	}
	head, err := in.head()
	switch {
	case err != nil:
	case textfile.IsUTF16(string(head)):
		err = fileError(name, errUTF16)
	case bytes.IndexByte(head, 0) >= 0:
		err = fileError(name, errBinary)
	}
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	if n := len(textfile.ByteOrderMark); bytes.HasPrefix(head, []byte(textfile.ByteOrderMark)) {
		in.size -= int64(n)
		in.ReaderAt = io.NewSectionReader(in.ReaderAt, int64(n), in.size)
	}
	return program.OpenText(inputName(name), in, in.size), in, nil
}

func readSource(cmd *cobra.Command, name string) (*diag.Source, error) {
	src, in, err := openText(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return src.Whole()
}

// compileEach compiles each source into a separate file, on all processors. It prints warnings and returns errors in
// the order of the names.
func (f *asmFlags) compileEach(cmd *cobra.Command, names []string) error {
	if f.output == "-" || f.header != "" {
		return usagef("--each needs -o DIR and cannot be combined with --header")
	}
	files := &sessionOf(cmd).files
	outputs, err := f.eachOutput(names)
	if err == nil {
		err = files.willRead(names)
	}
	if err == nil {
		err = files.mayWrite(outputs...)
	}
	if err == nil {
		err = os.MkdirAll(f.output, 0o777)
	}
	if err != nil {
		return err
	}
	f.processors = 1 // for each
	results := make([]eachResult, len(names))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		wg.Go(func() {
			c, err := f.compiler()
			for i := range next {
				if results[i].err = err; err == nil {
					results[i].run(cmd.Context(), f, c, names[i], outputs[i])
				}
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	wg.Wait()
	var errs []error
	for i := range results {
		fmt.Fprint(cmd.ErrOrStderr(), results[i].warnings.String())
		errs = append(errs, results[i].err)
	}
	return joined(errs)
}

// eachResult is the result of compiling one source.
type eachResult struct {
	warnings bytes.Buffer
	err      error
}

func (r *eachResult) run(ctx context.Context, f *asmFlags, c program.Compiler, name, output string) {
	own := &cobra.Command{} // a command with its own streams
	own.SetContext(ctx)
	own.SetErr(&r.warnings)
	r.err = f.compile(own, c, []string{name}, output)
}

// eachOutput returns the output of each source, named after the source. It returns an error if two sources have the
// same output.
func (f *asmFlags) eachOutput(names []string) (outputs []string, err error) {
	first := map[string]string{}
	for _, name := range names {
		if name == "-" {
			return nil, usagef("--each names each output after its source, and standard input has no name")
		}
		base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		output := filepath.Join(f.output, base+f.extension())
		if other, ok := first[output]; ok {
			return nil, usagef("--each would write %s for both %s and %s", output, other, name)
		}
		first[output] = name
		outputs = append(outputs, output)
	}
	return outputs, nil
}

// extension returns the suffix of the files that --each writes.
func (f *asmFlags) extension() string {
	m, err := catalog.Lookup(f.isa)
	switch {
	case f.format != "":
		return "." + f.format
	case f.target != "":
		return "." + f.target
	case err == nil && len(m.Outputs) > 0:
		return "." + m.Outputs[0]
	}
	return ".shbin"
}

// joined combines several errors. The result is one list of diagnostics if all of the errors are such lists.
func joined(errs []error) error {
	var list diag.List
	for _, err := range errs {
		var some diag.List
		if errors.As(err, &some) {
			list = append(list, some...)
		} else if err != nil {
			return errors.Join(errs...)
		}
	}
	return list.Err()
}

// wantsSource reports whether the flags allow dis to print source instead of a listing.
func (f *disFlags) wantsSource(cmd *cobra.Command) bool {
	if f.listing || f.documented || f.spec != "" || f.member != "" {
		return false
	}
	for _, name := range []string{"plain", "json", "addresses", "words", "jumps", "lossless", "findings", "root", "labels", "entry", "max-errors"} {
		if cmd.Flags().Changed(name) {
			return false
		}
	}
	return true
}

// source prints a file as source. done is false if there is no source to print, for example because the format has none
// or --isa names another machine.
func (f *disFlags) source(cmd *cobra.Command, name string, in *code, palette view.Palette) (done bool, err error) {
	head, err := in.head()
	if err != nil {
		return false, err
	}
	m, format, known := f.recognise(head)
	if !known || format.Source == nil && format.SourceIn == nil || f.isa != "" && f.isa != m.Name {
		return false, nil
	}
	if own, err := f.isSourceSyntax(&m); err != nil || !own && format.SourceIn == nil {
		return false, err
	}
	if err := f.checkContexts(&m); err != nil {
		return true, err
	}
	data, err := in.all()
	if err != nil {
		return false, err
	}
	text, err := f.formatSource(&m, format, data)
	if err != nil {
		return true, fileError(name, err)
	}
	return true, f.writeSource(cmd, &m, palette, text)
}

// formatSource returns the source of a file of a format that has source.
func (f *disFlags) formatSource(m *catalog.Machine, format catalog.Format, data []byte) ([]byte, error) {
	if format.SourceIn == nil {
		return format.Source(data)
	}
	set, err := f.load(m)
	if err != nil {
		return nil, err
	}
	return format.SourceIn(set, data)
}

// writeSource prints the source of a program, in colour unless the palette is empty.
func (f *disFlags) writeSource(cmd *cobra.Command, m *catalog.Machine, palette view.Palette, text []byte) error {
	if palette != (view.Palette{}) {
		set, err := f.load(m)
		if err != nil {
			return err
		}
		text = palette.Source(nil, set, text)
	}
	_, err := cmd.OutOrStdout().Write(text)
	return err
}
