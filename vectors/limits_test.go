package vectors_test

import (
	"math"
	"testing"

	"github.com/isago/isago/internal/vectest"
	"github.com/isago/isago/vectors"
)

// TestLimits requires vectors of MOVAv of A2XX for values between each limit of the address, -256 and 255, and the next whole
// number beyond it: they reveal a limit that is wrong by 1.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	res := generate(t, vectest.Open(t, "a2xx"), vectors.Options{Instructions: []string{"MOVAv"}})
	below, above := false, false
	for _, f := range res.Files {
		for _, v := range f.Vectors {
			for _, r := range v.Initial.Registers {
				for _, bits := range r.Values {
					x := math.Float32frombits(uint32(bits))
					below = below || r.Bits == 32 && x > -257 && x < -256.5
					above = above || r.Bits == 32 && x >= 255.5 && x < 256
				}
			}
		}
	}
	if !below || !above {
		t.Errorf("a value from -257 to -256.5: %t, from 255.5 to 256: %t, expected both", below, above)
	}
}
