package vectors_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/vectest"
	"github.com/isago/isago/vectors"
)

// The programs of each machine show what its instructions do to each other: the events are those that the manuals of the
// machines describe. The engine passes the programs, which an independent reader reads from JSON, and so does package step
// in a check of the file.
func TestPrograms(t *testing.T) {
	machines := map[string][]string{
		"example": {"lanes diverge at br, and reconverge", "br jumps back to words that have run", "br skips words"},
		"pica200": {
			"for pushes an entry of loops, and an implicit effect pops it", // the end of the loop
			"breakc skips words",
			"call pushes an entry of calls, and an implicit effect pops it", // the end of the procedure
			"an implicit effect returns to the word after call",
			"ifc pushes an entry of ifs, and an implicit effect pops it",
			"a lane traps: break outside of a loop",
			"two instructions write the same component of o",
		},
		"tegra": {"EXEC skips words", "two instructions write the same component of r"},
		"a2xx": {
			"EXEC runs its words again in a loop",
			"COND_PRED_EXEC runs a word of alu in some lanes, and skips it in others",
			"COND_CALL pushes an entry of calls, and RETURN pops it",
			"LOOP_START pushes an entry of loops, and LOOP_END pops it",
			"two instructions write the same component of export",
		},
		"tesla": {
			"after bra, only some lanes run",
			"lanes run again that have waited",
			"call pushes an entry of tokens, and ",
			"bar is a barrier",
		},
	}
	for name, events := range machines {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "example" {
				t.Skip("takes long")
			}
			t.Parallel()
			m := vectest.Open(t, name)
			res := generate(t, m, vectors.Options{Instructions: []string{"programs"}})
			if len(res.Files) != 1 || res.Files[0].Instruction != "programs" {
				t.Fatalf("%d files, expected that of the programs", len(res.Files))
			}
			f := res.Files[0]
			data, err := f.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			passVectors(t, m, data)
			answers := &vectors.Answers{File: f}
			for i := range f.Vectors {
				answers.List = append(answers.List, vectors.Answer{Name: f.Vectors[i].Name, State: f.Vectors[i].Final})
			}
			report, err := vectors.Check(m, []*vectors.Answers{answers}, vectors.CheckOptions{})
			if err != nil || report.Agree != len(f.Vectors) || len(report.Stale) > 0 {
				t.Errorf("%v, report %+v", err, report)
			}
			shown := map[string]string{}
			for i := range f.Vectors {
				v := &f.Vectors[i]
				for _, r := range v.Reasons {
					if shown[r] != "" {
						t.Errorf("%s and %s have the reason %q", shown[r], v.Name, r)
					}
					shown[r] = v.Name
				}
				if len(v.Reasons) == 0 {
					t.Errorf("%s has no reason", v.Name)
				}
			}
			for _, want := range events {
				if !slices.ContainsFunc(f.Vectors, func(v vectors.Vector) bool {
					return slices.ContainsFunc(v.Reasons, func(r string) bool { return strings.Contains(r, want) })
				}) {
					t.Errorf("no program shows %q", want)
				}
			}
			t.Logf("%d programs, %d reasons", len(f.Vectors), len(shown))
		})
	}
}

// The programs and questions of a machine are always the same.
func TestProgramsAgain(t *testing.T) {
	m := vectest.Open(t, "example")
	var texts [2][]byte
	for i := range texts {
		for _, f := range generate(t, m, vectors.Options{Instructions: []string{"programs", "questions"}, Jobs: 1 + i}).Files {
			var err error
			if texts[i], err = f.Append(texts[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(texts[0]) == 0 || !bytes.Equal(texts[0], texts[1]) {
		t.Error("the files differ, or are empty")
	}
}

// The vectors of open questions tell the values of a quirk apart, or meet behaviour that is not known.
func TestQuestions(t *testing.T) {
	machines := map[string][]string{
		"example": {"saturate=true"},
		"pica200": {"float=f24", "nan_zero=true", "beyond=zero", "mova_nearest=true", "cmp_true=true", "not known: "},
		"tegra":   {"float=nv30", "log_abs=false", "swapped=true"},
	}
	for name, answers := range machines {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "example" {
				t.Skip("takes long")
			}
			t.Parallel()
			m := vectest.Open(t, name)
			for _, f := range generate(t, m, vectors.Options{Instructions: []string{"questions"}}).Files {
				data, err := f.Append(nil)
				if err != nil {
					t.Fatal(err)
				}
				passVectors(t, m, data)
				for _, want := range answers {
					if !slices.ContainsFunc(f.Vectors, func(v vectors.Vector) bool { return strings.Contains(v.Reasons[0], want) }) {
						t.Errorf("no vector for %q", want)
					}
				}
				for i := range f.Vectors {
					v := &f.Vectors[i]
					decides := slices.ContainsFunc(v.Decides, func(d vectors.Decision) bool { return strings.Contains(v.Reasons[0], d.Quirk+"="+d.Value) })
					if !decides && !strings.HasPrefix(v.Reasons[0], "not known: ") {
						t.Errorf("%s decides nothing: %q", v.Name, v.Reasons)
					}
				}
			}
		})
	}
}

// Options choose the files of topics.
func TestTopics(t *testing.T) {
	m := vectest.Open(t, "example")
	for _, c := range []struct {
		opt  vectors.Options
		want string
	}{
		{vectors.Options{}, "add mul shl br programs questions"},
		{vectors.Options{NoPrograms: true}, "add mul shl br questions"},
		{vectors.Options{NoQuestions: true}, "add mul shl br programs"},
		{vectors.Options{Instructions: []string{"mul"}}, "mul"},
		{vectors.Options{Instructions: []string{"mul", "programs"}}, "mul programs"},
		{vectors.Options{Instructions: []string{"questions"}}, "questions"},
	} {
		var names []string
		for _, f := range generate(t, m, c.opt).Files {
			if f.Instruction != "nop" && !slices.Contains(names, f.Instruction) {
				names = append(names, f.Instruction)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%+v: %s, expected %s", c.opt, got, c.want)
		}
	}
}
