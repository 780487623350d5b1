package gen

// Reach adds a function and all that it calls.
func Reach(used map[*Func]bool, f *Func) {
	if f == nil || used[f] {
		return
	}
	used[f] = true
	ReachStmts(used, f.Body)
	if f.Eval != nil {
		for _, x := range f.Eval.all() {
			ReachExpr(used, x)
		}
	}
	if f.Tree != nil {
		f.Tree.reach(used)
	}
	Reach(used, f.Match)
	for _, g := range f.Shows {
		Reach(used, g)
	}
}

func (t *Tree) reach(used map[*Func]bool) {
	for _, c := range t.Leaves {
		for _, x := range c.Requires {
			ReachExpr(used, x)
		}
	}
	for _, n := range t.Next {
		n.Tree.reach(used)
	}
}

// ReachStmts adds all that statements call.
func ReachStmts(used map[*Func]bool, list []Stmt) {
	for i := range list {
		s := &list[i]
		ReachExpr(used, s.Value)
		Reach(used, s.Func)
		ReachStmts(used, s.Body)
		ReachStmts(used, s.Else)
		for _, m := range s.Members {
			ReachStmts(used, m)
		}
		if s.Scalar != nil && s.Scalar.Wide != nil {
			s.Scalar.Wide.reach(used)
		}
		if n := s.Nested; n != nil {
			Reach(used, n.Show)
			for i := range n.Steps {
				n.Steps[i].reach(used)
			}
			if n.Value != nil {
				n.Value.reach(used)
			}
			ReachExpr(used, n.Computed)
		}
		if s.Kind == Done {
			return
		}
	}
}

func (s *Source) reach(used map[*Func]bool) {
	if s.Entry != nil {
		ReachExpr(used, s.Entry.Index)
	}
}

// ReachExpr adds all that an expression calls.
func ReachExpr(used map[*Func]bool, x *Expr) {
	if x == nil {
		return
	}
	Reach(used, x.Func)
	ReachExpr(used, x.X)
	ReachExpr(used, x.Y)
	ReachExpr(used, x.Z)
	x.Source.reach(used)
}
