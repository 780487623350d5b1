package isa

import "github.com/isago/isago/diag"

// Error is a mistake at a place: its code, the message, where it is, and other places that belong
// to it. Span.LineCol tells the line and the column.
type Error = diag.Error

// Errors are all mistakes that were found, as Load and the compilers of machines return them:
//
//	var list isa.Errors
//	if errors.As(err, &list) { ... }
type Errors = diag.List

// Source is a text with the name that errors give it.
type Source = diag.Source
