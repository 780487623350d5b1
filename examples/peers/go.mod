module github.com/isago/isago/examples/peers

go 1.26.0

require golang.org/x/arch v0.33.0
