package tesla

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// layout is how the words of a block are written.
type layout struct {
	// verb is the spelling of a word, one of verbs.
	verb string
	// first stands before the first word, last after the last one; between words stand those of cycle, which comes
	// round again.
	first, last string
	cycle       []string
	// spelled are the words that are written otherwise, by their index.
	spelled map[int]string
}

// verbs are the spellings of words.
var verbs = []string{"0x%08x", "0x%08X", "0X%08X", "0x%x", "0x%X", "%d"}

// nvcc is the layout of NVIDIA's compiler.
var nvcc = layout{verb: verbs[0], first: "\n\t\t", cycle: []string{" ", " ", " ", " \n\t\t"}, last: " \n\t"}

// append appends words.
func (l *layout) append(dst []byte, list []uint32) []byte {
	dst = append(dst, l.first...)
	for i, w := range list {
		if i > 0 && len(l.cycle) > 0 {
			dst = append(dst, l.cycle[(i-1)%len(l.cycle)]...)
		} else if i > 0 {
			dst = append(dst, ' ')
		}
		if text := l.spelled[i]; text != "" {
			if n, err := strconv.ParseUint(text, 0, 32); err == nil && uint32(n) == w {
				dst = append(dst, text...)
				continue
			}
		}
		dst = fmt.Appendf(dst, l.verb, w)
	}
	return append(dst, l.last...)
}

// parseWords reads a block of words, between which blanks and comments stand.
func parseWords(src *diag.Source, b block) (*layout, []uint32, error) {
	text := src.Text[b.from:b.to]
	var list []uint32
	var gaps, spelled []string
	gap := 0
	for i := 0; i < len(text); {
		if end := noise(text, i, true); end > i {
			i = end
			continue
		}
		end := max((&scanner{text: text}).word(i), i+1)
		t := tokenAt(src, b.from+i, b.from+end)
		n, err := t.word("bincode")
		if err != nil {
			return nil, nil, err
		}
		if i == gap && len(list) > 0 {
			return nil, nil, t.errorf("words in bincode without a blank between them")
		}
		gaps, spelled, list = append(gaps, text[gap:i]), append(spelled, text[i:end]), append(list, n)
		i, gap = end, end
	}
	if string(nvcc.append(nil, list)) == text {
		return &nvcc, list, nil
	}
	l := &layout{verb: verbs[0], first: text, spelled: map[int]string{}}
	if len(list) > 0 {
		l.first, l.last, l.cycle = gaps[0], text[gap:], cycleOf(gaps[1:])
	}
	l.spell(list, spelled)
	return l, list, nil
}

// cycleOf returns the strings that come round and round in the list, all of it if none do.
func cycleOf(list []string) []string {
	const longest = 32
	for n := 1; n <= min(longest, len(list)); n++ {
		again := true
		for i := n; i < len(list) && again; i++ {
			again = list[i] == list[i-n]
		}
		if again {
			return list[:n]
		}
	}
	return list
}

// spell finds the spelling that most of the first words have, and the words that are spelled otherwise.
func (l *layout) spell(list []uint32, spelled []string) {
	const sample = 64
	most := 0
	for _, verb := range verbs {
		n := 0
		for i := range list[:min(sample, len(list))] {
			if fmt.Sprintf(verb, list[i]) == spelled[i] {
				n++
			}
		}
		if n > most {
			most, l.verb = n, verb
		}
	}
	for i := range list {
		if fmt.Sprintf(l.verb, list[i]) != spelled[i] {
			l.spelled[i] = spelled[i]
		}
	}
}

// The directives that say how the words of a bincode are laid out: the spelling of a word, what stands before the
// first, between them, and after the last; and the spelling of one word.
const (
	layoutDirective = ".layout"
	spellDirective  = ".spell"
)

// appendDirectives appends what is not as NVIDIA's compiler writes it.
func (l *layout) appendDirectives(dst []byte) []byte {
	if l == &nvcc {
		return dst
	}
	dst = append(dst, "\t\t"+layoutDirective+" "+quote(l.verb)+" "+quote(l.first)...)
	for _, s := range l.cycle {
		dst = append(dst, " "+quote(s)...)
	}
	dst = append(dst, " "+quote(l.last)+"\n"...)
	var order []int
	for i := range l.spelled {
		order = append(order, i)
	}
	slices.Sort(order)
	for _, i := range order {
		dst = fmt.Appendf(dst, "\t\t%s %d %s\n", spellDirective, i, quote(l.spelled[i]))
	}
	return dst
}

// quote writes a string so that neither a comment nor a brace stands in it.
func quote(s string) string {
	return strings.NewReplacer("/", `\x2f`, "{", `\x7b`, "}", `\x7d`, "#", `\x23`).Replace(strconv.QuoteToASCII(s))
}

// readLayout reads the directives at the start of a block; from is where its instructions start.
func readLayout(src *diag.Source, b block) (l *layout, from int, err error) {
	l, from = &nvcc, b.from
	for {
		at := from
		for at < b.to && noise(src.Text, at, false) > at {
			at = noise(src.Text, at, false)
		}
		rest := src.Text[at:b.to]
		line, _, _ := strings.Cut(rest, "\n")
		fail := func(what string) error {
			return diag.Errorf(diag.Directive, diag.Span{Src: src, Off: at, End: at + len(line)}, "%q, expected %s", strings.TrimSpace(line), what)
		}
		word, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case layoutDirective:
			list, err := unquoteAll(args)
			if err != nil || len(list) < 3 || !slices.Contains(verbs, list[0]) {
				return nil, 0, fail(layoutDirective + ` "0x%08x", and strings for the text before, between and after the words`)
			}
			n := len(list) - 1
			l = &layout{verb: list[0], first: list[1], cycle: list[2:n], last: list[n], spelled: map[int]string{}}
		case spellDirective:
			number, text, _ := strings.Cut(args, " ")
			n, err := strconv.Atoi(number)
			list, e := unquoteAll(text)
			if err != nil || e != nil || len(list) != 1 || l == &nvcc {
				return nil, 0, fail(spellDirective + ` 3 "0xABC" after ` + layoutDirective)
			}
			l.spelled[n] = list[0]
		default:
			return l, from, nil
		}
		from = at + len(line)
	}
}

// unquoteAll reads strings with blanks between them.
func unquoteAll(text string) ([]string, error) {
	var list []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, err
		}
		s, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		list, text = append(list, s), text[len(quoted):]
	}
	if list == nil {
		return nil, errors.New("no strings")
	}
	return list, nil
}
