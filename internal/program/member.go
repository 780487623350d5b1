package program

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// Member is one of the programs of an image: a kernel of a cubin, a shader of a capture, or the whole image.
type Member struct {
	// Name is "" where the image is one program.
	Name string
	// Several is set where its file has others, so that a place in it needs the name.
	Several bool
	// Start and End are its first bit in the image and the one after its last.
	Start, End int64
	// Context holds the contexts of its instructions, as far as the file says them.
	Context bits.Value
}

// Members are the programs of an image, in the order of their addresses.
type Members []Member

// Members returns the programs of the image, at least one. Each starts where its addresses count from.
func (im *Image) Members() Members {
	var list Members
	for i := range im.Pieces {
		p := &im.Pieces[i]
		if n := len(list); n == 0 || list[n-1].Start != p.Base {
			list = append(list, Member{Name: im.Names[p.Base], Several: len(im.Names) > 1, Start: p.Base, Context: p.Context})
		}
		last := &list[len(list)-1]
		last.End = max(last.End, p.Addr+int64(p.Size)) // the pieces of a member are in the order in which they are shown
	}
	if list == nil {
		list = Members{{Start: im.Start, End: im.Size()}}
	}
	return list
}

// Only leaves one of the programs of the image, which is one of Members, for a listing.
func (im *Image) Only(m Member) {
	im.Pieces = slices.DeleteFunc(im.Pieces, func(p Piece) bool { return p.Base != m.Start })
	im.Entries = slices.DeleteFunc(im.Entries, func(e Entry) bool { return e.Addr < m.Start || e.Addr >= m.End })
	im.Header = nil
	im.OneWay, im.Picked = "this is one program of a file", true
	if all := im.Declarations; all != nil {
		im.Declarations = func() ([]FileDeclaration, error) {
			list, err := all()
			return slices.DeleteFunc(list, func(d FileDeclaration) bool { return d.Program != "" && d.Program != m.Name }), err
		}
	}
}

// Named returns the member of a name. The error lists the first names that there are.
func (l Members) Named(name string) (Member, error) {
	if i := slices.IndexFunc(l, func(m Member) bool { return m.Name == name }); i >= 0 {
		return l[i], nil
	}
	if len(l) == 1 && l[0].Name == "" {
		return Member{}, fmt.Errorf("unknown program %s: the file contains only one program", name)
	}
	return Member{}, fmt.Errorf("unknown program %s, expected one of %s", name, l.Names())
}

// Names lists the names of the first members.
func (l Members) Names() string {
	const most = 8
	var names []string
	for _, m := range l[:min(len(l), most)] {
		names = append(names, m.Name)
	}
	text := strings.Join(names, ", ")
	if n := len(l) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// At returns the member at an address in bits, the last one that starts at or before it.
func (l Members) At(addr int64) Member {
	i := sort.Search(len(l), func(i int) bool { return l[i].Start > addr })
	return l[max(i-1, 0)]
}

// Place returns the place of an address, given in bits from the start of the image. It has the name of the program where
// the file has several.
func (l Members) Place(addr int64) diag.CodePlace {
	m := l.At(addr)
	p := diag.CodePlace{Address: (addr - m.Start) / 8}
	if m.Several {
		p.Program = m.Name
	}
	return p
}

// Address returns the notation of an address, given in bits from the start of a program: its bytes in hexadecimal.
func Address(addr int64) string { return fmt.Sprintf("0x%x", addr/8) }

// EntriesOf returns the entries at which a program of the image starts, at least one.
func (im *Image) EntriesOf(part Member) []Entry {
	var list []Entry
	for _, e := range im.Entries {
		if !e.Inner && e.Addr >= part.Start && e.Addr < part.End {
			list = append(list, e)
		}
	}
	if list == nil {
		list = []Entry{{Addr: part.Start, Name: part.Name}}
	}
	return list
}
