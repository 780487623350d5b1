package launch

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/jsontext"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/textfile"
	"github.com/isago/isago/isa"
)

// types are the names of the types of arguments and of the elements of arrays.
var types = map[string]isa.Type{
	"u8": unsigned(8), "u16": unsigned(16), "u32": unsigned(32), "u64": unsigned(64),
	"s8": signed(8), "s16": signed(16), "s32": signed(32), "s64": signed(64),
	"f16": float(16), "f32": float(32), "f64": float(64),
	"int": signed(32), "uint": unsigned(32), "float": float(32), "double": float(64), "b32": unsigned(32),
	rgba: unsigned(32),
}

// rgba is the name of the type of colours: red, green, blue and alpha in a byte each.
const rgba = "rgba"

func unsigned(bits int) isa.Type { return isa.Type{Kind: isa.Unsigned, Bits: bits, Lanes: 1} }
func signed(bits int) isa.Type   { return isa.Type{Kind: isa.Signed, Bits: bits, Lanes: 1} }
func float(bits int) isa.Type    { return isa.Type{Kind: isa.Float, Bits: bits, Lanes: 1} }

// value is the value of an argument: a number or an array.
type value struct {
	typ   isa.Type
	typed bool // typ is said, not guessed
	array bool
	data  []byte
}

func (v *value) count() int { return len(v.data) / (v.typ.Bits / 8) }

// put appends a component.
func put(data []byte, t isa.Type, v uint64) []byte {
	switch t.Bits {
	case 8:
		return append(data, byte(v))
	case 16:
		return binary.LittleEndian.AppendUint16(data, uint16(v))
	case 32:
		return binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(data, v)
}

// get returns component i.
func get(data []byte, t isa.Type, i int) uint64 {
	switch t.Bits {
	case 8:
		return uint64(data[i])
	case 16:
		return uint64(binary.LittleEndian.Uint16(data[2*i:]))
	case 32:
		return uint64(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return binary.LittleEndian.Uint64(data[8*i:])
}

// number reads a number of a type, or its bits after 0x.
func number(text string, t isa.Type) (uint64, error) {
	text = strings.TrimSpace(text)
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		v, err := strconv.ParseUint(digits, 16, 64)
		if err != nil || t.Bits < 64 && v>>uint(t.Bits) != 0 {
			return 0, fmt.Errorf("%q, expected a hexadecimal number of at most %d bits", text, t.Bits)
		}
		return v, nil
	}
	v, err := uint64(0), error(nil)
	switch t.Kind {
	case isa.Float:
		v, err = exec.Parse(text, t)
	default: // C takes -1 for the largest number without a sign
		var n int64
		if n, err = strconv.ParseInt(text, 0, t.Bits); err != nil && t.Kind == isa.Unsigned {
			v, err = strconv.ParseUint(text, 0, t.Bits)
		} else {
			v = uint64(n) & (math.MaxUint64 >> uint(64-t.Bits))
		}
	}
	if err != nil {
		return 0, fmt.Errorf("%q, expected a number of type %s", text, t)
	}
	return v, nil
}

// guess returns the type of numbers without a type: integers are s32, or u32 if one is too large for s32; others are
// f32.
func guess(texts []string) isa.Type {
	t := signed(32)
	for _, s := range texts {
		s = strings.TrimSpace(s)
		if _, err := strconv.ParseInt(s, 0, 32); err == nil {
			continue
		}
		if _, err := strconv.ParseUint(s, 0, 32); err != nil {
			return float(32)
		}
		t = unsigned(32)
	}
	return t
}

var (
	sized = lazy.Regexp(`^(\w+)\[(\d+)\](?::(\S+))?$`)
	named = lazy.Regexp(`^(\w+):(.*)$`)
)

// parseValue reads an argument: 5, 1.5, 1,2,3, [1,2,3], f32:1,2, f32[1024], f32[1024]:1.5, @file, f32:@file. want is
// the known type, or that of the elements. The value has at most room bytes.
func parseValue(text string, want *isa.Type, room int, file func(string) ([]byte, error)) (*value, error) {
	if m := sized().FindStringSubmatch(text); m != nil {
		return fill(m[1], m[2], m[3], room)
	}
	v := &value{}
	if want != nil {
		v.typ, v.typed = *want, true
	}
	if m := named().FindStringSubmatch(text); m != nil {
		t, ok := types[m[1]]
		if !ok {
			return nil, fmt.Errorf("unknown type %q, expected %s", m[1], typeNames)
		}
		v.typ, v.typed, text = t, true, m[2]
	}
	if name, ok := strings.CutPrefix(text, "@"); ok {
		data, err := file(name)
		if err != nil {
			return nil, err
		}
		v.array = true
		if err := v.read(data, strings.TrimPrefix(filepath.Ext(name), ".")); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return v, nil
	}
	inside, bracketed := strings.CutPrefix(text, "[")
	texts := strings.Split(strings.TrimSuffix(inside, "]"), ",")
	v.array = bracketed || len(texts) > 1
	if len(texts) == 1 && texts[0] == "" && bracketed {
		texts = nil
	}
	return v, v.numbers(texts)
}

const typeNames = "u8, u16, u32, u64, s8, s16, s32, s64, f16, f32, f64 or rgba"

// numbers reads numbers from texts.
func (v *value) numbers(texts []string) error {
	if !v.typed {
		v.typ = guess(texts)
	}
	for _, s := range texts {
		bits, err := number(s, v.typ)
		if err != nil {
			return err
		}
		v.data = put(v.data, v.typ, bits)
	}
	return nil
}

// fullError is the error for a value of too many bytes.
type fullError struct{ size int }

// Error returns the message.
func (e *fullError) Error() string { return fmt.Sprintf("%d bytes", e.size) }

// fill returns an array of so many elements, of at most room bytes: zeros, one value, count (0, 1, 2 and so on) or
// random (from 0 to 1; any integers).
func fill(typ, count, with string, room int) (*value, error) {
	t, ok := types[typ]
	n, err := strconv.Atoi(count)
	if !ok {
		return nil, fmt.Errorf("unknown type %q, expected %s", typ, typeNames)
	}
	if err != nil || n > math.MaxInt/(t.Bits/8) {
		return nil, fmt.Errorf("%s elements, expected a number of elements that memory can hold", count)
	}
	if size := n * (t.Bits / 8); size > room {
		return nil, &fullError{size}
	}
	v := &value{typ: t, typed: true, array: true}
	var each func(i int) uint64
	switch with {
	case "":
		v.data = make([]byte, n*t.Bits/8)
		return v, nil
	case "count":
		each = func(i int) uint64 { return bitsOf(float64(i), t) }
	case "random":
		r := rand.New(rand.NewPCG(1, 2))
		each = func(int) uint64 {
			if t.Kind == isa.Float {
				return bitsOf(r.Float64(), t)
			}
			return r.Uint64()
		}
	default:
		bits, err := number(with, t)
		if err != nil {
			return nil, fmt.Errorf("%w, count or random", err)
		}
		each = func(int) uint64 { return bits }
	}
	for i := range n {
		v.data = put(v.data, t, each(i))
	}
	return v, nil
}

// bitsOf returns a number as a value of a type.
func bitsOf(x float64, t isa.Type) uint64 {
	if t.Kind != isa.Float {
		return uint64(int64(x))
	}
	v, _ := exec.Parse(strconv.FormatFloat(x, 'g', -1, 64), t) // a finite number is one of each type
	return v
}

// read reads an array from a file: numbers as JSON or CSV, or bytes.
func (v *value) read(data []byte, format string) error {
	switch format {
	case "json":
		texts, err := jsontext.Texts(data)
		if err != nil {
			return err
		}
		return v.numbers(texts)
	case "csv":
		texts, err := csvNumbers(data)
		if err != nil {
			return err
		}
		return v.numbers(texts)
	}
	if v.data = data; !v.typed {
		v.typ = unsigned(32)
	}
	if size := v.typ.Bits / 8; len(data)%size != 0 {
		if v.typed {
			return fmt.Errorf("the value has %d bytes, expected a multiple of %d, the size of %s", len(data), size, v.typ)
		}
		v.typ = unsigned(8)
	}
	return nil
}

// csvNumbers reads all fields, line by line, after the heading if there is one.
func csvNumbers(data []byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte(textfile.ByteOrderMark))))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	var texts []string
	for line := 0; ; line++ {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return texts, nil
		}
		if err != nil {
			return nil, err
		}
		if _, err := strconv.ParseFloat(fields[0], 64); line == 0 && err != nil && !strings.HasPrefix(fields[0], "0x") {
			continue // a heading
		}
		texts = append(texts, fields...)
	}
}
