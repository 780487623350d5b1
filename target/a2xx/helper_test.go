package a2xx_test

import (
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

func loadSet(syntax string) (*isa.Set, error) { return a2xx.Load(isa.Options{Syntax: syntax}) }
