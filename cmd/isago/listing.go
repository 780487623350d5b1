package main

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
	"github.com/isago/isago/view"
)

// listingFlags are the flags for labels, entry points and errors in a listing. Mesa's tools have corresponding flags.
type listingFlags struct {
	compat string
	labels bool
	// labelLimit is the maximum size in bytes of raw code that has labels without --labels.
	labelLimit int64
	entries    []string
	maxErrors  int
}

func (f *listingFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.labels, "labels", false, "name the targets of branches (default: yes, except with --compat mesa and for code above --label-limit)")
	f.labelLimit = defaultLabelLimit
	flags.Var(amount[int64]{&f.labelLimit, 0}, "label-limit", "print raw code larger than `BYTES` while it is read, with numbers in place of labels")
	flags.StringArrayVar(&f.entries, "entry", nil, "name an entry point as `N=NAME`: instruction N, counted from 0")
	flags.Var(amount[int]{&f.maxErrors, 0}, "max-errors", "stop after more than `N` unknown words in a row; 0 never stops")
	flags.StringVar(&f.compat, "compat", "", "print like another `TOOL`: mesa is Mesa's isaspec, including its defects")
	complete(cmd, "compat", fixed("mesa"))
}

// checkListing returns an error for an invalid combination of flags.
func (f *disFlags) checkListing() error {
	switch {
	case f.compat != "" && f.compat != "mesa":
		return usagef("--compat %q, expected mesa", f.compat)
	case f.compat != "" && (f.json || f.lossless || f.addresses || f.words || f.jumps || f.listing):
		return usagef("--compat mesa cannot be combined with --json, --lossless, --addresses, --words, --jumps or --listing")
	case f.compat != "" && f.findings == "stderr":
		return usagef("--findings stderr cannot be combined with --compat mesa, expected comment or off")
	case f.plain && (f.labels || len(f.entries) > 0):
		return usagef("--labels and --entry cannot be combined with --plain")
	case f.maxErrors < 0:
		return usagef("--max-errors %d, expected 0 or more", f.maxErrors)
	}
	return nil
}

// placed parses the values of --entry.
func (f *listingFlags) placed() ([]view.MesaEntry, error) {
	var list []view.MesaEntry
	for _, e := range f.entries {
		place, name, ok := strings.Cut(e, "=")
		n, err := strconv.ParseUint(place, 0, 31)
		if !ok || err != nil || name == "" {
			return nil, usagef("--entry %q, expected N=NAME, where N is the number of an instruction", e)
		}
		list = append(list, view.MesaEntry{Name: name, Index: int(n)})
	}
	return list, nil
}

// addEntries adds the entry points of --entry to an image. It returns an error if instructions have several lengths.
func (f *listingFlags) addEntries(im *program.Image, root *isa.Root) error {
	entries, err := f.placed()
	if err != nil || len(entries) == 0 {
		return err
	}
	if root.MinSize != root.Size {
		return usagef("--entry needs instructions of one length, but this machine has several")
	}
	unit := int64(root.StoredSize(root.Size))
	for _, e := range entries {
		im.Entries = append(im.Entries, program.Entry{Name: e.Name, Addr: int64(e.Index) * unit})
	}
	return nil
}

// mesa prints a program as Mesa's isaspec does. With --hex it reads one instruction per line.
func (f *disFlags) mesa(cmd *cobra.Command, name string) error {
	l, set, err := f.mesaListing()
	if err != nil {
		return err
	}
	if f.hex {
		err = f.mesaLines(cmd, name, set, l)
	} else {
		err = f.mesaImage(cmd, name, l)
	}
	if err != nil {
		return err
	}
	progress := progressOf(cmd)
	l.Progress = func(done, all int) { progress.report("%s: %d %%", inputName(name), 100*done/all) }
	w := bufio.NewWriterSize(cmd.OutOrStdout(), outputBuffer)
	bad, err := l.Write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && bad > 0 {
		return errFindings
	}
	return err
}

// mesaListing returns a listing without words, and its instruction set.
func (f *disFlags) mesaListing() (*view.Mesa, *isa.Set, error) {
	set, err := f.load(nil)
	if err != nil {
		return nil, nil, err
	}
	if slices.Contains(set.Syntaxes(), "mesa") {
		return nil, nil, usagef("--compat mesa needs a description that Mesa's isaspec can read, and %s is not one; --syntax mesa prints it as Mesa's disassembler does", setName(set))
	}
	p, err := mesa.New(set, f.root)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	if p.Custom, err = f.printer(); err != nil {
		return nil, nil, err
	}
	entries, err := f.placed()
	if err != nil {
		return nil, nil, err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return &view.Mesa{
		Printer: p, Digits: (root.Size + 31) / 32 * 8, Labels: f.labels, Entries: entries,
		Findings: f.findings == "comment", MaxErrors: f.maxErrors,
	}, set, nil
}

func (f *disFlags) mesaImage(cmd *cobra.Command, name string, l *view.Mesa) error {
	in, err := f.openPart(cmd, name)
	if err != nil {
		return err
	}
	defer in.Close()
	set, im, err := f.readImage(name, in)
	if err != nil {
		return err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return err
	}
	unit := int64(root.StoredSize(root.Size))
	for addr := int64(0); addr < im.Size(); addr += unit {
		v, _ := im.At(addr, root, root.Size)
		l.Words = append(l.Words, v)
	}
	return nil
}

func (f *disFlags) mesaLines(cmd *cobra.Command, name string, set *isa.Set, l *view.Mesa) error {
	data, err := readAll(cmd, name)
	if err != nil {
		return err
	}
	n := 0
	for text := range bytes.Lines(data) {
		if n++; len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var line program.Line
		if err := line.Parse(set, bytes.TrimRight(text, "\r\n")); err != nil {
			return wrongLine(name, n, text, err)
		}
		l.Words = append(l.Words, line.Word)
	}
	return nil
}
