package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/isa"
)

// param is a parameter of a kernel.
type param struct {
	name    string
	pointer bool
	// typ is the type of the number, or of the elements of a pointer, if known is set; count is the number of
	// numbers.
	typ   isa.Type
	known bool
	count int
}

var (
	paramForm  = lazy.Regexp(`^(\w+):(.+)$`)
	vectorForm = lazy.Regexp(`^(\w+?)x(\d+)$`)
)

// parseParams reads the value of --params: NAME:TYPE for each, separated by blanks or commas.
func parseParams(text string) ([]param, error) {
	var list []param
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' }) {
		m := paramForm().FindStringSubmatch(word)
		if m == nil {
			return nil, fmt.Errorf("invalid parameter %q, expected NAME:TYPE", word)
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
		return fmt.Errorf("unknown type %q, expected ptr, ptr:f32, f32* or f32x4, of %s", text, typeNames)
	}
	return nil
}

// size returns the bytes of a parameter, and its alignment.
func (p *param) size(pointer int) (size, align int) {
	if p.pointer {
		return pointer, pointer
	}
	each := p.typ.Bits / 8
	align = each
	if p.count == 2 || p.count == 4 {
		align = min(each*p.count, 16)
	}
	return each * p.count, align
}

// Parameters returns the parameters of --params. The elements of a pointer without a type are u32.
func (s *session) Parameters() ([]feed.Parameter, error) {
	if _, said := s.req.Options[optParams]; !said {
		return nil, exec.Optionf("the parameters of the kernel have no names: name them with the option %s, such as x:ptr:f32 n:s32", optParams)
	}
	var list []feed.Parameter
	for _, p := range s.params {
		x := feed.Parameter{Name: p.name, Pointer: p.pointer, Type: p.typ, Count: p.count}
		if !p.known {
			x.Type = types["u32"]
		}
		list = append(list, x)
	}
	return list, nil
}

// place returns the start and the end of the parameters of a call, in bytes after the start of the first. The file
// may contain the places of parameters whose types the user did not give.
func (c *call) place(pointer int) (at []int, end int) {
	at = make([]int, len(c.params))
	stated := !c.said && len(c.kernel.Parameters) == len(c.params)
	for i := range c.params {
		size, align := c.params[i].size(pointer)
		at[i] = (end + align - 1) / align * align
		if stated {
			at[i] = c.kernel.Parameters[i].Offset
		}
		end = at[i] + size
	}
	return at, end
}

// The sizes of a pointer among parameters, in bytes: those of hosts of 32 and of 64 bits.
var pointerSizes = []int{4, 8}

// pointerSize returns the size of a pointer: that of the option or the file, or else the size with which the
// parameters of all calls fit the declared shared memory of their kernels. All kernels of a file have the same host.
// It returns an error that asks for the option if several sizes fit and a parameter moves between them, or if no size
// fits.
func (s *session) pointerSize(calls []call) (int, error) {
	stated := s.module.PointerSize
	if text := last(s.req.Options[optPointer], ""); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || !slices.Contains(pointerSizes, n) {
			return 0, exec.Optionf("--%s %q, expected 4 or 8 bytes", optPointer, text)
		}
		if stated != 0 && stated != n {
			return 0, exec.Optionf("--%s %d, but pointers in the file have %d bytes", optPointer, n, stated)
		}
		return n, nil
	}
	if stated != 0 {
		return stated, nil
	}
	fitting := pointerSizes
	for i := range calls {
		c := &calls[i]
		if !slices.ContainsFunc(pointerSizes, c.fits) {
			if err := c.misfit(); err != nil {
				return 0, err
			}
			continue
		}
		left := slices.DeleteFunc(slices.Clone(fitting), func(n int) bool { return !c.fits(n) })
		if len(left) == 0 {
			return 0, exec.Optionf("the parameters of kernel %s do not fit its shared memory with pointers of %d bytes, the only size that fits the earlier kernels: check --%s, or choose with --%s",
				c.kernel.Name, fitting[0], optCall, optPointer)
		}
		fitting = left
	}
	if len(fitting) == 1 {
		return fitting[0], nil
	}
	for i := range calls {
		if err := calls[i].ambiguous(); err != nil {
			return 0, err
		}
	}
	return pointerSizes[0], nil // all sizes give the same places
}

// fits reports whether parameters with pointers of a size fit the declared shared memory of the kernel, which is
// the sizes of the grid and of a block, the parameters, and variables. A size that leaves no byte to variables wins.
func (c *call) fits(pointer int) bool {
	room := c.kernel.Shared - c.places.start()
	if c.kernel.Shared == 0 {
		return true // the file does not say
	}
	_, end := c.place(pointer)
	for _, n := range pointerSizes {
		if _, other := c.place(n); other == room {
			return end == room
		}
	}
	return end <= room
}

// moved returns the first parameter whose place depends on the size of a pointer, with its places; i is -1 if there
// is none.
func (c *call) moved() (i int, places [2]int) {
	small, _ := c.place(pointerSizes[0])
	large, _ := c.place(pointerSizes[1])
	for i := range small {
		if small[i] != large[i] {
			return i, [2]int{small[i], large[i]}
		}
	}
	return -1, places
}

// ambiguous returns the error for a call with a parameter whose place depends on the size of a pointer, or nil.
func (c *call) ambiguous() error {
	i, at := c.moved()
	if i < 0 {
		return nil
	}
	why := fmt.Sprintf("both fit the %d bytes of shared memory that the kernel declares", c.kernel.Shared)
	if c.kernel.Shared == 0 {
		why = "the file does not have the size of the kernel's shared memory"
	}
	return exec.Optionf("kernel %s: parameter %s is at %s with pointers of 4 bytes and at %s with pointers of 8, and %s: choose with --%s 4 (a 32-bit host) or --%[6]s 8 (a 64-bit host)",
		c.kernel.Name, c.params[i].name, c.places.at(c.places.start()+at[0]), c.places.at(c.places.start()+at[1]), why, optPointer)
}

// misfit returns the error of ambiguous for a call whose parameters do not fit the declared shared memory with any size.
func (c *call) misfit() error {
	if i, _ := c.moved(); i < 0 {
		return nil
	}
	_, small := c.place(pointerSizes[0])
	_, large := c.place(pointerSizes[1])
	return exec.Optionf("kernel %s declares %d bytes of shared memory, and its parameters end at %d with pointers of 4 bytes and at %d with pointers of 8: check the parameters, or choose with --%s 4 or --%[5]s 8",
		c.kernel.Name, c.kernel.Shared, c.places.start()+small, c.places.start()+large, optPointer)
}
