// Package manual writes the reference of machines as a folder of static pages. The pages work without a server, and can be
// read without JavaScript, which only search, the box that decodes words, and the button for the theme need.
package manual

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"html/template"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

// Machine is a machine that a manual describes.
type Machine struct {
	// Name is the name of the machine, and Title describes it in a line. Both may be "".
	Name, Title string
	Set         *isa.Set
	// Formats are the names of the file formats of programs.
	Formats []string
}

// File is a file of a manual. Name is its path with slashes.
type File struct {
	Name string
	Data []byte
}

// Write makes the manual of machines, several at a time, and calls write with each file. progress, which may be nil, is called
// with the number of finished pages of instructions and the number of all such pages. No two calls of write or progress run at
// the same time. The error is ctx.Err() or an error of write.
func Write(ctx context.Context, machines []Machine, progress func(done, all int), write func(File) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := builder{ctx: ctx, progress: progress}
	b.write = func(f File) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		return write(f)
	}
	names := newNames()
	for _, m := range machines {
		mb := newMachine(&b, m, names.unique(cmp.Or(m.Name, "machine")))
		b.machines = append(b.machines, mb)
		b.all += mb.size()
	}
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	largest := slices.Clone(b.machines) // the largest first, so that the others fill the time
	slices.SortStableFunc(largest, func(x, y *machine) int { return y.size() - x.size() })
	for _, m := range largest {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			if err := m.write(); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := b.page("index.html", "front", page{Title: "isago: the reference", Data: b.machines}); err != nil {
		return err
	}
	for _, name := range []string{"style.css", "manual.js"} {
		data, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		if err := b.write(File{name, data}); err != nil {
			return err
		}
	}
	return nil
}

//go:embed assets
var assets embed.FS

// templates parses the templates when they are first needed, because most commands need none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"prose": prose, "first": firstSentence, "flat": flat, "anchor": anchor, "trim": strings.TrimPrefix, "join": strings.Join,
	}).ParseFS(assets, "assets/*.html"))
})

type builder struct {
	ctx       context.Context
	write     func(File) error
	progress  func(done, all int)
	machines  []*machine
	mu        sync.Mutex // guards done, and calls of write and progress
	done, all int
}

// page is what each template gets.
type page struct {
	// Title is the title of the page, and Up is the path from the page to the folder of the manual.
	Title, Up string
	// Here is the page in the navigation, such as instructions.
	Here string
	// Wide is set for pages with pictures that use the whole width of a screen.
	Wide bool
	// Machine is nil for the front page. Home is the path from the page to the folder of the machine.
	Machine *machine
	Home    string
	Data    any
}

func (b *builder) page(name, body string, p page) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	p.Up = strings.Repeat("../", strings.Count(name, "/"))
	p.Home = strings.Repeat("../", max(0, strings.Count(name, "/")-1))
	var out bytes.Buffer
	if err := templates().ExecuteTemplate(&out, body, p); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return b.write(File{name, out.Bytes()})
}

// names makes names of files and anchors.
type names struct{ used map[string]bool }

func newNames() names { return names{map[string]bool{}} }

// unique returns a name for a file that no other file has, also where case does not matter.
func (n names) unique(name string) string {
	var out strings.Builder
	for _, c := range strings.ToLower(strings.TrimPrefix(name, "#")) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && out.Len() > 0 {
			out.WriteRune(c)
		} else {
			out.WriteByte('_')
		}
		if out.Len() > 100 {
			break
		}
	}
	base := cmp.Or(out.String(), "_")
	name = base
	for i := 2; n.used[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	n.used[name] = true
	return name
}

// anchor returns the id of an element for a name of a description. kind keeps the ids of different kinds of names apart.
func anchor(kind, name string) string {
	var out strings.Builder
	out.WriteString(kind + "-")
	for _, c := range strings.TrimPrefix(name, "#") {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' {
			out.WriteRune(c)
		} else {
			fmt.Fprintf(&out, "_%x", c)
		}
	}
	return out.String()
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// firstSentence returns the first sentence of a text.
func firstSentence(text string) string {
	text, rest, cut := strings.Cut(flat(text), ". ")
	if cut && rest != "" {
		text += "."
	}
	return text
}

// prose returns a text of a description as paragraphs. Empty lines separate paragraphs. Addresses of web pages become links.
func prose(text string) template.HTML {
	var out strings.Builder
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out.WriteString("<p>" + linked(strings.Join(paragraph, " ")) + "</p>\n")
			paragraph = nil
		}
	}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			paragraph = append(paragraph, strings.Join(words, " "))
		} else {
			flush()
		}
	}
	flush()
	return template.HTML(out.String())
}

// linked escapes a text, and makes links of addresses that start with http:// or https://.
func linked(text string) string {
	var out strings.Builder
	for i, word := range strings.Split(text, " ") {
		if i > 0 {
			out.WriteByte(' ')
		}
		at := strings.Index(word, "http")
		if at < 0 || !strings.HasPrefix(word[at:], "https://") && !strings.HasPrefix(word[at:], "http://") {
			out.WriteString(template.HTMLEscapeString(word))
			continue
		}
		url := strings.TrimRight(word[at:], ".,;:)>]\"'")
		out.WriteString(template.HTMLEscapeString(word[:at]))
		if safe := address(url); safe != "" {
			fmt.Fprintf(&out, `<a href="%s">%s</a>`, template.HTMLEscapeString(safe), template.HTMLEscapeString(url))
		} else {
			out.WriteString(template.HTMLEscapeString(url))
		}
		out.WriteString(template.HTMLEscapeString(word[at+len(url):]))
	}
	return out.String()
}

// machine is a machine while its pages are written.
type machine struct {
	b *builder
	Machine
	Dir   string
	Doc   string
	ref   *view.Reference
	pages []*rootPages
	// page has the page of each leaf that has one, and the page and anchor of each leaf of an operand.
	page                        map[*isa.Leaf]string
	rootPage                    map[string]string
	enumPage                    map[string]string
	states                      map[string]string // anchors, by names and aliases of states
	functions, quirks, contexts map[string]bool
	search                      []entry
	// fields has the fields in the index, by name and documentation.
	fields map[[2]string]bool
}

// rootPages are the instructions of a root, or the forms of an operand.
type rootPages struct {
	Root   *isa.Root
	Name   string
	Nested bool
	leaves []*isa.Leaf
}

// entry is a line of the search index.
type entry struct{ Title, Kind, URL, Text string }

// size returns the number of encodings.
func (m *machine) size() (n int) {
	for _, p := range m.pages {
		n += len(p.leaves)
	}
	return n
}

func newMachine(b *builder, m Machine, dir string) *machine {
	out := &machine{
		b: b, Machine: m, Dir: dir, Doc: m.Set.Doc(), ref: view.NewReference(m.Set), page: map[*isa.Leaf]string{}, rootPage: map[string]string{}, enumPage: map[string]string{},
		states: map[string]string{}, functions: map[string]bool{}, quirks: map[string]bool{}, contexts: map[string]bool{}, fields: map[[2]string]bool{},
	}
	out.Name, out.Title = cmp.Or(m.Name, "machine"), m.Title
	if out.Title == "" {
		out.Title = firstSentence(out.Doc)
	}
	instructions := m.Set.InstructionRoots()
	files, roots := newNames(), newNames()
	for _, r := range m.Set.Roots() {
		if len(r.Leaves) == 0 {
			continue
		}
		p := &rootPages{Root: r, Name: strings.TrimPrefix(r.Name, "#"), Nested: !slices.Contains(instructions, r), leaves: r.Leaves}
		out.pages = append(out.pages, p)
		if p.Nested {
			out.rootPage[r.Name] = "operands/" + roots.unique(r.Name) + ".html"
			for _, l := range r.Leaves {
				out.page[l] = out.rootPage[r.Name] + "#" + anchor("form", l.Name)
			}
			continue
		}
		out.rootPage[r.Name] = "instructions.html#" + anchor("root", r.Name)
		for _, l := range r.Leaves {
			out.page[l] = "instructions/" + files.unique(l.Name) + ".html"
		}
	}
	slices.SortStableFunc(out.pages, func(a, b *rootPages) int { // instructions first, the main root at the top
		return slices.Index(instructions, a.Root)&0xffff - slices.Index(instructions, b.Root)&0xffff
	})
	return out
}
