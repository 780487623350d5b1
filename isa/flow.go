package isa

import "github.com/isago/isago/internal/spec"

// Flow is a possible effect of an instruction on control flow.
type Flow struct {
	Kind FlowKind
	// Maybe reports whether the flow depends on a condition at run time.
	Maybe bool
	// Target is the target address in bits from the start of the program. It is -1 if the word does not
	// determine the target.
	Target int64
	// Count is the length of the code at the target, in the units of the target field. It is 0 if the
	// word does not contain a length.
	Count uint64
	// Stack is the name of the stack that the flow uses, or "".
	Stack string
}

// FlowKind is a kind of control flow.
type FlowKind uint8

// The kinds of control flow. If and Loop open a block that ends at the target, and LoopEnd closes a
// loop. Push saves an address for a later instruction. Wait waits for other threads and continues at the
// next instruction. If the flow names a stack, Wait waits only for the threads whose newest saved
// address is on that stack.
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

// String returns the name of the kind in descriptions, such as jump, call or loop-end.
func (k FlowKind) String() string { return spec.FlowKind(k).String() }

// Flows appends the control flow that the description declares for an instruction to buf. If the
// description declares no control flow for any instruction, Flows appends a conditional jump or call
// for each branch field.
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

// branchFlows appends a conditional jump or call for each branch field.
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
