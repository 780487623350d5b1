package bits_test

import (
	"fmt"

	"github.com/isago/isago/bits"
)

func ExampleValue() {
	// A 128-bit instruction, given as 32-bit words, least significant first.
	v := bits.FromWords([]uint32{0x00000001, 0x00000000, 0xdeadbeef, 0x80000000})
	fmt.Println(v)
	field := v.Slice(60, 68) // 68 bits from bit 60 upwards
	fmt.Println(field, v.Uint(64, 16), v.Bit(127))
	v.SetUint(0, 8, 0xff)
	fmt.Printf("%s\n", v.AppendHex(nil, 32))
	// Output:
	// 80000000deadbeef0000000000000001
	// 80000000deadbeef0 48879 1
	// 80000000deadbeef00000000000000ff
}
