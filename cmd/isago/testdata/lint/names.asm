// Names of attributes and constants that nothing reads, and an export that nothing writes.
.attributes
	[0] = "position";
	[1] = "normal"; // want: unused-name
.exports
	[0] = "gl_Position";
	[1] = "colour"; // want: output-unwritten
.uniforms
	[0] = "offset";
	[1] = "scale"; // want: unused-name
.constants
	[2].x = 1.0; // want: unused-name
	[3].x = 1.0;
.asm
	EXEC ADDv r0.xyzw, a[0].xyzw, c[0].xyzw;
	EXEC_END(export[0]=vector) MULv r63.xyzw, r0.xyzw, c[3].xxxx;
