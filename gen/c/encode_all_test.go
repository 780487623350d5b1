package c_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/c"
	"github.com/isago/isago/internal/gentest"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

var encoded = flag.Int("encoded", 20000, "words that are encoded of each description")

// TestEncodesWhatIsPacked gives each field of a description a map to a member of one struct, and compares the words that
// encoders make of what was unpacked with the word that packing makes.
func TestEncodesWhatIsPacked(t *testing.T) {
	compiler(t, "gcc")
	for _, x := range gentest.Descriptions(t) {
		if x.Name == "tegra" && testing.Short() || x.Mesa || x.Random { // an encoder prints by no rules
			continue
		}
		t.Run(x.Name, func(t *testing.T) {
			set, err := x.Load(isa.Options{Gen: x.Gens[0]})
			if err != nil {
				t.Fatal(err)
			}
			p, err := gen.New(t.Context(), set, gen.Options{Fallback: x.Name, AllGens: len(x.Gens) > 1, Fragments: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Contexts) > 0 || len(p.Tables) > 0 {
				t.Skip("an encoder of Mesa's knows of no contexts and tables")
			}
			dir := t.TempDir()
			source := mapAll(p)
			write(t, dir, p)
			if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
			flags := slices.Clone(strictFlags)
			if *sanitize {
				flags = append(flags, "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
			}
			compile(t, dir, "gcc", append(flags, "-std=c11", "-o", "main", "main.c", p.Name+".c", p.Name+"_pack.c")...)
			for _, g := range x.Gens {
				out, err := exec.Command(filepath.Join(dir, "main"), fmt.Sprint(g), fmt.Sprint(*encoded)).CombinedOutput()
				if err != nil {
					t.Fatalf("generation %d: %v\n%.3000s", g, err, out)
				}
				t.Logf("generation %d: %s", g, out)
			}
		})
	}
}

var notOfConstant = regexp.MustCompile(`[^A-Z0-9_]`)

// mapAll gives each root of a program a type and a prefix, and each field a map, and returns a driver.
func mapAll(p *gen.Program) string {
	index := map[string]int{}
	for _, b := range p.ISA.Bitsets {
		b.Encode = &spec.Encode{}
		for _, k := range b.Cases {
			for _, f := range k.Fields {
				if f.Expr != nil {
					continue
				}
				if _, ok := index[f.Name]; !ok {
					index[f.Name] = len(index)
				}
				member := "num"
				if f.Bitset != nil {
					member = "sub"
				}
				b.Encode.Maps = append(b.Encode.Maps, spec.EncodeMap{Name: f.Name, Text: fmt.Sprintf("src->%s[%d]", member, index[f.Name]), Force: true})
			}
		}
	}
	var b, cases, declared strings.Builder
	for i, r := range p.Roots {
		prefix := fmt.Sprintf("R%d_", i)
		*r.Spec.Encode = spec.Encode{Type: "struct item *", CasePrefix: prefix, Cases: true, Maps: r.Spec.Encode.Maps}
		function := strings.NewReplacer("#", "__", "-", "_", ".", "_").Replace(strings.ToLower(r.Spec.Name))
		fmt.Fprintf(&cases, "static inline int %s_case(const struct encode_state *s, const struct item *src) { (void)s; return src->op; }\n", function)
		var names []string
		fill := fmt.Sprintf("static bool fill_%s(struct item *x, const INST *in, const struct N_options *o)\n{\n\tswitch ((unsigned)in->op) {\n", r.Name)
		for k, l := range r.Leaves {
			name := prefix + notOfConstant.ReplaceAllString(strings.ToUpper(strings.ReplaceAll(l.Spec.Name, "#", "")), "_")
			op := slices.Index(names, name)
			if op < 0 {
				op = k
				fmt.Fprintf(&cases, "#define %s %d\n", name, k)
			}
			names = append(names, name)
			fill += fmt.Sprintf("\tcase %d: {\n%s\t\tx->op = %d;\n\t\tbreak;\n\t}\n", k, fillLeaf(p, l, index), op)
		}
		fill += "\tdefault:\n\t\treturn false;\n\t}\n\treturn true;\n}\n"
		fill += "static struct item *item_of_" + r.Name + "(N_word w, const struct N_options *o)\n{\n\tINST in;\n\tstruct item *const x = &items[used];\n" +
			"\tif (++used >= 64 || !DECODE(w, o, &in) || !fill_" + r.Name + "(x, &in, o))\n\t\treturn NULL;\n\treturn x;\n}\n"
		inst, decode := "struct N_"+r.Name+"_inst", "N_decode_"+r.Name
		if r == p.Main {
			inst, decode = "struct N_inst", "N_decode"
		}
		fmt.Fprintf(&declared, "static struct item *item_of_%s(N_word w, const struct N_options *o);\n", r.Name)
		fmt.Fprintf(&b, "%s\n", strings.NewReplacer("INST", inst, "DECODE", decode).Replace(fill))
		if r == p.Main {
			fmt.Fprintf(&b, encodeMain, masks(p, r), len(r.Leaves), genOption(p), decode, r.Name, function)
		}
	}
	head := fmt.Sprintf(encodeHead, max(1, len(index)), max(1, len(index)))
	text := strings.NewReplacer("NINST", p.Name+"_inst", "NUNEXPECTED", strings.ToUpper(p.Name)+"_FINDING_UNEXPECTED", "LIMBS", fmt.Sprint(p.Limbs), "N.h", p.Name+".h", "N_", p.Name+"_").Replace(
		head + "CASES#include \"N_encode.h\"\n" + declared.String() + b.String())
	return strings.Replace(text, "CASES", cases.String(), 1)
}

func genOption(p *gen.Program) string {
	if len(p.Classes) > 1 || p.Uses.Gen {
		return "o.gen = s.gen;"
	}
	return ""
}

// fillLeaf fills the members of a leaf's fields, the word being what is packed of them. Of several fields of one name the
// alternative says which is taken.
func fillLeaf(p *gen.Program, l *gen.Leaf, index map[string]int) string {
	pack, unpack, fields, rest := c.Names(p, l)
	var b strings.Builder
	fmt.Fprintf(&b, "\t\tstruct %s f;\n\t\t%s(in, o, &f);\n", fields, unpack)
	for i := range rest {
		fmt.Fprintf(&b, "\t\tf.rest[%d] = 0;\n", i)
	}
	count, seen := map[string]int{}, map[string]int{}
	for _, f := range l.Layout.Fields {
		count[f.Spec.Name]++
	}
	for _, f := range l.Layout.Fields {
		member, i, pick := "f."+c.Member(f.Name), index[f.Spec.Name], ""
		if n := count[f.Spec.Name]; n > 1 {
			pick = fmt.Sprintf("if (alternative %% %d == %d) ", n, seen[f.Spec.Name])
			seen[f.Spec.Name]++
		}
		switch {
		case f.Root != nil && f.Width > 64:
			fmt.Fprintf(&b, "\t\t%sif (!(x->sub[%d] = item_of_%s(limbs(%s, %d), o))) return false;\n", pick, i, f.Root.Name, member, (f.Width+63)/64)
			for k := range (f.Width + 63) / 64 {
				fmt.Fprintf(&b, "\t\t%s%s[%d] = x->sub[%d]->word.limb[%d];\n", pick, member, k, i, k)
			}
		case f.Root != nil:
			fmt.Fprintf(&b, "\t\t%s{ uint64_t v = (uint64_t)%s; if (!(x->sub[%d] = item_of_%s(limbs(&v, 1), o))) return false;", pick, member, i, f.Root.Name)
			fmt.Fprintf(&b, " %s = (uint%d_t)low(x->sub[%d]->word); }\n", member, map[bool]int{true: 32, false: 64}[f.Width <= 32], i)
		case f.Width > 64: // a map is a number of 64 bits
			for k := range (f.Width + 63) / 64 {
				if k > 0 {
					fmt.Fprintf(&b, "\t\t%s[%d] = 0;\n", member, k)
				}
			}
			fmt.Fprintf(&b, "\t\t%sx->num[%d] = (int64_t)%s[0];\n", pick, i, member)
		default:
			fmt.Fprintf(&b, "\t\t%sx->num[%d] = (int64_t)%s;\n", pick, i, member)
		}
	}
	fmt.Fprintf(&b, "\t\tif (!%s(&f, o, &x->word)) return false;\n", pack)
	return b.String()
}

// masks are the bits by which the leaves of a root are, and what they are.
func masks(p *gen.Program, r *gen.Root) string {
	var list []string
	for _, l := range r.Leaves {
		var mask, match []string
		for i := range p.Limbs {
			mask = append(mask, fmt.Sprintf("UINT64_C(0x%x)", l.Mask[i]))
			match = append(match, fmt.Sprintf("UINT64_C(0x%x)", l.Match[i]))
		}
		list = append(list, fmt.Sprintf("{{%s}, {%s}}", strings.Join(mask, ", "), strings.Join(match, ", ")))
	}
	return strings.Join(list, ",\n")
}

const encodeHead = `#include "N.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct encode_state { unsigned gen; };
struct item { int op; int64_t num[%d]; const struct item *sub[%d]; N_word word; };
static struct item items[64];
static unsigned used, alternative;
static uint64_t low(N_word w) { uint64_t v; memcpy(&v, &w, 8); return v; }
static N_word limbs(const uint64_t *v, unsigned n)
{
	N_word w;
	memset(&w, 0, sizeof w);
	memcpy(&w, v, 8 * n);
	return w;
}
static uint64_t state = 88172645463325252;
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}
`

const encodeMain = `/* Tells whether bits that are asserted are so: the maps do not say that they are not. */
static bool expected(const struct NINST *in, struct N_options *o)
{
	static struct N_finding list[64];
	struct N_findings found = {list, 64, 0};
	size_t i;
	o->findings = &found;
	N_print(in, o, NULL, 0);
	o->findings = NULL;
	for (i = 0; i < found.count && i < 64; i++)
		if (list[i].kind == NUNEXPECTED)
			return false;
	return true;
}
static const struct { uint64_t mask[LIMBS], match[LIMBS]; } leaves[] = {%s};
int main(int argc, char **argv)
{
	struct encode_state s;
	struct N_options o;
	unsigned long i, n, right = 0, known = 0;
	if (argc < 3)
		return 2;
	s.gen = (unsigned)strtoul(argv[1], NULL, 10);
	n = strtoul(argv[2], NULL, 10);
	N_options_init(&o);
	%[3]s
	for (i = 0; i < n; i++) {
		uint64_t v[LIMBS];
		struct NINST in;
		struct item *x;
		N_word w;
		unsigned k;
		for (k = 0; k < LIMBS; k++)
			v[k] = (next() & ~leaves[i %% %[2]d].mask[k]) | leaves[i %% %[2]d].match[k];
		w = limbs(v, LIMBS);
		if (!%[4]s(w, &o, &in) || !expected(&in, &o))
			continue;
		memset(&w, 0, sizeof w);
		for (alternative = 0; alternative < 6; alternative++) {
			used = 0;
			x = item_of_%[5]s(in.bits, &o);
			if (!x)
				break;
			w = encode%[6]s(&s, NULL, x);
			if (memcmp(&w, &x->word, sizeof w) == 0)
				break;
		}
		if (!x)
			continue;
		known++;
		if (alternative < 6)
			right++;
		else if (known - right < 8) {
			char text[1000];
			N_print(&in, &o, text, sizeof text);
			printf("%%s: %%s: %%016llx, packed %%016llx\n", N_name(in.op), text, (unsigned long long)low(w), (unsigned long long)low(x->word));
		}
	}
	printf("%%lu of %%lu words are encoded as they are packed\n", right, known);
	return right == known && known > 0 ? 0 : 1;
}
`
