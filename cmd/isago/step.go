package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/step"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

type stepFlags struct {
	setFlags
	jobsFlag
}

func newStep() *cobra.Command {
	var f stepFlags
	cmd := &cobra.Command{
		Use:     "step [flags] [FILE]",
		GroupID: "code",
		Short:   "Execute instructions on register states, given as JSON lines",
		Long: `step executes an instruction, or a short program, on a given state. It is a reference for tests of emulators.
Each line of the input is a JSON object, and step prints one line for each. Without a FILE, step reads
standard input, unless that is a terminal or another device. - reads standard input in any case.

  isa      the machine (or --isa, --spec)
  words    the program: words in hex, in the order in which files store them
  root     the root of the words
  context  values of contexts
  tables   table entries, in hex
  state    registers before the run, in hex
  lanes    an array of states, one for each lane, in addition to state
  memory   bytes by address, in hex
  active   the lanes that exist, as a mask in hex
  quirks   values of quirks
  pc       where the program starts (default 0)
  steps    the maximum number of instructions to run (default 10000)
  read     registers to return in addition to those that changed

Registers of a register file have their numbers as keys. A vector is an array of its components; missing ones are 0.
A stack is an array of its entries, the oldest first. The private memory of a lane is part of its state, by
address. The answer contains pc, where the program stopped, and address, the same place in bytes. If a line
cannot run, the answer is {"error": ...}, and step continues. The answers have the order of the lines. step is fastest
if lines with the same words are close together.

Exit status: 0; 1 if step cannot read the input; 2 for a mistake on the command line; 3 if some lines could
not run.`,
		Example: `  echo '{"isa":"pica200","words":["4e000000"],"tables":{"opdesc":["0000036f"]},"state":{"v":{"0":["3f800000","0","0","0"]}}}' | isago step`,
		Args:    atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := orStandardInput(cmd, args, noFile)
			if err != nil {
				return err
			}
			return f.run(cmd, args[0])
		},
	}
	f.setFlags.add(cmd)
	f.jobsFlag.add(cmd)
	return cmd
}

func (f *stepFlags) run(cmd *cobra.Command, name string) error {
	var given *exec.Machine // the machine of lines that name no machine
	if f.given() {
		set, err := f.load(nil)
		if err == nil {
			given, err = exec.Open(set)
		}
		if err != nil {
			return err
		}
	}
	if file, ok := cmd.InOrStdin().(*os.File); ok && name == "-" && isTerminal(file) {
		fmt.Fprintln(cmd.ErrOrStderr(), stepHint)
	}
	in, err := open(cmd, name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(cmd.OutOrStdout(), outputBuffer)
	var wrong atomic.Bool
	defer progressOf(cmd).startLines(cmd, name)()
	err = eachLine(cmd.Context(), in, w, f.jobs, func() (lineFunc, error) {
		lines := step.NewLines(func(name string) (step.Named, error) {
			if name == "" && given != nil {
				return named(given, f.product), nil
			}
			return openMachine(name)
		})
		return func(dst, line []byte, number int) []byte {
			if len(bytes.TrimSpace(line)) == 0 {
				return dst
			}
			out, err := lines.Answer(cmd.Context(), dst, line, number)
			if err != nil {
				wrong.Store(true)
				return view.AppendError(dst, err)
			}
			return out
		}, nil
	})
	if err = errors.Join(err, in.Close()); err == nil && wrong.Load() {
		return errFindings
	}
	return err
}

// stepHint is the message for a user who starts step on a terminal without input.
const stepHint = "isago step: reading lines of JSON from the terminal, such as those of isago step --help"

// openMachine returns the machine with a name, for lines that name their machine.
func openMachine(name string) (step.Named, error) {
	if name == "" {
		return step.Named{}, errors.New("isa is missing, and neither --isa nor --spec is given")
	}
	target, product, err := catalog.Find(name)
	if err != nil {
		return step.Named{}, err
	}
	set, err := target.Load(isa.Options{})
	if err != nil {
		return step.Named{}, err
	}
	m, err := exec.Open(set)
	if err != nil {
		return step.Named{}, err
	}
	return named(m, product), nil
}

// named returns a machine with the settings of a product.
func named(m *exec.Machine, p isa.Product) step.Named {
	context, quirks := splitSettings(isContext(m.Set()), p)
	return step.Named{Machine: m, Context: context, Quirks: quirks}
}
