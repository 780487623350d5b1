package pica200

func (r *assembly) lint() {}
