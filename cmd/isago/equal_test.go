package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/isago/isago/internal/schematest"
)

// The output of equal --json matches the schema, and each member of the schema occurs.
func TestEqualSchema(t *testing.T) {
	schema := schematest.Load(t, "../../docs/json.schema.json")
	const pica = "../../examples/pica200/"
	for _, args := range [][]string{
		{pica + "light.shbin", pica + "light.shbin"},
		{pica + "light.shbin", pica + "skin.shbin"},
		{"../../examples/tesla/vecadd.cubin", "../../examples/tesla/saxpy.cubin"},
		{"--runs", "1", "--isa", "tegra", "../../examples/tegra/skin.asm", "../../examples/tegra/wave.asm"},
	} {
		var out, errs bytes.Buffer
		if status := run(append([]string{"equal", "--json"}, args...), strings.NewReader(""), &out, &errs); status != exitOK && status != exitFindings {
			t.Fatalf("%v: exit status %d, %s", args, status, &errs)
		}
		schema.Def(t, "equal").Check(t, strings.Join(args, " "), out.Bytes())
	}
}
