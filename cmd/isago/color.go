package main

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/view"
)

// addColor adds --color to all commands. The flag never changes the text itself.
func addColor(root *cobra.Command) {
	root.PersistentFlags().String("color", "auto", "use colours: `WHEN` is auto (on a terminal, unless NO_COLOR is set), always or never")
	complete(root, "color", fixed("auto", "always", "never"))
}

// inColour reports whether output to w is in colour.
func inColour(cmd *cobra.Command, w io.Writer) (bool, error) {
	when := "auto"
	if flag := cmd.Root().PersistentFlags().Lookup("color"); flag != nil {
		when = flag.Value.String()
	}
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w), nil
	}
	return false, usagef("--color %q, expected auto, always or never", when)
}

// paletteOf returns the palette for the standard output of a command.
func paletteOf(cmd *cobra.Command) (view.Palette, error) {
	on, err := inColour(cmd, cmd.OutOrStdout())
	if !on {
		return view.Palette{}, err
	}
	return view.Colours, nil
}

// explain formats an error for standard error.
func explain(cmd *cobra.Command, err error) string {
	if on, _ := inColour(cmd, cmd.ErrOrStderr()); on { // the command itself reports an invalid --color
		return diag.RenderColour(err)
	}
	return diag.Render(err)
}

// printError prints an error, after the command's name if the error has no position.
func printError(cmd *cobra.Command, err error) {
	text := explain(cmd, err)
	if !placed(err) {
		text = cmd.CommandPath() + ": " + text
	}
	io.WriteString(cmd.ErrOrStderr(), text)
}

// placed reports whether the text of an error starts with a position.
func placed(err error) bool {
	var list diag.List
	var one *diag.Error
	if errors.As(err, &list) && len(list) > 0 {
		return list[0].Span.IsValid()
	}
	return errors.As(err, &one) && one.Span.IsValid()
}

// terminalWidth returns the number of columns of a terminal, or 0 if w is not a terminal.
func terminalWidth(w io.Writer) int {
	file, ok := fileOf(w)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return n
}

func isTerminal(w io.Writer) bool {
	file, ok := fileOf(w)
	return ok && term.IsTerminal(int(file.Fd()))
}
