//go:build !cgo || !unix

package main

// seesClosed is false: this build cannot distinguish a closed standard output from /dev/null, because Go opens
// /dev/null in its place before any Go code runs.
const seesClosed = false

// stdoutClosed reports whether the command was started without standard output; this build cannot detect it.
func stdoutClosed() bool { return false }
