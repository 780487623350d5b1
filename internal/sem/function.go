package sem

import (
	"cmp"
	"slices"

	"github.com/isago/isago/internal/model"
)

// Function is a function of the description that computes a scalar from its arguments, as operations.
type Function struct {
	Name   string
	Params []FunctionParam
	// Insts are the operations. Their arguments are constants, parameters and earlier operations. An OpSkip has no effect.
	Insts []Inst
	// Result is the number of the result.
	Result ID
}

// FunctionParam is a parameter of a Function.
type FunctionParam struct {
	Name string
	Type Type
	// IDs are the numbers of the components, which are OpParam operations.
	IDs []ID
}

// Functions returns the functions of the description that compute a scalar from their arguments, for the quirks and the
// context of a program, in ASCII order of their names. It omits generic functions, and functions that depend on anything else.
func (m *Machine) Functions(w *Words) []*Function {
	var list []*Function
	for name, f := range m.functions {
		if len(f.generic) > 0 || f.result == nil || f.spec.Wave {
			continue
		}
		if x := m.plainFunction(w, name, f); x != nil {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b *Function) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// plainFunction returns a function as operations, or nil if these do not only compute a scalar.
func (m *Machine) plainFunction(w *Words, name string, f *function) (out *Function) {
	var err error
	defer func() {
		if err != nil {
			out = nil
		}
	}()
	l := m.newLowerer(w)
	defer l.b.release()
	defer recoverError(&err)
	l.here, l.next = number(0), number(0)
	x := &Function{Name: name}
	var locals []local
	for _, p := range f.params {
		t := l.typeIn(p.typ, nil)
		if t.Kind == None || t.loose() || t.maybe() || t.Kind == Tuple {
			return nil
		}
		v := value{t: t, has: NoID}
		for range t.Count() {
			in := Param(t.Elem())
			v.comps = append(v.comps, l.b.push(&in))
		}
		x.Params = append(x.Params, FunctionParam{p.name, t, slices.Clone(v.comps)})
		locals = append(locals, local{name: p.name, v: v})
	}
	v := l.call(f.body, l.typeIn(f.result, nil), &model.Scope{Unit: l.anyUnit()}, model.Assumptions{}, locals)
	if len(v.comps) != 1 || v.t.Len > 0 || v.t.loose() || v.t.maybe() {
		return nil
	}
	for i := range l.b.insts {
		switch in := &l.b.insts[i]; {
		case in.Op == OpConst, in.Op == OpParam, in.Op == OpSkip, in.Op.Pure():
		default:
			return nil
		}
	}
	x.Insts, x.Result = slices.Clone(l.b.insts), v.comps[0]
	return x
}
