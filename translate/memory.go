package translate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/parse"
	"github.com/isago/isago/internal/spec"
)

// The functions that access a memory of words. NAME is the name of the memory, and SIZE its size in bytes, which is a multiple
// of 4 above 0. Addresses need not be aligned.
const (
	loadText = `
bool outside_NAME(uint address) {
	return address > SIZE - 4u;
}

bool outside_NAME_8(uint address) {
	return address >= SIZE;
}

bool outside_NAME_16(uint address) {
	return address > SIZE - 2u;
}

bool outside_NAME_64(uint address) {
	return SIZE < 8u || address > SIZE - 8u;
}

uint load_NAME(uint address) {
	if (outside_NAME(address)) return 0u;
	uint i = address >> 2u, n = (address & 3u) * 8u;
	if (n == 0u) return NAME[i];
	return NAME[i] >> n | NAME[i + 1u] << (32u - n);
}

uint load_NAME_8(uint address) {
	if (outside_NAME_8(address)) return 0u;
	return NAME[address >> 2u] >> ((address & 3u) * 8u) & 0xffu;
}

uint load_NAME_16(uint address) {
	if (outside_NAME_16(address)) return 0u;
	return load_NAME_8(address) | load_NAME_8(address + 1u) << 8u;
}

uint64_t load_NAME_64(uint address) {
	if (outside_NAME_64(address)) return 0ul;
	return packUint2x32(uvec2(load_NAME(address), load_NAME(address + 4u)));
}
`
	// ownText is for a memory that each invocation has for itself.
	ownText = `
void set_NAME(uint i, uint mask, uint bits) {
	NAME[i] = NAME[i] & ~mask | bits;
}
`
	// sharedText is for a memory that other invocations also change.
	sharedText = `
void set_NAME(uint i, uint mask, uint bits) {
	// Other invocations may change the other bits of the word.
	uint old = NAME[i];
	while (true) {
		uint seen = atomicCompSwap(NAME[i], old, old & ~mask | bits);
		if (seen == old) break;
		old = seen;
	}
}
`
	storeText = `
void store_NAME(uint address, uint value) {
	if (outside_NAME(address)) return;
	uint i = address >> 2u, n = (address & 3u) * 8u;
	if (n == 0u) {
		NAME[i] = value;
		return;
	}
	set_NAME(i, 0xffffffffu << n, value << n);
	set_NAME(i + 1u, 0xffffffffu >> (32u - n), value >> (32u - n));
}

void store_NAME_8(uint address, uint value) {
	if (outside_NAME_8(address)) return;
	uint n = (address & 3u) * 8u;
	set_NAME(address >> 2u, 0xffu << n, (value & 0xffu) << n);
}

void store_NAME_16(uint address, uint value) {
	if (outside_NAME_16(address)) return;
	store_NAME_8(address, value);
	store_NAME_8(address + 1u, value >> 8u);
}

void store_NAME_64(uint address, uint64_t value) {
	if (outside_NAME_64(address)) return;
	uvec2 words = unpackUint2x32(value);
	store_NAME(address, words.x);
	store_NAME(address + 4u, words.y);
}
`
	swapText = `
uint swap_NAME(uint address, uint expected, uint value) {
	if (outside_NAME(address)) return expected;
	if ((address & 3u) == 0u) {
		uint old = atomicCompSwap(NAME[address >> 2u], expected, value);
		return old;
	}
	store_NAME(address, value);
	return expected;
}
`
)

// access returns a function that accesses bytes of a memory: load, store, swap or outside. The surroundings define the functions
// of the memories that the shader does not have.
func (g *lowering) access(what string, s *sem.State, bits int) *shade.Func {
	suffix := ""
	if bits != 32 {
		suffix = fmt.Sprint("_", bits)
	}
	if v := g.space(s); v != nil {
		name := what + "_" + v.Name + suffix
		for _, f := range g.functionsOf(v) {
			if f.Name == name {
				g.addAccess(f)
				return f
			}
		}
		g.refuse("an access to %d bits of %s", bits, s.Name)
		return g.functionsOf(v)[0]
	}
	value := func(name string) *shade.Var { return &shade.Var{Name: name, Type: shadeType(bitsType(bits), 0)} }
	params, result := []*shade.Var{{Name: "address", Type: shade.U32}}, value("").Type
	switch what {
	case "store":
		params, result = append(params, value("value")), shade.None
	case "swap":
		params = append(params, value("expected"), value("value"))
	case "outside":
		result = shade.B
	}
	return g.provided(g.prefix+what+"_"+identifier(s.Name)+suffix, result, params...)
}

// memory is a buffer for memories of the machine.
type memory struct {
	name   string
	states []*sem.State
}

// memories returns the buffers that a shader of the machine can have, in the order of their bindings. All memories of Kernel.Global
// are one.
func (s *source) memories() (list []memory) {
	seen := map[*sem.State]bool{}
	if k := s.kernel; k != nil && k.Global != nil {
		m := memory{name: k.Global.Name}
		for _, st := range k.Global.States {
			m.states = append(m.states, s.machine.States[st.Index])
			seen[s.machine.States[st.Index]] = true
		}
		list = append(list, m)
	}
	for _, st := range s.machine.States {
		if st.Kind == sem.MemoryState && st.Scope >= spec.ScopeLaunch && !seen[st] {
			list = append(list, memory{st.Name, []*sem.State{st}})
		}
	}
	return list
}

// space returns the variable with the words of a memory. It is nil if the surroundings provide the memory.
func (g *lowering) space(st *sem.State) *shade.Var {
	s, o := g.source, g.b.options
	if v := g.spaces[st]; v != nil || o.Shape == Function {
		return v
	}
	v := &shade.Var{Type: shade.U32.Array(-1), Storage: shade.Member, Stride: 4}
	for _, m := range s.memories() {
		if !slices.Contains(m.states, st) {
			continue
		}
		v.Name = g.b.names.unique(identifier(m.name))
		v.Block = &shade.Block{Kind: shade.StorageBuffer, Name: v.Name + "_buffer", ReadOnly: !g.stores(m.states), Members: []*shade.Var{v}}
		for _, x := range m.states {
			g.spaces[x] = v
		}
		return v
	}
	if s.kernel == nil && !s.own(st) {
		return nil
	}
	v = &shade.Var{Name: g.b.names.unique(identifier(st.Name)), Storage: shade.Private}
	if st.Scope >= spec.ScopeBlock {
		v.Storage = shade.Workgroup
	}
	size := st.Count
	if s.kernel == nil {
		size = cmp.Or(size, maxPrivate)
	} else if n, ok := s.kernel.Sizes[s.kernel.Program.Machine.States[st.Index]]; ok {
		size = n
	}
	if size == 0 {
		g.refuse("the memory %s, whose size the launch does not say", st.Name)
	}
	v.Type = shade.U32.Array((max(1, min(size, g.extent(st))) + 3) / 4)
	g.spaces[st] = v
	return v
}

// stores reports whether the program may write one of the memories.
func (g *lowering) stores(list []*sem.State) bool {
	return slices.ContainsFunc(g.b.p.Insts, func(in sem.Inst) bool { return in.Op == sem.OpStore && slices.Contains(list, in.State) })
}

// extent returns a number of bytes from address 0 on that has all accesses to a memory, if the program does not compute their
// addresses.
func (g *lowering) extent(st *sem.State) int {
	most := 0
	for i := range g.b.p.Insts {
		in := &g.b.p.Insts[i]
		if in.Op != sem.OpLoad && in.Op != sem.OpStore || in.State != st {
			continue
		}
		at := &g.b.p.Insts[in.A]
		if at.Op != sem.OpConst || at.Imm > math.MaxInt32 {
			return math.MaxInt32
		}
		most = max(most, int(at.Imm)+8) // no access has more than 64 bits
	}
	return most
}

// functionsOf returns the functions of a memory that the shader has.
func (g *lowering) functionsOf(v *shade.Var) []*shade.Func {
	if list := g.spaceFuncs[v]; list != nil {
		return list
	}
	size := fmt.Sprintf("%du", v.Type.Len*4)
	if v.Type.Len < 0 {
		size = fmt.Sprintf("length(%s) * 4u", v.Name)
	}
	text := loadText
	switch {
	case v.Storage == shade.Private:
		text += ownText + storeText
	case v.Storage == shade.Workgroup || !v.Block.ReadOnly:
		text += sharedText + storeText + swapText
	}
	list, err := parse.Functions(strings.NewReplacer("NAME", v.Name, "SIZE", size).Replace(text), v)
	if err != nil {
		panic("the functions of memories: " + err.Error()) // a test reads the functions
	}
	for _, f := range list {
		f.Guarded = false
	}
	g.spaceFuncs[v] = list
	return list
}

// addAccess adds a function of a memory to the shader, after those that it calls.
func (g *lowering) addAccess(f *shade.Func) {
	if slices.Contains(g.accessed, f) {
		return
	}
	shade.Walk(f.Body, func(e *shade.Expr) {
		if e.Op == shade.Call {
			g.addAccess(e.Func)
		}
	})
	g.accessed = append(g.accessed, f)
}

// exchange returns an atomic operation. It computes the new value again as long as another invocation changes the old one.
func (g *lowering) exchange(s *stmt) []*shade.Stmt {
	index := g.unsigned(g.expr(s.index), s.index.typ)
	old := swizzle(shade.Value(g.variable(s.dest)), s.comps)
	bits := g.unsigned(old, s.dest.typ)
	load := g.from(shade.CallOf(g.access("load", s.state, 32), index), s.dest.typ)
	body := g.block(s.body)
	value := g.unsigned(g.expr(s.value), s.value.typ)
	seen := &shade.Var{Name: g.b.names.unique("seen"), Type: shade.U32}
	call := &shade.Stmt{Kind: shade.Declare, Var: seen, Value: shade.CallOf(g.access("swap", s.state, 32), index, bits, value)}
	done := &shade.Stmt{Kind: shade.If, Value: shade.Apply(shade.Eq, shade.Value(seen), bits), Body: []*shade.Stmt{{Kind: shade.Break}}}
	again := assignTo(old, g.from(shade.Value(seen), s.dest.typ))
	return []*shade.Stmt{assignTo(old, load), {Kind: shade.Loop, Body: append(body, call, done, again)}}
}
