package spec

import (
	"errors"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
)

// Load reads the description file and what it imports from fsys. The error is a *diag.Error or a
// diag.List with every mistake that was found, or that of the file system.
func Load(fsys fs.FS, file string) (*ISA, error) {
	l := &loader{fsys: fsys, dir: path.Dir(file), seen: map[string]bool{}}
	l.isa = &ISA{
		enums: map[string]*Enum{}, exprs: map[string]*Expr{}, bitsets: map[string]*Bitset{},
		contexts: map[string]*Context{}, tables: map[string]*Table{},
	}
	if err := l.open(file, diag.Span{}); err != nil {
		return nil, err
	}
	if len(l.files) > 0 {
		top := l.files[len(l.files)-1]
		l.isa.Source, l.isa.Span = top.span.Src, top.span
	}
	l.run()
	if len(l.errs) > 0 {
		l.errs.Sort()
		return nil, l.errs
	}
	return l.isa, nil
}

type loader struct {
	fsys  fs.FS
	dir   string
	seen  map[string]bool
	files []*node // in the order in which they are read: imports before the importing file
	isa   *ISA
	errs  diag.List
}

func (l *loader) fail(e *diag.Error) { l.errs = append(l.errs, e) }

// failErr records an error made elsewhere in this package.
func (l *loader) failErr(err error) {
	var e *diag.Error
	if errors.As(err, &e) {
		l.fail(e)
	}
}

// open reads a file and, before it, its imports. Imports are relative to the folder of the top
// file, as in Mesa's reader.
func (l *loader) open(file string, from diag.Span) error {
	if l.seen[file] {
		return nil
	}
	l.seen[file] = true
	data, err := fs.ReadFile(l.fsys, file)
	if err != nil {
		if from.IsValid() {
			return diag.Errorf(diag.Unresolved, from, "import: %v", err)
		}
		return err
	}
	root, err := parseXML(&diag.Source{Name: file, Text: string(data)})
	if err != nil {
		return err
	}
	if root.name != "isa" {
		return diag.Errorf(diag.XMLElement, root.span, "<%s> at the top, expected <isa>", root.name)
	}
	for _, c := range root.children {
		if c.name == "import" {
			if err := l.open(path.Join(l.dir, c.value("file")), c.at("file")); err != nil {
				return err
			}
		}
	}
	l.files = append(l.files, root)
	return nil
}

// each calls f for every child of that name of every file, in order.
func (l *loader) each(name string, f func(n *node)) {
	for _, file := range l.files {
		for _, c := range file.children {
			if c.name == name {
				f(c)
			}
		}
	}
}

func (l *loader) run() {
	top := l.files[len(l.files)-1]
	l.isa.Strict = top.value("strict") == "true"
	l.isa.Name = top.value("name")
	l.isa.Doc = docOf(top)
	for _, file := range l.files {
		l.checkRules(file)
	}
	l.each("text", l.textStyle)
	l.each("enum", l.enum)
	l.each("template", l.template)
	l.each("bitset", l.declare)
	l.each("context", l.context)
	l.each("table", l.table)
	l.each("expr", l.namedExpr)
	i := 0
	l.each("bitset", func(n *node) {
		l.bitset(n, l.isa.Bitsets[i])
		i++
	})
	l.link()
	l.types()
	l.check()
}

func docOf(n *node) string {
	if d := n.child("doc"); d != nil {
		return strings.TrimSpace(d.text)
	}
	return ""
}

func (l *loader) textStyle(n *node) {
	t := &l.isa.Text
	switch v := n.value("words"); v {
	case "", "low-first":
	case "high-first":
		t.HighFirst = true
	default:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("words"), "words=%q, expected high-first or low-first", v))
	}
	switch v := n.value("case"); v {
	case "", "exact":
	case "fold":
		t.Fold = true
	default:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("case"), "case=%q, expected fold or exact", v))
	}
	t.Comment = n.value("comment")
}

// name returns the name attribute, which must be there.
func (l *loader) name(n *node) string {
	v := n.value("name")
	if v == "" {
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("name"), "<%s> without name", n.name))
	}
	return v
}

// number reads a decimal or 0x number of an attribute.
func (l *loader) number(n *node, name string, limit int64) int {
	a := n.attr(name)
	if a == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<%s> without %s", n.name, name))
		return 0
	}
	v, err := strconv.ParseInt(strings.TrimSpace(a.value), 0, 64)
	if err != nil || v < 0 || v > limit {
		l.fail(diag.Errorf(diag.XMLAttribute, a.span, "%s=%q, expected a number from 0 to %d", name, a.value, limit))
		return 0
	}
	return int(v)
}

func (l *loader) enum(n *node) {
	e := &Enum{Name: l.name(n), Doc: docOf(n), Span: n.span}
	if old := l.isa.enums[e.Name]; old != nil {
		l.odd(diag.Errorf(diag.Duplicate, n.at("name"), "enum %s is defined twice", e.Name).With(old.Span, "the other definition"))
	}
	for _, c := range n.children {
		if c.name == "value" {
			if v := l.enumValue(c); v != nil {
				e.Values = append(e.Values, v)
			}
		}
	}
	l.isa.Enums = append(l.isa.Enums, e)
	l.isa.enums[e.Name] = e
}

func (l *loader) enumValue(n *node) *Value {
	a := n.attr("val")
	if a == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<value> without val"))
		return nil
	}
	val, err := parseCLiteral(a.value)
	if err != nil {
		l.fail(diag.Errorf(diag.XMLAttribute, a.span, "val=%q, expected a number", a.value))
		return nil
	}
	v := &Value{Val: val, Display: n.value("display"), Name: n.value("name"), Syntax: n.value("syntax"), Doc: docOf(n), Span: n.span}
	if v.Name == "" {
		v.Name = v.Display
	}
	for _, c := range n.children {
		if c.name == "alias" {
			v.Aliases = append(v.Aliases, strings.TrimSpace(c.text))
		}
	}
	return v
}

// parseCLiteral reads an integer as a C compiler would: decimal, 0x, 0b or octal, with a sign and
// with suffixes.
func parseCLiteral(s string) (uint64, error) {
	s = strings.TrimRight(strings.ToLower(strings.TrimSpace(s)), "ul")
	digits, negative := strings.CutPrefix(s, "-")
	v, err := strconv.ParseUint(digits, 0, 64)
	if negative {
		v = -v
	}
	return v, err
}

func (l *loader) template(n *node) {
	text := strings.TrimSpace(n.head)
	t := &Template{Name: l.name(n), Text: text, Span: textSpan(n)}
	l.isa.Templates = append(l.isa.Templates, t)
}

// textSpan is the place of an element's text, of its start tag if it has none.
func textSpan(n *node) diag.Span {
	if n.textSpan.IsValid() {
		return n.textSpan
	}
	return n.span
}

func (l *loader) namedExpr(n *node) {
	name := l.name(n)
	if old := l.isa.exprs[name]; old != nil {
		l.odd(diag.Errorf(diag.Duplicate, n.at("name"), "expr %s is defined twice", name).With(old.Span, "the other definition"))
	}
	e, err := parseExpr(l.isa, name, n.text, textSpan(n))
	if err != nil {
		l.failErr(err)
		return
	}
	l.isa.Exprs = append(l.isa.Exprs, e)
	l.isa.exprs[name] = e
}

func (l *loader) context(n *node) {
	c := &Context{Name: l.name(n), Doc: docOf(n), Span: n.span, Width: 1, FromText: n.value("bind") == "text"}
	switch t := n.value("type"); {
	case t == "bool":
	case l.isa.enums[t] != nil:
		c.Enum = l.isa.enums[t]
		for _, v := range c.Enum.Values {
			b := bits.Of(v.Val)
			c.Width = max(c.Width, b.Len())
		}
	default:
		l.fail(diag.Errorf(diag.FieldType, n.at("type"), "type %q of context %s, expected bool or an enum", t, c.Name))
	}
	for _, other := range l.isa.Contexts {
		c.Low += other.Width
		if other.Name == c.Name {
			l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "context %s is defined twice", c.Name).With(other.Span, "the other definition"))
		}
	}
	if c.Low+c.Width > bits.Size {
		l.fail(diag.Errorf(diag.XMLLimit, n.span, "contexts of more than %d bits in all", bits.Size))
	}
	if a := n.attr("default"); a != nil {
		v, err := c.Parse(a.value)
		if err != nil {
			l.fail(diag.Errorf(diag.ContextValue, a.span, "%v", err))
		}
		c.Default = v
	}
	l.isa.Contexts = append(l.isa.Contexts, c)
	l.isa.contexts[c.Name] = c
}

func (l *loader) table(n *node) {
	t := &Table{Name: l.name(n), Doc: docOf(n), Span: n.span, Size: l.number(n, "size", 1<<20)}
	if t.Type = l.isa.bitsets[n.value("type")]; t.Type == nil {
		l.fail(diag.Errorf(diag.Unresolved, n.at("type"), "table %s: no bitset %q", t.Name, n.value("type")))
		return
	}
	t.Index = len(l.isa.Tables)
	l.isa.Tables = append(l.isa.Tables, t)
	l.isa.tables[t.Name] = t
}

// declare makes the bitset known by name before anything refers to it.
func (l *loader) declare(n *node) {
	b := &Bitset{Name: l.name(n), Span: n.span, Max: math.MaxUint32, Doc: docOf(n), extendsName: n.value("extends")}
	b.DisplayName = b.Name
	if a := n.attr("displayname"); a != nil {
		b.DisplayName = a.value
	}
	if n.attr("size") != nil {
		b.sizeGiven = true
		b.Size = l.number(n, "size", bits.Size)
		if b.Size == 0 {
			l.fail(diag.Errorf(diag.XMLAttribute, n.at("size"), "size %q, expected 1 to %d bits", n.value("size"), bits.Size))
		}
	}
	if old := l.isa.bitsets[b.Name]; old != nil && l.isa.Strict {
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "bitset %s is defined twice", b.Name).With(old.Span, "the other definition"))
	}
	l.isa.Bitsets = append(l.isa.Bitsets, b)
	l.isa.bitsets[b.Name] = b
}

// bitset reads what stands inside. Sizes and parents are settled later, by link.
func (l *loader) bitset(n *node, b *Bitset) {
	def := &Case{Bitset: b, Span: n.span}
	for _, c := range n.children {
		switch c.name {
		case "gen":
			l.gen(c, b)
		case "meta":
			l.meta(c, b)
		case "pattern":
			if p := l.pattern(c); p != nil {
				b.Patterns = append(b.Patterns, p)
			}
		case "override":
			b.Cases = append(b.Cases, l.override(c, b))
		case "require":
			if e := l.expr(c); e != nil {
				b.Requires = append(b.Requires, e)
			}
		case "displayname":
			if b.SyntaxNames == nil {
				b.SyntaxNames = map[string]string{}
			}
			b.SyntaxNames[c.value("syntax")] = strings.TrimSpace(c.text)
		case "default":
			val, err := parseCLiteral(c.value("val"))
			if err != nil {
				l.fail(diag.Errorf(diag.XMLAttribute, c.at("val"), "val=%q, expected a number", c.value("val")))
			}
			b.Defaults = append(b.Defaults, &Default{Path: c.value("name"), Val: val, Span: c.at("name")})
		case "unused":
			u := &Unused{Path: c.value("path"), Span: c.at("path")}
			if c.attr("expr") != nil {
				u.Expr = l.expr(c)
			}
			b.Unused = append(b.Unused, u)
		default:
			l.caseChild(c, def)
		}
	}
	l.overlap(n, b)
	b.Cases = append(b.Cases, def)
}

func (l *loader) overlap(n *node, b *Bitset) {
	a := n.attr("overlap")
	if a == nil {
		return
	}
	words := strings.Fields(a.value)
	if len(words) < 2 || words[0] != "refines" {
		l.fail(diag.Errorf(diag.XMLAttribute, a.span, "overlap=%q, expected refines NAME", a.value))
		return
	}
	for _, w := range words[1:] {
		b.Refines = append(b.Refines, Name{w, a.span})
	}
}

func (l *loader) gen(n *node, b *Bitset) {
	if n.attr("min") != nil {
		b.Min = uint32(l.number(n, "min", math.MaxUint32))
	}
	if n.attr("max") != nil {
		b.Max = uint32(l.number(n, "max", math.MaxUint32))
	}
}

func (l *loader) meta(n *node, b *Bitset) {
	if b.Meta == nil {
		b.Meta = map[string]string{}
	}
	for _, a := range n.attrs {
		b.Meta[a.name] = a.value
	}
}

func (l *loader) override(n *node, b *Bitset) *Case {
	c := &Case{Bitset: b, Expr: l.expr(n), Span: n.span}
	for _, child := range n.children {
		if child.name == "pattern" {
			l.odd(diag.Errorf(diag.XMLElement, child.span, "<pattern> inside <override> has no effect: it does not help to choose the bitset"))
			continue
		}
		l.caseChild(child, c)
	}
	if c.Expr == nil {
		c.Expr = &Expr{Span: n.span, Root: &Node{Op: OpConst, Span: n.span}}
	}
	return c
}

// expr reads the condition or value of an element: its expr attribute, its one <expr> child, or,
// for <require>, its text.
func (l *loader) expr(n *node) *Expr {
	if a := n.attr("expr"); a != nil {
		if e := l.isa.exprs[a.value]; e != nil {
			return e
		}
		if strings.HasPrefix(a.value, "#") && isPath(a.value[1:]) || !l.isa.Strict {
			l.fail(diag.Errorf(diag.Unresolved, a.span, "no expr %s", a.value))
			return nil
		}
		return l.inlineExpr(a.value, a.span)
	}
	if c := n.child("expr"); c != nil {
		return l.inlineExpr(c.text, textSpan(c))
	}
	if n.name == "require" {
		return l.inlineExpr(n.text, textSpan(n))
	}
	l.fail(diag.Errorf(diag.XMLElement, n.span, "<%s> without expr", n.name))
	return nil
}

func (l *loader) inlineExpr(text string, at diag.Span) *Expr {
	e, err := parseExpr(l.isa, "", text, at)
	if err != nil {
		l.failErr(err)
		return nil
	}
	return e
}

// caseChild reads an element that may stand in a bitset and in an override alike.
func (l *loader) caseChild(n *node, c *Case) {
	switch n.name {
	case "field", "derived":
		l.field(n, c)
	case "set":
		l.set(n, c)
	case "assert":
		if p := l.pattern(n); p != nil {
			c.Asserts = append(c.Asserts, p)
		}
	case "display":
		if c.Displays == nil {
			c.Displays = map[string]*Template{}
		}
		syntax := n.value("syntax")
		if old := c.Displays[syntax]; old != nil {
			l.odd(diag.Errorf(diag.Duplicate, n.span, "a second display of the same spelling").With(old.Span, "the first"))
		}
		c.Displays[syntax] = l.display(n)
	case "alias":
		c.Aliases = append(c.Aliases, l.display(n))
	}
}

func (l *loader) display(n *node) *Template {
	return &Template{Syntax: n.value("syntax"), Text: strings.TrimSpace(n.head), Span: textSpan(n)}
}

func (l *loader) set(n *node, c *Case) {
	s := &Set{Name: l.name(n), Join: n.value("join"), Doc: docOf(n), Span: n.span}
	for _, m := range n.children {
		switch m.name {
		case "field", "derived":
			l.field(m, c)
			fallthrough
		case "member":
			s.Members = append(s.Members, Name{m.value("name"), m.at("name")})
		}
	}
	if c.Set(s.Name) != nil || c.Field(s.Name) != nil {
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "%s is defined twice", s.Name))
	}
	c.Sets = append(c.Sets, s)
}

// lowHigh reads the range of an element; pos="N" is low="N" high="N".
func (l *loader) lowHigh(n *node) (low, high int, ok bool) {
	if n.attr("pos") != nil {
		low = l.number(n, "pos", bits.Size-1)
		return low, low, true
	}
	before := len(l.errs)
	low, high = l.number(n, "low", bits.Size-1), l.number(n, "high", bits.Size-1)
	if len(l.errs) > before {
		return 0, 0, false
	}
	if high < low {
		l.fail(diag.Errorf(diag.BitRange, n.at("high"), "<%s> from bit %d to bit %d, expected low before high", n.name, low, high))
		return 0, 0, false
	}
	return low, high, true
}

func (l *loader) pattern(n *node) *Pattern {
	low, high, ok := l.lowHigh(n)
	if !ok {
		return nil
	}
	text := strings.TrimSpace(n.text)
	p := &Pattern{Low: low, High: high, Span: textSpan(n)}
	if len(text) != high-low+1 {
		l.fail(diag.Errorf(diag.PatternText, p.Span, "pattern %q of %d characters for %d bits", text, len(text), high-low+1))
		return nil
	}
	for i := 0; i < len(text); i++ {
		bit := high - i
		switch text[i] {
		case '0':
			p.Mask.SetUint(bit, 1, 1)
		case '1':
			p.Mask.SetUint(bit, 1, 1)
			p.Match.SetUint(bit, 1, 1)
		case 'x':
			p.DontCare.SetUint(bit, 1, 1)
		default:
			l.fail(diag.Errorf(diag.PatternText, p.Span, "pattern %q, expected 0, 1 and x alone", text))
			return nil
		}
	}
	return p
}

func (l *loader) field(n *node, c *Case) {
	f := &Field{Name: l.name(n), Doc: docOf(n), Span: n.span, TypeName: n.value("type"), Call: n.value("call") == "true", Symbols: n.value("symbols"), typeSpan: n.at("type")}
	if a := n.attr("display"); a != nil {
		text := strings.TrimSpace(a.value)
		f.Display = &text
	}
	if n.name == "derived" {
		f.Width = 1
		if n.attr("width") != nil {
			f.Width, f.WidthGiven = l.number(n, "width", 64), true
		}
		if f.Expr = l.expr(n); f.Expr == nil {
			return
		}
	} else if !l.parts(n, f) {
		return
	}
	if n.attr("unit") != nil {
		f.Unit = l.number(n, "unit", bits.Size)
	}
	if a := n.attr("table"); a != nil {
		if f.Table = l.isa.tables[a.value]; f.Table == nil {
			l.fail(diag.Errorf(diag.Unresolved, a.span, "no table %q", a.value))
		}
	}
	for _, p := range n.children {
		if p.name == "param" {
			l.param(p, f)
		}
	}
	if old := c.Field(f.Name); old != nil {
		l.odd(diag.Errorf(diag.Duplicate, n.at("name"), "field %s is defined twice", f.Name).With(old.Span, "the other definition"))
		if !l.isa.Strict {
			c.Fields[slices.Index(c.Fields, old)] = f
			return
		}
	}
	c.Fields = append(c.Fields, f)
}

func (l *loader) param(n *node, f *Field) {
	p := Param{Name: n.value("name"), As: n.value("as"), Span: n.at("name")}
	if p.Name == "*" {
		f.AllParams = true
		return
	}
	if p.As == "" {
		p.As = p.Name
	}
	f.Params = append(f.Params, p)
}

// parts reads where a field's bits are: one range, or several in <bits>.
func (l *loader) parts(n *node, f *Field) bool {
	add := func(n *node) bool {
		low, high, ok := l.lowHigh(n)
		f.Parts = append(f.Parts, Part{low, high - low + 1})
		f.Width += high - low + 1
		return ok
	}
	scattered := false
	for _, c := range n.children {
		if c.name == "bits" {
			scattered = true
			if !add(c) {
				return false
			}
		}
	}
	if scattered {
		return true
	}
	return add(n)
}

// Parse reads a value of the context: a name of its enum, true or false, or a number.
func (c *Context) Parse(text string) (uint64, error) {
	if c.Enum != nil {
		for _, v := range c.Enum.Values {
			if v.Name == text || v.Display == text {
				return v.Val, nil
			}
		}
		return 0, errors.New("context " + c.Name + " has no value " + strconv.Quote(text) + ", expected " + c.Enum.names())
	}
	switch text {
	case "true", "1":
		return 1, nil
	case "false", "0":
		return 0, nil
	}
	return 0, errors.New("context " + c.Name + " has no value " + strconv.Quote(text) + ", expected true or false")
}

// syntaxOrder lists the spellings of a case's displays, sorted so that the result is the same
// each time.
func (c *Case) syntaxOrder() []string {
	var list []string
	for s := range c.Displays {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}
