package vectors_test

import (
	"maps"
	"math"
	"slices"
	"strconv"
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
	met := map[uint64]bool{}
	for _, f := range generate(t, described(t, text), vectors.Options{}).Files {
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

// described returns the machine of a description.
func described(t *testing.T, text string) *exec.Machine {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(text)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The condition of the field N matters only if r3 is 7 and r1 is not r2. For each of the eight values of N there must be such a
// vector, or else a wrong mask in the condition can stay hidden.
func TestConditionsOfFields(t *testing.T) {
	const text = `<isa strict="true">
<file name="r" type="u32" count="4"/>
<bitset name="#all" size="8"/>
<bitset name="choose" extends="#all">
  <display>choose {N}</display>
  <field name="N" low="0" high="2" type="uint"/>
  <pattern low="3" high="7">00001</pattern>
  <semantics><![CDATA[
    if (r[3] == 7) { r[0] = ({N} & 1) == 0 ? r[1] : r[2]; }
  ]]></semantics>
</bitset>
</isa>`
	shown := map[uint64]bool{}
	for _, f := range generate(t, described(t, text), vectors.Options{}).Files {
		for _, v := range f.Vectors {
			word, err := strconv.ParseUint(v.Words[0], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			r := map[int]uint64{}
			for _, x := range v.Initial.Registers {
				r[x.Number] = x.Values[0]
			}
			if r[3] == 7 && r[1] != r[2] {
				shown[word&7] = true
			}
		}
	}
	if len(shown) != 8 {
		t.Errorf("vectors show the condition for %v, expected 0 to 7", slices.Sorted(maps.Keys(shown)))
	}
}
