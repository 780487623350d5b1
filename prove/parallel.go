package prove

import (
	"runtime"
	"slices"
	"sync"

	"github.com/isago/isago/internal/model"
)

// eachTexts checks the texts of every generation, several generations at a time. It combines the
// results in the order of the generations, so that the report does not depend on the number of
// processors. It returns the result of texts for each generation.
func (c *checker) eachTexts() [][]*model.Env {
	open := make([][]*model.Env, len(c.machines))
	own := make([]*checker, len(c.machines))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, m := range c.machines {
		own[i] = &checker{spec: c.spec, opt: c.opt, machines: c.machines, starts: c.starts, byKey: map[string]*Finding{}, before: c}
		m.c = own[i]
		slots <- struct{}{}
		group.Go(func() {
			open[i] = m.texts()
			<-slots
		})
	}
	group.Wait()
	for i, m := range c.machines {
		m.c = c
		c.merge(own[i])
	}
	return open
}

// merge adds the findings and claims of another checker.
func (c *checker) merge(from *checker) {
	for _, f := range from.findings {
		old := c.byKey[f.key]
		if old == nil {
			c.byKey[f.key] = f
			c.findings = append(c.findings, f)
			continue
		}
		if old.Witnesses == nil {
			old.Root, old.Rows, old.Witnesses = f.Root, f.Rows, f.Witnesses
		}
		if len(f.Notes) > len(old.Notes) {
			old.Notes = f.Notes
		}
		old.Gens, old.leaves = union(old.Gens, f.Gens), union(old.leaves, f.leaves)
	}
	for _, x := range from.claims {
		if x.Proved {
			c.claims = append(c.claims, x)
		} else {
			c.unproved(x.Text)
		}
	}
}

// union appends to list the elements of more that it does not contain yet.
func union[T comparable](list, more []T) []T {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// findEarlier returns the finding with a key, or nil if there is none. If the finding was recorded
// before the texts were checked, findEarlier returns a copy, because other generations use the
// original at the same time.
func (c *checker) findEarlier(key string) *Finding {
	if f := c.byKey[key]; f != nil || c.before == nil {
		return f
	}
	old := c.before.byKey[key]
	if old == nil {
		return nil
	}
	return c.add(nil, &Finding{
		Code: old.Code, Level: old.Level, Msg: old.Msg, Span: old.Span, Notes: slices.Clip(old.Notes),
		Root: old.Root, Rows: old.Rows, Witnesses: old.Witnesses, key: key,
	})
}
