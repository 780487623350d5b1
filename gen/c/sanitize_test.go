package c_test

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/c"
	"github.com/isago/isago/internal/gentest"
)

var (
	sanitize = flag.Bool("sanitize", false, "run the generated code under the address and undefined-behaviour sanitizers")
	fuzzed   = flag.Int("fuzzed", 2000, "words that -sanitize tries for each description")
	seed     = flag.Int("seed", 1, "of the words of -sanitize")
)

//go:embed fuzz.c.txt
var fuzzText string

// TestSanitized decodes and prints words under the sanitizers, with too little room for the text and for
// what is found.
func TestSanitized(t *testing.T) {
	if !*sanitize {
		t.Skip("no -sanitize")
	}
	compiler(t, "gcc")
	for _, x := range gentest.Descriptions(t) {
		t.Run(x.Name, func(t *testing.T) {
			_, p := x.Program(t)
			dir := t.TempDir()
			write(t, dir, p)
			if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(fuzzer(p)), 0o666); err != nil {
				t.Fatal(err)
			}
			compile(t, dir, "gcc", append([]string{"-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o", "fuzz", "main.c"}, sources(t, p)...)...)
			cmd := exec.Command(filepath.Join(dir, "fuzz"), fmt.Sprint(*fuzzed), fmt.Sprint(*seed))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

// fuzzer is a program that tries words of all roots.
func fuzzer(p *gen.Program) string {
	var roots, packers strings.Builder
	for _, r := range p.Roots {
		if !r.Top {
			continue
		}
		inst, suffix := "struct "+p.Name+"_inst", ""
		if r != p.Main {
			inst, suffix = "struct "+p.Name+"_"+r.Name+"_inst", "_"+r.Name
		}
		fmt.Fprintf(&roots, "\t\t{\n\t\t\t%s in;\n", inst)
		if len(p.Classes) > 1 || p.Uses.Gen {
			roots.WriteString("\t\t\to.gen = (uint32_t)(next() % 1000);\n")
		}
		fmt.Fprintf(&roots, "\t\t\tif (%s_decode%s(w, &o, &in)) {\n", p.Name, suffix)
		fmt.Fprintf(&roots, "\t\t\t\tlength = %s_print%s(&in, &o, text, size);\n", p.Name, suffix)
		roots.WriteString("\t\t\t\tif (size > 0 && strlen(text) != (length < size ? length : size - 1))\n\t\t\t\t\tabort();\n")
		if !p.Mesa {
			fmt.Fprintf(&roots, "\t\t\t\tsum += %s_operands%s(&in, &o, ops, (size_t)(next() %% 4));\n", p.Name, suffix)
		}
		fmt.Fprintf(&roots, "\t\t\t\tback_%s(&in, &o);\n\t\t\t}\n\t\t}\n", r.Name)
		packers.WriteString(fuzzPackers(p, r, inst))
	}
	listing := ""
	if p.Main != nil {
		listing = strings.ReplaceAll(fuzzListing, "NAME", p.Name)
	}
	return strings.NewReplacer("LISTING", listing, "PACKERS", packers.String(), "NAME", p.Name, "LIMBS", fmt.Sprint(p.Limbs), "ROOTS", roots.String()).Replace(fuzzText)
}

// fuzzPackers packs what was unpacked, and random fields.
func fuzzPackers(p *gen.Program, r *gen.Root, inst string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "static void back_%s(const %s *in, const struct %s_options *o)\n{\n\t%s_word w;\n\tswitch ((unsigned)in->op) {\n", r.Name, inst, p.Name, p.Name)
	for i, l := range r.Leaves {
		pack, unpack, fields, _ := c.Names(p, l)
		fmt.Fprintf(&b, "\tcase %d: {\n\t\tstruct %s f;\n\t\t%s(in, o, &f);\n", i, fields, unpack)
		fmt.Fprintf(&b, "\t\tif (!%s(&f, o, &w) || memcmp(&w, &in->bits, sizeof w) != 0)\n\t\t\tabort();\n\t\tfill(&f, sizeof f);\n", pack)
		for _, x := range l.Layout.Fields {
			if x.Bool {
				fmt.Fprintf(&b, "\t\tf.%s = next() & 1;\n", c.Member(x.Name))
			}
		}
		fmt.Fprintf(&b, "\t\t(void)%s(&f, o, &w);\n\t\tbreak;\n\t}\n", pack)
	}
	b.WriteString("\tdefault:\n\t\tbreak;\n\t}\n}\n")
	return b.String()
}

// fuzzListing lists random code into too little room.
const fuzzListing = `for (i = 0; i < n / 16; i++) {
		static const struct NAME_entrypoint entries[] = {{"b", 1}, {"a", 1}, {"far", 999}};
		unsigned char code[40], targets[40];
		char text[400];
		struct NAME_listing l;
		const size_t bytes = (size_t)(next() % 41), size = (size_t)(next() % 401);
		size_t length;
		fill(code, sizeof code);
		memset(&l, 0, sizeof l);
		l.show_errors = next() & 1;
		l.max_errors = (unsigned)(next() % 3);
		l.targets = next() & 1 ? targets : NULL;
		l.entrypoints = entries;
		l.entrypoint_count = 3;
		length = NAME_disasm(code, bytes, NULL, &l, text, size);
		if (size > 0 && strlen(text) != (length < size ? length : size - 1))
			abort();
		sum += length;
	}`
