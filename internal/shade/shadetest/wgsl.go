package shadetest

import (
	_ "embed" // for the validator
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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

// Validate checks WGSL texts with Dawn, the implementation of Chrome, and with naga, that of Firefox. It skips the test if neither
// is installed.
func Validate(t testing.TB, texts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "validate.mjs")
	if err := os.WriteFile(script, validator, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{script}
	for name, text := range texts {
		file := filepath.Join(dir, filepath.Base(name)+".wgsl")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	ran := false
	if os.Getenv("ISAGO_WEBGPU") == "" {
		t.Log("SKIPPED: ISAGO_WEBGPU is not set, so Dawn validates no WGSL (npm install --prefix DIR webgpu, and ISAGO_WEBGPU=DIR)")
	} else {
		ran = true
		if out, err := exec.Command("node", args...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("Dawn: %v\n%s", err, out)
		}
	}
	if _, err := exec.LookPath("naga"); err != nil {
		t.Log("SKIPPED: naga is not installed, so it validates no WGSL (cargo install naga-cli)")
	} else {
		ran = true
		for _, file := range args[1:] {
			if out, err := exec.Command("naga", file).CombinedOutput(); err != nil {
				t.Errorf("naga: %v\n%s", err, out)
			}
		}
	}
	if !ran {
		t.Skip("no WGSL was validated")
	}
}
