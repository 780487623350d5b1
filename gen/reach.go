package gen

// Reached collects the functions that code calls.
type Reached struct {
	Used map[*Func]bool
	// Tables tells that trees are written as tables where they can be: conditions are bits then, and call nothing.
	Tables bool
}

// NewReached returns an empty collection.
func NewReached(tables bool) *Reached { return &Reached{map[*Func]bool{}, tables} }

// Func adds a function and all that it calls.
func (r *Reached) Func(f *Func) {
	if f == nil || r.Used[f] {
		return
	}
	r.Used[f] = true
	r.Stmts(f.Body)
	if f.Eval != nil {
		for _, x := range f.Eval.all() {
			r.Expr(x)
		}
	}
	if f.Tree != nil && !(r.Tables && f.Tabled()) {
		f.Tree.conditions(r.Expr)
	}
	r.Func(f.Match)
	for _, g := range f.Shows {
		r.Func(g)
	}
}

// Stmts adds all that statements call.
func (r *Reached) Stmts(list []Stmt) {
	for i := range list {
		s := &list[i]
		r.Expr(s.Value)
		for _, x := range s.Values {
			r.Expr(x)
		}
		r.Func(s.Func)
		r.Stmts(s.Body)
		r.Stmts(s.Else)
		for _, m := range s.Members {
			r.Stmts(m)
		}
		if s.Scalar != nil && s.Scalar.Wide != nil {
			r.source(s.Scalar.Wide)
		}
		if n := s.Nested; n != nil {
			r.Func(n.Show)
			for i := range n.Steps {
				r.source(&n.Steps[i].Source)
			}
			if n.Value != nil {
				r.source(n.Value)
			}
			r.Expr(n.Computed)
		}
		if s.Kind == Done {
			return
		}
	}
}

func (r *Reached) source(s *Source) {
	if s.Entry != nil {
		r.Expr(s.Entry.Index)
	}
}

// Expr adds all that an expression calls.
func (r *Reached) Expr(x *Expr) {
	if x == nil {
		return
	}
	r.Func(x.Func)
	r.Expr(x.X)
	r.Expr(x.Y)
	r.Expr(x.Z)
	r.source(&x.Source)
}
