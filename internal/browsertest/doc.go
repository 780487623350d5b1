// Package browsertest tests the web pages of isago in chromium, and with the Nu checker. It is a module of its own, because
// the client of the browser is large.
package browsertest
