package lint

import (
	"cmp"
	"maps"
	"slices"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// checkNames records which declarations a program reads. After the last program, it reports the
// declarations that no program reads.
func (l *linter) checkNames() {
	if len(l.Names) > 0 {
		l.recordNames()
	}
	if l.Program != &l.Programs[len(l.Programs)-1] {
		return
	}
	unused := slices.DeleteFunc(slices.Collect(maps.Keys(l.named)), func(n Name) bool { return l.named[n] })
	slices.SortFunc(unused, func(a, b Name) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.State, b.State), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Name, b.Name))
	})
	for _, n := range unused {
		s := l.state(n.State)
		if s == nil || len(l.starts) == 0 {
			continue
		}
		name := facts.Access{State: s, Number: n.Number, Mask: 1<<max(1, len(s.Components)) - 1, Address: -1}.String()
		if n.Name != "" {
			name = n.Name + " (" + name + ")"
		}
		told := len(l.found)
		l.report(l.starts[0].addr, diag.UnusedName, name, "%s %s is declared but never read", n.Kind, name)
		for i := range l.found[told:] {
			l.found[told+i].span = n.Span
		}
	}
}

// recordNames records which declarations the program reads. It considers only instructions that the
// program reaches.
func (l *linter) recordNames() {
	read := map[string]map[int]bool{} // by state; -1 means all registers
	add := func(state string, number int) {
		if read[state] == nil {
			read[state] = map[int]bool{}
		}
		read[state][number] = true
	}
	for _, in := range l.code {
		if len(in.nodes) == 0 {
			continue
		}
		for a := range in.facts.Reads() {
			if a.Number >= 0 {
				add(a.State.Name, a.Number)
			} else {
				l.addIndexed(in, a.State.Name, add)
			}
		}
	}
	for _, n := range l.Names {
		used := read[n.State][-1]
		for k := range n.Count {
			used = used || read[n.State][n.Number+k]
		}
		l.named[n] = l.named[n] || used
	}
}

// addIndexed records the registers that a read with a computed register number may access. If the
// constant part of the number lies in a declaration of several registers, addIndexed assumes that the
// read stays in that declaration. Otherwise it assumes that the read may access the whole register
// file.
func (l *linter) addIndexed(in *inst, state string, add func(state string, number int)) {
	l.Decoder.Addr = in.addr
	for _, o := range l.Decoder.Operands(nil, in.inst) {
		if o.Kind != isa.RegisterOperand || o.Register.File == nil || o.Register.File.Name != state || o.Relative.File == nil {
			continue
		}
		i := slices.IndexFunc(l.Names, func(n Name) bool {
			return n.State == state && n.Count > 1 && n.Number <= o.Register.Index && o.Register.Index < n.Number+n.Count
		})
		if i >= 0 {
			add(state, o.Register.Index)
			return
		}
	}
	add(state, -1)
}
