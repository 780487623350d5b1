package manual

import (
	"context"
	"html"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// all returns the machines of the catalog.
func all(t testing.TB) (list []Machine) {
	for _, c := range catalog.Machines() {
		set, err := c.Load(isa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Machine{Name: c.Name, Title: c.Title, Set: set})
	}
	return list
}

// written returns the files of a manual.
func written(t testing.TB, machines []Machine) map[string]string {
	files := map[string]string{}
	err := Write(context.Background(), machines, nil, func(f File) error {
		if _, ok := files[f.Name]; ok {
			t.Errorf("%s is written twice", f.Name)
		}
		files[f.Name] = string(f.Data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var shipped = sync.OnceValue(func() map[string]string {
	t := &testing.T{}
	return written(t, all(t))
})

var (
	linkPattern = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idPattern   = regexp.MustCompile(`\sid="([^"]*)"`)
	urlPattern  = regexp.MustCompile(`"URL":"([^"]*)"|"Page":"([^"]*)"`)
)

// checkLinks reports links to pages and places that do not exist, and ids that occur twice.
func checkLinks(t *testing.T, files map[string]string) {
	ids := map[string]bool{}
	for name, text := range files {
		for _, m := range idPattern.FindAllStringSubmatch(text, -1) {
			id := name + "#" + html.UnescapeString(m[1])
			if ids[id] && strings.HasSuffix(name, ".html") {
				t.Errorf("%s occurs twice", id)
			}
			ids[id] = true
		}
	}
	links := 0
	check := func(from, link string) {
		links++
		if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://") {
			return
		}
		file, fragment, hasFragment := strings.Cut(link, "#")
		if file = path.Join(path.Dir(from), file); strings.HasPrefix(link, "#") {
			file = from
		}
		if _, ok := files[file]; !ok {
			t.Errorf("%s: %s does not exist", from, link)
		} else if hasFragment && !ids[file+"#"+fragment] {
			t.Errorf("%s: %s has no such place", from, link)
		}
	}
	for name, text := range files {
		if len(text) > 300_000 && strings.HasSuffix(name, ".html") {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		switch path.Ext(name) {
		case ".html":
			for _, m := range linkPattern.FindAllStringSubmatch(text, -1) {
				check(name, html.UnescapeString(m[1]))
			}
		case ".js":
			for _, m := range urlPattern.FindAllStringSubmatch(text, -1) {
				if m[1]+m[2] != "" {
					check(name, m[1]+m[2])
				}
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links", links)
	}
}

// Every link resolves, in the pages and in the scripts.
func TestLinks(t *testing.T) { checkLinks(t, shipped()) }

// Every instruction, form of an operand, field, value of an enum and quirk is in the pages of its machine.
func TestComplete(t *testing.T) {
	files := shipped()
	for _, m := range all(t) {
		text := map[string]string{}
		pages := ""
		for name, page := range files {
			if strings.HasPrefix(name, m.Name+"/") && strings.HasSuffix(name, ".html") {
				text[strings.TrimPrefix(name, m.Name+"/")] = page
				pages += page
			}
		}
		plain := html.UnescapeString(pages)
		r := view.NewReference(m.Set)
		b := newMachine(&builder{}, m, m.Name)
		count := 0
		for _, root := range m.Set.Roots() {
			for _, l := range root.Leaves {
				page := text[strings.Split(b.page[l], "#")[0]]
				if !strings.Contains(page, ">"+html.EscapeString(strings.TrimPrefix(l.Name, "#"))+"</h") {
					t.Errorf("%s: %s is not on its page %s", m.Name, l.Name, b.page[l])
				}
				for _, f := range r.Form(l, 0).Fields {
					if count++; !strings.Contains(page, "<code>"+html.EscapeString(f.Name)+"</code>") {
						t.Errorf("%s: the page of %s has no field %s", m.Name, l.Name, f.Name)
					}
				}
			}
		}
		for _, e := range r.Enums() {
			for _, v := range e.Values {
				if count++; !strings.Contains(pages, "<code>"+html.EscapeString(v.Name)+"</code>") || !strings.Contains(plain, v.Doc) {
					t.Errorf("%s: %s.%s is missing", m.Name, e.Name, v.Name)
				}
			}
		}
		for _, q := range b.Quirks() {
			if count++; !strings.Contains(text["quirks.html"], `id="`+anchor("quirk", q.Name)+`"`) {
				t.Errorf("%s: no quirk %s", m.Name, q.Name)
			}
		}
		if count < 10 {
			t.Errorf("%s: %d facts", m.Name, count)
		}
	}
}

// The words of the examples assemble from their texts, and nearly all instructions have an example.
func TestExamples(t *testing.T) {
	for _, m := range all(t) {
		r := view.NewReference(m.Set)
		without, leaves := 0, 0
		for _, root := range m.Set.InstructionRoots() {
			p, err := asm.New(m.Set, root.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range root.Leaves {
				if !m.Set.IsNested(root) { // the text of a part needs the rest of its instruction
					leaves++
				}
				list := r.Form(l, exampleCount).Examples
				if len(list) == 0 && !m.Set.IsNested(root) {
					without++
				}
				for _, x := range list {
					ctx := m.Set.DefaultContext()
					for _, c := range x.Contexts {
						name, value, _ := strings.Cut(c, " ")
						if ctx, err = m.Set.ParseContext(ctx, name, value); err != nil {
							t.Fatal(err)
						}
					}
					p.SetContext(ctx)
					res, err := p.Parse(x.Text)
					if err != nil {
						t.Errorf("%s %s: %q: %v", m.Name, l.Name, x.Text, err)
						continue
					}
					line, err := program.ParseLine(m.Set, x.Word)
					if err != nil || res.Inst.Bits != line.Word || len(res.Entries) != len(line.Entries) {
						t.Errorf("%s %s: %q is %s, expected %s (%v)", m.Name, l.Name, x.Text, res.Inst.Bits, x.Word, err)
						continue
					}
					for i, e := range res.Entries {
						if e.Value != line.Entries[i] {
							t.Errorf("%s %s: %q has the entry %s, expected %s", m.Name, l.Name, x.Text, e.Value, line.Entries[i])
						}
					}
				}
			}
		}
		if without*20 > leaves {
			t.Errorf("%s: %d of %d instructions have no example", m.Name, without, leaves)
		}
	}
}

// hostile is a description whose texts try to break out of the pages.
const hostile = `<isa name="evil">
<doc>&lt;script&gt;alert(1)&lt;/script&gt; javascript:alert(1) https://example.org/"onclick="alert(1) http://example.org/a?b=1&amp;c=2. data:text/html,x</doc>
<enum name="#e&quot;&gt;&lt;script&gt;"><value val="0" display="&lt;/script&gt;&lt;script&gt;alert(2)&lt;/script&gt;"><doc>&lt;img src=x onerror=alert(3)&gt;</doc></value><value val="1" display="b"/></enum>
<bitset name="#instruction" size="16"/>
<bitset name="&lt;script&gt;x&lt;/script&gt;" extends="#instruction"><doc>"&gt;&lt;svg onload=alert(4)&gt;</doc>
<display>&lt;script&gt; {A}</display><pattern low="8" high="15">00000000</pattern><field name="A" low="0" high="7" type="#t"/></bitset>
<bitset name="../../up" extends="#instruction"><display>up {A}</display><pattern low="8" high="15">00000001</pattern><pattern low="1" high="7">0000000</pattern><field name="A" pos="0" type="#e&quot;&gt;&lt;script&gt;"/></bitset>
<bitset name="#t" size="8"/><bitset name="#t'&gt;&lt;b" extends="#t"><display>{N}</display><field name="N" low="0" high="7" type="uint"/></bitset>
</isa>`

// Texts of a hostile description inject nothing, and no file leaves the folder.
func TestHostile(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"evil.xml": {Data: []byte(hostile)}}, "evil.xml", isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := written(t, []Machine{{Name: `../<b>"`, Set: set}})
	checkLinks(t, files)
	element := regexp.MustCompile(`<(script|svg|img|b|iframe|a)\b[^>]*>`)
	for name, text := range files {
		if path.Clean(name) != name || strings.HasPrefix(name, "../") || path.IsAbs(name) {
			t.Errorf("the file %s", name)
		}
		if !strings.HasSuffix(name, ".html") {
			if strings.Contains(text, "</script>") {
				t.Errorf("%s ends a script", name)
			}
			continue
		}
		for _, m := range element.FindAllString(text, -1) {
			switch {
			case strings.HasPrefix(m, "<script") && !strings.HasSuffix(m, `manual.js" defer>`), strings.HasPrefix(m, "<img"), strings.HasPrefix(m, "<iframe"),
				strings.HasPrefix(m, "<svg") && !strings.HasPrefix(m, `<svg class="`), strings.Contains(m, " on"), strings.Contains(m, "javascript:"), strings.Contains(m, "data:"):
				t.Errorf("%s has %s", name, m)
			}
		}
	}
	front := ""
	for name, text := range files {
		if strings.HasSuffix(name, "/index.html") {
			front = text
		}
	}
	if !strings.Contains(front, `<a href="http://example.org/a?b=1&amp;c=2">`) || !strings.Contains(front, "&lt;script&gt;alert(1)") {
		t.Errorf("the texts of the description are missing:\n%s", front)
	}
}

func BenchmarkWrite(b *testing.B) {
	machines := all(b)
	for b.Loop() {
		if err := Write(context.Background(), machines, nil, func(File) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
