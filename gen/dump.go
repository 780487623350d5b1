package gen

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/isago/isago/internal/spec"
)

// dump writes down all that makes a function what it is, but for its name and its documentation: two that are
// written alike are the same.
func dump(f *Func) string {
	var b strings.Builder
	d := dumper{&b}
	fmt.Fprintf(&b, "%d ", f.Kind)
	for _, part := range []any{f.Body, f.Eval, f.Tree, f.Root, f.Match, f.Shows} {
		d.value(reflect.ValueOf(part))
	}
	return b.String()
}

type dumper struct{ b *strings.Builder }

func (d dumper) value(v reflect.Value) {
	if !v.IsValid() {
		d.b.WriteString("- ")
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		d.pointer(v)
	case reflect.Struct:
		d.b.WriteString("{")
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				fmt.Fprintf(d.b, "%d:", i)
				d.value(v.Field(i))
			}
		}
		d.b.WriteString("}")
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(d.b, "[%d ", v.Len())
		for i := range v.Len() {
			d.value(v.Index(i))
		}
		d.b.WriteString("]")
	case reflect.String:
		fmt.Fprintf(d.b, "%q ", v.String())
	case reflect.Bool:
		fmt.Fprintf(d.b, "%t ", v.Bool())
	case reflect.Uint64, reflect.Uint8, reflect.Uint32:
		fmt.Fprintf(d.b, "%d ", v.Uint())
	default:
		fmt.Fprintf(d.b, "%d ", v.Int())
	}
}

// pointer writes what is pointed to, but for what is one thing of the program: its place does there.
func (d dumper) pointer(v reflect.Value) {
	if v.IsNil() {
		d.b.WriteString("nil ")
		return
	}
	switch x := v.Interface().(type) {
	case *Func:
		d.b.WriteString(x.Name + " ")
	case *string:
		fmt.Fprintf(d.b, "%q ", *x)
	case *spec.Pattern:
		fmt.Fprintf(d.b, "%d %d %v %v ", x.Low, x.High, x.Match, x.Mask)
	case *Root, *Leaf, *Enum, *spec.Context, *spec.Table:
		fmt.Fprintf(d.b, "%p ", x)
	default:
		d.value(v.Elem())
	}
}
