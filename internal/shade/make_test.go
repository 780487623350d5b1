package shade

import "testing"

// TestPick checks that only all components in order are the vector itself.
func TestPick(t *testing.T) {
	for _, c := range []struct {
		n     int
		whole bool
		comps []int
	}{{2, true, []int{0, 1}}, {2, false, []int{0, 0}}, {2, false, []int{1, 1}}, {4, false, []int{0, 1, 0, 1}}, {4, true, []int{0, 1, 2, 3}}, {4, false, []int{0, 1, 2}}, {3, false, []int{2}}} {
		v := Value(&Var{Type: F32.Vec(c.n)})
		if e := Pick(v, c.comps...); (e == v) != c.whole {
			t.Errorf("components %v of %d: %+v", c.comps, c.n, e)
		}
	}
}
