package vectors

import (
	"math"
	"math/rand/v2"

	"github.com/isago/isago/internal/bitblast"
	"github.com/isago/isago/internal/sem"
)

// purpose is what code does with a value.
type purpose uint8

const (
	number  purpose = 1 << iota // an integer
	float                       // a float of 32 bits or less
	double                      // the upper half of a float of 64 bits
	low                         // the lower half
	address                     // the number of a register, or an address in a memory
	jump                        // an address of code
	mask                        // lanes
)

// purposes finds out what code does with each value.
func purposes(insts []sem.Inst) []purpose {
	list := make([]purpose, len(insts))
	add := func(id sem.ID, p purpose) {
		if id != sem.NoID {
			list[id] |= p
		}
	}
	for i := len(insts) - 1; i >= 0; i-- {
		in := &insts[i]
		p := list[i]
		if in.Type().Kind == sem.Float {
			p |= float
			if in.Type().Width == 64 {
				p = p&^float | double
			}
			list[i] = p
		}
		switch in.Op {
		case sem.OpReadX, sem.OpWriteX, sem.OpLoad, sem.OpStore:
			add(in.A, address)
		case sem.OpJump:
			add(in.A, jump)
		case sem.OpLanesOf:
			add(in.A, mask)
		case sem.OpCast, sem.OpFlush, sem.OpSplat, sem.OpNeg, sem.OpSlice, sem.OpSext:
			if in.Op == sem.OpSlice && in.From().Kind != sem.Float && p&float != 0 && in.From().Width == 64 {
				p = p&^float | number
			}
			add(in.A, p)
		case sem.OpSelect:
			add(in.B, p)
			add(in.C, p)
		case sem.OpConcat:
			if in.Type().Width == 64 && p&double != 0 {
				add(in.A, double)
				add(in.B, low)
				break
			}
			add(in.A, p)
			add(in.B, p)
		case sem.OpAdd, sem.OpSub, sem.OpShl, sem.OpShr, sem.OpMin, sem.OpMax, sem.OpAnd, sem.OpOr, sem.OpMul:
			add(in.A, p&(address|jump|mask))
			add(in.B, p&(address|jump|mask))
		case sem.OpConvert:
			if in.From().Kind == sem.Float {
				add(in.A, float|p&address)
			} else {
				add(in.A, p&address)
			}
		}
		if from := in.From(); from.Kind == sem.Float && in.A != sem.NoID {
			add(in.A, float)
			if in.Op >= sem.OpEq && in.Op <= sem.OpLe {
				add(in.B, float)
			}
		}
	}
	return list
}

// floats are numbers at which something happens: zeros, denormals, the smallest and the largest, infinities, NaN of several
// kinds, numbers next to 1, to a half and to the limits of integers, and factors whose product or sum lies halfway between two
// numbers.
var floats = []uint32{
	0, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40400000,
	1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff,
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001, 0xff923456,
	0x3f800001, 0x3f7fffff, 0x3effffff, 0x3f000001, 0x3f800800, 0x3f801000, 0x3f802800, 0x33800000, 0x34000000, 0xb3800000, 0x33800001,
	0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x5f000000, 0x5f7fffff,
	0x437f0000, 0x43000000, 0xc3000000, 0x477fff00, 0x20000000, 0x1fffffff, 0x60000000, 0x42fe0000, 0xc3160000, 0x40490fdb,
	0x7149f2ca, 0x0da24260, 0x1f800000, 0x5f800000,
}

// halves are such numbers of 16 bits.
var halves = []uint16{0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7d01, 0x3c01, 0x3bff, 0x6400, 0x77ff}

// doubles are the upper halves of such numbers of 64 bits.
var doubles = []uint32{0, 0x80000000, 0x3ff00000, 0xbff00000, 0x40000000, 0x3fe00000, 0x3ff80000, 0x00100000, 0x000fffff, 0x7fefffff, 0xffefffff, 0x7ff00000, 0xfff00000, 0x7ff80000, 0xfff80000, 0x7ff00001, 0x3cb00000, 0x3ca00000, 0x41dfffff, 0x41e00000, 0x43e00000, 0x36a00000, 0x47efffff, 0x3ff00000}

// numbers are integers at which something happens in a type of some width.
var numbers = []uint64{
	0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xffff8000, 0xffff7fff, 0xffffff80, 0x55555555, 0xaaaaaaaa, 0x12345678,
	0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
}

// source makes the values of the inputs of a batch.
type source struct {
	*rand.Rand
	insts    []sem.Inst
	purposes []purpose
	limits   []float32 // the constants that floats are compared with
	numbers  []uint64  // the constants that integers are compared or combined with
	next     uint64    // the address of the next instruction
	init     *initial
	uses     map[component]purpose
	ranges   uint64 // the largest number of registers or bytes that computed numbers select
	made     []*cells
	plain    int // the runs from 0 on whose values are ordinary and distinct
	serial   uint64
	empty    bool                         // stacks have no entries, unless a run must have some
	narrow   bool                         // floats have short mantissas and moderate exponents
	given    map[component]map[int]uint64 // values that a run must have
	stacked  map[*sem.State]map[int][][]uint64
}

// newSource returns the source of a batch for some code.
func newSource(seed uint64, insts []sem.Inst, next uint64, plain, width int) *source {
	s := &source{
		Rand: rand.New(rand.NewPCG(seed, 51)), insts: insts, purposes: purposes(insts), next: next, plain: plain,
		uses: map[component]purpose{}, given: map[component]map[int]uint64{}, stacked: map[*sem.State]map[int][][]uint64{}, ranges: 4,
	}
	for i := range insts {
		in := &insts[i]
		switch in.Op {
		case sem.OpRead:
			s.uses[component{in.State, int(in.Imm), in.Comp}] |= s.purposes[i]
		case sem.OpReadX, sem.OpWriteX:
			s.ranges = max(s.ranges, uint64(in.State.Count))
		case sem.OpLoad, sem.OpStore:
			s.ranges = max(s.ranges, 256)
		case sem.OpEq, sem.OpNe, sem.OpAnd, sem.OpMin, sem.OpMax:
			s.constants(in)
		case sem.OpLt, sem.OpLe:
			s.constants(in)
			for _, a := range [2]sem.ID{in.A, in.B} {
				if c := &insts[a]; in.From().Kind == sem.Float && in.From().Width == 32 && c.Op == sem.OpConst && uint32(c.Imm)<<1 != 0 {
					s.limits = append(s.limits, math.Float32frombits(uint32(c.Imm)))
				}
			}
		}
	}
	var exists [runs]uint64
	for i := range runs / width {
		exists[i] = 1<<width - 1
		if i*width >= plain && s.IntN(4) == 0 {
			exists[i] = 1 + s.Uint64N(1<<width-1)
		}
	}
	s.init = &initial{
		width: width, exists: exists,
		registers: map[component]*cells{}, stacks: map[*sem.State]*[runs][][]uint64{}, bytes: map[byteAt]byte{},
		register: s.register, entries: s.entries, load: s.load,
	}
	return s
}

// constants notes the integers among the arguments of an operation.
func (s *source) constants(in *sem.Inst) {
	for _, a := range [2]sem.ID{in.A, in.B} {
		if c := &s.insts[a]; c.Op == sem.OpConst && (c.Type().Kind == sem.Uint || c.Type().Kind == sem.Sint) && c.Type().Width >= 8 && c.Imm > 1 {
			s.numbers = append(s.numbers, c.Imm)
		}
	}
}

func widthMask(w int) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<w - 1
}

// register makes the values of a component.
func (s *source) register(c component) *cells {
	v := &cells{}
	t := c.state.Type.Elem()
	for r := range v {
		x, ok := s.given[c][r]
		switch {
		case shared(c.state) && s.init.first(r) != r:
			x = v[s.init.first(r)]
		case ok:
		case c.state.ReadOnly:
			x = 0
			if i := c.number*max(1, c.state.Type.Len) + c.comp; i < len(c.state.Values) {
				x = c.state.Values[i]
			}
		case c.state.Scope == 0: // exists for one instruction
			x = c.state.Init
		case c.state.InitExists:
			x = s.init.exists[r/s.init.width]
			if r >= s.plain && s.IntN(4) == 0 {
				x &= s.Uint64()
			}
		case r < s.plain:
			x = s.ordinary(t, s.uses[c])
		default:
			x = s.value(t, s.uses[c], r)
		}
		v[r] = x & widthMask(t.Width)
	}
	if t.Width == 32 {
		s.made = append(s.made, v)
	}
	return v
}

// ordinary returns a value unlike all others, for seeing which register an instruction reads.
func (s *source) ordinary(t sem.Type, p purpose) uint64 {
	s.serial++
	n := s.serial
	switch {
	case t.Kind == sem.Bool || t.Width == 1:
		return n & 1
	case t.Kind == sem.Float && t.Width == 32 || p&float != 0 && t.Width == 32:
		return uint64(math.Float32bits(float32(n) + 0.25))
	case p&double != 0 && t.Width == 32:
		return math.Float64bits(float64(n)+0.25) >> 32
	case p&low != 0:
		return 0
	case p&float != 0 && t.Width == 16:
		return 0x3c00 + n*16
	case p&address != 0:
		return n % min(8, s.ranges)
	case t.Width <= 8:
		return 1 + n%7
	case t.Width <= 16:
		return 0x101 * (n % 0x80)
	}
	return 0x01010101*(n%0x100) + n<<16
}

// value returns a value at which something may happen.
func (s *source) value(t sem.Type, p purpose, run int) uint64 {
	if t.Width == 32 && p&(float|number) != 0 && len(s.made) > 0 && s.IntN(6) == 0 && !s.narrow { // like another one
		x := s.made[s.IntN(len(s.made))][run]
		switch s.IntN(4) {
		case 0:
			return x ^ 0x80000000
		case 1:
			return x + uint64(s.IntN(3)) - 1
		}
		return x
	}
	switch {
	case t.Kind == sem.Bool || t.Width == 1:
		return uint64(s.IntN(2))
	case p&address != 0 && p&float != 0 && t.Width == 32 && s.IntN(3) > 0:
		return uint64(math.Float32bits(float32(int64(s.offset())) + quarters[s.IntN(4)]))
	case t.Kind == sem.Float && t.Width == 32, p&float != 0 && t.Width == 32 && s.IntN(8) > 0:
		return s.float()
	case p&double != 0 && t.Width == 32 && s.IntN(8) > 0:
		if s.IntN(3) > 0 {
			return uint64(doubles[s.IntN(len(doubles))])
		}
		return uint64(0x3fe00000 + s.IntN(0x400000) | s.IntN(2)<<31)
	case p&low != 0 && s.IntN(2) > 0:
		return [4]uint64{0, 1, 0x80000000, 0xffffffff}[s.IntN(4)]
	case t.Width == 16 && p&float != 0 && s.IntN(8) > 0:
		if s.IntN(3) > 0 {
			return uint64(halves[s.IntN(len(halves))])
		}
	case t.Kind == sem.Float && t.Width == 64:
		return uint64(doubles[s.IntN(len(doubles))])<<32 | uint64(s.IntN(3))*0x80000000
	case p&address != 0 && s.IntN(8) > 0:
		return s.offset()
	case p&jump != 0 && s.IntN(2) > 0:
		return s.next + uint64(s.IntN(5)) - 2
	case p&mask != 0 && s.IntN(8) > 0:
		return s.Uint64() & s.init.exists[run/s.init.width]
	case t.Width < 8:
		return s.Uint64()
	}
	if len(s.numbers) > 0 && s.IntN(4) == 0 { // next to a limit
		return s.numbers[s.IntN(len(s.numbers))] + uint64(s.IntN(9)) - 4
	}
	switch s.IntN(8) {
	case 0, 1, 2, 3:
		return numbers[s.IntN(len(numbers))]
	case 4:
		return numbers[s.IntN(len(numbers))] >> uint(s.IntN(t.Width))
	case 5:
		return s.Uint64() >> uint(s.IntN(t.Width))
	}
	return s.Uint64()
}

var quarters = [4]float32{0, 0.25, 0.5, 0.75}

func (s *source) float() uint64 {
	if len(s.limits) > 0 && s.IntN(6) == 0 {
		return uint64(math.Float32bits(s.limits[s.IntN(len(s.limits))] + float32(float32(s.IntN(11)-5)/4)))
	}
	if s.narrow {
		return uint64(s.shortFloat())
	}
	switch s.IntN(8) {
	case 0, 1, 2, 3:
		return uint64(floats[s.IntN(len(floats))])
	case 4: // few bits
		return uint64(uint32(s.IntN(2))<<31 | uint32(0x70+s.IntN(0x20))<<23 | 1<<uint(s.IntN(23)) | 1<<uint(s.IntN(23)))
	case 5:
		return uint64(s.Uint32())
	case 6:
		return uint64(math.Float32bits(float32(s.IntN(512)-256) / 4))
	}
	return uint64(s.Uint32()&0x807fffff | uint32(0x78+s.IntN(16))<<23)
}

// shortFloat returns a float that floats of fewer bits, such as those of 24 bits, can hold: a special one, or one with a mantissa
// of at most 16 bits and a moderate exponent.
func (s *source) shortFloat() uint32 {
	sign := uint32(s.IntN(2)) << 31
	switch s.IntN(6) {
	case 0:
		return sign | [4]uint32{0, 0x7f800000, 0x3f800000, 0}[s.IntN(4)]
	case 1:
		return [4]uint32{0x7fc00000, 0x5f000000, 0x20800000, 0x5f7fff80}[s.IntN(4)] | sign
	case 2: // few bits
		return sign | uint32(0x70+s.IntN(0x20))<<23 | 1<<uint(7+s.IntN(16)) | 1<<uint(7+s.IntN(16))
	case 3:
		return math.Float32bits(float32(s.IntN(512)-256) / 4)
	}
	return s.Uint32()&0x807fff80 | uint32(0x78+s.IntN(16))<<23
}

// offset returns a number of a register, an address or an offset.
func (s *source) offset() uint64 {
	n := s.ranges
	switch s.IntN(8) {
	case 0, 1, 2:
		return uint64(s.IntN(8))
	case 3:
		return uint64(4 * s.IntN(16))
	case 4:
		return n - 2 + uint64(s.IntN(4))
	case 5:
		return -uint64(s.IntN(5))
	case 6:
		return [8]uint64{127, 128, 129, ^uint64(127), ^uint64(128), 255, 256, ^uint64(126)}[s.IntN(8)]
	}
	return s.Uint64N(n)
}

// entries makes the entries of a stack.
func (s *source) entries(st *sem.State) *[runs][][]uint64 {
	list := &[runs][][]uint64{}
	uses := make([]purpose, len(st.Slots))
	for i := range s.insts {
		if in := &s.insts[i]; in.Op == sem.OpTop && in.State == st {
			uses[in.Comp] |= s.purposes[i]
		}
	}
	for r := range list {
		if first := s.init.first(r); shared(st) && first != r {
			list[r] = list[first]
			continue
		}
		if given, ok := s.stacked[st][r]; ok {
			list[r] = given
			continue
		}
		depth := [8]int{0, 0, 1, 1, 2, 3, st.Count, st.Count - 1}[s.IntN(8)]
		if r < s.plain || s.empty {
			depth = 0
		}
		for range min(max(depth, 0), st.Count) {
			entry := make([]uint64, len(st.Slots))
			for k := range entry {
				t := st.Slots[k].Type
				if t.Width == 32 && s.IntN(2) == 0 {
					entry[k] = s.next + uint64(s.IntN(3))
				} else {
					entry[k] = s.value(t, uses[k], r)
				}
				if t.Width == 64 && s.IntN(8) > 0 {
					entry[k] = s.Uint64() & s.Uint64() & s.init.exists[r/s.init.width]
				}
				entry[k] &= widthMask(t.Width)
			}
			list[r] = append(list[r], entry)
		}
	}
	return list
}

// load makes a value that a run loads.
func (s *source) load(id sem.ID, _ *sem.State, run int, _, size uint64) uint64 {
	t := s.insts[id].Type()
	if run < s.plain {
		return s.ordinary(t, s.purposes[id])
	}
	return s.value(t, s.purposes[id], run) & widthMask(int(8*size))
}

// give gives the wave whose first lane is run the state of a model.
func (s *source) give(run int, m *bitblast.Model) {
	for _, r := range m.Registers {
		c := component{r.State, r.Number, r.Comp}
		if s.given[c] == nil {
			s.given[c] = map[int]uint64{}
		}
		s.given[c][run+r.Lane] = r.Bits
	}
	for _, t := range m.Stacks {
		if s.stacked[t.State] == nil {
			s.stacked[t.State] = map[int][][]uint64{}
		}
		s.stacked[t.State][run+t.Lane] = t.Entries
	}
	for _, b := range m.Memories {
		s.init.bytes[byteAt{b.State, run + b.Lane, b.Address}] = b.Value
	}
}
