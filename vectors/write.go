package vectors

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Append appends the file as JSON, with each vector on a line.
func (f *File) Append(dst []byte) ([]byte, error) {
	head := *f
	head.Vectors = []Vector{}
	text, err := encode(&head)
	if err != nil {
		return nil, err
	}
	open, ok := bytes.CutSuffix(text, []byte("[]}"))
	if !ok {
		panic("the vectors are not the last member")
	}
	dst = append(append(dst, open...), '[')
	for i := range f.Vectors {
		if i > 0 {
			dst = append(dst, ',')
		}
		if text, err = encode(&f.Vectors[i]); err != nil {
			return nil, err
		}
		dst = append(append(dst, '\n'), text...)
	}
	return append(dst, "\n]}\n"...), nil
}

// encode returns JSON without escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// FileName returns the name of the file of an instruction, without an extension: its name, with _ in place of characters that
// file systems or shells treat specially.
func (f *File) FileName() string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.", c) {
			return c
		}
		return '_'
	}, strings.TrimPrefix(f.Instruction, "#"))
	return name
}
