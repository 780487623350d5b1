//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// fileIdentity is a file of a Unix system: the file system and the number of the file in it.
type fileIdentity struct{ dev, ino uint64 }

// identity returns what is equal for files that are the same.
func identity(info fs.FileInfo) any {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileIdentity{uint64(s.Dev), uint64(s.Ino)}
	}
	return fileIdentity{}
}
