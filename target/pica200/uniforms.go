package pica200

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// space hands out uniform registers: those of uniforms upward, those of constants downward, which
// another file uses again.
type space struct{ banks [otherBank]bankSpace }

type bankSpace struct {
	up, down int
	bound    int // no uniform at or above: a constant of some file is there
	top      int
	explicit []registers
}

// registers is a run of registers of one bank.
type registers struct{ first, end int }

func (s *space) init(b *banks) {
	for _, bank := range []bank{floatBank, intBank, boolBank} {
		n := b.files[bank].Count
		s.banks[bank] = bankSpace{bound: n, down: n, top: n}
	}
}

// initGeometry starts the space of a geometry shader, whose uniforms begin after its vertices. The last boolean
// becomes true after each run of one, and is not handed out.
func (s *space) initGeometry(b *banks, first int) {
	s.init(b)
	s.banks[floatBank].up = first
	flags := &s.banks[boolBank]
	flags.top--
	flags.bound, flags.down = flags.top, flags.top
}

// nextFile gives the registers of constants free again.
func (s *space) nextFile() {
	for i := range s.banks {
		s.banks[i].down = s.banks[i].top
	}
}

// blocked returns a run of explicit registers that overlaps n from first on.
func (b *bankSpace) blocked(first, n int) (registers, bool) {
	for _, e := range b.explicit {
		if first < e.end && e.first < first+n {
			return e, true
		}
	}
	return registers{}, false
}

// uniform hands out n registers upward.
func (b *bankSpace) uniform(n int) (int, bool) {
	first := b.up
	for {
		e, hit := b.blocked(first, n)
		if !hit {
			break
		}
		first = e.end
	}
	if first+n > b.bound {
		return 0, false
	}
	b.up = first + n
	return first, true
}

// constant hands out n registers downward.
func (b *bankSpace) constant(n int) (int, bool) {
	first := b.down - n
	for {
		e, hit := b.blocked(first, n)
		if !hit {
			break
		}
		first = e.first - n
	}
	if first < b.up {
		return 0, false
	}
	b.down = first
	b.bound = min(b.bound, first)
	return first, true
}

// gives takes n registers where they would be those from first on, and nothing where not.
func (b *bankSpace) gives(take func(n int) (int, bool), n, first int) bool {
	saved := *b
	if at, ok := take(n); ok && at == first {
		return true
	}
	*b = saved
	return false
}

// uniform is a declared uniform.
type uniform struct {
	name    string
	bank    bank
	first   int
	size    int
	span    diag.Span
	private bool
}

// word is what source calls the uniforms of a bank.
func (b bank) word() string { return uniformWords[b] }

var uniformWords = [...]string{inputBank: "in", floatBank: "fvec", intBank: "ivec", boolBank: "bool"}

func (r *assembly) space(d *dvleState) *space {
	if d.private() {
		return &r.spaces[1]
	}
	return &r.spaces[0]
}

// declare returns the directive that declares uniforms of a bank: NAME, NAME[SIZE], and with a
// register of their own NAME@REGISTER, NAME@REGISTER[SIZE].
func declare(bank bank) func(*assembly, *args, diag.Span) {
	return func(r *assembly, a *args, _ diag.Span) {
		r.program()
		text, at := a.rest()
		if text == "" {
			return // as where all names of a list are commented out
		}
		text = strings.TrimSuffix(text, ",")
		off := at.Off - r.base
		for part := range strings.SplitSeq(text, ",") {
			r.declareUniform(bank, part, off)
			off += len(part) + 1
		}
	}
}

// declareUniform declares the uniform that is written at off.
func (r *assembly) declareUniform(bank bank, part string, off int) {
	off += blanksAt(part)
	part = strings.Trim(part, " \t")
	span := r.span(off, off+len(part))
	d := r.program()
	written, size, ok := r.sized(part, off)
	name, register, explicit := strings.Cut(written, "@")
	defer r.undefined(strings.TrimSpace(name), span)
	if !ok {
		return
	}
	u := &uniform{name: strings.TrimSpace(name), bank: bank, first: -1, size: size, span: span, private: d.private()}
	if message := fmt.Sprintf("%q, expected a name of letters, digits, _ and $", u.name); part == "" && r.compat {
		r.asPicasso(span, "a uniform without a name uses a register, as in picasso: %s", message)
	} else if !isIdentifier(u.name) {
		r.fail(diag.Directive, span, "%s", message)
		if part == "" {
			r.offer(len(r.errs)-1, "a uniform without a name, which uses a register")
		}
		return
	}
	if explicit {
		if u.first, ok = r.explicit(u, strings.TrimSpace(register)); !ok {
			return
		}
	}
	if r.taken(u.name, span) || !r.allocate(d, u) || !r.define(u.name, span, operand{file: r.banks.files[bank], num: u.first, swz: noSwizzle}, size) {
		return
	}
	if !strings.HasPrefix(u.name, "_") {
		d.Uniforms = append(d.Uniforms, uniformEntry(u.name, bank, u.first, size))
	}
}

// sized reads NAME or NAME[SIZE]; the size is 1 where none is given. The name is read where the size is not.
func (r *assembly) sized(part string, off int) (name string, size int, ok bool) {
	name, rest, array := strings.Cut(part, "[")
	if !array {
		return name, 1, true
	}
	inner, behind, closed := strings.Cut(rest, "]")
	at := off + len(name) + 1
	if !closed {
		r.fail(diag.Directive, r.span(at-1, off+len(part)), "this [ has no matching ]")
		return name, 0, false
	}
	r.ignored("size", behind, at+len(inner)+1)
	size, ok = r.size(strings.TrimSpace(inner), r.span(at, at+len(inner)))
	return strings.TrimSpace(name), size, ok
}

// explicit reads the register after an @.
func (r *assembly) explicit(u *uniform, register string) (int, bool) {
	file := r.banks.files[u.bank]
	n, err := strconv.Atoi(strings.TrimPrefix(register, file.Name))
	if err != nil || register != file.Name+strconv.Itoa(n) {
		r.fail(diag.RegisterUse, u.span, "%q, expected a register such as %s0 after @", register, file.Name)
		return 0, false
	}
	first := &operand{file: file, num: n}
	last := &operand{file: file, num: n + u.size - 1}
	return n, r.inBank(first, u.span, register) && (u.size == 1 || r.inBank(last, u.span, "the last register of "+u.name))
}

// allocate finds the registers of a uniform: those that it has already, those it asks for, or the
// next that are free.
func (r *assembly) allocate(d *dvleState, u *uniform) bool {
	if old := r.shared[u.name]; old != nil && !u.private {
		return r.again(u, old)
	}
	bank := &r.space(d).banks[u.bank]
	if u.first >= 0 {
		if !r.free(u) {
			return false
		}
		bank.explicit = append(bank.explicit, registers{u.first, u.first + u.size})
	} else {
		var ok bool
		if u.first, ok = bank.uniform(u.size); !ok {
			r.fail(diag.SpaceFull, u.span, "not enough free registers for %s: it needs %s in addition to %d for other uniforms and to the constants", u.name, count(u.size, "register"), bank.up)
			return false
		}
	}
	if !u.private {
		r.shared[u.name] = u
	}
	r.declared = append(r.declared, u)
	return true
}

// again checks that a uniform which another file declares is declared alike.
func (r *assembly) again(u, old *uniform) bool {
	is := ""
	switch {
	case u.bank != old.bank:
		is = "is a ." + old.bank.word()
	case u.size != old.size:
		is = "has " + count(old.size, "register")
	case u.first >= 0 && u.first != old.first:
		is = "is at " + old.bank.name(old.first)
	default:
		u.first = old.first
		return true
	}
	r.fail(diag.Duplicate, u.span, "%s %s in another file", u.name, is).With(old.span, "the other declaration")
	return false
}

// free checks that nothing else of this file has the registers that a uniform asks for.
func (r *assembly) free(u *uniform) bool {
	first := ""
	for name, a := range r.aliases {
		overlaps := a.size > 0 && a.file == r.banks.files[u.bank] && a.num < u.first+u.size && u.first < a.num+a.size
		if overlaps && (first == "" || a.span.Off < r.aliases[first].span.Off) {
			first = name
		}
	}
	if first != "" {
		r.fail(diag.Duplicate, u.span, "%s overlaps the registers of %s", u.name, first).With(r.aliases[first].span, "the other declaration")
	}
	return first == ""
}
