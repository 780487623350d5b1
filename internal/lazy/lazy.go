// Package lazy makes values when they are first used, and not when a program starts.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns what returns the expression, compiled once. A wrong expression panics at its first use.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
