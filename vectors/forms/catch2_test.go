package forms_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/internal/vectest"
	"github.com/isago/isago/vectors/forms"
)

// TestCatch2 builds the test cases with Catch2 and runs them on the plain engine, without and with a fault.
func TestCatch2(t *testing.T) {
	if _, err := os.Stat("/usr/include/catch2/catch.hpp"); err != nil {
		if os.Getenv("ISAGO_TOOLS") != "" {
			t.Fatal("no Catch2, and ISAGO_TOOLS is set")
		}
		t.Skip("SKIPPED: no Catch2 on this machine")
	}
	if testing.Short() {
		t.Skip("compiling Catch2 takes many seconds")
	}
	m := vectest.Open(t, "pica200")
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	out, err := forms.Catch2(vectest.Pica200(t, m), m)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "pica200", out, "\nextern \"C\" const struct isago_emulator *callbacks() { return &emulator; }\n")
	main := "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\nextern \"C\" const struct isago_emulator *callbacks();\nconst struct isago_emulator *pica200_emulator() { return callbacks(); }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.cpp"), []byte(main), 0o666); err != nil {
		t.Fatal(err)
	}
	vectest.Compile(t, dir, vectest.Tool(t, "g++"), append([]string{"-std=c++11", "-o", "tests", "main.cpp", "pica200_vectors.cpp", "-x", "c++", "emulator.c"}, strict...)...)
	text, err := start(t, dir+"/tests", m, root, nil)
	if err != nil || !strings.Contains(text, "All tests passed") {
		t.Errorf("%v\n%s", err, text)
	}
	line := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	for _, x := range brokenEmulators {
		text, err := start(t, dir+"/tests", m, root, x.broken)
		if err == nil {
			t.Errorf("%s: no test case fails", x.name)
		}
		for _, want := range x.want {
			if !strings.Contains(line(text), line(want)) && !strings.HasPrefix(want, "pica200 ") { // the summary of the runner
				t.Errorf("%s: %s\nexpected: %s", x.name, text, want)
			}
		}
	}
}
