package jsontext

import (
	"bytes"
	"encoding/json"

	"github.com/isago/isago/internal/textfile"
)

// Place returns an error about a part of a text, which is valid JSON. path leads to the part: names of fields and numbers
// of elements, from the outside. If a part of the path does not exist, the place is that of the value that should contain
// it.
func Place(data []byte, text string, path ...any) *Error {
	w := walker{data: bytes.TrimPrefix(data, []byte(textfile.ByteOrderMark))}
	w.d = json.NewDecoder(bytes.NewReader(w.data))
	w.d.UseNumber()
	t, at := w.next()
	for _, p := range path {
		if !w.enter(t, p) {
			break
		}
		t, at = w.next()
	}
	return newError(w.data, at, text).(*Error)
}

// walker reads the tokens of a text.
type walker struct {
	data []byte
	d    *json.Decoder
}

// next returns the next token and its offset.
func (w *walker) next() (t json.Token, start int) {
	start = int(w.d.InputOffset())
	start += len(w.data[start:]) - len(bytes.TrimLeft(w.data[start:], blanks+",:"))
	t, _ = w.d.Token()
	return t, start
}

// enter moves to the value with a name or a number in the object or the array that open has opened. It returns false if
// there is none.
func (w *walker) enter(open json.Token, p any) bool {
	if open != json.Delim('{') && open != json.Delim('[') {
		return false
	}
	for i := 0; w.d.More(); i++ {
		var key any = i
		if open == json.Delim('{') {
			key, _ = w.next()
		}
		if key == p {
			return true
		}
		w.skip()
	}
	return false
}

// skip skips a value.
func (w *walker) skip() {
	if t, _ := w.next(); t == json.Delim('{') || t == json.Delim('[') {
		for w.d.More() {
			w.skip()
		}
		w.next()
	}
}
