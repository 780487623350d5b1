package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// Facts is what an instruction reads, writes and may do to the flow of control.
type Facts struct {
	Effects
	// Runs is set where it runs other instructions, whose facts are not here.
	Runs bool `json:"runs,omitempty"`
	// Around is what the rules around all instructions do beside it.
	Around *Effects `json:"around,omitempty"`
}

// Effects are what a part of the meaning of an instruction does.
type Effects struct {
	Reads    []Access `json:"reads,omitempty"`
	Writes   []Access `json:"writes,omitempty"`
	Flow     []Flow   `json:"flow,omitempty"`
	Traps    []Trap   `json:"traps,omitempty"`
	Services []string `json:"services,omitempty"`
	// Lanes is set where it looks at other lanes, Waits where it waits for others.
	Lanes bool `json:"lanes,omitempty"`
	Waits bool `json:"waits,omitempty"`
}

// Access is what is read or written of a state.
type Access struct {
	State string `json:"state"`
	// Number is absent where it is only known when the instruction runs, and for what has none.
	Number     *int     `json:"number,omitempty"`
	Components []string `json:"components,omitempty"`
	Maybe      bool     `json:"maybe,omitempty"`
	// Carried is set of what counts as read where the register is read that it goes to.
	Carried bool `json:"carried,omitempty"`
	// Size is in bytes, of memory. Address is absent where it is only known when the instruction runs.
	Size    int    `json:"size,omitempty"`
	Address *int64 `json:"address,omitempty"`
}

// Trap is a reason for which an instruction may stop.
type Trap struct {
	Why   string `json:"why"`
	Maybe bool   `json:"maybe,omitempty"`
}

// appendFacts appends what the meaning of an instruction says, if it has one.
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

// appendEffects appends members, each with a comma behind it.
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

// facts tells what the instruction does, part by part.
func (e *explainer) facts(f *facts.Facts) {
	e.effects("", &f.Own)
	if f.Runs {
		e.printf("runs other instructions of the program\n")
	}
	e.effects("around it: ", &f.Around)
}

func (e *explainer) effects(part string, x *facts.Effects) {
	e.fact(part+"reads", accesses(x.Reads))
	e.fact(part+"writes", accesses(x.Writes))
	var flows, traps []string
	for i := range x.Flows {
		flows = append(flows, flowText(&x.Flows[i]))
	}
	if len(flows) > 0 && x.Flows[0].Maybe {
		flows[0] = "perhaps " + flows[0]
	}
	if part != "" || len(flows) != 1 || x.Flows[0].Kind != isa.Next {
		e.fact(part+"goes on", flows)
	}
	for _, t := range x.Traps {
		traps = append(traps, t.Why)
	}
	e.fact(part+"stops on", traps)
	e.fact(part+"asks for", x.Services)
}

func (e *explainer) fact(what string, list []string) {
	if len(list) > 0 {
		e.printf("%s\n", wrap(what+" "+strings.Join(list, ", "), "", e.Width))
	}
}

// accesses lists what is read or written, what is read to be handed on and what depends on a condition behind the rest.
func accesses(list []facts.Access) []string {
	var always, carried, perhaps []string
	for _, a := range list {
		switch {
		case a.Carried:
			carried = append(carried, a.String())
		case a.Maybe:
			perhaps = append(perhaps, a.String())
		default:
			always = append(always, a.String())
		}
	}
	if len(carried) > 0 {
		carried[0] = "in passing " + carried[0]
	}
	if len(perhaps) > 0 {
		perhaps[0] = "perhaps " + perhaps[0]
	}
	return slices.Concat(always, carried, perhaps)
}

// flowText tells of a way in which control goes on.
func flowText(f *isa.Flow) string {
	var s string
	switch {
	case f.Kind == isa.Next:
		s = "behind it"
	case f.Kind == isa.End:
		s = "nowhere: the end"
	case f.Stack != "":
		s = "where " + f.Stack + " says"
	case f.Target >= 0:
		s = fmt.Sprintf("at 0x%x, %s", f.Target/8, f.Kind)
	default:
		s = fmt.Sprintf("at a computed place, %s", f.Kind)
	}
	return s
}
