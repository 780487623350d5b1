package shadetest

import (
	"context"
	_ "embed" // for the validator
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/isago/isago/internal/shade"
)

// Naga returns a function that prints a shader as WGSL, and compiles the text to SPIR-V with naga. It skips the test if naga is
// not installed.
func Naga(t testing.TB, print func(s *shade.Shader) (string, error)) func(s *shade.Shader) ([]byte, error) {
	if _, err := exec.LookPath("naga"); err != nil {
		t.Skip("SKIPPED: naga is not installed, so no WGSL runs (cargo install naga-cli)")
	}
	return func(s *shade.Shader) ([]byte, error) {
		text, err := print(s)
		if err != nil {
			return nil, err
		}
		return CompileWGSL(t.TempDir(), text)
	}
}

// CompileWGSL compiles a text to SPIR-V with naga. dir is a folder for its files.
func CompileWGSL(dir, text string) ([]byte, error) {
	source, module := filepath.Join(dir, "a.wgsl"), filepath.Join(dir, "a.spv")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		return nil, err
	}
	if out, err := exec.Command("naga", source, module).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s\n%s", err, out, text)
	}
	return os.ReadFile(module)
}

//go:embed validate.mjs
var validator []byte

// batchSize is the number of texts that one process validates. The package webgpu 0.6.2 crashes or hangs at the 13th to 16th text.
const batchSize = 6

// Validate checks WGSL texts with Dawn, the implementation of Chrome, and with naga, that of Firefox. It skips the test if neither
// is installed.
func Validate(t testing.TB, texts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "validate.mjs")
	if err := os.WriteFile(script, validator, 0o666); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file := filepath.Join(dir, filepath.Base(name)+".wgsl")
		if err := os.WriteFile(file, []byte(texts[name]), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	ran := false
	if os.Getenv("ISAGO_WEBGPU") == "" {
		t.Log("SKIPPED: ISAGO_WEBGPU is not set, so Dawn validates no WGSL (npm install --prefix DIR webgpu, and ISAGO_WEBGPU=DIR)")
	} else {
		ran = true
		for batch := range slices.Chunk(files, batchSize) {
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			out, err := exec.CommandContext(ctx, "node", append([]string{script}, batch...)...).CombinedOutput()
			stop()
			if err != nil || len(out) > 0 {
				t.Errorf("Dawn: %v\n%s", err, out)
			}
		}
	}
	if _, err := exec.LookPath("naga"); err != nil {
		t.Log("SKIPPED: naga is not installed, so it validates no WGSL (cargo install naga-cli)")
	} else {
		ran = true
		for _, file := range files {
			if out, err := exec.Command("naga", file).CombinedOutput(); err != nil {
				t.Errorf("naga: %v\n%s", err, out)
			}
		}
	}
	if !ran {
		t.Skip("no WGSL was validated")
	}
}
