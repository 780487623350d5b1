package isa

import "github.com/isago/isago/internal/spec"

// Flow is a possible continuation of control flow after an instruction, other than the next
// instruction.
type Flow struct {
	Kind FlowKind
	// Maybe reports whether the instruction decides at run time, by a condition.
	Maybe bool
	// Target is the target address in bits from the start of the program. It is -1 if the word does
	// not determine it.
	Target int64
	// Count is the length of the code at the target, in the units of the target field. It is 0 if the
	// word does not give a length.
	Count uint64
	// Stack is the name of the stack that stores or supplies an address, or "".
	Stack string
}

// FlowKind is a kind of control flow.
type FlowKind uint8

// The kinds of flow. If and Loop open a block that ends at the target, and LoopEnd closes a loop. Push pushes a place to
// which a later instruction goes. Wait waits for other threads; if it names a stack, for those that the newest place on
// the stack belongs to.
const (
	Next    = FlowKind(spec.FlowNext)
	Jump    = FlowKind(spec.FlowJump)
	Call    = FlowKind(spec.FlowCall)
	Return  = FlowKind(spec.FlowReturn)
	End     = FlowKind(spec.FlowEnd)
	If      = FlowKind(spec.FlowIf)
	Loop    = FlowKind(spec.FlowLoop)
	LoopEnd = FlowKind(spec.FlowLoopEnd)
	Break   = FlowKind(spec.FlowBreak)
	Push    = FlowKind(spec.FlowPush)
	Wait    = FlowKind(spec.FlowWait)
)

// String returns the kind as descriptions write it: jump, call, loop-end and so on.
func (k FlowKind) String() string { return spec.FlowKind(k).String() }

// Flows appends the control flow declared for an instruction to buf. If the description declares none
// at all, each branch target is a jump or a call that may or may not happen.
func (d *Decoder) Flows(buf []Flow, in Inst) []Flow {
	d.setTop(in)
	found := len(d.findings)
	before := len(buf)
	if buf = d.flows(buf, 0); len(buf) == before && !in.Leaf.model.Root.Spec.HasFlows {
		buf = d.branchFlows(buf, 0)
	}
	d.dropFindings(found)
	return buf
}

// flows appends the flows of a frame's leaf and of its nested bitsets.
func (d *Decoder) flows(buf []Flow, depth int) []Flow {
	u := d.frames[depth].leaf
	flows := u.LeafFacts().Flows
	for i := range flows {
		f := &flows[i]
		if f.When != nil && d.eval(f.When, depth) == 0 {
			continue
		}
		flow := Flow{Kind: FlowKind(f.Spec.Kind), Target: -1, Stack: f.Spec.Stack}
		flow.Maybe = f.Maybe != nil && d.eval(f.Maybe, depth) != 0
		if ref := d.pick(f.Target, depth); ref != nil {
			flow.Target = d.target(ref, d.value(ref, depth))
		}
		if ref := d.pick(f.Count, depth); ref != nil {
			flow.Count = d.value(ref, depth)
		}
		buf = append(buf, flow)
	}
	for _, named := range u.NamedFields() {
		ref := d.pick(named.Alts, depth)
		if ref == nil || ref.Field == nil || ref.Field.Bitset == nil || !ref.Field.Bitset.HasFlows {
			continue
		}
		if inner, _, ok := d.enterDisplayed(ref, depth); ok {
			buf = d.flows(buf, inner)
		}
	}
	return buf
}

// branchFlows appends a jump or a call for each branch field. It applies to descriptions without
// declared flow.
func (d *Decoder) branchFlows(buf []Flow, depth int) []Flow {
	for _, named := range d.frames[depth].leaf.NamedFields() {
		ref := d.pick(named.Alts, depth)
		if ref == nil || ref.Field == nil || ref.Kind != spec.KindBranch && ref.Kind != spec.KindAbsBranch {
			continue
		}
		flow := Flow{Kind: Jump, Maybe: true, Target: d.target(ref, d.value(ref, depth))}
		if ref.Field.Call {
			flow.Kind = Call
		}
		buf = append(buf, flow)
	}
	return buf
}
