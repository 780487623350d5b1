package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/catalog"
)

// machineOptions are the flags of the options that only some machines have.
type machineOptions struct {
	// values holds the values of the options by name.
	values map[string]*[]string
	// writes holds the names of the options that name output files.
	writes []string
}

// add adds the flags of the options that applies accepts. An option with the name of an existing flag shares that flag.
func (f *machineOptions) add(cmd *cobra.Command, applies func(o feed.Option) bool) {
	f.values = map[string]*[]string{}
	for _, m := range catalog.Machines() {
		for _, o := range m.Options {
			usage := o.Usage + " (" + m.Name + ")"
			switch {
			case !applies(o), cmd.Flags().Lookup(o.Name) != nil:
			case o.Bool:
				cmd.Flags().Bool(o.Name, false, usage)
				f.values[o.Name] = &[]string{"true"}
			default:
				f.values[o.Name] = cmd.Flags().StringArray(o.Name, nil, usage)
				if o.Writes {
					f.writes = append(f.writes, o.Name)
				}
			}
		}
	}
}

// outputs lists the files that options name as outputs.
func (f *machineOptions) outputs() (names []string) {
	for _, option := range f.writes {
		for _, value := range *f.values[option] {
			_, file, _ := strings.Cut(value, "=")
			names = append(names, file)
		}
	}
	return names
}

// given returns the options on the command line that are in known. It returns an error for an option that is not; what
// names the program in the error.
func (f *machineOptions) given(cmd *cobra.Command, what string, known []feed.Option) (map[string][]string, error) {
	given := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		flag := cmd.Flags().Lookup(name)
		if !flag.Changed || flag.Value.Type() == "bool" && flag.Value.String() == "false" {
			continue
		}
		if !hasOption(known, name) {
			return nil, usagef("--%s does not apply to %s", name, what)
		}
		given[name] = *f.values[name]
	}
	for _, o := range known {
		if flag := cmd.Flags().Lookup(o.Name); f.values[o.Name] == nil && flag != nil && flag.Changed {
			given[o.Name] = []string{flag.Value.String()}
		}
	}
	return given, nil
}

// hasOption reports whether a list has an option with a name.
func hasOption(list []feed.Option, name string) bool {
	return slices.ContainsFunc(list, func(o feed.Option) bool { return o.Name == name })
}
