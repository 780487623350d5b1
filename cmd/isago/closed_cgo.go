//go:build cgo && unix

package main

// Go opens /dev/null in place of a standard descriptor that is closed, before any Go code runs, and then what is printed is
// lost without an error. A constructor runs before Go. The command is linked with the C library anyway where there is cgo.

/*
#include <fcntl.h>

static int stdoutClosed;

__attribute__((constructor)) static void lookAtStdout(void) {
	stdoutClosed = fcntl(1, F_GETFD) < 0;
}

static int isStdoutClosed(void) { return stdoutClosed; }
*/
import "C"

// seesClosed reports whether this build can tell a closed standard output from /dev/null.
const seesClosed = true

// stdoutClosed reports whether the command was started without standard output, as by >&- in a shell.
func stdoutClosed() bool { return C.isStdoutClosed() != 0 }
