package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// change is a change of a description: new replaces the bytes from from to to of a file.
type change struct {
	file     string
	from, to int
	new      string
	what     string
}

// site is a place of a description with the changes that are possible there.
type site []change

// token is a token of code. from and to are its place in the file. plain is set inside of CDATA, where nothing is escaped.
type token struct {
	text     string
	from, to int
	plain    bool
}

var (
	element   = regexp.MustCompile(`<(semantics|function|around|write)\b[^<>]*[^/<>]>|<(register|file|stack|memory)\b[^<>]*>|(?s:<!--.*?-->)`)
	attribute = regexp.MustCompile(` (outside|init|full|empty)="([^"]*)"`)
	lexeme    = regexp.MustCompile(`^(?:[A-Za-z_][A-Za-z0-9_]*|0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|#[A-Za-z0-9_.-]+|\{@?[A-Za-z_][A-Za-z0-9_.]*\}|"[^"]*"|<<|>>|<=|>=|==|!=|&&|\|\||\.\[|\.\.|.)`)
	blank     = regexp.MustCompile(`^(?:\s+|//[^\n]*|(?s:/\*.*?\*/))+`)
)

// sites returns the places of a file that can change.
func sites(file string, data []byte) (list []site) {
	end := 0
	for _, m := range element.FindAllSubmatchIndex(data, -1) {
		switch {
		case m[0] < end: // inside of the latest element
		case m[4] >= 0:
			list = append(list, stateSites(file, data, m[0], m[1])...)
		case m[2] >= 0:
			n := bytes.Index(data[m[1]:], []byte("</"+string(data[m[2]:m[3]])+">"))
			if n < 0 {
				continue
			}
			end = m[1] + n
			s := &source{file: file, data: data, tokens: tokens(data, m[1], end)}
			list = append(list, s.sites()...)
		}
	}
	return list
}

// stateSites returns the changes of the attributes of a state in the element between two places.
func stateSites(file string, data []byte, from, to int) (list []site) {
	others := map[string][]string{
		"outside": {"zero", "1", "wrap", "trap"}, "init": {"0", "1"}, "full": {"overwrite", "trap"}, "empty": {"none", "trap"},
	}
	for _, a := range attribute.FindAllSubmatchIndex(data[from:to], -1) {
		name, old := string(data[from+a[2]:from+a[3]]), string(data[from+a[4]:from+a[5]])
		var s site
		for _, value := range others[name] {
			if value != old {
				s = append(s, change{file, from + a[4], from + a[5], value, fmt.Sprintf("%s=%q becomes %q", name, old, value)})
			}
		}
		list = append(list, s)
	}
	return list
}

// tokens returns the tokens of the code between two places of a file, without comments, strings and documentation.
func tokens(data []byte, from, to int) (list []token) {
	for from < to {
		rest := data[from:to]
		next := func(open, shut string) (inner int, ok bool) {
			n := bytes.Index(rest, []byte(shut))
			return n, bytes.HasPrefix(rest, []byte(open)) && n >= 0
		}
		if n, ok := next("<![CDATA[", "]]>"); ok {
			list = append(list, lex(data, from+len("<![CDATA["), from+n, true)...)
			from += n + len("]]>")
		} else if n, ok := next("<!--", "-->"); ok {
			from += n + len("-->")
		} else if n, ok := next("<doc>", "</doc>"); ok {
			from += n + len("</doc>")
		} else if n, ok := next("<", ">"); ok {
			from += n + 1
		} else {
			n := bytes.IndexByte(rest, '<')
			if n < 0 {
				n = len(rest)
			}
			list = append(list, lex(data, from, from+n, false)...)
			from += n
		}
	}
	return list
}

var entities = []struct{ escaped, text string }{{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", `"`}, {"&apos;", "'"}}

// lex splits the text between two places of a file.
func lex(data []byte, from, to int, plain bool) (list []token) {
	var text []byte
	var at []int // the place of each byte of text, and the end
	for i := from; i < to; {
		n, c := 1, data[i]
		for _, e := range entities {
			if !plain && bytes.HasPrefix(data[i:to], []byte(e.escaped)) {
				n, c = len(e.escaped), e.text[0]
			}
		}
		text, at = append(text, c), append(at, i)
		i += n
	}
	at = append(at, to)
	for i := 0; i < len(text); {
		if n := len(blank.Find(text[i:])); n > 0 {
			i += n
			continue
		}
		n := max(1, len(lexeme.Find(text[i:])))
		list = append(list, token{string(text[i : i+n]), at[i], at[i+n], plain})
		i += n
	}
	return list
}

// source is a piece of code.
type source struct {
	file   string
	data   []byte
	tokens []token
}

// replaced are the operators and names that can replace another.
var replaced = map[string][]string{
	"+": {"-"}, "-": {"+"}, "*": {"+"}, "/": {"*"}, "%": {"/"}, "&": {"|", "^"}, "|": {"&", "^"}, "^": {"|", "&"},
	"<<": {">>"}, ">>": {"<<"}, "==": {"!="}, "!=": {"=="}, "<": {"<=", ">="}, "<=": {"<", ">"}, ">": {">=", "<="}, ">=": {">", "<"},
	"&&": {"||"}, "||": {"&&"}, "true": {"false"}, "false": {"true"},
	"sext": {"zext"}, "zext": {"sext"}, "floor": {"ceil", "rint"}, "ceil": {"floor"}, "rint": {"floor"}, "min": {"max"}, "max": {"min"},
	"sin": {"cos"}, "cos": {"sin"}, "exp2": {"log2"}, "log2": {"exp2"}, "fadd": {"fsub"}, "fsub": {"fadd"}, "fmul": {"fadd"}, "fdiv": {"fmul"},
	"carry": {"overflow"}, "overflow": {"carry"}, "any": {"all"}, "all": {"any"}, "clz": {"popcount"}, "popcount": {"clz"},
	"rn": {"rz", "rm", "rp", "ra"}, "rz": {"rn", "rm"}, "rm": {"rp", "rz"}, "rp": {"rm", "rn"}, "ra": {"rn"},
}

// sites returns the changes at each token.
func (s *source) sites() (list []site) {
	for i := range s.tokens {
		if at := s.at(i); len(at) > 0 {
			list = append(list, at)
		}
	}
	return list
}

// text returns the text of a token, or "" if there is none.
func (s *source) text(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.tokens[i].text
}

// raw returns the bytes of the file from a token up to another one, which is included.
func (s *source) raw(from, to int) string { return string(s.data[s.tokens[from].from:s.tokens[to].to]) }

// replace returns the change that replaces tokens by bytes of the file.
func (s *source) replace(from, to int, new, what string) change {
	return change{s.file, s.tokens[from].from, s.tokens[to].to, new, what}
}

// become returns the change that replaces a token by another.
func (s *source) become(i int, text string) change {
	raw := text
	if !s.tokens[i].plain {
		raw = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	}
	return s.replace(i, i, raw, fmt.Sprintf("%s becomes %s", s.text(i), text))
}

// at returns the changes at a token.
func (s *source) at(i int) (list site) {
	text, before := s.text(i), s.text(i-1)
	switch {
	case text == "!" || text == "~" || text == "-" && !ends(before):
		return site{s.replace(i, i, "", text+" dropped")}
	case replaced[text] != nil && before != ".":
		for _, other := range replaced[text] {
			list = append(list, s.become(i, other))
		}
	case text[0] >= '0' && text[0] <= '9':
		return s.number(i)
	case before == "." && strings.Trim(text, "xyzw") == "":
		for k := range text {
			next := "yzwx"[strings.IndexByte("xyzw", text[k])]
			list = append(list, s.become(i, text[:k]+string(next)+text[k+1:]))
		}
	case text == "if" && s.text(i+1) == "(":
		if end := s.match(i + 1); end > 0 {
			list = append(list, s.replace(i+1, end, "(!"+s.raw(i+1, end)+")", "the condition negated"))
		}
	case text == "?":
		if colon := s.until(i+1, ":"); colon > 0 {
			if end := s.until(colon+1, ";", ",", ")", "]", "}", ":"); end > colon+1 {
				list = append(list, s.replace(i+1, end-1, s.raw(colon+1, end-1)+" : "+s.raw(i+1, colon-1), "the branches of ?: swapped"))
			}
		}
	case text == ";":
		from := i
		for depth := 0; from > 0; from-- {
			t := s.text(from - 1)
			if t == ")" || t == "]" {
				depth++
			} else if t == "(" || t == "[" {
				depth--
			} else if depth == 0 && slices.Contains([]string{";", "{", "}"}, t) {
				break
			}
		}
		if from < i {
			list = append(list, s.replace(from, i, "", "removed: "+short(s.raw(from, i))))
		}
	}
	if name(text) && s.text(i+1) == "(" && text != "if" {
		list = append(list, s.swaps(i)...)
	}
	return list
}

// swaps returns the changes that swap two arguments of the call at a token.
func (s *source) swaps(i int) (list site) {
	end := s.match(i + 1)
	if end < 0 {
		return nil
	}
	for from := i + 2; from < end; {
		comma := s.until(from, ",", ")")
		if comma < 0 || comma >= end {
			break
		}
		next := s.until(comma+1, ",", ")")
		if next < 0 || comma == from || next == comma+1 {
			break
		}
		a, b := s.raw(from, comma-1), s.raw(comma+1, next-1)
		if a != b {
			list = append(list, s.replace(from, next-1, b+", "+a, fmt.Sprintf("arguments of %s swapped: %s and %s", s.text(i), short(a), short(b))))
		}
		from = comma + 1
	}
	return list
}

// number returns the changes of a number.
func (s *source) number(i int) (list site) {
	text := s.text(i)
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			for _, d := range []float64{1, -1} {
				if other := strconv.FormatFloat(f+d, 'f', -1, 64); f+d >= 0 && f+d != f {
					if !strings.Contains(other, ".") {
						other += ".0"
					}
					list = append(list, s.become(i, other))
				}
			}
		}
		return list
	}
	format := "%d"
	if strings.HasPrefix(text, "0x") {
		format = "%#x"
	}
	list = site{s.become(i, fmt.Sprintf(format, n+1))}
	if n > 0 {
		list = append(list, s.become(i, fmt.Sprintf(format, n-1)))
	}
	return list
}

// match returns the token that closes the bracket at a token, or -1.
func (s *source) match(i int) int { return s.until(i+1, ")") }

// until returns the next token that is one of some texts and outside of brackets and inner ?:, or -1.
func (s *source) until(i int, texts ...string) int {
	for depth, asks := 0, 0; i < len(s.tokens); i++ {
		t := s.text(i)
		switch {
		case depth == 0 && t == ":" && asks > 0:
			asks--
		case depth == 0 && slices.Contains(texts, t):
			return i
		case t == "?" && depth == 0:
			asks++
		case t == "(" || t == "[" || t == ".[" || t == "{":
			depth++
		case t == ")" || t == "]" || t == "}":
			if depth--; depth < 0 {
				return -1
			}
		}
	}
	return -1
}

// ends reports whether a token can end an operand.
func ends(t string) bool {
	return t == ")" || t == "]" || t != "" && t != "return" && (name(t) || t[0] >= '0' && t[0] <= '9' || t[0] == '#' || len(t) > 1 && t[0] == '{')
}

func name(t string) bool {
	return t != "" && (t[0] == '_' || t[0] >= 'a' && t[0] <= 'z' || t[0] >= 'A' && t[0] <= 'Z')
}

// short returns the start of a text on one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return text
}

// apply returns a file with a change.
func (c *change) apply(data []byte) []byte {
	return slices.Concat(data[:c.from], []byte(c.new), data[c.to:])
}

// place returns the place of a change as file:line:column.
func (c *change) place(data []byte) string {
	before := data[:c.from]
	return fmt.Sprintf("%s:%d:%d", c.file, bytes.Count(before, []byte("\n"))+1, c.from-bytes.LastIndexByte(before, '\n'))
}
