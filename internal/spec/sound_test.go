package spec

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"
	"unsafe"
)

// TestSound checks that LoadSound returns the same as Load for the shipped descriptions.
func TestSound(t *testing.T) {
	for _, name := range []string{"pica200", "tegra", "a2xx", "tesla", "example"} {
		files := os.DirFS(filepath.Join("..", "..", "target", name))
		whole, err := Load(files, name+".xml")
		if err != nil {
			t.Fatal(err)
		}
		quick, err := load(files, name+".xml", true)
		if err != nil {
			t.Fatalf("%s is not read in parts: %v", name, err)
		}
		complete(reflect.ValueOf(quick), map[place]bool{})
		complete(reflect.ValueOf(whole), map[place]bool{})
		if !reflect.DeepEqual(quick, whole) {
			t.Errorf("%s is read differently without checks", name)
		}
	}
}

// place distinguishes a structure from its first field, which has the same address.
type place struct {
	at unsafe.Pointer
	of reflect.Type
}

// complete evaluates everything that is evaluated on first use.
func complete(v reflect.Value, seen map[place]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		at := v.UnsafePointer()
		key := place{at, v.Type()}
		if at == nil || seen[key] {
			return
		}
		seen[key] = true
		switch v.Type() {
		case reflect.TypeFor[*Template]():
			(*Template)(at).Items()
		case reflect.TypeFor[*Expr]():
			(*Expr)(at).Root()
		}
		complete(v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			complete(v.Field(i), seen)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			complete(v.Index(i), seen)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			complete(v.MapIndex(key), seen)
		}
	}
}

// TestSoundWhole checks that LoadSound reads a description as a whole if it cannot read it in parts.
func TestSoundWhole(t *testing.T) {
	file := func(inside string) fstest.MapFS {
		return fstest.MapFS{"a.xml": {Data: []byte(`<isa strict="true" name="a"><bitset name="#instruction" size="8">` + inside + `</bitset></isa>`)}}
	}
	for _, inside := range []string{ // the end of a bitset in a comment, and documents that scan leaves to encoding/xml
		`<!-- </bitset> --><pattern low="0" high="7">00000001</pattern><display>one</display>`,
		`<pattern low="0" high="7">0000000&#49;</pattern><display>one</display>`,
	} {
		isa, err := LoadSound(file(inside), "a.xml")
		if err != nil || len(isa.Bitsets) != 1 || len(isa.Bitsets[0].Patterns) != 1 {
			t.Errorf("%s: got %v, %v, expected a bitset with a pattern", inside, isa, err)
		}
	}
	const unquoted = `<pattern low=0 high="7">00000001</pattern>`
	_, want := Load(file(unquoted), "a.xml")
	if _, err := LoadSound(file(unquoted), "a.xml"); err == nil || err.Error() != want.Error() {
		t.Errorf("%s: got %v, expected %v", unquoted, err, want)
	}
	if _, err := LoadSound(fstest.MapFS{}, "a.xml"); err == nil {
		t.Error("no error without the file")
	}
}
