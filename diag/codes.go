package diag

// Code identifies the kind of an error, warning or note. Codes are stable, so scripts and editors can rely on them.
type Code string

// CodeInfo documents a code for `isago help codes`.
type CodeInfo struct {
	Code    Code
	Meaning string
	// Example is an input or a command that causes an error with the code.
	Example string
}

// Codes of errors in a description. isago check also reports some of them as findings.
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
	// NotProved reports a question that check could not decide before it reached a limit.
	NotProved Code = "not-proved"
	// RegisterOutside and ComponentRange report words with an operand that does not exist.
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

// Codes of errors in the text of instructions, in words and in files.
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
	NotTranslated Code = "not-translated"
)

// Codes of errors in the source of a program, except errors in its instructions.
const (
	Directive    Code = "directive"
	BlockNesting Code = "block-nesting"
	SpaceFull    Code = "space-full"
	ProgramSize  Code = "program-size"
	RegisterUse  Code = "register-use"
)

// Codes of warnings about the source of a program. The flag --no-warn turns them off.
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
	// Codes of the findings of isago lint in whole programs.
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
	// UnexpectedBits reports an instruction that assembles to a word with a finding.
	UnexpectedBits Code = "unexpected-bits"
)

// Codes of the hazards that descriptions define.
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

// Warnings returns the codes of all warnings.
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
	{XMLElement, "the element is not allowed in this place", `<isa><field name="A" pos="0"/></isa>`},
	{XMLAttribute, "an attribute is missing, unknown or has an invalid value", `<field name="A" low="x"/>`},
	{XMLLimit, "the file exceeds a limit of size or depth; isago help limits lists the limits", `elements nested a thousand deep`},
	{BitRange, "the bits are outside the bitset, or high is less than low", `<field name="A" low="8" high="3" type="uint"/>`},
	{BitOverlap, "a leaf and its parents define one bit twice", `<pattern pos="3">1</pattern>
<pattern low="0" high="7">00000000</pattern>`},
	{BitMissing, "a bit of a leaf has no pattern, field or assert", `<bitset name="nop" size="8">
  <display>nop</display>
  <pattern low="0" high="6">0000000</pattern>
</bitset>`},
	{PatternText, "the length of a pattern differs from its number of bits, or it has characters other than 0, 1 and x", `<pattern low="0" high="3">01</pattern>`},
	{Duplicate, "a name is defined twice", `<enum name="#cond"/>
<enum name="#cond"/>`},
	{Unresolved, "the name is not defined in the scope that uses it", `<display>add {SRC3}</display>
<pattern low="0" high="7">00000000</pattern>`},
	{Extends, "a bitset extends itself or an unknown bitset, or has no size", `<bitset name="add" extends="#nowhere"/>`},
	{ExprSyntax, "the expression has a syntax error", `<expr name="#none">{A} == </expr>`},
	{ExprCycle, "the value of an expression depends on itself", `<display>add {A}</display>
<pattern low="0" high="7">00000000</pattern>
<derived name="A" type="uint"><expr>{A} + 1</expr></derived>`},
	{TemplateText, "the display template has a syntax error", `<display>add {DST</display>
<pattern low="0" high="7">00000000</pattern>`},
	{FieldType, "the type is unknown or does not fit the field", `<field name="A" low="0" high="3" type="#missing"/>`},
	{LeafOverlap, "a word matches two leaves, and neither leaf refines the other", `<bitset name="#bits" size="2"/>
<bitset name="a" extends="#bits"><display>a</display><pattern low="0" high="1">1x</pattern></bitset>
<bitset name="b" extends="#bits"><display>b</display><pattern low="0" high="1">x1</pattern></bitset>`},
	{LeafLength, "the bits of the shorter encoding do not determine the length", `<bitset name="#short" size="8"/>
<bitset name="#long" extends="#short" size="16"/>
<bitset name="a" extends="#short"><display>a</display><pattern low="0" high="7">00000000</pattern></bitset>
<bitset name="b" extends="#long"><display>b</display><pattern low="0" high="15">0000000000000000</pattern></bitset>`},
	{NoDisplay, "a leaf has no display template", `<bitset name="nop" size="8"><pattern low="0" high="7">00000000</pattern></bitset>`},
	{ContextValue, "the context is unknown, or does not have this value", `<enum name="#chip"><value val="0" display="g80"/></enum>
<context name="chip" type="#chip" default="xyz"/>`},
	{UnknownSyntax, "the description does not have this syntax", `isa.Options{Syntax: "xyz"}`},
	{MeaningSyntax, "semantics code has a syntax error", `<semantics>{A} = ;</semantics>`},
	{MeaningType, "a value in semantics code has the wrong type", `<semantics>let x: u8 = 300;</semantics>`},
	{MeaningName, "semantics code uses an undefined name", `<semantics>r[0] = missing;</semantics>`},
	{MeaningNone, "semantics are incomplete: an instruction has none, an operand cannot be written, or a path returns no value", `<function name="f(c: bool): u8">if (c) { return 1; }</function>`},
	{StateUnused, "check: no code uses a register, stack, memory or rom", `<register name="spare" type="u8"/>`},
	{UnmatchedWords, "check: no leaf matches some words; the finding has their number and the largest groups", `<bitset name="#instruction" size="3"/>
<bitset name="a" extends="#instruction"><display>a</display><pattern low="0" high="2">0xx</pattern></bitset>`},
	{LeafNever, "check: no word matches the leaf", `<bitset name="#old" size="1"><gen max="5"/></bitset>
<bitset name="late" extends="#old"><gen min="6"/><display>late</display><pattern pos="0">0</pattern></bitset>`},
	{OverrideNever, "check: the condition of an override is never true", `<override><expr>{A} &gt; 3</expr><display>far</display></override>
<display>a {A}</display>
<field name="A" low="0" high="1" type="uint"/>
<pattern low="2" high="7">000000</pattern>`},
	{OverrideAlways, "check: the condition of an override is always true", `<override><expr>{A} &lt; 4</expr><display>near {A}</display></override>
<display>a {A}</display>
<field name="A" low="0" high="1" type="uint"/>
<pattern low="2" high="7">000000</pattern>`},
	{DisplayNever, "check: a display is never used, because an earlier case always applies", `<bitset name="#group" size="1"><display>group</display></bitset>
<bitset name="a" extends="#group"><display>a</display><pattern pos="0">x</pattern></bitset>`},
	{AssertNever, "check: no word satisfies the assert", `<override>
  <expr>{A} == 0</expr>
  <display>none</display>
  <assert low="0" high="7">00001000</assert>
</override>
<display>a {A}</display>
<field name="A" low="0" high="7" type="uint"/>`},
	{ValueNever, "check: isago never prints a value of an enum", `<enum name="#size"><value val="1" display=".l"/><value val="9" display=".x"/></enum>
<bitset name="#instruction" size="3"/>
<bitset name="a" extends="#instruction"><display>a{S}</display><field name="S" low="0" high="2" type="#size"/></bitset>`},
	{FieldUnused, "check: no display and no expression uses the field", `<display>nop</display>
<field name="PAD" low="4" high="7" type="uint"/>
<pattern low="0" high="3">0000</pattern>`},
	{ParamUnused, "check: the nested bitset does not use a param", `<bitset name="#register" size="3"><display>r{N}</display><field name="N" low="0" high="2" type="uint"/></bitset>
<bitset name="a" size="4">
  <display>a{HALF} {R}</display>
  <field name="HALF" pos="3" type="uint"/>
  <field name="R" low="0" high="2" type="#register"><param name="HALF"/></field>
</bitset>`},
	{ExprUnused, "check: a named expression is not used", `<expr name="#big">{A} &gt; 7</expr>`},
	{TemplateUnused, "check: no display uses the template", `<template name="SRCS">{A}, {B}</template>`},
	{EnumUnused, "check: nothing has the enum as its type", `<enum name="#old"/>`},
	{OperandUnused, "check: no display shows the operand", `<bitset name="a" size="4">
  <display>a {NEG}{SRC}</display>
  <field name="NEG" pos="3" type="bool" display="-"/>
  <field name="SRC" low="0" high="2" type="uint"/>
  <operand name="A"><display>{NEG}{SRC}</display></operand>
</bitset>`},
	{FileUnused, "check: no <reg> and no code uses a register file", `<file name="o" type="f32x4" count="16"/>`},
	{RegisterUntold, "check: a leaf has no <reg>, but other leaves of its root do", `<file name="r" type="u8" count="8"/>
<bitset name="#register" size="4"/>
<bitset name="low" extends="#register"><display>r{N}</display><pattern pos="3">0</pattern><field name="N" low="0" high="2" type="uint"/><reg file="r" index="{N}"/></bitset>
<bitset name="high" extends="#register"><display>x{N}</display><pattern pos="3">1</pattern><field name="N" low="0" high="2" type="uint"/></bitset>`},
	{NotProved, "check: a question was not decided, because it reached the limit that the message names", `<bitset name="#instruction" size="32"/>
<bitset name="set" extends="#instruction">
  <display>set {A}{AGAIN}</display>
  <field name="A" low="0" high="31" type="uint"/>
  <derived name="AGAIN" type="uint" width="32"><expr>{A}</expr></derived>
</bitset>`},
	{RegisterOutside, "check: a word names a register that is outside its file", `<file name="c" type="u8" count="6"/>
<bitset name="constant" size="3"><display>c{N}</display><field name="N" low="0" high="2" type="uint"/><reg file="c" index="{N}"/></bitset>`},
	{ComponentRange, "check: the swizzle of a word names a component after the fourth", `<bitset name="swizzle" size="3"><display>.{X}</display><field name="X" low="0" high="2" type="uint"/><swizzle x="{X}"/></bitset>`},
	{HiddenBits, "check, and a warning of asm: the text of an instruction does not show some of its bits. Words that differ only in these bits have the same text, and asm uses the default", `<display>br {TARGET}</display>
<field name="TARGET" low="0" high="6" type="uint"/>
<field name="LIKELY" pos="7" type="bool"/>
<default name="LIKELY" val="1"/>`},
	{SameText, "check: two words have the same text", `<display>set {A}{B}</display>
<field name="A" low="0" high="3" type="uint"/>
<field name="B" low="4" high="7" type="uint"/>`},
	{AliasDefault, "check: an alias omits a field, which then gets the default for words that do not show the field", `<override expr="#placed"><display>put {R}, out[a0 + {N}]</display><alias>put {R}, out[a0]</alias></override>
<override expr="#named"><display>put {R}, out[{N}]</display></override>
<display>put {R}</display>
<field name="REL" pos="7" type="bool"/>
<field name="N" low="3" high="6" type="uint"/>
<field name="R" low="0" high="2" type="uint"/>
<default name="N" val="15"/>`},
	{ExprUndefined, "check: C does not define the result of an expression", `<display>a {B}</display>
<field name="A" low="0" high="7" type="uint"/>
<derived name="B" type="uint"><expr>1 &lt;&lt; {A}</expr></derived>`},
	{MesaRefuses, "check: Mesa's tools reject something that isago accepts", `<bitset name="#instruction" size="1"/>
<bitset name="a-b" extends="#instruction"><display>a</display><pattern pos="0">0</pattern></bitset>
<bitset name="a.b" extends="#instruction"><display>b</display><pattern pos="0">1</pattern></bitset>`},
	{ExceptionForm, "check: a suppression has a syntax error", `<!-- check: ignore hidden-bits -->`},
	{ExceptionIdle, "check: a suppression matches no finding", `<!-- check: ignore leaf-overlap: fixed since -->`},
	{TextUnknown, "no instruction starts with this text", `foo r0, r1`},
	{TextExpected, "the text does not continue as expected", `mov r0 r1`},
	{TextRange, "a number does not fit its field", `setemit 9`},
	{TextConflict, "two parts of the text need different values of one bit", `EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw RCPs r3.x***, r4.xyzw;`},
	{TextCondition, "no word prints this text: other parts of the text rule out the bits that it needs", `EXEC MULv r0.xyzw, c[1].xyzw, c[A0.x+1].xyzw;`},
	{TextSymbol, "the name is not a label", `jmpc cmp.x, nowhere`},
	{TextSuffix, "a suffix in braces names an unknown field or has an invalid value", `nop {XYZ=1}`},
	{TextAmbiguous, "the text has too many possible parses", `a line of optional marks that never ends`},
	{TableFull, "a table has no capacity for another entry", `a 129th operand descriptor`},
	{TableEntry, "an instruction uses a table entry that is missing, which reads as 0. Table entries follow a hexadecimal word after a slash, or are in the FILE of --table NAME=FILE", `4e001000`},
	{HexSyntax, "a line is not valid hexadecimal text", `12 xyz`},
	{HexSize, "a word has more bits than an instruction", `123456789`},
	{UnknownWord, "no instruction matches these bits", `isago explain --isa pica200 40000000`},
	{OutputTaken, "an output would replace an input of the run or another output", `isago asm -o light.pica light.pica`},
	{NotTranslated, "the text for GPUs cannot express something that the program does", `isago translate --shape vertex --position nowhere light.shbin`},
	{FileFormat, "the file is damaged, or its format is unknown", `a DVLB header that points outside the file`},
	{Directive, "the directive is unknown or invalid", `.fvec 3d`},
	{BlockNesting, "a block has no end, or an end has no block", `.end`},
	{SpaceFull, "no register is free for the declaration", `.ivec a[5]`},
	{ProgramSize, "the program has more words than the capacity of the machine", `a vertex shader of 513 words`},
	{RegisterUse, "the register does not exist, or is not allowed in this place", `mov r0, r15[1]`},
	{ReadUnwritten, "warning: lint: a register is read before it is written, on some or all paths", `.out - position o0
.proc main
	mov o0, r1
	end
.end`},
	{OutputUnwritten, "warning: lint: an output of the program is not written, on some or all paths", `.out - position o0
.out - color o1
.proc main
	mov o0, v0
	end
.end`},
	{Unreached, "warning: lint: no path reaches the code", `.out - position o0
.proc main
	mov o0, v0
	end
	mov r0, v0
.end`},
	{NeverEnds, "warning: lint: a path never reaches an end", `.out - position o0
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
	{StackFull, "warning: lint: calls or scopes are nested deeper than their stack, which then loses the oldest entry", `.proc main
	call main
	end
.end`},
	{StopsHere, "warning: lint: the program may trap", `.out - position o0
.proc main
	mov o0, v0
	breakc cmp.x
	end
.end`},
	{ReadInitial, "warning: lint: an instruction uses the initial value of a register that other instructions set", `.out - position o0
.proc main
	mov o0, c5[aL]
	end
.end`},
	{ResultUnused, "warning: lint: the results of an instruction reach no output, memory or condition", `.out - position o0
.proc main
	mov o0, v0
	mov r0, v0
	end
.end`},
	{NoEffect, "warning: lint: an instruction has no effect, such as a move of a register to itself or a jump to the next instruction", `.out - position o0
.proc main
	mov r0, v0
	mov r0, r0
	mov o0, r0
	end
.end`},
	{NoEmit, "warning: lint: a geometry shader emits no vertex", `.gsh point c0
.out - position o0
.proc main
	mov o0, v0
	end
.end`},
	{NotFollowed, "warning: lint: a program has too many paths, so checks that depend on paths are incomplete", `1024 branches, each with an entry on the stack that stays`},
	{UnusedName, "warning: lint: no reachable instruction reads a declared input, uniform or constant", `.constf k(1, 2, 3, 4)
.out - position o0
.proc main
	mov o0, v0
	end
.end`},
	{MissingEnd, "warning: the program can run past its last word without an end", `.proc main
	nop
.end`},
	{TwoInputs, "warning: an instruction names two input registers, but can read only one", `add r0, v0, v1`},
	{DoubleMova, "warning: two instructions in a row write address registers, which freezes the hardware", `mova a0.x, r0
mova a0.y, r1`},
	{OutputTwice, "warning: a component of an output is written twice, which may hang the hardware", `mov o1, r0
mov o1.x, r1`},
	{NoComparison, "warning: the number of a comparison operator is not defined", `cmp r0, 6, eq, r1`},
	{SameRegister, "warning: both units of a word write the same register", `EXEC_END MOVv r1.x***, r2.xyzw RCPs r1.*y**, r3.xyzw;`},
	{NeverTaken, "warning: the predicate of a branch is never true", `EXEC_END BRAs 3;`},
	{OddAddress, "warning: the number of the destination is odd, so the instruction does not write the address register", `EXEC_END ARLv r1.x***, r2.xyzw;`},
	{ExportOffset, "warning: an offset is added to the number that means no export", `EXEC_END(export[A0.x + 31]=vector) NOPv;`},
	{RegisterRange, "warning: the register does not exist, so the program ends abnormally", `EXEC_END MOVv r32.xyzw, r1.xyzw;`},
	{ConstantRange, "warning: the constant does not exist, or is above the constants that drivers usually load", `EXEC_END MOVv r1.xyzw, c[300].xyzw;`},
	{OffsetRange, "warning: lint: the offset of a register is too large and has no effect", `.constf k(200, 0, 0, 0)
.out - position o0
.proc main
	mova a0.x, k
	mov o0, c5[a0.x]
	end
.end`},
	{EmptySlot, "warning: lint: a geometry shader completes a triangle before it has stored a vertex in each slot", `.gsh point c0
.out - position o0
.proc main
	setemit 0, prim
	mov o0, v0
	emit
	end
.end`},
	{ScalarExport, "warning: the scalar half and the vector half name different exports; the number in the vector half is used", `MAXv export0.xyz_ = R0, R0
 MAXs export1.___w = R1`},
	{FetchConstant, "warning: the part of a fetch constant does not exist", `EXEC_END
 FETCH: VERTEX R1.xyz1 = R0.x FMT_32_FLOAT SIGNED STRIDE(12) CONST(20, 3)`},
	{Unpatched, "warning: a vertex fetch is a placeholder that a runtime replaces, but the file does not list it", `EXEC_END
 FETCH: VERTEX R1.xyz1 = R0.x FMT_1_REVERSE UNSIGNED STRIDE(0) CONST(31, 2)`},
	{MissingRoom, "warning: no earlier clause allocates the export", `EXEC_END
 ALU: MAXv export62 = R0, R0`},
	{RoomSize, "warning: a clause allocates fewer exports than the program writes", `ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END
 ALU: MAXv export0 = R0, R0
 ALU: MAXv export1 = R0, R0`},
	{StoreSize, "warning: the program has more units than drivers load, although addresses can reach them", `a program of 400 units`},
	{Nesting, "warning: loops or calls are nested deeper than the machine supports", `again:
COND_CALL ADDR(again) DIR(0) FORCE_CALL
EXEC_END`},
	{StageExport, "warning: programs of this stage are not known to have the export", `.stage fs
ALLOC POSITION SIZE(0x0)
EXEC_END
 ALU: MAXv export62 = R0, R0`},
	{JumpAtEnd, "warning: the last word of a scope is a jump, a call or the end of another scope, which has no effect there", `ifu b0
	ifu b1
		nop
	.end
.end`},
	{IgnoredText, "warning: the text has no meaning and is ignored", `.constf k(1, 2, 3, 4) // a comment`},
	{TooLarge, "warning: the number is too large for its format and becomes infinity", `.constf k(1e30, 0, 0, 0)`},
	{HiddenName, "warning: a declaration has the name of a register, and hides the register", `.constf c1(1, 2, 3, 4)`},
	{OutsideLoop, "warning: an instruction that leaves a loop is outside of every loop, which hangs the hardware", `break`},
	{VertexEmit, "warning: a vertex program reaches an instruction for geometry shaders", `.out - position o0
.proc main
	mov o0, v0
	emit
	end
.end`},
	{PastArray, "warning: the index is after the last register of the name", `.fvec m[4]
.proc main
	mov r0, m[4]
	end
.end`},
	{MaskOrder, "warning: the components of a mask are not in order; their order has no effect", `mov r0.yx, r1`},
	{UnexpectedBits, "warning: an instruction has bits that its description does not expect", `ld b64 $r1d g14[$r2]`},
	{AsPicasso, "warning: with --compat picasso, picasso misreads this source, and isago repeats its result", `mov r0, o1`},
	{ReadDiffers, "warning: an older assembler accepts this text with a different meaning", `.consti k(0x10, 0, 0, 0)`},
}
