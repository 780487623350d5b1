package launch

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/tesla"
)

// opened is a session without a kernel, of which tests make their own: the machine is checked once.
func opened(t *testing.T) *session {
	t.Helper()
	s, err := (&kernels{}).open([]byte("architecture {sm_13}\ncode { name = k bincode { } }"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// with returns a session of the same machine for a source and options, which are NAME=VALUE.
func (s *session) with(source string, options ...string) (*session, error) {
	n := *s
	n.given, n.arrays, n.order, n.banks, n.params = map[string]*value{}, map[string]*array{}, nil, nil, nil
	n.req.Options = map[string][]string{}
	for _, o := range options {
		name, value, _ := strings.Cut(o, "=")
		n.req.Options[name] = append(n.req.Options[name], value)
	}
	var err error
	if n.module, err = read([]byte(source), set.DefaultContext()); err != nil {
		return nil, err
	}
	return &n, n.options()
}

func kernel(lines ...string) string {
	return "architecture {sm_13}\ncode {\n\tname = k\n\treg = 8\n\tsmem = 64\n\tbincode {\n" + strings.Join(lines, "\n") + "\n\t}\n}\n"
}

// What ends otherwise than a kernel should says why, where, and which threads did.
func TestBadEnds(t *testing.T) {
	base := opened(t)
	for _, row := range []struct {
		name, source, block, want string
	}{
		{"endless", kernel("l: bra l"), "32", "budget at 0x0: 32 from 0"},
		{"wild store", kernel("mov b32 $r2 0x1234", "st b32 g14[$r2] $r2"), "40", "trap: access outside of g14 (4 bytes at 0x1234) at 0x8: 32 from 0"},
		{"behind an array", kernel("ld $r2 b32 s[0x10]", "add b32 $r2 $r2 0x20", "ld b32 $r2 g14[$r2]"), "1",
			"trap: access outside of g14 (4 bytes at 0x10020, 32 bytes after the start of a, which has 32 bytes) at 0x10: 1 from 0"},
		{"beyond shared memory", kernel("mov b32 $r2 0x8000", "shl $a1 $r2 0x0", "st b32 s[$a1+0x0] $r2"), "1", "trap: access outside of s (4 bytes at 0x8000 of 0x4000) at 0x10: 1 from 0"},
		{"a barrier for more", kernel("bar inc wait 0x1 0x7", "exit nop"), "64", "deadlock: barrier 1 waits for 8, but only 2 arrive at 0x0: 64 from 0"},
		{"another barrier", kernel("shr u32 $r2 $r0 0x5", "and b32 $c0 # $r2 $r2", "(e $c0) bra l", "bar inc wait 0x1 0xfff", "exit nop", "l: bar inc wait 0x2 0xfff", "exit nop"), "64",
			"deadlock: barrier 2 waits for 2, but only 1 arrive at 0x28: 32 from 0"},
		{"break without a loop", kernel("break", "exit nop"), "8", "trap: a break without a breakaddr before it at 0x0: 8 from 0"},
		{"join without a joinat", kernel("breakaddr l", "join nop", "l: exit nop"), "8", "trap: a join without a joinat token on top of the stack at 0x8: 8 from 0"},
		{"an endless stack", kernel("l: joinat l", "bra l"), "8", "trap: stack tokens is full at 0x0: 8 from 0"},
		{"the end of the code", kernel("nop"), "8", "end of words at 0x8: 8 from 0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := base.with(row.source, "block="+row.block, "arg=a=u32[8]")
			if err != nil {
				t.Fatal(err)
			}
			out, err := s.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Budget: 5000}})
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Stops) == 0 {
				t.Fatal("no stops")
			}
			stop := out.Stops[0]
			if got := fmt.Sprintf("%s: %d from %d", stop.Stop, stop.Count, stop.First); got != row.want || !out.Noted(&stop) {
				t.Errorf("%s, expected %s", got, row.want)
			}
		})
	}
}

// A kernel without arrays has no memory that it could reach, whatever numbers it takes for pointers.
func TestNoArrays(t *testing.T) {
	s, err := opened(t).with(kernel("ld b32 $r1 g14[$r0]", "exit nop"), "params=")
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(t.Context(), feed.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "trap: access outside of g14 (4 bytes at 0x0) at 0x0"
	if len(out.Stops) != 1 || out.Stops[0].Stop.String() != want {
		t.Errorf("%v, expected %s", out.Stops, want)
	}
}

func TestBadOptions(t *testing.T) {
	base := opened(t)
	source := kernel("exit nop")
	for _, row := range []struct {
		options []string
		want    string
	}{
		{[]string{"kernel=l"}, `unknown kernel "l", expected one of k`},
		{[]string{"grid=0"}, `grid "0", expected up to 2 numbers from 1 to 65535`},
		{[]string{"grid=1,1,2"}, `grid "1,1,2", expected up to 2 numbers from 1 to 65535`},
		{[]string{"block=32,32"}, `block "32,32" has 1024 threads, expected at most 512, and at most 64 in z`},
		{[]string{"shared=70000"}, `--shared "70000", expected up to 16384 bytes`},
		{[]string{"params=a:pointer"}, `unknown type "pointer"`},
		{[]string{"params=a"}, `invalid parameter "a", expected NAME:TYPE`},
		{[]string{"params=a:s32 a:s32"}, "two parameters are called a"},
		{[]string{"params=a:s32"}, "parameter a has no value, expected --arg a=VALUE"},
		{[]string{"params=a:s32", "arg=a=1,2"}, "a: 2 numbers, expected 1"},
		{[]string{"params=a:u8", "arg=a=256"}, `a: "256", expected a number of type u8`},
		{[]string{"arg=a"}, `"a", expected NAME=VALUE`},
		{[]string{"arg=a=1", "arg=a=2"}, "a is given twice"},
		{[]string{"arg=a=f31[4]"}, `unknown type "f31"`},
		{[]string{"arg=a=u32[4]:some"}, `"some", expected a number of type u32, count or random`},
		{[]string{"arg=a=@there"}, "no file there"},
		{[]string{"arg=a=1", "out=a"}, `unknown array "a"`},
		{[]string{"arg=a=u32[4]", "picture=a:3x2"}, "a has 4 elements"},
		{[]string{"call=k"}, "expected KERNEL<<<GRID,BLOCK>>>(ARG,...)"},
		{[]string{"call=k<<<1>>>()"}, "<<< >>> contains 1 values"},
		{[]string{"call=k<<<1,1>>>(a)"}, `argument "a" is neither a number nor a name from --arg`},
		{[]string{"call=k<<<1,1>>>()", "grid=2"}, "--call cannot be combined with"},
		{nil, "kernel k has 48 bytes of parameters and shared memory, starting at s[0x10], but no argument is given"},
		{[]string{"params=", "warp=x"}, `--warp "x", expected the number of a warp`},
		{[]string{"params=", "grid-budget=-1"}, `--grid-budget "-1", expected a number of instructions, at least 0`},
		{[]string{"memory=x"}, `--memory "x", expected a number of bytes, at least 0`},
		{[]string{"arg=a=u8[1]", "arg=b=u32[268435456]"}, "b: 1073741824 bytes, expected at most 1073741823: 1 of the 1073741824 bytes for all arguments and variables are in use; --memory BYTES allows more"},
		{[]string{"memory=20", "arg=a=u32[4]", "arg=b=u32[2]"}, "b: 8 bytes, expected at most 4: 16 of the 20 bytes for all"},
		{[]string{"memory=7", "arg=a=1,2"}, "a: 8 bytes, expected at most 7: 0 of the 7 bytes for all"},
		{[]string{"arg=a=u8[99999999999999999999]"}, "99999999999999999999 elements, expected a number of elements that memory can hold"},
		{[]string{"arg=a=u64[9223372036854775807]"}, "9223372036854775807 elements, expected a number of elements that memory can hold"},
	} {
		s, err := base.with(source, row.options...)
		if err == nil {
			_, err = s.Run(t.Context(), feed.RunOptions{})
		}
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v: error %v, expected %s", row.options, err, row.want)
		}
	}
}

// The variables of a file, and those that its relocations name, have room among the arguments or are not allocated.
func TestRoomForVariables(t *testing.T) {
	for _, row := range []struct {
		size, relocations int
		want              string
	}{
		{1<<30 + 1, 0, "v: 1073741825 bytes, expected at most 1073741824: 0 of the 1073741824 bytes for all"},
		{1 << 10, 1 << 15, "x16383: 65536 bytes, expected at most 64512: 1073677312 of the 1073741824 bytes for all"}, // 2^14 of them fill the memory, but for v
	} {
		s, err := opened(t).with(kernel("exit nop"), "params=")
		if err != nil {
			t.Fatal(err)
		}
		s.module.Variables = []tesla.Variable{{Name: "v", Size: row.size, Bank: -1}}
		for i := range row.relocations {
			s.module.Relocations = append(s.module.Relocations, tesla.Relocation{Variable: fmt.Sprint("x", i), Kernel: "another"})
		}
		if _, err = s.Run(t.Context(), feed.RunOptions{}); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%v, expected %s", err, row.want)
		}
	}
}

// A grid ends where all its warps together have run as many instructions as they may: the largest one too.
func TestGridBudget(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("the threads of the largest grid cannot be counted")
	}
	for _, row := range []struct {
		source, block, budget, want string
	}{
		{kernel("l: bra l"), "64", "100", "grid budget at 0x0: 64 from 0"},
		// Each warp runs one instruction: 62 blocks of 16 warps, and half of the next.
		{kernel("exit nop"), "512", "1000", "end at 0x0: 32000 from 0; grid budget at 0x0: 256 from 32000"},
	} {
		s, err := opened(t).with(row.source, "params=", "grid=65535,65535", "block="+row.block, "grid-budget="+row.budget)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Run(t.Context(), feed.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, stop := range out.Stops {
			list = append(list, fmt.Sprintf("%s: %d from %d", stop.Stop, stop.Count, stop.First))
		}
		if got := strings.Join(list, "; "); got != row.want {
			t.Errorf("%s, expected %s", got, row.want)
		}
	}
}

// An ELF cubin says how large its pointers are: an option that says otherwise is a mistake.
func TestPointerSizeOfELF(t *testing.T) {
	for option, want := range map[string]string{"8": "", "4": "--pointer-size 4, but pointers in the file have 8 bytes"} {
		s, err := opened(t).with(kernel("exit nop"), "params=", "pointer-size="+option)
		if err != nil {
			t.Fatal(err)
		}
		s.module.PointerSize = 8
		if _, err = s.Run(t.Context(), feed.RunOptions{}); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("--pointer-size %s: %v, expected %s", option, err, want)
		}
	}
}

// Parameters stand one behind the other, each at a multiple of its size; pointers of cubins of 64 bits have 8 bytes.
func TestPlaces(t *testing.T) {
	params, err := parseParams("a:u8 b:u16,c:f32 p:ptr d:f64 v:f32x4 t:s16x3")
	if err != nil {
		t.Fatal(err)
	}
	k := &opened(t).module.Kernels[0]
	place := func(params []param, pointer int) []int {
		at, _ := (&call{kernel: k, params: params, said: true}).place(pointer)
		return at
	}
	for pointer, want := range map[int]string{4: "[0 2 4 8 16 32 48]", 8: "[0 2 4 8 16 32 48]"} {
		if got := fmt.Sprint(place(params, pointer)); got != want {
			t.Errorf("pointers of %d: %s, expected %s", pointer, got, want)
		}
	}
	params, err = parseParams("n:s32 p:ptr:f32 q:u8* m:s32")
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[int]string{4: "[0 4 8 12]", 8: "[0 8 16 24]"} {
		if got := fmt.Sprint(place(params, pointer)); got != want {
			t.Errorf("pointers of %d: %s, expected %s", pointer, got, want)
		}
	}
}

// What a kernel is given stands where the hardware has it: this one writes it down.
func TestWhatThreadsSee(t *testing.T) {
	s, err := opened(t).with(kernel(
		// the number of the thread of all, 4 words each: 4 * (block * 6 + z * 6 + y * 3 + x) for blocks of 3, 2, 1
		"cvt u32 $r2 u16 $r0h", "mov b32 $r3 0x3", "add $r2 (mul u16 $r2l $r3l) $r124", "cvt u32 $r3 u16 $r0l", "add b32 $r2 $r2 $r3",
		"mov b32 $r3 0x6", "cvt u32 $r4 u16 u16 s[0xe]", "cvt u32 $r5 u16 u16 s[0x8]", "mul $r4 u16 $r4l u16 $r5l", "cvt u32 $r5 u16 u16 s[0xc]", "add b32 $r4 $r4 $r5",
		"add $r2 (mul u16 $r4l $r3l) $r2", "shl b32 $r2 $r2 0x4", "ld $r3 b32 s[0x10]", "add b32 $r2 $r3 $r2",
		"st b32 g14[$r2] $r0", "add b32 $r2 $r2 0x4", "ld $r3 b32 s[0xc]", "st b32 g14[$r2] $r3",
		"add b32 $r2 $r2 0x4", "ld $r3 b32 s[0x8]", "st b32 g14[$r2] $r3", "add b32 $r2 $r2 0x4", "ld $r3 b32 s[0x4]", "st b32 g14[$r2] $r3", "exit nop"),
		"grid=2,2", "block=3,2", "arg=out=u32[96]")
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(t.Context(), feed.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	good(t, out)
	for n := range 24 {
		block, thread := n/6, n%6
		want := [4]uint32{uint32(thread/3<<16 | thread%3), uint32(block/2<<16 | block%2), 2<<16 | 2, 1<<16 | 2}
		for k, v := range want {
			if got := s.arrays["out"].u32(4*n + k); got != v {
				t.Errorf("thread %d of block %d: word %d is %#x, expected %#x", thread, block, k, got, v)
			}
		}
	}
}

// Constants come from the file, from arguments, and from where a variable was put.
func TestConstants(t *testing.T) {
	source := `architecture {sm_11}
consts { name = factor segname = const segnum = 0 offset = 8 bytes = 4 mem { 0x5 } }
reloc { name = counter segname = const segnum = 14 offset = 4 bytes = 4 }
code {
	name = k
	reg = 8
	smem = 20
	const { segname = const segnum = 1 offset = 0 bytes = 4 mem { 0x64 } }
	bincode {
		ld $r2 b32 s[0x10]
		ld $r3 b32 c0[0x8]
		add b32 $r3 $r3 c1[0x0]
		st b32 g14[$r2] $r3
		ld $r4 b32 c14[0x4]
		red add u32 g14[$r4] $r3
		exit nop
	}
}
`
	base := opened(t)
	for factor, options := range map[uint32][]string{5: {"arg=out=u32[1]"}, 7: {"arg=factor=u32:7", "arg=out=u32[1]"}, 9: {"arg=out=u32[1]", "arg=factor=u32:9", "arg=counter=u32:1000,0", "out=counter"}} {
		s, err := base.with(source, options...)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Run(t.Context(), feed.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		good(t, out)
		if got := s.arrays["out"].u32(0); got != 100+factor {
			t.Errorf("out is %d, expected %d", got, 100+factor)
		}
		want := 100 + factor
		if factor == 9 {
			want += 1000
		}
		if got := s.arrays["counter"].u32(0); got != want {
			t.Errorf("counter is %d, expected %d", got, want)
		}
	}
}

// Half a warp reaches for the banks in one turn where all reach for banks of their own, or one word is for all;
// else in as many as there are words of one bank, one of which may be given to several.
func TestBankTurns(t *testing.T) {
	for _, row := range []struct {
		name string
		addr func(lane int) uint64
		want int
	}{
		{"words in a row", func(lane int) uint64 { return uint64(4 * lane) }, 1},
		{"every second word", func(lane int) uint64 { return uint64(8 * lane) }, 2},
		{"every third word", func(lane int) uint64 { return uint64(12 * lane) }, 1},
		{"one bank", func(lane int) uint64 { return uint64(64 * lane) }, 16},
		{"one word for all", func(int) uint64 { return 64 }, 1},
		{"one word for half, the others in a row", func(lane int) uint64 { return uint64(4 * max(lane, 8)) }, 1},
		{"bytes in a row", func(lane int) uint64 { return uint64(lane) }, 4},
	} {
		if got := bankTurns(row.addr, 0xffff, 16); got != row.want {
			t.Errorf("%s: %d turns, expected %d", row.name, got, row.want)
		}
	}
}

func TestValues(t *testing.T) {
	files := map[string]string{"a.json": "[[1, 2], [\"0x3\"]]", "b.csv": "x, y\n1.5, 2\n3, -4\n", "c.raw": "\x01\x02\x03\x04\x05\x06\x07\x08", "d.raw": "\x01\x02\x03"}
	file := func(name string) ([]byte, error) { return []byte(files[name]), nil }
	for text, want := range map[string]string{
		"5": "s32 [5 0 0 0]", "4000000000": "u32 [0 40 107 238]", "1.5": "f32 [0 0 192 63]", "u16:1,0x102": "u16 [1 0 2 1]", "u8[3]:7": "u8 [7 7 7]",
		"f32[2]:count": "f32 [0 0 0 0 0 0 128 63]", "@a.json": "s32 [1 0 0 0 2 0 0 0 3 0 0 0]", "u8:@a.json": "u8 [1 2 3]", "@b.csv": "f32 [0 0 192 63 0 0 0 64 0 0 64 64 0 0 128 192]",
		"@c.raw": "u32 [1 2 3 4 5 6 7 8]", "u16:@c.raw": "u16 [1 2 3 4 5 6 7 8]", "@d.raw": "u8 [1 2 3]", "[]": "s32 []", "u32:-1": "u32 [255 255 255 255]",
	} {
		v, err := parseValue(text, nil, 1<<10, file)
		if err != nil || fmt.Sprint(v.typ, " ", v.data) != want {
			t.Errorf("%s: %v, %v, expected %s", text, v, err, want)
		}
	}
	if _, err := parseValue("f32:@d.raw", nil, 1<<10, file); err == nil || !strings.Contains(err.Error(), "the value has 3 bytes, expected a multiple of 4") {
		t.Errorf("error %v", err)
	}
}
