// Package lazy creates values at their first use instead of at program start.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns what returns the expression, compiled once. A wrong expression panics at its first use.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
