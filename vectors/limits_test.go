package vectors_test

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/vectest"
	"github.com/isago/isago/isa"
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

// Random numbers do not give the product 123456 or 123457, and both outcomes of the comparison occur with other products. Only
// the search for a state in which a changed limit matters finds these.
func TestLimitsOfIntegers(t *testing.T) {
	const text = `<isa strict="true">
<file name="r" type="u32" count="2"/>
<bitset name="#all" size="8"/>
<bitset name="below" extends="#all">
  <display>below</display>
  <pattern low="0" high="7">00000001</pattern>
  <semantics>r[0] = r[1] * 2654435761 &lt; 123457 ? 1 : 2;</semantics>
</bitset>
</isa>`
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(text)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	met := map[uint64]bool{}
	for _, f := range generate(t, m, vectors.Options{}).Files {
		for _, v := range f.Vectors {
			for _, r := range v.Initial.Registers {
				for _, x := range r.Values {
					met[x*2654435761&0xffffffff] = true
				}
			}
		}
	}
	if !met[123456] || !met[123457] {
		t.Errorf("the product 123456 occurs: %t, 123457: %t, expected both", met[123456], met[123457])
	}
}
