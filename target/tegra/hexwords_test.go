package tegra

import "testing"

// TestHexWordsReadsNoMore tells binary files from hexadecimal text by their first word, however long they are.
func TestHexWordsReadsNoMore(t *testing.T) {
	for _, start := range []string{"", "01234567 ", "0x01234567,89abcdef\n"} {
		data := append([]byte(start), make([]byte, 64<<20)...)
		if n := testing.AllocsPerRun(3, func() {
			if _, ok := hexWords(data); ok {
				t.Error("zeros are hexadecimal")
			}
		}); n > 20 {
			t.Errorf("%q and zeros: %.0f allocations", start, n)
		}
	}
	words, ok := hexWords([]byte(" 0x01234567,89abcdef\t00000001 00000002\n"))
	if !ok || len(words) != 4 || words[1] != 0x89abcdef {
		t.Errorf("%x %v", words, ok)
	}
	for _, text := range []string{"", " \n", "0123456", "012345678", "0x0x01234567", "01234567 x", "0123456789abcdef0123456789abcdef0"} {
		if words, ok := hexWords([]byte(text)); ok {
			t.Errorf("%q is %x", text, words)
		}
	}
}
