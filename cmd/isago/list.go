package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

type listFlags struct {
	setFlags
	json, instructions, registers, quirks bool
}

func newList() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:     "list [flags] [FILE]",
		GroupID: "code",
		Short:   "List the machines, or the contents of a file",
		Long: `For each machine, list shows the number of instructions, the names that --isa accepts, file formats, roots,
contexts, tables and syntaxes. --isa or --spec selects one machine. With FILE, list shows what the file
contains; - is standard input.

--instructions lists instructions instead: mnemonic, text and documentation.

--registers lists registers, stacks and memories instead. It shows the names that run, step and --set use, the
type, the number of registers, the use, the scope, and the effect of an access beyond the end.

--quirks lists quirks instead: behaviour on which documents, emulators or hardware disagree. The default value
is first. The flag --quirk of run and the member quirks of step choose another value.`,
		Example: `  isago list --isa pica200
  isago list --isa pica200 --instructions
  isago list --isa tesla --registers
  isago list light.shbin`,
		Args: atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.instructions && f.registers:
				return usagef("--instructions cannot be combined with --registers")
			case f.quirks && (f.instructions || f.registers || len(args) == 1):
				return usagef("--quirks cannot be combined with FILE, --instructions or --registers")
			case f.quirks:
				return f.listQuirks(cmd)
			case f.registers && len(args) == 1:
				return usagef("--registers cannot be combined with FILE; choose a machine with --isa or --spec")
			case f.registers:
				return f.listRegisters()
			case f.instructions && len(args) == 1:
				return usagef("--instructions cannot be combined with FILE; choose a machine with --isa or --spec")
			case f.instructions:
				return f.listInstructions(cmd)
			case len(args) == 1:
				err := f.file(cmd, args[0])
				if _, unknown := catalog.Lookup(args[0]); errors.Is(err, fs.ErrNotExist) && unknown == nil {
					return usagef("file %s does not exist; --isa %[1]s shows the machine of that name", args[0])
				}
				return err
			}
			return f.machines(cmd)
		},
	}
	f.setFlags.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&f.instructions, "instructions", false, "list the instructions")
	cmd.Flags().BoolVar(&f.registers, "registers", false, "list the registers, stacks and memories")
	cmd.Flags().BoolVar(&f.quirks, "quirks", false, "list the quirks: behaviour on which sources disagree")
	return cmd
}

// machine describes a machine in the output of list.
type machine struct {
	Name         string        `json:"name"`
	Title        string        `json:"title,omitempty"`
	Formats      []string      `json:"formats,omitempty"`
	Roots        []root        `json:"roots"`
	Products     []product     `json:"products,omitempty"`
	Contexts     []contextInfo `json:"contexts,omitempty"`
	Syntaxes     []string      `json:"syntaxes,omitempty"`
	Tables       []table       `json:"tables,omitempty"`
	Instructions int           `json:"instructions"`
	// Generation is the generation that the other members describe, or nil if all generations are the same.
	Generation  *uint32  `json:"generation,omitempty"`
	Generations []string `json:"generations,omitempty"`
}

type root struct {
	Name    string `json:"name"`
	Bits    int    `json:"bits"`
	MinBits int    `json:"min_bits"`
	Leaves  int    `json:"leaves"`
}

// product describes a product in the output of list.
type product struct {
	Names    []string          `json:"names"`
	Settings map[string]string `json:"settings,omitempty"`
	Order    string            `json:"order,omitempty"`
}

func newProduct(p isa.Product) product {
	out := product{Names: p.Names, Order: p.ByteOrder}
	for _, s := range p.Settings {
		if out.Settings == nil {
			out.Settings = map[string]string{}
		}
		out.Settings[s.Name] = s.Value
	}
	return out
}

// options returns the settings of the product as NAME=VALUE.
func (p *product) options() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		list = append(list, name+"="+p.Settings[name])
	}
	if p.Order != "" {
		list = append(list, "order="+p.Order)
	}
	return list
}

// contextInfo describes a context. The default is the first of its values.
type contextInfo struct {
	Name   string   `json:"name"`
	Doc    string   `json:"doc,omitempty"`
	Values []string `json:"values"`
	// FromText is set if the text of each instruction determines the value.
	FromText bool `json:"from_text,omitempty"`
}

type table struct {
	Name    string `json:"name"`
	Doc     string `json:"doc,omitempty"`
	Entries int    `json:"entries"`
	Bits    int    `json:"bits"`
}

func (f *listFlags) machines(cmd *cobra.Command) error {
	var list []machine
	sets, err := f.sets()
	if err != nil {
		return err
	}
	for _, set := range sets {
		d := f.describe(set)
		if m, err := catalog.Lookup(set.Name()); err == nil && f.spec == "" {
			d.about(m)
		}
		list = append(list, d)
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), list)
	}
	p, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	for i, m := range list {
		if i > 0 {
			fmt.Fprintln(out)
		}
		m.print(out, p)
	}
	return out.Flush()
}

// instruction describes an instruction in the output of list.
type instruction struct {
	Machine   string   `json:"machine"`
	Root      string   `json:"root"`
	Name      string   `json:"name"`
	Mnemonics []string `json:"mnemonics"`
	Bits      int      `json:"bits"`
	// Mask has the bits that identify the instruction, and Match has their values, both in hexadecimal.
	Mask  string `json:"mask"`
	Match string `json:"match"`
	Text  string `json:"text"`
	Doc   string `json:"doc,omitempty"`
	// Quirks are the quirks on which the instruction depends. Only explain sets them.
	Quirks []facts.Quirk `json:"quirks,omitempty"`
}

func instructionsOf(leaves []*isa.Leaf) []instruction {
	list := []instruction{}
	for _, l := range leaves {
		hex := func(v bits.Value) string { return string(v.AppendHex(nil, (l.Size+3)/4)) }
		list = append(list, instruction{l.Set().Name(), l.Root.Name, l.Name, l.Mnemonics(), l.Size, hex(l.Mask), hex(l.Match), oneLine(l.Template()), oneLine(l.Doc()), nil})
	}
	return list
}

// longestColumn is the maximum width of the column of instruction names.
const longestColumn = 16

// sets returns the sets that the flags choose. If they choose one machine but no generation, and generation 0 has no
// instructions, sets chooses the first generation that has instructions.
func (f *listFlags) sets() ([]*isa.Set, error) {
	sets, err := f.setFlags.sets()
	if err != nil || f.cmd.Flags().Changed("gen") || len(sets) != 1 {
		return sets, err
	}
	main, err := sets[0].Root("")
	if err != nil || len(main.Leaves) > 0 {
		return sets, nil // list prints the parts of a description without such a root, too
	}
	if first, ok := sets[0].FirstGen(main); ok {
		f.gen = first
	}
	return f.setFlags.sets()
}

// listInstructions prints the instructions of machines.
func (f *listFlags) listInstructions(cmd *cobra.Command) error {
	sets, err := f.sets()
	if err != nil {
		return err
	}
	var leaves []*isa.Leaf
	for _, set := range sets {
		for _, r := range set.InstructionRoots() {
			leaves = append(leaves, r.Leaves...)
		}
	}
	list := instructionsOf(leaves)
	if f.json {
		return printJSON(cmd.OutOrStdout(), list)
	}
	p, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	columns := 0
	for _, in := range list {
		columns = max(columns, len(in.Name))
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	for i, in := range list {
		if i == 0 || list[i-1].Root != in.Root || list[i-1].Machine != in.Machine {
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintf(out, "%s, %s\n", p.Title(setName(leaves[i].Set())), strings.TrimPrefix(in.Root, "#"))
		}
		view.Entry(out, p, in.Name, in.Text, in.Doc, min(columns, longestColumn), textWidth(cmd.OutOrStdout()))
	}
	return out.Flush()
}

// machineQuirks are the quirks of a machine.
type machineQuirks struct {
	Machine string        `json:"machine"`
	Quirks  []facts.Quirk `json:"quirks"`
}

// listQuirks prints the quirks of machines.
func (f *listFlags) listQuirks(cmd *cobra.Command) error {
	sets, err := f.sets()
	if err != nil {
		return err
	}
	list := []machineQuirks{}
	for _, set := range sets {
		m, err := facts.Open(set)
		if err != nil {
			if f.given() {
				return err
			}
			continue // the description has no semantics
		}
		list = append(list, machineQuirks{setName(set), m.Quirks()})
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), list)
	}
	p, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	for i, m := range list {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s\n", p.Title(m.Machine))
		if err := view.Quirks(out, m.Quirks, textWidth(cmd.OutOrStdout())); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (f *listFlags) describe(set *isa.Set) machine {
	m := machine{Name: setName(set), Syntaxes: spellings(set)}
	if starts := prove.Generations(set); len(starts) > 1 {
		m.Generation = &f.gen
		for _, gen := range starts {
			m.Generations = append(m.Generations, prove.FormatGenRange(starts, gen))
		}
	}
	for _, p := range set.Products() {
		m.Products = append(m.Products, newProduct(p))
	}
	for _, c := range set.Contexts() {
		m.Contexts = append(m.Contexts, contextInfo{c.Name, oneLine(c.Doc), c.Values, c.FromText})
	}
	for _, t := range set.Tables() {
		m.Tables = append(m.Tables, table{t.Name, oneLine(t.Doc), t.Size, t.Bits})
	}
	main, err := set.Root("")
	for _, r := range set.Roots() {
		m.Roots = append(m.Roots, root{r.Name, r.Size, r.MinSize, len(r.Leaves)})
		if err == nil && r == main {
			m.Instructions = len(r.Leaves)
		}
	}
	return m
}

func oneLine(doc string) string { return strings.Join(strings.Fields(doc), " ") }

func (m *machine) about(c catalog.Machine) {
	m.Name, m.Title = c.Name, c.Title
	for _, f := range c.Formats {
		m.Formats = append(m.Formats, f.Name)
	}
}

func (m *machine) print(w io.Writer, p view.Palette) {
	fmt.Fprintf(w, "%s\n", strings.TrimRight(p.Title(m.Name)+"  "+m.Title, " "))
	fmt.Fprintf(w, "  instructions  %d", m.Instructions)
	if m.Generation != nil {
		fmt.Fprintf(w, " in generation %d", *m.Generation)
	}
	fmt.Fprintln(w)
	for _, p := range m.Products {
		names := slices.Clone(p.Names)
		if options := p.options(); len(options) > 0 {
			names[len(names)-1] += " (" + strings.Join(options, ", ") + ")"
		}
		printWrapped(w, "also called", names)
	}
	if m.Generation != nil {
		printWrapped(w, "--gen", m.Generations)
	}
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
		values := append([]string{c.Values[0] + " (default)"}, c.Values[1:]...)
		printWrapped(w, "--"+c.Name, values)
	}
	for _, t := range m.Tables {
		fmt.Fprintf(w, "  table         %s, %d entries of %d bits\n", t.Name, t.Entries, t.Bits)
	}
	if len(m.Syntaxes) > 0 {
		fmt.Fprintf(w, "  --syntax      %s\n", strings.Join(m.Syntaxes, ", "))
	}
}

// printWrapped prints a title and a list of words in lines of at most 80 columns.
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
	in, err := openCode(cmd, name)
	if err != nil {
		return err
	}
	defer in.Close()
	set, im, err := (&machineFlags{setFlags: f.setFlags}).readImage(name, in)
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
		}{inputName(name), set.Name(), im.Format, len(im.Words), im.Contents})
	}
	p, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	fmt.Fprintf(out, "%s: %s %s, %s\n", p.Title(inputName(name)), setName(set), im.Format, codeSize(im))
	for _, part := range im.Contents {
		fmt.Fprintf(out, "\n%s\n", p.Title(view.Printable(part.Title)))
		for _, line := range part.Lines {
			fmt.Fprintf(out, "  %s\n", view.Printable(line))
		}
	}
	return out.Flush()
}

// codeSize formats the size of the code of an image.
func codeSize(im *program.Image) string {
	switch n := im.Size(); {
	case n == 32:
		return "1 word of code"
	case n%32 == 0:
		return fmt.Sprintf("%d words of code", n/32)
	default:
		return fmt.Sprintf("%d bytes of code", n/8)
	}
}

func printJSON(w io.Writer, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
