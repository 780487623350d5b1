package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"time"
)

// interrupted is the message for a user who interrupted a command.
const interrupted = "interrupted: the printed output is incomplete, and unfinished files are removed"

// graceful is the time that an interrupted command has to end by itself.
const graceful = time.Second

// interruptible returns a context that ends when the user interrupts the command. If the command does not end within
// the time graceful, or the user interrupts it again, the process removes unfinished files and exits.
func interruptible() context.Context {
	if signal.Ignored(os.Interrupt) {
		return context.Background()
	}
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt)
	go func() {
		<-signals
		cancel()
		select {
		case <-signals:
		case <-time.After(graceful):
		}
		unfinished.remove()
		fmt.Fprintln(os.Stderr, "isago: "+interrupted)
		os.Exit(exitStopped)
	}()
	return ctx
}

// unfinished holds the names of the temporary files and folders of outputs.
var unfinished fileNames

// fileNames is a set of names of files and folders.
type fileNames struct {
	mu    sync.Mutex
	names map[string]bool
}

// create creates a new file and adds its name.
func (f *fileNames) create(name string, mode fs.FileMode) (*os.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		f.add(name)
	}
	return file, err
}

// folder creates a new folder and adds its name.
func (f *fileNames) folder(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := os.Mkdir(name, 0o777)
	if err == nil {
		f.add(name)
	}
	return err
}

// add adds a name. The caller holds the lock.
func (f *fileNames) add(name string) {
	if f.names == nil {
		f.names = map[string]bool{}
	}
	f.names[name] = true
}

func (f *fileNames) drop(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.names, name)
}

// remove removes the files and folders. It does not release the lock, so that no file is added before the process exits.
func (f *fileNames) remove() {
	f.mu.Lock()
	for name := range f.names {
		os.RemoveAll(name)
	}
}
