package main

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/lazy"
)

// skeleton is the description of a machine that is still largely unknown. newDescription replaces its words in
// capitals.
//
//go:embed skeleton.xml
var skeleton string

type newFlags struct {
	size int
	dir  string
}

func newNew() *cobra.Command {
	var f newFlags
	cmd := &cobra.Command{
		Use:     "new [flags] NAME",
		GroupID: "about",
		Short:   "Create a description for a new machine",
		Long: `new writes NAME.xml, a first description: a register file, an operand and two instructions, with a comment for
each element. The description loads and passes check unchanged. new never overwrites a file.`,
		Example: `  isago new mygpu --size 64
  isago check --spec mygpu.xml
  isago survey --spec mygpu.xml dump.bin`,
		Args: oneArg("NAME", ""),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.size, "size", 32, "size of an instruction in `BITS`, 20 to 256")
	flags.StringVarP(&f.dir, "output", "o", ".", "write into `DIR`")
	return cmd
}

// smallest is the minimum size of an instruction, in bits, that the fields and the opcode of the skeleton need.
const smallest = 20

var machineName = lazy.Regexp(`^[a-z][a-z0-9_-]*$`)

func (f *newFlags) run(cmd *cobra.Command, name string) error {
	switch {
	case !machineName().MatchString(name):
		return usagef("machine name %q, expected lower-case letters, digits, - and _, a letter first", name)
	case f.size < smallest || f.size > bits.Size:
		return usagef("--size %d, expected %d to %d", f.size, smallest, bits.Size)
	}
	path := filepath.Join(f.dir, name+".xml")
	if err := createNew(path, newDescription(name, f.size)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: instructions of %d bits. Next:\n  isago check --spec %s\n  isago survey --spec %s DUMP\n", path, f.size, path, path)
	return err
}

// newDescription returns a skeleton description for a machine name and an instruction size in bits.
func newDescription(name string, size int) string {
	op, rest := size-8, size-8
	middle := ""
	if n := rest - 12; n > 0 {
		middle = fmt.Sprintf("  <pattern low=\"12\" high=\"%d\">%s</pattern>\n", rest-1, strings.Repeat("x", n))
	}
	return strings.NewReplacer(
		"{NAME}", "{NAME}", "NAME", name, "SIZE", strconv.Itoa(size),
		"OP_LOW", strconv.Itoa(op), "OP_HIGH", strconv.Itoa(size-1),
		"REST_HIGH", strconv.Itoa(rest-1), "REST", strings.Repeat("x", rest), "MIDDLE", middle,
	).Replace(skeleton)
}
