package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/isago/isago/target/pica200"
)

// picassoFlag, as the first argument of asm, marks the other arguments as a command line of picasso.
const picassoFlag = "--picasso"

// isPicasso reports whether the program was started with the name picasso.
func isPicasso(name string) bool {
	base := filepath.Base(name)
	return strings.TrimSuffix(base, filepath.Ext(base)) == "picasso"
}

// picassoUsage is the help of picasso's command line.
const picassoUsage = `Usage: picasso [options] files...
Options:
  -o, --out=<file>        Specifies the name of the SHBIN file to generate
  -h, --header=<file>     Specifies the name of the header file to generate
  -n, --no-nop            Does not add padding NOPs; warns where one is needed
  -v, --version           Displays version information
  -?, --help              Displays this
      --no-warn=<name>    Hides a warning; all hides every warning
      --werror            Treats warnings as errors
`

// picassoOptions are the options of picasso's command line.
type picassoOptions struct {
	sourceFlags
	out           string
	help, version bool
}

func (o *picassoOptions) parse(args []string) ([]string, error) {
	flags := pflag.NewFlagSet("picasso", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.StringVarP(&o.out, "out", "o", "", "")
	flags.StringVarP(&o.header, "header", "h", "", "")
	flags.BoolVarP(&o.noNop, "no-nop", "n", false, "")
	flags.BoolVarP(&o.version, "version", "v", false, "")
	flags.BoolVarP(&o.help, "help", "?", false, "")
	flags.StringSliceVar(&o.noWarn, "no-warn", nil, "")
	flags.BoolVar(&o.werror, "werror", false, "")
	if err := flags.Parse(args); err != nil {
		return nil, &usageError{err}
	}
	return flags.Args(), o.check()
}

// picasso runs a command line of picasso.
func picasso(cmd *cobra.Command, args []string) error {
	var o picassoOptions
	files, err := o.parse(args)
	switch {
	case err != nil:
		return err
	case o.help:
		_, err = fmt.Fprint(cmd.OutOrStdout(), picassoUsage)
		return err
	case o.version:
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "picasso as", version())
		return err
	case len(files) == 0:
		return &usageError{errors.New("picasso: no input files are specified; --help shows the usage")}
	case o.out == "":
		return &usageError{errors.New("picasso: no output file is specified; --help shows the usage")}
	}
	c, err := pica200.NewCompiler()
	if err != nil {
		return err
	}
	o.compat = pica200.Picasso
	return o.compile(cmd, c, files, o.out)
}
