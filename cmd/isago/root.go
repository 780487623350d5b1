package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "isago",
		Short: "The instruction sets of shader processors",
		Long: `isago reads, writes and explains the programs of shader processors. Each machine is one
description in XML; "isago list" shows the machines that it ships, and --spec takes others.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddGroup(&cobra.Group{ID: "code", Title: "Programs:"}, &cobra.Group{ID: "about", Title: "About:"})
	root.AddCommand(newDis(), newAsm(), newExplain(), newList(), newVersion(), newCodes(), newMan(root))
	root.SetHelpCommandGroupID("about")
	root.SetCompletionCommandGroupID("about")
	return root
}

// contextFlags turns flags that a command does not have into --context NAME=VALUE: each context of
// a machine is a flag of its own name, and which there are is known only when the machine is
// loaded.
func contextFlags(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd == root || cmd.Flag("context") == nil {
		return args
	}
	cmd.InitDefaultHelpFlag()
	var out []string
	for i := 0; i < len(args); i++ {
		name, ok := strings.CutPrefix(args[i], "--")
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		name, value, joined := strings.Cut(name, "=")
		switch f := cmd.Flag(name); {
		case !ok || name == "":
			out = append(out, args[i])
		case f != nil:
			out = append(out, args[i])
			if !joined && f.NoOptDefVal == "" && i+1 < len(args) {
				i++
				out = append(out, args[i])
			}
		case joined:
			out = append(out, "--context="+name+"="+value)
		case i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			i++
			out = append(out, "--context="+name+"="+args[i])
		default:
			out = append(out, args[i])
		}
	}
	return out
}
