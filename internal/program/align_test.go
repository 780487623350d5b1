package program_test

import (
	"fmt"
	"testing"

	"github.com/isago/isago/internal/program"
)

// TestAddressUnit holds that listings count addresses as all branches of a machine do, and in its
// shortest instructions where branches do not agree or say nothing.
func TestAddressUnit(t *testing.T) {
	const text = `<isa>
<bitset name="#instruction" size="16"/>
<bitset name="jump" extends="#instruction"><display>jump {TO}</display><pattern low="8" high="15">00000001</pattern>
  <field name="TO" low="0" high="7" type="absbranch"%s/></bitset>
<bitset name="call" extends="#instruction"><display>call {TO}</display><pattern low="8" high="15">00000010</pattern>
  <field name="TO" low="0" high="7" type="branch"%s/></bitset>
</isa>`
	for _, c := range []struct {
		jump, call string
		want       int64
	}{{"", "", 16}, {` unit="8"`, ` unit="8"`, 8}, {` unit="8"`, "", 16}, {` unit="8"`, ` unit="32"`, 16}, {` unit="32"`, ` unit="32"`, 32}} {
		s := load(t, fmt.Sprintf(text, c.jump, c.call))
		root, err := s.Root("")
		if err != nil {
			t.Fatal(err)
		}
		if got := program.AddressUnit(root); got != c.want {
			t.Errorf("units %q and %q: %d, expected %d", c.jump, c.call, got, c.want)
		}
	}
}
