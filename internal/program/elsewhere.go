package program

import (
	"fmt"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Elsewhere says in which contexts, other than those that the parser has, a text is an instruction:
// "chip g200 has it, not g80". It is empty where the text is one in no context. The parser keeps its
// contexts, and loses the result of its last text.
func Elsewhere(p *asm.Parser, set *isa.Set, ctx bits.Value, text string) string {
	defer p.SetContext(ctx)
	has := func(ctx bits.Value) bool {
		p.SetContext(ctx)
		_, ok := p.Try(text)
		return ok
	}
	contexts := set.Contexts()
	for _, c := range contexts {
		var values []string
		for _, v := range others(set, ctx, c) {
			if with, err := set.ParseContext(ctx, c.Name, v); err == nil && has(with) {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			return fmt.Sprintf("%s %s has it, not %s", c.Name, either(values), ContextValue(set, ctx, c))
		}
	}
	for i, c := range contexts {
		for _, v := range others(set, ctx, c) {
			with, err := set.ParseContext(ctx, c.Name, v)
			if err != nil {
				continue
			}
			for _, d := range contexts[i+1:] {
				for _, w := range others(set, ctx, d) {
					if both, err := set.ParseContext(with, d.Name, w); err == nil && has(both) {
						return fmt.Sprintf("%s %s with %s %s has it, not %s with %s", c.Name, v, d.Name, w, ContextValue(set, ctx, c), ContextValue(set, ctx, d))
					}
				}
			}
		}
	}
	return ""
}

// others are the values of a context that it does not have; none of one that belongs to the text.
func others(set *isa.Set, ctx bits.Value, c isa.ContextInfo) []string {
	if c.FromText {
		return nil
	}
	var list []string
	for _, v := range c.Values {
		if with, err := set.ParseContext(ctx, c.Name, v); err == nil && with != ctx {
			list = append(list, v)
		}
	}
	return list
}

// ContextValue returns the value that a context has, by its name.
func ContextValue(set *isa.Set, ctx bits.Value, c isa.ContextInfo) string {
	for _, v := range c.Values {
		if with, err := set.ParseContext(ctx, c.Name, v); err == nil && with == ctx {
			return v
		}
	}
	return "this one"
}

func either(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
