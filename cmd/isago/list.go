package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

type listFlags struct {
	machineFlags
	json bool
}

func newList() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:     "list [flags] [FILE]",
		GroupID: "code",
		Short:   "Show the machines, or what a file contains",
		Long: `list shows the machines that isago knows, their roots, contexts, spellings and tables; with --isa
or --spec those of one machine; with FILE what the file contains.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("isago list: %d files, expected one or none", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return f.file(cmd, args[0])
			}
			return f.machines(cmd)
		},
	}
	f.machineFlags.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "the same as JSON")
	return cmd
}

// machine is a machine as list shows it.
type machine struct {
	Name         string            `json:"name"`
	Title        string            `json:"title,omitempty"`
	Formats      []string          `json:"formats,omitempty"`
	Roots        []root            `json:"roots"`
	Contexts     []isa.ContextInfo `json:"contexts,omitempty"`
	Syntaxes     []string          `json:"syntaxes,omitempty"`
	Tables       []isa.TableInfo   `json:"tables,omitempty"`
	Instructions int               `json:"instructions"`
}

type root struct {
	Name    string `json:"name"`
	Bits    int    `json:"bits"`
	MinBits int    `json:"min_bits"`
	Leaves  int    `json:"leaves"`
}

func (f *listFlags) machines(cmd *cobra.Command) error {
	var list []machine
	if f.given() {
		set, err := f.load(nil)
		if err != nil {
			return err
		}
		list = append(list, describe(set))
		if m, err := catalog.Lookup(f.isa); err == nil {
			list[0].about(m)
		}
	} else {
		for _, m := range catalog.Machines() {
			set, err := m.Load(isa.Options{Gen: f.gen})
			if err != nil {
				return err
			}
			d := describe(set)
			d.about(m)
			list = append(list, d)
		}
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), list)
	}
	for i, m := range list {
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		m.print(cmd.OutOrStdout())
	}
	return nil
}

func describe(set *isa.Set) machine {
	m := machine{Name: set.Name(), Contexts: set.Contexts(), Tables: set.Tables()}
	for _, s := range set.Syntaxes() {
		if s != "" {
			m.Syntaxes = append(m.Syntaxes, s)
		}
	}
	main, _ := set.Root("")
	for _, r := range set.Roots() {
		m.Roots = append(m.Roots, root{r.Name, r.Size, r.MinSize, len(r.Leaves)})
		if r == main {
			m.Instructions = len(r.Leaves)
		}
	}
	return m
}

func (m *machine) about(c catalog.Machine) {
	m.Name, m.Title = c.Name, c.Title
	for _, f := range c.Formats {
		m.Formats = append(m.Formats, f.Name)
	}
}

func (m *machine) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", strings.TrimRight(m.Name+"  "+m.Title, " "))
	fmt.Fprintf(w, "  instructions  %d\n", m.Instructions)
	if len(m.Formats) > 0 {
		fmt.Fprintf(w, "  formats       %s\n", strings.Join(m.Formats, ", "))
	}
	var roots []string
	for _, r := range m.Roots {
		size := fmt.Sprint(r.Bits)
		if r.MinBits != r.Bits {
			size = fmt.Sprintf("%d-%d", r.MinBits, r.Bits)
		}
		roots = append(roots, fmt.Sprintf("%s (%s bits)", strings.TrimPrefix(r.Name, "#"), size))
	}
	printWrapped(w, "roots", roots)
	for _, c := range m.Contexts {
		fmt.Fprintf(w, "  --%-12s%s\n", c.Name, strings.Join(c.Values, ", "))
	}
	for _, t := range m.Tables {
		fmt.Fprintf(w, "  table         %s, %d entries of %d bits\n", t.Name, t.Size, t.Bits)
	}
	if len(m.Syntaxes) > 0 {
		fmt.Fprintf(w, "  --syntax      %s\n", strings.Join(m.Syntaxes, ", "))
	}
}

// printWrapped prints a list in lines of at most 80 columns.
func printWrapped(w io.Writer, title string, words []string) {
	const indent, columns = 16, 80
	line := fmt.Sprintf("  %-14s", title)
	for i, word := range words {
		if i < len(words)-1 {
			word += ","
		}
		if len(line)+len(word) > columns && len(line) > indent {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", indent)
		}
		line += word + " "
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

func (f *listFlags) file(cmd *cobra.Command, name string) error {
	set, im, err := f.readImage(cmd, name)
	if err != nil {
		return err
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), struct {
			File     string         `json:"file"`
			Machine  string         `json:"machine"`
			Format   string         `json:"format"`
			Words    int            `json:"words"`
			Contents []program.Part `json:"contents,omitempty"`
		}{name, set.Name(), im.Format, len(im.Words), im.Contents})
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s: %s of %s, %d words of code\n", inputName(name), im.Format, setName(set), len(im.Words))
	for _, part := range im.Contents {
		fmt.Fprintf(out, "\n%s\n", part.Title)
		for _, line := range part.Lines {
			fmt.Fprintf(out, "  %s\n", line)
		}
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
