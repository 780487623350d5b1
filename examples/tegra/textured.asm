// Transforms a vertex and lights it, with texture coordinates:
//	position = projection * modelView * position
//	colour   = ambient + max(normal . light, 0) * diffuse

.attributes
	[0] = "position";
	[1] = "normal";
	[2] = "texcoord";

.exports
	[0] = "gl_Position";
	[1] = "colour";
	[2] = "texcoord";

.uniforms
	[0] = "modelView";	// c[0] to c[3], one row each
	[4] = "projection";	// c[4] to c[7]
	[8] = "light";		// towards the light, in eye space
	[9] = "diffuse";
	[10] = "ambient";

.constants
	[11].x = 0.0;
	[11].y = 1.0;

.asm
	// r0: the position in eye space.
	EXEC DP4v r0.x***, a[0].xyzw, c[0].xyzw;
	EXEC DP4v r0.*y**, a[0].xyzw, c[1].xyzw;
	EXEC DP4v r0.**z*, a[0].xyzw, c[2].xyzw;
	EXEC DP4v r0.***w, a[0].xyzw, c[3].xyzw;
	EXEC(export[0]=vector) DP4v r63.x***, r0.xyzw, c[4].xyzw;
	EXEC(export[0]=vector) DP4v r63.*y**, r0.xyzw, c[5].xyzw;
	EXEC(export[0]=vector) DP4v r63.**z*, r0.xyzw, c[6].xyzw;
	EXEC(export[0]=vector) DP4v r63.***w, r0.xyzw, c[7].xyzw;

	// r1: the normal, turned; r2.x: how much light it gets. The length of r1 is worked out by the scalar unit
	// beside the vector unit, and what is exported there costs no word of its own.
	EXEC DP3v r1.x***, a[1].xyzw, c[0].xyzw;
	EXEC DP3v r1.*y**, a[1].xyzw, c[1].xyzw;
	EXEC DP3v r1.**z*, a[1].xyzw, c[2].xyzw;
	EXEC DP3v r1.***w, r1.xyzw, r1.xyzw;
	EXEC
		DP3v r2.x***, r1.xyzw, c[8].xyzw
		RSQs r3.x***, r1.wwww;
	EXEC MULv r2.x***, r2.xxxx, r3.xxxx;
	EXEC(export[2]=scalar)
		MAXv r2.x***, r2.xxxx, c[11].xxxx
		MOVs r63.xyzw, a[2].xyzw;
	EXEC MULv r2.xyz*, r2.xxxx, c[9].xyzw;
	EXEC(export[1]=vector)(saturate) ADDv r63.xyz*, r2.xyzw, c[10].xyzw;
	EXEC_END(export[1]=vector) MOVv r63.***w, c[11].yyyy;
