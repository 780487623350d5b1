package launch

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"image"
	"image/color"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/isa"
)

// output is an array to write.
type output struct {
	name string
	typ  *isa.Type
	file string // "" for the table
}

var outForm = lazy.Regexp(`^([^:=]+)(?::(\w+))?(?:=(.*))?$`)

// outputs reads the values of --out.
func (s *session) outputs() ([]output, error) {
	var list []output
	for _, text := range s.req.Options[optOut] {
		m := outForm().FindStringSubmatch(text)
		if m == nil {
			return nil, exec.Optionf("--%s %q, expected NAME, NAME=FILE or NAME:TYPE=FILE", optOut, text)
		}
		o := output{name: m[1], file: m[3]}
		if m[2] != "" {
			t, ok := types[m[2]]
			if !ok {
				return nil, exec.Optionf("--%s %q: unknown type %q, expected %s", optOut, text, m[2], typeNames)
			}
			o.typ = &t
		}
		if s.arrays[o.name] == nil && (s.constantOrVariable(o.name) == nil || s.isConstant(o.name)) {
			return nil, exec.Optionf("--%s: unknown array %q, expected one of %s", optOut, o.name, strings.Join(s.arrayNames(), ", "))
		}
		list = append(list, o)
	}
	return list, nil
}

func (s *session) arrayNames() []string {
	var names []string
	for _, name := range s.order {
		if s.arrays[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// write writes the arrays of --out, or those that changed.
func (s *session) write(out *feed.Outcome, outputs []output) error {
	if len(s.req.Options[optOut]) == 0 {
		for _, name := range s.arrayNames() {
			if a := s.arrays[name]; !bytes.Equal(a.data, a.before) {
				outputs = append(outputs, output{name: name})
			}
		}
	}
	var shown []*array
	for _, o := range outputs {
		a := *s.arrays[o.name]
		if o.typ != nil {
			a.typ = *o.typ
		}
		if o.file == "" {
			shown = append(shown, &a)
			continue
		}
		out.Files = append(out.Files, feed.OutputFile{Name: o.file, Data: encode(&a, o.file)})
	}
	out.Tables = tables(shown)
	return s.draw(out)
}

// tables prints arrays of the same length in one table.
func tables(list []*array) []feed.Table {
	slices.SortStableFunc(list, func(a, b *array) int { return cmp.Compare(a.count(), b.count()) })
	var out []feed.Table
	for i := 0; i < len(list); {
		n := list[i].count()
		t := feed.Table{Row: "element", Rows: make([][]uint64, n)}
		var names []string
		for ; i < len(list) && list[i].count() == n; i++ {
			a := list[i]
			names = append(names, a.name)
			t.Columns = append(t.Columns, feed.Column{Name: a.name, Type: a.typ})
			for k := range n {
				t.Rows[k] = append(t.Rows[k], get(a.data, a.typ, k))
			}
		}
		t.Name = strings.Join(names, ", ")
		out = append(out, t)
	}
	return out
}

func (a *array) count() int { return len(a.data) / (a.typ.Bits / 8) }

// encode returns an array in the format of the file's suffix: numbers as JSON or CSV, otherwise bytes.
func encode(a *array, file string) []byte {
	suffix := strings.ToLower(filepath.Ext(file))
	if suffix != ".json" && suffix != ".csv" {
		return a.data
	}
	texts := make([]string, a.count())
	for i := range texts {
		texts[i] = exec.Format(get(a.data, a.typ, i), a.typ)
	}
	var buf bytes.Buffer
	if suffix == ".csv" {
		w := csv.NewWriter(&buf)
		_ = w.Write([]string{a.name}) // a buffer takes all
		for _, t := range texts {
			_ = w.Write([]string{t})
		}
		w.Flush()
		return buf.Bytes()
	}
	for i, t := range texts {
		if _, err := strconv.ParseFloat(t, 64); err != nil || strings.ContainsAny(t, "NI") {
			texts[i] = strconv.Quote(t) // JSON has no such number
		}
	}
	return []byte("[" + strings.Join(texts, ", ") + "]\n")
}

var pictureForm = lazy.Regexp(`^(\w+):(\d+)x(\d+)$`)

// draw draws the picture of --picture: colours unchanged, numbers in grey, from the smallest to the largest.
func (s *session) draw(out *feed.Outcome) error {
	text := last(s.req.Options[optPicture], "")
	if text == "" {
		return nil
	}
	m := pictureForm().FindStringSubmatch(text)
	if m == nil || s.arrays[m[1]] == nil {
		return exec.Optionf("--%s %q, expected ARRAY:WIDTHxHEIGHT, where ARRAY is one of %s", optPicture, text, strings.Join(s.arrayNames(), ", "))
	}
	a := s.arrays[m[1]]
	width, _ := strconv.Atoi(m[2]) // digits, and too many of them give the largest number
	height, _ := strconv.Atoi(m[3])
	if width == 0 || height == 0 || width > a.count() || height > a.count() || width*height > a.count() {
		return exec.Optionf("--%s %q, but %s has %d elements", optPicture, text, a.name, a.count())
	}
	at := a.grey
	if a.rgba {
		at = func() func(i int) color.NRGBA { return a.colour }
	}
	pixel := at()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		img.SetNRGBA(i%width, i/width, pixel(i))
	}
	out.Picture = img
	return nil
}

func (a *array) colour(i int) color.NRGBA {
	v := uint32(get(a.data, a.typ, i))
	return color.NRGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), uint8(v >> 24)}
}

// grey returns the grey values of elements.
func (a *array) grey() func(i int) color.NRGBA {
	value := func(i int) float64 {
		x, _ := strconv.ParseFloat(exec.Format(get(a.data, a.typ, i), a.typ), 64) // a number, or 0
		return x
	}
	low, high := value(0), value(0)
	for i := range a.count() {
		low, high = min(low, value(i)), max(high, value(i))
	}
	if high == low {
		high = low + 1
	}
	return func(i int) color.NRGBA {
		y := uint8(255 * (value(i) - low) / (high - low))
		return color.NRGBA{y, y, y, 255}
	}
}
