package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// isago writes manual pages without cobra's package for them. That package converts the texts of a command to Markdown
// first, which turns the lines of a table into a paragraph, and it slows down the start of every run.

// writeManual writes the manual pages of a command and its subcommands into a folder.
func writeManual(cmd *cobra.Command, dir string) error {
	for _, c := range listed(cmd) {
		if err := writeManual(c, dir); err != nil {
			return err
		}
	}
	return writeFile(cmd, filepath.Join(dir, pageName(cmd)+".1"), manualPage(cmd))
}

// listed returns the subcommands that have a page.
func listed(cmd *cobra.Command) (list []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			list = append(list, c)
		}
	}
	return list
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// exitStatuses is the paragraph about exit statuses for commands whose help has no such paragraph.
const exitStatuses = `Exit status: 0; 1 for a mistake in the input; 2 for a mistake on the command line; 3 if the output is complete and
the input has findings; 130 if the command was interrupted.`

// exitMark starts the paragraph about the exit status in the help of a command.
const exitMark = "Exit status: "

// manualPage returns the manual page of a command in troff.
func manualPage(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	var b bytes.Buffer
	name := pageName(cmd)
	fmt.Fprintf(&b, ".TH \"%s\" \"1\" \"\" \"isago\" \"isago manual\"\n", troff(strings.ToUpper(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", troff(name), troff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", troff(cmd.UseLine()))
	var description []string
	status := exitStatuses
	for text := range strings.SplitSeq(cmp.Or(cmd.Long, cmd.Short), "\n\n") {
		if strings.HasPrefix(text, exitMark) {
			status = text
		} else {
			description = append(description, text)
		}
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", preformatted(strings.Join(description, "\n\n")))
	below := listed(cmd)
	if len(below) > 0 {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, c := range below {
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fP(1)\n%s\n", troff(pageName(c)), troff(c.Short))
	}
	manualFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manualFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%s\n", troff(strings.TrimPrefix(status, exitMark)))
	fmt.Fprintf(&b, ".SH DIAGNOSTICS\n%s\n", troff("Warnings, findings, and errors in programs and descriptions end with a code in brackets, such as [missing-end].")+
		" \\fBisago codes\\fP \\fINAME\\fP prints what a code means, with an example; \\fBisago\\-codes\\fP(1) lists all codes.")
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n%s", preformatted(cmd.Example))
	}
	others := []string{"isago-codes"}
	if cmd.HasParent() {
		others = append(others, pageName(cmd.Parent()))
	}
	for _, c := range below {
		others = append(others, pageName(c))
	}
	slices.Sort(others)
	others = slices.DeleteFunc(slices.Compact(others), func(other string) bool { return other == name })
	fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fP(1)\n", strings.ReplaceAll(troff(strings.Join(others, " ")), " ", "\\fP(1), \\fB"))
	return b.Bytes()
}

// manualFlags writes the section of a page about flags.
func manualFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		short := ""
		if f.Shorthand != "" {
			short = "\\fB\\-" + f.Shorthand + "\\fP, "
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, ".TP\n%s\\fB\\-\\-%s\\fP", short, troff(f.Name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fP", troff(value))
		}
		fmt.Fprintf(b, "\n%s\n", troff(usage))
	})
}

// preformatted converts a text to troff and keeps its line breaks.
func preformatted(text string) string { return ".nf\n" + troff(text) + "\n.fi\n" }

// troff escapes a text so that it contains no troff commands.
func troff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
