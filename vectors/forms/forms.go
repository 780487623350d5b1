// Package forms writes test vectors in forms that programs in C and C++ run.
package forms

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/ctr"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/vectors"
)

// File is a file that a form consists of. Its name is relative to the folder of the form, with slashes.
type File struct {
	Name string
	Data []byte
}

// Forms lists the forms that Write knows.
var Forms = []string{"c", "catch2", "3ds"}

// Machine3DS is the name of the machine whose vectors the form 3ds can have.
const Machine3DS = "pica200"

// Write returns the files of a form: headers of C, test cases for Catch2, or a program for the Nintendo 3DS. report states
// which vectors the form leaves out, and is "" if it has all.
func Write(form string, files []*vectors.File, m *exec.Machine) (out []File, report string, err error) {
	switch form {
	case "c":
		out, err = C(files, m)
	case "catch2":
		out, err = Catch2(files, m)
	case "3ds":
		list, r, e := ctr.Write(files, m)
		if e != nil {
			return nil, "", e
		}
		for _, f := range list {
			out = append(out, File(f))
		}
		report = r.String()
	default:
		err = fmt.Errorf("form %q, expected one of %s", form, strings.Join(Forms, ", "))
	}
	return out, report, err
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
	all := map[string]string{}
	for _, m := range []map[string]string{f.Quirks, v.Quirks, v.Context} {
		maps.Copy(all, m)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, name+"="+all[name])
	}
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
