package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/isago/isago/manual"
	"github.com/isago/isago/target/catalog"
)

func newManual() *cobra.Command {
	var f listFlags
	var dir string
	cmd := &cobra.Command{
		Use:     "manual [flags] -o DIR [FILE.xml]",
		GroupID: "code",
		Short:   "Write the reference of a machine as web pages",
		Long: `manual writes the reference of all machines, or of one, as a folder of web pages. Open DIR/index.html in a
browser. The pages need no server and no network.

Each instruction has a page: what it does, its text in each syntax, a picture of its bits, its fields with
their values, pseudo-code, quirks, hazards, and examples with their words. Other pages show the map and the
table of all encodings, operands, registers, values, functions, quirks, and how programs are stored and run.
On the page of a machine, you can paste a word to decode it.

manual writes a temporary folder and renames it to DIR when it is complete. It replaces an existing DIR only if
isago manual wrote that.

Exit status: 0; 1 if the description has mistakes or the folder cannot be written; 2 for a mistake on the
command line.`,
		Example: `  isago manual -o reference
  isago manual --isa pica200 -o reference
  isago manual --spec mygpu.xml -o reference`,
		Args: func(_ *cobra.Command, args []string) error { return f.useSpec(args) },
		RunE: func(cmd *cobra.Command, _ []string) error { return f.manual(cmd, dir) },
	}
	f.setFlags.add(cmd)
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write into the new folder `DIR`")
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

// manualMark is the file in a folder of web pages by which manual recognises such a folder.
const manualMark = "manual.js"

func (f *listFlags) manual(cmd *cobra.Command, dir string) error {
	if dir == "" {
		return usagef("--output is missing: the folder for the pages")
	}
	out, err := createFolder(cmd, dir, manualMark, "manual")
	if err != nil {
		return err
	}
	defer out.drop()
	sets, err := f.sets()
	if err != nil {
		return err
	}
	var machines []manual.Machine
	for _, set := range sets {
		m := manual.Machine{Name: setName(set), Set: set}
		if c, err := catalog.Lookup(set.Name()); err == nil && f.spec == "" {
			m.Title = c.Title
			for _, format := range c.Formats {
				m.Formats = append(m.Formats, format.Name)
			}
		}
		machines = append(machines, m)
	}
	p := progressOf(cmd)
	p.start("writing pages")
	defer p.end()
	pages := 0
	err = manual.Write(cmd.Context(), machines, func(done, all int) { p.report("writing pages, %d %%", 100*done/max(1, all)) }, func(file manual.File) error {
		if filepath.Ext(file.Name) == ".html" {
			pages++
		}
		return out.write(filepath.FromSlash(file.Name), file.Data)
	})
	if err != nil {
		return err
	}
	if err := out.done(); err != nil {
		return err
	}
	p.end()
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d pages; open %s in a browser\n", pages, filepath.Join(dir, "index.html"))
	return err
}
