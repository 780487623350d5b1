package jsontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/isago/isago/internal/textfile"
)

type document struct {
	Words  []string                   `json:"words"`
	Steps  int8                       `json:"steps"`
	Active bool                       `json:"active"`
	Tables map[string]json.RawMessage `json:"tables"`
	Size   *int                       `json:"size"`
	Own    *own                       `json:"own"`
	Any    any                        `json:"any"`
	Float  []float32                  `json:"float"`
	Number json.Number                `json:"number"`
	Inside struct {
		Scale float32 `json:"scale"`
	} `json:"inside"`
}

// own decodes its text itself.
type own struct{}

func (*own) UnmarshalJSON([]byte) error { return nil }

func TestUnmarshal(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"words": ["a"], "steps": 3}`, ""},
		{" {}\n ", ""},
		{"", "line 1, column 1: no text, expected JSON"},
		{" \n", "line 1, column 1: no text, expected JSON"},
		{"junk", "line 1, column 1: 'j', expected a value"},
		{"{\n  \"wörds\": junk}", "line 2, column 12: 'j', expected a value"},
		{`{"words": ["a" "b"]}`, `line 1, column 16: '"', expected , or ]`},
		{`{words: 1}`, "line 1, column 2: 'w', expected a name in double quotes"},
		{`{"words" 1}`, "line 1, column 10: '1', expected a colon"},
		{`{"steps": 1 "words": []}`, `line 1, column 13: '"', expected , or }`},
		{`{"steps": 1`, "line 1, column 12: the text ends here, expected the rest of the JSON"},
		{`{"words": ["a`, "line 1, column 14: the text ends here, expected the rest of the JSON"},
		{`{"words": ["\q"]}`, `line 1, column 14: 'q', expected one of "\/bfnrtu after the backslash`},
		{`{"steps": -x}`, "line 1, column 12: 'x', expected a digit"},
		{`{"active": trye}`, "line 1, column 14: 'y', expected true, false or null"},
		{`{"steps": 1} {}`, `line 1, column 14: "{}", expected the end`},
		{`[1, 2]`, "line 1, column 1: an array, expected an object"},
		{`{"words": 5}`, "line 1, column 11: words: a number, expected an array"},
		{`{"words": ["a", 5]}`, "line 1, column 17: words: a number, expected a text"},
		{`{"steps": "5"}`, "line 1, column 11: steps: a text, expected a whole number of 8 bits"},
		{`{"steps": 1000}`, "line 1, column 11: steps: a number, expected a whole number of 8 bits"},
		{`{"steps": 1.5}`, "line 1, column 11: steps: a number, expected a whole number of 8 bits"},
		{"{\"steps\": 1,\n\"inside\": {\"scale\": {}}}", "line 2, column 21: inside.scale: an object, expected a number"},
		{`{"active": 1}`, "line 1, column 12: active: a number, expected true or false"},
		{`{"step": 1}`, `line 1, column 2: unknown name "step"; did you mean steps?`},
		{"{\"words\": [\"zz\"],\n \"zz\": 1}", `line 2, column 2: unknown name "zz"`},
		{`{"words": null}`, "line 1, column 11: words: null, expected an array"},
		{`{"words": ["a", null]}`, "line 1, column 17: words: null, expected a text"},
		{"{\"steps\":\n null}", "line 2, column 2: steps: null, expected a whole number of 8 bits"},
		{`{"active": null}`, "line 1, column 12: active: null, expected true or false"},
		{`{"tables": null}`, "line 1, column 12: tables: null, expected an object"},
		{`{"tables": {"a": null, "b": [null]}}`, ""}, // their reader reports what is expected
		{`{"size": null}`, "line 1, column 10: size: null, expected a whole number of 64 bits"},
		{`{"own": null}`, "line 1, column 9: own: null, expected a value"},
		{`{"own": {"a": null}, "any": [null, {"a": null}]}`, ""},
		{`{"float": [1, [2]]}`, "line 1, column 15: float: an array, expected a number"},
		{`{"number": null}`, "line 1, column 12: number: null, expected a number"},
		{`{"inside": {"scale": null}}`, "line 1, column 22: inside.scale: null, expected a number"},
		{`null`, "line 1, column 1: null, expected an object"},
		{`{"steps": 1, "active": true, "steps": 1}`, `line 1, column 30: "steps" for the second time, expected each name once`},
		{`{"steps": 1, "STEPS": 1}`, `line 1, column 14: "steps" for the second time, expected each name once`},
		{"{\"tables\": {\"a\": 1,\n \"b\": {}, \"\\u0061\": 2}}", `line 2, column 11: tables: "a" for the second time, expected each name once`},
		{`{"tables": {"a": 1, "A": 2, "": 3, " ": 4}}`, ""},
		{`{"tables": {"a": [{"x": 1, "y": "\"x\"", "x": 2}]}}`, `line 1, column 42: tables: "x" for the second time, expected each name once`},
		{`{"inside": {"scale": 1, "scale": 1}}`, `line 1, column 25: inside: "scale" for the second time, expected each name once`},
		{`{"any": [{"a": 1}, {"a": 1, "b": {"a": 1}}]}`, ""},
		{`{"any": {` + many(100) + `}}`, ""},
		{`{"any": {` + many(100) + `,"0": 1}}`, `line 1, column 800: any: "0" for the second time, expected each name once`},
		{`{"` + strings.Repeat("x", 100) + `": 1}`, `line 1, column 2: unknown name "` + strings.Repeat("x", 40) + `..."`},
		{`{"inside": {"scal": 1}}`, `line 1, column 13: unknown name "scal"; did you mean scale?`},
	} {
		got := ""
		if err := Unmarshal([]byte(c.text), new(document)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got %q, expected %q", c.text, got, c.want)
		}
	}
}

// TestReader reads texts that a Reader accepts and texts that it leaves to Unmarshal.
func TestReader(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a": [1, -2.5e+3, 0], "b": {"a": "x", "c": []}}`: true, " [true,false,null,{}]\n": true, `0`: true,
		`{"a": 1, "a": 2}`: false, `[{"b": {"a": 1}, "c": {"a": 1, "a": 1}}]`: false, `["\u0041"]`: false, `["ä"]`: false, "[\"\t\"]": false,
		``: false, `[`: false, `[1`: false, `[1,`: false, `[1,]`: false, `{"a"}`: false, `{"a":}`: false, `{,}`: false, `[1 2]`: false, `{"a":1]`: false, `"a`: false,
		`01`: false, `-`: false, `1.`: false, `1e`: false, `+1`: false, `tru`: false, `truely`: false, `1 1`: false, "\xef\xbb\xbf1": false,
		strings.Repeat("[", 65) + strings.Repeat("]", 65): false, strings.Repeat("[", 1<<20): false, strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64): true,
		"{" + many(100) + "}": true, "{" + many(100) + `,"7": 1}`: false,
	} {
		if got := readable(text, false); got != want {
			t.Errorf("%.100q: %t, expected %t", text, got, want)
		}
	}
	for _, text := range []string{`["\u0041\"\\", "ä", {"\n": 1}]`, `{"a":"\\"}`} {
		if !readable(text, true) || readable(text, false) {
			t.Errorf("%q: expected to be accepted if it is known to be valid", text)
		}
	}
	for at := range 20 { // a character at each place of a long string
		for c := range 256 {
			text := []byte(`"` + strings.Repeat("z", 20) + `"`)
			text[1+at] = byte(c)
			if want := c >= ' ' && c < 0x80 && c != '"' && c != '\\'; readable(string(text), false) != want {
				t.Errorf("%q: accepted %t, expected %t", text, !want, want)
			}
		}
	}
	r := Reader{Valid: true}
	r.Reset([]byte(`{"n\u0061me" : ["<\u003c", 1], "x": "ä"}`))
	var got []string
	for ok := r.Enter('{'); ok && r.More('}'); {
		got = append(got, string(r.Name()))
		if len(got) > 1 {
			got = append(got, string(r.Text()))
			continue
		}
		for ok := r.Enter('['); ok && r.More(']'); {
			if len(got) == 1 {
				got = append(got, string(r.Text()))
			} else {
				got = append(got, string(r.Value()))
			}
		}
	}
	if want := "name|<<|1|x|ä"; strings.Join(got, "|") != want || !r.End() {
		t.Errorf("read %q, expected %s", got, want)
	}
	r.Reset([]byte(`5`))
	if r.Enter('[') || r.More(']') || r.Text() != nil || r.Value() != nil || r.End() {
		t.Errorf("a number was read as an array")
	}
}

// readable reports whether a Reader accepts a text.
func readable(text string, valid bool) bool {
	r := Reader{Valid: valid}
	r.Reset([]byte(text))
	value := r.Value()
	return r.End() && string(value) == strings.Trim(text, blanks)
}

// many returns an object with n names and values.
func many(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%q: 1", fmt.Sprint(i)))
	}
	return strings.Join(list, ",")
}

func TestUnmarshalPart(t *testing.T) {
	var list []string
	for text, want := range map[string]string{"5": "a number, expected an array", "null": "null, expected an array", `["a", null]`: "null, expected a text"} {
		if err := UnmarshalPart([]byte(text), &list); err == nil || err.Error() != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"5": `["5"]`, `[1, [2.50, "0x3"], [], [[true]]]`: `["1" "2.50" "0x3" "true"]`, "18446744073709551615": `["18446744073709551615"]`, textfile.ByteOrderMark + "[1]": `["1"]`,
		"[]": "[]", "[1, null]": "null, expected numbers", `[{"a": 1}]`: "an object, expected numbers", "[1] 2": `line 1, column 5: "2", expected the end`,
		"[1\n": "line 1, column 3: the text ends here, expected the rest of the JSON",
	} {
		list, err := Texts([]byte(text))
		got := fmt.Sprintf("%q", list)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, expected %s", text, got, want)
		}
	}
}

// FuzzUnmarshal checks that encoding/json accepts every text that Unmarshal accepts. Every error has a position in the
// text and a message of this package.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range []string{`{"words": ["a"], "steps": 3}`, `{"words": 5}`, "{\"a\":\n[1", `[]`, `{"inside":{"scale":1e400}}`, `{"zz":1,"words":["zz"]}`, `{"any":[{"a":[null,{}],"\u0061":1}],"tables":{"":null}}`, "\xff", `"\ud800"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var any json.RawMessage
		if err := Unmarshal([]byte(text), &any); err != nil && readable(text, false) {
			t.Errorf("a Reader accepts it, but Unmarshal reports %v", err)
		}
		err := Unmarshal([]byte(text), new(document))
		if err == nil {
			if err := json.Unmarshal([]byte(strings.TrimPrefix(text, textfile.ByteOrderMark)), new(document)); err != nil {
				t.Errorf("taken, but encoding/json says %v", err)
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("no place: %v", err)
		}
		lines := strings.Split(text, "\n")
		if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > utf8.RuneCountInString(lines[e.Line-1])+1 {
			t.Errorf("%v: not in the text", err)
		}
	})
}
func TestPlace(t *testing.T) {
	text := "{\"a\": [1, null, {\"b\": \"ö\", \"c\": [\n [2], 3]}], \"d\": {}}"
	for _, c := range []struct {
		path []any
		want string
	}{
		{nil, "line 1, column 1: x"},
		{[]any{"a"}, "line 1, column 7: x"},
		{[]any{"a", 1}, "line 1, column 11: x"},
		{[]any{"a", 2, "c"}, "line 1, column 33: x"},
		{[]any{"a", 2, "c", 0, 0}, "line 2, column 3: x"},
		{[]any{"a", 2, "c", 1}, "line 2, column 7: x"},
		{[]any{"d"}, "line 2, column 18: x"},
		{[]any{"d", "e"}, "line 2, column 18: x"},
		{[]any{"a", 0, "e"}, "line 1, column 8: x"},
		{[]any{"a", 7}, "line 1, column 7: x"},
	} {
		if got := Place([]byte(text), "x", c.path...).Error(); got != c.want {
			t.Errorf("%v: %s, expected %s", c.path, got, c.want)
		}
	}
}
