// Command print prints the program in a file of any machine that isago ships.
package main

import (
	"bufio"
	"log"
	"os"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	check(err)
	machine, format, ok := catalog.Recognise(data)
	if !ok {
		log.Fatal("not a program file of a known machine")
	}
	set, err := machine.Load(isa.Options{})
	check(err)
	image, err := format.Open(set, data)
	check(err)
	decoder, err := image.NewDecoder(set)
	check(err)

	w := bufio.NewWriter(os.Stdout)
	listing := view.Listing{Decoder: decoder, Image: image, Addresses: true}
	_, err = listing.Write(w)
	check(err)
	check(w.Flush())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
