package program_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/isago/isago/internal/program"
)

// Each batch is its worker's alone until it is taken, however often batches are used again.
func TestEachBatchAlone(t *testing.T) {
	var list []program.Statement
	for i := range 200_000 {
		list = append(list, program.Statement{Off: int64(i), Text: strconv.Itoa(i)})
	}
	read := func(x program.Statement) int64 {
		if x.Off%512 == 0 {
			runtime.Gosched() // so that workers take turns
		}
		return x.Off
	}
	next := int64(0)
	err := program.Each(program.Listed(list), 8, func() (func(program.Statement) int64, error) { return read, nil }, func(b *program.Batch[int64]) error {
		if len(b.Ahead) != len(b.Statements) {
			t.Fatalf("%d statements are read of %d", len(b.Ahead), len(b.Statements))
		}
		for i, x := range b.Statements {
			if x.Off != next || b.Ahead[i] != next {
				t.Fatalf("statement %d is read as %d, expected %d", x.Off, b.Ahead[i], next)
			}
			next++
		}
		return nil
	})
	if err != nil || next != int64(len(list)) {
		t.Errorf("%d of %d statements, %v", next, len(list), err)
	}
}
