package spirv

import "github.com/isago/isago/internal/shade"

// typeID returns a type.
func (m *module) typeID(t shade.Type) id {
	switch {
	case t.Len < 0:
		m.fail("an array of any length outside of a storage buffer")
		return 0
	case t.Len > 0:
		return m.declare(opTypeArray, uint32(m.typeID(t.Elem())), uint32(m.number(uint32(t.Len))))
	case t.N > 1:
		return m.declare(opTypeVector, uint32(m.typeID(t.Scalar())), uint32(t.N))
	}
	switch t.Kind {
	case shade.Void:
		return m.declare(opTypeVoid)
	case shade.Bool:
		return m.declare(opTypeBool)
	case shade.Texture:
		return m.declare(opTypeSampledImage, uint32(m.image(t)))
	}
	switch {
	case t.Width == 64 && t.Kind == shade.Float:
		m.capability(capabilityFloat64)
	case t.Width == 64:
		m.capability(capabilityInt64)
	case t.Width != 32:
		m.fail("numbers of %d bits", t.Width)
	}
	if t.Kind == shade.Float {
		return m.declare(opTypeFloat, uint32(t.Width))
	}
	return m.declare(opTypeInt, uint32(t.Width), flag(t.Kind == shade.Int))
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// image returns the type of the image of a texture.
func (m *module) image(t shade.Type) id {
	dim := map[shade.Dim]uint32{shade.Dim1: 0, shade.Dim2: 1, shade.Dim3: 2, shade.Cube: 3}
	switch {
	case t.Dim == shade.Dim1:
		m.capability(capabilitySampled1D)
	case t.Dim == shade.Cube && t.Arrayed:
		m.capability(capabilitySampledCubeArray)
	}
	texel := m.typeID(shade.Type{Kind: t.Of, Width: 32})
	return m.declare(opTypeImage, uint32(texel), dim[t.Dim], flag(t.Shadow), flag(t.Arrayed), 0, imageSampled, imageFormatUnknown)
}

// pointer returns the type of pointers to values of a type.
func (m *module) pointer(storage uint32, to id) id {
	return m.declare(opTypePointer, storage, uint32(to))
}

// strided returns the type of arrays whose elements are a number of bytes apart. A length of -1 is any length.
func (m *module) strided(t shade.Type, stride int) id {
	elem := uint32(m.typeID(t.Elem()))
	var x id
	if t.Len < 0 {
		x = m.distinct(opTypeRuntimeArray, elem)
	} else {
		x = m.distinct(opTypeArray, elem, uint32(m.number(uint32(t.Len))))
	}
	m.decorate(x, decorationArrayStride, uint32(stride))
	return x
}

// number returns a constant uint.
func (m *module) number(n uint32) id { return m.constant(opConstant, m.typeID(shade.U32), n) }

// scalar returns the constant with the given bits.
func (m *module) scalar(t shade.Type, bits uint64) id {
	of := m.typeID(t)
	switch {
	case t.Kind == shade.Bool && bits != 0:
		return m.constant(opConstantTrue, of)
	case t.Kind == shade.Bool:
		return m.constant(opConstantFalse, of)
	case t.Width == 64:
		return m.constant(opConstant, of, uint32(bits), uint32(bits>>32))
	}
	return m.constant(opConstant, of, uint32(bits))
}

// value returns the constant of a scalar, vector or array with the given bits of its components.
func (m *module) value(t shade.Type, bits []uint64) id {
	n, part := 0, t.Scalar()
	switch {
	case t.Len > 0:
		n, part = t.Len, t.Elem()
	case t.N > 1:
		n = int(t.N)
	}
	if per := part.Count(); len(bits) != max(1, n)*per {
		m.fail("a constant of %d components for %d", len(bits), max(1, n)*per)
		return 0
	}
	if n == 0 {
		return m.scalar(t, bits[0])
	}
	var parts []uint32
	for k := 0; k < len(bits); k += part.Count() {
		parts = append(parts, uint32(m.value(part, bits[k:k+part.Count()])))
	}
	return m.constant(opConstantComposite, m.typeID(t), parts...)
}
