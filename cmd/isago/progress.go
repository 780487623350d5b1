package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/isago/isago/view"
)

// progress shows the progress of a long job in one line on standard error. It removes the line when the job ends or
// when a message follows. The first output on a terminal ends the display of progress. progress writes only to
// terminals.
type progress struct {
	w io.Writer // nil if standard error is not a terminal

	mu        sync.Mutex
	part      string    // the number of the file, before the text
	text      string    // the name of the job
	started   time.Time // zero if there is no job
	next      time.Time // the earliest time of the next line
	reporting bool      // the job reports its progress
	shown     bool
	off       bool
	quit      chan struct{} // ends the goroutine of the job
	began     func()        // is called with mu locked at the start of each job, unless it is nil
}

// Short jobs show nothing. A job that does not report its progress shows the elapsed time.
const (
	progressAfter = time.Second / 2
	progressEvery = time.Second / 10
	progressIdle  = time.Second
)

// watchTerminals makes commands show their progress if standard error is a terminal.
func watchTerminals(root *cobra.Command, written *stdout, out, errOut io.Writer) {
	if !isTerminal(errOut) {
		return
	}
	p := progressOf(root)
	p.w = errOut
	root.SetErr(&stderr{errOut, p})
	if isTerminal(out) {
		written.before = p.stop
	}
}

// progressOf returns the progress of a command line.
func progressOf(cmd *cobra.Command) *progress { return &sessionOf(cmd).progress }

// files sets the number i of the next file, counted from 0, and the number n of files.
func (p *progress) files(i, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.part = ""; n > 1 {
		p.part = fmt.Sprintf("%d of %d: ", i+1, n)
	}
}

// start begins a job. Each call must be followed by a call of end.
func (p *progress) start(format string, args ...any) {
	if p.w == nil {
		return
	}
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.started = fmt.Sprintf(format, args...), time.Now()
	p.next, p.reporting = p.started.Add(progressAfter), false
	if p.began != nil {
		p.began()
	}
	quit := make(chan struct{})
	p.quit = quit
	go func() {
		ticks := time.NewTicker(progressIdle)
		defer ticks.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticks.C:
				p.idle(quit)
			}
		}
	}()
}

// startLines begins a job that reads lines, and returns the function that ends the job. It shows nothing while a person
// types the lines.
func (p *progress) startLines(cmd *cobra.Command, name string) (end func()) {
	if file, ok := cmd.InOrStdin().(*os.File); name == "-" && ok && isTerminal(file) {
		return func() {}
	}
	p.start("%s: reading", inputName(name))
	return p.end
}

// idle shows the elapsed time of the job that quit ends, unless the job reports its progress.
func (p *progress) idle(quit chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.quit == quit && !p.reporting && !now.Before(p.next) {
		p.draw(fmt.Sprintf("%s, %d s", p.text, int(now.Sub(p.started).Seconds())))
	}
}

// report shows the progress of the job, at most once in progressEvery.
func (p *progress) report(format string, args ...any) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); !now.Before(p.next) {
		p.next = now.Add(progressEvery)
		p.reporting = true
		p.draw(fmt.Sprintf(format, args...))
	}
}

// draw writes a text in place of the line of progress.
func (p *progress) draw(text string) {
	if !p.off {
		p.shown = true
		fmt.Fprintf(p.w, "\r\x1b[K%s%s", p.part, text)
	}
}

// watch makes a listing report its progress.
func (p *progress) watch(name string, l *view.Listing) {
	if p.w != nil {
		l.Progress = func(done, all int64) { p.report("%s: %d %%", inputName(name), 100*done/all) }
	}
}

// end ends the job.
func (p *progress) end() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quit != nil {
		close(p.quit)
		p.quit = nil
	}
	p.remove()
}

// clear removes the line, which the next report draws again.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove()
}

// stop removes the line, and turns off all further reports.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off = true
	p.remove()
}

func (p *progress) remove() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// stderr is standard error on a terminal. Messages there replace the line of progress.
type stderr struct {
	io.Writer
	progress *progress
}

// Write removes the line of progress and writes p.
func (s *stderr) Write(p []byte) (int, error) {
	s.progress.clear()
	return s.Writer.Write(p)
}
