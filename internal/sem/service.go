package sem

import (
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Service is a host callback.
type Service struct {
	Name string
	// Kind says what the host does, by its word in descriptions, or is "".
	Kind   string
	Params []Parameter
	// Result is the type of the result. Its kind is None if the service returns nothing.
	Result Type
	// Reads are the states that the host reads. It reads nothing else of the machine, and changes nothing.
	Reads []*State
}

// Parameter is a parameter of a service.
type Parameter struct {
	Name string
	// Type is a scalar or a vector. A vector has an argument for each component.
	Type Type
}

// Find returns the number of the first argument of a parameter, and the number of its arguments. n is 0 if the service has
// no parameter with that name.
func (s *Service) Find(name string) (first, n int) {
	for _, p := range s.Params {
		if p.Name == name {
			return first, p.Type.Count()
		}
		first += p.Type.Count()
	}
	return 0, 0
}

// args calls visit with the type of each argument.
func (s *Service) args(visit func(t Type)) {
	for _, p := range s.Params {
		for range p.Type.Count() {
			visit(p.Type.Elem())
		}
	}
}

// EachRead calls visit with each component of a register that the host reads. It does not visit memories.
func (s *Service) EachRead(visit func(st *State, number, comp int)) {
	for _, st := range s.Reads {
		for n := 0; n < st.Count && st.Kind == FileState; n++ {
			for k := range st.Type.Count() {
				visit(st, n, k)
			}
		}
	}
}

// Service returns the service with a name, or nil.
func (m *Machine) Service(name string) *Service { return m.services[name] }

// Services returns the names of the services in ASCII order.
func (m *Machine) Services() []string { return slices.Sorted(maps.Keys(m.services)) }

func (l *machineLoader) services(list []*spec.Function) {
	for _, f := range list {
		h, err := parseHead(f.Head)
		if err != nil {
			l.fail(err)
			continue
		}
		l.define(h.name, f.Head.Span(0, len(h.name)))
		s := &Service{Name: h.name, Kind: f.Kind}
		for _, p := range h.params {
			if n := slices.IndexFunc(s.Params, func(x Parameter) bool { return x.Name == p.name }); n >= 0 {
				l.fail(diag.Errorf(diag.Duplicate, p.typ.span, "a second parameter %s", p.name))
			}
			s.Params = append(s.Params, Parameter{p.name, l.plain(p.typ)})
		}
		if h.result != nil {
			s.Result = l.plain(h.result)
		}
		text, at := f.Reads.Text(), 0
		for name := range strings.FieldsSeq(text) {
			at += strings.Index(text[at:], name)
			span := f.Reads.Span(at, at+len(name))
			at += len(name)
			if st := l.m.states[name]; st != nil && st.Kind != StackState {
				s.Reads = append(s.Reads, st)
				continue
			}
			l.fail(diag.Errorf(diag.MeaningName, span, "%q, expected the name of a file, a register or a memory", name))
		}
		l.checkKind(s, f)
		l.m.services[h.name] = s
	}
}

// kindForms are the parameters that a service of a kind has, and the others whose names have a meaning. A vector may have
// fewer components.
var kindForms = map[string]struct {
	needed, known map[string]Type
	result        Type
}{
	"texture": {
		map[string]Type{"number": U32, "at": Type{Kind: Float, Width: 32, Len: 3}},
		map[string]Type{
			"offset": Type{Kind: Float, Width: 32, Len: 3}, "dimension": U32, "unnormalised": BoolType, "sampler": U32, "lod": F32, "given": BoolType, "computed": BoolType, "with_gradients": BoolType,
			"horizontal": Type{Kind: Float, Width: 32, Len: 3}, "vertical": Type{Kind: Float, Width: 32, Len: 3},
		},
		Type{Kind: Float, Width: 32, Len: 4},
	},
	"interpolate": {map[string]Type{"place": U32}, map[string]Type{"flat": BoolType, "centroid": BoolType, "factor": F32}, U32},
	"emit":        {map[string]Type{"slot": U32, "primitive": BoolType}, map[string]Type{"inverted": BoolType}, Type{}},
}

// checkKind checks the parameters and the result of a service that has a kind.
func (l *machineLoader) checkKind(s *Service, f *spec.Function) {
	if s.Kind == "" {
		return
	}
	form, span := kindForms[s.Kind], f.Head.Span(0, len(s.Name))
	fits := func(t, want Type) bool {
		return t.Kind == want.Kind && (t.Width == want.Width || t.Kind == Uint && t.Width < want.Width) && (t.Len == want.Len || t.Len > 1 && t.Len < want.Len)
	}
	for _, name := range slices.Sorted(maps.Keys(form.needed)) {
		if _, n := s.Find(name); n == 0 {
			l.fail(diag.Errorf(diag.MeaningType, span, "a service with kind=%q without the parameter %s", s.Kind, name))
		}
	}
	for _, p := range s.Params {
		want, ok := form.needed[p.Name]
		if !ok {
			want, ok = form.known[p.Name]
		}
		if ok && !fits(p.Type, want) {
			l.fail(diag.Errorf(diag.MeaningType, span, "the parameter %s of a service with kind=%q has the type %s, expected %s", p.Name, s.Kind, p.Type, want))
		}
	}
	if s.Kind == "interpolate" && (len(s.Reads) != 1 || s.Reads[0].Kind != MemoryState) {
		l.fail(diag.Errorf(diag.MeaningType, span, "a service with kind=%q that does not read one memory", s.Kind))
	}
	if s.Result != form.result {
		l.fail(diag.Errorf(diag.MeaningType, span, "the result of a service with kind=%q has the type %s, expected %s", s.Kind, s.Result, form.result))
	}
}

// plain returns the type of a parameter or result of a service.
func (l *machineLoader) plain(t *typeExpr) Type {
	if t.width != nil || t.enum != "" || t.t.Kind == Tuple || t.t.maybe() {
		l.fail(diag.Errorf(diag.MeaningType, t.span, "a type that cannot be passed to a service, expected bool, an integer, a float or a vector of them"))
		return U32
	}
	return t.t
}
