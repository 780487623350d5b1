package cost

import (
	"github.com/isago/isago/isa"
)

// Occupancy states how many waves a processor of the machine runs at a time.
type Occupancy struct {
	Processor string `json:"processor"`
	// Source is where the numbers of the processor come from.
	Source string `json:"source"`
	// Registers is the number of registers of a lane, and Shared is the number of bytes of memory that a block has.
	Registers int `json:"registers"`
	Shared    int `json:"shared"`
	// Sizes has an element for each number of lanes of a block.
	Sizes []BlockSize `json:"sizes"`
}

// BlockSize is the occupancy with blocks of a size.
type BlockSize struct {
	// Threads is the number of lanes of a block.
	Threads int `json:"threads"`
	// Blocks and Waves are the numbers that the processor runs at a time, and Most is its largest number of waves.
	Blocks int `json:"blocks"`
	Waves  int `json:"waves"`
	Most   int `json:"most"`
	// Limit is what limits Blocks: waves, blocks, or the name of a register file or a memory.
	Limit string `json:"limit"`
}

// OccupancyOf returns the occupancy of a processor with blocks of the given numbers of lanes, on a machine whose waves
// have a number of lanes. registers is the number of registers that a lane has in each register file of the processor,
// and shared is the number of bytes that a block has in each memory of the processor.
func OccupancyOf(p isa.Processor, lanes, registers, shared int, threads []int) Occupancy {
	o := Occupancy{Processor: p.Name, Source: p.Source, Registers: registers, Shared: shared}
	for _, n := range threads {
		waves := ceiling(n, lanes) / lanes
		b := BlockSize{Threads: n, Blocks: -1}
		for _, h := range p.Holds {
			need := 0
			switch h.Kind {
			case isa.HoldsWaves:
				b.Most, need = h.Most, waves
			case isa.HoldsBlocks:
				need = 1
			case isa.HoldsRegisters:
				need = ceiling(ceiling(waves, h.Waves)*lanes*registers, h.Unit)
			case isa.HoldsMemory:
				need = ceiling(shared, h.Unit)
			}
			if need > 0 && (b.Blocks < 0 || h.Most/need < b.Blocks) {
				b.Blocks, b.Limit = h.Most/need, h.Name
			}
		}
		b.Waves = b.Blocks * waves
		o.Sizes = append(o.Sizes, b)
	}
	return o
}

// ceiling returns the smallest multiple of unit that is not below n.
func ceiling(n, unit int) int { return (n + unit - 1) / unit * unit }
