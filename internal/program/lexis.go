package program

import "strings"

// Lexis says how a source is divided into statements: by line ends, and by other bytes, outside of comments.
type Lexis struct {
	line   []string
	blocks []BlockComment
	// marks are the bytes that may end a statement or start a comment.
	marks [256]mark
}

// BlockComment is a kind of comment that has an end. One that nests may have others in it.
type BlockComment struct {
	Open, Close string
	Nests       bool
}

type mark uint8

const (
	noMark mark = iota
	endMark
	commentMark
)

// NewLexis returns a lexis in which the bytes of ends end statements, and what is in line starts a comment
// that goes up to the end of its line.
func NewLexis(ends string, line []string, blocks ...BlockComment) *Lexis {
	l := &Lexis{line: line, blocks: blocks}
	for _, start := range line {
		l.marks[start[0]] = commentMark
	}
	for _, b := range blocks {
		l.marks[b.Open[0]] = commentMark
	}
	for _, c := range []byte(ends + "\n") {
		l.marks[c] = endMark
	}
	return l
}

// Split yields the statements of a text with the places where they start, in one scan. They may have blanks around
// them, and have blanks in place of comments. open is the place of a comment without an end, -1 where all have one.
func (l *Lexis) Split(text string, yield func(off int, statement string) bool) (open int) {
	start := 0
	var clean []byte // the statement from start on, where a comment is in it
	marks := &l.marks
	for i := 0; ; {
		for i < len(text) && marks[text[i]] == noMark {
			i++
		}
		if i == len(text) {
			break
		}
		switch marks[text[i]] {
		case endMark:
			if !yield(start, piece(clean, text[start:i])) {
				return -1
			}
			i++
			start, clean = i, nil
		case commentMark:
			end := l.CommentEnd(text, i)
			if end < 0 {
				return i
			}
			switch {
			case end == i:
				end++
			case strings.TrimLeft(text[start:i], " \t") == "":
				start = end
			case end == len(text) || l.marks[text[end]] == endMark || strings.Contains(text[i:end], "\n"):
				if !yield(start, piece(clean, text[start:i])) {
					return -1
				}
				start, clean = end, nil
			default:
				clean = append(clean, text[start+len(clean):i]...)
				for range end - i {
					clean = append(clean, ' ')
				}
			}
			i = end
		}
	}
	if start < len(text) {
		yield(start, piece(clean, text[start:]))
	}
	return -1
}

// Clean returns a statement with blanks in place of its comments.
func (l *Lexis) Clean(statement string) (clean string) {
	l.Split(statement, func(_ int, text string) bool {
		clean = text
		return false
	})
	return clean
}

// piece is a statement, the start of which may be known without its comments.
func piece(clean []byte, text string) string {
	if clean != nil {
		text = string(append(clean, text[len(clean):]...))
	}
	for strings.HasSuffix(text, "\r") {
		text = text[:len(text)-1]
	}
	return text
}

// CommentEnd returns where the comment ends that starts at i: i itself where none does, -1 where it has no end.
func (l *Lexis) CommentEnd(text string, i int) int {
	for _, start := range l.line {
		if !strings.HasPrefix(text[i:], start) {
			continue
		}
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(text)
	}
	for _, b := range l.blocks {
		if strings.HasPrefix(text[i:], b.Open) {
			return b.end(text, i)
		}
	}
	return i
}

// end returns where the comment ends that starts at i, -1 where it has no end.
func (b *BlockComment) end(text string, i int) int {
	if !b.Nests {
		i += len(b.Open)
		if n := strings.Index(text[i:], b.Close); n >= 0 {
			return i + n + len(b.Close)
		}
		return -1
	}
	for depth := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], b.Open):
			depth, i = depth+1, i+len(b.Open)
		case strings.HasPrefix(text[i:], b.Close):
			if depth, i = depth-1, i+len(b.Close); depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return -1
}

// ends reports whether no comment goes on behind a text.
func (l *Lexis) ends(text string) bool {
	for _, b := range l.blocks {
		if strings.Contains(text, b.Open) {
			return l.Split(text, func(int, string) bool { return true }) < 0
		}
	}
	return true
}
