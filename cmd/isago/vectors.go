package main

import "github.com/spf13/cobra"

// vectorsFlags are the flags of vectors.
type vectorsFlags struct {
	setFlags
	vectorsCheck
	json bool
}

func newVectors() *cobra.Command {
	var f vectorsFlags
	cmd := &cobra.Command{
		Use:     "vectors --check FILE [--against PATH]...",
		GroupID: "code",
		Short:   "Compare the results of an emulator with test vectors",
		Long: `vectors --check compares the results of an engine with the vectors. FILE has a result in each line, as
{"name": ..., "actual": STATE}, or is a file of vectors in which each vector has the field actual. The report
groups the differences by cause. If a fault of an engine or the value of a quirk gives exactly these results,
the report names it.

docs/vectors.md describes the files, and how to plug in an emulator.

Exit status: 0; 1 if vectors cannot read a file; 2 for a mistake on the command line; 3 if results differ.`,
		Example: `  isago vectors --check results.jsonl --against vectors`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !f.vectorsCheck.given() {
				return usagef("--check is missing: the results of an engine")
			}
			return f.vectorsCheck.run(cmd, &f.setFlags, f.json)
		},
	}
	f.setFlags.add(cmd)
	f.vectorsCheck.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	return cmd
}
