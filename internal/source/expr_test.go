package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/isago/isago/internal/source"
)

// TestExpressions computes by C's rules on signed numbers of 64 bits; the values are worked out by hand.
func TestExpressions(t *testing.T) {
	set := load(t, toy)
	for _, x := range []struct {
		text string
		want uint32
	}{
		{"1+2*3", 7},
		{"(1+2)*3", 9},
		{"10-4-3", 3},
		{"100/7/2", 7},
		{"-7/2", 0xfffffffd},
		{"-7%3", 0xffffffff},
		{"7%-3", 1},
		{"1<<4+1", 32},
		{"0x80>>3>>1", 8},
		{"-8>>1", 0xfffffffc},
		{"1<<63>>63", 0xffffffff},
		{"6&3|8", 10},
		{"6^3&1", 7},
		{"1|2^3&4", 3},
		{"3&5==5", 1}, // 3 & (5==5)
		{"1<2==1", 1},
		{"2>1<1", 0},
		{"4>=4", 1}, {"4<=3", 0}, {"4!=4", 0}, {"3>4", 0},
		{"1&&0||1", 1}, {"1||0&&0", 1}, {"2&&4", 1}, {"0||0", 0},
		{"!0", 1}, {"!7", 0}, {"!!7", 1}, {"~0", 0xffffffff}, {"- -3", 3}, {"-~5", 6}, {"+4", 4}, {"-(3)", 0xfffffffd},
		{"0x10", 16}, {"0b101", 5}, {"0o17", 15}, {"017", 15}, {"1_000", 1000},
		{"0x7fffffffffffffff+1>>62", 0xfffffffe}, // numbers wrap
		{"0xffffffff", 0xffffffff}, {"-0x80000000", 0x80000000},
		{" 1 +\t2 ", 3},
		{".", 0},
		{"( ( 2 ) )", 2},
	} {
		got, err := assemble(t, set, ".word "+x.text)
		if want := fmt.Sprintf("0: %08x\n", x.want); err != nil || got != want {
			t.Errorf("%s is %q, %v; expected %q", x.text, got, err, want)
		}
	}
}

// TestDirectives places data and computes with places: an instruction of toy has 4 or 8 bytes.
func TestDirectives(t *testing.T) {
	for _, x := range []struct{ name, set, text, want string }{
		{"align", toy, "nop\n.align 16\nnop", "0: 00000000\n32: 00000000 00000000\n96: 00000000\n128: 00000000\n"},
		{"aligned already", toy, "nop\n.align 4\nnop\n.align 1\nnop\n.align 2", nops(0, 3)},
		{"align of three words", toy, "nop\n.align 12\nldi 1", "0: 00000000\n32: 00000000 00000000\n96: 00000009 00000001\n"},
		{"skip", toy, ".skip 12\nldi 1", "0: 00000000 00000000\n64: 00000000\n96: 00000009 00000001\n"},
		{"skip nothing", toy, ".skip 0\nnop", "0: 00000000\n"},
		{"labels count bytes", toy, "ldi 1\na: nop\nb: .word a, b, b-a, .", "0: 00000009 00000001\n64: 00000000\n96: 00000008 0000000c\n160: 00000004 0000000c\n"},
		{"labels of later lines", toy, ".word a, b-a, 2*c\na: ldi 1\nb: nop\nc:", "0: 0000000c 00000008\n64: 00000030\n96: 00000009 00000001\n160: 00000000\n"},
		{"names", toy, ".set n, 3\n.equ m , n*n\n.word n, m\n.set n, n+1\n.word n", "0: 00000003 00000009\n64: 00000004\n"},
		{"a name of a later label", toy, ".set n, a+1\n.word n\na:", "0: 00000005\n"},
		{"skip by a name", toy, ".set n, 2\na: nop\n.skip (.-a)*n\nb: .word b", "0: 00000000\n32: 00000000 00000000\n96: 0000000c\n"},
		{"constants in an instruction", toy, ".set n, 10\nldi $(n+2)\nldi $( end - . )\nend: nop", "0: 00000009 0000000c\n64: 00000009 00000008\n128: 00000000\n"},
		{"a constant is not a hexadecimal number", wide, "set $(8+8) // $(", "0: a0000000 00000000 00000000 00000010\n"},
		{"constants of an entry", toy, "two e$(16), e$(2*8+1)", "0: 00000204\n"},
		{"constants in a suffix", toy, "ldi 7 {IMM=$(4+4)}", "0: 00000009 00000008\n"},
		{"distance by a constant", toy, "bra $(-1-1)", "0: 000001c2\n"},
		{"branch to a name", toy, ".set start, 4\nnop\nnop\nbra start", "0: 00000000\n32: 00000000\n64: 000001e2\n"},
		{"blanks", toy, "  .word\t1 , 2 # three\n\t.align\t8 # bytes", "0: 00000001 00000002\n"},
		// a is more than 7 words away, so that bra has its long form, which moves a: the data behind has the place
		// where it comes to rest.
		{"data settles with lengths", toy, "bra a\n.skip 124\na: .word a", "0: 00000003 00000021\n" + spaces(64, 124) + "1056: 00000084\n"},
	} {
		got, err := assemble(t, load(t, x.set), x.text)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", x.name, diff)
		}
	}
}

// spaces are so many bytes left free from an address on, two words a line and one in the last.
func spaces(addr, n int) string {
	var b strings.Builder
	for ; n >= 8; n, addr = n-8, addr+64 {
		fmt.Fprintf(&b, "%d: 00000000 00000000\n", addr)
	}
	if n > 0 {
		fmt.Fprintf(&b, "%d: 00000000\n", addr)
	}
	return b.String()
}

func TestDirectiveErrors(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{".word 1<<32", "x.s:1:7: 1<<32 = 4294967296 does not fit 32 bits [text-range]"},
		{".word -0x80000001", "x.s:1:7: -0x80000001 does not fit 32 bits [text-range]"},
		{".word 1 2", `x.s:1:9: "2", expected the end of the line [text-expected]`},
		{".word 1+", "x.s:1:9: nothing, expected a number of 32 bits such as 0x12, a name or ( [text-expected]"},
		{".word (1", "x.s:1:9: nothing, expected ) [text-expected]"},
		{".word 2*/3", `x.s:1:9: "/3", expected a number of 32 bits such as 0x12, a name or ( [text-expected]`},
		{".word 12x", `x.s:1:7: "12x", expected a number of 32 bits such as 0x12 [text-expected]`},
		{".word 0x8000000000000000", "x.s:1:7: 0x8000000000000000 does not fit in a signed 64-bit integer [text-range]"},
		{".word 8/(4-4)", "x.s:1:8: division by 0 [text-range]"},
		{".word 8%0", "x.s:1:8: division by 0 [text-range]"},
		{".word 1<<64", "x.s:1:8: a shift by 64, expected 0 to 63 [text-range]"},
		{".word 1>>-1", "x.s:1:8: a shift by -1, expected 0 to 63 [text-range]"},
		{".word " + strings.Repeat("(", 101) + "1", "x.s:1:107: an expression nested more than 100 deep [xml-limit]"},
		{".word " + strings.Repeat("-", 1000) + "1", "x.s:1:107: an expression nested more than 100 deep [xml-limit]"},
		{".word here", "x.s:1:7: here is neither a label nor defined by .set, expected a defined name or a number of 32 bits such as 0x12 [text-symbol]"},
		{".word n\n.set n, 1", "x.s:1:7: n is neither a label nor defined by .set, expected a defined name or a number of 32 bits such as 0x12 [text-symbol]"},
		{".skip end\nend:", "x.s:1:7: end is defined later, expected a value that is known here, because later addresses depend on it [text-symbol]"},
		{".set n, end-.\n.align n\nend:", "x.s:2:8: end is defined later, expected a value that is known here, because later addresses depend on it [text-symbol]"},
		{".skip -4", "x.s:1:7: -4 bytes, expected 0 to 1048576 [text-range]"},
		{".skip 2+4", "x.s:1:7: 2+4 = 6 bytes, expected a multiple of 4, the size of the words in which programs are stored [text-range]"},
		{".skip 1048576\n.skip 4", "x.s:2:1: 1048580 bytes of free space so far, expected at most 1048576 in a program [text-range]"},
		{".align 0", "x.s:1:8: 0 bytes, expected 1 to 1048576 [text-range]"},
		{".align 6", "x.s:1:8: 6 bytes, expected a multiple of 4, the size of the words in which programs are stored [text-range]"},
		{".align", "x.s:1:7: nothing, expected a number of bytes such as 16, a name or ( [text-expected]"},
		{".align 8, 8", `x.s:1:9: ",", expected the end of the line [text-expected]`},
		{".set", "x.s:1:5: nothing, expected a name, a comma and an expression [text-expected]"},
		{".set 1x, 2", `x.s:1:6: "1x", expected a name, a comma and an expression [text-expected]`},
		{".set ., 2", `x.s:1:6: ".", expected a name, a comma and an expression [text-expected]`},
		{".set x 2", `x.s:1:6: "x", expected a name, a comma and an expression [text-expected]`},
		{".set x, ", "x.s:1:9: nothing, expected a number such as 0x12, a name or ( [text-expected]"},
		{"x: .set x, 1", "x.s:1:9: x is a label, in line 1 [duplicate]"},
		{".set x, 1\nx: nop", "x.s:2:1: x is defined by .set, expected another name for the label [duplicate]"},
		{"ldi $(1+x)", "x.s:1:9: x is neither a label nor defined by .set, expected a defined name or a number such as 0x12 [text-symbol]"},
		{"ldi $(1", "x.s:1:8: nothing, expected ) [text-expected]"},
		{"ldi $(0x10 << 40)", "x.s:1:5: $(17592186044416) does not fit IMM, expected 0 to 4294967295 [text-range]"},
		{"ldi $(1) x", `x.s:1:10: "x", expected the end of the instruction [text-expected]`},
		{"ldi $(0-1) ", "x.s:1:5: $(-1) does not fit IMM, expected 0 to 4294967295 [text-range]"},
		// a .set that fails declares its name, so that its uses are not reported
		{".set x, 1/0\n.set y, x+1\nldi $(x)\nldi $(y)\n.word x, y\n.align x\n.skip y-x\nl:", "x.s:1:10: division by 0 [text-range]"},
		{".set x 2\nldi $(x)\n.set x, 3\nldi $(x+z)", `x.s:1:6: "x", expected a name, a comma and an expression [text-expected]` +
			"\nx.s:4:9: z is neither a label nor defined by .set, expected a defined name or a number such as 0x12 [text-symbol]"},
		{".aligned 4", `x.s:1:1: no instruction starts with ".aligned" [text-unknown]`},
	} {
		_, err := assemble(t, load(t, toy), x.text)
		if err == nil || err.Error() != x.want {
			t.Errorf("%q\n got %v\nwant %s", x.text, err, x.want)
		}
	}
}

func TestConstant(t *testing.T) {
	for text, want := range map[string]string{
		"(1+2), $(4)": "3 up to 5",
		"( -(3) )x":   "-3 up to 8",
		"((":          "nothing, expected a number such as 0x12, a name or ( [text-expected]",
		"(x)":         "x is neither a label nor defined by .set, expected a defined name or a number such as 0x12 [text-symbol]",
	} {
		v, end, err := source.Constant(text)
		got := fmt.Sprintf("%d up to %d", v, end)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}
