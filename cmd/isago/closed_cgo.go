//go:build cgo && unix

package main

// Go opens /dev/null in place of a closed standard descriptor, before any Go code runs, and output is then lost without
// an error. A C constructor runs before the Go runtime. A cgo build links the C library anyway.

/*
#include <fcntl.h>

static int stdoutClosed;

__attribute__((constructor)) static void lookAtStdout(void) {
	stdoutClosed = fcntl(1, F_GETFD) < 0;
}

static int isStdoutClosed(void) { return stdoutClosed; }
*/
import "C"

// seesClosed is true: this build can distinguish a closed standard output from /dev/null.
const seesClosed = true

// stdoutClosed reports whether the command was started without standard output, for example with >&- in a shell.
func stdoutClosed() bool { return C.isStdoutClosed() != 0 }
