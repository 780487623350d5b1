package bits

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func toBig(v Value) *big.Int {
	n, ok := new(big.Int).SetString(v.String(), 16)
	if !ok {
		panic(v.String())
	}
	return n
}

func draw(t *rapid.T, name string) Value {
	return Value{rapid.Uint64().Draw(t, name), rapid.Uint64().Draw(t, name), rapid.Uint64().Draw(t, name), rapid.Uint64().Draw(t, name)}
}

// TestArithmeticAgreesWithBig compares results with the results of math/big.
func TestArithmeticAgreesWithBig(t *testing.T) {
	all := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), Size), big.NewInt(1))
	rapid.Check(t, func(t *rapid.T) {
		v, w := draw(t, "v"), draw(t, "w")
		n := rapid.IntRange(0, Size).Draw(t, "n")
		check := func(name string, got Value, want *big.Int) {
			if toBig(got).Cmp(new(big.Int).And(want, all)) != 0 {
				t.Fatalf("%s by %d of %s: got %s, want %x", name, n, v, got, want)
			}
		}
		check("shl", v.Shl(n), new(big.Int).Lsh(toBig(v), uint(n)))
		check("shr", v.Shr(n), new(big.Int).Rsh(toBig(v), uint(n)))
		check("and", v.And(w), new(big.Int).And(toBig(v), toBig(w)))
		check("or", v.Or(w), new(big.Int).Or(toBig(v), toBig(w)))
		check("xor", v.Xor(w), new(big.Int).Xor(toBig(v), toBig(w)))
		check("andnot", v.AndNot(w), new(big.Int).AndNot(toBig(v), toBig(w)))
		if got, want := v.Len(), toBig(v).BitLen(); got != want {
			t.Fatalf("Len of %s: got %d, want %d", v, got, want)
		}
	})
}

func TestFieldsReadWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, x := draw(t, "v"), rapid.Uint64().Draw(t, "x")
		n := rapid.IntRange(0, 64).Draw(t, "n")
		lo := rapid.IntRange(0, Size-n).Draw(t, "lo")
		before := v
		v.SetUint(lo, n, x)
		if got, want := v.Uint(lo, n), x&Ones(n)[0]; got != want {
			t.Fatalf("Uint(%d, %d): got %x, want %x", lo, n, got, want)
		}
		if rest := v.Xor(before).AndNot(Range(lo, n)); !rest.IsZero() {
			t.Fatalf("SetUint(%d, %d) changed other bits: %s", lo, n, rest)
		}
		if got := v.Slice(lo, n); got != Of(v.Uint(lo, n)) {
			t.Fatalf("Slice(%d, %d) = %s", lo, n, got)
		}
	})
}

func TestHex(t *testing.T) {
	for _, c := range []struct {
		in, out string
		err     string
	}{
		{"0", "0", ""},
		{"00ff", "ff", ""},
		{"DEADbeef", "deadbeef", ""},
		{"8000000000000000000000000000000000000000000000000000000000000001", "8000000000000000000000000000000000000000000000000000000000000001", ""},
		{"", "", "no hexadecimal digits"},
		{"12g", "", `'g' is not a hexadecimal digit`},
		{"1@", "", `'@' is not a hexadecimal digit`},
		{"10000000000000000000000000000000000000000000000000000000000000000", "", "number with more than 256 bits"},
	} {
		v, err := ParseHex(c.in)
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("ParseHex(%q): error %v, want %q", c.in, err, c.err)
			}
			continue
		}
		if v.String() != c.out {
			t.Errorf("ParseHex(%q) = %s, want %s", c.in, v, c.out)
		}
	}
	v := Of(0x2a)
	if got := string(v.AppendHex(nil, 8)); got != "0000002a" {
		t.Errorf("AppendHex with 8 digits: %s", got)
	}
}

func TestWords(t *testing.T) {
	v := FromWords([]uint32{1, 2, 3})
	if v != (Value{2<<32 | 1, 3}) {
		t.Errorf("FromWords: %s", v)
	}
	if v.Word(1) != 2 || v.Word(2) != 3 || v.Word(3) != 0 {
		t.Errorf("Word: %d %d %d", v.Word(1), v.Word(2), v.Word(3))
	}
}
