package main

import (
	"fmt"
	"os"
	"runtime/debug"
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

// newCodes is a help topic: isago help codes.
func newCodes() *cobra.Command {
	var text strings.Builder
	text.WriteString("Each error ends with a code in brackets. Codes do not change.\n")
	for _, c := range diag.Codes() {
		text.WriteString("\n" + string(c.Code) + "\n    " + c.Meaning + "\n    for example:")
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
	return &cobra.Command{Use: "codes", Short: "The codes of errors, each with an example", Long: text.String()}
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
