package diag

// Code names a kind of error. Codes are stable: scripts and editors may rely on them.
type Code string

// CodeInfo documents a code for `isago help codes`.
type CodeInfo struct {
	Code    Code
	Meaning string
	// Example is a piece of input that is diagnosed so.
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

// Codes of what isago check finds in a description, beside those of mistakes in one.
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
	// RegisterOutside and ComponentRange are of words in which an operand is what there is not.
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

// Codes of mistakes in a program's source, beside those of its instructions.
const (
	Directive    Code = "directive"
	BlockNesting Code = "block-nesting"
	SpaceFull    Code = "space-full"
	ProgramSize  Code = "program-size"
	RegisterUse  Code = "register-use"
)

// Codes of warnings about a program's source: they are what --no-warn takes.
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
	// What lint finds in whole programs.
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
	// UnexpectedBits is a finding of what the text asks for.
	UnexpectedBits Code = "unexpected-bits"
)

// Codes of warnings that descriptions give, by the names of their hazards.
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
)

// Warnings lists the codes of warnings.
func Warnings() []Code {
	return []Code{
		MissingEnd, TwoInputs, DoubleMova, OutputTwice, JumpAtEnd, MissingRoom, RoomSize, StoreSize, Nesting, StageExport,
		IgnoredText, TooLarge, ReadDiffers, AsPicasso, HiddenName, OutsideLoop, VertexEmit, PastArray, MaskOrder, UnexpectedBits, TableEntry, HiddenBits,
		ReadUnwritten, OutputUnwritten, Unreached, NeverEnds, StackFull, StopsHere,
		ReadInitial, ResultUnused, NoEffect, NoEmit, UnusedName, NotFollowed,
		NoComparison, SameRegister, NeverTaken, OddAddress, ExportOffset, RegisterRange, ConstantRange, ScalarExport, FetchConstant, OffsetRange, EmptySlot,
	}
}

// Codes lists every code with its meaning and an example.
func Codes() []CodeInfo { return codes }

var codes = []CodeInfo{
	{XMLSyntax, "the file is not well-formed XML", `<isa><bitset></isa>`},
	{XMLElement, "an element that does not belong where it stands", `<isa><field name="A" pos="0"/></isa>`},
	{XMLAttribute, "an attribute is missing, unknown or has a value that cannot be read", `<field name="A" low="x"/>`},
	{XMLLimit, "the file is larger or nested deeper than is accepted", `elements nested a thousand deep`},
	{BitRange, "bits outside the bitset, or high below low", `<field name="A" low="8" high="3" type="uint"/>`},
	{BitOverlap, "one bit is given two meanings by a leaf and its parents", `<pattern pos="3">1</pattern> and <pattern low="0" high="7">00000000</pattern>`},
	{BitMissing, "a leaf leaves a bit without pattern, field or assert", `a leaf of 32 bits whose patterns and fields cover 31`},
	{PatternText, "a pattern that is not as many of 0, 1, x as it has bits", `<pattern low="0" high="3">01</pattern>`},
	{Duplicate, "a name is defined twice", `two <enum name="#cond">`},
	{Unresolved, "a name is defined nowhere in the surroundings in which it is used", `{SRC3} in a display of a bitset without SRC3`},
	{Extends, "a bitset extends something that is missing, itself, or has no size", `<bitset name="add" extends="#nowhere"/>`},
	{ExprSyntax, "an expression that cannot be parsed", `{A} == `},
	{ExprCycle, "an expression needs its own value", `<derived name="A"><expr>{A} + 1</expr></derived>`},
	{TemplateText, "a display template that cannot be read", `add {DST`},
	{FieldType, "a type that is unknown or does not fit the field", `<field name="A" low="0" high="3" type="#missing"/>`},
	{LeafOverlap, "one word matches two leaves, and neither says that it refines the other", `patterns 1x and x1`},
	{LeafLength, "the bits of the shorter form do not decide the length", `a 32-bit leaf and a 64-bit leaf with the same low half`},
	{NoDisplay, "a leaf has no display template", `<bitset name="nop" extends="#instruction"/> without display`},
	{ContextValue, "a context is unknown or has no such value", `--stage=xyz`},
	{UnknownSyntax, "a spelling that the description does not have", `--syntax=xyz`},
	{MeaningSyntax, "code of a meaning that cannot be read", `<semantics>{A} = ;</semantics>`},
	{MeaningType, "a value of a meaning has another type than it must have", `let x: u8 = 300;`},
	{MeaningName, "code of a meaning names something that is not there", `r[0] = missing;`},
	{MeaningNone, "a part of a meaning is missing: an instruction has none, an operand cannot be written, a path returns nothing", `<semantics type="u8">if (c) { return 1; }</semantics>`},
	{StateUnused, "check: a register, stack, memory or rom that no code names", `<register name="spare" type="u8"/>`},
	{UnmatchedWords, "check: words that no leaf matches, how many, and the largest groups of them", `a root of 4 bits whose leaves fix 0xx and 10x`},
	{LeafNever, "check: a leaf that no word is", `<gen min="6"/> below a parent with <gen max="5"/>`},
	{OverrideNever, "check: an override whose condition is never true", `<expr>{A} &gt; 3</expr> where A has two bits`},
	{OverrideAlways, "check: an override whose condition is never false", `<expr>{A} &lt; 4</expr> where A has two bits`},
	{DisplayNever, "check: a display that is never used, because a case before it always has one", `the display of a parent of which each leaf has its own`},
	{AssertNever, "check: an assert that no word meets", `<assert pos="3">1</assert> in an override whose condition needs bit 3 to be 0`},
	{ValueNever, "check: a value of an enum that no field has, or whose text another value of the same number takes", `<value val="9" display="x"/> where all fields have three bits`},
	{FieldUnused, "check: a field that no display shows and no expression uses", `<field name="PAD" low="4" high="7" type="uint"/>`},
	{ParamUnused, "check: a param whose name the nested bitset never uses", `<param name="HALF"/> for a bitset without {HALF}`},
	{ExprUnused, "check: a named expression that is used nowhere", `<expr name="#big">{A} &gt; 7</expr>`},
	{TemplateUnused, "check: a template that no display has", `<template name="SRCS">{A}, {B}</template>`},
	{EnumUnused, "check: an enum that is the type of nothing", `<enum name="#old">`},
	{OperandUnused, "check: an operand that no display shows", `<operand name="A"> where displays have {SRC} and {NEG}`},
	{FileUnused, "check: a register file that no <reg> and no code names", `<file name="o" type="f32x4" count="16"/>`},
	{RegisterUntold, "check: a leaf that does not say which register it is, in a root of which others do", `a leaf without <reg>`},
	{RegisterOutside, "check: a word whose register is beyond its file", `<reg file="c" index="{N}"/> where N has seven bits and c 96 registers`},
	{ComponentRange, "check: a word whose swizzle names a component beyond the fourth", `<swizzle x="{X}"/> where X has three bits`},
	{HiddenBits, "check, and a warning of asm: bits of an instruction that its text does not show: words that differ in them read the same, and asm gives them their default", `a field that no display shows`},
	{SameText, "check: two words that print the same text", `two leaves with one display`},
	{AliasDefault, "check: an alias that leaves out a field, which then has the default of words that do not show it", `<alias>out[a0]</alias> beside <display>out[a0 + {N}]</display>, and N has the default 31, for none`},
	{ExprUndefined, "check: arithmetic of which C does not define the result", `1 << {A} where A can be 32`},
	{MesaRefuses, "check: what isago reads and Mesa's tools do not", `<bitset name="a-b"> beside <bitset name="a.b">`},
	{ExceptionForm, "check: a written exception that cannot be read", `<!-- check: ignore hidden-bits -->`},
	{ExceptionIdle, "check: a written exception for a finding that is not there", `<!-- check: ignore leaf-overlap: fixed since -->`},
	{TextUnknown, "no instruction starts like this", `foo r0, r1`},
	{TextExpected, "something else was expected here", `mov r0 r1`},
	{TextRange, "a number does not fit its field", `setemit 9`},
	{TextConflict, "one bit of the word would have to be both 0 and 1", `two operands that share a field and differ`},
	{TextCondition, "the text can only be printed by words whose other bits forbid it", `(nop0)`},
	{TextSymbol, "a name that is no label", `jmpc cmp.x, nowhere`},
	{TextSuffix, "a suffix in braces that names no field or no value", `nop {XYZ=1}`},
	{TextAmbiguous, "too many ways to read the text", `a line of optional marks that never ends`},
	{TableFull, "a table beside the code has no room for another entry", `a 129th operand descriptor`},
	{TableEntry, "an instruction names an entry that nobody gave: it reads as 0. Entries stand behind a word of hex, or in the FILE of --table NAME=FILE", `4e001000 without / 36c`},
	{HexSyntax, "a line of hex that cannot be read", `12 xyz`},
	{HexSize, "more bits than an instruction has", `123456789 for a machine of 32 bits`},
	{UnknownWord, "no instruction has these bits", `40000000`},
	{OutputTaken, "an output would replace an input of the run or another output", `isago asm -o light.pica light.pica`},
	{FileFormat, "a file that is damaged or of an unknown format", `a DVLB header that points outside the file`},
	{Directive, "a directive that is unknown or not as it should be", `.fvec 3d`},
	{BlockNesting, "a block that is not closed, or an end without a block", `.end`},
	{SpaceFull, "no register is left for what is declared", `.ivec a[5]`},
	{ProgramSize, "a program with more words than the machine has room for", `a vertex shader of 513 words`},
	{RegisterUse, "a register that does not exist, or cannot be used like this", `r15[1]`},
	{ReadUnwritten, "warning: lint: a register is read before it is written, on some way or on all", `mov r0, r1 at the start`},
	{OutputUnwritten, "warning: lint: an output of the program is not written, on some way or on all", `.out o position that nothing writes`},
	{Unreached, "warning: lint: code to which no way leads", `mov r0, v0 behind end`},
	{NeverEnds, "warning: lint: a way on which no end is ever reached", `a jump to itself`},
	{StackFull, "warning: lint: more calls or scopes inside each other than their stack holds, so that the oldest is lost", `five calls inside each other on PICA200`},
	{StopsHere, "warning: lint: the program may stop for a reason that is no end", `breakc outside of a loop`},
	{ReadInitial, "warning: lint: a register that instructions set is used before any sets it, with the value that it has at the start", `mov r0, c5[aL] before any loop`},
	{ResultUnused, "warning: lint: an instruction whose results reach no output, memory or condition", `mov r0, v0 at the end`},
	{NoEffect, "warning: lint: an instruction that changes nothing, such as a move of a register to itself or a jump to the next instruction", `mov r0, r0`},
	{NoEmit, "warning: lint: a program whose output are the vertices that it emits emits none", `.gsh without emit`},
	{NotFollowed, "warning: lint: a program goes so many paths that what depends on them is not known", `512 branches, each with a stack entry of its own that stays`},
	{UnusedName, "warning: lint: an input, a uniform or a constant is declared, and no instruction that is reached reads it", `.constf k(1, 2, 3, 4) that nothing reads`},
	{MissingEnd, "warning: the program can run past its last word without an end", `.proc main without end`},
	{TwoInputs, "warning: two input registers in one instruction, of which it can read one", `add r0, v0, v1`},
	{DoubleMova, "warning: two instructions in a row write address registers, which freezes the hardware", `mova a0.x, r0 and mova a0.y, r1`},
	{OutputTwice, "warning: a component of an output is written twice, which may hang the hardware", `mov o0, r0 and mov o0.x, r1`},
	{NoComparison, "warning: a comparison by a number that stands for none", `cmp r0, 6, eq, r1`},
	{SameRegister, "warning: both units of a word write one register", `ADDv r1.x***, a[0].xyzw, a[0].xyzw and RCPs r1.*y**, a[0].xxxx`},
	{NeverTaken, "warning: a branch whose predicate never holds", `EXEC BRAs 3;`},
	{OddAddress, "warning: an address register that is not written because of an odd destination", `ARLv r1.x***, a[0].xyzw`},
	{ExportOffset, "warning: the export that is none is offset", `(export[A0.x + 31]=vector)`},
	{RegisterRange, "warning: a register that ends the program abnormally", `MOVv r32.xyzw, a[0].xyzw`},
	{ConstantRange, "warning: a constant above those that are usually loaded, or that exist", `MOVv r0.xyzw, c[300].xyzw`},
	{OffsetRange, "warning: lint: an offset of a register that is too large to add anything", `mova a0.x, k with a k of 200, and c5[a0.x]`},
	{EmptySlot, "warning: lint: a geometry shader completes a triangle before it stored a vertex in each slot", `setemit 0, prim and emit`},
	{ScalarExport, "warning: an export of the scalar half under another number than that of the vector half, which is the one that counts", `MAXv export0.xyz_ = R0, R0 and MAXs export1.___w = R1`},
	{FetchConstant, "warning: a part of a fetch constant that there is not", `CONST(20, 3)`},
	{MissingRoom, "warning: an export for which no clause before it makes room", `export62 without ALLOC POSITION`},
	{RoomSize, "warning: more exports than a clause makes room for", `export0 and export1 behind ALLOC PARAM/PIXEL SIZE(0x0)`},
	{StoreSize, "warning: a program of more units than drivers load, though addresses reach them", `a program of 400 units`},
	{Nesting, "warning: loops or calls deeper inside each other than the machine keeps count of", `five LOOP_START one behind the other`},
	{StageExport, "warning: an export that programs of the stage are not known to have", `export62 in a fragment program`},
	{JumpAtEnd, "warning: the last word of a scope is a jump, a call or the end of another, and has no effect", `ifu b0 at the end of ifu b1, with --no-nop`},
	{IgnoredText, "warning: text that means nothing", `.constf k(1, 2, 3, 4) // a comment`},
	{TooLarge, "warning: a number that is too large for its format and becomes infinity", `.constf k(1e30, 0, 0, 0)`},
	{HiddenName, "warning: a declaration whose name is that of a register, which the name no longer is", `.constf c1(1, 2, 3, 4)`},
	{OutsideLoop, "warning: what leaves a loop stands in none, where the hardware hangs", `break outside of for`},
	{VertexEmit, "warning: a vertex program comes to an instruction of geometry shaders", `emit in a program without .gsh`},
	{PastArray, "warning: an index beyond the registers of a name", `m[4] of .fvec m[4]`},
	{MaskOrder, "warning: a mask whose components are not in their order, which has no meaning", `mov r0.yx, r1`},
	{UnexpectedBits, "warning: an instruction with bits that the hardware does not take, by its description", `ld b64 $r1d g14[$r2], where a pair starts at an even register`},
	{AsPicasso, "warning: with --compat picasso, what picasso makes of a source that says something else", `mov r0, o1, which picasso assembles as mov r0, v1`},
	{ReadDiffers, "warning: what an older assembler accepts and takes for something else", `.consti k(0x10, 0, 0, 0), where picasso reads 0`},
}
