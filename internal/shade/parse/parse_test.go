package parse

import (
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/shade"
)

// TestFunctions reads a function with each kind of statement.
func TestFunctions(t *testing.T) {
	list, err := Functions(`uint first(uint a, out uint b) {
	// The first line.
	// The second one.
	b = a & 3u | a << 2;
	return a;
}

float second(float x) {
	precise float y = -x * 2.0, z;
	uint k;
	if (x < y && !(y == 1.5)) return y;
	while (k != 4u) {
		k++;
		k -= first(k, k);
		if (k > 9u) {
			break;
		} else {
			continue;
		}
	}
	first(k, k);
	return x > 0.0 ? uintBitsToFloat(0x7fc00000u) : float(int(k) >> 1);
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := list[0]
	if !slices.Equal(f.Comment, []string{"The first line.", "The second one."}) || !f.Params[1].Out || f.Params[0].Out {
		t.Errorf("%+v", f)
	}
	// b = (a & 3u) | (a << 2)
	if e := f.Body[0].Value; e.Op != shade.Or || e.Args[0].Op != shade.And || e.Args[1].Op != shade.ShiftLeft || e.Args[1].Args[1].Type != shade.I32 {
		t.Errorf("%+v", e)
	}
	var kinds []shade.StmtKind
	for _, s := range list[1].Body {
		kinds = append(kinds, s.Kind)
	}
	if want := []shade.StmtKind{shade.Declare, shade.Declare, shade.Declare, shade.If, shade.Loop, shade.Do, shade.Return}; !slices.Equal(kinds, want) {
		t.Errorf("the statements are %v, expected %v", kinds, want)
	}
	result := list[1].Body[6].Value
	if result.Op != shade.Select || result.Args[1].Op != shade.Literal || result.Args[1].Bits[0] != 0x7fc00000 || result.Args[2].Op != shade.Convert {
		t.Errorf("%+v", result)
	}
}

// TestErrors checks that each error has its line and what was expected.
func TestErrors(t *testing.T) {
	for body, want := range map[string]string{
		"\treturn 1u;":                      `2: a value of type uint, expected float`,
		"\tfloat x = 1.0;":                  `2: a second variable x`,
		"\treturn y;":                       `2: no variable y`,
		"\treturn x + 1;":                   `2: a value of type int, expected float`,
		"\treturn g(x);":                    `2: no function g with such arguments`,
		"\treturn x.x;":                     `2: no component x`,
		"\tif (x) return x;":                `2: a value of type float, expected bool`,
		"\treturn x":                        `3: "}", expected ";"`,
		"\n\treturn x @ x;":                 `3: unknown character '@'`,
		"\treturn x && x;":                  `2: an operator with values of type float`,
		"\treturn float(1.0);":              `2: a conversion of float to itself`,
		"\tuint k = 1u << x;\n\treturn x;":  `2: a shift by a value of type float`,
		"\tuint k = uint(true);\n\tk / 2u;": `3: "/", expected an assignment`,
		"\treturn min(x);":                  `2: min with 1 arguments`,
		"\tuint k = 0x1ffffffffu;\n":        `2: "0x1ffffffffu" is no number`,
		"\tuvec2 k = uvec2(1u, 2u, 3u);\n":  `2: uvec2 of 3 components`,
		"\tuint64_t k = uint64_t(1);\n":     `2: a conversion of int to uint64_t`,
	} {
		_, err := Functions("float f(float x) {\n" + body + "\n}\n")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: the error is %v, expected %s", body, err, want)
		}
	}
}
