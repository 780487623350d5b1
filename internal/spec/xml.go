package spec

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/isago/isago/internal/diag"
)

// Limits on what is read. Mesa's largest description is under a megabyte and six levels deep.
const (
	maxFile  = 32 << 20
	maxDepth = 64
)

// node is one XML element as it stands in the file.
type node struct {
	name     string
	span     diag.Span // the start tag
	attrs    []attr
	children []*node
	text     string    // all character data directly inside, joined
	head     string    // that before the first child element
	textSpan diag.Span // from the first to the last of it
}

type attr struct {
	name, value string
	span        diag.Span // of the value, between the quotes
}

func (n *node) attr(name string) *attr {
	for i := range n.attrs {
		if n.attrs[i].name == name {
			return &n.attrs[i]
		}
	}
	return nil
}

// value returns an attribute's value, "" if it is absent.
func (n *node) value(name string) string {
	if a := n.attr(name); a != nil {
		return a.value
	}
	return ""
}

// at returns the span of an attribute's value, of the start tag if the attribute is absent.
func (n *node) at(name string) diag.Span {
	if a := n.attr(name); a != nil {
		return a.span
	}
	return n.span
}

// child returns the first child of that name, or nil.
func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// parseXML reads one document into a tree. Comments and processing instructions vanish and the
// text on both sides of them joins up, as Mesa's reader has it.
func parseXML(src *diag.Source) (*node, error) {
	if len(src.Text) > maxFile {
		return nil, diag.Errorf(diag.XMLLimit, diag.Span{Src: src}, "file of %d bytes, expected at most %d", len(src.Text), maxFile)
	}
	p := xmlParser{src: src, dec: xml.NewDecoder(strings.NewReader(src.Text))}
	p.dec.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		return nil, errors.New("encoding " + charset + ", expected UTF-8")
	}
	return p.parse()
}

type xmlParser struct {
	src   *diag.Source
	dec   *xml.Decoder
	stack []*node
	root  *node
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
		if err := p.token(tok, diag.Span{Src: p.src, Off: from, End: to}); err != nil {
			return nil, err
		}
	}
	if p.root == nil {
		return nil, diag.Errorf(diag.XMLSyntax, diag.Span{Src: p.src}, "no element, expected <isa>")
	}
	return p.root, nil
}

func (p *xmlParser) syntaxError(err error, from, to int) error {
	span := diag.Span{Src: p.src, Off: max(from, to-1), End: to}
	msg := err.Error()
	var syn *xml.SyntaxError
	if errors.As(err, &syn) {
		msg = syn.Msg
	}
	return diag.Errorf(diag.XMLSyntax, span, "%s", msg)
}

func (p *xmlParser) token(tok xml.Token, span diag.Span) error {
	switch t := tok.(type) {
	case xml.StartElement:
		return p.start(t, span)
	case xml.EndElement:
		p.stack = p.stack[:len(p.stack)-1]
	case xml.CharData:
		p.chars(string(t), span)
	}
	return nil
}

func (p *xmlParser) start(t xml.StartElement, span diag.Span) error {
	n := &node{name: t.Name.Local, span: span}
	for _, a := range t.Attr {
		n.attrs = append(n.attrs, attr{a.Name.Local, a.Value, attrSpan(span, a.Name.Local)})
	}
	switch {
	case len(p.stack) == maxDepth:
		return diag.Errorf(diag.XMLLimit, span, "elements nested more than %d deep", maxDepth)
	case len(p.stack) > 0:
		top := p.stack[len(p.stack)-1]
		top.children = append(top.children, n)
	case p.root != nil:
		return diag.Errorf(diag.XMLSyntax, span, "a second root element <%s>", n.name)
	default:
		p.root = n
	}
	p.stack = append(p.stack, n)
	return nil
}

func (p *xmlParser) chars(text string, span diag.Span) {
	if len(p.stack) == 0 {
		return
	}
	top := p.stack[len(p.stack)-1]
	if strings.TrimSpace(top.text) == "" && strings.TrimSpace(text) != "" {
		lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		top.textSpan = diag.Span{Src: span.Src, Off: span.Off + lead, End: span.End}
	}
	if strings.TrimSpace(text) != "" {
		top.textSpan.End = span.End - (len(text) - len(strings.TrimRight(text, " \t\r\n")))
	}
	top.text += text
	if len(top.children) == 0 {
		top.head += text
	}
}

// attrSpan finds the value of an attribute inside the bytes of its start tag: encoding/xml gives
// the offset of the tag alone.
func attrSpan(tag diag.Span, name string) diag.Span {
	text := tag.Src.Text[tag.Off:tag.End]
	for i := 0; i < len(text); {
		j := strings.Index(text[i:], name)
		if j < 0 {
			break
		}
		at := i + j
		i = at + len(name)
		if at == 0 || !isXMLSpace(text[at-1]) && text[at-1] != ':' {
			continue
		}
		rest := strings.TrimLeft(text[i:], " \t\r\n")
		if !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t\r\n")
		if rest == "" || rest[0] != '"' && rest[0] != '\'' {
			continue
		}
		from := len(text) - len(rest) + 1
		if n := strings.IndexByte(text[from:], rest[0]); n >= 0 {
			return diag.Span{Src: tag.Src, Off: tag.Off + from, End: tag.Off + from + n}
		}
	}
	return tag
}

func isXMLSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
