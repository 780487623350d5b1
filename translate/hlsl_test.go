package translate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestCrossCancelled cancels a conversion: the program ends, and the error is that of the context.
func TestCrossCancelled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test needs a shell script in PATH")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, crossTool), []byte("#!/bin/sh\nsleep 60\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := cross(ctx, nil, "-"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("the conversion ended after %v", d)
	}
}
