package python_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/python"
	"github.com/isago/isago/internal/gentest"
	"github.com/isago/isago/isa"
)

func TestPrintsAsTheLibrary(t *testing.T) {
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

// TestNoTextBecomesCode runs packages of descriptions whose names and texts try to be code.
func TestNoTextBecomesCode(t *testing.T) {
	for _, x := range gentest.HostileDescriptions() {
		t.Run(x.Name, func(t *testing.T) {
			gentest.Compare(t, x, func(p *gen.Program, root *gen.Root) string { return build(t, p, root) })
		})
	}
}

func TestListings(t *testing.T) {
	gentest.CompareAllListings(t, func(p *gen.Program) string { return build(t, p, p.Main) })
}

// TestPageExample runs the example of docs/generate.md. The comment after a print has the lines that it prints.
func TestPageExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/generate.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(start string) string {
		_, rest, ok := strings.Cut(string(page), "```"+start+"\n")
		text, _, closed := strings.Cut(rest, "\n```\n")
		if !ok || !closed {
			t.Fatalf("no block %s", start)
		}
		return text
	}
	dir := t.TempDir()
	write(t, load(t, block("xml lamp.xml")), filepath.Join(dir, "lamp"))
	code := block("python")
	var want []string
	for line := range strings.Lines(code) {
		if _, comment, ok := strings.Cut(line, "  # "); ok {
			want = append(want, strings.Split(strings.TrimSpace(comment), " | ")...)
		}
	}
	if got := run(t, dir, "-c", code); got != strings.Join(want, "\n")+"\n" || len(want) < 5 {
		t.Errorf("the example prints\n%s\nexpected\n%s", got, strings.Join(want, "\n"))
	}
}

// TestProgram runs the package as a program. 0x89 is "on" (1000) with the bit of COLOUR and N = 1, 0x9f is "blink" with BY = -1,
// and no instruction starts with 1111.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	write(t, load(t, lamp), filepath.Join(dir, "lamp"))
	if err := os.WriteFile(filepath.Join(dir, "code.bin"), []byte{0x89, 0x9f, 0xff}, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "code.txt"), []byte("0x89 9fff\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const want = "000000  89  on green 1\n000001  9f  blink -1\n000002  ff  .word 0xff\n"
	for _, args := range [][]string{{"code.bin"}, {"--hex", "code.txt"}} {
		cmd := exec.Command(interpreter(t), append([]string{"-m", "lamp"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); string(out) != want || !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if got, want := run(t, dir, "-m", "lamp", "--no-words", "--address", "0x10", "--labels", "/dev/null"), ""; got != want {
		t.Errorf("a listing of no code is %q", got)
	}
}

const lamp = `<isa name="lamp" strict="true">
<enum name="#colour"><value val="0" display="red"/><value val="1" display="green"/></enum>
<bitset name="#instruction" size="8"/>
<bitset name="on" extends="#instruction"><display>on {COLOUR} {N}</display><pattern low="4" high="7">1000</pattern>
  <field name="COLOUR" pos="3" type="#colour"/><field name="N" low="0" high="2" type="uint"/></bitset>
<bitset name="blink" extends="#instruction"><display>blink {BY}</display><pattern low="4" high="7">1001</pattern>
  <field name="BY" low="0" high="3" type="int"/></bitset>
</isa>`

// TestErrorsOfFields packs values that do not fit, and names that do not exist.
func TestErrorsOfFields(t *testing.T) {
	dir := t.TempDir()
	write(t, load(t, lamp), filepath.Join(dir, "lamp"))
	const code = `import lamp
for make in (lambda: lamp.OnFields(n=8).pack(), lambda: lamp.BlinkFields(by=8).pack(), lambda: lamp.BlinkFields(by=-9).pack(),
             lambda: lamp.OnFields(m=1), lambda: lamp.decode(0xF0), lambda: lamp.decode_bytes(b"")):
    try:
        print(hex(make()))
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
print(hex(lamp.OnFields(colour=lamp.Colour.GREEN, n=7).pack()), hex(lamp.BlinkFields(by=-8).pack()))
`
	const want = `FieldError the value of N does not fit its bits: 8
FieldError the value of BY does not fit its bits: 8
FieldError the value of BY does not fit its bits: -9
TypeError OnFields has no field m
UnknownWordError no instruction: 0xf0
ShortCodeError the code ends inside an instruction
0x8f 0x98
`
	if got := run(t, dir, "-c", code); got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
}

// TestKeywords uses fields, values and instructions whose names are keywords of Python.
func TestKeywords(t *testing.T) {
	dir := t.TempDir()
	write(t, load(t, `<isa name="k" strict="true">
<enum name="#lambda"><value val="0" display="None"/><value val="1" display="and"/></enum>
<bitset name="#instruction" size="8"/>
<bitset name="import" extends="#instruction"><display>import {IN} {IS}</display><pattern low="4" high="7">0000</pattern>
  <field name="IN" low="0" high="2" type="uint"/><field name="IS" pos="3" type="#lambda"/></bitset>
</isa>`), filepath.Join(dir, "k"))
	const code = `import k
f = k.ImportFields(in_=3, is_=k.Lambda.AND)
print(hex(f.pack()), k.decode(f.pack()), k.Op.IMPORT.value)
`
	if got, want := run(t, dir, "-c", code), "0xb import 3 and 1\n"; got != want {
		t.Errorf("got %q, expected %q", got, want)
	}
}

func load(t *testing.T, xml string) *gen.Program {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"lamp.xml": {Data: []byte(xml)}}, "lamp.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := gen.New(t.Context(), set, gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(interpreter(t), args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func write(t testing.TB, p *gen.Program, dir string) {
	t.Helper()
	files, err := python.Write(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func interpreter(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: python3 is not installed, so generated Python does not run")
	}
	return path
}

// build writes the package and a harness for one root.
func build(t testing.TB, p *gen.Program, root *gen.Root) string {
	t.Helper()
	path := interpreter(t)
	dir := t.TempDir()
	write(t, p, filepath.Join(dir, "generated"))
	n := python.NamesOf(p, root)
	var contexts []string
	for _, c := range n.Contexts {
		contexts = append(contexts, fmt.Sprintf("%q", c))
	}
	var tables []string
	for _, c := range n.Tables {
		tables = append(tables, fmt.Sprintf("%q", c))
	}
	text := strings.NewReplacer("PYTHON", path, "CONTEXTS", strings.Join(contexts, ", "), "TABLES", strings.Join(tables, ", "), "FIND", n.Find,
		"LIMBS", fmt.Sprint(p.Limbs), "ENTRIES", fmt.Sprint(gentest.Entries), "BATCH", fmt.Sprint(gentest.Batch), "MESA", map[bool]string{false: "False", true: "True"}[p.Mesa]).Replace(harness)
	file := filepath.Join(dir, "harness.py")
	if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return file
}

const harness = `#!PYTHON
import struct
import sys

import generated as g

stdin, out = sys.stdin.buffer, sys.stdout.buffer


def number():
    data = stdin.read(8)
    return struct.unpack("<q", data)[0] if len(data) == 8 else -1


if len(sys.argv) > 1:
    while True:
        head = [number() for _ in range(5)]
        if min(head) < 0:
            sys.exit()
        entries = []
        for _ in range(head[4]):
            index, length = number(), number()
            entries.append((stdin.read(length).decode(), index))
        listing = g.Listing(findings=head[1] != 0, labels=head[2] != 0, max_errors=head[3], entries=entries)
        code = stdin.read(number())
        out.write(listing.print(code, g.Options(gen=head[0])).encode() + b"\x02")

tables = []
for _ in range(4):
    tables.append([int.from_bytes(stdin.read(8 * LIMBS), "little") for _ in range(ENTRIES)])
n = 0
while True:
    if n % BATCH == 0:
        out.flush()
    n += 1
    data = stdin.read(17 * 8)
    if not data:
        break
    head = struct.unpack("<17Q", data)
    word = int.from_bytes(stdin.read(8 * LIMBS), "little")
    o = g.Options(remarks=head[15] & 1 != 0, lines=head[15] >> 1 & 1 != 0, indent="  ", gen=head[16])
    for i, name in enumerate([CONTEXTS]):
        setattr(o, name, head[i])
    for i, name in enumerate([TABLES]):
        setattr(o, name, tables[i])
    inst, found = g.FIND(word, o)
    if inst is None:
        text = "-1 "
    else:
        printed, found = inst.print()
        text = "%d %d %s" % (inst.op - 1, inst.size, printed)
        fields = inst.fields()
        if fields.pack(o) != inst.word:
            text += " NOT PACKED BACK"
        if type(fields).unpack(inst) != fields or any(a.text != printed[a.start:a.end] for a in inst.args()):
            text += " NOT AN OPERAND"
    for f in found:
        text += "\x01" + str(f)
    if inst is not None and not MESA:
        for op in inst.operands():
            text += "\x03%s %d %d" % (op.name, op.role, op.kind)
            for r in (op.reg, op.relative):
                none = len(g.File)
                if r is None:
                    text += " %d %d 0 0 0 0 -1" % (none, none)
                else:
                    view = none if r.view is None else r.view
                    text += " %d %d %d %d %d %d %d" % (r.file, view, r.number, r.count, r.low, r.width, r.component)
            swizzle = op.swizzle or (0, 0, 0, 0)
            text += " %s [%s] %s %d %d %d" % (
                "true" if op.swizzle else "false", " ".join(str(c) for c in swizzle),
                "false" if op.mask is None else "true", op.mask or 0, op.modifiers, len(g.Memory) if op.memory is None else op.memory)
            text += " %d %d %d %d" % (op.type.kind, op.type.bits, op.type.lanes, op.value & 0xFFFFFFFFFFFFFFFF)
    out.write(text.encode() + b"\x02")
out.flush()
`
