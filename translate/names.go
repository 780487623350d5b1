package translate

import (
	"fmt"
	"strings"
)

// names makes the names of a text unique.
type names struct{ taken map[string]bool }

// unique returns a name that no other part of the text has. A reserved word gets an underscore at its start.
func (n *names) unique(name string) string {
	base := name
	if reserved[name] {
		name = "_" + name
	}
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	n.taken[name] = true
	return name
}

// identifier converts a name to an identifier. GLSL reserves names that start with gl_ or that contain two underscores in a
// row.
func identifier(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			b.WriteByte('n')
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	s := strings.TrimSuffix(b.String(), "_")
	for strings.HasPrefix(s, "gl_") { // gl_Position is the name of an output of Tegra programs
		s = s[len("gl_"):]
	}
	if s == "" || s[0] >= '0' && s[0] <= '9' || strings.HasPrefix(s, "isago_") {
		s = "n_" + s
	}
	return strings.TrimSuffix(s, "_")
}

// reserved are the words that GLSL reserves, and its functions that a name could hide.
var reserved = words(`attribute const uniform varying buffer shared coherent volatile restrict readonly writeonly atomic_uint
	layout centroid flat smooth noperspective patch sample break continue do for while switch case default if else subroutine
	in out inout float double int void bool true false invariant precise discard return
	mat2 mat3 mat4 dmat2 dmat3 dmat4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4
	dmat2x2 dmat2x3 dmat2x4 dmat3x2 dmat3x3 dmat3x4 dmat4x2 dmat4x3 dmat4x4
	vec2 vec3 vec4 ivec2 ivec3 ivec4 bvec2 bvec3 bvec4 dvec2 dvec3 dvec4 uint uvec2 uvec3 uvec4
	lowp mediump highp precision sampler sampler1D sampler2D sampler3D samplerCube sampler2DRect samplerBuffer
	image1D image2D image3D imageCube imageBuffer texture textureSize texelFetch textureLod textureGrad texture2D texture3D
	struct common partition active asm class union enum typedef template this resource goto inline noinline public static
	extern external interface long short half fixed unsigned superp input output hvec2 hvec3 hvec4 fvec2 fvec3 fvec4
	filter sizeof cast namespace using
	main radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow exp log exp2 log2 sqrt inversesqrt
	abs sign floor trunc round roundEven ceil fract mod modf min max clamp mix step smoothstep isnan isinf floatBitsToInt
	floatBitsToUint intBitsToFloat uintBitsToFloat fma frexp ldexp packUnorm2x16 packSnorm2x16 packDouble2x32
	unpackDouble2x32 packHalf2x16 unpackHalf2x16 length distance dot cross normalize ftransform faceforward reflect refract
	matrixCompMult outerProduct transpose determinant inverse lessThan lessThanEqual greaterThan greaterThanEqual equal
	notEqual any all not uaddCarry usubBorrow umulExtended imulExtended bitfieldExtract bitfieldInsert bitfieldReverse
	bitCount findLSB findMSB dFdx dFdy fwidth barrier memoryBarrier emit noise1 noise2 noise3 noise4 int64_t uint64_t
	u64vec2 u64vec3 u64vec4 i64vec2 i64vec3 i64vec4 packUint2x32 unpackUint2x32 packInt2x32 unpackInt2x32`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
