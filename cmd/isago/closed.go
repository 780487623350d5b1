//go:build !cgo || !unix

package main

// seesClosed reports whether this build can distinguish a closed standard output from /dev/null, which Go opens in place of a
// closed one before any Go code runs.
const seesClosed = false

// stdoutClosed reports whether the command was started without standard output; this build cannot detect it.
func stdoutClosed() bool { return false }
