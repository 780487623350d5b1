package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/isago/isago/internal/quote"
)

// strict finds mistakes that encoding/json accepts: duplicate names in an object, and null in place of another value.
// The text is known to be valid otherwise.
type strict struct {
	data []byte
	at   int
	path []byte // the names of the enclosing fields, with dots between them
	keys keySet
}

// check checks the text of a value of type t.
func check(data []byte, t reflect.Type) error {
	s := strict{data: data}
	return s.skipValue(t)
}

// skipValue skips a value. t is its type, nil for any.
func (s *strict) skipValue(t reflect.Type) error {
	s.skipBlanks()
	switch s.data[s.at] {
	case '{':
		return s.skipObject(t)
	case '[':
		return s.skipArray(t)
	case '"':
		s.skipText()
		return nil
	case 'n':
		if t != nil && t.Kind() != reflect.Interface && t != reflect.TypeFor[json.RawMessage]() {
			return newError(s.data, s.at, inField(string(s.path))+"null, expected "+expected(t))
		}
	}
	for s.at < len(s.data) && bytes.IndexByte([]byte(",]} \t\r\n"), s.data[s.at]) < 0 {
		s.at++
	}
	return nil
}

// skipBlanks skips blanks.
func (s *strict) skipBlanks() {
	for s.at < len(s.data) && bytes.IndexByte([]byte(blanks), s.data[s.at]) >= 0 {
		s.at++
	}
}

// skipText skips a string and returns it with its quotes.
func (s *strict) skipText() []byte {
	start := s.at
	for s.at++; s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.data[start:s.at]
}

// next skips to the next element. It returns false after the last one, and skips the closing bracket.
func (s *strict) next() bool {
	s.skipBlanks()
	more := s.data[s.at] != ']' && s.data[s.at] != '}'
	if !more || s.data[s.at] == ',' {
		s.at++
	}
	s.skipBlanks()
	return more
}

func (s *strict) skipArray(t reflect.Type) error {
	t = inside(t)
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		t = t.Elem()
	} else {
		t = nil
	}
	for s.at++; s.next(); {
		if err := s.skipValue(t); err != nil {
			return err
		}
	}
	return nil
}

func (s *strict) skipObject(t reflect.Type) error {
	t = inside(t)
	first, deep := len(s.keys), len(s.path)
	var many map[string]bool
	defer func() { s.keys = s.keys[:first] }()
	for s.at++; s.next(); {
		start := s.at
		key, elem := unquote(s.skipText()), reflect.Type(nil)
		switch {
		case t == nil:
		case t.Kind() == reflect.Map:
			elem = t.Elem()
		case t.Kind() == reflect.Struct:
			if f := fieldOf(t, key); f != nil {
				key, elem = f.name, f.typ
				if deep > 0 {
					s.path = append(s.path, '.')
				}
				s.path = append(s.path, key...)
			}
		}
		if s.keys.add(first, key, &many) {
			return newError(s.data, start, inField(string(s.path[:deep]))+fmt.Sprintf("%q for the second time, expected each name once", quote.Shorten(string(key))))
		}
		s.skipBlanks()
		s.at++ // the colon
		if err := s.skipValue(elem); err != nil {
			return err
		}
		s.path = s.path[:deep]
	}
	return nil
}

// keySet holds the names of the enclosing objects so far.
type keySet [][]byte

// add records a name of an object, whose names have the indexes from first on. If there are many names, they are in many
// too. It reports whether the object already has the name.
func (s *keySet) add(first int, key []byte, many *map[string]bool) (twice bool) {
	const few = 16
	switch names := (*s)[first:]; {
	case *many != nil:
		twice = (*many)[string(key)]
	case len(names) < few:
		twice = slices.ContainsFunc(names, func(k []byte) bool { return bytes.Equal(k, key) })
	default:
		*many = map[string]bool{}
		for _, k := range names {
			(*many)[string(k)] = true
		}
		twice = (*many)[string(key)]
	}
	if *s = append(*s, key); *many != nil {
		(*many)[string(key)] = true
	}
	return twice
}

// unquote returns the decoded string of a text in quotes.
func unquote(text []byte) []byte {
	plain := text[1 : len(text)-1]
	for _, c := range plain {
		if c == '\\' || c >= 0x80 {
			var name string
			_ = json.Unmarshal(text, &name) // the text is known to be valid
			return []byte(name)
		}
	}
	return plain
}

// inside returns the type without pointers, or nil if the type decodes its text itself.
func inside(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	return t
}

// field is a field of a struct, with its name in JSON.
type field struct {
	name []byte
	typ  reflect.Type
}

// structs caches the fields of structs: []field by reflect.Type.
var structs sync.Map

// fieldOf returns the field to which encoding/json assigns a name, or nil.
func fieldOf(t reflect.Type, name []byte) *field {
	known, ok := structs.Load(t)
	if !ok {
		var list []field
		for _, f := range reflect.VisibleFields(t) {
			if name := nameOf(f); name != "" {
				list = append(list, field{[]byte(name), f.Type})
			}
		}
		known, _ = structs.LoadOrStore(t, list)
	}
	list := known.([]field)
	for _, same := range []func(a, b []byte) bool{bytes.Equal, bytes.EqualFold} {
		for i := range list {
			if same(list[i].name, name) {
				return &list[i]
			}
		}
	}
	return nil
}
