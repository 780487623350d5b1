package spec

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

// sameTree fails if scan accepts a document and returns another tree than encoding/xml.
func sameTree(t *testing.T, name, doc string) (scanned bool) {
	t.Helper()
	src := &diag.Source{Name: name, Text: doc}
	count := 0
	quick := xmlParser{src: src, elements: &count}
	if !quick.scan() {
		return false
	}
	slow := 0
	want, err := parseSlowly(src, &slow)
	if err != nil {
		t.Fatalf("%s: scan accepts it, encoding/xml returns %v", name, err)
	}
	if count != slow || !reflect.DeepEqual(quick.root, want) {
		t.Fatalf("%s: scan and encoding/xml read different trees", name)
	}
	return true
}

// TestScan checks that scan accepts all valid descriptions of the repository, and returns the same tree as
// encoding/xml.
func TestScan(t *testing.T) {
	scanned := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".xml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if sameTree(t, path, string(data)) {
			scanned++
		} else if strings.HasPrefix(path, filepath.Join("..", "..", "target")) && !strings.Contains(path, "testdata") {
			t.Errorf("%s is not scanned", path)
		}
		return nil
	})
	if err != nil || scanned < 100 {
		t.Errorf("%d files scanned, %v", scanned, err)
	}
}

// TestScanRefuses checks that scan leaves other documents to encoding/xml.
func TestScanRefuses(t *testing.T) {
	for _, doc := range []string{
		"", "text", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a b/>", "<a b=c/>", `<a b="<"/>`, `<a b="1"c="2"/>`, `<a b="1" b="2"/>`,
		"<a>&#65;</a>", "<a>&nbsp;</a>", "<a>& </a>", "<a>]]></a>", "<a><![CDATA[x</a>", "<!DOCTYPE a><a/>", "<?pi?><a/>",
		"<a><!-- -- --></a>", "<a><!--", "<n:a/>", "<a>\r\n</a>", "<a>\x01</a>", "<a>\xff</a>", "<a/>text", "< a/>", "<a\x00/>",
		`<?xml version="1.1" encoding="UTF-8"?><a/>`,
	} {
		if sameTree(t, "refused", doc) {
			t.Errorf("%q is scanned", doc)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, doc := range []string{
		declaration + "\n<isa name=\"x\"><!-- a - b --><doc>1 &lt; 2 &amp;&amp; x</doc><a b='1' c=\"&quot;\" /></isa>\n",
		"<a><b/>text<c></c >more</a>", "<a>&#65;</a>", "<a>1<![CDATA[ <&> ]]>2</a>", "<a b = '1'/>", "<a><!--x--></a><!--y-->", "<a.b-c_1/>",
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) { sameTree(t, "fuzz", doc) })
}
