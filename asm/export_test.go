package asm

// EachInvented runs a test for generated descriptions.
var EachInvented = eachInvented
