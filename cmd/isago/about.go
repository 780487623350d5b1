package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/diag"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: "about",
		Short:   "Print the version",
		Long:    "version prints the version of the program, the revision it was built from, and the compiler.",
		Args:    noArgs,
		RunE:    printVersion,
	}
}

func printVersion(cmd *cobra.Command, _ []string) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
	return err
}

// version describes the build: module version, revision, compiler.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "isago, built without module information"
	}
	text := "isago " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			text += " (" + s.Value[:12] + ")"
		}
	}
	return text + " " + info.GoVersion
}

func newCodes() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "codes [CODE...]",
		GroupID: "about",
		Short:   "Print what the code of a message means, with an example",
		Long: `codes prints the meaning of the codes that stand in brackets after errors, warnings and findings, each with an
example: of those that are named, or of all. Codes do not change.

Exit status: 0; 2 for a mistake on the command line, such as an unknown code.

` + codesText(diag.Codes()),
		Example: `  isago codes missing-end
  isago codes`,
		RunE: func(cmd *cobra.Command, args []string) error { return printCodes(cmd, args) },
	}
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return knownCodes(), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// printCodes prints the codes of these names, all for none.
func printCodes(cmd *cobra.Command, names []string) error {
	list := diag.Codes()
	if len(names) > 0 {
		list = nil
	}
	for _, name := range names {
		c, ok := codeNamed(name)
		if !ok {
			if ask := diag.DidYouMean(name, knownCodes()); ask != "" {
				return usagef("no code %q%s", name, ask)
			}
			return usagef("no code %q; isago codes lists them", name)
		}
		list = append(list, c)
	}
	_, err := io.WriteString(cmd.OutOrStdout(), codesText(list))
	return err
}

// codesText documents codes.
func codesText(list []diag.CodeInfo) string {
	var text strings.Builder
	for i, c := range list {
		if i > 0 {
			text.WriteString("\n")
		}
		text.WriteString(string(c.Code) + "\n    " + c.Meaning + "\n    for example:")
		before := " "
		if strings.Contains(c.Example, "\n") {
			before = "\n        "
		}
		for line := range strings.Lines(c.Example) {
			text.WriteString(before + strings.TrimRight(line, "\n"))
			before = "\n        "
		}
		text.WriteString("\n")
	}
	return text.String()
}

// codeNamed returns the code of that name, which may be in brackets, as messages have it.
func codeNamed(name string) (diag.CodeInfo, bool) {
	if inside, ok := strings.CutPrefix(name, "["); ok {
		name = strings.TrimSuffix(inside, "]")
	}
	list := diag.Codes()
	i := slices.IndexFunc(list, func(c diag.CodeInfo) bool { return string(c.Code) == name })
	if i < 0 {
		return diag.CodeInfo{}, false
	}
	return list[i], true
}

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		GroupID: "about",
		Short:   "Write the manual pages into a folder",
		Long:    "man writes a manual page for each command into the folder DIR, which is made where it is missing.",
		Example: "  isago man /usr/local/share/man/man1",
		Args:    oneArg("DIR", ""),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return writeManual(newRoot(), args[0])
		},
	}
}
