package view_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/view"
)

// twoLengths is a machine with instructions of 16 and 48 bits, so that pieces end inside some.
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
		t.Fatal(diag.Render(err))
	}
	five, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
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

// A file shorter than its stated size is an error.
func TestStreamShort(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	s := view.Stream{In: bytes.NewReader(make([]byte, 10)), Size: 20, Workers: 2}
	s.New = func(*program.Labels) (*view.Listing, error) { return listingOf(t, set, true), nil }
	if _, err := s.Write(t.Context(), bufio.NewWriter(&bytes.Buffer{})); err == nil {
		t.Error("no error")
	}
}

// readUntil counts the bytes that are read before the first ones are written.
type readUntil struct {
	io.ReaderAt
	read, before atomic.Int64
}

func (r *readUntil) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.read.Add(int64(n))
	return n, err
}

func (r *readUntil) Write(p []byte) (int, error) {
	r.before.CompareAndSwap(0, r.read.Load())
	return len(p), nil
}

// Without labels the first lines are printed when a few pieces have been read; labels need all of the code first.
func TestStreamStartsAtOnce(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	const size = 10 << 17 // ten pieces
	for _, unlabelled := range []bool{false, true} {
		in := &readUntil{ReaderAt: bytes.NewReader(make([]byte, size))}
		var told []string
		s := view.Stream{In: in, Size: size, Workers: 1, Unlabelled: unlabelled}
		s.New = func(*program.Labels) (*view.Listing, error) { return listingOf(t, set, false), nil }
		last := int64(-1)
		s.Progress = func(what string, done, all int64) {
			if len(told) == 0 || told[len(told)-1] != what {
				told, last = append(told, what), -1
			}
			if done <= last || all != size {
				t.Errorf("%s: %d of %d bytes after %d of %d", what, done, all, last, size)
			}
			last = done
		}
		if _, err := s.Write(t.Context(), bufio.NewWriter(in)); err != nil {
			t.Fatal(err)
		}
		before, want := in.before.Load(), []string{view.Labelling, view.Printing}
		if unlabelled {
			want = want[1:]
		}
		if unlabelled && before > 6<<17 || !unlabelled && before < size {
			t.Errorf("unlabelled %v: %d bytes were read before the first line", unlabelled, before)
		}
		if !slices.Equal(told, want) || last != size {
			t.Errorf("unlabelled %v: progress %q up to %d, expected %q", unlabelled, told, last, want)
		}
	}
}

// Code without labels has the texts of --plain below the names of its entries.
func TestStreamUnlabelled(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	data := make([]byte, 150<<10)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	list := func(bare, unlabelled bool) string {
		s := view.Stream{In: bytes.NewReader(data), Size: int64(len(data)), Entries: streamEntries, Workers: 2, Unlabelled: unlabelled}
		s.New = func(*program.Labels) (*view.Listing, error) {
			l := listingOf(t, set, bare)
			l.Addresses, l.Quiet = false, true
			return l, nil
		}
		var out bytes.Buffer
		if _, err := s.Write(t.Context(), bufio.NewWriter(&out)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := "main:\n    " + strings.TrimSuffix(strings.ReplaceAll(list(true, false), "\n", "\n    "), "    ")
	if got := list(false, true); got != want {
		t.Errorf("got %.400s\nwant %.400s", got, want)
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

// A stream of the largest size ends with its context: in the pass for labels, in the pass that prints, and in EachPiece.
func TestStreamEndsWithItsContext(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
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
