package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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

// parts returns a file for the vectors with the quirks of the file, and one for each other setting of the quirks.
func (f *File) parts() (list []*File) {
	at := map[string]*File{}
	for i := range f.Vectors {
		v := &f.Vectors[i]
		key := fmt.Sprint(v.Quirks)
		if at[key] == nil {
			part := *f
			part.Vectors = nil
			at[key] = &part
			list = append(list, &part)
		}
		at[key].Vectors = append(at[key].Vectors, *v)
	}
	return list
}

// FileName returns a name for the file, without an extension: the name of the instruction, followed by the quirks of its
// vectors, with _ in place of characters that file systems or shells treat specially.
func (f *File) FileName() string {
	text := strings.TrimPrefix(f.Instruction, "#")
	if len(f.Vectors) > 0 {
		for _, name := range slices.Sorted(maps.Keys(f.Vectors[0].Quirks)) {
			text += "." + name + "-" + f.Vectors[0].Quirks[name]
		}
	}
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.", c) {
			return c
		}
		return '_'
	}, text)
}
