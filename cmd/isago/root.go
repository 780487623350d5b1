package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/isago/isago/internal/quote"
)

// command is the name of a command and the function that creates it.
type command struct {
	name string
	make func() *cobra.Command
}

// commands lists the commands in the order of the help.
func commands() []command {
	return []command{
		{"dis", newDis}, {"asm", newAsm}, {"explain", newExplain}, {"run", newRun}, {"step", newStep}, {"translate", newTranslate}, {"vectors", newVectors}, {"check", newCheck},
		{"lint", newLint}, {"cost", newCost}, {"list", newList}, {"survey", newSurvey}, {"diff", newDiff}, {"equal", newEqual}, {"gen", newGen}, {"manual", newManual}, {"new", newNew},
		{"version", newVersion}, {"codes", newCodes}, {"limits", newLimits}, {"man", newMan},
	}
}

// newRoot returns the root command with its subcommands. If args starts with the name of a subcommand, newRoot adds
// only that one, because defining the flags of all commands takes a tenth of the time of a short run.
func newRoot(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:           "isago",
		Short:         "The instruction sets of shader processors",
		Long:          `isago reads, writes, checks and runs shader programs. See "isago help COMMAND".`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
	}
	withSession(root)
	addColor(root)
	// The version template of cobra would link all methods that a template may call: a tenth of the program.
	asked := root.Flags().BoolP("version", "v", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *asked {
			return printVersion(cmd, args)
		}
		return cmd.Help()
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(printHelp)
	root.AddGroup(&cobra.Group{ID: "code", Title: "Programs:"}, &cobra.Group{ID: "about", Title: "About:"})
	for _, c := range commands() {
		if len(args) > 0 && c.name == args[0] {
			root.AddCommand(c.make())
			root.CompletionOptions.DisableDefaultCmd = true
			return root
		}
	}
	for _, c := range commands() {
		root.AddCommand(c.make())
	}
	root.SetHelpCommand(newHelp(root))
	root.SetHelpCommandGroupID("about")
	root.SetCompletionCommandGroupID("about")
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Print a completion script for a shell"
			c.Long = "completion prints a script that completes commands, flags and values in a shell.\n\n" +
				"\"isago completion SHELL --help\" explains how to load the script."
			c.Args = knownCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range c.Commands() {
				shell.Args = noArgs
				shell.Short = "Print the completion script for " + shell.Name()
				shell.Long = shell.Short + ".\n" + strings.ReplaceAll(shell.Long[strings.Index(shell.Long, "\n")+1:], "#### ", "")
			}
		}
	}
	return root
}

// flagError returns the error for an invalid flag.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.HasParent() { // gen rust --isa NAME
		if unknown := knownCommand(cmd, cmd.Flags().Args()); unknown != nil {
			return unknown
		}
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return usagef("%v%s; %s --help lists the flags", err, flagMeant(cmd, err), cmd.CommandPath())
	}
	flag, wrong := invalid.GetFlag(), invalid.Unwrap()
	if flag.Value.Type() == "bool" {
		wrong = errors.New("expected true or false")
	} else if number := (*strconv.NumError)(nil); errors.As(wrong, &number) {
		wrong = errors.New("expected a number of at least 0")
	}
	return usagef("--%s %q, %v", flag.Name, invalid.GetValue(), wrong)
}

// amount is the value of a flag that accepts whole numbers not below least.
type amount[T int | int64] struct {
	to    *T
	least T
}

func (a amount[T]) String() string { return fmt.Sprint(*a.to) }
func (a amount[T]) Type() string   { return "int" }

// Set implements pflag.Value.
func (a amount[T]) Set(text string) error {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil || n < int64(a.least) || int64(T(n)) != n {
		return fmt.Errorf("expected a number of at least %d", a.least)
	}
	*a.to = T(n)
	return nil
}

// flagMeant returns a question about the flag whose name is nearest to an unknown one, or "" if no name is near.
func flagMeant(cmd *cobra.Command, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := quote.Nearest(name, names); near != "" {
		return "; did you mean --" + near + "?"
	}
	return ""
}

// knownCommand rejects arguments of a command that has only subcommands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	if near := quote.Nearest(args[0], names); near != "" {
		return usagef("unknown command %q; did you mean %s?", args[0], near)
	}
	return usagef("unknown command %q; %s --help lists the commands", args[0], cmd.CommandPath())
}

// newHelp returns a help command that, unlike cobra's, rejects an unknown topic.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		Long:  "help prints the help of a command, or a list of all commands.",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			cmd, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return knownCommand(cmd, rest)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// checkHelp makes --help with an unknown command an error. cobra would print the help of the parent command. checkHelp
// returns a pointer to the error.
func checkHelp(root *cobra.Command) *error {
	var failed error
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd.HasSubCommands() {
			failed = knownCommand(cmd, cmd.Flags().Args())
		}
		if failed == nil {
			print(cmd, args)
		}
	})
	return &failed
}

// noArgs rejects arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q, expected none", args[0])
	}
	return nil
}

// oneArg requires one argument, such as a FILE or a DIR.
func oneArg(what, note string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usagef("no %s%s", what, note)
		case len(args) > 1:
			return usagef("%d arguments, expected one %s", len(args), what)
		case args[0] == "":
			return usagef("the name of the %s is empty", what)
		}
		return nil
	}
}

var oneFile = oneArg("FILE", "; - is standard input")

// someFiles requires at least one FILE.
func someFiles(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("no FILE; - is standard input")
	}
	return nil
}

// atMostOneFile accepts one FILE or none.
func atMostOneFile(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("%d files, expected one or none", len(args))
	}
	return nil
}
