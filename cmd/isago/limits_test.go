package main

import (
	"os"
	"strings"
	"testing"
)

// TestLimits checks that SECURITY.md lists each bound, and that the flags that set a bound exist.
func TestLimits(t *testing.T) {
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range limits {
		for _, l := range group.list {
			flag := ""
			if l.flag != "" {
				flag = "`" + l.flag + "`"
				verb, name, _ := strings.Cut(l.flag, " --")
				cmd, _, err := newRoot().Find([]string{verb})
				if err != nil || cmd.Flags().Lookup(name) == nil {
					t.Errorf("no flag %s: %v", l.flag, err)
				}
			}
			if row := "| **" + group.of + "**: " + l.what + " | " + l.bound + " | " + flag + " |"; !strings.Contains(string(page), row) {
				t.Errorf("SECURITY.md has no row\n%s", row)
			}
		}
	}
}
