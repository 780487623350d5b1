package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// compareMesa compares a raw program with the text of Mesa's disassembler, line by line, and assembles
// both texts. The name contains the stage, as in NAME.vs.bin.
func compareMesa(file string, _ *known, report func(difference)) (rows int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(strings.TrimSuffix(file, ".bin") + ".mesa.txt")
	if err != nil {
		return 0, err
	}
	c, err := newMesaComparer(file)
	if err != nil {
		return 0, err
	}
	im, err := c.machine.Raw.Open(c.set, c.ctx, data, "")
	if err != nil {
		return 0, err
	}
	lines, err := c.lines(im)
	if err != nil {
		return 0, err
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := range max(len(lines), len(want)) {
		d := difference{word: "end"}
		if i < len(lines) {
			d.word, d.got = lines[i].word, lines[i].text
		}
		if i < len(want) {
			d.want = want[i]
		}
		if d.got != d.want {
			report(d)
		}
	}
	own, err := c.machine.Raw.Source(c.set, c.ctx, data, "")
	if err != nil {
		return 0, err
	}
	c.assemble("the text of isago", string(own), data, report)
	c.assemble("the text of Mesa", string(text), data, report)
	return len(want) + 2, nil
}

type mesaComparer struct {
	machine catalog.Machine
	set     *isa.Set
	ctx     bits.Value
}

func newMesaComparer(file string) (c mesaComparer, err error) {
	if c.machine, err = catalog.Lookup("a2xx"); err != nil {
		return c, err
	}
	if c.set, err = c.machine.Load(isa.Options{Syntax: "mesa"}); err != nil {
		return c, fmt.Errorf("%s", diag.Render(err))
	}
	stage := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(file, ".bin")), ".")
	c.ctx, err = c.set.ParseContext(c.set.DefaultContext(), "stage", stage)
	return c, err
}

// textLine is a line of the listing and its word.
type textLine struct{ word, text string }

// lines prints the pieces of an image as Mesa does.
func (c *mesaComparer) lines(im *program.Image) (list []textLine, err error) {
	main, err := c.set.Root("")
	if err != nil {
		return nil, err
	}
	for _, p := range im.Pieces {
		v, _ := im.At(p.Addr, main, p.Size)
		word := string(program.AppendWords(nil, c.set, v.And(bits.Ones(p.Size)), p.Size))
		if p.Root == nil {
			list = append(list, textLine{word, "data"})
			continue
		}
		d, err := c.set.NewDecoder(p.Root.Name)
		if err != nil {
			return nil, err
		}
		d.SetContext(p.Context)
		d.Lines, d.Remarks, d.Indent = true, true, im.Break
		in, _ := d.Decode(v.And(bits.Ones(p.Size)))
		for _, line := range strings.Split(p.Indent+string(d.Append(nil, in)), "\n") {
			list = append(list, textLine{word, line})
		}
	}
	return list, nil
}

// assemble reports a text that does not assemble to the program.
func (c *mesaComparer) assemble(name, text string, data []byte, report func(difference)) {
	compiler, err := c.machine.NewCompiler()
	if err != nil {
		report(difference{word: name, got: err.Error(), want: "a program"})
		return
	}
	out, err := compiler.Compile([]*diag.Source{{Name: name, Text: text}}, program.CompileOptions{
		Syntax: c.set.Syntax(), Context: func(*isa.Set) (bits.Value, error) { return c.ctx, nil },
	})
	if err != nil {
		report(difference{word: name, got: err.Error(), want: "a program"})
		return
	}
	if !bytes.Equal(out.Bytes, data) {
		report(difference{word: name, got: fmt.Sprintf("%x", out.Bytes), want: fmt.Sprintf("%x", data)})
	}
}
