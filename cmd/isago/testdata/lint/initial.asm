// The condition register is "equal" at the start: the branch is taken, and what it leaves out is never reached.
.attributes
	[0] = "position";
.exports
	[0] = "gl_Position";
.asm
	EXEC(eq) BRAs out; // want: read-initial
	EXEC MOVv r0.xyzw, a[0].xyzw; // want: unreached
out:
	EXEC_END(export[0]=vector) MOVv r63.xyzw, a[0].xyzw;
