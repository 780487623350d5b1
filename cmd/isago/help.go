package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Widths of text in columns: usualWidth applies if the width of the terminal is unknown, and mostWidth is the maximum
// for help, because longer lines are hard to read.
const (
	usualWidth = 80
	mostWidth  = 100
)

// textWidth returns the number of columns that text for w may fill: COLUMNS if it is set, otherwise the width of the
// terminal, or 80 if w is not a terminal.
func textWidth(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if n := terminalWidth(w); n > 0 {
		return n
	}
	return usualWidth
}

// printHelp prints the help of a command, in lines that fit the terminal.
func printHelp(cmd *cobra.Command, _ []string) {
	out := cmd.OutOrStdout()
	h := helpText{width: min(textWidth(out), mostWidth)}
	if cmd.HasParent() {
		h.command(cmd)
	} else {
		h.root(cmd)
	}
	_, _ = io.WriteString(out, h.text.String()) // stdout keeps the error of a failed write
}

// helpText is the help of a command while it is written.
type helpText struct {
	text  strings.Builder
	width int
}

// root writes an overview of all commands that fits a screen of 24 lines.
func (h *helpText) root(cmd *cobra.Command) {
	h.prose(cmd.Long)
	for i, group := range cmd.Groups() {
		if i == 0 {
			h.commands(cmd, func(c *cobra.Command) bool { return c.GroupID == group.ID })
			continue
		}
		var names []string // of the other groups only the names fit
		for _, c := range cmd.Commands() {
			if c.GroupID == group.ID && !c.Hidden {
				names = append(names, c.Name())
			}
		}
		h.prose(group.Title + " " + strings.Join(names, ", "))
	}
	var flags []string
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value, _ := pflag.UnquoteUsage(f); value != "" {
			name += " " + value
		}
		flags = append(flags, name)
	})
	h.prose("Flags: " + strings.Join(flags, "; "))
}

// command writes the help of one command.
func (h *helpText) command(cmd *cobra.Command) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	h.prose(text)
	if !cmd.Runnable() && !cmd.HasSubCommands() {
		return
	}
	h.text.WriteString("\nUsage:\n")
	if cmd.Runnable() {
		h.line("  "+cmd.UseLine(), 6)
	}
	if cmd.HasAvailableSubCommands() {
		h.line("  "+cmd.CommandPath()+" COMMAND", 6)
	}
	if cmd.HasExample() {
		h.text.WriteString("\nExamples:\n" + strings.TrimRight(cmd.Example, "\n") + "\n") // to be copied
	}
	if cmd.HasAvailableSubCommands() {
		h.text.WriteString("\nCommands:\n")
		h.commands(cmd, func(*cobra.Command) bool { return true })
	}
	h.flags("Flags", cmd.LocalFlags())
	h.flags("Flags of all commands", cmd.InheritedFlags())
}

// commands writes the wanted subcommands of a command, each with its short description.
func (h *helpText) commands(cmd *cobra.Command, wanted func(c *cobra.Command) bool) {
	for _, c := range cmd.Commands() {
		if wanted(c) && !c.Hidden && c.Deprecated == "" {
			h.line(fmt.Sprintf("  %-11s %s", c.Name(), c.Short), 14)
		}
	}
}

// mostNames is the maximum width of the column of flag names.
const mostNames = 28

// flags writes the flags that are neither hidden nor deprecated, with their meanings in a separate column.
func (h *helpText) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	var names, meanings []string
	start := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		value, meaning := pflag.UnquoteUsage(f)
		if value != "" {
			name += " " + value
		}
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			meaning += " (default " + f.DefValue + ")"
		}
		names, meanings = append(names, name), append(meanings, meaning)
		start = max(start, len(name)+2)
	})
	start = min(start, mostNames, h.width/2)
	h.text.WriteString("\n" + title + ":\n")
	for i, name := range names {
		if len(name)+2 > start {
			h.text.WriteString(name + "\n")
			name = ""
		}
		h.line(fmt.Sprintf("%-*s%s", start, name, meanings[i]), start)
	}
}

// prose writes paragraphs. It does not wrap indented lines, such as the lines of a table.
func (h *helpText) prose(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			h.text.WriteString("\n")
		}
		flow := ""
		for line := range strings.Lines(paragraph) {
			line = strings.TrimRight(line, "\n")
			if line != "" && line[0] != ' ' {
				flow = strings.TrimPrefix(flow+" "+line, " ")
				continue
			}
			h.flow(&flow)
			h.line(line, column(line))
		}
		h.flow(&flow)
	}
}

// flow writes the collected lines as one paragraph.
func (h *helpText) flow(text *string) {
	if *text != "" {
		h.line(*text, 0)
		*text = ""
	}
}

// column returns the column at which the text of a table line starts: after the last gap of at least two blanks.
func column(line string) int {
	start := len(line) - len(strings.TrimLeft(line, " "))
	if i := strings.LastIndex(line, "  "); i >= start {
		return i + len("  ")
	}
	return start
}

// line writes a line. If the line is too long, it breaks the line between words and indents the lines after the first
// break.
func (h *helpText) line(line string, indent int) {
	if indent > h.width/2 {
		indent = h.width / 4
	}
	indented := len(line) - len(strings.TrimLeft(line, " "))
	for utf8.RuneCountInString(line) > h.width {
		end := strings.LastIndex(line[:byteAt(line, h.width+1)], " ")
		if end <= indented { // a word that is longer than a line
			if end = strings.Index(line[indented:], " "); end < 0 {
				break
			}
			end += indented
		}
		h.text.WriteString(strings.TrimRight(line[:end], " ") + "\n")
		line, indented = strings.Repeat(" ", indent)+strings.TrimLeft(line[end:], " "), indent
	}
	h.text.WriteString(line + "\n")
}

// byteAt returns the byte offset of a column in a text.
func byteAt(text string, column int) int {
	for i := range text {
		if column == 0 {
			return i
		}
		column--
	}
	return len(text)
}
