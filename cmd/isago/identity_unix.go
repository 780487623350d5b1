//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// fileIdentity identifies a file on a Unix system by its device and inode numbers.
type fileIdentity struct{ dev, ino uint64 }

// identity returns a value that is equal for two names of one file.
func identity(info fs.FileInfo) any {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileIdentity{uint64(s.Dev), uint64(s.Ino)}
	}
	return fileIdentity{}
}
