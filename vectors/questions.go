package vectors

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/step"
)

// questionsTopic is the name of the file of open questions, in File.Instruction and Options.Instructions.
const questionsTopic = "questions"

// questionRows is the number of vectors for each value of a quirk, and for each text of unknown behaviour, of an instruction.
const questionRows = 3

// maxAsked is the number of words that ask looks at for each of them.
const maxAsked = 24

// question is a question that vectors answer.
type question struct {
	reason string
	// other is the setting that gives another result, or nil for unknown behaviour with the text.
	other *setting
	text  string
}

// ask makes the vectors of the open questions of an instruction: states in which it depends on a quirk, and states in which
// its behaviour is not known.
func (w *leafWork) ask(ctx context.Context) error {
	if len(w.words) == 0 {
		return nil
	}
	file := w.file
	defer func() { w.file = file }()
	t := w.topic(w.root, questionsTopic, "")
	w.runner, w.file = t.runner, t.file
	base := w.settings[0]
	d, err := w.m.Set().NewDecoder(w.root.Name)
	if err != nil {
		return err
	}
	d.SetContext(base.context)
	for _, q := range w.questions(base) {
		rows := 0
		for n := range w.words {
			if rows >= questionRows || n >= maxAsked && rows > 0 {
				break
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			x := &w.words[n]
			if !w.fits(d, x) {
				continue
			}
			some, err := w.answer(x, n, base, &q)
			if err != nil {
				return err
			}
			rows += some
		}
	}
	w.asked = w.file
	return nil
}

// questions lists the questions of an instruction: each other value of each of its quirks, and each unknown behaviour.
func (w *leafWork) questions(base setting) (list []question) {
	for _, quirk := range w.sem.Quirks() {
		if !slices.Contains(w.names, quirk.Name) {
			continue
		}
		for i, value := range quirk.Numbers() {
			if old, ok := w.quirks[quirk.Name]; ok && old == value || !ok && quirk.Default == value {
				continue
			}
			s := base
			if s.quirks = maps.Clone(base.quirks); s.quirks == nil {
				s.quirks = map[string]uint64{}
			}
			s.quirks[quirk.Name] = value
			list = append(list, question{reason: quirkReason(quirk, quirk.Values()[i]), other: &s})
		}
	}
	seen := map[string]bool{}
	for i := range w.words {
		code, _, err := w.lower(&w.words[i], base)
		if err != nil {
			continue
		}
		for k := range code.Insts {
			if in := &code.Insts[k]; in.Op == sem.OpUnknown && !seen[in.Text()] {
				seen[in.Text()] = true
				list = append(list, question{reason: "not known: " + in.Text(), text: in.Text()})
			}
		}
	}
	return list
}

// quirkReason describes a value of a quirk.
func quirkReason(q *spec.Quirk, value string) string {
	text := fmt.Sprintf("the result differs with %s=%s", q.Name, value)
	if doc := strings.Join(strings.Fields(q.Doc), " "); doc != "" {
		text += ": " + doc
	}
	return text
}

// answer makes a vector of a word for a question, in a wave of one lane or of several, and returns the number of vectors.
func (w *leafWork) answer(x *word, n int, base setting, q *question) (int, error) {
	code, _, err := w.lower(x, base)
	if err != nil || code.Runs {
		return 0, nil
	}
	var other *sem.Code
	if q.other != nil {
		if other, _, err = w.lower(x, *q.other); err != nil || other.Runs || other.String() == code.String() {
			return 0, nil
		}
	} else if !slices.ContainsFunc(code.Insts, func(in sem.Inst) bool { return in.Op == sem.OpUnknown && in.Text() == q.text }) {
		return 0, nil
	}
	for i := range 4 {
		width := 1
		if i == 3 && votes(code) {
			width = waveLanes
		}
		src := newSource(mix(hashText(w.leaf.Name+q.reason), uint64(n*4+i)), code.Insts, code.Next, 0, width)
		src.empty, src.narrow = !usesStacks(code) && i < 2, i == 0
		e := newEvaluation(code.Insts, src.init)
		e.run()
		mask := uint64(0)
		if other != nil {
			o := newEvaluation(other.Insts, src.init)
			o.run()
			mask = o.differs(e)
		} else {
			for k := range code.Insts {
				if in := &code.Insts[k]; in.Op == sem.OpUnknown && in.Text() == q.text {
					mask |= e.guard(in)
				}
			}
		}
		mask = waves(mask&src.init.lanes(), width)
		if mask == 0 {
			continue
		}
		w.programs = map[string]*step.Program{}
		return 1, w.vector(x, base, e, row{run: bits.TrailingZeros64(mask), reasons: []string{q.reason}})
	}
	return 0, nil
}

// questionFiles returns the files of open questions, one for each root of words.
func (g *generator) questionFiles(work []*leafWork) (list []*File) {
	for _, w := range work {
		if w.asked == nil || len(w.asked.Vectors) == 0 {
			continue
		}
		i := slices.IndexFunc(list, func(f *File) bool { return f.Root == w.asked.Root })
		if i < 0 {
			i = len(list)
			name := questionsTopic
			if w.asked.Root != "" {
				name += "-" + strings.TrimPrefix(w.asked.Root, "#")
			}
			list = append(list, g.topic(w.root, name, "Vectors that answer open questions: their results depend on a quirk, or are not known.").file)
		}
		f := list[i]
		for _, v := range w.asked.Vectors {
			v.Name = fmt.Sprintf("%s/%d", f.Instruction, len(f.Vectors)+1)
			f.Vectors = append(f.Vectors, v)
		}
	}
	return list
}
