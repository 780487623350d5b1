package isa_test

import (
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// lamp describes a machine with two instructions of eight bits.
var lamp = fstest.MapFS{"lamp.xml": {Data: []byte(`<isa name="lamp">
<bitset name="#instruction" size="8"/>
<bitset name="wait" extends="#instruction">
  <display>{NAME} {TIME}</display>
  <pattern pos="7">0</pattern>
  <field name="TIME" low="0" high="6" type="uint"/>
</bitset>
<bitset name="light" extends="#instruction">
  <display>{NAME} {COLOUR}{BLINK}</display>
  <pattern low="6" high="7">10</pattern>
  <field name="COLOUR" low="1" high="5" type="#colour"/>
  <field name="BLINK" pos="0" type="bool" display=", blinking"/>
</bitset>
<enum name="#colour">
  <value val="0" display="off"/>
  <value val="3" display="red"/>
</enum>
</isa>`)}}

func ExampleLoad() {
	set, err := isa.Load(lamp, "lamp.xml", isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	for _, root := range set.Roots() {
		for _, leaf := range root.Leaves {
			fmt.Println(leaf.Display)
		}
	}
	// Output:
	// wait
	// light
}

// Load reports all errors of a description at once, each with its position.
func ExampleLoad_mistakes() {
	broken := fstest.MapFS{"broken.xml": {Data: []byte(`<isa>
<bitset name="#instruction" size="8"/>
<bitset name="wait" extends="#instruction">
  <pattern pos="7">0</pattern>
  <field name="TIME" low="0" high="6" type="#time"/>
</bitset>
<bitset name="light" extends="#instructions">
</bitset>
</isa>`)}}
	_, err := isa.Load(broken, "broken.xml", isa.Options{})
	var list diag.List
	if errors.As(err, &list) {
		for _, e := range list {
			line, column := e.Span.LineCol()
			fmt.Println(line, column, e.Code)
		}
	}
	fmt.Print(diag.Render(err)) // for people
	// Output:
	// 5 45 field-type
	// 7 31 extends
	// broken.xml:5:45: error: unknown type "#time" of field TIME, expected a built-in type, an enum or a bitset [field-type]
	//     5 |   <field name="TIME" low="0" high="6" type="#time"/>
	//       |                                             ^^^^^
	// broken.xml:7:31: error: bitset light extends #instructions, which is not defined [extends]
	//     7 | <bitset name="light" extends="#instructions">
	//       |                               ^^^^^^^^^^^^^
	//       = help: did you mean #instruction?
}

func ExampleDecoder_Append() {
	set, err := isa.Load(lamp, "lamp.xml", isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	d, err := set.NewDecoder("")
	if err != nil {
		fmt.Println(err)
		return
	}
	var text []byte
	for _, word := range []uint64{0x05, 0x87, 0x80, 0xff} {
		in, ok := d.Decode(bits.Of(word))
		if !ok {
			fmt.Printf("%02x is not an instruction\n", word)
			continue
		}
		text = d.Append(text[:0], in) // does not allocate if the buffer is large enough
		fmt.Println(string(text))
	}
	// Output:
	// wait 5
	// light red, blinking
	// light off
	// ff is not an instruction
}

// Fields reports the bits, the value and the text of each field.
func ExampleDecoder_Fields() {
	set, err := isa.Load(lamp, "lamp.xml", isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	d, err := set.NewDecoder("")
	if err != nil {
		fmt.Println(err)
		return
	}
	in, _ := d.Decode(bits.Of(0x87))
	text := string(d.Append(nil, in))
	for _, f := range d.Fields(nil, in) {
		low, width := f.Parts[0].Low, f.Parts[0].Width
		fmt.Printf("%s: bits %d to %d, value %d, text %q\n", f.Path, low, low+width-1, f.Value.Uint(0, width), text[f.Start:f.End])
	}
	// Output:
	// COLOUR: bits 1 to 5, value 3, text "red"
	// BLINK: bits 0 to 0, value 1, text ", blinking"
}

func ExampleDecoder_AppendTokens() {
	set, err := isa.Load(lamp, "lamp.xml", isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	d, err := set.NewDecoder("")
	if err != nil {
		fmt.Println(err)
		return
	}
	in, _ := d.Decode(bits.Of(0x05))
	text, tokens := d.AppendTokens(nil, nil, in)
	for _, t := range tokens {
		switch t.Kind {
		case isa.TokenMnemonic:
			fmt.Printf("<b>%s</b>", text[t.Start:t.End])
		default:
			fmt.Printf("%s", text[t.Start:t.End])
		}
	}
	// Output: <b>wait</b> 5
}

func ExampleDecoder_Operands() {
	set, err := example.Load(isa.Options{})
	if err != nil {
		fmt.Println(diag.Render(err))
		return
	}
	d, err := set.NewDecoder("")
	if err != nil {
		fmt.Println(err)
		return
	}
	var operands []isa.Operand
	var flows []isa.Flow
	for w := range d.DecodeAll([]byte{0x43, 0x22, 0x1f, 0x4e, 0xfe, 0x8b}) {
		if w.Inst.Leaf == nil {
			continue
		}
		fmt.Println(d.Mnemonic(w.Inst))
		operands = d.Operands(operands[:0], w.Inst)
		for _, o := range operands {
			switch o.Kind {
			case isa.RegisterOperand:
				fmt.Println(" ", o.Role, o.Register.File.Name, o.Register.Index)
			case isa.ImmediateOperand:
				fmt.Println(" ", o.Role, int64(o.Value))
			}
		}
		flows = d.Flows(flows[:0], w.Inst)
		for _, f := range flows {
			fmt.Println(" ", f.Kind, f.Target/8, f.Maybe)
		}
	}
	// Output:
	// add
	//   write r 1
	//   read r 2
	//   read r 3
	// mul
	//   write r 7
	//   read r 0
	//   read -1
	// br
	//   jump 0 true
}
