package c_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/c"
	"github.com/isago/isago/internal/gentest"
)

// compiler skips the test where there is none.
func compiler(t testing.TB, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s on this machine", name)
	}
	return path
}

// strictFlags are those under which nothing may be said.
var strictFlags = []string{"-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"}

// build writes the files of a program and compiles them with a harness for one root.
func build(t testing.TB, p *gen.Program, root *gen.Root, flags ...string) string {
	dir := t.TempDir()
	write(t, dir, p)
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(harness(p, root)), 0o666); err != nil {
		t.Fatal(err)
	}
	compile(t, dir, compiler(t, "gcc"), slices.Concat([]string{"-std=c11", "-O1"}, strictFlags, flags, []string{"-o", "harness", "main.c"}, sources(t, p))...)
	return filepath.Join(dir, "harness")
}

// written returns the files of a program.
func written(t testing.TB, p *gen.Program) []c.File {
	t.Helper()
	files, err := c.Write(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sources lists the .c files of a program.
func sources(t testing.TB, p *gen.Program) (list []string) {
	for _, f := range written(t, p) {
		if strings.HasSuffix(f.Name, ".c") {
			list = append(list, f.Name)
		}
	}
	return list
}

// write writes the files of a program.
func write(t testing.TB, dir string, p *gen.Program) {
	t.Helper()
	for _, f := range written(t, p) {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func compile(t testing.TB, dir, cc string, args ...string) {
	t.Helper()
	cmd := exec.Command(cc, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		if len(out) > 3000 {
			out = out[:3000]
		}
		t.Fatalf("%s %s: %v\n%s", cc, strings.Join(args, " "), err, out)
	}
}

// harness is a program that reads words and prints them with what is found.
func harness(p *gen.Program, root *gen.Root) string {
	suffix, inst := "_"+root.Name, "struct "+p.Name+"_"+root.Name+"_inst"
	if root == p.Main {
		suffix, inst = "", "struct "+p.Name+"_inst"
	}
	var set strings.Builder
	for i, x := range p.Contexts {
		fmt.Fprintf(&set, "\t\to.context.%s = (%s)context[%d];\n", c.ContextMember(p, x), c.UnsignedOf(x.Width), i)
	}
	if len(p.Classes) > 1 || p.Uses.Gen {
		set.WriteString("\t\to.gen = (uint32_t)context[16];\n")
	}
	for i, x := range p.Tables {
		fmt.Fprintf(&set, "\t\to.table_%s_%d = table[%d]; o.table_%s_%d_count = %d;\n", gen.Lower(x.Name), x.Index, i, gen.Lower(x.Name), x.Index, gentest.Entries)
	}
	packers := fmt.Sprintf("static bool back(const %s *in, const struct %s_options *o)\n{\n\t%s_word w, full = in->bits;\n\tswitch ((unsigned)in->op) {\n", inst, p.Name, p.Name)
	for i, l := range root.Leaves {
		pack, unpack, fields, rest := c.Names(p, l)
		zero := ""
		for k := range rest { // the bits without fields are told of by themselves
			zero += fmt.Sprintf("if (f.rest[%d] & ~%s) return false; ", k, fmt.Sprintf("UINT64_C(0x%x)", l.Layout.Rest[k]))
		}
		packers += fmt.Sprintf("\tcase %d: { struct %s f; %s(in, o, &f); %sif (!%s(&f, o, &w)) return false; break; }\n", i, fields, unpack, zero, pack)
	}
	packers += "\tdefault: return false;\n\t}\n\treturn memcmp(&w, &full, sizeof w) == 0;\n}\n"
	list := ""
	if root == p.Main {
		list = strings.Replace(listText, "GEN", map[bool]string{true: "o.gen = (uint32_t)head[0];"}[len(p.Classes) > 1 || p.Uses.Gen], 1)
		packers += strings.ReplaceAll(list, "N_", p.Name+"_")
		list = "if (argc > 1)\n\t\treturn listings();\n\t"
	}
	operands := ""
	if !p.Mesa {
		packers += strings.ReplaceAll(operandText, "N_", p.Name+"_")
		operands = "\t\tif (ok) {\n\t\t\tstatic struct N_operand ops[4096];\n\t\t\tconst size_t found = N_operandsSUFFIX(&in, &o, ops, 4096);\n" +
			"\t\t\tfor (i = 0; i < found && i < 4096; i++)\n\t\t\t\toperand(&ops[i]);\n\t\t}\n"
		operands = strings.NewReplacer("N_", p.Name+"_", "SUFFIX", suffix).Replace(operands)
	}
	return strings.NewReplacer("PACKERS", packers, "OPERANDS", operands, "LIST", list, "NAME.h", p.Name+".h", "N_", p.Name+"_", "SUFFIX", suffix, "INST", inst, "SET", set.String(),
		"ENTRIES", fmt.Sprint(gentest.Entries), "BATCH", fmt.Sprint(gentest.Batch), "LIMBS", fmt.Sprint(p.Limbs)).Replace(harnessText)
}

const harnessText = `#include "NAME.h"
#include <stdio.h>
#include <string.h>
static N_word table[4][ENTRIES];
static bool value(uint64_t *v, unsigned n) { return fread(v, 8, n, stdin) == n; }
PACKERS
int main(int argc, char **argv)
{
	static struct N_finding list[4096];
	struct N_findings findings = {list, 4096, 0};
	struct N_options o;
	static char text[1 << 20], line[1 << 16];
	uint64_t context[17];
	unsigned long n = 0;
	N_word w;
	(void)argc, (void)argv;
	LISTif (!value((uint64_t *)table, 4 * ENTRIES * LIMBS))
		return 1;
	while (value(context, 17) && value((uint64_t *)&w, LIMBS)) {
		INST in;
		size_t i;
		bool ok;
		N_options_init(&o);
		o.findings = &findings;
		o.remarks = context[15] & 1;
		o.lines = context[15] >> 1 & 1;
		o.indent = "  ";
SET		ok = N_decodeSUFFIX(w, &o, &in);
		printf("%d ", ok ? (int)in.op : -1);
		if (ok) {
			N_printSUFFIX(&in, &o, text, sizeof text);
			printf("%u %s", in.size, text);
			if (!back(&in, &o))
				printf(" NOT PACKED BACK");
		}
		for (i = 0; i < findings.count && i < findings.size; i++) {
			N_finding_text(&list[i], line, sizeof line);
			printf("%c%s", 1, line);
		}
OPERANDS		putchar(2);
		if (++n % BATCH == 0)
			fflush(stdout);
	}
	return 0;
}
`

const operandText = `static void reg(const struct N_register *r)
{
	printf(" %d %d %lld %d %d %d %d", (int)r->file, (int)r->view, (long long)r->number, r->count, r->low, r->width, r->component);
}
static void operand(const struct N_operand *o)
{
	const unsigned char *const s = o->swizzle;
	printf("%c%s %d %d", 3, o->name, (int)o->role, (int)o->kind);
	reg(&o->reg);
	reg(&o->relative);
	printf(" %s [%d %d %d %d] %s %d %llu %d", o->swizzled ? "true" : "false", s[0], s[1], s[2], s[3], o->masked ? "true" : "false",
		o->mask, (unsigned long long)o->modifiers, (int)o->memory);
	printf(" %d %u %u %llu", (int)o->type.kind, o->type.bits, o->type.lanes, (unsigned long long)o->value);
}
`

const listText = `static int listings(void)
{
	static struct N_entrypoint entries[64];
	static char names[64][64], text[1 << 20];
	static unsigned char targets[1 << 12], code[1 << 16];
	uint64_t head[5], n[2], size, i;
	while (value(head, 5)) {
		struct N_options o;
		struct N_listing l;
		memset(&l, 0, sizeof l);
		N_options_init(&o);
		GEN
		for (i = 0; i < head[4]; i++) {
			if (!value(n, 2) || fread(names[i], 1, (size_t)n[1], stdin) != n[1])
				return 1;
			names[i][n[1]] = 0;
			entries[i].offset = (size_t)n[0];
			entries[i].name = names[i];
		}
		if (!value(&size, 1) || fread(code, 1, (size_t)size, stdin) != size)
			return 1;
		l.show_errors = head[1] != 0;
		l.targets = head[2] ? targets : NULL;
		l.max_errors = (unsigned)head[3];
		l.entrypoints = entries;
		l.entrypoint_count = (size_t)head[4];
		i = N_disasm(code, (size_t)size, &o, &l, text, sizeof text);
		if (i != strlen(text))
			return 1;
		printf("%s%c", text, 2);
	}
	return 0;
}
`

func TestListings(t *testing.T) {
	compiler(t, "gcc")
	gentest.CompareAllListings(t, func(p *gen.Program) string { return build(t, p, p.Main) })
}

func TestPrintsAsTheLibrary(t *testing.T) {
	compiler(t, "gcc")
	for _, x := range gentest.Descriptions(t) {
		t.Run(x.Name, func(t *testing.T) {
			gentest.Compare(t, x, func(p *gen.Program, root *gen.Root) string { return build(t, p, root) })
		})
	}
}

// TestMesaRows compares with what Mesa's tools print, in rows that are not in the repository.
func TestMesaRows(t *testing.T) {
	gentest.CompareEachRows(t, func(t *testing.T, p *gen.Program) string { return build(t, p, p.Main) })
}
