package spec

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// nasty are descriptions for which a careless reader would need very long or infinite time.
var nasty = []string{
	`<isa><import file="a.xml"/><import file="b.xml"/></isa>`,
	`<isa><bitset name="a" extends="b"/><bitset name="b" extends="c"/><bitset name="c" extends="b"/></isa>`,
	`<isa><bitset name="a" size="1"/><bitset name="a" extends="a"/></isa>`,
	`<isa><template name="A">{B}{B}</template><template name="B">{A}{A}</template><bitset name="a" size="1"><display>{A}{B}{A}{B}</display></bitset></isa>`,
	`<isa strict="true"><template name="A">{B}{B}</template><template name="B">{A}{A}</template><bitset name="a" size="1"><display>{A}{B}{A}{B}</display></bitset></isa>`,
	`<isa><bitset name="a" size="99999999999999999999"/></isa>`,
	`<isa><bitset name="a" size="8"><field name="A" low="0" high="7" type="a"><param name="*"/></field><display>{A}</display></bitset></isa>`,
	`<isa><expr name="e">((((((((((((((((((((((1))))))))))))))))))))))</expr></isa>`,
	`<isa><expr name="e">1?2:3?4:5,-~!+6 /**/ &lt;&lt; 0x7ull</expr></isa>`,
	`<isa strict="true"><enum name="#e"><value val="0xffffffffffffffff" display="" syntax="x"/></enum><context name="c" type="#e"/></isa>`,
}

// FuzzLoad checks that for any bytes, Load returns a description or an error.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*.xml")
	if err != nil {
		f.Fatal(err)
	}
	part := []byte(`<isa><import file="a.xml"/><template name="T">{NAME}</template></isa>`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, part)
	}
	for _, s := range nasty {
		f.Add([]byte(s), part)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		isa, err := Load(fstest.MapFS{"a.xml": {Data: a}, "b.xml": {Data: b}}, "a.xml")
		if (isa == nil) == (err == nil) {
			t.Fatalf("got description %v and error %v", isa, err)
		}
		if err != nil {
			_ = err.Error()
		}
	})
}
