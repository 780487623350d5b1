package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/internal/schematest"
)

// The output of check --json and lint --json matches the schema, and each member of the schema occurs.
func TestFindingsSchema(t *testing.T) {
	schema := schematest.Load(t, "../../docs/json.schema.json")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(definition string, args ...string) {
		var out, errs bytes.Buffer
		run(args, strings.NewReader(""), &out, &errs)
		schema.Def(t, definition).Check(t, strings.Join(args, " "), out.Bytes())
	}
	flawed, err := filepath.Glob("../../prove/testdata/*.xml")
	if err != nil || len(flawed) == 0 {
		t.Fatal(err, len(flawed))
	}
	for _, name := range flawed {
		check("check", "check", "--json", name)
	}
	for _, machine := range []string{"example", "pica200", "tegra"} {
		check("check", "check", "--json", "--effort", "1", "--search", "0", "--isa", machine)
	}
	check("check", "check", "--json", file("broken.xml", "<isa>\n<enum name=\"#a\"/>\n<enum name=\"#a\"/></isa>\n")) // does not load

	const kernel = "code {\n\tname = %s\n\tlmem = 0\n\tsmem = 16\n\treg = 4\n\tbar = 0\n\tbincode {\n\t\tmov b32 $r0 $r1\n\t\tst b32 g14[$r2] $r0\n\t\texit nop\n\t}\n}\n"
	source := file("two.cubin.s", "architecture {sm_10}\nabiversion {0}\nmodname {cubin}\n"+fmt.Sprintf(kernel, "a")+fmt.Sprintf(kernel, "b"))
	cubin := filepath.Join(dir, "two.cubin")
	if status := run([]string{"asm", "-o", cubin, source}, strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer)); status != 0 {
		t.Fatalf("status %d", status)
	}
	programs, err := filepath.Glob("testdata/lint/*")
	if err != nil || len(programs) == 0 {
		t.Fatal(err, len(programs))
	}
	for _, name := range append(programs, cubin) {
		check("findings", "lint", "--json", name)
	}
	if unseen := schema.Unseen("check", "finding", "related", "row", "witness", "claim"); len(unseen) > 0 {
		t.Errorf("no output has %q", unseen)
	}
}

// The output of cost --json matches the schema, and each member of the schema occurs.
func TestCostSchema(t *testing.T) {
	schema := schematest.Load(t, "../../docs/json.schema.json")
	endless := filepath.Join(t.TempDir(), "endless.bin") // br -1
	if err := os.WriteFile(endless, []byte("\xff\x83"), 0o666); err != nil {
		t.Fatal(err)
	}
	stacks := filepath.Join(t.TempDir(), "stacks.s")
	if err := os.WriteFile(stacks, []byte(branches(1024)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{stacks}, {"../../examples/pica200"}, {"../../examples/tesla"}, {"--isa", "a2xx", "--stage", "fs", "../../examples/a2xx/choices.fs.a2xx"},
		{"--isa", "example", endless},
	} {
		var out, errs bytes.Buffer
		run(append([]string{"cost", "--json"}, args...), strings.NewReader(""), &out, &errs)
		schema.Def(t, "costs").Check(t, strings.Join(args, " "), out.Bytes())
	}
	kernel := func(name, code string) string {
		return "code {\nname = " + name + "\nlmem = 0\nsmem = 16\nreg = 2\nbar = 0\nbincode {\n" + code + "exit nop\n}\n}\n"
	}
	two := func(file, code string) string {
		name := filepath.Join(t.TempDir(), file)
		text := "architecture {sm_11}\nabiversion {0}\nmodname {cubin}\n" + kernel("first", "") + kernel("second", code)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var out, errs bytes.Buffer
	run([]string{"diff", "--cost", "--json", two("a.s", ""), two("b.s", "mov b32 $r1 $r0\n")}, strings.NewReader(""), &out, &errs)
	schema.Def(t, "diff").Check(t, "diff --cost", out.Bytes())
	if unseen := schema.Unseen("cost_change", "cost", "use", "program_cost", "path", "length", "term", "loop", "pressure", "operation", "cost_line", "occupancy", "block_size"); len(unseen) > 0 {
		t.Errorf("no output has %q", unseen)
	}
}

// The output of translate --json matches the schema, and each member of the schema occurs.
func TestTranslationSchema(t *testing.T) {
	schema := schematest.Load(t, "../../docs/json.schema.json")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	damaged := file("damaged.shbin", "DVLB\xff\x00\x00\x00")
	exp := file("exp.pica", ".entry first\n.out a color\n.proc first\n\tex2 a, v0.x\n\tend\n.end\n")
	open := file("open.bin", "\x00\x00\x00\x84") // a nop, and then the words end
	two := filepath.Join(dir, "two.shbin")
	other := file("other.pica", ".entry second\n.out a color\n.proc second\n\tmov a, v0\n\tend\n.end\n")
	if status := run([]string{"asm", "-o", two, exp, other}, strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer)); status != 0 {
		t.Fatalf("status %d", status)
	}
	const examples = "../../examples/"
	sampled := file("sampled.s", "interp $r0 cent v[0x4]\nexit texauto all $r0:$r1:$r2:$r3 $t0 $s1 $r0\n")
	for _, args := range [][]string{
		{examples + "pica200/light.shbin"},
		{"--isa", "tesla", "--stage", "fp", "--shape", "fragment", "--outputs", "colour=2", sampled},
		{"-o", filepath.Join(dir, "out") + "/", examples + "pica200", damaged, two},
		{"--isa", "pica200", open},
		{"--to", "spirv", "--shape", "vertex", examples + "pica200/light.shbin"},
		{"--isa", "a2xx", examples + "a2xx/lights.vs.bin"},
		{"--isa", "a2xx", "--stage", "vs", "--shape", "vertex", examples + "a2xx/light.vs.bin"},
		{"--isa", "a2xx", "--stage", "fs", "--shape", "fragment", examples + "a2xx/textures.fs.bin"},
		{"--shape", "geometry", examples + "pica200/points.shbin"},
		{"--shape", "function", examples + "tesla/reduce.cubin"}, // has a barrier
		{"--block", "64", "--params", "a:ptr b:ptr c:ptr n:s32", examples + "tesla/vecadd.cubin"},
		{examples + "tesla/reduce.cubin", examples + "tesla/blackscholes.cubin", examples + "tesla/matmul.cubin"},
	} {
		var out, errs bytes.Buffer
		run(append([]string{"translate", "--json"}, args...), strings.NewReader(""), &out, &errs)
		schema.Def(t, "translations").Check(t, strings.Join(args, " "), out.Bytes())
	}
	unseen := schema.Unseen("translations", "translation", "binding", "texture", "buffer", "kernel_parameter", "refusal")
	if len(unseen) > 0 {
		t.Errorf("no output has %q", unseen)
	}
}
