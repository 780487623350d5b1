package manual

import (
	"bytes"
	"strings"
	"testing"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

func TestListing(t *testing.T) {
	m, err := catalog.Lookup("pica200")
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := Listing{Title: "<script>title</script>", Set: set, Name: "pica200", Manual: "../ref"}
	write := func(report string) string {
		var out bytes.Buffer
		if err := l.Write(&out, []byte(report)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	page := write(`{"header":["<script>header</script>"],"code":[
		{"address":0,"labels":["<script>label</script>"],"word":"<script>word</script>","name":"mov","text":"mov r0, <script>r1","operands":[{"name":"D","file":"r","index":0,"place":[4,6]},{"name":"<script>operand","role":"read","file":"\"><script>file","index":1,"place":[8,18]}],
		"tokens":[{"kind":"mnemonic","start":0,"end":3},{"kind":"register","start":4,"end":6},{"kind":"<script>kind","start":8,"end":18}],
		"fields":[{"path":"<script>path","value":"0x0","text":"","place":[8,18],"doc":"<script>doc</script>"}],"findings":["<script>finding"]},
		{"address":4,"word":"1","name":"jmpu","text":"jmpu","flow":[{"kind":"jump","target":0}],"facts":{"reads":[{"state":"<script>state","number":1}]}}]}`)
	before, own, _ := strings.Cut(page, "<main")
	own, after, _ := strings.Cut(own, "<script>")
	if strings.Contains(before+after, "alert") || strings.Count(page, "<script>") != 1 {
		t.Errorf("a script of the description is in the page:\n%s", page)
	}
	for _, part := range []string{
		`<a class="t-mnemonic" href="../ref/pica200/instructions/mov.html">mov</a>`,
		`data-r="r0" title="D, r0"><span class="t-register">r0</span></span>, <span class="op"`,
		`from <a href="#i1">0x4</a>`, `<a href="#i0">&lt;script&gt;label&lt;/script&gt;</a>`,
		`&lt;script&gt;path = 0x0: &lt;script&gt;doc&lt;/script&gt;`, `&lt;script&gt;state1`,
	} {
		if !strings.Contains(own, part) {
			t.Errorf("the page has no %s:\n%s", part, own)
		}
	}
	for _, address := range []string{"javascript:alert(1)", "data:text/html,x", "ftp://example.org", "JavaScript:alert(1)//"} {
		l.Manual = address
		if err := l.Write(&bytes.Buffer{}, []byte(`{"code":[]}`)); err == nil {
			t.Errorf("the manual %s is accepted", address)
		}
	}
	l.Manual = "https://example.org/ref"
	if page := write(`{"code":[]}`); !strings.Contains(page, `href="https://example.org/ref/pica200/index.html"`) {
		t.Errorf("no link to the manual:\n%s", page)
	}
}
