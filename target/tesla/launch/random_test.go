package launch

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/translatetest"
)

var (
	programs = flag.Int("programs", 12, "number of random programs for TestDivergence")
	seeds    = flag.Int("first", 0, "seed of the first random program for TestTranslated")
)

// drawn writes a random program in which threads part: conditions, loops that threads leave by break or by a
// branch, functions, early returns. Each thread reads and writes nothing that another one does.
type drawn struct {
	r      *rand.Rand
	text   strings.Builder
	labels int
	loops  int // around what is being written
	// calls tells that a function may be called; inside that one is being written.
	calls, inside bool
	// four makes four threads after each other do the same. Lavapipe, which runs that many together, has errors in loops that they leave
	// at different places.
	four bool
}

func (p *drawn) line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

func (p *drawn) label() string { p.labels++; return fmt.Sprintf("l%d", p.labels) }

// Registers 2 to 9 hold data, 10 to 15 counters of loops, c0 the condition at hand.
func (p *drawn) reg() int { return 2 + p.r.IntN(8) }

var conditions = []string{"lg", "e", "l", "g", "le", "ge", "s", "ns", "c", "nc", "o", "a", "na"}

// test writes what sets c0, and returns a condition on it.
func (p *drawn) test() string {
	switch p.r.IntN(4) {
	case 0:
		p.line("set $c0 # l f32 $r%d $r%d", p.reg(), p.reg())
	case 1:
		p.line("and b32 $c0 # $r%d $r%d", p.reg(), p.reg())
	case 2:
		p.line("set $c0 # l u32 $r%d $r%d", p.reg(), p.reg())
	default:
		p.line("sub b32 $c0 $r%d $r%d $r%d", p.reg(), p.reg(), p.reg())
	}
	return "(" + conditions[p.r.IntN(len(conditions))] + " $c0)"
}

func (p *drawn) block(depth int) {
	for range 1 + p.r.IntN(3) {
		p.statement(depth)
	}
}

func (p *drawn) statement(depth int) {
	choice := p.r.IntN(15) - 3
	if depth == 0 {
		choice = p.r.IntN(8) - 3
	}
	switch choice {
	case -3:
		p.line("%s f32 $r%d $r%d $r%d", []string{"add", "mul", "min", "max"}[p.r.IntN(4)], p.reg(), p.reg(), p.reg())
	case -2:
		p.line([]string{"cvt rzi s32 $r%d f32 $r%d", "cvt rn f32 $r%d s32 $r%d"}[p.r.IntN(2)], p.reg(), p.reg())
	case -1:
		p.memory()
	case 0, 1:
		p.line("%s b32 $r%d $r%d $r%d", []string{"add", "sub", "xor", "and", "or"}[p.r.IntN(5)], p.reg(), p.reg(), p.reg())
	case 2:
		p.line("%s add b32 $r%d $r%d $r%d", p.test(), p.reg(), p.reg(), p.reg())
	case 3:
		p.line("mul $r%d u16 $r%dl u16 $r%dh", p.reg(), p.reg(), p.reg())
	case 4:
		p.leave()
	case 5, 6, 7:
		p.condition(depth - 1)
	case 8, 9:
		p.breaking(depth - 1)
	case 10:
		p.branching(depth - 1)
	default:
		if !p.inside && p.loops == 0 {
			p.calls = true
			p.line("call function")
		}
	}
}

// memory stores a register to a word of local memory, at an address of the thread, and loads another word. Shared memory has a
// word for each thread.
func (p *drawn) memory() {
	p.line("and b32 $r19 $r%d 0x1c", p.reg())
	p.line("shl $a2 $r19 0x0")
	p.line("st b32 l[$a2+0x%x] $r%d", 4*p.r.IntN(4), p.reg())
	p.line("ld b32 $r%d l[0x%x]", p.reg(), 4*p.r.IntN(12))
	if p.r.IntN(2) == 0 {
		p.line("st b32 s[$a1+0x14] $r%d", p.reg())
	} else {
		p.line("long mov b32 $r%d b32 s[$a1+0x14]", p.reg())
	}
}

// leave lets some threads go: out of the loop, out of the function, or to their end.
func (p *drawn) leave() {
	switch {
	case p.loops > 0:
		p.line("%s break", p.test())
	case p.inside || p.r.IntN(4) == 0:
		p.line("%s ret", p.test())
	}
}

func (p *drawn) condition(depth int) {
	other, join := p.label(), p.label()
	p.line("joinat %s", join)
	p.line("%s bra %s", p.test(), other)
	p.block(depth)
	if p.r.IntN(2) == 0 {
		p.line("bra %s", join)
		p.line("%s:", other)
		p.block(depth)
	} else {
		p.line("%s:", other)
	}
	p.line("%s:", join)
	p.line("join (never) nop")
}

// counter starts a loop of up to four turns, a number of its own for each thread.
func (p *drawn) counter() int {
	n := 10 + p.loops
	p.line("and b32 $r%d $r%d 0x3", n, n-8)
	p.line("add b32 $r%d $r%d 0x1", n, n)
	p.loops++
	return n
}

// down counts a loop down; c0 reports whether another turn follows.
func (p *drawn) down(n int) { p.line("sub b32 $c0 $r%d $r%d $r17", n, n) }

func (p *drawn) breaking(depth int) {
	if p.loops > 3 {
		return
	}
	top, out := p.label(), p.label()
	p.line("breakaddr %s", out)
	n := p.counter()
	p.line("%s:", top)
	p.block(depth)
	p.down(n)
	p.line("(e $c0) break")
	p.line("bra %s", top)
	p.line("%s:", out)
	p.loops--
}

// branching is a loop that threads leave at its end.
func (p *drawn) branching(depth int) {
	if p.loops > 0 || p.inside { // break and ret would leave what is around it
		return
	}
	top, join := p.label(), p.label()
	p.line("joinat %s", join)
	n := p.counter()
	p.loops = 0
	p.line("%s:", top)
	p.line("add b32 $r%d $r%d $r%d", p.reg(), p.reg(), p.reg())
	if depth > 0 {
		p.condition(0)
	}
	p.down(n)
	p.line("(lg $c0) bra %s", top)
	p.line("add b32 $r%d $r%d $r10", p.reg(), p.reg()) // once for those that leave together
	p.line("%s:", join)
	p.line("join (never) nop")
}

// write writes all of it: each thread has 8 numbers of its own in memory, and writes them when it comes to the end.
func (p *drawn) write() string {
	p.line("cvt u32 $r16 u16 $r0l")
	if p.four {
		p.line("shr u32 $r16 $r16 0x2")
	}
	p.line("shl $a1 $r16 0x2")
	p.line("st b32 s[$a1+0x14] $r16")
	p.line("shl b32 $r16 $r16 0x5")
	p.line("add b32 $r16 b32 s[0x10] $r16")
	p.line("mov b32 $r17 0x1")
	for i := range 8 {
		p.line("ld b32 $r%d g14[$r16]", 2+i)
		p.line("add b32 $r16 $r16 0x4")
	}
	p.line("mov b32 $r10 0x0\nmov b32 $r11 0x0\nmov b32 $r12 0x0\nmov b32 $r13 0x0")
	p.block(3)
	for i := range 8 {
		p.line("sub b32 $r16 $r16 $r18")
		p.line("st b32 g14[$r16] $r%d", 2+i)
	}
	p.line("exit (never) nop")
	if p.calls {
		p.inside = true
		p.line("function:")
		p.block(2)
		p.line("ret")
	}
	body := strings.Replace(p.text.String(), "mov b32 $r17 0x1\n", "mov b32 $r17 0x1\nmov b32 $r18 0x4\n", 1)
	return "architecture {sm_13}\ncode {\n\tname = k\n\treg = 20\n\tlmem = 64\n\tsmem = 148\n\tbincode {\n" + body + "\t}\n}\n"
}

// alone runs a program with the threads of a mask, which is nothing for all, and returns the memory.
func alone(t *testing.T, base *session, text string, mask uint64, quirk uint64, data []byte) []byte {
	t.Helper()
	return run32(t, base, text, quirk, data, func(w *exec.Wave) {
		if mask != 0 {
			w.SetLanes(mask)
		}
	})
}

// given32 returns a session like another one, with its own memory.
func given32(t *testing.T, base *session, quirk uint64, data []byte) *session {
	t.Helper()
	s := *base // what is known of the machine is the same for all programs
	s.given, s.arrays, s.order, s.banks = map[string]*value{}, map[string]*array{}, nil, nil
	s.words.Quirks = map[string]uint64{"fall_through_first": quirk}
	if err := s.take("values", &value{typ: unsigned(32), array: true, data: data}, false); err != nil {
		t.Fatal(err)
	}
	return &s
}

// run32 runs a program with 32 threads and returns the memory. It calls begun before the warp runs.
func run32(t *testing.T, base *session, text string, quirk uint64, data []byte, begun func(w *exec.Wave)) []byte {
	t.Helper()
	s := given32(t, base, quirk, data)
	s.begun = begun
	out, err := s.Run(t.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Budget: 100000}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Stops {
		if out.Noted(&out.Stops[i]) {
			t.Fatalf("quirk %d: %s\n%s", quirk, out.Stops[i].Stop, text)
		}
	}
	return s.arrays["values"].data
}

// Each thread of a warp gives what it gives alone, whichever side of a branch runs first; -programs says how many
// programs are tried.
func TestDivergence(t *testing.T) {
	base, err := (&kernels{}).set(optBlock, "32").open([]byte("architecture {sm_13}\ncode { name = k bincode { } }"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(*programs) {
		p := &drawn{r: rand.New(rand.NewPCG(seed, 9))}
		text := p.write()
		if base.module, err = read([]byte(text), set.DefaultContext()); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		data := words(32*8, func(int) uint32 { return translatetest.Word(p.r) })
		together := alone(t, base, text, 0, 0, bytes.Clone(data))
		if other := alone(t, base, text, 0, 1, bytes.Clone(data)); !bytes.Equal(together, other) {
			t.Fatalf("program %d depends on which side runs first\n%s", seed, text)
		}
		for _, lane := range []int{p.r.IntN(16), 16 + p.r.IntN(16)} {
			one := alone(t, base, text, 1<<uint(lane), 0, bytes.Clone(data))
			if !bytes.Equal(one[32*lane:32*lane+32], together[32*lane:32*lane+32]) {
				t.Fatalf("program %d: thread %d gives %x, alone %x\n%s", seed, lane, together[32*lane:32*lane+32], one[32*lane:32*lane+32], text)
			}
		}
	}
}
