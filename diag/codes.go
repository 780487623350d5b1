package diag

// Code is the kind of an error. Codes are stable, so scripts and editors may rely on them.
type Code string

// CodeInfo documents a code for `isago help codes`.
type CodeInfo struct {
	Code    Code
	Meaning string
	// Example is input that gets the code, of one line or more, or a command.
	Example string
}

// Codes of mistakes in a description.
const (
	XMLSyntax     Code = "xml-syntax"
	XMLElement    Code = "xml-element"
	XMLAttribute  Code = "xml-attribute"
	XMLLimit      Code = "xml-limit"
	BitRange      Code = "bit-range"
	BitOverlap    Code = "bit-overlap"
	BitMissing    Code = "bit-missing"
	PatternText   Code = "pattern-text"
	Duplicate     Code = "duplicate"
	Unresolved    Code = "unresolved"
	Extends       Code = "extends"
	ExprSyntax    Code = "expr-syntax"
	ExprCycle     Code = "expr-cycle"
	TemplateText  Code = "template-text"
	FieldType     Code = "field-type"
	LeafOverlap   Code = "leaf-overlap"
	LeafLength    Code = "leaf-length"
	NoDisplay     Code = "no-display"
	ContextValue  Code = "context-value"
	UnknownSyntax Code = "unknown-syntax"
	MeaningSyntax Code = "meaning-syntax"
	MeaningType   Code = "meaning-type"
	MeaningName   Code = "meaning-name"
	MeaningNone   Code = "meaning-none"
)

// Codes of the other findings of isago check.
const (
	UnmatchedWords Code = "unmatched-words"
	LeafNever      Code = "leaf-never"
	OverrideNever  Code = "override-never"
	OverrideAlways Code = "override-always"
	DisplayNever   Code = "display-never"
	AssertNever    Code = "assert-never"
	ValueNever     Code = "value-never"
	FieldUnused    Code = "field-unused"
	ParamUnused    Code = "param-unused"
	ExprUnused     Code = "expr-unused"
	TemplateUnused Code = "template-unused"
	EnumUnused     Code = "enum-unused"
	OperandUnused  Code = "operand-unused"
	FileUnused     Code = "file-unused"
	RegisterUntold Code = "register-untold"
	// NotProved means that check stopped at a limit.
	NotProved Code = "not-proved"
	// RegisterOutside and ComponentRange are about words with an operand that does not exist.
	RegisterOutside Code = "register-outside"
	ComponentRange  Code = "component-range"
	HiddenBits      Code = "hidden-bits"
	SameText        Code = "same-text"
	AliasDefault    Code = "alias-default"
	ExprUndefined   Code = "expr-undefined"
	MesaRefuses     Code = "mesa-refuses"
	ExceptionForm   Code = "exception-form"
	ExceptionIdle   Code = "exception-idle"
	StateUnused     Code = "state-unused"
)

// Codes of mistakes in instruction text and in words.
const (
	TextUnknown   Code = "text-unknown"
	TextExpected  Code = "text-expected"
	TextRange     Code = "text-range"
	TextConflict  Code = "text-conflict"
	TextCondition Code = "text-condition"
	TextSymbol    Code = "text-symbol"
	TextSuffix    Code = "text-suffix"
	TextAmbiguous Code = "text-ambiguous"
	TableFull     Code = "table-full"
	TableEntry    Code = "table-entry"
	HexSyntax     Code = "hex-syntax"
	HexSize       Code = "hex-size"
	UnknownWord   Code = "unknown-word"
	FileFormat    Code = "file-format"
	OutputTaken   Code = "output-taken"
)

// Codes of mistakes in the source of a program, other than in its instructions.
const (
	Directive    Code = "directive"
	BlockNesting Code = "block-nesting"
	SpaceFull    Code = "space-full"
	ProgramSize  Code = "program-size"
	RegisterUse  Code = "register-use"
)

// Codes of warnings about the source of a program. --no-warn accepts them.
const (
	MissingEnd  Code = "missing-end"
	TwoInputs   Code = "two-inputs"
	DoubleMova  Code = "address-twice"
	OutputTwice Code = "output-twice"
	JumpAtEnd   Code = "jump-at-end"
	MissingRoom Code = "missing-alloc"
	RoomSize    Code = "alloc-size"
	StoreSize   Code = "store-size"
	Nesting     Code = "nesting"
	StageExport Code = "stage-export"
	IgnoredText Code = "ignored-text"
	TooLarge    Code = "too-large"
	ReadDiffers Code = "read-differently"
	AsPicasso   Code = "as-picasso"
	HiddenName  Code = "hides-register"
	OutsideLoop Code = "outside-loop"
	VertexEmit  Code = "vertex-emit"
	PastArray   Code = "past-array"
	MaskOrder   Code = "mask-order"
	// Codes of the findings of lint in whole programs.
	ReadUnwritten   Code = "read-unwritten"
	OutputUnwritten Code = "output-unwritten"
	Unreached       Code = "unreached"
	NeverEnds       Code = "never-ends"
	StackFull       Code = "stack-full"
	StopsHere       Code = "stops"
	ReadInitial     Code = "read-initial"
	ResultUnused    Code = "result-unused"
	NoEffect        Code = "no-effect"
	NoEmit          Code = "no-emit"
	UnusedName      Code = "unused-name"
	NotFollowed     Code = "not-followed"
	// UnexpectedBits is about text whose word has a finding.
	UnexpectedBits Code = "unexpected-bits"
)

// Codes of the hazards in descriptions.
const (
	NoComparison  Code = "no-comparison"
	SameRegister  Code = "same-register"
	NeverTaken    Code = "never-taken"
	OddAddress    Code = "odd-address"
	ExportOffset  Code = "export-offset"
	RegisterRange Code = "register-range"
	ConstantRange Code = "constant-range"
	ScalarExport  Code = "scalar-export"
	FetchConstant Code = "fetch-constant"
	OffsetRange   Code = "offset-range"
	EmptySlot     Code = "empty-slot"
	Unpatched     Code = "unpatched-fetch"
)

// Warnings returns the codes of warnings.
func Warnings() []Code {
	return []Code{
		MissingEnd, TwoInputs, DoubleMova, OutputTwice, JumpAtEnd, MissingRoom, RoomSize, StoreSize, Nesting, StageExport,
		IgnoredText, TooLarge, ReadDiffers, AsPicasso, HiddenName, OutsideLoop, VertexEmit, PastArray, MaskOrder, UnexpectedBits, TableEntry, HiddenBits,
		ReadUnwritten, OutputUnwritten, Unreached, NeverEnds, StackFull, StopsHere,
		ReadInitial, ResultUnused, NoEffect, NoEmit, UnusedName, NotFollowed,
		NoComparison, SameRegister, NeverTaken, OddAddress, ExportOffset, RegisterRange, ConstantRange, ScalarExport, FetchConstant, OffsetRange, EmptySlot, Unpatched,
	}
}

// Codes returns every code with its meaning and an example.
func Codes() []CodeInfo { return codes }

var codes = []CodeInfo{
	{XMLSyntax, "the file is not well-formed XML", `<isa><bitset></isa>`},
	{XMLElement, "an element that does not belong where it stands", `<isa><field name="A" pos="0"/></isa>`},
	{XMLAttribute, "an attribute is missing, unknown or has a value that cannot be read", `<field name="A" low="x"/>`},
	{XMLLimit, "the file is larger or nested deeper than is accepted", `elements nested a thousand deep`},
	{BitRange, "bits outside the bitset, or high below low", `<field name="A" low="8" high="3" type="uint"/>`},
	{BitOverlap, "one bit is given two meanings by a leaf and its parents", `<pattern pos="3">1</pattern>
<pattern low="0" high="7">00000000</pattern>`},
	{BitMissing, "a leaf leaves a bit without pattern, field or assert", `<bitset name="nop" size="8">
  <display>nop</display>
  <pattern low="0" high="6">0000000</pattern>
</bitset>`},
	{PatternText, "a pattern that is not as many of 0, 1, x as it has bits", `<pattern low="0" high="3">01</pattern>`},
	{Duplicate, "a name is defined twice", `<enum name="#cond"/>
<enum name="#cond"/>`},
	{Unresolved, "a name is defined nowhere in the surroundings in which it is used", `<display>add {SRC3}</display>
<pattern low="0" high="7">00000000</pattern>`},
	{Extends, "a bitset extends something that is missing, itself, or has no size", `<bitset name="add" extends="#nowhere"/>`},
	{ExprSyntax, "an expression that cannot be parsed", `<expr name="#none">{A} == </expr>`},
	{ExprCycle, "an expression needs its own value", `<display>add {A}</display>
<pattern low="0" high="7">00000000</pattern>
<derived name="A" type="uint"><expr>{A} + 1</expr></derived>`},
	{TemplateText, "a display template that cannot be read", `<display>add {DST</display>
<pattern low="0" high="7">00000000</pattern>`},
	{FieldType, "a type that is unknown or does not fit the field", `<field name="A" low="0" high="3" type="#missing"/>`},
	{LeafOverlap, "one word matches two leaves, and neither says that it refines the other", `<bitset name="#bits" size="2"/>
<bitset name="a" extends="#bits"><display>a</display><pattern low="0" high="1">1x</pattern></bitset>
<bitset name="b" extends="#bits"><display>b</display><pattern low="0" high="1">x1</pattern></bitset>`},
	{LeafLength, "the bits of the shorter form do not decide the length", `<bitset name="#short" size="8"/>
<bitset name="#long" extends="#short" size="16"/>
<bitset name="a" extends="#short"><display>a</display><pattern low="0" high="7">00000000</pattern></bitset>
<bitset name="b" extends="#long"><display>b</display><pattern low="0" high="15">0000000000000000</pattern></bitset>`},
	{NoDisplay, "a leaf has no display template", `<bitset name="nop" size="8"><pattern low="0" high="7">00000000</pattern></bitset>`},
	{ContextValue, "a context is unknown or has no such value", `<enum name="#chip"><value val="0" display="g80"/></enum>
<context name="chip" type="#chip" default="xyz"/>`},
	{UnknownSyntax, "a spelling that the description does not have", `isa.Options{Syntax: "xyz"}`},
	{MeaningSyntax, "code of a meaning that cannot be read", `<semantics>{A} = ;</semantics>`},
	{MeaningType, "a value of a meaning has another type than it must have", `<semantics>let x: u8 = 300;</semantics>`},
	{MeaningName, "code of a meaning names something that is not there", `<semantics>r[0] = missing;</semantics>`},
	{MeaningNone, "a part of a meaning is missing: an instruction has none, an operand cannot be written, a path returns nothing", `<function name="f(c: bool): u8">if (c) { return 1; }</function>`},
	{StateUnused, "check: a register, stack, memory or rom that no code names", `<register name="spare" type="u8"/>`},
	{UnmatchedWords, "check: words that no leaf matches, how many, and the largest groups of them", `<bitset name="#instruction" size="3"/>
<bitset name="a" extends="#instruction"><display>a</display><pattern low="0" high="2">0xx</pattern></bitset>`},
	{LeafNever, "check: a leaf that no word is", `<bitset name="#old" size="1"><gen max="5"/></bitset>
<bitset name="late" extends="#old"><gen min="6"/><display>late</display><pattern pos="0">0</pattern></bitset>`},
	{OverrideNever, "check: an override whose condition is never true", `<override><expr>{A} &gt; 3</expr><display>far</display></override>
<display>a {A}</display>
<field name="A" low="0" high="1" type="uint"/>
<pattern low="2" high="7">000000</pattern>`},
	{OverrideAlways, "check: an override whose condition is never false", `<override><expr>{A} &lt; 4</expr><display>near {A}</display></override>
<display>a {A}</display>
<field name="A" low="0" high="1" type="uint"/>
<pattern low="2" high="7">000000</pattern>`},
	{DisplayNever, "check: a display that is never used, because a case before it always has one", `<bitset name="#group" size="1"><display>group</display></bitset>
<bitset name="a" extends="#group"><display>a</display><pattern pos="0">x</pattern></bitset>`},
	{AssertNever, "check: an assert that no word meets", `<override>
  <expr>{A} == 0</expr>
  <display>none</display>
  <assert low="0" high="7">00001000</assert>
</override>
<display>a {A}</display>
<field name="A" low="0" high="7" type="uint"/>`},
	{ValueNever, "check: a value of an enum that no field has, or whose text another value of the same number takes", `<enum name="#size"><value val="1" display=".l"/><value val="9" display=".x"/></enum>
<bitset name="#instruction" size="3"/>
<bitset name="a" extends="#instruction"><display>a{S}</display><field name="S" low="0" high="2" type="#size"/></bitset>`},
	{FieldUnused, "check: a field that no display shows and no expression uses", `<display>nop</display>
<field name="PAD" low="4" high="7" type="uint"/>
<pattern low="0" high="3">0000</pattern>`},
	{ParamUnused, "check: a param whose name the nested bitset never uses", `<bitset name="#register" size="3"><display>r{N}</display><field name="N" low="0" high="2" type="uint"/></bitset>
<bitset name="a" size="4">
  <display>a{HALF} {R}</display>
  <field name="HALF" pos="3" type="uint"/>
  <field name="R" low="0" high="2" type="#register"><param name="HALF"/></field>
</bitset>`},
	{ExprUnused, "check: a named expression that is used nowhere", `<expr name="#big">{A} &gt; 7</expr>`},
	{TemplateUnused, "check: a template that no display has", `<template name="SRCS">{A}, {B}</template>`},
	{EnumUnused, "check: an enum that is the type of nothing", `<enum name="#old"/>`},
	{OperandUnused, "check: an operand that no display shows", `<bitset name="a" size="4">
  <display>a {NEG}{SRC}</display>
  <field name="NEG" pos="3" type="bool" display="-"/>
  <field name="SRC" low="0" high="2" type="uint"/>
  <operand name="A"><display>{NEG}{SRC}</display></operand>
</bitset>`},
	{FileUnused, "check: a register file that no <reg> and no code names", `<file name="o" type="f32x4" count="16"/>`},
	{RegisterUntold, "check: a leaf that does not say which register it is, in a root of which others do", `<file name="r" type="u8" count="8"/>
<bitset name="#register" size="4"/>
<bitset name="low" extends="#register"><display>r{N}</display><pattern pos="3">0</pattern><field name="N" low="0" high="2" type="uint"/><reg file="r" index="{N}"/></bitset>
<bitset name="high" extends="#register"><display>x{N}</display><pattern pos="3">1</pattern><field name="N" low="0" high="2" type="uint"/></bitset>`},
	{NotProved, "check: something was not decided: a limit was hit; the message says which", `<bitset name="#instruction" size="32"/>
<bitset name="set" extends="#instruction">
  <display>set {A}{AGAIN}</display>
  <field name="A" low="0" high="31" type="uint"/>
  <derived name="AGAIN" type="uint" width="32"><expr>{A}</expr></derived>
</bitset>`},
	{RegisterOutside, "check: a word whose register is beyond its file", `<file name="c" type="u8" count="6"/>
<bitset name="constant" size="3"><display>c{N}</display><field name="N" low="0" high="2" type="uint"/><reg file="c" index="{N}"/></bitset>`},
	{ComponentRange, "check: a word whose swizzle names a component beyond the fourth", `<bitset name="swizzle" size="3"><display>.{X}</display><field name="X" low="0" high="2" type="uint"/><swizzle x="{X}"/></bitset>`},
	{HiddenBits, "check, and a warning of asm: bits of an instruction that its text does not show: words that differ in them read the same, and asm gives them their default", `<display>br {TARGET}</display>
<field name="TARGET" low="0" high="6" type="uint"/>
<field name="LIKELY" pos="7" type="bool"/>
<default name="LIKELY" val="1"/>`},
	{SameText, "check: two words that print the same text", `<display>set {A}{B}</display>
<field name="A" low="0" high="3" type="uint"/>
<field name="B" low="4" high="7" type="uint"/>`},
	{AliasDefault, "check: an alias that leaves out a field, which then has the default of words that do not show it", `<override expr="#placed"><display>put {R}, out[a0 + {N}]</display><alias>put {R}, out[a0]</alias></override>
<override expr="#named"><display>put {R}, out[{N}]</display></override>
<display>put {R}</display>
<field name="REL" pos="7" type="bool"/>
<field name="N" low="3" high="6" type="uint"/>
<field name="R" low="0" high="2" type="uint"/>
<default name="N" val="15"/>`},
	{ExprUndefined, "check: arithmetic of which C does not define the result", `<display>a {B}</display>
<field name="A" low="0" high="7" type="uint"/>
<derived name="B" type="uint"><expr>1 &lt;&lt; {A}</expr></derived>`},
	{MesaRefuses, "check: what isago reads and Mesa's tools do not", `<bitset name="#instruction" size="1"/>
<bitset name="a-b" extends="#instruction"><display>a</display><pattern pos="0">0</pattern></bitset>
<bitset name="a.b" extends="#instruction"><display>b</display><pattern pos="0">1</pattern></bitset>`},
	{ExceptionForm, "check: a written exception that cannot be read", `<!-- check: ignore hidden-bits -->`},
	{ExceptionIdle, "check: a written exception for a finding that is not there", `<!-- check: ignore leaf-overlap: fixed since -->`},
	{TextUnknown, "no instruction starts like this", `foo r0, r1`},
	{TextExpected, "something else was expected here", `mov r0 r1`},
	{TextRange, "a number does not fit its field", `setemit 9`},
	{TextConflict, "one bit of the word would have to be both 0 and 1", `EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw RCPs r3.x***, r4.xyzw;`},
	{TextCondition, "the text can only be printed by words whose other bits forbid it", `EXEC MULv r0.xyzw, c[1].xyzw, c[A0.x+1].xyzw;`},
	{TextSymbol, "a name that is no label", `jmpc cmp.x, nowhere`},
	{TextSuffix, "a suffix in braces that names no field or no value", `nop {XYZ=1}`},
	{TextAmbiguous, "too many ways to read the text", `a line of optional marks that never ends`},
	{TableFull, "a table beside the code has no room for another entry", `a 129th operand descriptor`},
	{TableEntry, "an instruction names an entry that nobody gave: it reads as 0. Entries stand behind a word of hex, or in the FILE of --table NAME=FILE", `4e001000`},
	{HexSyntax, "a line of hex that cannot be read", `12 xyz`},
	{HexSize, "more bits than an instruction has", `123456789`},
	{UnknownWord, "no instruction has these bits", `isago explain --isa pica200 40000000`},
	{OutputTaken, "an output would replace an input of the run or another output", `isago asm -o light.pica light.pica`},
	{FileFormat, "a file that is damaged or of an unknown format", `a DVLB header that points outside the file`},
	{Directive, "a directive that is unknown or not as it should be", `.fvec 3d`},
	{BlockNesting, "a block that is not closed, or an end without a block", `.end`},
	{SpaceFull, "no register is left for what is declared", `.ivec a[5]`},
	{ProgramSize, "a program with more words than the machine has room for", `a vertex shader of 513 words`},
	{RegisterUse, "a register that does not exist, or cannot be used like this", `mov r0, r15[1]`},
	{ReadUnwritten, "warning: lint: a register is read before it is written, on some way or on all", `.out - position o0
.proc main
	mov o0, r1
	end
.end`},
	{OutputUnwritten, "warning: lint: an output of the program is not written, on some way or on all", `.out - position o0
.out - color o1
.proc main
	mov o0, v0
	end
.end`},
	{Unreached, "warning: lint: code to which no way leads", `.out - position o0
.proc main
	mov o0, v0
	end
	mov r0, v0
.end`},
	{NeverEnds, "warning: lint: a way on which no end is ever reached", `.out - position o0
.proc again
	nop
	call again
	nop
.end
.proc main
	mov o0, v0
	call again
	end
.end`},
	{StackFull, "warning: lint: more calls or scopes inside each other than their stack holds, so that the oldest is lost", `.proc main
	call main
	end
.end`},
	{StopsHere, "warning: lint: the program may stop for a reason that is no end", `.out - position o0
.proc main
	mov o0, v0
	breakc cmp.x
	end
.end`},
	{ReadInitial, "warning: lint: a register that instructions set is used before any sets it, with the value that it has at the start", `.out - position o0
.proc main
	mov o0, c5[aL]
	end
.end`},
	{ResultUnused, "warning: lint: an instruction whose results reach no output, memory or condition", `.out - position o0
.proc main
	mov o0, v0
	mov r0, v0
	end
.end`},
	{NoEffect, "warning: lint: an instruction that changes nothing, such as a move of a register to itself or a jump to the next instruction", `.out - position o0
.proc main
	mov r0, v0
	mov r0, r0
	mov o0, r0
	end
.end`},
	{NoEmit, "warning: lint: a program whose output are the vertices that it emits emits none", `.gsh point c0
.out - position o0
.proc main
	mov o0, v0
	end
.end`},
	{NotFollowed, "warning: lint: a program goes so many paths that what depends on them is not known", `512 branches, each with an entry on the stack that stays`},
	{UnusedName, "warning: lint: an input, a uniform or a constant is declared, and no instruction that is reached reads it", `.constf k(1, 2, 3, 4)
.out - position o0
.proc main
	mov o0, v0
	end
.end`},
	{MissingEnd, "warning: the program can run past its last word without an end", `.proc main
	nop
.end`},
	{TwoInputs, "warning: two input registers in one instruction, of which it can read one", `add r0, v0, v1`},
	{DoubleMova, "warning: two instructions in a row write address registers, which freezes the hardware", `mova a0.x, r0
mova a0.y, r1`},
	{OutputTwice, "warning: a component of an output is written twice, which may hang the hardware", `mov o1, r0
mov o1.x, r1`},
	{NoComparison, "warning: a comparison by a number that stands for none", `cmp r0, 6, eq, r1`},
	{SameRegister, "warning: both units of a word write one register", `EXEC_END MOVv r1.x***, r2.xyzw RCPs r1.*y**, r3.xyzw;`},
	{NeverTaken, "warning: a branch whose predicate never holds", `EXEC_END BRAs 3;`},
	{OddAddress, "warning: an address register that is not written because of an odd destination", `EXEC_END ARLv r1.x***, r2.xyzw;`},
	{ExportOffset, "warning: the export that is none is offset", `EXEC_END(export[A0.x + 31]=vector) NOPv;`},
	{RegisterRange, "warning: a register that ends the program abnormally", `EXEC_END MOVv r32.xyzw, r1.xyzw;`},
	{ConstantRange, "warning: a constant above those that are usually loaded, or that exist", `EXEC_END MOVv r1.xyzw, c[300].xyzw;`},
	{OffsetRange, "warning: lint: an offset of a register that is too large to add anything", `.constf k(200, 0, 0, 0)
.out - position o0
.proc main
	mova a0.x, k
	mov o0, c5[a0.x]
	end
.end`},
	{EmptySlot, "warning: lint: a geometry shader completes a triangle before it stored a vertex in each slot", `.gsh point c0
.out - position o0
.proc main
	setemit 0, prim
	mov o0, v0
	emit
	end
.end`},
	{ScalarExport, "warning: an export of the scalar half under another number than that of the vector half, which is the one that counts", `MAXv export0.xyz_ = R0, R0
 MAXs export1.___w = R1`},
	{FetchConstant, "warning: a part of a fetch constant that there is not", `EXEC_END
 FETCH: VERTEX R1.xyz1 = R0.x FMT_32_FLOAT SIGNED STRIDE(12) CONST(20, 3)`},
	{Unpatched, "warning: a vertex fetch that a runtime patches before it draws, of a file that does not list it", `EXEC_END
 FETCH: VERTEX R1.xyz1 = R0.x FMT_1_REVERSE UNSIGNED STRIDE(0) CONST(31, 2)`},
	{MissingRoom, "warning: an export for which no clause before it makes room", `EXEC_END
 ALU: MAXv export62 = R0, R0`},
	{RoomSize, "warning: more exports than a clause makes room for", `ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END
 ALU: MAXv export0 = R0, R0
 ALU: MAXv export1 = R0, R0`},
	{StoreSize, "warning: a program of more units than drivers load, though addresses reach them", `a program of 400 units`},
	{Nesting, "warning: loops or calls deeper inside each other than the machine keeps count of", `again:
COND_CALL ADDR(again) DIR(0) FORCE_CALL
EXEC_END`},
	{StageExport, "warning: an export that programs of the stage are not known to have", `.stage fs
ALLOC POSITION SIZE(0x0)
EXEC_END
 ALU: MAXv export62 = R0, R0`},
	{JumpAtEnd, "warning: the last word of a scope is a jump, a call or the end of another, and has no effect", `ifu b0
	ifu b1
		nop
	.end
.end`},
	{IgnoredText, "warning: text that means nothing", `.constf k(1, 2, 3, 4) // a comment`},
	{TooLarge, "warning: a number that is too large for its format and becomes infinity", `.constf k(1e30, 0, 0, 0)`},
	{HiddenName, "warning: a declaration whose name is that of a register, which the name no longer is", `.constf c1(1, 2, 3, 4)`},
	{OutsideLoop, "warning: what leaves a loop stands in none, where the hardware hangs", `break`},
	{VertexEmit, "warning: a vertex program comes to an instruction of geometry shaders", `.out - position o0
.proc main
	mov o0, v0
	emit
	end
.end`},
	{PastArray, "warning: an index beyond the registers of a name", `.fvec m[4]
.proc main
	mov r0, m[4]
	end
.end`},
	{MaskOrder, "warning: a mask whose components are not in their order, which has no meaning", `mov r0.yx, r1`},
	{UnexpectedBits, "warning: an instruction with bits that the hardware does not take, by its description", `ld b64 $r1d g14[$r2]`},
	{AsPicasso, "warning: with --compat picasso, what picasso makes of a source that says something else", `mov r0, o1`},
	{ReadDiffers, "warning: what an older assembler accepts and takes for something else", `.consti k(0x10, 0, 0, 0)`},
}
