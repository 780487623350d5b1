package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Manual pages are written here and not by cobra's package for them: that one makes Markdown of the texts of the
// command and translates it, which takes the lines of a table for a paragraph, and a part of the start of each run.

// writeManual writes the pages of a command and of those below it into a folder.
func writeManual(cmd *cobra.Command, dir string) error {
	for _, c := range listed(cmd) {
		if err := writeManual(c, dir); err != nil {
			return err
		}
	}
	return writeFile(cmd, filepath.Join(dir, pageName(cmd)+".1"), manualPage(cmd))
}

// listed are the commands below one that have a page.
func listed(cmd *cobra.Command) (list []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			list = append(list, c)
		}
	}
	return list
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPage is the page of a command, for troff.
func manualPage(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	var b bytes.Buffer
	b.WriteString(".TH \"ISAGO\" \"1\" \"\" \"isago\"\n")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", troff(pageName(cmd)), troff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", troff(cmd.UseLine()))
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", asItStands(long))
	manualFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manualFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n%s", asItStands(cmd.Example))
	}
	var others []string
	if cmd.HasParent() {
		others = append(others, pageName(cmd.Parent()))
	}
	for _, c := range listed(cmd) {
		others = append(others, pageName(c))
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fP(1)\n", strings.ReplaceAll(troff(strings.Join(others, " ")), " ", "\\fP(1), \\fB"))
	}
	return b.Bytes()
}

// manualFlags writes what a page says of flags.
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

// asItStands is a text whose lines stay as they are.
func asItStands(text string) string { return ".nf\n" + troff(text) + "\n.fi\n" }

// troff writes a text such that nothing in it is a command of troff.
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
