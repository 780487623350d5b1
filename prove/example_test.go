package prove_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
)

// Two instructions of lamp match the words from 80 on.
var lamp = fstest.MapFS{"lamp.xml": {Data: []byte(`<isa>
<bitset name="#instruction" size="8"/>
<bitset name="wait" extends="#instruction">
  <display>wait {TIME}</display>
  <field name="TIME" low="0" high="7" type="uint"/>
</bitset>
<bitset name="off" extends="#instruction">
  <display>off {LAMP}</display>
  <pattern low="4" high="7">1000</pattern>
  <field name="LAMP" low="0" high="3" type="uint"/>
</bitset>
</isa>`)}}

func ExampleCheck() {
	set, err := isa.Load(lamp, "lamp.xml", isa.Options{})
	if err != nil {
		fmt.Print(diag.Render(err))
		return
	}
	report, err := prove.Check(context.Background(), set, prove.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Println(f.Code, f.Msg)
		for _, w := range f.Witnesses {
			fmt.Println("word", w.Hex(), w.Findings)
		}
	}
	for _, c := range report.Claims {
		fmt.Println(c.Proved, c.Text)
	}
	// Output:
	// leaf-overlap off and wait match the same words
	// word 80 [bitset conflict: wait vs off]
	// true every word of #instruction matches a leaf
	// true no two words of #instruction print the same text
}
