package manual

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

// address returns a web address with the scheme http or https, or "" for anything else.
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}

// Limits of a page, so that it stays small: encodings, instructions in a list, and values of enums.
const (
	pageLeaves = 300
	pageValues = 1000
	pageForms  = 60
)

// exampleCount is the maximum number of examples of an instruction. A form of an operand has fewer.
const exampleCount = 3

// Link is a link with a text.
type Link struct{ Text, URL, Doc string }

// instruction is the page of an encoding.
type instruction struct {
	*view.Form
	Root       string
	ID, Page   string
	Mnemonics  []string
	Mask, Hex  string
	Pictures   []template.HTML
	Others     []Link
	Prev, Next *Link
	m          *machine
	home       string
}

// Hexadecimal digits that a value of so many bits has.
func digits(size int) int { return (size + 3) / 4 }

func (m *machine) instruction(l *isa.Leaf, home string, count int) *instruction {
	x := &instruction{Form: m.ref.Form(l, count), Root: l.Root.Name, ID: anchor("form", l.Name), Page: m.page[l], m: m, home: home}
	x.Doc = l.Doc()
	if !strings.Contains(m.page[l], "#") {
		x.Mnemonics = l.Mnemonics()
	}
	x.Mask, x.Hex = string(l.Mask.AppendHex(nil, digits(l.Size))), string(l.Match.AppendHex(nil, digits(l.Size)))
	numbers := map[string]int{}
	for _, f := range x.Fields {
		if _, ok := numbers[f.Name]; !ok {
			numbers[f.Name] = len(numbers)
		}
	}
	for _, w := range x.Words {
		x.Pictures = append(x.Pictures, picture(w, numbers))
	}
	return x
}

// write writes the pages of a machine.
func (m *machine) write() error {
	for _, q := range m.Quirks() {
		m.quirks[q.Name] = true
		m.index(q.Name, "quirk", "quirks.html#"+anchor("quirk", q.Name), q.Doc)
	}
	for _, c := range m.Set.Contexts() {
		m.contexts[c.Name] = true
		m.index(c.Name, "context", "launch.html#"+anchor("context", c.Name), c.Doc)
	}
	for _, s := range m.States() {
		url := m.StateID(s)
		if m.states[s.Name] == "" {
			m.states[s.Name] = url
		}
		for _, a := range s.Aliases {
			m.states[a] = url
		}
		for i := range s.Memories {
			m.states[fmt.Sprint(s.Name, i)] = url
		}
		m.index(s.Name, s.Kind, "registers.html#"+url, s.Doc)
	}
	functions := m.ref.Functions()
	for _, f := range functions {
		m.functions[f.Name] = true
		m.index(f.Name, "function", "functions.html#"+anchor("function", f.Name), f.Doc)
	}
	if err := m.values(); err != nil {
		return err
	}
	if err := m.instructions(); err != nil {
		return err
	}
	if err := m.encodings(); err != nil {
		return err
	}
	for _, f := range m.ref.Limits() {
		m.index(f.Name, "limit", "launch.html#"+anchor("limit", f.Name), f.Text+" "+f.Doc)
	}
	for _, f := range m.ref.Inputs() {
		m.index(f.Name, "input", "launch.html#"+anchor("input", f.Name), f.Text+" "+f.Doc)
	}
	for _, f := range m.ref.Outputs() {
		m.index(f.Name, "output", "launch.html#"+anchor("output", f.Name), f.Text+" "+f.Doc)
	}
	for _, f := range m.ref.Hints() {
		m.index(f.Name, "hint", "instructions.html#hints", f.Doc)
	}
	m.index(m.Name, "machine", "index.html", m.Doc)
	for _, p := range []struct {
		here, title string
		data        any
	}{
		{"index", "", nil}, {"registers", "registers", nil}, {"functions", "pseudo-code", functions}, {"quirks", "quirks", nil}, {"launch", "programs", nil},
	} {
		if err := m.emit(p.here+".html", p.here, p.here, p.title, p.data); err != nil {
			return err
		}
	}
	if err := m.b.write(File{m.Dir + "/search.js", script("isagoSearch", m.search)}); err != nil {
		return err
	}
	return m.b.write(File{m.Dir + "/decode.js", script("isagoDecode", m.tables())})
}

// script returns a script that calls a function with a value.
func script(function string, value any) []byte {
	data, err := json.Marshal(value)
	if err != nil { // strings and numbers can always be written
		panic(err)
	}
	return fmt.Appendf(nil, "%s(%s);\n", function, data)
}

func (m *machine) index(title, kind, url, text string) {
	m.search = append(m.search, entry{title, kind, url, flat(text)})
}

// emit writes a page of the machine.
func (m *machine) emit(name, body, here, title string, data any) error {
	if title != "" {
		title += " · "
	}
	return m.b.page(m.Dir+"/"+name, body, page{Title: title + m.Name, Here: here, Wide: body == "encodings", Machine: m, Data: data})
}

// instructions writes the pages of instructions and of operands, and the list of instructions.
func (m *machine) instructions() error {
	for _, p := range m.pages {
		if p.Nested {
			if err := m.operand(p); err != nil {
				return err
			}
			continue
		}
		byMnemonic := map[string][]*isa.Leaf{}
		for _, l := range p.leaves {
			for _, name := range l.Mnemonics() {
				byMnemonic[name] = append(byMnemonic[name], l)
			}
		}
		for i, l := range p.leaves {
			x := m.instruction(l, "../", exampleCount)
			seen := map[*isa.Leaf]bool{l: true}
			for _, name := range x.Mnemonics {
				for _, other := range byMnemonic[name] {
					if !seen[other] && len(x.Others) < 40 {
						seen[other] = true
						x.Others = append(x.Others, Link{other.Name, "../" + m.page[other], flat(other.Template())})
					}
				}
			}
			if i > 0 {
				x.Prev = &Link{Text: p.leaves[i-1].Name, URL: "../" + m.page[p.leaves[i-1]]}
			}
			if i+1 < len(p.leaves) {
				x.Next = &Link{Text: p.leaves[i+1].Name, URL: "../" + m.page[p.leaves[i+1]]}
			}
			m.index(l.Name, "instruction", m.page[l], strings.Join(x.Mnemonics[:min(len(x.Mnemonics), 40)], " ")+" "+x.Doc)
			for _, f := range x.Fields {
				if key := [2]string{f.Name, f.Doc}; f.Doc != "" && !m.fields[key] {
					m.fields[key] = true
					m.index(f.Name, "field of "+l.Name, m.page[l]+"#"+anchor("field", f.Name), f.Doc)
				}
			}
			if err := m.emit(m.page[l], "instruction", "instructions", l.Name, x); err != nil {
				return err
			}
			m.step()
		}
	}
	return m.emit("instructions.html", "instructions", "instructions", "instructions", nil)
}

func (m *machine) step() {
	m.b.mu.Lock()
	defer m.b.mu.Unlock()
	m.b.done++
	if m.b.progress != nil {
		m.b.progress(m.b.done, m.b.all)
	}
}

// operandPage is a page with forms of an operand.
type operandPage struct {
	*rootPages
	Forms []*instruction
	More  []Link
}

// operand writes the forms of an operand. A kind with many forms has several pages.
func (m *machine) operand(p *rootPages) error {
	first := m.rootPage[p.Root.Name]
	name := func(n int) string {
		if n == 0 {
			return first
		}
		return fmt.Sprintf("%s~%d.html", strings.TrimSuffix(first, ".html"), n+1)
	}
	var more []Link
	for i, l := range p.leaves {
		if i%pageForms == 0 && len(p.leaves) > pageForms {
			more = append(more, Link{Text: fmt.Sprintf("forms %d to %d", i+1, min(i+pageForms, len(p.leaves))), URL: "../" + name(i/pageForms)})
		}
		m.page[l] = name(i/pageForms) + "#" + anchor("form", l.Name)
	}
	m.index(p.Name, "operand", first, p.Root.Doc)
	for from := 0; from < len(p.leaves); from += pageForms {
		data := operandPage{rootPages: p, More: more}
		for _, l := range p.leaves[from:min(from+pageForms, len(p.leaves))] {
			x := m.instruction(l, "../", 1)
			data.Forms = append(data.Forms, x)
			m.index(l.Name, "operand", m.page[l], x.Doc)
			m.step()
		}
		if err := m.emit(name(from/pageForms), "operand", "instructions", p.Name, data); err != nil {
			return err
		}
	}
	return nil
}

// encodingRows are the rows of a table of encodings.
type encodingRows struct {
	Root string
	Rows []encodingRow
}

type encodingRow struct {
	Name, URL, Match, Mask string
	Size                   int
	Runs                   []view.FormRun
}

// encodings writes the map and the tables of all encodings.
func (m *machine) encodings() error {
	type data struct {
		Maps   []template.HTML
		Tables []encodingRows
		More   []Link
	}
	var all []data
	now, rows := data{}, 0
	for _, p := range m.pages {
		if !p.Nested {
			if picture := m.matrix(p); picture != "" {
				now.Maps = append(now.Maps, picture)
			}
		}
	}
	for _, p := range m.pages {
		table := encodingRows{Root: p.Name}
		for _, l := range p.leaves {
			if rows++; rows > pageLeaves {
				now.Tables = append(now.Tables, table)
				all, now, rows, table = append(all, now), data{}, 1, encodingRows{Root: p.Name}
			}
			table.Rows = append(table.Rows, encodingRow{l.Name, m.page[l], string(l.Match.AppendHex(nil, digits(l.Size))), string(l.Mask.AppendHex(nil, digits(l.Size))), l.Size, m.ref.Runs(l)})
		}
		now.Tables = append(now.Tables, table)
	}
	all = append(all, now)
	name := func(i int) string {
		if i == 0 {
			return "encodings.html"
		}
		return fmt.Sprintf("encodings-%d.html", i+1)
	}
	for i := range all {
		for k := range all {
			if len(all) > 1 {
				all[i].More = append(all[i].More, Link{Text: fmt.Sprintf("part %d", k+1), URL: name(k)})
			}
		}
		if err := m.emit(name(i), "encodings", "encodings", "encodings", all[i]); err != nil {
			return err
		}
	}
	return nil
}

// values writes the pages of enums.
func (m *machine) values() error {
	pages := [][]view.Enum{nil}
	count := 0
	for _, e := range m.ref.Enums() {
		if count += len(e.Values); count > pageValues && len(pages[len(pages)-1]) > 0 {
			pages, count = append(pages, nil), len(e.Values)
		}
		last := len(pages) - 1
		pages[last] = append(pages[last], e)
		name := "values.html"
		if last > 0 {
			name = fmt.Sprintf("values-%d.html", last+1)
		}
		url := name + "#" + anchor("enum", e.Name)
		m.enumPage[e.Name] = url
		m.index(strings.TrimPrefix(e.Name, "#"), "values", url, e.Doc)
		for _, v := range e.Values {
			if v.Doc != "" {
				m.index(v.Name, "value of "+strings.TrimPrefix(e.Name, "#"), url, v.Text+" "+v.Doc)
			}
		}
	}
	for i, list := range pages {
		name := "values.html"
		var more *Link
		if i > 0 {
			name = fmt.Sprintf("values-%d.html", i+1)
		}
		if i+1 < len(pages) {
			more = &Link{Text: "more values", URL: fmt.Sprintf("values-%d.html", i+2)}
		}
		if err := m.emit(name, "values", "values", "values", struct {
			Enums []view.Enum
			More  *Link
		}{list, more}); err != nil {
			return err
		}
	}
	return nil
}

// The methods below are for templates.

// Several reports whether the machine has several roots of instructions.
func (m *machine) Several() bool {
	n := 0
	for _, p := range m.pages {
		if !p.Nested {
			n++
		}
	}
	return n > 1
}

// Quirks lists the quirks of the machine.
func (m *machine) Quirks() []facts.Quirk {
	if m.ref.Facts == nil {
		return nil
	}
	return m.ref.Facts.Quirks()
}

// States lists registers, stacks and memories.
func (m *machine) States() []view.State { return view.States(m.Set) }

// Ref answers questions about the machine.
func (m *machine) Ref() *view.Reference { return m.ref }

// Roots lists the roots with their leaves.
func (m *machine) Roots() []*rootPages { return m.pages }

// RootURL returns the page of a root.
func (m *machine) RootURL(name string) string { return m.rootPage[name] }

// LeafURL returns the page of a leaf.
func (m *machine) LeafURL(l *isa.Leaf) string { return m.page[l] }

// EnumURL returns the page of an enum.
func (m *machine) EnumURL(name string) string { return m.enumPage[name] }

// StateID returns the id of the row of a state. A memory may have the name of a register file.
func (m *machine) StateID(s view.State) string {
	if s.Kind == "memory" {
		return anchor("memory", s.Name)
	}
	return anchor("state", s.Name)
}

// StateURL returns the place of a state, or "".
func (m *machine) StateURL(name string) string {
	if id, ok := m.states[name]; ok {
		return "registers.html#" + id
	}
	return ""
}

// Leaves lists the leaves of a root.
func (p *rootPages) Leaves() []*isa.Leaf { return p.leaves }

// Operand returns the heading of a piece of code.
func (x *instruction) Operand(c view.Code) string {
	switch {
	case x.Short(c):
		return ""
	case c.Writes && c.Name == "":
		return "when it is written"
	case c.Writes:
		return "a write to " + c.Name
	case c.Name != "":
		return c.Name
	case c.Type != "" && c.Type != "none":
		return "its value"
	}
	return ""
}

// Short reports whether the code of an operand only returns a value, so that NAME = VALUE is enough.
func (x *instruction) Short(c view.Code) bool {
	if c.Name == "" || c.Writes || len(c.Tokens) == 0 || c.Tokens[0].Text != "return" {
		return false
	}
	for _, t := range c.Tokens {
		if t.Kind == view.CodeBreak {
			return false
		}
	}
	return true
}

// Pseudo returns pseudo-code with links.
func (x *instruction) Pseudo(c view.Code) template.HTML {
	fields := map[string]string{}
	for _, o := range x.Code {
		if o.Name != "" && fields[o.Name] == "" {
			fields[o.Name] = "#" + x.OperandID(o)
		}
	}
	for _, f := range x.Fields {
		if _, ok := fields[f.Name]; !ok {
			fields[f.Name] = "#" + x.FieldID(f.Name)
		}
	}
	tokens := c.Tokens
	if x.Short(c) {
		tokens = append([]view.CodeToken{{Kind: view.CodeText, Text: c.Name + " ="}}, tokens[1:]...)
	}
	return x.m.pseudo(tokens, x.home, fields)
}

// Inner reports whether the encoding is a form of an operand, whose page has several forms.
func (x *instruction) Inner() bool { return strings.Contains(x.Page, "#") }

// FieldID returns the id of the row of a field.
func (x *instruction) FieldID(name string) string {
	if x.Inner() {
		return x.ID + "-" + anchor("field", name)
	}
	return anchor("field", name)
}

// OperandID returns the id of the code of an operand.
func (x *instruction) OperandID(c view.Code) string {
	id := x.ID + "-" + anchor("operand", c.Name)
	if c.Writes {
		id += "-write"
	}
	return id
}

// First returns the fields, each with whether it is the first of its name.
func (x *instruction) First(i int) bool {
	for _, f := range x.Fields[:i] {
		if f.Name == x.Fields[i].Name {
			return false
		}
	}
	return true
}

// Color returns the number of the colour of a field.
func (x *instruction) Color(name string) int {
	seen := map[string]int{}
	for _, f := range x.Fields {
		if _, ok := seen[f.Name]; !ok {
			seen[f.Name] = len(seen)
		}
	}
	return seen[name] % colors
}

// Code returns pseudo-code of a page in the folder of the machine.
func (m *machine) Code(tokens []view.CodeToken) template.HTML { return m.pseudo(tokens, "", nil) }

// pseudo returns pseudo-code with links. home is the path to the folder of the machine, and fields has the links of fields.
func (m *machine) pseudo(tokens []view.CodeToken, home string, fields map[string]string) template.HTML {
	classes := map[view.CodeKind]string{
		view.CodeKeyword: "k", view.CodeNumber: "n", view.CodeString: "s", view.CodeLocal: "l", view.CodeField: "f", view.CodeContext: "c",
		view.CodeState: "r", view.CodeFunction: "fn", view.CodeBuiltin: "b", view.CodeEnum: "e",
	}
	var out strings.Builder
	for _, t := range tokens {
		url := ""
		text := template.HTMLEscapeString(t.Text)
		switch t.Kind {
		case view.CodeBreak:
			out.WriteString("\n" + strings.Repeat("    ", t.Indent))
			continue
		case view.CodeText:
			out.WriteString(text)
			continue
		case view.CodeField:
			url = fields[t.Name]
			if first, _, ok := strings.Cut(t.Name, "."); ok && url == "" {
				url = fields[first]
			}
		case view.CodeContext:
			if m.quirks[t.Name] {
				url = home + "quirks.html#" + anchor("quirk", t.Name)
			} else if m.contexts[t.Name] {
				url = home + "launch.html#" + anchor("context", t.Name)
			}
		case view.CodeState:
			if page := m.StateURL(t.Name); page != "" {
				url = home + page
			}
		case view.CodeFunction:
			if m.functions[t.Name] {
				url = home + "functions.html#" + anchor("function", t.Name)
			}
		case view.CodeEnum:
			name := t.Name
			if page := m.rootPage[name]; page != "" {
				url = home + page
			} else if dot := strings.LastIndexByte(name, '.'); dot >= 0 && m.enumPage[name[:dot]] != "" {
				url = home + m.enumPage[name[:dot]]
			} else if page := m.enumPage[name]; page != "" {
				url = home + page
			}
		}
		if url != "" {
			fmt.Fprintf(&out, `<a class="%s" href="%s">%s</a>`, classes[t.Kind], template.HTMLEscapeString(url), text)
		} else {
			fmt.Fprintf(&out, `<span class="%s">%s</span>`, classes[t.Kind], text)
		}
	}
	return template.HTML(out.String())
}

// table is what the box for words knows of a root.
type table struct {
	Name, Page  string
	Instruction bool
	Leaves      []tableLeaf
}

// tableLeaf is an encoding. Fields have a name, runs of bits as low bit and width (the most significant first), and then the
// name of an enum, of a root or of a table.
type tableLeaf struct {
	Name, Page, Text, Mask, Match, When string
	Size                                int
	Fields                              []tableField
}

type tableField struct {
	Name  string
	Bits  [][2]int
	Enum  string `json:",omitempty"`
	Root  string `json:",omitempty"`
	Table string `json:",omitempty"`
	When  string `json:",omitempty"`
}

// tables returns what the box for words needs: the encodings of all roots, and the texts of enums.
func (m *machine) tables() any {
	var roots []table
	for _, p := range m.pages {
		t := table{Name: p.Root.Name, Page: m.rootPage[p.Root.Name], Instruction: !p.Nested}
		for _, l := range p.leaves {
			x := tableLeaf{Name: l.Name, Page: m.page[l], Text: flat(l.Template()), Size: l.Size,
				Mask: string(l.Mask.AppendHex(nil, digits(l.Size))), Match: string(l.Match.AppendHex(nil, digits(l.Size)))}
			var when []string
			for _, f := range m.ref.FieldPlaces(l, &when) {
				x.Fields = append(x.Fields, tableField{f.Name, f.Bits, f.Enum, f.Root, f.Table, f.When})
			}
			x.When = strings.Join(when, " and ")
			t.Leaves = append(t.Leaves, x)
		}
		roots = append(roots, t)
	}
	enums := map[string]map[string]string{}
	for _, e := range m.ref.Enums() {
		values := map[string]string{}
		for _, v := range e.Values {
			if _, ok := values[fmt.Sprint(v.Number)]; !ok {
				text := v.Text
				if text == "" {
					text = v.Name
				}
				values[fmt.Sprint(v.Number)] = text
			}
		}
		enums[e.Name] = values
	}
	high := false
	if main, err := m.Set.Root(""); err == nil {
		high = main.HighFirst
	}
	return map[string]any{"roots": roots, "enums": enums, "high": high}
}

// FirstAround reports whether no earlier code around instructions belongs to the same bitset.
func (m *machine) FirstAround(i int) bool {
	list := m.ref.Arounds()
	for _, a := range list[:i] {
		if a.Name == list[i].Name {
			return false
		}
	}
	return true
}

// Home returns the path from the page to the folder of the machine.
func (x *instruction) Home() string { return x.home }

// Machine returns the machine of the instruction.
func (x *instruction) Machine() *machine { return x.m }
