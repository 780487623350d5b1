package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/randisa"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

var noOptions isa.Options

// columns returns, for a row of a machine's committed words, the flags, the words, the text and the
// syntax of the text.
var columns = map[string]func(row []string) (flags, words, text string){
	"a2xx": func(row []string) (flags, words, text string) {
		kind := strings.Fields(row[0])
		flags = "--root " + kind[0]
		for _, ctx := range kind[1:] {
			flags += " --context " + ctx
		}
		return flags, row[1], strings.ReplaceAll(row[2], "~", "\t")
	},
	"tesla": func(row []string) (flags, words, text string) {
		return "--chip " + row[0] + " --stage " + row[1], row[2], row[3]
	},
	"pica200": func(row []string) (flags, words, text string) {
		return "", strings.ReplaceAll(row[0], " / ", "/"), row[1]
	},
	"tegra": func(row []string) (flags, words, text string) { return "", row[0], row[1] },
}

// textSyntax holds the flag for committed texts that are not in the default syntax.
var textSyntax = map[string]string{"tesla": " --syntax envydis"}

// words returns calls with the committed words of each machine and their texts.
func (c *comparison) words() (list []call, err error) {
	for _, m := range catalog.Machines() {
		split := columns[m.Name]
		if split == nil {
			continue
		}
		words, texts := map[string]string{}, map[string]string{}
		for _, file := range c.glob("target/"+m.Name+"/testdata/words.txt", "target/"+m.Name+"/testdata/rows.txt") {
			text, err := c.read(file)
			if err != nil {
				return nil, err
			}
			for i, line := range strings.Split(text, "\n") {
				if row := strings.Split(line, "\t"); len(row) > 1 && line[0] != '#' {
					flags, word, text := split(append(row, "", ""))
					words[flags] += word + "\n"
					texts[flags+textSyntax[m.Name]] += text + "\n"
					if i%20 == 0 {
						list = append(list, call{args: append(args("explain --all --isa "+m.Name+" "+flags), word)})
					}
				}
			}
		}
		for _, flags := range slices.Sorted(maps.Keys(words)) {
			lines := words[flags]
			list = append(list, wordCalls(m, flags, lines, flags != "")...)
		}
		for _, flags := range slices.Sorted(maps.Keys(texts)) {
			lines := texts[flags]
			for _, text := range []string{lines, wrongLines(c.random(m.Name+flags), lines)} {
				list = append(list, call{args: args("asm --plain --hex --isa "+m.Name+" "+flags, "-"), stdin: text, lines: true})
			}
		}
	}
	return list, nil
}

// wordCalls returns calls that disassemble lines of words and assemble the output. brief limits them
// to the lossless text and JSON.
func wordCalls(m catalog.Machine, flags, lines string, brief bool) (list []call) {
	flags = " --isa " + m.Name + " " + flags
	add := func(line string, then func(string) []call) {
		list = append(list, call{args: args(line+flags, "-"), stdin: lines, lines: true, then: then})
	}
	back := func(more string) func(string) []call {
		return func(printed string) []call {
			r := rand.New(rand.NewPCG(uint64(len(printed)), 1))
			return []call{
				{args: args("asm --plain --hex"+flags+more, "-"), stdin: printed, lines: true},
				{args: args("asm --plain --hex"+flags+more, "-"), stdin: wrongLines(r, printed), lines: true},
			}
		}
	}
	add("dis --hex --plain --lossless", back(""))
	add("dis --hex --json --fields --facts", nil)
	if brief {
		return list
	}
	add("dis --hex --plain", back(""))
	list = append(list, call{args: args("dis --hex"+flags, "-"), stdin: lines})
	for _, syntax := range syntaxes(m) {
		add("dis --hex --plain --lossless --syntax "+syntax, back(" --syntax "+syntax))
	}
	return list
}

// wrongLines changes each line of a text.
func wrongLines(r *rand.Rand, lines string) string {
	var wrong strings.Builder
	for line := range strings.Lines(lines) {
		wrong.WriteString(strings.ReplaceAll(mutate(r, strings.TrimSuffix(line, "\n")), "\n", " ") + "\n")
	}
	return wrong.String()
}

// contexts lists the flags for every combination of context values, up to a limit.
func contexts(set *isa.Set, most int) []string {
	list := []string{""}
	for _, ctx := range set.Contexts() {
		if ctx.FromText {
			continue
		}
		var next []string
		for _, value := range ctx.Values {
			for _, flags := range list {
				next = append(next, flags+" --context "+ctx.Name+"="+value)
			}
		}
		if len(next) > 0 && len(next) <= most {
			list = next
		}
	}
	return list
}

// randomWords returns calls with words of every leaf of each machine in each context, and words that
// match no leaf.
func (c *comparison) randomWords() (list []call, err error) {
	for _, m := range catalog.Machines() {
		set, err := m.Load(noOptions)
		if err != nil {
			return nil, err
		}
		r := c.random("words " + m.Name)
		gen := roundtrip.NewWords(set, r.Uint64())
		for _, root := range set.Roots() {
			if !slices.Contains(set.InstructionRoots(), root) {
				lines := c.randomLines(set, gen, r, root, c.options.words/40)
				list = append(list, wordCalls(m, "--root "+strings.TrimPrefix(root.Name, "#"), lines, true)...)
				continue
			}
			flags := contexts(set, 24)
			for _, ctx := range flags {
				lines := c.randomLines(set, gen, r, root, c.options.words/len(flags))
				list = append(list, wordCalls(m, "--root "+strings.TrimPrefix(root.Name, "#")+ctx, lines, ctx != flags[0])...)
			}
		}
	}
	return list, nil
}

// randomLines returns lines for --hex with a word of each leaf in turn and words that match no leaf.
func (c *comparison) randomLines(set *isa.Set, gen *roundtrip.Words, r *rand.Rand, root *isa.Root, n int) string {
	var lines strings.Builder
	for i := range n {
		lines.WriteString(wordLine(set, randomWord(gen, r, root, i), root, r))
	}
	return lines.String()
}

// randomWord returns a word of each leaf in turn. Every eighth word is random.
func randomWord(gen *roundtrip.Words, r *rand.Rand, root *isa.Root, i int) bits.Value {
	if i%8 == 7 || len(root.Leaves) == 0 {
		return gen.Random().And(bits.Ones(root.Size))
	}
	return gen.Leaf(root.Leaves[i/8%len(root.Leaves)]).And(bits.Ones(root.Size))
}

// wordLine returns a line for --hex: a word and its table entries.
func wordLine(set *isa.Set, v bits.Value, root *isa.Root, r *rand.Rand) string {
	line := string(v.AppendHex(nil, (root.Size+3)/4))
	for _, t := range set.Tables() {
		entry := bits.Of(r.Uint64()).And(bits.Ones(t.Bits))
		line += "/" + string(entry.AppendHex(nil, (t.Bits+3)/4))
	}
	return line + "\n"
}

// randomPrograms returns calls with files of random instructions.
func (c *comparison) randomPrograms() (list []call, err error) {
	const each, length = 6, 40
	for _, m := range catalog.Machines() {
		set, err := m.Load(noOptions)
		if err != nil {
			return nil, err
		}
		r := c.random("programs " + m.Name)
		gen := roundtrip.NewWords(set, r.Uint64())
		root, err := set.Root("")
		if err != nil {
			return nil, err
		}
		for i := range each {
			var b []byte
			for range length {
				leaf := root.Leaves[r.IntN(len(root.Leaves))]
				b = appendStored(b, root, gen.Leaf(leaf), leaf.Size)
			}
			file, err := c.write(fmt.Sprintf("random/%s%d.raw", m.Name, i), string(b))
			if err != nil {
				return nil, err
			}
			flags := []string{"--isa", m.Name}
			for _, line := range []string{"dis", "dis --lossless", "dis --listing --addresses --words --jumps", "dis --json --facts", "lint", "survey --all", "run --budget 2000 --raw"} {
				x := call{args: slices.Concat(args(line), flags, []string{file})}
				if line == "dis --lossless" {
					x.then = func(printed string) []call {
						return []call{{args: args("asm --isa", m.Name, "-"), stdin: printed}, {args: args("asm --isa", m.Name, "-"), stdin: mutate(c.random(file), printed)}}
					}
				}
				list = append(list, x)
			}
		}
	}
	return list, nil
}

// appendStored appends an instruction as programs store it, with the least significant byte of each
// word first.
func appendStored(b []byte, root *isa.Root, v bits.Value, size int) []byte {
	unit := max(8, root.WordSize)
	var words [][]byte
	for low := 0; low < size; low += unit {
		var w []byte
		for bit := low; bit < low+unit; bit += 8 {
			w = append(w, byte(v.Uint(bit, 8)))
		}
		words = append(words, w)
	}
	if root.HighFirst {
		slices.Reverse(words)
	}
	return append(b, slices.Concat(words...)...)
}

// states returns calls that run a random instruction on a random state of each machine.
func (c *comparison) states() (list []call, err error) {
	for _, m := range catalog.Machines() {
		set, err := m.Load(noOptions)
		if err != nil {
			return nil, err
		}
		machine, err := exec.Open(set)
		if err != nil {
			continue // without semantics
		}
		r := c.random("states " + m.Name)
		gen := roundtrip.NewWords(set, r.Uint64())
		for _, root := range set.InstructionRoots() {
			for _, ctx := range contexts(set, 24) {
				var lines strings.Builder
				for i := range c.options.words / 2 / len(contexts(set, 24)) {
					line, err := json.Marshal(query(m, machine, root, randomWord(gen, r, root, i), ctx, r))
					if err != nil {
						return nil, err
					}
					lines.Write(append(line, '\n'))
				}
				list = append(list, call{args: args("step -"), stdin: lines.String(), lines: true})
			}
		}
	}
	return list, nil
}

// query returns a line of input for step.
func query(m catalog.Machine, machine *exec.Machine, root *isa.Root, v bits.Value, ctx string, r *rand.Rand) map[string]any {
	var words []string
	for low := 0; low < root.Size; low += 32 {
		words = append(words, strconv.FormatUint(v.Uint(low, min(32, root.Size-low)), 16))
	}
	if root.HighFirst {
		slices.Reverse(words)
	}
	contexts := map[string]string{}
	for _, f := range strings.Fields(ctx) {
		if name, value, ok := strings.Cut(f, "="); ok {
			contexts[name] = value
		}
	}
	tables := map[string][]string{}
	for _, t := range root.Leaves[0].Set().Tables() {
		for range t.Size {
			tables[t.Name] = append(tables[t.Name], strconv.FormatUint(r.Uint64()&(1<<t.Bits-1), 16))
		}
	}
	state := map[string]any{}
	for _, s := range machine.States {
		if s.Kind != exec.Registers || s.ReadOnly || s.Single {
			continue
		}
		regs := map[string]any{}
		for n := range min(s.Count, 64) {
			regs[strconv.Itoa(n)] = register(s.Type, r)
		}
		state[s.Name] = regs
	}
	return map[string]any{"isa": m.Name, "root": strings.TrimPrefix(root.Name, "#"), "context": contexts, "words": words, "tables": tables, "state": state, "steps": 4}
}

// register returns the components of a register: small numbers, floats or random bits.
func register(t isa.Type, r *rand.Rand) any {
	one := func() string {
		v := r.Uint64()
		switch r.IntN(4) {
		case 0:
			v = r.Uint64N(20)
		case 1:
			v = uint64(0x3f800000 + r.IntN(8)<<22)
		}
		if t.Bits < 64 {
			v &= 1<<t.Bits - 1
		}
		return strconv.FormatUint(v, 16)
	}
	if t.Lanes == 1 {
		return one()
	}
	var list []string
	for range t.Lanes {
		list = append(list, one())
	}
	return list
}

// randomDescriptions returns calls with random descriptions, words and texts.
func (c *comparison) randomDescriptions() (list []call, err error) {
	const each = 12
	for kind, invent := range []func(uint64) string{randisa.Words, randisa.Texts, randisa.Programs} {
		for i := range each {
			name := fmt.Sprintf("%s%d", []string{"words", "texts", "programs"}[kind], i)
			file, err := c.write("invented/"+name+".xml", invent(c.random("invented "+name).Uint64()))
			if err != nil {
				return nil, err
			}
			list = append(list, call{args: args("check --search 500", file)}, call{args: args("gen c --prefix x -o", out, "--spec", file)})
			list = append(list, c.isaspecWords(file)...)
		}
	}
	return list, nil
}

// isaspecWords returns calls that disassemble random words of a description, also with --compat mesa,
// and assemble the text. A rejected description has none.
func (c *comparison) isaspecWords(file string) (list []call) {
	set, err := isa.Load(os.DirFS(filepath.Join(c.tree, filepath.Dir(file))), filepath.Base(file), noOptions)
	if err != nil {
		return nil
	}
	r := c.random(file)
	gen := roundtrip.NewWords(set, r.Uint64())
	for _, root := range set.InstructionRoots() {
		lines := c.randomLines(set, gen, r, root, c.options.words/10)
		flags := []string{"--root", strings.TrimPrefix(root.Name, "#"), "--spec", file, "-"}
		list = append(list,
			call{args: append(args("dis --hex --compat mesa"), flags...), stdin: lines},
			call{
				args: append(args("dis --hex --plain --lossless"), flags...), stdin: lines, lines: true,
				then: func(printed string) []call {
					return []call{{args: append(args("asm --hex --plain"), flags...), stdin: printed, lines: true}}
				},
			})
	}
	return list
}
