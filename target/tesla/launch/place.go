package launch

import (
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
)

// The directions of a grid and of a block, in the names of inputs.
var directions = [3]string{".x", ".y", ".z"}

// places are the places where a kernel finds what it starts with, and the limits of a launch, from the description.
type places struct {
	// thread is the thread in its block, threads the size of a block, block the block in the grid, and blocks the size of
	// the grid.
	thread, threads [3]*exec.Place
	block, blocks   [2]*exec.Place
	// lane is the thread in its warp, warp the warp in its block.
	lane, warp                            *exec.Place
	parameters, local, global, constants  *exec.Place
	maxThreads, maxZ, maxBlocks, maxLocal int
}

// placesOf reads the places from the description. It returns an error that names what the description does not have.
func placesOf(m *exec.Machine, context bits.Value) (p *places, err error) {
	p = &places{}
	find := func(to **exec.Place, name string) {
		if err == nil {
			*to, err = exec.PlaceOf(m, context, name)
		}
	}
	for k, direction := range directions {
		find(&p.thread[k], "thread"+direction)
		find(&p.threads[k], "threads"+direction)
		if k < len(p.block) {
			find(&p.block[k], "block"+direction)
			find(&p.blocks[k], "blocks"+direction)
		}
	}
	find(&p.lane, "lane")
	find(&p.warp, "warp")
	find(&p.parameters, "parameters")
	find(&p.local, "local")
	find(&p.global, "global")
	find(&p.constants, "constants")
	limit := func(to *int, name string) {
		most, ok := m.Set().Limit(name)
		if ok {
			*to = int(most)
		} else if err == nil {
			err = fmt.Errorf("the description has no <limit name=%q>, which this launch needs", name)
		}
	}
	limit(&p.maxThreads, "threads")
	limit(&p.maxZ, "threads.z")
	limit(&p.maxBlocks, "blocks")
	limit(&p.maxLocal, "local")
	return p, err
}

// start is the address of the first parameter.
func (p *places) start() int { return int(p.parameters.Offset) }

// at returns an address in the memory of the parameters as text.
func (p *places) at(address int) string {
	return fmt.Sprintf("%s[%#x]", p.parameters.State().Name, address)
}

// maxShared is the size of the memory of a block, in bytes.
func (p *places) maxShared() int { return p.parameters.State().Count }

// numbers are the numbers of the threads of a warp that belong in a place.
type numbers struct {
	place *exec.Place
	of    []uint64
}

// numbers returns the numbers of the threads of each warp of a block.
func (s *session) numbers(c *call) (warps [][]numbers) {
	p, lanes := s.places, s.machine.Lanes
	for first := 0; first < c.threads(); first += lanes {
		list := []numbers{{place: p.thread[0]}, {place: p.thread[1]}, {place: p.thread[2]}, {place: p.lane}, {place: p.warp}}
		for n := first; n < min(first+lanes, c.threads()); n++ {
			x, y, z := n%c.block[0], n/c.block[0]%c.block[1], n/c.block[0]/c.block[1]
			for i, v := range []int{x, y, z, n - first, first / lanes} { // as if there were only one multiprocessor
				list[i].of = append(list[i].of, uint64(v))
			}
		}
		warps = append(warps, list)
	}
	return warps
}
