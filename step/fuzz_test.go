package step

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/jsontext"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// FuzzAnswer checks that each answer is JSON, that encoding/json accepts what has an answer, and that the answer does not
// change if the text is known to be valid.
func FuzzAnswer(f *testing.F) {
	data, err := os.ReadFile("testdata/queries.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		f.Add(bytes.TrimSpace(line))
	}
	l := NewLines(func(name string) (Named, error) {
		target, _, err := catalog.Find(name)
		if err != nil {
			return Named{}, err
		}
		set, err := target.Load(isa.Options{})
		if err != nil {
			return Named{}, err
		}
		m, err := exec.Open(set)
		return Named{Machine: m}, err
	})
	f.Fuzz(func(t *testing.T, text []byte) {
		ctx, stop := context.WithTimeout(t.Context(), time.Second) // steps may have any number
		defer stop()
		got, err := l.Answer(ctx, nil, text, 1)
		wrong := jsontext.Unmarshal(text, new(form))
		switch {
		case ctx.Err() != nil:
			return
		case wrong != nil && err == nil:
			t.Errorf("answered, but encoding/json reports %v", wrong)
		case err == nil && !json.Valid(got):
			t.Errorf("the answer %q is not JSON", got)
		}
		fast, err := l.answer(ctx, nil, text, false)
		if ctx.Err() != nil || wrong != nil || errors.Is(err, errForm) {
			return
		}
		if again, err2 := l.answer(ctx, nil, text, true); ctx.Err() == nil && ((err == nil) != (err2 == nil) || !bytes.Equal(fast, again)) {
			t.Errorf("answers %s %v and %s %v", fast, err, again, err2)
		}
	})
}
