// Package inorder runs jobs on several goroutines and delivers the results in the order of the jobs.
package inorder

import (
	"iter"
	"sync"
)

// outcome is the result of a job, or the value with which it panicked.
type outcome[R any] struct {
	result R
	bug    any
}

// Run calls work for each job on workers goroutines. It calls take with each result, in the order of the jobs, on the
// caller's goroutine. Each worker calls start once to get its own work function, so workers share nothing. At most
// twice as many results as workers wait. The argument pending of take is true if more results may already be waiting.
//
// The first error of start or take ends the run. Run then requests no more jobs and returns the error. If work panics,
// Run panics with the same value.
func Run[J, R any](workers int, jobs iter.Seq[J], start func() (func(J) R, error), take func(r R, pending bool) error) error {
	type task struct {
		job  J
		done chan outcome[R]
	}
	works := make([]func(J) R, max(workers, 1))
	for i := range works {
		var err error
		if works[i], err = start(); err != nil {
			return err
		}
	}
	tasks := make(chan task)
	queue := make(chan chan outcome[R], 2*len(works))
	stop := make(chan struct{})
	var group sync.WaitGroup
	for _, work := range works {
		group.Go(func() {
			for t := range tasks {
				t.done <- try(work, t.job)
			}
		})
	}
	group.Go(func() {
		defer close(queue)
		defer close(tasks)
		for j := range jobs {
			t := task{j, make(chan outcome[R], 1)}
			select {
			case <-stop:
				return
			default:
			}
			select {
			case queue <- t.done:
				tasks <- t
			case <-stop:
				return
			}
		}
	})
	defer group.Wait()
	defer func() {
		close(stop)
		for range queue { // let the producer end
		}
	}()
	for done := range queue {
		o := <-done
		if o.bug != nil {
			panic(o.bug)
		}
		if err := take(o.result, len(queue) > 0); err != nil {
			return err
		}
	}
	return nil
}

// try runs a job and recovers from a panic.
func try[J, R any](work func(J) R, job J) (o outcome[R]) {
	defer func() { o.bug = recover() }()
	o.result = work(job)
	return o
}
