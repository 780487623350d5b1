package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// open returns the input named on the command line; - is standard input.
func open(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(name)
}

// readAll returns the whole input named on the command line.
func readAll(cmd *cobra.Command, name string) ([]byte, error) {
	r, err := open(cmd, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// inputName is how errors name an input.
func inputName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// readImage reads a program: in a format that is recognised by its content, or, where a machine is
// named, raw words.
func (f *machineFlags) readImage(cmd *cobra.Command, name string) (*isa.Set, *program.Image, error) {
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, nil, err
	}
	m, format, known := catalog.Recognise(data)
	if !known && !f.given() {
		return nil, nil, usagef("%s has none of the formats that isago knows (%s); raw words need --isa NAME", inputName(name), formatNames())
	}
	set, err := f.load(&m)
	if err != nil {
		return nil, nil, err
	}
	if known && set.Name() != m.Name {
		return nil, nil, usagef("%s is %s of %s, not a program of %s", inputName(name), format.Name, m.Name, setName(set))
	}
	im, err := f.openImage(set, format, data)
	if err != nil {
		return nil, nil, fileError(name, err)
	}
	return set, im, nil
}

// openImage reads a file of a format; the zero Format is a program of the machine without a container,
// or raw words of a root.
func (f *machineFlags) openImage(set *isa.Set, format catalog.Format, data []byte) (*program.Image, error) {
	if format.Open != nil {
		return format.Open(set, data)
	}
	if raw := f.raw(); raw != nil && f.root == "" {
		ctx, err := f.context(set)
		if err != nil {
			return nil, err
		}
		return raw.Open(set, ctx, data)
	}
	r, err := set.Root(f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	return program.Raw(r, data)
}

// fileError says in which file something is wrong that has no line.
func fileError(name string, err error) error {
	var usage *usageError
	if errors.As(err, &usage) {
		return err
	}
	text := err.Error()
	var e *diag.Error
	if errors.As(err, &e) {
		text = e.Msg
	}
	return fmt.Errorf("%s: %s [%s]", inputName(name), text, diag.FileFormat)
}

func formatNames() string {
	var names []string
	for _, m := range catalog.Machines() {
		for _, f := range m.Formats {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}
