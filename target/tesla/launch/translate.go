package launch

import (
	"context"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/translate"
)

// Translate translates the kernel of a request to a compute shader. The options of the request that apply are the kernel, the size
// of a block, the types of the parameters, the size of pointers and the size of shared memory, as in a run. Without the size of
// a block, the host chooses it with specialization constants. Programs of other stages have no kernel.
func Translate(ctx context.Context, req feed.Request, o translate.Options) (*translate.Text, error) {
	r, err := Open(req)
	if err != nil {
		return nil, err
	}
	s, ok := r.(*session)
	if !ok {
		return nil, exec.Optionf("the program has no grid, expected a compute program")
	}
	k, err := s.Kernel()
	if err != nil {
		return nil, err
	}
	return k.Translate(ctx, o)
}

// Kernel returns the kernel of the options for a translation. Without --params, its parameters are those in the file, or all bytes
// of shared memory that the file declares.
func (s *session) Kernel() (*translate.Kernel, error) {
	c, err := s.chosen()
	if err != nil {
		return nil, err
	}
	bytes := 0
	var named []translate.Parameter
	add := func(name string, offset, size int) {
		named = append(named, translate.Parameter{Name: name, Offset: offset, Size: size})
		bytes = max(bytes, offset+size)
	}
	_, said := s.req.Options[optParams]
	switch k := c.kernel; {
	case said:
		c.params, c.said = s.params, true
		if s.pointer, err = s.pointerSize([]call{c}); err != nil {
			return nil, err
		}
		at, _ := c.place(s.pointer)
		for i, p := range c.params {
			n, _ := p.size(s.pointer)
			add(p.name, at[i], n)
		}
	case k.Parameters != nil:
		for _, p := range k.Parameters {
			add("", p.Offset, p.Size)
		}
	case k.Shared > 0:
		bytes = max(0, k.Shared-s.places.start())
	default:
		return nil, exec.Optionf("the file does not have the size of the parameters of kernel %s: declare their types with --%s 'x:ptr n:s32', or no parameters with --%[2]s ''", k.Name, optParams)
	}
	if s.places.start()+bytes > s.places.maxShared() {
		return nil, exec.Optionf("the parameters of kernel %s end at byte %d, but shared memory has %d bytes", c.kernel.Name, s.places.start()+bytes, s.places.maxShared())
	}
	k := s.translation(&c, bytes)
	k.Named = named
	return k, nil
}

// translation returns the kernel of a call. bytes is the size of its parameters.
func (s *session) translation(c *call, bytes int) *translate.Kernel {
	p := c.places
	words := s.words
	words.Fetch = fetch(c.kernel.Code, s.machine.Unit)
	k := &translate.Kernel{
		Program: exec.NewProgram(s.machine, words), Lanes: s.machine.Lanes, Registers: c.kernel.Registers,
		Thread: p.thread, Threads: p.threads, Lane: p.lane, Wave: p.warp, Global: p.global, Parameters: p.parameters, Bytes: bytes,
		Sizes: map[*exec.State]int{p.local.State(): p.maxLocal, p.parameters.State(): c.sharedSize(bytes)},
	}
	if len(s.req.Options[optBlock]) > 0 {
		k.Block = c.block
	}
	copy(k.Group[:], p.block[:])
	copy(k.Groups[:], p.blocks[:])
	return k
}
