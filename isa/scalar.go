package isa

import (
	"strconv"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// AppendScalar appends the text that a decoder without hooks prints for the value of a field of up
// to 64 bits that is no bitset. strict is that of the description.
//
// It is exported for the packages of this module: its type is internal.
func AppendScalar(dst []byte, ref *model.Ref, v uint64, strict bool) []byte {
	switch ref.Kind {
	case spec.KindFloat:
		return appendFloat(dst, v, ref.Width)
	case spec.KindBranch:
		return strconv.AppendInt(dst, signExtend(v, ref.Width), 10)
	case spec.KindAbsBranch:
		if strict {
			return strconv.AppendInt(dst, int64(v), 10)
		}
		return strconv.AppendInt(dst, signExtend(v, ref.Width), 10)
	}
	return appendConstant(dst, ref, v)
}
