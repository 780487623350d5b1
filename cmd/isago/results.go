package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/isago/isago/feed"
)

// tableFlags select the form of outputs.
type tableFlags struct {
	output, format string
	bits           bool
}

func (f *tableFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "-", "write the outputs to `FILE`")
	flags.StringVar(&f.format, "format", "table", "`FORMAT` of the outputs: table, json, csv or raw")
	flags.BoolVar(&f.bits, "bits", false, "print values as bits in hexadecimal")
	complete(cmd, "format", fixed(feed.Formats...))
}

func (f *tableFlags) check() error {
	if slices.Contains(feed.Formats, f.format) {
		return nil
	}
	return usagef("--format %q, expected table, json, csv or raw", f.format)
}

// tableWriter writes the output tables of a run to the output of the flags.
type tableWriter struct {
	feed.TableWriter
	to *output // nil until the first part is written
}

func (f *tableFlags) writer(cmd *cobra.Command) *tableWriter {
	w := &tableWriter{TableWriter: feed.TableWriter{Format: f.format, Bits: f.bits}}
	w.Open = func() (io.Writer, error) {
		to, err := create(cmd, f.output)
		if err != nil {
			return nil, err
		}
		w.to = to
		return to, nil
	}
	return w
}

// end closes the output of a run that returned err.
func (o *tableWriter) end(err error) error {
	if o.to == nil {
		return err
	}
	return o.to.done(err)
}
