// Command liveness prints a PICA200 program with the operands of each instruction, and with the components of temporary
// registers whose values the instruction or a later one needs.
package main

import (
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// instruction is an instruction with what is known about it.
type instruction struct {
	decoded  view.Decoded
	text     string
	operands []isa.Operand
	facts    *facts.Facts
	needed   map[string]bool // before the instruction, on any path
}

// place is a point of a run: an instruction, and what the stacks of calls and loops hold there.
type place struct {
	addr   int64 // in bits
	stacks string
}

// point is what is known about a place.
type point struct {
	next []place
	live map[string]bool
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	check(err)
	machine, format, ok := catalog.Recognise(data)
	if !ok {
		log.Fatal("not a program file of a known machine")
	}
	set, err := machine.Load(isa.Options{})
	check(err)
	semantics, err := facts.Open(set)
	check(err)
	image, err := format.Open(set, data)
	check(err)
	decoder, err := image.NewDecoder(set)
	check(err)

	program := map[int64]*instruction{}
	listing := view.Listing{Decoder: decoder, Image: image}
	listing.Each(func(x view.Decoded) bool {
		if x.Known {
			f, err := semantics.Of(x.Decoder, x.Inst)
			check(err)
			program[x.Addr] = &instruction{x, x.Decoder.Text(x.Inst), x.Decoder.Operands(nil, x.Inst), f, map[string]bool{}}
		}
		return true
	})

	// The paths from the entries.
	points := map[place]*point{}
	var order []place
	var visit func(addr int64, stacks facts.Stacks) place
	visit = func(addr int64, stacks facts.Stacks) place {
		at := place{addr, stacks.Key()}
		in := program[addr]
		if in == nil || points[at] != nil {
			return at
		}
		p := &point{live: map[string]bool{}}
		points[at] = p
		decoder.Addr = addr
		ways, err := semantics.Ways(decoder, in.decoded.Inst, stacks, nil)
		check(err)
		for _, way := range ways {
			if !way.Ends {
				p.next = append(p.next, visit(way.Next, way.Stacks))
			}
		}
		order = append(order, at) // after its successors
		return at
	}
	visit(0, facts.Stacks{})
	for _, entry := range image.Entries {
		visit(entry.Addr, facts.Stacks{})
	}

	// The values that are needed, from the ends of the program to its start, until nothing changes.
	for changed := true; changed; {
		changed = false
		for _, at := range order {
			p, in := points[at], program[at.addr]
			live := map[string]bool{}
			for _, next := range p.next {
				if points[next] != nil {
					maps.Copy(live, points[next].live)
				}
			}
			for access := range in.facts.Writes() {
				if !access.Maybe {
					maps.DeleteFunc(live, func(name string, _ bool) bool { return temporaries(access)[name] })
				}
			}
			for access := range in.facts.Reads() {
				maps.Copy(live, temporaries(access))
			}
			changed = changed || len(live) > len(p.live)
			p.live = live
			maps.Copy(in.needed, live)
		}
	}

	for _, addr := range slices.Sorted(maps.Keys(program)) {
		in := program[addr]
		fmt.Println(in.text)
		for _, o := range in.operands {
			if o.Register.File != nil {
				fmt.Printf("\t%s %s %d\n", o.Role, o.Register.File.Name, o.Register.Index)
			}
		}
		if len(in.needed) > 0 {
			fmt.Println("\tneeds", strings.Join(slices.Sorted(maps.Keys(in.needed)), " "))
		}
	}
}

// temporaries returns the names of the components of temporary registers that an instruction reads or writes.
func temporaries(a facts.Access) map[string]bool {
	names := map[string]bool{}
	if a.State.Use == "temporary" && a.Number >= 0 {
		for i, component := range a.State.Components {
			if a.Mask>>i&1 != 0 {
				names[fmt.Sprintf("%s%d.%s", a.State.Name, a.Number, component)] = true
			}
		}
	}
	return names
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
