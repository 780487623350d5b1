//go:build !cgo || !unix

package main

// seesClosed reports whether this build can tell a closed standard output from /dev/null. Go opens that in its place before any
// Go code runs.
const seesClosed = false

// stdoutClosed reports whether the command was started without standard output; this build cannot tell.
func stdoutClosed() bool { return false }
