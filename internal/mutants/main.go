// Command mutants checks the test vectors of a machine: it changes one thing at a time in the semantics of the description,
// and reports whether a vector reveals the change. Most users run it as: go run ./internal/mutants -isa pica200 -n 50
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/tegra"
	"github.com/isago/isago/target/tesla"
	"github.com/isago/isago/vectors"
)

var descriptions = map[string]fs.FS{"a2xx": a2xx.FS, "example": example.FS, "pica200": pica200.FS, "tegra": tegra.FS, "tesla": tesla.FS}

// options are the flags.
type options struct {
	isa          string
	n            int
	seed         uint64
	instructions []string
	verbose      bool
}

func main() {
	var opt options
	flag.StringVar(&opt.isa, "isa", "", "the `NAME` of the machine")
	flag.IntVar(&opt.n, "n", 50, "the number of mutants")
	flag.Uint64Var(&opt.seed, "seed", 1, "the seed that chooses the mutants")
	flag.BoolVar(&opt.verbose, "v", false, "also print the changes that make the description invalid")
	flag.Func("instruction", "only vectors of the instruction `NAME`, and mutants that change it; repeatable", func(s string) error {
		opt.instructions = append(opt.instructions, s)
		return nil
	})
	flag.Parse()
	survived, err := run(context.Background(), &opt, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", diag.Render(err))
		os.Exit(2)
	case survived > 0:
		os.Exit(1)
	}
}

// run tries the mutants. It returns the number of those that survived.
func run(ctx context.Context, opt *options, out io.Writer) (survived int, err error) {
	fsys := descriptions[opt.isa]
	if fsys == nil {
		return 0, fmt.Errorf("unknown machine %q", opt.isa)
	}
	files, err := read(fsys)
	if err != nil {
		return 0, err
	}
	m, err := open(files, opt.isa+".xml")
	if err != nil {
		return 0, err
	}
	res, err := vectors.Generate(ctx, m, vectors.Options{Instructions: opt.instructions, NoQuestions: true, Jobs: runtime.NumCPU()})
	if err != nil {
		return 0, err
	}
	t, err := newTrial(m, res.Files, opt.seed, opt.instructions)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "%s: %d vectors of %d words\n", opt.isa, t.vectors, len(t.groups))
	var list []site
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, sites(name, files[name].Data)...)
	}
	r := rand.New(rand.NewPCG(opt.seed, 1))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var killed, equivalent, done int
	for _, s := range list {
		if done == opt.n {
			break
		}
		c := s[r.IntN(len(s))]
		place := c.place(files[c.file].Data)
		mutant, err := open(with(files, &c), opt.isa+".xml")
		if err != nil {
			if opt.verbose {
				fmt.Fprintf(out, "%s: %s: invalid: %s\n", place, c.what, firstLine(diag.Render(err)))
			}
			continue
		}
		v, err := t.try(mutant, &c, len(opt.instructions) > 0)
		if err != nil {
			return survived, fmt.Errorf("%s: %s: %w", place, c.what, err)
		}
		switch v.kind {
		case elsewhere:
			continue
		case dead:
			killed++
		case same:
			equivalent++
		case alive, unreached:
			survived++
		}
		done++
		fmt.Fprintf(out, "%s: %s: %s\n", place, c.what, v.text)
	}
	fmt.Fprintf(out, "%s: %d mutants: %d killed, %d proved equivalent, %d survived or not reached\n", opt.isa, done, killed, equivalent, survived)
	return survived, nil
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// read returns the files of a description.
func read(fsys fs.FS) (fstest.MapFS, error) {
	files := fstest.MapFS{}
	list, err := fs.Glob(fsys, "*.xml")
	for _, name := range list {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	return files, err
}

// with returns the files with a change.
func with(files fstest.MapFS, c *change) fstest.MapFS {
	changed := maps.Clone(files)
	changed[c.file] = &fstest.MapFile{Data: c.apply(files[c.file].Data)}
	return changed
}

func open(files fstest.MapFS, name string) (*exec.Machine, error) {
	set, err := isa.Load(files, name, isa.Options{})
	if err != nil {
		return nil, err
	}
	return exec.Open(set)
}
