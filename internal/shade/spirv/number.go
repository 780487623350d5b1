package spirv

import "github.com/isago/isago/internal/shade"

// The numbers are those of the SPIR-V specification, version 1.6 unified (https://registry.khronos.org/SPIR-V/specs/unified1/):
// section 3, Binary Form, and for the extended instructions GLSL.std.450.html, section 2.

// The words of the header. The generator 0 is that of tools without a number.
const (
	magic     = 0x07230203
	version   = 0x00010300 // 1.3
	generator = 0
)

// Instructions.
const (
	opSourceContinued            = 2
	opSource                     = 3
	opName                       = 5
	opMemberName                 = 6
	opString                     = 7
	opLine                       = 8
	opExtension                  = 10
	opExtInstImport              = 11
	opExtInst                    = 12
	opMemoryModel                = 14
	opEntryPoint                 = 15
	opExecutionMode              = 16
	opCapability                 = 17
	opTypeVoid                   = 19
	opTypeBool                   = 20
	opTypeInt                    = 21
	opTypeFloat                  = 22
	opTypeVector                 = 23
	opTypeImage                  = 25
	opTypeSampledImage           = 27
	opTypeArray                  = 28
	opTypeRuntimeArray           = 29
	opTypeStruct                 = 30
	opTypePointer                = 32
	opTypeFunction               = 33
	opConstantTrue               = 41
	opConstantFalse              = 42
	opConstant                   = 43
	opConstantComposite          = 44
	opSpecConstant               = 50
	opSpecConstantComposite      = 51
	opFunction                   = 54
	opFunctionParameter          = 55
	opFunctionEnd                = 56
	opFunctionCall               = 57
	opVariable                   = 59
	opLoad                       = 61
	opStore                      = 62
	opAccessChain                = 65
	opDecorate                   = 71
	opMemberDecorate             = 72
	opVectorShuffle              = 79
	opCompositeConstruct         = 80
	opCompositeExtract           = 81
	opImageSampleImplicitLod     = 87
	opImageSampleExplicitLod     = 88
	opImageSampleDrefImplicitLod = 89
	opImageSampleDrefExplicitLod = 90
	opImageFetch                 = 95
	opImage                      = 100
	opImageQuerySizeLod          = 103
	opConvertFToU                = 109
	opConvertFToS                = 110
	opConvertSToF                = 111
	opConvertUToF                = 112
	opUConvert                   = 113
	opSConvert                   = 114
	opFConvert                   = 115
	opBitcast                    = 124
	opSNegate                    = 126
	opFNegate                    = 127
	opIAdd                       = 128
	opFAdd                       = 129
	opISub                       = 130
	opFSub                       = 131
	opIMul                       = 132
	opFMul                       = 133
	opUDiv                       = 134
	opSDiv                       = 135
	opFDiv                       = 136
	opUMod                       = 137
	opAny                        = 154
	opAll                        = 155
	opLogicalEqual               = 164
	opLogicalNotEqual            = 165
	opLogicalOr                  = 166
	opLogicalAnd                 = 167
	opLogicalNot                 = 168
	opSelect                     = 169
	opIEqual                     = 170
	opINotEqual                  = 171
	opUGreaterThan               = 172
	opSGreaterThan               = 173
	opUGreaterThanEqual          = 174
	opSGreaterThanEqual          = 175
	opULessThan                  = 176
	opSLessThan                  = 177
	opULessThanEqual             = 178
	opSLessThanEqual             = 179
	opFOrdEqual                  = 180
	opFUnordNotEqual             = 183
	opFOrdLessThan               = 184
	opFOrdGreaterThan            = 186
	opFOrdLessThanEqual          = 188
	opFOrdGreaterThanEqual       = 190
	opShiftRightLogical          = 194
	opShiftRightArithmetic       = 195
	opShiftLeftLogical           = 196
	opBitwiseOr                  = 197
	opBitwiseXor                 = 198
	opBitwiseAnd                 = 199
	opNot                        = 200
	opBitCount                   = 205
	opAtomicCompareExchange      = 230
	opArrayLength                = 68
	opDPdx                       = 207
	opDPdy                       = 208
	opEmitVertex                 = 218
	opEndPrimitive               = 219
	opControlBarrier             = 224
	opLoopMerge                  = 246
	opSelectionMerge             = 247
	opLabel                      = 248
	opBranch                     = 249
	opBranchConditional          = 250
	opSwitch                     = 251
	opKill                       = 252
	opReturn                     = 253
	opReturnValue                = 254
	opUnreachable                = 255
)

// Capabilities.
const (
	capabilityShader                   = 1
	capabilityGeometry                 = 2
	capabilityFloat64                  = 10
	capabilityInt64                    = 11
	capabilityGeometryPointSize        = 24
	capabilityClipDistance             = 32
	capabilitySampleRateShading        = 35
	capabilitySampled1D                = 43
	capabilitySampledCubeArray         = 45
	capabilityImageQuery               = 50
	capabilityMultiViewport            = 57
	capabilityShaderViewportIndexLayer = 5254
	// capabilityOfControl is added to the number of an execution mode of SPV_KHR_float_controls.
	capabilityOfControl = 5
)

// Execution models, by stage.
const (
	modelVertex    = 0
	modelGeometry  = 3
	modelFragment  = 4
	modelGLCompute = 5
)

// Execution modes.
const (
	modeInvocations             = 0
	modeOriginUpperLeft         = 7
	modeEarlyFragmentTests      = 9
	modeDepthReplacing          = 12
	modeLocalSize               = 17
	modeInputPoints             = 19
	modeInputLines              = 20
	modeInputLinesAdjacency     = 21
	modeTriangles               = 22
	modeInputTrianglesAdjacency = 23
	modeOutputVertices          = 26
	modeOutputPoints            = 27
	modeOutputLineStrip         = 28
	modeOutputTriangleStrip     = 29
)

// Storage classes.
const (
	storageUniformConstant = 0
	storageInput           = 1
	storageUniform         = 2
	storageOutput          = 3
	storageWorkgroup       = 4
	storagePrivate         = 6
	storageFunction        = 7
	storagePushConstant    = 9
	storageStorageBuffer   = 12
)

// Decorations.
const (
	decorationSpecID        = 1
	decorationBlock         = 2
	decorationArrayStride   = 6
	decorationBuiltIn       = 11
	decorationNoPerspective = 13
	decorationFlat          = 14
	decorationCentroid      = 16
	decorationNonWritable   = 24
	decorationNonReadable   = 25
	decorationLocation      = 30
	decorationBinding       = 33
	decorationDescriptorSet = 34
	decorationOffset        = 35
	decorationNoContraction = 42
)

// Builtins.
var builtins = map[shade.Builtin]uint32{
	shade.Position:         0,
	shade.PointSize:        1,
	shade.ClipDistance:     3,
	shade.PrimitiveID:      7,
	shade.Layer:            9,
	shade.ViewportIndex:    10,
	shade.FragCoord:        15,
	shade.PointCoord:       16,
	shade.FrontFacing:      17,
	shade.SampleID:         18,
	shade.FragDepth:        22,
	shade.HelperInvocation: 23,
	shade.NumWorkgroups:    24,
	shade.WorkgroupSize:    25,
	shade.WorkgroupID:      26,
	shade.LocalID:          27,
	shade.GlobalID:         28,
	shade.LocalIndex:       29,
	shade.VertexIndex:      42,
	shade.InstanceIndex:    43,
}

// Other numbers.
const (
	addressingLogical = 0
	memoryGLSL450     = 1
	languageUnknown   = 0

	operandBias = 1
	operandLod  = 2
	operandGrad = 4

	scopeDevice        = 1
	scopeWorkgroup     = 2
	semanticsOfBarrier = 0x8 | 0x40 | 0x100 // AcquireRelease, UniformMemory, WorkgroupMemory
	imageFormatUnknown = 0
	imageSampled       = 1
)

// Extended instructions of GLSL.std.450.
const (
	glslRoundEven   = 2
	glslTrunc       = 3
	glslFAbs        = 4
	glslSAbs        = 5
	glslFloor       = 8
	glslCeil        = 9
	glslSin         = 13
	glslCos         = 14
	glslExp2        = 29
	glslLog2        = 30
	glslSqrt        = 31
	glslInverseSqrt = 32
	glslFMin        = 37
	glslUMin        = 38
	glslSMin        = 39
	glslFMax        = 40
	glslUMax        = 41
	glslSMax        = 42
	glslFma         = 50
	glslFindUMsb    = 75
)
