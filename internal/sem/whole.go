package sem

import "sync"

// derived is another form of code, made when it is first needed.
type derived struct {
	once sync.Once
	code *Code
}

// get returns the code, which build builds.
func (d *derived) get(build func() *Code) *Code {
	d.once.Do(func() {
		d.code = build()
		d.code.check()
	})
	return d.code
}

// Bare returns the code without notes: without operations that only inform, without the values that only they use, and
// without Inst.Notes. It does the same as the code.
func (c *Code) Bare() *Code {
	return c.bare.get(func() *Code {
		b := newBuilder()
		defer b.release()
		for i := range c.Insts {
			in := c.Insts[i].WithArgs(func(id ID) ID { return id })
			if in.Notes = 0; in.Op.Informs() {
				in = blank(OpConst) // which prune drops
			}
			b.insts = append(b.insts, in)
		}
		return &Code{Insts: b.prune(nil), Next: c.Next, Jumps: c.Jumps, Runs: c.Runs}
	})
}

// Whole returns the code for a wave in which all lanes run the instruction. It does not read a register again whose value it
// knows, and it writes a component of a register only once. In a wave with other lanes, those lanes could observe the
// difference.
func (c *Code) Whole() *Code {
	return c.whole.get(func() *Code { return joined(c) })
}

// joiner writes code again, with what it knows of registers.
type joiner struct {
	b    *builder
	from *Code
	ids  []ID // what the operations have become
	held map[component]held
	// lost are writes that nobody has looked at since.
	lost    map[component][]ID
	regions []joinedRegion
}

// component is one component of a register.
type component struct {
	state  *State
	number uint64
	comp   int
}

func (in *Inst) component() component { return component{in.State, in.Imm, in.Comp} }

// held is what a register is known to hold. Of what was read, guard tells for which lanes it was checked that
// somebody wrote it.
type held struct {
	id, guard ID
	written   bool // by the instruction
}

type joinedRegion struct {
	region
	end int
}

func joined(c *Code) *Code {
	for i := range c.Insts {
		if c.Insts[i].Op == OpAtomic { // lane by lane: its lanes never run as one
			return c
		}
	}
	j := &joiner{b: newBuilder(), from: c, ids: make([]ID, len(c.Insts)), held: map[component]held{}, lost: map[component][]ID{}}
	defer j.b.release()
	for i := range c.Insts {
		j.close(i)
		j.ids[i] = j.inst(i)
	}
	j.close(len(c.Insts))
	return &Code{Insts: j.b.prune((*Inst).tells), Next: c.Next, Jumps: c.Jumps, Runs: c.Runs, handsOn: c.handsOn}
}

// tells reports whether a read shows itself: nobody wrote what it reads, or there is no such thing.
func (in *Inst) tells() bool {
	switch in.Op {
	case OpRead:
		return in.State.Undefined && !in.Kept() && !in.Carried()
	case OpReadX, OpLoad, OpTop:
		return true
	}
	return false
}

// close ends the regions that end before an operation.
func (j *joiner) close(at int) {
	for n := len(j.regions); n > 0 && j.regions[n-1].end == at; n = len(j.regions) {
		r := j.regions[n-1]
		j.regions = j.regions[:n-1]
		j.b.endRegion(r.region)
		for key, h := range j.held {
			if int(h.id) >= r.at {
				delete(j.held, key)
			}
		}
	}
}

func (j *joiner) to(id ID) ID {
	if id == NoID {
		return NoID
	}
	return j.ids[id]
}

// inst writes an operation again and returns its value.
func (j *joiner) inst(i int) ID {
	in := j.from.Insts[i].WithArgs(j.to)
	holds := true
	if v, known := j.b.isConst(in.Guard); known {
		in.Guard, holds = NoID, v != 0
	}
	switch {
	case in.Op == OpConst:
		return j.b.constant(in.Type(), in.Imm)
	case in.Op == OpSplat:
		return j.b.lanes(in.A)
	case in.Op.Pure():
		return j.pure(&in)
	case in.Op == OpSkip:
		j.skip(&in)
		return NoID
	case in.Op == OpResult && in.A == NoID: // nobody asks
		return j.b.constant(in.Type(), 0)
	case in.Op == OpRead:
		return j.read(in)
	case !holds && in.Op.effect():
		return NoID
	}
	j.note(i, &in)
	return j.b.push(&in)
}

func (j *joiner) pure(in *Inst) ID {
	args := []ID{in.A, in.B, in.C}
	for args[len(args)-1] == NoID {
		args = args[:len(args)-1]
	}
	return j.b.op(in.Op, in.Type(), in.From(), in.Imm, args...)
}

// skip begins a region, unless what it skips is settled.
func (j *joiner) skip(in *Inst) {
	if in.Guard != NoID {
		j.regions = append(j.regions, joinedRegion{j.b.beginRegion(OpSkip, in.Guard), int(in.Imm)})
	}
}

// read returns what a register holds, if that is known and was asked for before.
func (j *joiner) read(in Inst) ID {
	key := in.component()
	h, known := j.held[key]
	switch {
	case known && h.written, known && !in.State.Undefined:
		return h.id
	case known && !in.Carried() && (in.Kept() || h.guard == NoID || h.guard == in.Guard):
		return h.id
	}
	delete(j.lost, key)
	id := j.b.push(&in)
	if in.tells() || !in.State.Undefined {
		j.held[key] = held{id: id, guard: in.Guard}
	}
	return id
}

// note notes what an operation does to what registers hold.
func (j *joiner) note(i int, in *Inst) {
	switch in.Op {
	case OpWrite:
		j.write(in, len(j.from.Sources(&j.from.Insts[i])) > 0)
	case OpReadX:
		j.forget(in.State, false)
	case OpWriteX:
		j.forget(in.State, true)
	case OpService: // it may read and write what it likes
		clear(j.held)
		clear(j.lost)
	}
}

// write notes what a register is given. What it was given before is lost, if nobody looked at it. Of what it carries
// it must be asked whether somebody wrote that.
func (j *joiner) write(in *Inst, carries bool) {
	key, id := in.component(), ID(len(j.b.insts))
	if in.Guard != NoID || len(j.regions) > 0 {
		delete(j.held, key)
		j.lost[key] = append(j.lost[key], id)
		return
	}
	for _, before := range j.lost[key] {
		j.b.insts[before] = blank(OpConst)
	}
	if delete(j.held, key); !carries {
		j.held[key] = held{id: in.B, guard: NoID, written: true}
	}
	j.lost[key] = append(j.lost[key][:0], id)
}

// forget notes that registers of a state are looked at, which of them is not known, or changed.
func (j *joiner) forget(s *State, changed bool) {
	for key := range j.lost {
		if key.state == s && !changed {
			delete(j.lost, key)
		}
	}
	for key := range j.held {
		if key.state == s && changed {
			delete(j.held, key)
		}
	}
}
