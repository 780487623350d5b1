package spec

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/isago/isago/diag"
)

// Limits on the input. Mesa's largest description has ten files, 200 kB and 3,000 elements in six levels.
const (
	MaxBytes    = 8 << 20 // sum of all files
	MaxFiles    = 256
	MaxElements = 200_000
	MaxDepth    = 64
	maxAttrs    = 64
)

// node is an XML element.
type node struct {
	name     string
	span     diag.Span // of the start tag
	attrs    []attr
	children []*node
	// body is all character data directly inside the element, joined and trimmed. opening is the part of body before
	// the first child element. Each of them is nil if it would be empty.
	body, opening *text
	// endTag is the offset of the end tag if the contents have not been read. Otherwise it is 0.
	endTag int
}

// text returns the character data directly inside the element.
func (n *node) text() text { return n.orNone(n.body) }

// head returns the character data before the first child element. Mesa's tools read only this part of a display.
func (n *node) head() text { return n.orNone(n.opening) }

func (n *node) orNone(t *text) text {
	if t == nil {
		return text{span: n.span}
	}
	return *t
}

// openNode is an element whose end tag has not been read, with its text so far.
type openNode struct {
	*node
	build textBuilder
}

type attr struct {
	name  string
	value text
	off   int // offset of the name
}

// named returns the position of the attribute's name.
func (a *attr) named() diag.Span {
	return diag.Span{Src: a.value.span.Src, Off: a.off, End: a.off + len(a.name)}
}

func (n *node) attr(name string) *attr {
	for i := range n.attrs {
		if n.attrs[i].name == name {
			return &n.attrs[i]
		}
	}
	return nil
}

// value returns the value of an attribute, or "" if the attribute is absent.
func (n *node) value(name string) string {
	if a := n.attr(name); a != nil {
		return a.value.s
	}
	return ""
}

// at returns the position of an attribute's value, or the position of the start tag if the attribute is absent.
func (n *node) at(name string) diag.Span {
	if a := n.attr(name); a != nil {
		return a.value.span
	}
	return n.span
}

// child returns the first child with the given name, or nil.
func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// parseXML parses one document. It adds the number of elements to elements, which may not exceed MaxElements. Comments
// and processing instructions are removed, and the text before and after them is joined, as in Mesa's reader. If later
// is not "", parseXML skips the contents of the elements with that name, which parseInside can parse later. Such
// elements must not be nested, and the document must be known to satisfy isPlain.
func parseXML(src *diag.Source, elements *int, later string, in *arenas) (*node, error) {
	before := *elements
	plain := xmlParser{src: src, elements: elements, deferred: later, arenas: *in}
	whole := plain.scan()
	if *in = plain.arenas; whole {
		return plain.root, nil
	}
	*elements = before
	return parseSlowly(src, elements)
}

// parseInside parses the contents that parseXML skipped. It overwrites the results of its previous call. ok is false if
// only encoding/xml can parse the contents.
func (p *xmlParser) parseInside(n *node) (children []*node, ok bool) {
	p.nodes.free, p.attrs.free, p.texts.free = p.nodes.all, p.attrs.all, p.texts.all
	top := p.newNode(n.name, n.span)
	if p.elements == nil {
		p.elements = new(int)
	}
	*p.elements = 0
	p.src, p.root, p.stack = n.span.Src, top, append(p.stack[:0], openNode{node: top})
	if !p.scanFrom(n.span.End, n.endTag) || len(p.stack) != 1 {
		return nil, false
	}
	return top.children, true
}

// parseSlowly is like parseXML, but with encoding/xml, which explains errors.
func parseSlowly(src *diag.Source, elements *int) (*node, error) {
	p := xmlParser{src: src, dec: xml.NewDecoder(strings.NewReader(src.Text)), elements: elements}
	p.dec.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		return nil, charsetError(charset)
	}
	return p.parse()
}

type charsetError string

func (e charsetError) Error() string { return "encoding " + string(e) + ", expected UTF-8" }

type xmlParser struct {
	src      *diag.Source
	dec      *xml.Decoder
	stack    []openNode
	root     *node
	elements *int
	// deferred is the name of the elements whose contents are skipped.
	deferred string
	arenas
}

// arenas holds the nodes, attributes and texts of a tree.
type arenas struct {
	nodes arena[node]
	attrs arena[attr]
	texts arena[text]
}

// arena allocates the parts of a tree in blocks. A second tree may reuse an arena when the first tree is no longer
// used.
type arena[T any] struct{ free, all []T }

const minArena = 64

// reserve makes the next count elements contiguous.
func (r *arena[T]) reserve(count int) {
	if len(r.free) < count {
		r.all = make([]T, max(min(2*len(r.all), 16*minArena), minArena, count))
		r.free = r.all
	}
}

// next returns an element, which may contain data of a previous tree.
func (r *arena[T]) next() *T {
	r.reserve(1)
	e := &r.free[0]
	r.free = r.free[1:]
	return e
}

// newNode allocates an element.
func (p *xmlParser) newNode(name string, span diag.Span) *node {
	n := p.nodes.next()
	*n = node{name: name, span: span, children: n.children[:0]}
	return n
}

// newText returns the text of an open element so far, or nil.
func (p *xmlParser) newText(b *textBuilder) *text {
	t, ok := b.text()
	if !ok {
		return nil
	}
	at := p.texts.next()
	*at = t
	return at
}

func (p *xmlParser) parse() (*node, error) {
	for {
		from := int(p.dec.InputOffset())
		tok, err := p.dec.Token()
		to := int(p.dec.InputOffset())
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, p.syntaxError(err, from, to)
		}
		if err := p.readToken(tok, diag.Span{Src: p.src, Off: from, End: to}); err != nil {
			return nil, err
		}
	}
	if p.root == nil {
		return nil, io.ErrUnexpectedEOF // readSource reports that <isa> was expected
	}
	return p.root, nil
}

// syntaxError converts an error of encoding/xml to an error with a position. from is the start of the token, and to is
// the end of the input that encoding/xml has read.
func (p *xmlParser) syntaxError(err error, from, to int) error {
	token := diag.Span{Src: p.src, Off: from, End: to}
	var charset charsetError
	if errors.As(err, &charset) {
		return diag.Errorf(diag.XMLSyntax, token, "%s", charset)
	}
	msg := strings.TrimPrefix(err.Error(), "xml: ")
	var syn *xml.SyntaxError
	if errors.As(err, &syn) {
		msg = syn.Msg
	}
	switch {
	case msg == "unexpected EOF" && from < to:
		return diag.Errorf(diag.XMLSyntax, token, "the file ends inside this tag or text")
	case msg == "unexpected EOF" && len(p.stack) > 0:
		top := p.stack[len(p.stack)-1]
		return diag.Errorf(diag.XMLSyntax, top.span, "<%s> is not closed before the end of the file", top.name)
	case strings.Contains(msg, " closed by ") && len(p.stack) > 0:
		top := p.stack[len(p.stack)-1]
		return diag.Errorf(diag.XMLSyntax, token, "%s", msg).With(top.span, "<%s> is opened here", top.name)
	}
	at := max(from, to-1)
	raw := p.src.Text[from:to]
	switch { // the usual mistake is an operator of C that is not escaped
	case strings.HasPrefix(msg, "invalid character entity"):
		at = from + max(0, strings.LastIndexByte(raw, '&'))
		if strings.HasSuffix(msg, "(no semicolon)") {
			msg = "& that starts no entity, write &amp; for the character"
		}
	case msg == "expected element name after <" || msg == "unescaped < inside quoted string":
		at = from + max(0, strings.LastIndexByte(raw, '<'))
		msg = "< that starts no element, write &lt; for the character"
	case msg == "invalid UTF-8" || strings.HasPrefix(msg, "illegal character"):
		at = from + max(0, strings.IndexFunc(raw, notXML))
	}
	return diag.Errorf(diag.XMLSyntax, diag.Span{Src: p.src, Off: at, End: to}, "%s", msg)
}

// notXML reports whether a character is invalid in XML. A byte that is not valid UTF-8 arrives as U+FFFD.
func notXML(r rune) bool {
	return r < ' ' && !strings.ContainsRune(blanks, r) || r == '\v' || r == '\f' || r >= 0xFFFD && r <= 0xFFFF
}

func (p *xmlParser) readToken(tok xml.Token, span diag.Span) error {
	switch t := tok.(type) {
	case xml.StartElement:
		n := p.newNode(t.Name.Local, span)
		if err := p.startElement(n); err != nil {
			return err
		}
		return p.setAttributes(n, p.findAttributes(t, n))
	case xml.EndElement:
		p.endElement()
	case xml.CharData:
		return p.addText(string(t), span)
	}
	return nil
}

// endElement finishes an element when its end tag is read.
func (p *xmlParser) endElement() {
	top := &p.stack[len(p.stack)-1]
	top.body = p.newText(&top.build)
	if len(top.children) == 0 {
		top.opening = top.body
	}
	p.stack = p.stack[:len(p.stack)-1]
}

func (p *xmlParser) startElement(n *node) error {
	switch {
	case len(p.stack) == MaxDepth:
		return diag.Errorf(diag.XMLLimit, n.span, "elements nested more than %d deep", MaxDepth)
	case *p.elements == MaxElements:
		return diag.Errorf(diag.XMLLimit, n.span, "more than %d elements", MaxElements)
	case len(p.stack) > 0:
		top := &p.stack[len(p.stack)-1]
		if len(top.children) == 0 {
			top.opening = p.newText(&top.build)
		}
		top.children = append(top.children, n)
	case p.root != nil:
		return diag.Errorf(diag.XMLSyntax, n.span, "the file has a second root element, <%s>", n.name)
	default:
		p.root = n
	}
	*p.elements++
	p.stack = append(p.stack, openNode{node: n})
	return nil
}

// setAttributes sets the attributes of an element. A duplicate attribute is an error.
func (p *xmlParser) setAttributes(n *node, list []attr) error {
	for i := range list {
		at := &list[i]
		if n.attr(at.name) != nil {
			return diag.Errorf(diag.XMLSyntax, at.named(), "attribute %s is given twice", at.name)
		}
		if n.attrs = list[:i+1]; i+1 > maxAttrs {
			return diag.Errorf(diag.XMLLimit, at.named(), "more than %d attributes", maxAttrs)
		}
	}
	return nil
}

// findAttributes finds the position of each attribute, because encoding/xml returns only the position of the tag.
// encoding/xml has already checked the syntax.
func (p *xmlParser) findAttributes(t xml.StartElement, n *node) []attr {
	raw := p.src.Text[n.span.Off:n.span.End]
	i := len(raw) - len(strings.TrimLeft(raw, "<"))
	i += strings.IndexAny(raw[i:], blanks+"/>")
	list := make([]attr, 0, len(t.Attr))
	for _, a := range t.Attr {
		i += len(raw[i:]) - len(strings.TrimLeft(raw[i:], blanks))
		name := i
		i += strings.IndexByte(raw[i:], '=')
		nameEnd := name + len(strings.TrimRight(raw[name:i], blanks))
		i += strings.IndexAny(raw[i:], `"'`)
		value := i + 1
		end := value + strings.IndexByte(raw[value:], raw[i])
		i = end + 1
		at := attr{
			name:  raw[name:nameEnd],
			value: text{s: a.Value, span: diag.Span{Src: p.src, Off: n.span.Off + value, End: n.span.Off + end}},
			off:   n.span.Off + name,
		}
		if a.Value != raw[value:end] {
			at.value.runs = appendRuns(nil, 0, p.src, at.value.span.Off, raw[value:end], true)
		}
		list = append(list, at)
	}
	return list
}

func (p *xmlParser) addText(decoded string, span diag.Span) error {
	if len(p.stack) > 0 {
		p.stack[len(p.stack)-1].build.add(decoded, span)
		return nil
	}
	var b textBuilder
	b.add(decoded, span)
	if t, ok := b.text(); ok {
		return diag.Errorf(diag.XMLSyntax, t.span, "text %q outside the root element", rest(t.s))
	}
	return nil
}
