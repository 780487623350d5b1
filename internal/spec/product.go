package spec

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/textfile"
)

// Product is a <product>: other names of the machine or of one of its models.
type Product struct {
	Names []string
	// Settings are the values of contexts and quirks for the product, in the order of the file.
	Settings []Setting
	// Order is the byte order of the product's raw code. It is "" if the description does not define the order.
	Order string
	Span  diag.Span
}

// Setting is the value of a context or of a quirk.
type Setting struct{ Name, Value string }

// ByteOrders lists the names of the orders in which programs store the bytes of a word. The first one is the default.
var ByteOrders = []string{"little", "big", "swapped", "big-swapped"}

// Products reads only the products of a valid description. It does not open imports, because imports have no products.
func Products(fsys fs.FS, file string) ([]*Product, error) {
	l := &loader{fsys: fsys, sound: true, dir: path.Dir(file), outer: &arenas{}, isa: &ISA{}}
	data, err := l.readFileText(file)
	if err != nil {
		return nil, err
	}
	root, err := parseXML(&diag.Source{Name: file, Text: strings.TrimPrefix(data, textfile.ByteOrderMark)}, &l.elements, "bitset", l.outer)
	if err != nil {
		return nil, err
	}
	var list []*Product
	for _, n := range root.children {
		if n.name == "product" {
			list = append(list, l.readProduct(n))
		}
	}
	return list, nil
}

// readProduct reads a <product>. It does not resolve the names in the attribute set.
func (l *loader) readProduct(n *node) *Product {
	p := &Product{Names: strings.Fields(n.value("names")), Order: n.value("order"), Span: n.span}
	for _, pair := range strings.Fields(n.value("set")) {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			l.fail(diag.Errorf(diag.XMLAttribute, n.at("set"), "set=%q, expected NAME=VALUE pairs separated by blanks", n.value("set")))
			break
		}
		p.Settings = append(p.Settings, Setting{name, value})
	}
	return p
}

// readProducts reads and checks all products.
func (l *loader) readProducts() {
	top := l.files[len(l.files)-1].root
	named := map[string]*node{}
	l.each("product", func(n *node) {
		p := l.readProduct(n)
		l.isa.Products = append(l.isa.Products, p)
		if l.sound {
			return
		}
		if n.span.Src != top.span.Src {
			l.fail(diag.Errorf(diag.XMLElement, n.span, "<product> in an imported file, expected it in %s", top.span.Src.Name))
		}
		if len(p.Names) == 0 {
			l.fail(diag.Errorf(diag.XMLAttribute, n.span, "<product> without names"))
		}
		for _, name := range p.Names {
			switch fold := strings.ToLower(name); {
			case strings.EqualFold(name, l.isa.Name):
				l.fail(diag.Errorf(diag.Duplicate, n.at("names"), "%s is the name of the machine, expected other names", name))
			case named[fold] != nil:
				l.fail(diag.Errorf(diag.Duplicate, n.at("names"), "two products are called %s", name).With(named[fold].at("names"), "the other one"))
			default:
				named[fold] = n
			}
		}
		for _, s := range p.Settings {
			l.checkSetting(n, s)
		}
		if p.Order != "" && !slices.Contains(ByteOrders, p.Order) {
			l.fail(diag.Errorf(diag.XMLAttribute, n.at("order"), "order=%q, expected %s", p.Order, joinOr(ByteOrders)))
		}
	})
}

// checkSetting reports a setting that names neither a context nor a quirk, or that has an invalid value.
func (l *loader) checkSetting(n *node, s Setting) {
	var err error
	i := slices.IndexFunc(l.isa.Meaning.Quirks, func(q *Quirk) bool { return q.Name == s.Name })
	switch c := l.isa.contexts[s.Name]; {
	case c != nil && c.FromText:
		l.fail(diag.Errorf(diag.ContextValue, n.at("set"), "%s=%s, but the text of each instruction sets the context %s", s.Name, s.Value, s.Name))
	case c != nil:
		_, err = c.Parse(s.Value)
	case i >= 0:
		_, err = l.isa.Meaning.Quirks[i].Parse(s.Value)
	default:
		l.fail(diag.Errorf(diag.Unresolved, n.at("set"), "%s=%s, but the machine has no context or quirk %s", s.Name, s.Value, s.Name))
	}
	if err != nil {
		l.fail(diag.Errorf(diag.ContextValue, n.at("set"), "%v", err))
	}
}
