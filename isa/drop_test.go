package isa_test

import (
	"slices"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// TestTokensOfNothing has a field that prints nothing, so the text before it is dropped. Blanks that
// print in its place must not get its token.
func TestTokensOfNothing(t *testing.T) {
	s := loadXML(t, `<isa><bitset name="#instruction" size="8">
		<display>op{, ?A}{:align=8}x</display>
		<field name="A" pos="0" type="bool" display="a"/><field name="B" low="1" high="7" type="uint"/>
	</bitset></isa>`, isa.Options{})
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	for range 5 { // without memos and with memos
		for _, x := range []struct {
			word uint64
			text string
			want []isa.Token
		}{
			{1, "op, a   x", []isa.Token{{Kind: isa.TokenMnemonic, End: 2}, {Start: 2, End: 4}, {Kind: isa.TokenModifier, Start: 4, End: 5}, {Kind: isa.TokenModifier, Start: 8, End: 9}}},
			{0, "op      x", []isa.Token{{Kind: isa.TokenMnemonic, End: 2}, {Kind: isa.TokenModifier, Start: 8, End: 9}}},
		} {
			in, _ := d.Decode(bits.Of(x.word))
			text, tokens := d.AppendTokens(nil, nil, in)
			if string(text) != x.text || !slices.Equal(tokens, x.want) {
				t.Errorf("%d: %q %v, expected %q %v", x.word, text, tokens, x.text, x.want)
			}
		}
	}
}
