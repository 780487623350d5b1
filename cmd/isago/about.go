package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/quote"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version [flags]",
		GroupID: "about",
		Short:   "Print the version",
		Long:    "version prints the version of isago, the revision of its source, the Go version and the operating system.",
		Example: `  isago version
  isago version --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				return printJSON(cmd.OutOrStdout(), buildOf())
			}
			return printVersion(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printVersion(cmd *cobra.Command, _ []string) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
	return err
}

// build describes how the program was built.
type build struct {
	Name string `json:"name"`
	// Version is the version of the release or the module, or "(devel)" if neither is known.
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	// Modified is set if the source had uncommitted changes.
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

// archived is the revision that git archive writes into revision.txt, because .gitattributes requests it. In a working
// tree, archived is a placeholder that starts with $.
//
//go:embed revision.txt
var archived string

// release is the version of a release, or "". The build of a release sets it.
var release string

func buildOf() build {
	info, _ := debug.ReadBuildInfo()
	return newBuild(info, release, archived)
}

// newBuild returns the description of a build. info is the module information of the build, or nil.
func newBuild(info *debug.BuildInfo, release, archived string) build {
	b := build{Name: "isago", Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if info != nil {
		b.Version = cmp.Or(info.Main.Version, b.Version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	if archived = strings.TrimSpace(archived); b.Revision == "" && !strings.HasPrefix(archived, "$") {
		b.Revision = archived
	}
	b.Version = cmp.Or(release, b.Version)
	return b
}

// version describes the build in one line: version, revision, compiler and system.
func version() string { return buildOf().String() }

func (b build) String() string {
	text := b.Name + " " + b.Version
	switch {
	case b.Revision != "" && b.Modified:
		text += " (" + b.Revision[:min(12, len(b.Revision))] + ", modified)"
	case b.Revision != "":
		text += " (" + b.Revision[:min(12, len(b.Revision))] + ")"
	case b.Version == "(devel)":
		text += " of an unknown revision"
	}
	return text + " " + b.Go + " " + b.System
}

func newCodes() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "codes [CODE...]",
		GroupID: "about",
		Short:   "Explain the codes of errors and warnings",
		Long: `Warnings, findings, and errors in programs and descriptions end with a code in brackets. codes explains the
codes that you name, or all codes, with an example of each. Codes are stable: they do not change between
versions.

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

// printCodes explains the named codes, or all codes if names is empty.
func printCodes(cmd *cobra.Command, names []string) error {
	list := diag.Codes()
	if len(names) > 0 {
		list = nil
	}
	for _, name := range names {
		c, ok := codeNamed(name)
		if !ok {
			if ask := quote.DidYouMean(name, knownCodes()); ask != "" {
				return usagef("unknown code %q%s", name, ask)
			}
			return usagef("unknown code %q; isago codes lists all codes", name)
		}
		list = append(list, c)
	}
	_, err := io.WriteString(cmd.OutOrStdout(), codesText(list))
	return err
}

// codesText returns the explanations of codes, each with an example.
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

// codeNamed returns the code with a name. The name may be in brackets, as in messages.
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
		Short:   "Write the man pages into a folder",
		Long:    "man writes a man page for each command into the folder DIR, and creates the folder if necessary.",
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
