// No export is the position.
.attributes
	[0] = "position";
.exports
	[1] = "colour";
.asm
	EXEC_END(export[1]=vector) MOVv r63.xyzw, a[0].xyzw; // want: output-unwritten
