package launch

import (
	"context"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/translate"
)

// Translate translates the kernel of a request to a compute shader. The request has the options of a run: the kernel, the
// size of a block, and the parameters. Programs of other stages have no kernel.
func Translate(ctx context.Context, req feed.Request, o translate.Options) (*translate.Text, error) {
	r, err := Open(req)
	if err != nil {
		return nil, err
	}
	s, ok := r.(*session)
	if !ok {
		return nil, exec.Optionf("the program has no grid, expected a compute program")
	}
	calls, err := s.calls()
	if err != nil {
		return nil, err
	}
	if s.pointer, err = s.pointerSize(calls); err != nil {
		return nil, err
	}
	return s.translation(&calls[0]).Translate(ctx, o)
}

// translation returns the kernel of a call.
func (s *session) translation(c *call) *translate.Kernel {
	p := c.places
	words := s.words
	words.Fetch = fetch(c.kernel.Code, s.machine.Unit)
	k := &translate.Kernel{
		Program: exec.NewProgram(s.machine, words), Block: c.block, Lanes: s.machine.Lanes, Registers: c.kernel.Registers,
		Thread: p.thread, Threads: p.threads, Lane: p.lane, Wave: p.warp, Global: p.global, Parameters: p.parameters,
		Sizes: map[*exec.State]int{p.local.State(): p.maxLocal},
	}
	copy(k.Group[:], p.block[:])
	copy(k.Groups[:], p.blocks[:])
	at, _ := c.place(s.pointer)
	for i, param := range c.params {
		n, _ := param.size(s.pointer)
		k.Bytes = max(k.Bytes, at[i]+n)
	}
	k.Sizes[p.parameters.State()] = max(c.kernel.Shared, p.start()+k.Bytes)
	if c.kernel.Shared == 0 || c.shared > 0 {
		k.Sizes[p.parameters.State()] = min(max(c.kernel.Shared, p.start()+k.Bytes)+max(c.shared, 0), p.maxShared())
	}
	return k
}
