package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// complete registers the values of a flag for shell completion. values returns the list on demand.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	// The only possible errors are an unknown flag and a flag that already has values.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
}

func fixed(values ...string) func() []string { return func() []string { return values } }

func machineNames() []string {
	var names []string
	for _, m := range catalog.Machines() {
		names = append(names, m.Name+"\t"+m.Title)
	}
	for _, m := range catalog.Machines() {
		products, err := m.Products()
		if err != nil {
			continue // loading the machine reports it
		}
		for _, p := range products {
			what := newProduct(p)
			for _, name := range p.Names {
				names = append(names, name+"\t"+strings.Join(append([]string{m.Name}, what.options()...), ", "))
			}
		}
	}
	return names
}

// loaded returns the instruction set that the flags choose so far. It returns nil if they choose none or the set does
// not load.
func (f *setFlags) loaded() *isa.Set {
	set, err := f.load(nil)
	if err != nil {
		return nil
	}
	return set
}

func (f *machineFlags) rootNames() []string {
	var names []string
	if set := f.loaded(); set != nil {
		for _, r := range set.Roots() {
			names = append(names, strings.TrimPrefix(r.Name, "#"))
		}
	}
	return names
}

func (f *machineFlags) syntaxNames() []string {
	if set := f.loaded(); set != nil {
		return spellings(set)
	}
	return nil
}

func (f *machineFlags) contextPairs() []string {
	var pairs []string
	if set := f.loaded(); set != nil {
		for _, c := range set.Contexts() {
			for _, v := range c.Values {
				pairs = append(pairs, c.Name+"="+v)
			}
		}
	}
	return pairs
}

// quirkPairs lists the quirks of a set as NAME=VALUE.
func quirkPairs(set *isa.Set) []string {
	if set == nil {
		return nil
	}
	m, err := facts.Open(set)
	if err != nil {
		return nil
	}
	var pairs []string
	for _, q := range m.Quirks() {
		for _, v := range q.Values {
			pairs = append(pairs, q.Name+"="+v.Name)
		}
	}
	return pairs
}

// contextFlags adds a flag for each context of the machine, such as --stage, to the command that a command line runs.
// If the line names no machine, contextFlags adds the flags of all machines, because the content of a file can select
// the machine.
func contextFlags(root *cobra.Command, args []string) {
	rest := args
	if len(rest) > 0 && (strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) || rest[0] == "help") {
		rest = rest[1:]
	}
	cmd, rest, err := root.Find(rest)
	if err != nil || cmd.Flags().Lookup("context") == nil || !needsContexts(cmd, args, rest) {
		return
	}
	named := setFlags{isa: namedMachine(rest), spec: flagValue(rest, "spec"), importDirs: flagValues(rest, "--import-dir", "-I", ""), cmd: root}
	sets, err := named.sets()
	if err != nil { // report this error instead of an unknown flag that results from it
		cmd.SetFlagErrorFunc(func(*cobra.Command, error) error { return err })
	}
	for _, set := range sets {
		for _, c := range set.Contexts() {
			if cmd.Flags().Lookup(c.Name) == nil {
				flag := cmd.Flags().VarPF(contextFlag{cmd, c.Name}, c.Name, "", "context of "+setName(set)+": "+strings.Join(c.Values, ", "))
				flag.Hidden = len(sets) > 1 || c.FromText
				complete(cmd, c.Name, fixed(c.Values...))
			}
		}
	}
	if len(sets) > 1 {
		cmd.Flags().Lookup("context").Usage += contextsOf(sets)
	}
}

// contextsOf returns a list of the contexts of machines, for the help of a command.
func contextsOf(sets []*isa.Set) string {
	var of []string
	for _, set := range sets {
		var names []string
		for _, c := range set.Contexts() {
			if !c.FromText {
				names = append(names, c.Name)
			}
		}
		if len(names) > 0 {
			of = append(of, setName(set)+": "+strings.Join(names, ", "))
		}
	}
	return " (" + strings.Join(of, "; ") + ")"
}

// needsContexts reports whether a command line needs the context flags: it has a flag that the command does not define,
// or it requests help or completion.
func needsContexts(cmd *cobra.Command, args, rest []string) bool {
	if len(args) != len(rest)+1 { // completion or help of the command
		return true
	}
	return slices.ContainsFunc(rest, func(arg string) bool {
		name, ok := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		return ok && name != "" && cmd.Flags().Lookup(name) == nil // --help is not defined yet either, and lists the context flags
	})
}

// namedMachine returns the machine that the last --isa, --arch or -m of a command line names, or "" if there is none.
func namedMachine(args []string) string {
	values := flagValues(args, "--isa", "-m", "--arch")
	if len(values) == 0 {
		return ""
	}
	name := values[len(values)-1]
	if m, err := catalog.Lookup(name); err == nil {
		return m.Name
	}
	return name
}

// flagValue returns the last value of a flag on a command line, or "" if there is none.
func flagValue(args []string, name string) string {
	if values := flagValues(args, "--"+name, "", ""); len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// flagValues returns the values of a flag on a command line. letter is the short form of the flag, and other is its
// alias; each may be "".
func flagValues(args []string, name, letter, other string) (values []string) {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		given, joined, ok := strings.Cut(arg, "=")
		if other != "" && given == other {
			given = name
		}
		if letter != "" && len(arg) > len(letter) && strings.HasPrefix(arg, letter) {
			given, joined, ok = name, strings.TrimPrefix(arg[len(letter):], "="), true
		}
		switch {
		case given != name && (letter == "" || given != letter):
		case ok:
			values = append(values, joined)
		case i+1 < len(args):
			values = append(values, args[i+1])
		}
	}
	return values
}

// contextFlag is the flag of one context. It adds its values to --context.
type contextFlag struct {
	cmd  *cobra.Command
	name string
}

func (f contextFlag) String() string { return "" }
func (f contextFlag) Type() string   { return "VALUE" }

// Set implements pflag.Value.
func (f contextFlag) Set(value string) error {
	return f.cmd.Flags().Set("context", f.name+"="+value)
}
