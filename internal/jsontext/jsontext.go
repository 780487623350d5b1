// Package jsontext reads JSON that people write. Its errors have the position of the mistake and what was expected
// there.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/internal/textfile"
)

// Error is a mistake in JSON text.
type Error struct {
	// Line and Column count from 1. Columns count characters.
	Line, Column int
	// Text is the message: what was read and what was expected.
	Text string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// Unmarshal is like json.Unmarshal but stricter. It rejects names that v has no field for, duplicate names in an
// object, text after the value, and null. It accepts null only where v is a json.RawMessage or an interface. The error
// is an *Error, or the error of a method of v.
func Unmarshal(data []byte, v any) error {
	data = bytes.TrimPrefix(data, []byte(textfile.ByteOrderMark))
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if err = afterEnd(data, int(d.InputOffset())); err == nil {
			err = check(data, reflect.TypeOf(v).Elem())
		}
		return err
	}
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return endsEarly(data)
	case errors.As(err, &syntax) && int(syntax.Offset) > len(bytes.TrimRight(data, blanks)):
		return endsEarly(data)
	case errors.As(err, &syntax):
		return wrongCharacter(data, int(syntax.Offset)-1, err)
	case errors.As(err, &typed):
		at, _ := token(data, func(_ any, start, _ int) bool { return start >= int(typed.Offset) })
		return newError(data, at, inField(typed.Field)+kinds[kindRead(typed.Value)]+", expected "+expected(typed.Type))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return unknownName(data, name, v)
	}
	return err
}

// UnmarshalPart is Unmarshal for a part of a larger text. Its errors have no position.
func UnmarshalPart(data []byte, v any) error {
	err := Unmarshal(data, v)
	var e *Error
	if errors.As(err, &e) {
		return errors.New(e.Text)
	}
	return err
}

// Texts returns the numbers and strings of a value as they are written. The value is a number, a string, or an array of
// such values.
func Texts(data []byte) ([]string, error) {
	var value json.RawMessage
	if err := Unmarshal(data, &value); err != nil {
		return nil, err
	}
	var list []string
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	for {
		t, err := d.Token()
		switch {
		case err == io.EOF:
			return list, nil
		case err != nil:
			return nil, err
		case t == nil:
			return nil, errors.New("null, expected numbers")
		case t == json.Delim('{'):
			return nil, errors.New("an object, expected numbers")
		}
		if _, ok := t.(json.Delim); !ok {
			list = append(list, fmt.Sprint(t))
		}
	}
}

const blanks = " \t\r\n"

// afterEnd reports text after the value.
func afterEnd(data []byte, end int) error {
	rest := bytes.TrimLeft(data[end:], blanks)
	if len(rest) == 0 {
		return nil
	}
	return newError(data, len(data)-len(rest), fmt.Sprintf("%.20q, expected the end", rest))
}

func endsEarly(data []byte) error {
	text := bytes.TrimRight(data, blanks)
	if len(text) == 0 {
		return newError(data, 0, "no text, expected JSON")
	}
	return newError(data, len(text), "the text ends here, expected the rest of the JSON")
}

// wanted has, for a message of encoding/json about a character, what was expected there.
var wanted = []struct{ says, expected string }{
	{"looking for beginning of value", "a value"},
	{"looking for beginning of object key string", "a name in double quotes"},
	{"after object key:value pair", ", or }"},
	{"after object key", "a colon"},
	{"after array element", ", or ]"},
	{"in string escape code", `one of "\/bfnrtu after the backslash`},
	{`in \u hexadecimal character escape`, "four hexadecimal digits"},
	{"in string literal", "no control character in a text"},
	{"numeric literal", "a digit"},
	{"in literal", "true, false or null"},
}

func wrongCharacter(data []byte, at int, err error) error {
	at = min(max(at, 0), len(data)-1)
	c, _ := utf8.DecodeRune(data[at:])
	for _, w := range wanted {
		if strings.Contains(err.Error(), w.says) {
			return newError(data, at, fmt.Sprintf("%q, expected %s", c, w.expected))
		}
	}
	return newError(data, at, err.Error())
}

// token returns the offset of the last token before the first one for which stop returns true. found is false if there
// is no such token.
func token(data []byte, stop func(value any, start, end int) bool) (at int, found bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		start := int(d.InputOffset())
		start += len(data[start:]) - len(bytes.TrimLeft(data[start:], blanks+",:"))
		value, err := d.Token()
		if err != nil {
			return at, false
		}
		if stop(value, start, int(d.InputOffset())) {
			return at, true
		}
		at = start
	}
}

// unknownName reports a name for which v has no field, at its first position.
func unknownName(data []byte, quoted string, v any) error {
	name, err := strconv.Unquote(quoted)
	if err != nil {
		name = strings.Trim(quoted, `"`)
	}
	place := 0
	token(data, func(value any, start, end int) bool {
		behind := bytes.TrimLeft(data[end:], blanks)
		if value == any(name) && len(behind) > 0 && behind[0] == ':' {
			place = start
			return true
		}
		return false
	})
	names := fieldNames(reflect.TypeOf(v).Elem(), nil)
	return newError(data, place, fmt.Sprintf("unknown name %q%s", quote.Shorten(name), quote.DidYouMean(name, names)))
}

// fieldNames appends the names of the fields of a type and of the types inside it.
func fieldNames(t reflect.Type, names []string) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return fieldNames(t.Elem(), names)
	case reflect.Struct:
		for i := range t.NumField() {
			if name := nameOf(t.Field(i)); name != "" {
				names = append(names, name)
			} else if !t.Field(i).Anonymous {
				continue
			}
			names = fieldNames(t.Field(i).Type, names)
		}
	}
	return names
}

// nameOf returns the name of a field in JSON, "" if it has none.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func inField(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// kinds are the words in messages for the kinds of values in encoding/json.
var kinds = map[string]string{
	"number": "a number", "string": "a text", "bool": "true or false", "array": "an array", "object": "an object", "null": "null",
}

// kindRead returns the first word of what encoding/json reports as the value. A number that does not fit follows this
// word.
func kindRead(says string) string {
	kind, _, _ := strings.Cut(says, " ")
	return kind
}

// expected describes the values that a type accepts.
func expected(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[json.Number]():
		return "a number"
	case t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return "a value"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("a whole number of %d bits", t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("a whole number of %d bits, not negative", t.Bits())
	}
	return "a number"
}

// newError returns an error with the position of the byte at.
func newError(data []byte, at int, text string) error {
	before := data[:at]
	line := bytes.LastIndexByte(before, '\n') + 1
	return &Error{Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(before[line:]) + 1, Text: text}
}
