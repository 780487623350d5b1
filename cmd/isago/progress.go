package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/isago/isago/view"
)

// progress tells on a terminal how much of a long job is done. It writes nothing elsewhere.
type progress struct {
	w    io.Writer // nil where nobody watches
	next time.Time
	told bool
}

// Nothing is told of jobs that end soon, and then not more often than can be read.
const (
	progressAfter = time.Second / 2
	progressEvery = time.Second / 10
)

// newProgress starts a job.
func newProgress(cmd *cobra.Command) *progress {
	if w := cmd.ErrOrStderr(); isTerminal(w) {
		return &progress{w: w, next: time.Now().Add(progressAfter)}
	}
	return &progress{}
}

// tell shows how far the job is, in place of what was shown before.
func (p *progress) tell(format string, args ...any) {
	if p.w == nil || time.Now().Before(p.next) {
		return
	}
	p.next, p.told = time.Now().Add(progressEvery), true
	fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
}

// watch tells how much of a program is read.
func (p *progress) watch(name string, l *view.Listing) {
	l.Progress = func(done, all int64) { p.tell("%s: %d %%", inputName(name), 100*done/all) }
}

// end takes away what was shown.
func (p *progress) end() {
	if p.told {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.told = false
	}
}
