// Skinning: up to four bones, whose matrices of three rows stand from c[16] on, and whose numbers and
// weights come with the vertex. A loop over the bones that have a weight: the components of both
// attributes turn left each time, and the first component is the bone at hand.

.attributes
	[0] = "position";
	[1] = "bones";		// three times the number of each bone
	[2] = "weights";	// the largest first; 0 ends the list

.exports
	[0] = "gl_Position";

.uniforms
	[0] = "projection";	// c[0] to c[3]
	[16] = "bones";		// c[16] and on, three a bone

.constants
	[4].x = 0.0;
	[4].y = 1.0;

.asm
	EXEC MOVv r0.xyzw, c[4].xxxy;		// r0: the sum, (0, 0, 0, 1)
	EXEC MOVv r1.xyzw, a[1].xyzw;		// r1: the bones that are left
	EXEC MOVv r2.xyzw, a[2].xyzw;		// r2: their weights

next:
	// The sign of the weight goes into condition register 0. A branch is taken if any component of the
	// predicate holds, so all four look at x.
	EXEC(cs)(cwr) MOVv r63.x***, r2.xxxx;
	EXEC(eq)(lt)(p.xxxx) BRAs done;

	EXEC ARLv A0.x***, r1.xxxx;		// the place of the bone

	EXEC DP4v r3.x***, a[0].xyzw, c[A0.x + 16].xyzw;
	EXEC DP4v r3.*y**, a[0].xyzw, c[A0.x + 17].xyzw;
	EXEC DP4v r3.**z*, a[0].xyzw, c[A0.x + 18].xyzw;
	EXEC MADv r0.xyz*, r3.xyzw, r2.xxxx, r0.xyzw;

	EXEC MOVv r1.xyzw, r1.yzww;
	EXEC MOVv r2.xyz*, r2.yzww;
	EXEC MOVv r2.***w, c[4].xxxx;
	EXEC(lt)(eq)(gt) BRAs next;

done:
	EXEC(export[0]=vector) DP4v r63.x***, r0.xyzw, c[0].xyzw;
	EXEC(export[0]=vector) DP4v r63.*y**, r0.xyzw, c[1].xyzw;
	EXEC(export[0]=vector) DP4v r63.**z*, r0.xyzw, c[2].xyzw;
	EXEC_END(export[0]=vector) DP4v r63.***w, r0.xyzw, c[3].xyzw;
