package translate

import (
	_ "embed" // for the library
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/parse"
)

// libraryText has the functions that a text contains if the program needs them. They compute without relying on what a GPU may
// round as it likes. Constants in capitals and the functions of series are written by library.
//
//go:embed library.glsl
var libraryText string

// pairsText has the functions that compute with values of 64 bits in languages that have none.
//
//go:embed pairs.glsl
var pairsText string

// f64 returns a float of 64 bits.
func f64(x float64) string {
	b := math.Float64bits(x)
	return fmt.Sprintf("packDouble2x32(uvec2(%#xu, %#xu))", b&0xffffffff, b>>32)
}

// series returns a function that evaluates a polynomial.
func series(name string, coeffs []float64) string {
	var s strings.Builder
	fmt.Fprintf(&s, "double isago_%s(double x) {\n\tprecise double y = %s;\n", name, f64(coeffs[0]))
	for _, c := range coeffs[1:] {
		fmt.Fprintf(&s, "\ty = y * x + %s;\n", f64(c))
	}
	return s.String() + "\treturn y;\n}\n"
}

// library returns the functions of the library by name.
var library = sync.OnceValue(func() map[string]*shade.Func {
	var w strings.Builder
	exp, atanh, sin, cos := sem.Series()
	w.WriteString(series("exp2_series", exp) + series("log2_series", atanh) + series("sin_series", sin) + series("cos_series", cos))
	w.WriteString("uint64_t isago_two_over_pi(int i) {\n")
	for i, x := range sem.TwoOverPi()[:6] {
		fmt.Fprintf(&w, "\tif (i == %d) return packUint2x32(uvec2(%#xu, %#xu));\n", i, x&0xffffffff, x>>32)
	}
	w.WriteString("\treturn 0ul;\n}\n")
	const ln2 = 0.693147180559945309417232121458176568
	w.WriteString(strings.NewReplacer("TWO_OVER_LN2", f64(2/ln2), "LN2", f64(ln2), "SQRT2", f64(math.Sqrt2), "NEAREST", "0", "ZERO", "1", "DOWN", "2", "UP", "3").Replace(libraryText + pairsText))
	list, err := parse.Functions(w.String())
	if err != nil {
		panic("the library of translate: " + err.Error()) // a test reads the library
	}
	m := map[string]*shade.Func{}
	for _, f := range list {
		m[strings.TrimPrefix(f.Name, "isago_")] = f
	}
	return m
})
