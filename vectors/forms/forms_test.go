package forms_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/cfile"
	"github.com/isago/isago/internal/vectest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/vectors"
	"github.com/isago/isago/vectors/forms"
)

var strict = []string{"-Wall", "-Wextra", "-Wpedantic", "-Werror"}

// TestSamples holds some results that are computed by hand: 1.5 + 2.25 = 3.75, mova of 2.75 and -2.75 truncates, and a
// store writes the low byte first.
func TestSamples(t *testing.T) {
	pica, tesla := vectest.Open(t, "pica200"), vectest.Open(t, "tesla")
	files, stores := vectest.Pica200(t, pica), vectest.Tesla(t, tesla)
	find := func(f *vectors.File, i int, name string) []uint64 {
		for _, r := range f.Vectors[i].Final.Registers {
			if r.Name == name {
				return r.Values
			}
		}
		return nil
	}
	if got := find(files[0], 0, "v"); got[0] != 0x3fc00000 {
		t.Errorf("v1.x is %x", got[0])
	}
	for _, r := range files[0].Vectors[0].Final.Registers {
		if r.Name == "r" && r.Number == 0 && r.Values[3] != 0x40700000 {
			t.Errorf("r0.w is %x", r.Values[3])
		}
	}
	if got := find(files[2], 0, "a0"); got[0] != 2 || got[1] != 0xfffffffe {
		t.Errorf("a0 is %x", got)
	}
	if got := find(files[1], 0, "cmp"); got[0] != 1 || got[1] != 1 {
		t.Errorf("cmp is %x", got)
	}
	var bytes []byte
	for _, m := range stores[1].Vectors[0].Final.Memories {
		bytes = append(bytes, m.Bytes...)
	}
	if fmt.Sprintf("%x", bytes) != "4433aa00" {
		t.Errorf("the bytes are %x", bytes)
	}
}

// write writes the files of a form, and the emulator of the test with a main program.
func write(t testing.TB, dir, prefix string, out []forms.File, main string) {
	t.Helper()
	for _, f := range out {
		vectest.Save(t, dir, cfile.File(f))
	}
	text, err := os.ReadFile("testdata/remote.c.txt")
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.ReplaceAll(string(text)+main, "@", prefix))
	if err := os.WriteFile(filepath.Join(dir, "emulator.c"), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// fault changes what a processor returns.
type fault func(command string, state string, number uint64, parts []uint64) []uint64

// serve answers the emulator of the test until it closes its file.
func serve(m *exec.Machine, root *isa.Root, from io.Reader, to io.Writer, broken fault) error {
	in := bufio.NewReader(from)
	var p *vectest.Processor
	line := func() ([]string, error) {
		text, err := in.ReadString('\n')
		return strings.Fields(text), err
	}
	number := func(text string, base int) uint64 {
		v, _ := strconv.ParseUint(text, base, 64)
		return v
	}
	for {
		words, err := line()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch words[0] {
		case "reset":
			settings := map[string]string{}
			list, _ := line()
			for _, s := range list {
				name, value, _ := strings.Cut(s, "=")
				settings[name] = value
			}
			var code []uint32
			list, _ = line()
			for _, s := range list {
				code = append(code, uint32(number(s, 16)))
			}
			tables := map[string][]bits.Value{}
			list, _ = line()
			for range number(list[0], 10) {
				list, _ := line()
				limbs := int(number(list[2], 10))
				for i := range int(number(list[1], 10)) {
					var v bits.Value
					for k := range limbs {
						v[k] = number(list[3+i*limbs+k], 16)
					}
					tables[list[0]] = append(tables[list[0]], v)
				}
			}
			if p, err = vectest.NewProcessor(m, root, code, int(number(words[2], 10)), tables, settings, int(number(words[1], 10)), number(words[3], 16)); err != nil {
				return err
			}
		case "set", "get":
			s := m.State(words[1])
			lane, _ := strconv.Atoi(words[3])
			at := number(words[4], 10)
			if strconv.Itoa(int(s.Kind)) != words[2] {
				return fmt.Errorf("kind %s of %s", words[2], words[1])
			}
			if words[0] == "set" {
				var parts []uint64
				for _, w := range words[5:] {
					parts = append(parts, number(w, 16))
				}
				p.Set(s, at, lane, parts)
				fmt.Fprintln(to, 1)
				continue
			}
			parts := p.Get(s, at, lane)
			if broken != nil {
				parts = broken("get", words[1], at, parts)
			}
			if parts == nil {
				fmt.Fprintln(to, 0)
				continue
			}
			var b bytes.Buffer
			b.WriteString("1")
			for _, v := range parts {
				fmt.Fprintf(&b, " %x", v)
			}
			fmt.Fprintln(to, b.String())
		case "run":
			pc := p.Run(int(number(words[2], 10)))
			if broken != nil {
				pc = broken("run", "", 0, []uint64{pc})[0]
			}
			fmt.Fprintf(to, "%x\n", pc)
		case "stopped":
			fmt.Fprintf(to, "%x\n", p.Stopped())
		case "call":
			i := int(number(words[1], 10))
			if i >= len(p.Calls) {
				fmt.Fprintln(to, 0)
				continue
			}
			c := p.Calls[i]
			fmt.Fprintf(to, "1 %s %x %x %s\n", c.Name, c.Lane, len(c.Args), strings.Join(c.Args, " "))
		default:
			return fmt.Errorf("command %q", words[0])
		}
	}
}

// start runs a program whose emulator is a processor, and returns its output and whether it succeeded.
func start(t testing.TB, name string, m *exec.Machine, root *isa.Root, broken fault) (string, error) {
	t.Helper()
	toProgram, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	commands, fromProgram, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(name)
	cmd.ExtraFiles = []*os.File{toProgram, fromProgram}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toProgram.Close()
	fromProgram.Close()
	if err := serve(m, root, commands, answers, broken); err != nil {
		t.Error(err)
	}
	answers.Close()
	err = cmd.Wait()
	return out.String(), err
}

const runAll = `
int main(void)
{
	int i, failed = 0;
	for (i = 0; i < (int)@_file_count; i++) failed += isago_run(@_files[i], &emulator, stdout);
	return failed > 0;
}
`
