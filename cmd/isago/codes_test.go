package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// A setting is how the example of a code is put to use. FILE in command is a file of the frame, in which the example is
// for %s; several commands are separated by "&". An example that is a command has neither.
type setting struct{ command, frame string }

// The settings of examples in descriptions: a whole description, inside <isa>, inside an instruction, next to semantics. The
// settings with Plain in their names are not strict, for the findings of check.
var (
	inWhole   = setting{"check FILE", "%s"}
	inISA     = setting{"check FILE", `<isa name="x" strict="true">%s</isa>`}
	inLeaf    = setting{"check FILE", `<isa name="x" strict="true"><bitset name="#instruction" size="8"/><bitset name="a" extends="#instruction">%s</bitset></isa>`}
	inMeaning = setting{"check FILE", `<isa name="x" strict="true"><file name="r" type="u8" count="4"/><fetch unit="8"/><bitset name="#instruction" size="8"/>
<bitset name="a" extends="#instruction"><display>a {A}</display><field name="A" low="0" high="7" type="uint"/>%s</bitset></isa>`}
	besideMeaning = setting{"check FILE", `<isa name="x" strict="true"><fetch unit="8"/>%s<bitset name="#instruction" size="8"/>
<bitset name="a" extends="#instruction"><display>a {A}</display><field name="A" low="0" high="7" type="uint"/><semantics>pc = {A};</semantics></bitset></isa>`}
	inPlain     = setting{"check FILE", `<isa name="x">%s</isa>`}
	withDefault = setting{"check FILE", `<isa name="x" strict="true"><expr name="#placed">{REL}</expr><expr name="#named">{N} != 15</expr>
<bitset name="#instruction" size="8"/><bitset name="a" extends="#instruction">%s</bitset></isa>`}
	inPlainLeaf = setting{"check FILE", `<isa name="x"><bitset name="#instruction" size="8"/><bitset name="a" extends="#instruction">%s</bitset></isa>`}
)

// The settings of examples in source: all of it, and an instruction.
var (
	asCommand  = setting{}
	asHex      = setting{"dis --isa pica200 --hex FILE", "%s\n"}
	asPica     = setting{"asm --isa pica200 -o OUT FILE", "%s\n"}
	asBoth     = setting{"asm --isa pica200 -o OUT FILE & lint --isa pica200 FILE", "%s\n"}
	asDeclared = setting{"asm --isa pica200 -o OUT FILE", "%s\n.out - position o0\n.proc main\n\tmov o0, v0\n\tend\n.end\n"}
	asPicaLine = setting{"asm --isa pica200 -o OUT FILE", ".out - position o0\n.proc main\n\t%s\n\tmov o0, v0\n\tend\n.end\n"}
	asUnpadded = setting{"asm --isa pica200 --no-nop -o OUT FILE", ".out - position o0\n.proc main\n\tmov o0, v0\n\t%s\n\tend\n.end\n"}
	asPicaLint = setting{"lint --isa pica200 FILE", "%s\n"}
	asPicasso  = setting{"asm --isa pica200 --compat picasso -o OUT FILE", ".out - position o0\n.proc main\n\t%s\n\tmov o0, v0\n\tend\n.end\n"}
	asTegra    = setting{"asm --isa tegra -o OUT FILE", ".asm\n%s\n"}
	asA2XX     = setting{"asm --isa a2xx -o OUT FILE", "%s\n"}
	asUnit     = setting{"asm --isa a2xx -o OUT FILE", "EXEC_END\n ALU: %s\n"}
	asTesla    = setting{"asm --isa tesla -o OUT FILE", "%s\n"}
)

var settings = map[diag.Code]setting{
	diag.XMLSyntax: inWhole, diag.XMLElement: inWhole, diag.XMLAttribute: inLeaf, diag.BitRange: inLeaf, diag.BitOverlap: inLeaf,
	diag.BitMissing: inISA, diag.PatternText: inLeaf, diag.Duplicate: inISA, diag.Unresolved: inLeaf, diag.Extends: inISA,
	diag.ExprSyntax: inISA, diag.ExprCycle: inLeaf, diag.TemplateText: inLeaf, diag.FieldType: inLeaf, diag.LeafOverlap: inISA,
	diag.LeafLength: inISA, diag.NoDisplay: inISA, diag.ContextValue: inISA,
	diag.MeaningSyntax: inMeaning, diag.MeaningType: inMeaning, diag.MeaningName: inMeaning, diag.MeaningNone: besideMeaning,
	diag.StateUnused: besideMeaning, diag.UnmatchedWords: inPlain, diag.NotProved: inPlain, diag.LeafNever: inPlain, diag.OverrideNever: inPlainLeaf,
	diag.OverrideAlways: inPlainLeaf, diag.DisplayNever: inPlain, diag.AssertNever: inPlainLeaf, diag.ValueNever: inPlain,
	diag.FieldUnused: inPlainLeaf, diag.ParamUnused: inPlain, diag.ExprUnused: inPlain, diag.TemplateUnused: inPlain, diag.EnumUnused: inPlain,
	diag.OperandUnused: inISA, diag.FileUnused: inISA, diag.RegisterUntold: inISA, diag.RegisterOutside: inISA,
	diag.ComponentRange: inISA, diag.HiddenBits: inLeaf, diag.SameText: inPlainLeaf, diag.AliasDefault: withDefault,
	diag.ExprUndefined: inPlainLeaf, diag.MesaRefuses: inPlain, diag.ExceptionForm: inPlain, diag.ExceptionIdle: inPlain,
	diag.TextUnknown: asPicaLine, diag.TextExpected: asPicaLine, diag.TextRange: asPicaLine, diag.TextConflict: asTegra,
	diag.TextCondition: asTegra, diag.TextSymbol: asPicaLine, diag.TextSuffix: asPicaLine, diag.TableEntry: asHex,
	diag.HexSyntax: asHex, diag.HexSize: asHex, diag.UnknownWord: asCommand, diag.OutputTaken: asCommand, diag.NotTranslated: asCommand,
	diag.Directive: asPica, diag.BlockNesting: asPica, diag.SpaceFull: asPica, diag.RegisterUse: asPicaLine,
	diag.ReadUnwritten: asPicaLint, diag.OutputUnwritten: asPicaLint, diag.Unreached: asPicaLint, diag.NeverEnds: asPicaLint,
	diag.StackFull: asPicaLint, diag.StopsHere: asPicaLint, diag.ReadInitial: asPicaLint, diag.ResultUnused: asPicaLint,
	diag.NoEffect: asPicaLint, diag.NoEmit: asPicaLint, diag.OffsetRange: asPicaLint, diag.EmptySlot: asPicaLint, diag.UnusedName: asPicaLint,
	diag.MissingEnd: asPica, diag.TwoInputs: asPicaLine, diag.DoubleMova: asPicaLine, diag.OutputTwice: asPicaLine,
	diag.NoComparison: asPicaLine, diag.SameRegister: asTegra, diag.NeverTaken: asTegra, diag.OddAddress: asTegra,
	diag.ExportOffset: asTegra, diag.RegisterRange: asTegra, diag.ConstantRange: asTegra, diag.ScalarExport: asUnit,
	diag.FetchConstant: asA2XX, diag.Unpatched: asA2XX, diag.MissingRoom: asA2XX, diag.RoomSize: asA2XX, diag.Nesting: asA2XX, diag.StageExport: asA2XX,
	diag.JumpAtEnd: asUnpadded, diag.IgnoredText: asDeclared, diag.TooLarge: asDeclared, diag.HiddenName: asDeclared, diag.OutsideLoop: asPicaLine,
	diag.VertexEmit: asBoth, diag.PastArray: asPica, diag.MaskOrder: asPicaLine, diag.UnexpectedBits: asTesla,
	diag.AsPicasso: asPicasso, diag.ReadDiffers: asDeclared,
}

// onlyWords are the codes with an example in words instead of one that runs, each with the reason.
var onlyWords = map[diag.Code]string{
	diag.XMLLimit:      "a thousand elements",
	diag.TextAmbiguous: "no description of a few lines has that many ways",
	diag.TableFull:     "128 descriptors",
	diag.ProgramSize:   "513 words",
	diag.StoreSize:     "385 units",
	diag.NotFollowed:   "48 branches of a kernel",
	diag.FileFormat:    "a file of bytes",
	diag.UnknownSyntax: "only the library returns it: to the command it is a mistake on the command line",
}

// Each example of isago help codes causes its code.
func TestCodeExamples(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples", "pica200"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"light.pica", "light.shbin"} {
		data, err := os.ReadFile(filepath.Join(examples, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range diag.Codes() {
		s, known := settings[c.Code]
		if known == (onlyWords[c.Code] != "") {
			t.Errorf("%s: expected a setting of the example or the reason why there is none", c.Code)
			continue
		}
		if !known {
			continue
		}
		commands := []string{strings.TrimPrefix(c.Example, "isago ")}
		if s != asCommand {
			commands = strings.Split(s.command, " & ")
		}
		name := "example"
		if strings.HasPrefix(s.command, "check ") {
			name += ".xml"
		}
		if err := os.WriteFile(name, []byte(strings.Replace(s.frame, "%s", c.Example, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, line := range commands {
			args := strings.Fields(line)
			for i, a := range args {
				args[i] = strings.NewReplacer("FILE", name, "OUT", "out").Replace(a)
			}
			var out bytes.Buffer
			run(args, strings.NewReader(""), &out, &out)
			if !strings.Contains(out.String(), "["+string(c.Code)+"]") {
				t.Errorf("%s: isago %s of\n%s\nprints\n%s", c.Code, line, c.Example, out.String())
			}
		}
	}
	for _, code := range slices.Sorted(maps.Keys(settings)) {
		if !slices.Contains(knownCodes(), string(code)) {
			t.Errorf("no code %s", code)
		}
	}
}

// explain treats a word as a code, so no machine may have a mnemonic with that name.
func TestCodesAreNoMnemonics(t *testing.T) {
	for _, m := range catalog.Machines() {
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range knownCodes() {
			if len(view.Forms(set, code)) > 0 {
				t.Errorf("%s is a code and a mnemonic of %s", code, m.Name)
			}
		}
	}
}
