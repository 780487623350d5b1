package launch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/feed"
)

// probe is a kernel in which each thread of a block of up to 512 writes $r5 to its element of an array, by its number
// in $physid. The array is the first parameter; $r9 and above read 0.
func probe(lines ...string) string {
	return kernel(append(lines,
		"mov $r2 $physid", "shr u32 $r3 $r2 0x8", "shl b32 $r3 $r3 0x5", "and b32 $r2 $r2 0xff", "add b32 $r2 $r2 $r3",
		"shl b32 $r2 $r2 0x2", "add b32 $r2 b32 s[0x10] $r2", "st b32 g14[$r2] $r5", "exit nop")...)
}

// values runs a kernel and returns the first n elements of the array out.
func (s *session) values(t *testing.T, n int) string {
	t.Helper()
	out, err := s.Run(t.Context(), feed.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	good(t, out)
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%x", s.arrays["out"].u32(i)))
	}
	return strings.Join(list, " ")
}

// TestLaunchFacts has a row for each fact of a launch: what a kernel finds at its start, and where. The facts are those
// of the CUDA ABI that 735 programs of NVIDIA's compiler show.
func TestLaunchFacts(t *testing.T) {
	base := opened(t)
	for _, row := range []struct {
		fact    string
		source  string
		options []string
		want    string // of the first elements, in hexadecimal
	}{
		{"x is in bits 0 to 15 of $r0", probe("and b32 $r5 $r0 0xffff"), []string{"block=3,2,1"}, "0 1 2 0 1 2"},
		{"y is in bits 16 to 25", probe("shr u32 $r5 $r0 0x10", "and b32 $r5 $r5 0x3ff"), []string{"block=1,3,2"}, "0 1 2 0 1 2"},
		{"z is in bits 26 to 31", probe("shr u32 $r5 $r0 0x1a"), []string{"block=1,2,3"}, "0 0 1 1 2 2"},
		{"all three, x running fastest, then y", probe("mov b32 $r5 $r0"), []string{"block=2,2,2"}, "0 1 10000 10001 4000000 4000001 4010000 4010001"},
		{"the largest z", probe("mov b32 $r5 $r0"), []string{"block=1,1,64"}, sequence(64, 0x4000000)},
		{"a warp has 32 threads", probe("mov $r5 $physid"), []string{"block=34"}, sequence(32, 1) + " 100 101"},
		{"the threads of a block in s[0x2], s[0x4] and s[0x6]", probe(
			"cvt u32 $r5 u16 u16 s[0x2]", "shl b32 $r5 $r5 0x8", "cvt u32 $r6 u16 u16 s[0x4]", "add b32 $r5 $r5 $r6", "shl b32 $r5 $r5 0x8",
			"cvt u32 $r6 u16 u16 s[0x6]", "add b32 $r5 $r5 $r6"), []string{"block=2,3,4"}, "20304"},
		{"the blocks of the grid in s[0x8] and s[0xa]", probe("ld $r5 b32 s[0x8]"), []string{"grid=3,2"}, "20003"},
		{"the block in s[0xc] and s[0xe], x running fastest: the last is written last", probe("ld $r5 b32 s[0xc]"), []string{"grid=3,2"}, "10002"},
		{"parameters from s[0x10]", probe("ld $r5 b32 s[0x14]"), []string{"params=out:ptr n:s32", "arg=n=7", "pointer-size=4"}, "7"},
		{"pointers of 8 bytes", probe("ld $r5 b32 s[0x18]"), []string{"params=out:ptr n:s32", "arg=n=7", "pointer-size=8"}, "7"},
		{"of which the low half counts", probe("ld $r5 b32 s[0x14]"), []string{"pointer-size=8"}, "0"},
		{"a parameter of 16 bits at a multiple of 2", probe("cvt u32 $r5 u16 u16 s[0x16]"), []string{"params=out:ptr a:u8 n:u16", "arg=a=1", "arg=n=7", "pointer-size=4"}, "7"},
		{"one of 64 bits at a multiple of 8", probe("ld $r5 b32 s[0x18]"), []string{"params=out:ptr n:u64", "arg=n=7", "pointer-size=4"}, "7"},
		{"four floats at a multiple of 16", probe("ld $r5 b32 s[0x20]"), []string{"params=out:ptr n:u32x4", "arg=n=7,1,1,1", "pointer-size=4"}, "7"},
		{"three at one of 4", probe("ld $r5 b32 s[0x14]"), []string{"params=out:ptr n:u32x3", "arg=n=7,1,1", "pointer-size=4"}, "7"},
		{"extern arrays follow the declared memory, and are 0", probe("ld $r5 b32 s[0x40]"), []string{"shared=4"}, "0"},
		{"registers from the allocated number on read 0", probe("mov b32 $r8 0x5", "mov b32 $r5 $r8"), nil, "0"},
		{"all of g[] is one memory", probe("mov b32 $r6 0x8", "add b32 $r6 b32 s[0x10] $r6", "mov b32 $r7 0x7", "st b32 g0[$r6] $r7", "ld b32 $r5 g5[$r6]"), nil, "7"},
		{"l[] has 16384 bytes", probe("mov b32 $r6 0x7", "st b32 l[0x3ffc] $r6", "ld b32 $r5 l[0x3ffc]"), nil, "7"},
		{"s[] has 16384 bytes", probe("mov b32 $r6 0x3ffc", "shl $a1 $r6 0x0", "mov b32 $r6 0x7", "st b32 s[$a1+0x0] $r6", "ld $r5 b32 s[$a1+0x0]"), nil, "7"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			s, err := base.with(row.source, append(row.options, "arg=out=u32[64]:9")...)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.values(t, len(strings.Fields(row.want))); got != row.want {
				t.Errorf("%s, expected %s", got, row.want)
			}
		})
	}
}

// sequence returns 0, step, 2*step and so on, in hexadecimal.
func sequence(n int, step uint32) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%x", uint32(i)*step))
	}
	return strings.Join(list, " ")
}

// TestPointerSize holds where the size of a pointer comes from: of a text cubin, from smem = 16 + parameters + variables.
// Parameters are a pointer and a number: 8 bytes with pointers of 4 bytes, 12 with pointers of 8.
func TestPointerSize(t *testing.T) {
	base := opened(t)
	for _, row := range []struct {
		smem    int
		options []string
		want    string // the number, as the kernel finds it at s[0x14] and at s[0x18]; or the error
	}{
		{24, nil, "7 0"}, // 16 + 8
		{28, nil, "0 7"}, // 16 + 12, no variables
		{26, nil, "7 0"}, // less than 16 + 12
		{28, []string{"pointer-size=4"}, "7 0"},
		{40, []string{"pointer-size=4"}, "7 0"},
		{40, []string{"pointer-size=8"}, "0 7"},
		{40, nil, "kernel k: parameter n is at s[0x14] with pointers of 4 bytes and at s[0x18] with pointers of 8, and both fit the 40 bytes of shared memory that the kernel declares: choose with --pointer-size 4 (a 32-bit host) or --pointer-size 8 (a 64-bit host)"},
		{0, nil, "and the file does not have the size of the kernel's shared memory: choose with --pointer-size 4"},
		{20, nil, "kernel k declares 20 bytes of shared memory, and its parameters end at 24 with pointers of 4 bytes and at 28 with pointers of 8: check the parameters, or choose"},
		{20, []string{"pointer-size=8"}, "0 7"},
		{40, []string{"pointer-size=6"}, `--pointer-size "6", expected 4 or 8 bytes`},
		// A call with one pointer alone says it for the calls of the other kernel: 16 + 8.
		{40, []string{"call=k<<<1,1>>>(out, 7)", "call=other<<<1,1>>>(out)"}, "0 7"},
	} {
		t.Run(fmt.Sprint(row.smem, row.options), func(t *testing.T) {
			source := strings.Replace(kernel("ld $r2 b32 s[0x10]", "ld $r3 b32 s[0x14]", "st b32 g14[$r2] $r3", "add b32 $r2 $r2 0x4", "ld $r3 b32 s[0x18]", "st b32 g14[$r2] $r3", "exit nop"),
				"smem = 64", fmt.Sprintf("smem = %d", row.smem), 1) + "code { name = other reg = 2 smem = 24 bincode { exit nop } }\n"
			options := append(row.options, "arg=out=u32[2]")
			if !strings.HasPrefix(strings.Join(options, " "), "call") {
				options = append(options, "params=out:ptr n:s32", "arg=n=7")
			}
			s, err := base.with(source, options...)
			if err != nil {
				t.Fatal(err)
			}
			if len(row.want) > len("0 7") {
				if _, err := s.Run(t.Context(), feed.RunOptions{}); err == nil || !strings.Contains(err.Error(), row.want) {
					t.Errorf("error %v, expected %s", err, row.want)
				}
				return
			}
			if got := s.values(t, 2); got != row.want {
				t.Errorf("%s, expected %s", got, row.want)
			}
		})
	}
}

// A diagnostic of several calls is there once, with the total of the threads of its kernel.
func TestDiagnosticsOnce(t *testing.T) {
	base := opened(t)
	source := kernel("ld b32 $r2 g15[$r124]", "mov b32 $r3 $r4", "exit nop") + "code { name = other reg = 4 smem = 16 bincode { mov b32 $r2 $r3; exit nop } }\n"
	for _, row := range []struct {
		calls []string
		want  string
	}{
		{[]string{"call=k<<<2,40>>>()", "call=k<<<1,16>>>()"}, "96 of 96 threads at 0; 96 of 96 threads at 8"},
		{[]string{"call=k<<<2,40>>>()", "call=other<<<1,5>>>()", "call=k<<<1,16>>>()", "call=other<<<1,5>>>()"},
			"96 of 96 threads of k at 0; 96 of 96 threads of k at 8; 10 of 10 threads of other at 0"},
	} {
		s, err := base.with(source, row.calls...)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Run(t.Context(), feed.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range out.Findings {
			of := out.Of(f.Program)
			got = append(got, fmt.Sprintf("%d of %d %s at %d", f.Count, of.Lanes, of.Nouns, f.PC))
		}
		if text := strings.Join(got, "; "); text != row.want {
			t.Errorf("%s, expected %s", text, row.want)
		}
	}
}
