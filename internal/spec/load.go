package spec

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/textfile"
)

// Load reads a description and its imports from fsys. The error is a *diag.Error, a diag.List, or an error of fsys.
func Load(fsys fs.FS, file string) (*ISA, error) { return load(fsys, file, false) }

// LoadSound is like Load, but for a description that is known to be valid. It skips checks. If it fails, it calls Load,
// which reports the errors.
func LoadSound(fsys fs.FS, file string) (*ISA, error) {
	if isa, err := load(fsys, file, true); err == nil {
		return isa, nil
	}
	return Load(fsys, file)
}

func load(fsys fs.FS, file string, sound bool) (*ISA, error) {
	l := &loader{fsys: fsys, sound: sound, dir: path.Dir(file), seen: map[string]bool{}, outer: &arenas{}, named: map[diag.Span]*Expr{}, metas: map[string]bool{}}
	l.isa = &ISA{
		enums: map[string]*Enum{}, exprs: map[string]*Expr{}, bitsets: map[string]*Bitset{},
		contexts: map[string]*Context{}, tables: map[string]*Table{},
		Modifiers: []string{"negate", "absolute", "saturate"},
	}
	if err := l.readSource(file, diag.Span{}); err != nil {
		return nil, err
	}
	top := l.files[len(l.files)-1].root
	l.isa.Source, l.isa.Span = top.span.Src, top.span
	l.run(top)
	if l.unread {
		return nil, errUnread
	}
	if len(l.errs) > 0 {
		l.errs.Sort()
		if l.more {
			l.errs = append(l.errs, diag.Errorf(diag.XMLLimit, diag.Span{}, "too many errors; only the first %d are shown", maxErrors))
		}
		return nil, l.errs
	}
	return l.isa, nil
}

// Imports returns the files that a description imports, directly or through other files, in ASCII order. Imports stops
// at the first file that it cannot read. It then returns the files that it has found, including that file.
func Imports(fsys fs.FS, file string) []string {
	l := &loader{fsys: fsys, dir: path.Dir(file), seen: map[string]bool{}, outer: &arenas{}}
	_ = l.readSource(file, diag.Span{}) // Load reports what is wrong
	delete(l.seen, file)
	return slices.Sorted(maps.Keys(l.seen))
}

// errUnread is the error for a description in which the contents of a bitset cannot be parsed separately.
var errUnread = errors.New("the description cannot be read in parts")

// Limits of a description. Mesa's largest one has 350 bitsets with up to 50 elements each, in four levels.
const (
	maxErrors  = 100
	MaxBitsets = 1 << 14
	MaxInside  = 1 << 12 // elements inside one bitset
	MaxExtends = 64
)

type loader struct {
	fsys     fs.FS
	dir      string
	seen     map[string]bool
	files    []*file // in the order of reading: an import comes before the file that imports it
	bytes    int
	elements int
	sound    bool
	isa      *ISA
	named    map[diag.Span]*Expr // <expr> elements with a name, by their start tags
	metas    map[string]bool     // attributes that <meta> may have
	errs     diag.List
	more     bool // there were more than maxErrors errors
	outer    *arenas
	inner    xmlParser
	buffer   [16 << 10]byte
	unread   bool  // the contents of an element could not be parsed separately
	within   *Expr // condition of the override that is being read
}

type file struct {
	root *node
	// templates and bitsets are the numbers of templates and bitsets in this file and in the files before it.
	templates, bitsets int
}

func (l *loader) fail(e *diag.Error) {
	if len(l.errs) == maxErrors {
		l.more = true
		return
	}
	l.errs = append(l.errs, e)
}

// failErr records the *diag.Error that another function of this package returned.
func (l *loader) failErr(err error) {
	var e *diag.Error
	if errors.As(err, &e) {
		l.fail(e)
	}
}

// readSource reads a file and its imports. In l.files, the imports precede the file. The names of imports are relative
// to the folder of the top file, as in Mesa's reader. from is the position of the file's name. For the top file, from
// is invalid.
func (l *loader) readSource(name string, from diag.Span) error {
	if l.seen[name] {
		return nil
	}
	l.seen[name] = true
	data, err := l.readFileText(name)
	switch {
	case err != nil && !from.IsValid():
		return err
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid):
		return diag.Errorf(diag.Unresolved, from, "file %s does not exist", name)
	case err != nil:
		return diag.Errorf(diag.Unresolved, from, "import: %v", err)
	}
	src := &diag.Source{Name: name, Text: strings.TrimPrefix(data, "\uFEFF")}
	if !from.IsValid() {
		from = diag.Span{Src: src}
	}
	if l.bytes += len(data); l.bytes > MaxBytes {
		return diag.Errorf(diag.XMLLimit, from, "description larger than %d bytes", MaxBytes)
	}
	if len(l.seen) > MaxFiles {
		return diag.Errorf(diag.XMLLimit, from, "more than %d files", MaxFiles)
	}
	later := ""
	if l.sound {
		later = "bitset"
	}
	root, err := parseXML(src, &l.elements, later, l.outer)
	if err != nil && !opensISA(src.Text) {
		unquoted := diag.Span{Src: &diag.Source{Name: name}}
		switch {
		case textfile.IsUTF16(src.Text):
			return diag.Errorf(diag.XMLSyntax, unquoted, "%s", charsetError("UTF-16").Error())
		case from.Src == src:
			from = unquoted
		}
		return diag.Errorf(diag.XMLSyntax, from, "%s is not a description, expected XML with <isa> at the top", name)
	}
	if err != nil {
		return err
	}
	if root.name != "isa" {
		return diag.Errorf(diag.XMLElement, root.span, "<%s> at the top, expected <isa>", root.name)
	}
	for _, c := range root.children {
		if c.name != "import" {
			continue
		}
		if c.value("file") == "" {
			return diag.Errorf(diag.XMLAttribute, c.at("file"), "<import> without file")
		}
		if err := l.readSource(path.Join(l.dir, c.value("file")), c.at("file")); err != nil {
			return err
		}
	}
	l.files = append(l.files, &file{root: root})
	return nil
}

// opensISA reports whether the first element of a text is <isa>. If it is not, errors do not quote the text, because a
// description may import any file.
func opensISA(text string) bool {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		end := ">"
		switch {
		case strings.HasPrefix(text, "<isa"):
			return text == "<isa" || strings.ContainsRune(" \t\r\n/>", rune(text[len("<isa")]))
		case strings.HasPrefix(text, "<!--"):
			end = "-->"
		case strings.HasPrefix(text, "<?"):
			end = "?>"
		case !strings.HasPrefix(text, "<!"):
			return false
		}
		_, after, ok := strings.Cut(text, end)
		if !ok {
			return false
		}
		text = after
	}
}

// readFileText reads a file like fs.ReadFile, but avoids one copy of the contents. It reads at most MaxBytes+1 bytes.
// If an error occurs, it uses fs.ReadFile.
func (l *loader) readFileText(name string) (string, error) {
	f, err := l.fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var text strings.Builder
	if info, err := f.Stat(); err == nil {
		text.Grow(int(min(info.Size(), MaxBytes)))
	}
	if _, err := io.CopyBuffer(&text, io.LimitReader(f, MaxBytes+1), l.buffer[:]); err != nil {
		whole, err := fs.ReadFile(l.fsys, name)
		return string(whole), err
	}
	return text.String(), nil
}

// each calls f for every child of <isa> with the given name, in the order of the files.
func (l *loader) each(name string, f func(n *node)) {
	for _, file := range l.files {
		for _, c := range file.root.children {
			if c.name == name {
				f(c)
			}
		}
	}
}

func (l *loader) run(top *node) {
	if v := top.value("strict"); v != "" && v != "true" && v != "false" {
		l.fail(diag.Errorf(diag.XMLAttribute, top.at("strict"), "strict=%q, expected true or false", v))
	}
	l.isa.Strict = top.value("strict") == "true"
	l.isa.Name = top.value("name")
	l.isa.Doc = docOf(top)
	if !l.sound {
		for _, file := range l.files {
			l.checkRules(file.root)
		}
	}
	l.each("text", l.readText)
	l.each("enum", l.readEnum)
	l.each("bitset", l.declareBitset)
	if len(l.isa.Bitsets) > MaxBitsets {
		l.fail(diag.Errorf(diag.XMLLimit, l.isa.Bitsets[MaxBitsets].Span, "more than %d bitsets", MaxBitsets))
		return
	}
	l.each("context", l.readContext)
	l.each("table", l.readTable)
	l.each("file", l.readFile)
	l.each("view", l.readFile)
	l.linkViews()
	l.each("memory", l.readMemory)
	l.each("stack", l.readStack)
	l.each("class", l.readClass)
	l.each("processor", l.readProcessor)
	l.each("limit", func(n *node) { l.isa.Limits = append(l.isa.Limits, l.readLimit(n)) })
	l.each("input", l.readInput)
	l.each("attribute", l.declareMeta)
	l.readMeaning()
	l.each("output", l.readOutput)
	l.checkAliases()
	l.each("hint", l.readHint)
	l.readProducts()
	l.each("expr", l.readNamedExpr)
	l.each("bitset", l.readNamedInside)
	l.readContent()
	l.resolveOperands()
	l.link()
	l.resolveTypes()
	l.resolveRuns()
	l.markOperands()
	if !l.sound {
		l.check()
	}
}

// readContent reads the templates and the contents of the bitsets, in the order of the files.
func (l *loader) readContent() {
	i := 0
	for _, file := range l.files {
		for _, c := range file.root.children {
			switch c.name {
			case "template":
				l.readTemplate(c)
			case "bitset":
				l.readBitset(c, l.isa.Bitsets[i])
				i++
			}
		}
		file.templates, file.bitsets = len(l.isa.Templates), i
	}
}

func docOf(n *node) string {
	if d := n.child("doc"); d != nil {
		return d.text().s
	}
	return ""
}

func (l *loader) readText(n *node) {
	t := &l.isa.Text
	switch v := n.value("words"); v {
	case "":
	case "low-first":
		t.HighFirst = false
	case "high-first":
		t.HighFirst = true
	default:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("words"), "words=%q, expected high-first or low-first", v))
	}
	switch v := n.value("storage"); v {
	case "":
	case "8", "16", "32":
		t.Storage, _ = strconv.Atoi(v)
	default:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("storage"), "storage=%q, expected 8, 16 or 32, the size of a stored word in bits", v))
	}
	switch v := n.value("halves"); {
	case v == "" || v == "low-first":
	case v != "high-first":
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("halves"), "halves=%q, expected high-first or low-first", v))
	case t.Storage != 32:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("halves"), "halves=%q needs storage=\"32\", because only 32-bit words have halves", v))
	default:
		t.Swapped = true
	}
	switch v := n.value("case"); v {
	case "":
	case "exact":
		t.FoldCase = false
	case "fold":
		t.FoldCase = true
	default:
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("case"), "case=%q, expected fold or exact", v))
	}
	if n.attr("syntax") != nil {
		t.Syntax = n.value("syntax")
	}
	if n.attr("comment") != nil {
		t.Comment = n.value("comment")
	}
}

// readName returns the name attribute, which is required.
func (l *loader) readName(n *node) string {
	v := n.value("name")
	if v == "" {
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("name"), "<%s> without name", n.name))
	}
	return v
}

// readIdentifier is like readName, but for a name that displays or code can use. Such a name has only letters, digits
// and underscores.
func (l *loader) readIdentifier(n *node) string {
	v := l.readName(n)
	switch {
	case v == "":
	case v == "NAME":
		l.failStrict(diag.Errorf(diag.XMLAttribute, n.at("name"), "name=\"NAME\", but {NAME} prints the name of the bitset"))
	case !isPath(v) || strings.Contains(v, "."):
		l.failStrict(diag.Errorf(diag.XMLAttribute, n.at("name"), "name=%q, expected only letters, digits and _", v))
	}
	return v
}

// readNumber reads an attribute with a decimal or hexadecimal (0x) number from low to high. It returns 0 after an
// error.
func (l *loader) readNumber(n *node, name string, low, high int64) int {
	a := n.attr(name)
	if a == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<%s> without %s", n.name, name))
		return 0
	}
	digits, base := strings.TrimSpace(a.value.s), 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = hex, 16
	}
	v, err := strconv.ParseInt(digits, base, 64)
	if err != nil || v < low || v > high {
		l.fail(diag.Errorf(diag.XMLAttribute, a.value.span, "%s=%q, expected a number from %d to %d", name, a.value.s, low, high))
		return 0
	}
	return int(v)
}

// readOptional is like readNumber, but for an attribute with a default.
func (l *loader) readOptional(n *node, name string, none int, low, high int64) int {
	if n.attr(name) == nil {
		return none
	}
	return l.readNumber(n, name, low, high)
}

// readBool reads an attribute that is true or false. The default is false.
func (l *loader) readBool(n *node, name string) bool {
	switch v := n.value(name); v {
	case "true":
		return true
	case "", "false":
	default:
		l.failStrict(diag.Errorf(diag.XMLAttribute, n.at(name), "%s=%q, expected true or false", name, v))
	}
	return false
}

// readLiteral reads an attribute with an integer literal of C, which may have a minus sign.
func (l *loader) readLiteral(n *node, name string) (uint64, bool) {
	a := n.attr(name)
	if a == nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<%s> without %s", n.name, name))
		return 0, false
	}
	digits, negative := strings.CutPrefix(a.value.trim().s, "-")
	v, _, ok := parseLiteral(digits)
	if negative {
		v = -v
	}
	if !ok && !l.isa.Strict { // Mesa copies the text into C code, so it may be an expression there
		if e, err := parseExpr(l.isa, "", a.value); err == nil {
			v, ok = foldConstant(e.Root())
		}
	}
	if !ok {
		l.fail(diag.Errorf(diag.XMLAttribute, a.value.span, "%s=%q, expected a number", name, a.value.s))
	}
	return v, ok
}

func (l *loader) readEnum(n *node) {
	e := &Enum{Name: l.readName(n), Doc: docOf(n), Span: n.span, OperandKind: l.readOperandKind(n), byName: map[string]*Value{}}
	if old := l.isa.enums[e.Name]; old != nil {
		l.failStrict(diag.Errorf(diag.Duplicate, n.at("name"), "enum %s is defined twice", e.Name).With(old.Span, "the other definition"))
	}
	written := map[string]*Value{}
	for _, c := range n.children {
		if c.name != "value" {
			continue
		}
		v := l.readValue(c)
		if v == nil {
			continue
		}
		if e.byName[v.Name] == nil {
			e.byName[v.Name] = v
		}
		// Mesa looks up values by the text of val, so a later value with the same text replaces the first one.
		if old := written[c.value("val")]; old != nil && !l.isa.Strict {
			*old = *v
			continue
		}
		written[c.value("val")] = v
		e.Values = append(e.Values, v)
	}
	l.isa.Enums = append(l.isa.Enums, e)
	l.isa.enums[e.Name] = e
}

func (l *loader) readValue(n *node) *Value {
	val, ok := l.readLiteral(n, "val")
	if !ok {
		return nil
	}
	if !l.isa.Strict {
		val &= math.MaxUint32 // Mesa's tables have 32-bit values
	}
	v := &Value{Val: val, Display: n.value("display"), Name: n.value("name"), Syntax: n.value("syntax"), Doc: docOf(n), Span: n.span}
	switch {
	case n.attr("display") == nil && v.Name == "":
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<value> without display"))
	case n.attr("display") == nil:
		v.Display = v.Name
	case v.Name == "":
		v.Name = v.Display
	}
	for _, c := range n.children {
		switch c.name {
		case "alias":
			v.Aliases = append(v.Aliases, c.text().s)
		case "reg":
			v.Reg = l.readReg(c)
		}
	}
	return v
}

func (l *loader) readTemplate(n *node) {
	t := &Template{isa: l.isa, Name: l.readName(n), Text: n.head().s, Span: n.head().span, src: n.head()}
	l.isa.Templates = append(l.isa.Templates, t)
}

func (l *loader) readNamedExpr(n *node) {
	name := n.value("name")
	if name == "" {
		l.failStrict(diag.Errorf(diag.XMLAttribute, n.at("name"), "<expr> without name"))
	}
	if old := l.isa.exprs[name]; old != nil {
		l.failStrict(diag.Errorf(diag.Duplicate, n.at("name"), "expr %s is defined twice", name).With(old.Span, "the other definition"))
	}
	e := l.newInlineExpr(n.text())
	if e == nil {
		e = constantExpr(diag.Span{})
	}
	e.Name = name
	l.isa.Exprs = append(l.isa.Exprs, e)
	l.isa.exprs[name] = e
	l.named[n.span] = e
}

// readNamedInside reads the named expressions inside a bitset. The whole description can use the names of these
// expressions.
func (l *loader) readNamedInside(n *node) {
	if n.endTag > 0 && !strings.Contains(n.span.Src.Text[n.span.End:n.endTag], "<expr ") {
		return
	}
	n = l.readInside(n)
	for _, c := range n.children {
		if c.name == "expr" && c.attr("name") != nil {
			l.readNamedExpr(c)
		} else if c.name != "doc" {
			l.readNamedInside(c)
		}
	}
}

func (l *loader) readContext(n *node) {
	c := &Context{Name: l.readIdentifier(n), Doc: docOf(n), Span: n.span, Width: 1, FromText: n.value("bind") == "text"}
	if bind := n.attr("bind"); bind != nil && !c.FromText {
		l.fail(diag.Errorf(diag.XMLAttribute, bind.value.span, "bind=%q, expected text", bind.value.s))
	}
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
	if k := len(l.isa.Contexts); k > 0 {
		last := l.isa.Contexts[k-1]
		c.Low = last.Low + last.Width
	}
	if c.Low+c.Width > bits.Size {
		l.fail(diag.Errorf(diag.XMLLimit, n.span, "contexts larger than %d bits in total", bits.Size))
		return
	}
	if old := l.isa.contexts[c.Name]; old != nil {
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "context %s is defined twice", c.Name).With(old.Span, "the other definition"))
	}
	if a := n.attr("default"); a != nil {
		v, err := c.Parse(a.value.s)
		if err != nil {
			l.fail(diag.Errorf(diag.ContextValue, a.value.span, "%v", err))
		}
		c.Default = v
	}
	l.isa.Contexts = append(l.isa.Contexts, c)
	l.isa.contexts[c.Name] = c
}

func (l *loader) readTable(n *node) {
	t := &Table{Name: l.readName(n), Doc: docOf(n), Span: n.span, Size: l.readNumber(n, "size", 1, 1<<20)}
	if old := l.isa.tables[t.Name]; old != nil {
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "table %s is defined twice", t.Name).With(old.Span, "the other definition"))
	}
	if t.Type = l.isa.bitsets[n.value("type")]; t.Type == nil {
		l.fail(diag.Errorf(diag.Unresolved, n.at("type"), "type %q of table %s, expected a bitset", n.value("type"), t.Name))
		return
	}
	t.Index = len(l.isa.Tables)
	l.isa.Tables = append(l.isa.Tables, t)
	l.isa.tables[t.Name] = t
}

// declareBitset adds a bitset without its contents, so that other elements can refer to it.
func (l *loader) declareBitset(n *node) {
	b := &Bitset{Name: l.readName(n), Span: n.span, Max: math.MaxUint32, extendsName: n.value("extends"), extendsSpan: n.at("extends"), sizeSpan: n.at("size")}
	b.DisplayName = b.Name
	if a := n.attr("displayname"); a != nil {
		b.DisplayName = a.value.s
	}
	if n.attr("size") != nil {
		b.sizeGiven = true
		b.Size = l.readNumber(n, "size", 1, bits.Size)
	}
	if old := l.isa.bitsets[b.Name]; old != nil && l.isa.Strict {
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "bitset %s is defined twice", b.Name).With(old.Span, "the other definition"))
	}
	l.isa.Bitsets = append(l.isa.Bitsets, b)
	l.isa.bitsets[b.Name] = b
}

// readInside returns an element with its children. If parseXML skipped the children, readInside parses them. The
// children are valid until the next call.
func (l *loader) readInside(n *node) *node {
	if n.endTag == 0 {
		return n
	}
	whole, ok := *n, false
	if whole.children, ok = l.inner.parseInside(n); !ok {
		l.unread = true
	}
	return &whole
}

// readBitset reads the contents of a bitset. link resolves its size and its parent later.
func (l *loader) readBitset(n *node, b *Bitset) {
	n = l.readInside(n)
	def := &Case{Bitset: b, Span: n.span}
	b.OperandKind, b.Doc = l.readOperandKind(n), docOf(n)
	defer func() { b.Cases = append(b.Cases, def) }()
	if countInside(n) > MaxInside {
		l.fail(diag.Errorf(diag.XMLLimit, n.span, "more than %d elements inside <bitset>", MaxInside))
		return
	}
	for _, c := range n.children {
		switch c.name {
		case "gen":
			l.readGen(c, b)
		case "meta":
			l.readMeta(c, b)
		case "pattern":
			if p := l.readPattern(c); p != nil {
				b.Patterns = append(b.Patterns, p)
			}
		case "operand":
			l.readOperand(c, b)
		case "flow":
			b.Flows = append(b.Flows, l.readFlow(c))
		case "layout":
			l.readLayout(c, b)
		case "runs":
			l.readRuns(c, b)
		case "limit":
			b.Limits = append(b.Limits, l.readLimit(c))
		case "class":
			l.readClassOf(c, b)
		case "override":
			b.Cases = append(b.Cases, l.readOverride(c, b))
		case "require":
			if e := l.readExpr(c); e != nil {
				b.Requires = append(b.Requires, e)
			}
		case "hazard":
			b.Hazards = append(b.Hazards, l.readHazard(c))
		case "around":
			l.readAround(c, b)
		case "displayname":
			if b.SyntaxNames == nil {
				b.SyntaxNames = map[string]string{}
			}
			b.SyntaxNames[c.value("syntax")] = c.text().s
		case "default":
			b.Defaults = append(b.Defaults, l.readDefault(c))
		case "encode":
			b.Forced = append(b.Forced, forced(c)...)
			b.encode(c)
		case "unused":
			u := &Unused{Path: c.value("path"), Span: c.at("path")}
			if u.Path == "" {
				l.fail(diag.Errorf(diag.XMLAttribute, u.Span, "<unused> without path"))
			}
			if c.attr("expr") != nil {
				u.Expr = l.readExpr(c)
			}
			b.Unused = append(b.Unused, u)
		default:
			l.readCaseChild(c, def)
		}
	}
	l.readOverlap(n, b)
}

// countInside returns the number of elements inside n, at any depth.
func countInside(n *node) int {
	count := len(n.children)
	for _, c := range n.children {
		count += countInside(c)
	}
	return count
}

func (l *loader) readOverlap(n *node, b *Bitset) {
	a := n.attr("overlap")
	if a == nil {
		return
	}
	words := fields(a.value)
	if len(words) < 2 || words[0].s != "refines" {
		l.fail(diag.Errorf(diag.XMLAttribute, a.value.span, "overlap=%q, expected refines NAME", a.value.s))
		return
	}
	for _, w := range words[1:] {
		b.Refines = append(b.Refines, Name{w.s, w.span})
	}
}

func (l *loader) readGen(n *node, b *Bitset) {
	if n.attr("min") != nil {
		b.Min = uint32(l.readNumber(n, "min", 0, math.MaxUint32))
	}
	if n.attr("max") != nil {
		b.Max = uint32(l.readNumber(n, "max", 0, math.MaxUint32))
	}
}

func (l *loader) readMeta(n *node, b *Bitset) {
	if b.Meta == nil {
		b.Meta = map[string]string{}
	}
	for _, a := range n.attrs {
		if l.isa.Strict && !l.metas[a.name] {
			l.fail(diag.Errorf(diag.XMLAttribute, a.named(), "<meta> with %q, which no <attribute> declares", a.name))
		}
		b.Meta[a.name] = a.value.s
	}
}

// readOverride reads an <override>. If its condition cannot be read, it uses the condition 0.
func (l *loader) readOverride(n *node, b *Bitset) *Case {
	c := &Case{Bitset: b, Expr: l.readExpr(n), Span: n.span}
	l.within = c.Expr
	defer func() { l.within = nil }()
	for _, child := range n.children {
		if child.name == "pattern" {
			l.failStrict(diag.Errorf(diag.XMLElement, child.span, "<pattern> inside <override> has no effect, because an override does not choose the bitset"))
			continue
		}
		l.readCaseChild(child, c)
	}
	if c.Expr == nil {
		c.Expr = constantExpr(n.span)
	}
	return c
}

// readExpr reads the condition or the value of an element: its attribute expr, its only child <expr>, or the text of a
// <require>.
func (l *loader) readExpr(n *node) *Expr {
	var children []*node
	for _, c := range n.children {
		if c.name == "expr" {
			children = append(children, c)
		}
	}
	a := n.attr("expr")
	if len(children) > 1 || a != nil && len(children) > 0 {
		l.fail(diag.Errorf(diag.XMLElement, children[len(children)-1].span, "<%s> contains two expressions, expected one", n.name))
		return nil
	}
	switch {
	case a != nil:
		return l.parseExprAttr(a)
	case len(children) > 0 && l.named[children[0].span] != nil:
		return l.named[children[0].span]
	case len(children) > 0:
		return l.newInlineExpr(children[0].text())
	case n.name == "require":
		return l.newInlineExpr(n.text())
	}
	l.fail(diag.Errorf(diag.XMLElement, n.span, "<%s> without expr", n.name))
	return nil
}

// parseExprAttr parses the value of an attribute expr. The value is the name of an expression or, in a strict
// description, also an expression itself.
func (l *loader) parseExprAttr(a *attr) *Expr {
	if e := l.isa.exprs[a.value.s]; e != nil {
		return e
	}
	name, ok := strings.CutPrefix(a.value.s, "#")
	if ok && isName(name, "-") || !l.isa.Strict {
		l.fail(diag.Errorf(diag.Unresolved, a.value.span, "unknown expr %s", a.value.s))
		return nil
	}
	return l.newInlineExpr(a.value)
}

func (l *loader) newInlineExpr(t text) *Expr {
	if l.sound {
		e := newExpr(l.isa, "", t)
		e.Within = l.within
		return e
	}
	e, err := parseExpr(l.isa, "", t)
	if err != nil {
		l.failErr(err)
		return nil
	}
	e.Within = l.within
	return e
}

// readCaseChild reads an element that is allowed both in a bitset and in an override.
func (l *loader) readCaseChild(n *node, c *Case) {
	switch n.name {
	case "field", "derived":
		l.readField(n, c)
	case "set":
		l.readSet(n, c)
	case "assert":
		if p := l.readPattern(n); p != nil {
			c.Asserts = append(c.Asserts, p)
		}
	case "display":
		l.addDisplay(&c.Displays, n)
	case "alias":
		c.Aliases = append(c.Aliases, l.readDisplay(n))
	case "semantics", "write":
		l.readActions(n, &c.Actions)
	default:
		l.readFacts(n, &c.Facts)
	}
}

// addDisplay reads a display and stores it under its syntax.
func (l *loader) addDisplay(displays *map[string]*Template, n *node) {
	if *displays == nil {
		*displays = map[string]*Template{}
	}
	syntax := n.value("syntax")
	if old := (*displays)[syntax]; old != nil {
		l.failStrict(diag.Errorf(diag.Duplicate, n.span, "this is the second display for the same syntax").With(old.Span, "the first"))
	}
	(*displays)[syntax] = l.readDisplay(n)
}

func (l *loader) readDisplay(n *node) *Template {
	if len(n.head().s) > MaxDisplay {
		l.fail(diag.Errorf(diag.XMLLimit, n.head().span, "display larger than %d bytes", MaxDisplay))
	}
	return &Template{isa: l.isa, Syntax: n.value("syntax"), Text: n.head().s, Span: n.head().span, src: n.head()}
}

func (l *loader) readSet(n *node, c *Case) {
	s := &Set{Name: l.readIdentifier(n), Join: n.value("join"), Doc: docOf(n), Span: n.span}
	if a := n.attr("absent"); a != nil {
		if s.AbsentIsDefault = a.value.s == "default"; !s.AbsentIsDefault {
			l.failStrict(diag.Errorf(diag.XMLAttribute, n.at("absent"), "absent=%q, expected default", a.value.s))
		}
	}
	for _, m := range n.children {
		switch m.name {
		case "field", "derived":
			l.readField(m, c)
			s.Members = append(s.Members, Name{m.value("name"), m.at("name")})
		case "member":
			s.Members = append(s.Members, Name{l.readName(m), m.at("name")})
		}
	}
	if c.Set(s.Name) != nil || c.Field(s.Name) != nil {
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "%s is defined twice", s.Name))
	}
	c.Sets = append(c.Sets, s)
}

// readRange reads the bit range of an element. pos="N" means low="N" high="N".
func (l *loader) readRange(n *node) (low, high int, ok bool) {
	before := len(l.errs)
	hasRange := n.attr("low") != nil || n.attr("high") != nil
	switch pos := n.attr("pos"); {
	case pos != nil && hasRange:
		l.fail(diag.Errorf(diag.XMLAttribute, pos.named(), "<%s> with pos and low or high, expected either pos or both low and high", n.name))
	case pos != nil:
		low = l.readNumber(n, "pos", 0, bits.Size-1)
		high = low
	case !hasRange:
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<%s> without bits, expected low and high, or pos", n.name))
	default:
		low, high = l.readNumber(n, "low", 0, bits.Size-1), l.readNumber(n, "high", 0, bits.Size-1)
	}
	if len(l.errs) > before || l.more {
		return 0, 0, false
	}
	if high < low {
		l.fail(diag.Errorf(diag.BitRange, n.at("high"), "<%s> from bit %d to bit %d, expected low to be at most high", n.name, low, high))
		return 0, 0, false
	}
	return low, high, true
}

// readPattern reads a <pattern> or an <assert>. It returns nil after an error.
func (l *loader) readPattern(n *node) *Pattern {
	low, high, ok := l.readRange(n)
	if !ok {
		return nil
	}
	p := &Pattern{Low: low, High: high, Span: n.text().span}
	for i, c := range n.text().s {
		bit := max(0, high-i)
		switch {
		case c == '0':
			p.Mask.SetUint(bit, 1, 1)
		case c == '1':
			p.Mask.SetUint(bit, 1, 1)
			p.Match.SetUint(bit, 1, 1)
		case c == 'x' && n.name == "pattern":
			p.DontCare.SetUint(bit, 1, 1)
		case n.name == "pattern":
			l.fail(diag.Errorf(diag.PatternText, n.text().at(i), "the pattern contains %q, expected only 0, 1 and x", c))
			return nil
		default:
			l.fail(diag.Errorf(diag.PatternText, n.text().at(i), "the assert contains %q, expected only 0 and 1", c))
			return nil
		}
	}
	if size := len(n.text().s); size != high-low+1 {
		l.fail(diag.Errorf(diag.PatternText, p.Span, "%q has %d characters, expected %d, one for each bit", n.text().s, size, high-low+1))
		return nil
	}
	return p
}

func (l *loader) readField(n *node, c *Case) {
	f := &Field{
		Name: l.readIdentifier(n), Doc: docOf(n), Span: n.span, TypeName: n.value("type"), Call: l.readBool(n, "call"),
		Symbols: n.value("symbols"), typeSpan: n.at("type"), Role: l.readRole(n), OperandKind: l.readOperandKind(n),
	}
	if a := n.attr("display"); a != nil {
		text := strings.TrimSpace(a.value.s)
		f.Display = &text
	}
	if n.name == "derived" {
		f.Width, f.Remark = 1, l.readBool(n, "remark")
		if n.attr("width") != nil {
			f.Width, f.WidthGiven = l.readNumber(n, "width", 1, 64), true
		}
		if f.Expr = l.readExpr(n); f.Expr == nil {
			return
		}
	} else if !l.readParts(n, f) {
		return
	}
	if n.attr("unit") != nil {
		f.Unit = l.readNumber(n, "unit", 1, bits.Size)
	}
	if a := n.attr("table"); a != nil {
		if f.Table = l.isa.tables[a.value.s]; f.Table == nil {
			l.fail(diag.Errorf(diag.Unresolved, a.value.span, "unknown table %q", a.value.s))
		}
	}
	for _, p := range n.children {
		if p.name == "param" {
			l.readParam(p, f)
		}
	}
	if set := c.Set(f.Name); set != nil {
		l.fail(diag.Errorf(diag.Duplicate, n.at("name"), "%s is defined twice", f.Name).With(set.Span, "the other definition"))
	}
	if old := c.Field(f.Name); old != nil {
		l.failStrict(diag.Errorf(diag.Duplicate, n.at("name"), "field %s is defined twice", f.Name).With(old.Span, "the other definition"))
		if !l.isa.Strict {
			c.redefine(old, f)
			return
		}
	}
	c.Fields = append(c.Fields, f)
}

// redefine replaces a field with a later field that has the same name, as Mesa does. A derived field never replaces a
// field of bits. The bits of both fields count as used.
func (c *Case) redefine(old, f *Field) {
	if f.Expr != nil && old.Expr == nil {
		return
	}
	c.Fields[slices.Index(c.Fields, old)] = f
	if old.Expr == nil {
		c.hidden = append(c.hidden, old)
	}
}

func (l *loader) readParam(n *node, f *Field) {
	p := Param{Name: l.readName(n), As: n.value("as"), Span: n.at("name")}
	if p.Name == "*" {
		f.AllParams = true
		return
	}
	if p.As == "" {
		p.As = p.Name
	}
	f.Params = append(f.Params, p)
}

// readParts reads the bits of a field: one range, or several <bits> elements.
func (l *loader) readParts(n *node, f *Field) bool {
	var taken bits.Value
	add := func(n *node) bool {
		low, high, ok := l.readRange(n)
		if !ok {
			return false
		}
		part := bits.Range(low, high-low+1)
		if twice := taken.And(part); !twice.IsZero() {
			l.fail(diag.Errorf(diag.BitOverlap, n.span, "bit %d twice in field %s", twice.TrailingZeros(), f.Name))
			return false
		}
		taken = taken.Or(part)
		f.Parts = append(f.Parts, bits.Part{Low: low, Width: high - low + 1})
		f.Width += high - low + 1
		return true
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
	if !scattered {
		return add(n)
	}
	for _, name := range []string{"low", "high", "pos"} {
		if a := n.attr(name); a != nil {
			l.fail(diag.Errorf(diag.XMLAttribute, a.named(), "<field> with %s and <bits>, expected one of them", name))
		}
	}
	return true
}

// Parse returns the value of the context for a text. For an enum, the text is the name, the display or an alias of a
// value. Otherwise it is true, false, 1 or 0.
func (c *Context) Parse(text string) (uint64, error) {
	if c.Enum != nil {
		for _, v := range c.Enum.Values {
			if v.Name == text || v.Display == text || slices.Contains(v.Aliases, text) {
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

// encode reads an <encode>. If a bitset has several <encode> elements, the attributes of the first one and the maps of
// all of them apply.
func (b *Bitset) encode(n *node) {
	if b.Encode == nil {
		b.Encode = &Encode{
			Type: strings.TrimSpace(n.value("type")), CasePrefix: strings.TrimSpace(n.value("case-prefix")),
			Cases: n.attr("case-prefix") != nil, Span: n.span,
		}
	}
	for _, m := range n.children {
		if m.name == "map" {
			b.Encode.Maps = append(b.Encode.Maps, EncodeMap{m.value("name"), strings.TrimSpace(m.text().s), m.value("force") == "true", m.span})
		}
	}
}

// forced returns the values of those maps in an <encode> that have force="true" and contain only a number.
func forced(encode *node) (list []*Default) {
	for _, m := range encode.children {
		if v, _, ok := parseLiteral(strings.TrimSpace(m.text().s)); ok && m.name == "map" && m.value("force") == "true" {
			list = append(list, &Default{Path: m.value("name"), Val: v, Span: m.text().span})
		}
	}
	return list
}

// readDefault reads a <default>, which has a number or an expression.
func (l *loader) readDefault(n *node) *Default {
	d := &Default{Path: l.readName(n), Span: n.at("name")}
	if n.attr("expr") == nil {
		d.Val, _ = l.readLiteral(n, "val")
		return d
	}
	if n.attr("val") != nil {
		l.fail(diag.Errorf(diag.XMLAttribute, n.at("val"), "<default> with val and expr, expected one of them"))
	}
	d.Expr = l.readExpr(n)
	return d
}

// readHint reads a <hint>. A hint without names or without text is an error.
func (l *loader) readHint(n *node) {
	h := &Hint{For: strings.Fields(n.value("for")), Text: strings.Join(strings.Fields(n.text().s), " "), Span: n.span}
	if len(h.For) == 0 || h.Text == "" {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<hint> without for or text"))
		return
	}
	l.isa.Hints = append(l.isa.Hints, h)
}

// readHazard reads a <hazard>: its name, its condition and its message.
func (l *loader) readHazard(n *node) *Hazard {
	h := &Hazard{Name: n.value("name"), Refused: l.readBool(n, "refused"), Text: strings.Join(strings.Fields(n.text().s), " "), Span: n.span}
	if h.Name == "" || h.Text == "" {
		l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<hazard> without name or text"))
	}
	h.Expr = l.readExpr(n)
	return h
}
