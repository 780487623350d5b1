package translate

import "testing"

// TestLibrary reads the library.
func TestLibrary(t *testing.T) {
	for _, name := range []string{"nan", "divide", "exp2", "log2", "sin", "cos", "fma"} {
		if f := library()[name]; f == nil || f.Name != "isago_"+name || !f.Guarded {
			t.Errorf("the function %s is %+v", name, f)
		}
	}
}
