package launch

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

// changed returns the instruction set of a description in which texts of tesla.xml are replaced.
func changed(t *testing.T, replace ...string) *isa.Set {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(tesla.FS, "*.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := tesla.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if name == "tesla.xml" {
			for i := 0; i < len(replace); i += 2 {
				if strings.Count(text, replace[i]) != 1 {
					t.Fatalf("%q is not in %s once", replace[i], name)
				}
			}
			text = strings.NewReplacer(replace...).Replace(text)
		}
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	changed, err := isa.Load(files, "tesla.xml", isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// TestPlacesAreInTheDescription moves the places of a kernel's inputs in the description, and a kernel finds them there.
func TestPlacesAreInTheDescription(t *testing.T) {
	set := changed(t,
		`name="thread.x" file="r" number="0" low="0" high="15"`, `name="thread.x" file="r" number="1" low="8" high="15"`,
		`name="threads.x" memory="s" offset="0x2"`, `name="threads.x" memory="s" offset="0x32"`,
		`name="block.y" memory="s" offset="0xe"`, `name="block.y" memory="s" offset="0x34"`,
		`name="parameters" memory="s" offset="0x10"`, `name="parameters" memory="s" offset="0x20"`)
	source := kernel("mov b32 $r2 u16 s[0x34]", "shl b32 $r2 $r2 0x5", "shr u32 $r3 $r1 0x6", "add b32 $r2 $r2 $r3",
		"ld $r3 b32 s[0x20]", "add b32 $r3 $r3 $r2", "ld $r4 b32 s[0x30]", "st b32 g14[$r3] $r4", "exit nop")
	source = strings.Replace(source, "mov b32 $r2 u16 s[0x34]", "ld $r2 u16 s[0x34]", 1)
	options := map[string][]string{optGrid: {"1,2"}, optBlock: {"8"}, optArg: {"out=u32[16]"}}
	r, err := Open(feed.Request{Set: set, Context: set.DefaultContext(), Data: []byte(source), Options: options})
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Run(t.Context(), feed.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	good(t, out)
	for n := range 16 { // thread n%8 of block n/8 writes the size of a block
		if got := r.(*session).arrays["out"].u32(n); got != 8<<16 {
			t.Errorf("word %d is %#x, expected %#x", n, got, 8<<16)
		}
	}
}

// TestLimitsAreInTheDescription changes limits in the description, and the launch enforces them.
func TestLimitsAreInTheDescription(t *testing.T) {
	set := changed(t, `<limit name="threads" most="512" of="block"`, `<limit name="threads" most="64" of="block"`, `<limit name="blocks" most="65535">`, `<limit name="blocks" most="3">`,
		`name="s" size="16384"`, `name="s" size="128"`)
	for _, row := range []struct{ option, value, want string }{
		{optBlock, "65", `block "65", expected up to 3 numbers from 1 to 64`},
		{optGrid, "4", `grid "4", expected up to 2 numbers from 1 to 3`},
		{optShared, "129", `--shared "129", expected up to 128 bytes`},
	} {
		r, err := Open(feed.Request{Set: set, Context: set.DefaultContext(), Data: []byte(kernel("exit nop")), Options: map[string][]string{row.option: {row.value}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context(), feed.RunOptions{}); err == nil || err.Error() != row.want {
			t.Errorf("--%s %s: error %v, expected %s", row.option, row.value, err, row.want)
		}
	}
}

// TestPlaceIsMissing opens a kernel with a description that has no place for an input.
func TestPlaceIsMissing(t *testing.T) {
	for _, row := range [][2]string{{`<input name="parameters"`, `the description has no <input name="parameters">, which this launch needs`}, {`<limit name="threads.z"`, `the description has no <limit name="threads.z">, which this launch needs`}} {
		set := changed(t, row[0], strings.Replace(row[0], `="`, `="other-`, 1))
		_, err := Open(feed.Request{Set: set, Context: set.DefaultContext(), Data: []byte(kernel("exit nop"))})
		if err == nil || err.Error() != row[1] {
			t.Errorf("error %v, expected %s", err, row[1])
		}
	}
}
