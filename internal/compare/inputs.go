package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/target/catalog"
)

// groups are the groups of inputs, in the order in which they run.
var groups = []struct {
	name string
	make func(c *comparison) ([]call, error)
}{
	{"scripts", (*comparison).scripts},
	{"pages", (*comparison).pages},
	{"descriptions", (*comparison).descriptions},
	{"generated code", (*comparison).generatedCode},
	{"examples", (*comparison).examples},
	{"words", (*comparison).words},
	{"random words", (*comparison).randomWords},
	{"random programs", (*comparison).randomPrograms},
	{"states", (*comparison).states},
	{"damaged programs", (*comparison).damagedPrograms},
	{"damaged sources", (*comparison).damagedSources},
	{"refused sources", (*comparison).refusedSources},
	{"seeds", (*comparison).seeds},
	{"invented machines", (*comparison).randomDescriptions},
	{"help", (*comparison).help},
}

// calls returns the calls of the selected groups.
func (c *comparison) calls() (list []call, err error) {
	for _, g := range groups {
		if !c.options.groups.MatchString(g.name) {
			continue
		}
		calls, err := g.make(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
		list = append(list, inGroup(g.name, calls)...)
	}
	return list, nil
}

func inGroup(name string, calls []call) []call {
	for i := range calls {
		calls[i].group = name
		if then := calls[i].then; then != nil {
			calls[i].then = func(printed string) []call { return inGroup(name, then(printed)) }
		}
	}
	return calls
}

// random returns a random source that depends only on the seed and a name.
func (c *comparison) random(name string) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(c.seed, h))
}

// glob lists files of the checkout.
func (c *comparison) glob(patterns ...string) (list []string) {
	for _, p := range patterns {
		names, _ := filepath.Glob(filepath.Join(c.tree, p))
		for _, name := range names {
			rel, _ := filepath.Rel(c.tree, name)
			list = append(list, rel)
		}
	}
	return list
}

func (c *comparison) read(file string) (string, error) {
	data, err := os.ReadFile(filepath.Join(c.tree, file))
	return string(data), err
}

// write writes a generated input where both commands can read it, and returns its name in the
// checkout.
func (c *comparison) write(file, text string) (string, error) {
	path := filepath.Join(c.tree, "generated", file)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	return filepath.Join("generated", file), os.WriteFile(path, []byte(text), 0o666)
}

// args splits a command line at blanks and appends more arguments.
func args(line string, more ...string) []string { return append(strings.Fields(line), more...) }

// program is an example program with the flags that it needs.
type program struct {
	machine catalog.Machine
	file    string
	// flags are the options that the file does not determine.
	flags []string
	// source reports whether the file is source text.
	source bool
}

var stageOfName = regexp.MustCompile(`\.(vs|fs)\.`)

// programs lists the example programs. Their folders have the names of the machines.
func (c *comparison) programs() (list []program) {
	for _, m := range catalog.Machines() {
		for _, file := range c.glob("examples/" + m.Name + "/*") {
			p := program{machine: m, file: file}
			switch ext := filepath.Ext(file); {
			case ext == ".png":
				continue
			case slices.Contains([]string{".asm", ".s", ".pica", ".a2xx"}, ext):
				p.source = true
				p.flags = []string{"--isa", m.Name}
			case ext == ".bin":
				p.flags = []string{"--isa", m.Name}
			}
			if stage := stageOfName.FindStringSubmatch(file); stage != nil {
				p.flags = append(p.flags, "--stage", stage[1])
			}
			list = append(list, p)
		}
	}
	return list
}

// calls returns calls that read a program with every command.
func (p *program) calls() (list []call) {
	add := func(line string, file ...string) {
		list = append(list, call{args: slices.Concat(args(line), p.flags, file)})
	}
	for _, line := range []string{
		"dis", "dis --lossless", "dis --listing --addresses --words", "dis --listing --jumps --lossless", "dis --json",
		"dis --json --fields --facts", "dis --ir", "lint", "lint --json", "survey --all", "survey --json",
	} {
		add(line, p.file)
	}
	for _, syntax := range syntaxes(p.machine) {
		add("dis --listing --syntax "+syntax, p.file)
	}
	for _, at := range []string{"", "@0", "@0x0", "@8", "@0x8", "@10", "@0x10", "@main", "@main+1", "@end"} {
		add("explain", p.file+at)
	}
	list = append(list, call{args: args("list", p.file)}, call{args: args("list --json", p.file)})
	add("run --budget 10000", p.file)
	add("run --budget 10000 --trace --bits --count 2", p.file)
	return list
}

func syntaxes(m catalog.Machine) []string {
	set, err := m.Load(noOptions)
	if err != nil {
		return nil
	}
	return set.Syntaxes()
}

// sourceCalls returns calls that assemble a source into every format.
func (p *program) sourceCalls(text string) (list []call) {
	formats := append([]string{""}, p.machine.Outputs...)
	for _, f := range formats {
		line := "asm"
		if f != "" {
			line += " --format " + f
		}
		list = append(list,
			call{args: slices.Concat(args(line), p.flags, []string{p.file})},
			call{args: slices.Concat(args(line), p.flags, []string{"-o", out + "/out", p.file})})
	}
	list = append(list,
		call{args: slices.Concat(args("asm --hex"), p.flags, []string{p.file})},
		call{args: slices.Concat(args("asm --header "+out+"/names.h -o /dev/null"), p.flags, []string{p.file})},
		call{args: slices.Concat(args("lint"), p.flags, []string{p.file})},
		call{args: slices.Concat(args("run --budget 10000"), p.flags, []string{p.file})})
	for i := range strings.Count(text, "\n") {
		if i%7 == 3 {
			list = append(list, call{args: slices.Concat(args("explain"), p.flags, []string{p.file + ":" + strconv.Itoa(i+1)})})
		}
	}
	return list
}

func (c *comparison) examples() (list []call, err error) {
	before := map[string]string{} // the previous file of each machine
	for _, p := range c.programs() {
		if p.source {
			text, err := c.read(p.file)
			if err != nil {
				return nil, err
			}
			list = append(list, p.sourceCalls(text)...)
			continue
		}
		list = append(list, p.calls()...)
		if other := before[p.machine.Name]; other != "" {
			list = append(list, call{args: slices.Concat(args("diff"), p.flags, []string{other, p.file})})
		}
		before[p.machine.Name] = p.file
	}
	for _, m := range catalog.Machines() {
		if m.Demo != nil {
			list = append(list, call{args: args("run --demo --size 64x64 --png "+out+"/demo.png --isa", m.Name)})
		}
	}
	return list, nil
}

// damagedPrograms returns calls with programs whose bytes are changed, removed or duplicated.
func (c *comparison) damagedPrograms() (list []call, err error) {
	const each = 8
	for _, p := range c.programs() {
		if p.source {
			continue
		}
		text, err := c.read(p.file)
		if err != nil {
			return nil, err
		}
		r := c.random(p.file)
		for i := range each {
			bad, err := c.write(fmt.Sprintf("%s.%d%s", p.file, i, filepath.Ext(p.file)), damage(r, text))
			if err != nil {
				return nil, err
			}
			for _, line := range []string{"dis", "dis --lossless --listing", "dis --json --facts", "lint", "run --budget 2000"} {
				list = append(list, call{args: slices.Concat(args(line), p.flags, []string{bad})})
			}
			list = append(list, call{args: args("list", bad)})
		}
	}
	return list, nil
}

// damage changes some bits, bytes and words of a file, and its length.
func damage(r *rand.Rand, text string) string {
	b := []byte(text)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			break
		}
		at := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b = b[:at]
		case 1:
			b = slices.Insert(b, at, byte(r.Uint32()))
		case 2:
			b = slices.Delete(b, at, min(at+4, len(b)))
		case 3:
			b[at] = byte(r.Uint32())
		default:
			b[at] ^= 1 << r.IntN(8)
		}
	}
	return string(b)
}

// damagedSources returns calls with sources in which a token, a letter or a line is changed.
func (c *comparison) damagedSources() (list []call, err error) {
	const each = 40
	for _, p := range c.programs() {
		if !p.source {
			continue
		}
		text, err := c.read(p.file)
		if err != nil {
			return nil, err
		}
		r := c.random(p.file)
		for range each {
			list = append(list, call{args: slices.Concat(args("asm"), p.flags, []string{"-"}), stdin: mutate(r, text)})
		}
	}
	return list, nil
}

var word = regexp.MustCompile(`[A-Za-z0-9_.$]+|[^A-Za-z0-9_.$\s]`)

// mutate removes, duplicates or swaps a token or a line of a text, or changes a letter.
func mutate(r *rand.Rand, text string) string {
	tokens := word.FindAllStringIndex(text, -1)
	if len(tokens) == 0 {
		return text
	}
	t, u := tokens[r.IntN(len(tokens))], tokens[r.IntN(len(tokens))]
	start, end, other := text[:t[0]], text[t[1]:], text[u[0]:u[1]]
	this := text[t[0]:t[1]]
	switch r.IntN(6) {
	case 0:
		return start + end
	case 1:
		return start + this + " " + this + end
	case 2:
		return start + other + end
	case 3:
		b := []byte(this)
		b[r.IntN(len(b))] = "abcxyz019.,-$[]"[r.IntN(15)]
		return start + string(b) + end
	case 4:
		return start + this + strconv.Itoa(r.IntN(1000)) + end
	}
	lines := strings.SplitAfter(text, "\n")
	i := r.IntN(len(lines))
	if r.IntN(2) == 0 {
		return strings.Join(slices.Delete(lines, i, i+1), "")
	}
	return strings.Join(slices.Insert(lines, i, lines[r.IntN(len(lines))]), "")
}

// refusedSources returns calls with the sources in testdata/refused.txt of each machine. A bar
// separates the files of a row. The lines after a row hold its messages, after " -> ".
func (c *comparison) refusedSources() (list []call, err error) {
	for _, m := range catalog.Machines() {
		for _, file := range c.glob("target/" + m.Name + "/testdata/refused*.txt") {
			text, err := c.read(file)
			if err != nil {
				return nil, err
			}
			for i, row := range split(text) {
				if row == "" || strings.HasPrefix(row, "#") || strings.HasPrefix(row, " ") {
					continue
				}
				var files []string
				for k, source := range strings.Split(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(row), "|") {
					name, err := c.write(fmt.Sprintf("refused/%s%d.%d.pica", m.Name, i, k), source)
					if err != nil {
						return nil, err
					}
					files = append(files, name)
				}
				list = append(list, call{args: append(args("asm --hex --isa", m.Name), files...)},
					call{args: append(args("lint --isa", m.Name), files...)})
			}
		}
	}
	return list, nil
}

// seeds returns calls with the committed inputs of the fuzz targets: source text for each machine, or
// a description.
func (c *comparison) seeds() (list []call, err error) {
	for _, file := range c.glob("*/testdata/fuzz/*/*", "*/*/testdata/fuzz/*/*") {
		text, err := c.read(file)
		if err != nil {
			return nil, err
		}
		for _, line := range split(text) {
			_, value, ok := strings.Cut(strings.TrimSuffix(line, ")"), "(")
			value, err := strconv.Unquote(value)
			if !ok || err != nil {
				continue
			}
			xml, err := c.write(fmt.Sprintf("seeds/%d.xml", len(list)), value)
			if err != nil {
				return nil, err
			}
			list = append(list, call{args: args("check", xml)})
			for _, m := range catalog.Machines() {
				list = append(list, call{args: args("asm --isa", m.Name, "-"), stdin: value})
			}
		}
	}
	return list, nil
}

// descriptions returns calls that check the descriptions of the machines and of the tests, including
// rejected ones.
func (c *comparison) descriptions() (list []call, err error) {
	for _, m := range catalog.Machines() {
		list = append(list, call{args: args("check --all --search 2000 --isa", m.Name)}, call{args: args("list --instructions --isa", m.Name)},
			call{args: args("list --instructions --json --isa", m.Name)})
	}
	files := c.glob("*/testdata/*.xml", "*/*/testdata/*.xml", "docs/errata/*.xml", "gen/c/testdata/finch/*.xml", "internal/testgpu/heron/*.xml")
	for _, file := range files {
		list = append(list, call{args: args("check --search 300", file)}, call{args: args("list --instructions --spec", file)})
		if name := filepath.Base(file); !strings.HasPrefix(name, "err_") && !strings.HasPrefix(name, "nasty_") {
			list = append(list, call{args: args("check --json --search 300", file)})
			list = append(list, c.isaspecWords(file)...)
		}
	}
	return list, nil
}

// generatedCode returns calls that generate decoders of each machine and of the tests' descriptions,
// the latter also with --compat mesa.
func (c *comparison) generatedCode() (list []call, err error) {
	for _, m := range catalog.Machines() {
		for _, language := range []string{"c", "go"} {
			list = append(list, call{args: args("gen", language, "-o", out, "--isa", m.Name)})
		}
	}
	for _, file := range c.glob("asm/testdata/*.xml", "isa/testdata/*.xml", "view/testdata/*.xml", "gen/c/testdata/finch/*.xml", "internal/roundtrip/testdata/*.xml") {
		for _, more := range []string{"c", "go", "c --compat mesa"} {
			list = append(list, call{args: append(args("gen "+more), "-o", out, "--prefix", "x", "--spec", file)})
		}
	}
	return list, nil
}

func (c *comparison) help() (list []call, err error) {
	list = []call{{args: args("--help")}, {args: args("help codes")}, {args: args("man", out)}, {args: args("completion bash")}, {args: args("list")}, {args: args("list --json")}}
	for _, verb := range strings.Fields("asm check diff dis explain gen lint list man new run step survey version") {
		list = append(list, call{args: args(verb, "--help")}, call{args: args(verb, "--nonsense")}, call{args: args(verb, out+"/missing")},
			call{args: args(verb, out+"/missing", out+"/missing")})
	}
	return list, nil
}
