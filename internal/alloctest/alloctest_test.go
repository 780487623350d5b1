package alloctest

import "testing"

// failure is a test that only counts its errors.
type failure struct {
	testing.TB
	errors int
}

func (f *failure) Helper() {}

func (f *failure) Errorf(string, ...any) { f.errors++ }

func TestNone(t *testing.T) {
	var kept []byte
	for _, x := range []struct {
		name   string
		f      func()
		errors int
	}{
		{"nothing", func() {}, 0},
		{"one", func() { kept = make([]byte, 100) }, 1},
	} {
		f := failure{TB: t}
		None(&f, x.name, 10, x.f)
		if f.errors != x.errors {
			t.Errorf("%s: %d errors, expected %d", x.name, f.errors, x.errors)
		}
	}
	_ = kept
}
