package view_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/view"
)

// twoLengths is a machine whose instructions have 16 or 48 bits, so that pieces end inside of some.
const twoLengths = `<isa name="two" strict="true"><doc>D.</doc>
<bitset name="#instruction" size="16"><doc>D.</doc></bitset>
<bitset name="short" extends="#instruction"><doc>D.</doc><display>{NAME} {A}</display>
  <pattern low="15" high="15">0</pattern><field name="A" low="0" high="14" type="branch"><doc>D.</doc></field></bitset>
<bitset name="long" extends="#instruction" size="48"><doc>D.</doc><display>{NAME} {A}, {B}</display>
  <pattern low="15" high="15">1</pattern>
  <field name="A" low="0" high="14" type="branch" call="true"><doc>D.</doc></field>
  <field name="B" low="16" high="47" type="hex"><doc>D.</doc></field></bitset>
</isa>`

// A stream prints what a listing of the whole prints, on any number of goroutines.
func TestStream(t *testing.T) {
	two, err := isa.Load(fstest.MapFS{"two.xml": {Data: []byte(twoLengths)}}, "two.xml", isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	five, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	data := make([]byte, 150<<10+2)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for _, set := range []*isa.Set{two, five} {
		for _, bare := range []bool{false, true} {
			want, found := whole(t, set, data, bare)
			for _, workers := range []int{1, 3} {
				got, n := streamed(t, set, data, bare, workers)
				if got != want || n != found {
					t.Errorf("%s, bare %v, %d workers: %d bytes and %d findings, want %d and %d", set.Name(), bare, workers, len(got), n, len(want), found)
				}
			}
		}
	}
}

func listingOf(t *testing.T, set *isa.Set, bare bool) *view.Listing {
	t.Helper()
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	return &view.Listing{Decoder: d, Bare: bare, Addresses: true}
}

var streamEntries = []program.Entry{{Addr: 0, Name: "main"}}

func whole(t *testing.T, set *isa.Set, data []byte, bare bool) (string, int) {
	t.Helper()
	l := listingOf(t, set, bare)
	var err error
	if l.Image, err = program.Raw(l.Decoder.Root(), data); err != nil {
		t.Fatal(err)
	}
	l.Image.Entries = streamEntries
	var out bytes.Buffer
	n, err := l.Write(bufio.NewWriter(&out))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), n
}

func streamed(t *testing.T, set *isa.Set, data []byte, bare bool, workers int) (string, int) {
	t.Helper()
	s := view.Stream{In: bytes.NewReader(data), Size: int64(len(data)), Entries: streamEntries, Workers: workers}
	s.New = func(*program.Labels) (*view.Listing, error) { return listingOf(t, set, bare), nil }
	var out bytes.Buffer
	n, err := s.Write(t.Context(), bufio.NewWriter(&out))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), n
}

// A file that is shorter than it said is told of.
func TestStreamShort(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	s := view.Stream{In: bytes.NewReader(make([]byte, 10)), Size: 20, Workers: 2}
	s.New = func(*program.Labels) (*view.Listing, error) { return listingOf(t, set, true), nil }
	if _, err := s.Write(t.Context(), bufio.NewWriter(&bytes.Buffer{})); err == nil {
		t.Error("no error")
	}
}

// cutShort is code that ends a context when it is read beyond a place.
type cutShort struct {
	at     int64
	cancel func()
}

func (c *cutShort) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > c.at {
		c.cancel()
	}
	clear(p)
	return len(p), nil
}

// A stream ends with its context, though there is as much code as there can be: in the pass for labels, in that which prints,
// and where somebody else works on it.
func TestStreamEndsWithItsContext(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(isa.Explain(err))
	}
	const size = 1 << 26
	for name, run := range map[string]func(ctx context.Context, s *view.Stream) error{
		"a listing": func(ctx context.Context, s *view.Stream) error {
			s.New = func(*program.Labels) (*view.Listing, error) { return listingOf(t, set, true), nil }
			_, err := s.Write(ctx, bufio.NewWriter(io.Discard))
			return err
		},
		"a listing with labels": func(ctx context.Context, s *view.Stream) error {
			s.New = func(*program.Labels) (*view.Listing, error) { return listingOf(t, set, false), nil }
			_, err := s.Write(ctx, bufio.NewWriter(io.Discard))
			return err
		},
		"pieces": func(ctx context.Context, s *view.Stream) error {
			s.New = func(*program.Labels) (*view.Listing, error) { return listingOf(t, set, true), nil }
			return view.EachPiece(ctx, s, func() func(*view.Listing) int { return func(*view.Listing) int { return 0 } }, func(int, int64) error { return nil })
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		err := run(ctx, &view.Stream{In: &cutShort{1 << 20, cancel}, Size: size, Workers: 2})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}
