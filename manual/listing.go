package manual

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

// Listing is a listing of a program as a page of its own, without other files.
type Listing struct {
	// Title is the heading, such as the name of the file.
	Title string
	Set   *isa.Set
	// Name is the name of the machine, which is its folder in a manual.
	Name string
	// Manual is the address of a manual, such as ../reference or https://example.org/reference, or "" for no links.
	Manual string
}

// Write writes the page of a program. report is the object that view.Listing.WriteJSON writes with fields, and perhaps with
// facts. The error is that of w, or says that Manual is not a path or a web address.
func (l *Listing) Write(w io.Writer, report []byte) error {
	var doc struct {
		Header []string           `json:"header"`
		Code   []view.Instruction `json:"code"`
	}
	if err := json.Unmarshal(report, &doc); err != nil {
		return err
	}
	p, err := l.page(doc.Code)
	if err != nil {
		return err
	}
	p.Header = doc.Header
	style, script, err := inlined()
	if err != nil {
		return err
	}
	p.Style, p.Script = style, script
	return templates().ExecuteTemplate(w, "listing", p)
}

// inlined returns the style sheet and the script of a page of its own.
func inlined() (template.CSS, template.JS, error) {
	style, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return "", "", err
	}
	script, err := assets.ReadFile("assets/listing.js")
	return template.CSS(style), template.JS(script), err
}

// listingPage is what the template of a listing gets.
type listingPage struct {
	Title, Machine string
	Home           string // the machine in the manual, or ""
	Header         []string
	Rows           []listingRow
	Style          template.CSS
	Script         template.JS
}

// listingRow is an instruction. Labels and From belong to the line above it. Code that does not start after the code before it
// belongs to another program, which Program names.
type listingRow struct {
	ID, Address, Word string
	Program           string
	Labels            []string
	From              []listingJump
	Text              template.HTML
	Reads, Writes     []string
	To                []listingJump
	Findings          []string
}

// listingJump is a link to an instruction. URL is "" for an address outside of the listing.
type listingJump struct{ Text, URL string }

func (l *Listing) page(code []view.Instruction) (*listingPage, error) {
	p := &listingPage{Title: l.Title, Machine: l.Name}
	var urls map[string]string
	if l.Manual != "" {
		base, err := base(l.Manual)
		if err != nil {
			return nil, err
		}
		m := newMachine(&builder{}, Machine{Name: l.Name, Set: l.Set}, newNames().unique(cmp.Or(l.Name, "machine")))
		p.Home, urls = base+m.Dir+"/index.html", map[string]string{}
		for _, root := range m.pages {
			for _, leaf := range root.leaves {
				if urls[leaf.Name] == "" && !root.Nested {
					urls[leaf.Name] = base + m.Dir + "/" + m.page[leaf]
				}
			}
		}
	}
	type place struct {
		program string
		addr    int64
	}
	ids, names := map[place]string{}, map[place]string{}
	for i, in := range code {
		at := place{in.Program, in.Address}
		if ids[at] == "" {
			ids[at] = fmt.Sprintf("i%d", i)
			names[at] = fmt.Sprintf("0x%x", in.Address)
			if len(in.Labels) > 0 {
				names[at] = in.Labels[0]
			}
		}
	}
	from := map[string][]listingJump{}
	previous := ""
	for i, in := range code {
		row := listingRow{ID: fmt.Sprintf("i%d", i), Address: fmt.Sprintf("%x", in.Address), Word: in.Word, Labels: in.Labels, Findings: in.Findings}
		if in.Program != previous {
			row.Program, previous = in.Program, in.Program
		}
		flows := in.Flow
		if in.Facts != nil {
			row.Reads, row.Writes = accesses(in.Facts.Reads), accesses(in.Facts.Writes)
			flows = append(slices.Clone(flows), in.Facts.Flow...)
		}
		for _, f := range flows {
			if f.Target == nil || f.Kind == "next" {
				continue
			}
			at := place{in.Program, *f.Target}
			text := cmp.Or(names[at], fmt.Sprintf("0x%x", *f.Target))
			to := listingJump{Text: text}
			if id := ids[at]; id != "" {
				to.URL = "#" + id
				back := listingJump{fmt.Sprintf("0x%x", in.Address), "#" + row.ID}
				if !slices.Contains(from[id], back) {
					from[id] = append(from[id], back)
				}
			}
			if !slices.Contains(row.To, to) {
				row.To = append(row.To, to)
			}
		}
		row.Text = listingText(in, urls[in.Name])
		p.Rows = append(p.Rows, row)
	}
	for i := range p.Rows {
		p.Rows[i].From = from[p.Rows[i].ID]
	}
	return p, nil
}

// base returns the address of a folder, with a slash at the end.
func base(manual string) (string, error) {
	out := strings.TrimSuffix(manual, "/") + "/"
	if address(out) != "" {
		return address(out), nil
	}
	if first, _, _ := strings.Cut(out, "/"); strings.Contains(first, ":") {
		return "", fmt.Errorf("manual %q, expected a path, or an address with http or https", manual)
	}
	return out, nil
}

// accesses names what an instruction reads or writes.
func accesses(list []view.Access) (out []string) {
	for _, a := range list {
		text := a.State
		switch {
		case a.Number != nil:
			text += fmt.Sprint(*a.Number)
		case a.Address != nil:
			text += fmt.Sprintf("[0x%x]", *a.Address)
		}
		if len(a.Components) > 0 && len(strings.Join(a.Components, "")) == len(a.Components) {
			text += "." + strings.Join(a.Components, "")
		}
		if a.Maybe {
			text += "?"
		}
		out = append(out, text)
	}
	return out
}

// listingText returns the text of an instruction: tokens in their colours, inside of operands that name their registers and
// their documentation.
func listingText(in view.Instruction, url string) template.HTML {
	type operand struct {
		start, end     int
		register, help string
	}
	var operands []operand
	for _, o := range in.Operands {
		if len(o.Place) != 2 || o.Place[0] >= o.Place[1] || o.Place[1] > len(in.Text) {
			continue
		}
		x := operand{start: o.Place[0], end: o.Place[1]}
		help := []string{o.Name}
		if o.Role != "" {
			help = append(help, o.Role)
		}
		if o.File != "" && o.Index != nil {
			x.register = fmt.Sprint(o.File, *o.Index)
			help = append(help, x.register)
		}
		x.help = strings.Join(help, ", ")
		for _, f := range in.Fields {
			if f.Doc != "" && len(f.Place) == 2 && f.Place[0] >= x.start && f.Place[1] <= x.end && !strings.Contains(x.help, flat(f.Doc)) {
				x.help += "\n" + f.Path + " = " + f.Value + ": " + flat(f.Doc)
			}
		}
		operands = append(operands, x)
	}
	slices.SortStableFunc(operands, func(a, b operand) int { return a.start - b.start })
	var out bytes.Buffer
	end := 0 // of the operand that is open
	at := 0
	span := func(class, text string) {
		text = template.HTMLEscapeString(text)
		if class == "" || class == "punctuation" {
			out.WriteString(text)
			return
		}
		fmt.Fprintf(&out, `<span class="t-%s">%s</span>`, template.HTMLEscapeString(class), text)
	}
	// piece writes a part of a token. Operands open and close at its ends.
	piece := func(class string, to int) {
		for at < to {
			for len(operands) > 0 && operands[0].start < at { // operands do not overlap
				operands = operands[1:]
			}
			if end == 0 && len(operands) > 0 && operands[0].start == at {
				o := operands[0]
				operands = operands[1:]
				end = o.end
				if o.register != "" {
					fmt.Fprintf(&out, `<span class="op" role="button" tabindex="0" data-r="%s" title="%s">`, template.HTMLEscapeString(o.register), template.HTMLEscapeString(o.help))
				} else {
					fmt.Fprintf(&out, `<span class="op" title="%s">`, template.HTMLEscapeString(o.help))
				}
			}
			stop := to
			if end > at {
				stop = min(stop, end)
			} else if len(operands) > 0 && operands[0].start > at {
				stop = min(stop, operands[0].start)
			}
			if class == "mnemonic" && url != "" {
				fmt.Fprintf(&out, `<a class="t-mnemonic" href="%s">%s</a>`, template.HTMLEscapeString(url), template.HTMLEscapeString(in.Text[at:stop]))
			} else {
				span(class, in.Text[at:stop])
			}
			if at = stop; at == end {
				out.WriteString("</span>")
				end = 0
			}
		}
	}
	for _, t := range in.Tokens {
		if t.Start >= at && t.End <= len(in.Text) {
			piece("", t.Start)
			piece(t.Kind, t.End)
		}
	}
	piece("", len(in.Text))
	return template.HTML(out.String())
}
