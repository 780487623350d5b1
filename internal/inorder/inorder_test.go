package inorder_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/isago/isago/internal/inorder"
)

func numbers(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func TestOrder(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		var starts atomic.Int32
		var got []int
		err := inorder.Run(workers, numbers(100), func() (func(int) int, error) {
			starts.Add(1)
			return func(i int) int {
				time.Sleep(time.Duration(i*37%5) * 50 * time.Microsecond)
				return i * i
			}, nil
		}, func(r int, _ bool) error { got = append(got, r); return nil })
		if err != nil {
			t.Fatal(err)
		}
		if int(starts.Load()) != max(workers, 1) {
			t.Errorf("%d workers: %d starts", workers, starts.Load())
		}
		for i, r := range got {
			if r != i*i {
				t.Fatalf("%d workers: result %d is %d", workers, i, r)
			}
		}
		if len(got) != 100 {
			t.Errorf("%d workers: %d results", workers, len(got))
		}
	}
}

func TestErrors(t *testing.T) {
	want := errors.New("enough")
	var asked atomic.Int32
	jobs := func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
			asked.Add(1)
		}
	}
	identity := func() (func(int) int, error) { return func(i int) int { return i }, nil }
	var got []int
	err := inorder.Run(3, jobs, identity, func(r int, _ bool) error {
		if r == 5 {
			return want
		}
		got = append(got, r)
		return nil
	})
	if !errors.Is(err, want) || !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("got %v, %v", err, got)
	}
	if asked.Load() > 5+2*3+3 {
		t.Errorf("%d jobs were asked for", asked.Load())
	}
	err = inorder.Run(2, numbers(3), func() (func(int) int, error) { return nil, want }, func(int, bool) error { return nil })
	if !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

func TestPanic(t *testing.T) {
	defer func() {
		if r := recover(); r != "a bug" {
			t.Errorf("got %v", r)
		}
	}()
	_ = inorder.Run(2, numbers(9), func() (func(int) int, error) {
		return func(i int) int {
			if i == 4 {
				panic("a bug")
			}
			return i
		}, nil
	}, func(int, bool) error { return nil })
	t.Error("the panic was lost")
}
