package feed_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
)

// A table in parts is written as one, in each format.
func TestTableWriter(t *testing.T) {
	f32, u32 := isa.Type{Kind: isa.Float, Bits: 32, Lanes: 1}, isa.Type{Kind: isa.Unsigned, Bits: 32, Lanes: 1}
	table := feed.Table{Name: "vertices", Row: "vertex", Columns: []feed.Column{{Name: "pos", Type: f32, Components: []string{"x", "y"}}, {Name: "n", Type: u32}}}
	parts := []feed.Table{table, table}
	parts[0].Rows = [][]uint64{{0x3f800000, 0xc0200000, 7}}
	parts[1].Rows, parts[1].First = [][]uint64{{0x7fc00000, 0, 0xffffffff}}, 1
	for _, row := range []struct {
		format string
		bits   bool
		want   string
	}{
		{"table", false, "vertex  pos.x  pos.y  n\n0       1      -2.5   7\n1       NaN    0      4294967295\n"},
		{"csv", false, "vertex,pos.x,pos.y,n\n0,1,-2.5,7\n1,NaN,0,4294967295\n"},
		{"csv", true, "vertex,pos.x,pos.y,n\n0,0x3f800000,0xc0200000,0x00000007\n1,0x7fc00000,0x00000000,0xffffffff\n"},
		{"json", false, "[\n  {\"pos\": [1, -2.5], \"n\": 7},\n  {\"pos\": [\"NaN\", 0], \"n\": 4294967295}\n]\n"},
		{"raw", false, "\x00\x00\x80\x3f\x00\x00\x20\xc0\x07\x00\x00\x00\x00\x00\xc0\x7f\x00\x00\x00\x00\xff\xff\xff\xff"},
	} {
		var out strings.Builder
		opened := 0
		w := &feed.TableWriter{Format: row.format, Bits: row.bits, Open: func() (io.Writer, error) { opened++; return &out, nil }}
		for i := range parts {
			if err := w.Part(&parts[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Whole(nil); err != nil || out.String() != row.want || opened != 1 {
			t.Errorf("%s: %v, opened %d times, %q, want %q", row.format, err, opened, out.String(), row.want)
		}
	}
}

// full takes some bytes.
type full struct{ left int }

func (f *full) Write(data []byte) (int, error) {
	if f.left -= len(data); f.left < 0 {
		return 0, errFull
	}
	return len(data), nil
}

var errFull = errors.New("full")

// A destination that fails ends the writing, in each format and after any number of bytes.
func TestTableWriterFails(t *testing.T) {
	tables := []feed.Table{{Name: "a", Row: "r", Columns: []feed.Column{{Name: "n", Type: isa.Type{Kind: isa.Unsigned, Bits: 32, Lanes: 1}}}, Rows: [][]uint64{{1}, {2}}}}
	tables = append(tables, tables[0])
	for _, format := range feed.Formats {
		for bytes := range 16 {
			w := &feed.TableWriter{Format: format, Open: func() (io.Writer, error) { return &full{bytes}, nil }}
			if err := w.Whole(tables); !errors.Is(err, errFull) {
				t.Errorf("%s, %d bytes: %v", format, bytes, err)
			}
		}
	}
}
