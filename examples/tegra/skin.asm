// Skinning with up to four bones. Their matrices of three rows start at c[16], and the vertex has their numbers
// and weights. A loop visits the bones with a weight: each time it rotates the components of both attributes
// to the left, so that the first component is the current bone.

.attributes
	[0] = "position";
	[1] = "bones";		// three times the number of each bone
	[2] = "weights";	// the largest first; 0 ends the list

.exports
	[0] = "gl_Position";

.uniforms
	[0] = "projection";	// c[0] to c[3]
	[16] = "bones";		// from c[16] on, three rows for each bone

.constants
	[4].x = 0.0;
	[4].y = 1.0;

.asm
	EXEC MOVv r0.xyzw, c[4].xxxy;		// r0: the sum, (0, 0, 0, 1)
	EXEC MOVv r1.xyzw, a[1].xyzw;		// r1: the remaining bones
	EXEC MOVv r2.xyzw, a[2].xyzw;		// r2: their weights

next:
	// Condition register 0 gets the sign of the weight. A branch is taken if the predicate holds for any
	// component, so all four test x.
	EXEC(cs)(cwr) MOVv r63.x***, r2.xxxx;
	EXEC(eq)(lt)(p.xxxx) BRAs done;

	EXEC ARLv A0.x***, r1.xxxx;		// the offset of the bone

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
