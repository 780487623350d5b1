// Package forms writes test vectors in forms that programs in C and C++ run.
package forms

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/vectors"
)

// Output is a file of a form. Name is its path relative to the folder of the form, with slashes.
type Output struct {
	Name string
	Data []byte
}

// Save writes files into a folder, and makes the folders that they need.
func Save(dir string, files []Output) error {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// namer makes identifiers of C from names, and never the same twice. If fold is set, no two differ only in case, so that
// files can have the names.
type namer struct {
	fold bool
	used map[string]bool
}

func newNamer(fold bool, reserved ...string) *namer {
	n := &namer{fold, map[string]bool{}}
	for _, name := range reserved {
		n.used[name] = true
	}
	return n
}

func (n *namer) name(text string) string {
	id := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, text)
	key := func(id string) string {
		if n.fold {
			return strings.ToLower(id)
		}
		return id
	}
	unique := id
	for i := 2; n.used[key(unique)]; i++ {
		unique = id + "_" + strconv.Itoa(i)
	}
	n.used[key(unique)] = true
	return unique
}

// literal returns text as a string literal of C.
func literal(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '?': // no trigraphs
			b.WriteString(`\?`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// code returns the words of a vector as words of 32 bits, and their size in bytes.
func code(v *vectors.Vector, root *isa.Root) (words []uint32, size int, err error) {
	for _, text := range v.Words {
		n, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: word %q, expected up to 8 hexadecimal digits", v.Name, text)
		}
		for bit := 0; bit < min(32, root.StoredSize(4*len(text))); bit += 8 {
			if size%4 == 0 {
				words = append(words, 0)
			}
			words[len(words)-1] |= uint32(n) >> bit & 0xff << (8 * (size % 4))
			size++
		}
	}
	return words, size, nil
}

// settings returns the contexts and quirks of a vector as NAME=VALUE.
func settings(f *vectors.File, v *vectors.Vector) string {
	var list []string
	for _, m := range []map[string]string{f.Quirks, v.Context} {
		for name, value := range m {
			list = append(list, name+"="+value)
		}
	}
	sort.Strings(list)
	return strings.Join(list, " ")
}

// machineName returns the name of the machine of all files.
func machineName(files []*vectors.File, m *exec.Machine) (string, error) {
	for _, f := range files {
		if f.Machine != files[0].Machine {
			return "", fmt.Errorf("vectors of %s and of %s, expected one machine", files[0].Machine, f.Machine)
		}
	}
	if len(files) == 0 {
		return m.Set().Name(), nil
	}
	return files[0].Machine, nil
}
