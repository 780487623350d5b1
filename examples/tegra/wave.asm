// A surface with waves. A function computes the height and is called for two waves. The sign of the height
// selects the colour by predicates instead of a branch.

.attributes
	[0] = "position";	// x and z; the program computes y

.exports
	[0] = "gl_Position";
	[1] = "colour";

.uniforms
	[0] = "matrix";		// c[0] to c[3]
	[4] = "wave0";		// frequency in x and z, phase, height
	[5] = "wave1";
	[6] = "crest";		// colours
	[7] = "trough";

.constants
	[8].x = 0.0;
	[8].y = 1.0;

.asm
	EXEC MOVv r0.xyzw, a[0].xyzw;
	EXEC MOVv r0.*y**, c[8].xxxx;

	// The vector operation of a call runs before the jump.
	EXEC(lt)(eq)(gt) MOVv r1.xyzw, c[4].xyzw CALs wave;
	EXEC(lt)(eq)(gt) MOVv r1.xyzw, c[5].xyzw CALs wave;

	EXEC(export[0]=vector) DP4v r63.x***, r0.xyzw, c[0].xyzw;
	EXEC(export[0]=vector) DP4v r63.*y**, r0.xyzw, c[1].xyzw;
	EXEC(export[0]=vector) DP4v r63.**z*, r0.xyzw, c[2].xyzw;
	EXEC(export[0]=vector) DP4v r63.***w, r0.xyzw, c[3].xyzw;

	// Condition register 1 gets the sign of the height. Then only the matching colour is written.
	EXEC(cr=1)(cs)(cwr) MOVv r63.*y**, r0.yyyy;
	EXEC(cr=1)(cc)(gt)(eq)(p.yyyy)(export[1]=vector) MOVv r63.xyzw, c[6].xyzw;
	EXEC_END(cr=1)(cc)(lt)(p.yyyy)(export[1]=vector) MOVv r63.xyzw, c[7].xyzw;

// Adds the wave in r1 to r0.y.
wave:
	EXEC MULv r2.xy**, r0.xzzz, r1.xyyy;
	EXEC ADDv r2.x***, r2.xxxx, r2.yyyy;
	EXEC ADDv r2.x***, r2.xxxx, r1.zzzz;
	EXEC SINs r2.x***, r2.xxxx;
	EXEC(lt)(eq)(gt) MADv r0.*y**, r2.xxxx, r1.wwww, r0.yyyy RETs;

// The program ends above. Without this directive, the assembler would also set the end bit of the last
// word, as grate does, and the function would not return.
.isago no-end
