package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestCostUnknown measures kernels that cost cannot follow, or whose paths it cannot tell apart: it states why.
func TestCostUnknown(t *testing.T) {
	for n, want := range map[int]string{
		1: "path          3 to 4 instructions", 48: "the stacks of calls and loops can take too many values to follow", 1024: "the program has too many paths to follow",
	} {
		var out, errs bytes.Buffer
		if status := run([]string{"cost", "-"}, strings.NewReader(branches(n)), &out, &errs); status != exitOK || !strings.Contains(out.String(), want) {
			t.Errorf("%d branches: status %d, %s%s, want %q", n, status, out.String(), errs.String(), want)
		}
	}
}

// TestCostLimits compares what programs use with the limits of the description, which are those of picasso, grate and Mesa.
func TestCostLimits(t *testing.T) {
	for name, want := range map[string]string{
		"pica200/light.pica":   "vertex words 25 of 512, opdesc 9 of 128",
		"pica200/points.shbin": "geometry words 20 of 4096, opdesc 5 of 128",
		"tegra/skin.vp":        "instructions 18 of 256",
		"a2xx/light.vs.a2xx":   "loaded 24 of 384", // 6 clauses are 3 units, and 21 instructions
	} {
		var out, errs bytes.Buffer
		if status := run([]string{"cost", "--json", "../../examples/" + name}, strings.NewReader(""), &out, &errs); status != exitOK {
			t.Fatalf("%s: status %d, %s", name, status, errs.String())
		}
		var all []costReport
		if err := json.Unmarshal(out.Bytes(), &all); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range all[0].Limits {
			got = append(got, u.Name+" "+u.String())
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
}
