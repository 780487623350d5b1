package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// Facts describes what an instruction reads and writes, and where control can go after it.
type Facts struct {
	Effects
	// Runs is set if the instruction runs other instructions. Their facts are separate.
	Runs bool `json:"runs,omitempty"`
	// Around holds the implicit effects: those of the code that all instructions share, such as the end of a scope.
	Around *Effects `json:"around,omitempty"`
}

// Effects are the effects of a part of the semantics of an instruction.
type Effects struct {
	Reads    []Access `json:"reads,omitempty"`
	Writes   []Access `json:"writes,omitempty"`
	Flow     []Flow   `json:"flow,omitempty"`
	Traps    []Trap   `json:"traps,omitempty"`
	Services []string `json:"services,omitempty"`
	// Lanes is set if the result depends on other lanes, and Waits is set if the instruction waits for them.
	Lanes bool `json:"lanes,omitempty"`
	Waits bool `json:"waits,omitempty"`
}

// Access describes the registers, stack slots or memory bytes that an instruction reads or writes.
type Access struct {
	State string `json:"state"`
	// Number is absent if the number is known only at run time, and for state without numbers.
	Number     *int     `json:"number,omitempty"`
	Components []string `json:"components,omitempty"`
	Maybe      bool     `json:"maybe,omitempty"`
	// Carried is set if the value only goes to a register that forwards it. The access counts as a read at the point
	// where that register is read.
	Carried bool `json:"carried,omitempty"`
	// Size is the number of bytes of a memory access. Address is absent if it is known only at run time.
	Size    int    `json:"size,omitempty"`
	Address *int64 `json:"address,omitempty"`
}

// Trap is a reason why an instruction can trap.
type Trap struct {
	Why   string `json:"why"`
	Maybe bool   `json:"maybe,omitempty"`
}

// appendFacts appends the facts that follow from the semantics of an instruction, if it has semantics.
func (j *JSON) appendFacts(dst []byte, d *isa.Decoder, in isa.Inst) []byte {
	if j.Facts == nil {
		return dst
	}
	f, err := j.Facts.Of(d, in)
	if err != nil {
		return dst
	}
	dst = append(dst, `,"facts":{`...)
	dst = appendEffects(dst, &f.Own)
	if f.Runs {
		dst = append(dst, `"runs":true,`...)
	}
	if around := appendEffects(nil, &f.Around); len(around) > 0 {
		dst = append(append(append(dst, `"around":{`...), around[:len(around)-1]...), '}', ',')
	}
	return closed(dst, '}')
}

// appendEffects appends members, each followed by a comma.
func appendEffects(dst []byte, e *facts.Effects) []byte {
	dst = appendAccesses(dst, `"reads":[`, e.Reads)
	dst = appendAccesses(dst, `"writes":[`, e.Writes)
	if len(e.Flows) > 0 {
		dst = append(dst, `"flow":[`...)
		for i := range e.Flows {
			dst = append(appendFlow(dst, &e.Flows[i]), ',')
		}
		dst = append(closed(dst, ']'), ',')
	}
	if len(e.Traps) > 0 {
		dst = append(dst, `"traps":[`...)
		for _, t := range e.Traps {
			dst = appendMaybe(appendString(append(dst, `{"why":`...), t.Why), t.Maybe)
			dst = append(dst, '}', ',')
		}
		dst = append(closed(dst, ']'), ',')
	}
	if len(e.Services) > 0 {
		dst = append(dst, `"services":[`...)
		for _, s := range e.Services {
			dst = append(appendString(dst, s), ',')
		}
		dst = append(closed(dst, ']'), ',')
	}
	if e.Lanes {
		dst = append(dst, `"lanes":true,`...)
	}
	if e.Waits {
		dst = append(dst, `"waits":true,`...)
	}
	return dst
}

func appendMaybe(dst []byte, maybe bool) []byte {
	if maybe {
		dst = append(dst, `,"maybe":true`...)
	}
	return dst
}

func appendAccesses(dst []byte, name string, list []facts.Access) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(dst, name...)
	for i := range list {
		a := &list[i]
		dst = appendString(append(dst, `{"state":`...), a.State.Name)
		if a.Number >= 0 && !a.State.Single {
			dst = strconv.AppendInt(append(dst, `,"number":`...), int64(a.Number), 10)
		}
		if comps := a.Components(); len(comps) > 0 {
			dst = append(dst, `,"components":[`...)
			for _, c := range comps {
				dst = append(appendString(dst, c), ',')
			}
			dst = closed(dst, ']')
		}
		if a.Size > 0 {
			dst = strconv.AppendInt(append(dst, `,"size":`...), int64(a.Size), 10)
		}
		if a.Address >= 0 {
			dst = strconv.AppendInt(append(dst, `,"address":`...), a.Address, 10)
		}
		if a.Carried {
			dst = append(dst, `,"carried":true`...)
		}
		dst = append(appendMaybe(dst, a.Maybe), '}', ',')
	}
	return append(closed(dst, ']'), ',')
}

// facts prints the effects of the instruction, and then its implicit effects.
func (e *explainer) facts(f *facts.Facts) {
	e.effects("", &f.Own)
	if f.Runs {
		e.printf("runs other instructions of the program\n")
	}
	e.effects("implicit: ", &f.Around)
}

// effects prints a line for each kind of effect. Each line starts with part.
func (e *explainer) effects(part string, x *facts.Effects) {
	line := func(clauses ...string) {
		clauses = slices.DeleteFunc(clauses, func(c string) bool { return c == "" })
		if len(clauses) > 0 {
			e.printf("%s\n", hang(part+strings.Join(clauses, "; "), "", "  ", e.Width))
		}
	}
	line(accesses("reads ", x.Reads, func(a *facts.Access) bool { return !a.Carried && !a.Maybe }),
		accesses("forwards ", x.Reads, func(a *facts.Access) bool { return a.Carried }),
		accesses("may read ", x.Reads, func(a *facts.Access) bool { return !a.Carried && a.Maybe }))
	line(accesses("writes ", x.Writes, func(a *facts.Access) bool { return !a.Maybe }),
		accesses("may write ", x.Writes, func(a *facts.Access) bool { return a.Maybe }))
	line(flowText(x.Flows))
	line(traps("traps: ", x.Traps, false), traps("may trap: ", x.Traps, true))
	if len(x.Services) > 0 {
		line(inNumber("uses the host callback", len(x.Services)) + " " + enumerate(x.Services, "and"))
	}
	if x.Lanes {
		line("depends on other lanes")
	}
	if x.Waits {
		line("waits for other lanes")
	}
}

// accesses returns a verb and the wanted accesses, with whole stacks last. It returns "" if there are no wanted
// accesses.
func accesses(verb string, list []facts.Access, wanted func(*facts.Access) bool) string {
	var names, stacks []string
	for i := range list {
		switch a := &list[i]; {
		case !wanted(a):
		case a.State.Kind == facts.Stack && a.Mask == 0:
			stacks = append(stacks, a.State.Name)
		case a.State.Kind == facts.Stack:
			for _, c := range a.Components() {
				names = append(names, a.State.Name+"."+c)
			}
		default:
			names = append(names, a.String())
		}
	}
	text := strings.Join(names, ", ")
	if len(stacks) > 0 {
		if text != "" {
			text += " and "
		}
		text += "the " + enumerate(stacks, "and") + " " + inNumber("stack", len(stacks))
	}
	if text == "" {
		return ""
	}
	return verb + text
}

// flowText describes where control can go. It returns "" if control can only continue at the next instruction.
func flowText(flows []isa.Flow) string {
	// If control may go to several places, the verbs follow "may" and have no s.
	var ends, next, may bool
	var jumps, calls, stacks []string
	for i := range flows {
		f := &flows[i]
		may = may || f.Maybe
		place := "a computed address"
		if f.Target >= 0 {
			place = fmt.Sprintf("0x%x", f.Target/8)
		}
		switch {
		case f.Kind == isa.Next:
			next = true
		case f.Kind == isa.End:
			ends = true
		case f.Stack != "":
			stacks = append(stacks, f.Stack)
		case f.Kind == isa.Call:
			calls = append(calls, place)
		default:
			jumps = append(jumps, place)
		}
	}
	var list []string
	for _, action := range []struct {
		verb, object string
		there        bool
	}{
		{"jump", " to " + enumerate(jumps, "or"), len(jumps) > 0},
		{"call", " " + enumerate(calls, "or"), len(calls) > 0},
		{"continue", " at an address from the " + enumerate(stacks, "or") + " stack", len(stacks) > 0},
		{"end", " the program", ends},
	} {
		switch {
		case !action.there:
		case may:
			list = append(list, action.verb+action.object)
		default:
			list = append(list, action.verb+"s"+action.object)
		}
	}
	if len(list) == 0 {
		return ""
	}
	text := enumerate(list, "or")
	if may {
		text = "may " + text
	}
	if next {
		text += "; otherwise falls through"
	}
	return text
}

// traps returns a verb and the reasons of the traps that are conditional, if maybe is set, or unconditional. It returns
// "" if there are none.
func traps(verb string, list []facts.Trap, maybe bool) string {
	var reasons []string
	for _, t := range list {
		if t.Maybe == maybe && !slices.Contains(reasons, t.Why) {
			reasons = append(reasons, t.Why)
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return verb + strings.Join(reasons, ", ")
}

// enumerate joins names with commas, the last with a word.
func enumerate(names []string, last string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " " + last + " " + names[n-1]
	}
	return strings.Join(names, "")
}

// inNumber returns a noun for n things, with an s if there are several.
func inNumber(noun string, n int) string {
	if n > 1 {
		return noun + "s"
	}
	return noun
}
