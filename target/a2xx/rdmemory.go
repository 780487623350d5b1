package a2xx

import (
	"math"
	"sort"
)

// rdMemory is the GPU's memory as far as it is captured: buffers, of which the latest counts where several are. It is a
// list of layers, the oldest first, each made of as many buffers at least as the next, so that adding and finding one
// take a time that grows with the logarithm of their number. The oldest are forgotten when there are more than MaxBuffers.
type rdMemory struct {
	layers []rdLayer
	parts  int // of all layers
}

// rdLayer is memory in the order of addresses. No two parts of it overlap.
type rdLayer []rdPart

// rdPart is the memory from an address up to another. data is that of its buffer from there to the end, which may be
// beyond the part.
type rdPart struct {
	from, to uint64
	data     []byte
}

// write adds a buffer.
func (m *rdMemory) write(addr uint64, data []byte) {
	data = data[:min(uint64(len(data)), math.MaxUint64-addr)]
	if len(data) == 0 {
		return
	}
	top := rdLayer{{addr, addr + uint64(len(data)), data}}
	m.parts++
	for n := len(m.layers); n > 0; n-- {
		old := m.layers[n-1]
		if len(old) > 2*len(top) || len(old)+2*len(top) > MaxBuffers/2 {
			break
		}
		m.parts -= len(old) + len(top)
		top = top.over(old)
		m.parts += len(top)
		m.layers = m.layers[:n-1]
	}
	if m.layers = append(m.layers, top); m.parts > MaxBuffers {
		m.parts -= len(m.layers[0])
		m.layers = m.layers[1:]
	}
}

// over returns a layer with what an older one has elsewhere.
func (l rdLayer) over(old rdLayer) rdLayer {
	merged := make(rdLayer, 0, len(l)+len(old))
	for _, p := range old {
		for len(l) > 0 && l[0].to <= p.from {
			merged, l = append(merged, l[0]), l[1:]
		}
		for len(l) > 0 && l[0].from < p.to {
			if p.from < l[0].from {
				merged = append(merged, rdPart{p.from, l[0].from, p.data})
			}
			if l[0].to >= p.to { // it may cover others too
				p.from = p.to
				break
			}
			p.data, p.from = p.data[l[0].to-p.from:], l[0].to
			merged, l = append(merged, l[0]), l[1:]
		}
		if p.from < p.to {
			merged = append(merged, p)
		}
	}
	return append(merged, l...)
}

// read returns so many words at an address, or as many of them as the latest buffer there has.
func (m *rdMemory) read(addr, words uint64) []byte {
	for i := len(m.layers) - 1; i >= 0; i-- {
		l := m.layers[i]
		k := sort.Search(len(l), func(k int) bool { return l[k].to > addr })
		if k < len(l) && l[k].from <= addr {
			data := l[k].data[addr-l[k].from:]
			return data[:min(uint64(len(data)), 4*words)]
		}
	}
	return nil
}
