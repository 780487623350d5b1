package view

import (
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

func declarationsOf(im *program.Image) ([]program.FileDeclaration, error) {
	if im.Declarations == nil {
		return nil, nil
	}
	return im.Declarations()
}

// compareContexts compares the list of programs and the context values of each, such as its stage and chip.
func (d *Diff) compareContexts() {
	for n, p := range d.pairs {
		switch {
		case p.b < 0:
			d.declared(n, []string{"program " + Printable(d.a.members[p.a].Name)}, nil)
			continue
		case p.a < 0:
			d.declared(n, nil, []string{"program " + Printable(d.b.members[p.b].Name)})
			continue
		}
		a, b := d.a.members[p.a], d.b.members[p.b]
		if a.Name != b.Name && !d.a.Image.Numbered && !d.a.Image.Picked && !d.b.Image.Picked {
			d.declared(n, []string{"program " + Printable(a.Name)}, []string{"program " + Printable(b.Name)})
		}
		ca, cb := d.a.contexts(p.a), d.b.contexts(p.b)
		for i := range ca {
			if ca[i] != cb[i] {
				d.declared(n, []string{d.a.inProgram(a, ca[i])}, []string{d.b.inProgram(b, cb[i])})
			}
		}
	}
}

// contexts lists the contexts of a member that are the same for all of its instructions, with their values.
func (s *side) contexts(member int) []string {
	ctx := s.members[member].Context
	if s.Image.Pieces == nil {
		ctx = s.Decoder.Context()
	}
	return Contexts(s.Decoder.Set(), ctx)
}

// Contexts lists the contexts that are the same for all instructions of a program, each with its value: "stage vp".
func Contexts(set *isa.Set, ctx bits.Value) (list []string) {
	for _, c := range set.Contexts() {
		if !c.FromText {
			list = append(list, c.Name+" "+program.ContextValue(set, ctx, c))
		}
	}
	return list
}

// inProgram returns a line about a member of an image, with the name of the member if the image has several members.
func (s *side) inProgram(m program.Member, line string) string {
	if m.Several && m.Name != "" {
		return Printable(m.Name) + ": " + line
	}
	return line
}

func (d *Diff) declared(pair int, a, b []string) {
	d.Declared = append(d.Declared, DeclaredDiff{a, b, pair})
}

// declarationKey matches declarations of two files that are about the same thing: the pair of programs, or the name of a program
// that is not a member of an image, and the key.
type declarationKey struct {
	pair         int
	program, key string
}

// compareDeclared compares the declarations of the files.
func (d *Diff) compareDeclared(a, b []program.FileDeclaration) {
	var order []declarationKey
	lists := map[declarationKey]*[2][]*program.FileDeclaration{}
	files, pairs := [2][]program.FileDeclaration{a, b}, d.pairsByName()
	several := severalDeclared(files)
	for side, list := range files {
		for i := range list {
			x := &list[i]
			key := declarationKey{-1, x.Program, x.Key}
			if n, ok := pairs[side][x.Program]; ok {
				key = declarationKey{n, "", x.Key}
			}
			if lists[key] == nil {
				lists[key] = &[2][]*program.FileDeclaration{}
				order = append(order, key)
			}
			lists[key][side] = append(lists[key][side], x)
		}
	}
	for _, key := range order {
		both := lists[key]
		var lines [2][]string
		for i := range max(len(both[0]), len(both[1])) {
			if i < len(both[0]) && i < len(both[1]) && d.sameDeclaration(key.pair, both[0][i], both[1][i]) {
				continue
			}
			for side, s := range []*side{&d.a, &d.b} {
				if i < len(both[side]) {
					lines[side] = append(lines[side], s.declaration(both[side][i], several))
				}
			}
		}
		if len(lines[0])+len(lines[1]) > 0 {
			d.declared(key.pair, lines[0], lines[1])
		}
	}
}

// severalDeclared reports whether one of the files declares things for more than one program.
func severalDeclared(lists [2][]program.FileDeclaration) bool {
	for _, list := range lists {
		first := ""
		for i := range list {
			if p := list[i].Program; first == "" {
				first = p
			} else if p != "" && p != first {
				return true
			}
		}
	}
	return false
}

// pairsByName returns, for each of the two files, a map from the name of a program in that file to the number of its
// pair.
func (d *Diff) pairsByName() (of [2]map[string]int) {
	of = [2]map[string]int{{}, {}}
	for n, p := range d.pairs {
		if p.a >= 0 {
			of[0][d.a.members[p.a].Name] = n
		}
		if p.b >= 0 {
			of[1][d.b.members[p.b].Name] = n
		}
	}
	delete(of[0], "")
	delete(of[1], "")
	return of
}

// sameDeclaration reports whether two declarations with one key are equal.
func (d *Diff) sameDeclaration(pair int, a, b *program.FileDeclaration) bool {
	return a.Text == b.Text && a.Placed == b.Placed && (!a.Placed || d.correspond(max(pair, 0), a.Place, b.Place))
}

// declaration returns the line of a declaration, with the name of its program if there are several programs.
func (s *side) declaration(x *program.FileDeclaration, several bool) string {
	line := Printable(x.Text)
	if x.Placed {
		line += " " + program.Address(x.Place-s.members.At(x.Place).Start)
	}
	if several && x.Program != "" {
		line = fmt.Sprintf("%s: %s", Printable(x.Program), line)
	}
	return line
}
