package gen

import (
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
)

// TestLargest has leaves that fix no bit, so that each is behind each of the values of a run: at 32 values for each leaf the most
// leaves behind one are all of them, and at more the run counts for nothing.
func TestLargest(t *testing.T) {
	const leaves, limit = 64, 100
	list := make([]candidate, leaves)
	for i := range list {
		list[i].leaf = &model.Leaf{}
	}
	for width, want := range map[int]int{5: leaves, 6: limit} {
		if got := (&grower{}).largest(list, []bits.Part{{Width: width}}, limit); got != want {
			t.Errorf("a run of %d bits: %d, expected %d", width, got, want)
		}
	}
}
