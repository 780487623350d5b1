package launch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/target/tesla"
)

// param is a parameter of a kernel.
type param struct {
	name    string
	pointer bool
	// typ is that of the number, or of what is pointed to, if known says so; count is how many numbers there are.
	typ   sem.Type
	known bool
	count int
}

var (
	paramForm  = lazy.Regexp(`^(\w+):(.+)$`)
	vectorForm = lazy.Regexp(`^(\w+?)x(\d+)$`)
)

// parseParams reads what --params says: NAME:TYPE for each, with blanks or commas between.
func parseParams(text string) ([]param, error) {
	var list []param
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' }) {
		m := paramForm().FindStringSubmatch(word)
		if m == nil {
			return nil, fmt.Errorf("%q, expected NAME:TYPE", word)
		}
		p := param{name: m[1], count: 1}
		if err := p.parseType(m[2]); err != nil {
			return nil, err
		}
		for _, q := range list {
			if q.name == p.name {
				return nil, fmt.Errorf("two parameters are called %s", p.name)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// parseType reads ptr, ptr:f32, f32*, f32, f32x4.
func (p *param) parseType(text string) error {
	elem, starred := strings.CutSuffix(text, "*")
	if rest, ok := strings.CutPrefix(text, "ptr"); ok {
		p.pointer = true
		if rest == "" {
			return nil
		}
		elem = strings.TrimPrefix(rest, ":")
	}
	p.pointer = p.pointer || starred
	if m := vectorForm().FindStringSubmatch(elem); m != nil && !p.pointer {
		elem = m[1]
		p.count, _ = strconv.Atoi(m[2]) // digits, and too many of them give the largest number
	}
	if p.typ, p.known = types[elem]; !p.known || p.count < 1 || p.count > 64 {
		return fmt.Errorf("no type %q, expected ptr, ptr:f32, f32* or f32x4, of %s", text, typeNames)
	}
	return nil
}

// size returns the bytes that a parameter takes, and of how many its place is a multiple.
func (p *param) size(pointer int) (size, align int) {
	if p.pointer {
		return pointer, pointer
	}
	each := p.typ.Width / 8
	align = each
	if p.count == 2 || p.count == 4 {
		align = min(each*p.count, 16)
	}
	return each * p.count, align
}

// place returns where the parameters of a kernel stand, in bytes behind the first. Of parameters whose types were
// not said the file may know better.
func place(k *tesla.Kernel, list []param, said bool, pointer int) []int {
	at := make([]int, len(list))
	next := 0
	for i := range list {
		size, align := list[i].size(pointer)
		next = (next + align - 1) / align * align
		at[i] = next
		next += size
	}
	if !said && len(k.Parameters) == len(list) {
		for i, p := range k.Parameters {
			at[i] = p.Offset
		}
	}
	return at
}
