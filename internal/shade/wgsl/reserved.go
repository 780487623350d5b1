package wgsl

import "strings"

// reserved are the words of WGSL, those that it reserves, and its functions and types that a name could hide.
var reserved = words(`alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let
	loop override requires return struct switch true var while
	NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class co_await co_return co_yield
	coherent column_major common compile compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote
	demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final finally friend from fxgroup get goto
	groupshared highp impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut
	mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package
	packoffset pass patch pixelfragment precise precision premerge priv protected pub public readonly ref regardless register reinterpret_cast
	require resource restrict self set shared sizeof smooth snorm static static_assert static_cast std subroutine super target template this
	thread_local throw trait try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl
	where with writeonly yield
	array atomic bool f16 f32 i32 u32 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 ptr sampler sampler_comparison vec2 vec3 vec4
	texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_cube_array texture_depth_2d texture_depth_2d_array texture_depth_cube
	atomicLoad atomicStore atomicCompareExchangeWeak workgroupUniformLoad
	function private workgroup uniform storage read write read_write bitcast select any all abs min max floor ceil trunc round fma sqrt
	inverseSqrt exp2 log2 sin cos dpdx dpdy firstLeadingBit countOneBits textureSample textureSampleBias textureSampleLevel textureSampleGrad
	textureSampleCompare textureLoad textureDimensions textureNumLayers workgroupBarrier storageBarrier parts`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
