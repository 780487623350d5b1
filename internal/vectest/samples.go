package vectest

import (
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/vectors"
)

// Pica200 are vectors of PICA200. The opcodes and descriptors are those of the reference; r0 to r4 are temporary
// registers, v inputs and c uniforms. 3fc00000 is 1.5, 40100000 is 2.25, 40700000 is 3.75.
func Pica200(t testing.TB, m *exec.Machine) []*vectors.File {
	all := func(x uint64) []uint64 { return []uint64{x, x, x, x} }
	plain := map[string][]string{"opdesc": {"0d86c36f"}} // all components, no swizzles
	add := Record(t, m, "pica200", "add",
		Sample{Text: "add r0, v1, r2", Words: "02001900", Tables: plain, Steps: 1, Reason: "1.5 + 2.25 is exact",
			Before: []Place{At("v", 1, 0, all(0x3fc00000)...), At("r", 2, 0, all(0x40100000)...), At("r", 0, 0, all(0)...)}},
		Sample{Text: "add r0, v1, r2", Words: "02001900", Tables: plain, Steps: 1, Reason: "infinity - infinity is NaN",
			Before: []Place{At("v", 1, 0, all(0x7f800000)...), At("r", 2, 0, all(0xff800000)...), At("r", 0, 0, all(0)...)}},
		Sample{Text: "add r0.xy, v1, r2", Words: "02001900", Tables: map[string][]string{"opdesc": {"0d86c36c"}}, Steps: 1, Reason: "z and w are not written",
			Before: []Place{At("v", 1, 0, all(0x3fc00000)...), At("r", 2, 0, all(0x40100000)...), At("r", 0, 0, 0x40400000, 0x40400000, 0x40400000, 0xc0400000)}})
	cmp := Record(t, m, "pica200", "cmp", Sample{Text: "cmp c1, lt, ge, r0", Words: "baa21800", Tables: plain, Steps: 1, Reason: "x is less, and y is equal",
		Before: []Place{At("c", 1, -1, 0x3f800000, 0x3f800000, 0, 0), At("r", 0, 0, 0x40000000, 0x3f800000, 0, 0), At("cmp", 0, 0, 0, 0)}})
	mova := Record(t, m, "pica200", "mova", Sample{Text: "mova a0.xy, c7", Words: "48027000", Tables: map[string][]string{"opdesc": {"0000036c"}}, Steps: 1, Reason: "2.75 and -2.75 have fractions",
		Before: []Place{At("c", 7, -1, 0x40300000, 0xc0300000, 0, 0), At("a0", 0, 0, 0, 0)}})
	call := Record(t, m, "pica200", "call", Sample{Text: "call 0x5, 2", Words: "90001402", Steps: 1, Reason: "an entry on the stack",
		Before: []Place{At("calls", 0, 0, 9, 1)}})
	emit := Record(t, m, "pica200", "emit", Sample{Text: "emit", Words: "a8000000", Steps: 1, Reason: "the host callback",
		Before: []Place{At("slot", 0, 0, 1), At("filled", 1, 0, 0)}})
	end := Record(t, m, "pica200", "programs", Sample{Text: "mov r1, v0\nend", Words: "4e200000 88000000", Tables: plain, Reason: "runs until the end",
		Before: []Place{At("v", 0, 0, all(0x3f800000)...), At("r", 1, 0, all(0)...)}})
	mova.Vectors = append(mova.Vectors, Record(t, m, "pica200", "mova/far", Sample{Text: "mova a0.xy, c7", Words: "48027000", Tables: map[string][]string{"opdesc": {"0000036c"}}, Steps: 1, Reason: "300 and -3 in the address registers",
		Before: []Place{At("c", 7, -1, 0x43960000, 0xc0400000, 0, 0), At("a0", 0, 0, 5, 6)}}).Vectors...)
	mul := Record(t, m, "pica200", "mul",
		Sample{Text: "mul r0.xy, c3[a0.x].wzyx, -r2", Words: "220a3900", Tables: map[string][]string{"opdesc": {"0006fc8c"}}, Steps: 1, Reason: "a negative offset",
			Before: []Place{At("c", 1, -1, 0x40000000, 0x40400000, 0x40800000, 0x40a00000), At("r", 2, 0, all(0x3fc00000)...), At("r", 0, 0, all(0x3f800000)...), At("a0", 0, 0, 0xfffffffe, 0)}},
		Sample{Text: "mul r0.xy, c3[a0.x].wzyx, -r2", Words: "220a3900", Tables: map[string][]string{"opdesc": {"0006fc8c"}}, Steps: 1, Reason: "an operand of 32 bits",
			Before: []Place{At("c", 3, -1, all(0x3f800001)...), At("r", 2, 0, all(0x3fc00000)...), At("r", 0, 0, all(0)...), At("a0", 0, 0, 0, 0)}})
	mad := Record(t, m, "pica200", "mad", Sample{Text: "mad r1, v0, c5, r3", Words: "f1009660", Tables: plain, Steps: 1, Reason: "infinity times 0 is 0, and subnormals",
		Before: []Place{At("v", 0, 0, 0x7f800000, 0x1f000000, 0x40000000, 0xbf800000), At("c", 5, -1, 0, 0x3f800000, 0x3f000000, 0x40400000), At("r", 1, 0, all(0)...), At("r", 3, 0, all(0x3f800000)...)}})
	rcp := Record(t, m, "pica200", "rcp", Sample{Text: "rcp r4, c2.y", Words: "3a822000", Tables: map[string][]string{"opdesc": {"00000aaf"}}, Steps: 1, Reason: "a power of 2",
		Before: []Place{At("c", 2, -1, 0, 0x40800000, 0, 0), At("r", 4, 0, all(0)...)}})
	jmpc := Record(t, m, "pica200", "jmpc",
		Sample{Text: "jmpc cmp.x && !cmp.y, 0xc", Words: "b2400c00", Steps: 1, Reason: "it jumps", Before: []Place{At("cmp", 0, 0, 1, 0)}},
		Sample{Text: "jmpc cmp.x && !cmp.y, 0xc", Words: "b2400c00", Steps: 1, Reason: "it does not jump", Before: []Place{At("cmp", 0, 0, 1, 1)}})
	mov := Record(t, m, "pica200", "mov",
		Sample{Text: "mov r0, c3[aL]", Words: "4e1a3000", Tables: plain, Steps: 1, Reason: "an offset by the loop counter",
			Before: []Place{At("c", 10, -1, 0x40000000, 0x40400000, 0x40800000, 0x40a00000), At("r", 0, 0, all(0x3fc00000)...), At("aL", 0, 0, 7)}},
		Sample{Text: "mov o1, v0", Words: "4c200000", Tables: plain, Steps: 1, Reason: "an output", Before: []Place{At("v", 0, 0, all(0x3f800000)...), At("o", 1, 0, all(0)...)}},
		Sample{Text: "mov o1, v0", Words: "4c200000", Tables: plain, Steps: 1, Reason: "an output that keeps its value", Before: []Place{At("v", 0, 0, all(0x7fc00000)...), At("o", 1, 0, all(0xffc00000)...)}},
		Sample{Text: "mov r0, c95[aL]", Words: "4e1ff000", Tables: plain, Steps: 1, Reason: "a negative offset by the loop counter",
			Before: []Place{At("c", 91, -1, all(0x40000000)...), At("r", 0, 0, all(0)...), At("aL", 0, 0, 0xfffffffc)}},
		Sample{Text: "mov r0.xy, c91", Words: "4e07b000", Tables: map[string][]string{"opdesc": {"0d86c36c"}}, Steps: 1, Reason: "values without a float of 24 bits in what the instruction does not need",
			Before: []Place{At("c", 91, -1, 0x40000000, 0x80000000, 0x3f800001, 0x3f800001), At("r", 0, 0, 0, 0, 0x3f800001, 0x7fc00001), At("aL", 0, 0, 0xfffffffc), At("loops", 0, 0, 9, 9, 1, 1, 0)}})
	return []*vectors.File{add, cmp, mova, call, emit, end, mul, mad, rcp, jmpc, mov}
}

// Tesla are vectors of Tesla for two lanes: an addition that sets flags, and a store to global memory.
func Tesla(t testing.TB, m *exec.Machine) []*vectors.File {
	context := map[string]string{"stage": "cp"}
	mask := At("active", 0, -1, 3)
	add := Record(t, m, "tesla", "add b32", Sample{Text: "add b32 $c0 $r0 $r32 $r32", Words: "20004001 040807c0", Context: context, Lanes: 2, Steps: 1, Reason: "a carry in one lane",
		Before: []Place{mask, At("r", 32, 0, 0x80000000), At("r", 32, 1, 5), At("r", 0, 0, 0), At("r", 0, 1, 0), At("c", 0, 0, 0), At("c", 0, 1, 0)}})
	add.Vectors = append(add.Vectors, Record(t, m, "tesla", "add b32/one", Sample{Text: "add b32 $c0 $r0 $r32 $r32", Words: "20004001 040807c0", Context: context, Lanes: 2, Active: 2, Steps: 1, Reason: "only the second lane exists",
		Before: []Place{At("active", 0, -1, 2), At("r", 32, 1, 5), At("r", 0, 1, 0), At("c", 0, 1, 0)}}).Vectors...)
	store := Record(t, m, "tesla", "st b32", Sample{Text: "st b32 g0[$r8] $r2", Words: "d0001009 a0c00780", Context: context, Lanes: 2, Steps: 1, Reason: "4 bytes of each lane",
		Before: []Place{mask, At("r", 8, 0, 0x10), At("r", 8, 1, 0x20), At("r", 2, 0, 0x11223344), At("r", 2, 1, 0xaabbccdd)},
		Watch:  []Place{At("g0", 0x10, -1), At("g0", 0x11, -1), At("g0", 0x23, -1), At("g0", 0x24, -1)}})
	return []*vectors.File{add, store}
}
