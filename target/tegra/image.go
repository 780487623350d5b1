package tegra

import (
	"fmt"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Open reads a container for listing.
func Open(set *isa.Set, data []byte) (*program.Image, error) {
	p, err := ReadContainer(set, &diag.Source{Text: string(data)})
	if err != nil {
		return nil, err
	}
	return imageOf(set, p), nil
}

// imageOf makes an image of a program.
func imageOf(set *isa.Set, p *Program) *program.Image {
	im := &program.Image{Format: FormatName, Header: []string{fmt.Sprintf("Tegra vertex program, %d instructions", len(p.Words))}}
	im.Declarations = func() ([]program.FileDeclaration, error) { return p.declarations(set), nil }
	for _, w := range p.Words {
		im.Words = append(im.Words, w.Word(3), w.Word(2), w.Word(1), w.Word(0))
	}
	for _, l := range p.Labels {
		im.Entries = append(im.Entries, program.Entry{Addr: wordBits * int64(l.Number), Name: l.Name, Inner: l.Number != 0})
	}
	for _, s := range nameLines[:3] {
		names := *s.list(p)
		if len(names) == 0 {
			continue
		}
		part := program.Part{Title: s.places, Data: names}
		for _, n := range names {
			line := fmt.Sprintf("%s %d %q", s.keyword, n.Number, n.Name)
			part.Lines = append(part.Lines, line)
			im.Header = append(im.Header, line)
		}
		im.Contents = append(im.Contents, part)
	}
	if len(p.Constants) > 0 {
		part := program.Part{Title: "constants", Data: p.Constants}
		for _, c := range p.Constants {
			part.Lines = append(part.Lines, fmt.Sprintf("%d.%c %s", c.Number, componentsOf(set)[c.Component], formatFloat(c.Bits)))
		}
		im.Contents = append(im.Contents, part)
	}
	return im
}

// FormatName is the name of the container's format.
const FormatName = "tegra-vp"
