package step_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/step"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

func find(name string) (step.Named, error) {
	target, _, err := catalog.Find(name)
	if err != nil {
		return step.Named{}, err
	}
	set, err := target.Load(isa.Options{})
	if err != nil {
		return step.Named{}, err
	}
	m, err := exec.Open(set)
	return step.Named{Machine: m}, err
}

func machine(t testing.TB, name string) *exec.Machine {
	named, err := find(name)
	if err != nil {
		t.Fatal(err)
	}
	return named.Machine
}

// program returns a program of a number of bits, or of all bits of the words for 0.
func program(t testing.TB, m *exec.Machine, size int64, words ...uint32) *exec.Program {
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	return exec.NewProgram(m, m.Words32(root, words, size))
}

func lines(t *testing.T, name string) [][]byte {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// answer returns the answer to a line, as isago step prints it.
func answer(ctx context.Context, l *step.Lines, line []byte, number int) string {
	out, err := l.Answer(ctx, nil, line, number)
	if err != nil {
		out = view.AppendError(nil, err)
	}
	return string(out)
}

// TestAnswers compares answers with those of the first implementation of isago step, which decoded each line with
// encoding/json, ran it on a new wave, and compared copies of all registers and memories; calls of varying and sample have
// the arguments of the present description. The answers must not depend on the queries before.
func TestAnswers(t *testing.T) {
	queries, answers := lines(t, "queries.jsonl"), lines(t, "answers.jsonl")
	if len(queries) != len(answers) || len(queries) < 300 {
		t.Fatalf("%d queries and %d answers", len(queries), len(answers))
	}
	l := step.NewLines(find)
	order := make([]int, len(queries))
	for i := range order {
		order[i] = i
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		for _, i := range order {
			if got := answer(t.Context(), l, queries[i], i+1); got != string(answers[i]) {
				t.Errorf("line %d: %s\ngot      %s\nexpected %s", i+1, queries[i], got, answers[i])
			}
		}
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
}

// TestForms answers one query in several forms of JSON.
func TestForms(t *testing.T) {
	l := step.NewLines(find)
	const want = `{"state":{"last":"0006","r":{"1":"0006"}},"stop":"end of words","pc":1,"address":2}`
	for _, text := range []string{
		`{"isa":"example","words":["2243"],"state":{"r":{"2":"5","3":"1"}}}`,
		" {\t\"isa\" : \"example\" , \"words\":[ \"2243\" ],\"state\":{ \"r\" :{\"2\":\"0005\",\"3\": \"000000000000000000001\"}},\"steps\":0} \r",
		`{"STATE":{"r":{"2":"5","\u0033":"\u0031"}},"isa":"example","words":["2243"]}`,
		"\xef\xbb\xbf" + `{"isa":"example","words":["2243"],"state":{"r":{"2":"5","03":"1"}},"pc":"0"}`,
		`{"isa":"example","words":["2243"],"state":{"r":{"2":"5","+3":"1"}},"active":"","read":[],"lanes":[],"memory":{},"quirks":{},"tables":{}}`,
	} {
		if got := answer(t.Context(), l, []byte(text), 1); got != want {
			t.Errorf("%s\ngot      %s\nexpected %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"words":["zz"],"steps":"x"}`:                          `line 1, column 25: steps: a text, expected a whole number of 64 bits`,
		`{"isa":"example","words":["2243"],"steps":1.5}`:        `line 1, column 43: steps: a number, expected a whole number of 64 bits`,
		`{"isa":"example","words":["2243"],"read":[1]}`:         `line 1, column 43: read: a number, expected a text`,
		`{"isa":"example","words":["2243"],"state":{"ä":{}}}`:   `ä: unknown register, stack or memory`,
		`{"isa":"example","words":["22\"3"]}`:                   `word "22\"3", expected up to 8 hexadecimal digits`,
		`{"isa":"example","words":["2243"],"pc":1e0}`:           `pc 1e0, expected an unsigned number of 32 bits`,
		`{"isa":"example","words":["2243"],"state":{"r":null}}`: `r: null, expected an object`,
	} {
		if _, err := l.Answer(t.Context(), nil, []byte(text), 1); err == nil || err.Error() != want {
			t.Errorf("%s\ngot      %v\nexpected %s", text, err, want)
		}
	}
}

// TestRun runs an addition in two lanes, and queries with mistakes.
func TestRun(t *testing.T) {
	m := machine(t, "example")
	r := step.NewRunner(m)
	add := r.Program(program(t, m, 16, 0x2243)) // add r1, r2, r3, which also sets last
	for range 2 {                               // the second run does not see the first one
		q := &step.Query{Program: add, Lanes: 2, Initial: step.State{Registers: []step.Register{
			{Name: "r", Number: 2, Lane: 0, Values: []uint64{5}}, {Name: "r", Number: 3, Lane: 0, Values: []uint64{1}}, {Name: "r", Number: 2, Lane: 1, Values: []uint64{7}},
		}}}
		out, err := r.Run(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Stops) != 1 || out.Stops[0].Reason != "end of words" || out.Stops[0].PC != 1 || out.Instructions != 1 {
			t.Errorf("stops %v after %d instructions", out.Stops, out.Instructions)
		}
		text := func(s step.State) string {
			data, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		if got, want := text(out.Changed), `{"pc":0,"state":{},"lanes":[{"last":"0006","r":{"1":"0006"}},{"last":"0007","r":{"1":"0007"}}]}`; got != want {
			t.Errorf("changed %s, expected %s", got, want)
		}
		if got, want := text(r.Final(q)), `{"pc":1,"state":{},"lanes":[{"last":"0006","r":{"1":"0006","2":"0005","3":"0001"}},{"last":"0007","r":{"1":"0007","2":"0007"}}]}`; got != want {
			t.Errorf("final %s, expected %s", got, want)
		}
	}
	for _, q := range []*step.Query{
		{Program: add, Lanes: 65}, {Program: add, Lanes: 2, Active: 4}, {Program: add, Steps: -1}, {Program: add, Initial: step.State{PC: 1}}, {Program: add, Read: []string{"x"}},
		{Program: add, Initial: step.State{Registers: []step.Register{{Name: "r", Number: 2, Lane: 1}}}},
		{Program: add, Initial: step.State{Registers: []step.Register{{Name: "r", Number: -1}}}},
		{Program: add, Initial: step.State{Registers: []step.Register{{Name: "r", Lane: -1}}}},
		{Program: add, Initial: step.State{Registers: []step.Register{{Name: "r", Values: []uint64{1, 2}}}}},
		{Program: add, Initial: step.State{Stacks: []step.Stack{{Name: "r"}}}},
		{Program: add, Initial: step.State{Memories: []step.Memory{{Name: "r"}}}},
	} {
		if _, err := r.Run(t.Context(), q); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
}

// TestMemories checks which bytes change. The program stores r1 to l[8] of each lane.
func TestMemories(t *testing.T) {
	m := machine(t, "tesla")
	r := step.NewRunner(m)
	p := r.Program(program(t, m, 0, 0xd0001005, 0x60c00780))
	for _, c := range []struct {
		lanes   int
		before  step.Memory
		value   uint64
		changed []step.Memory
		final   string
	}{
		{1, step.Memory{Name: "l", Address: 4, Bytes: []byte("abcdefghij")}, 0x64636261, []step.Memory{{Name: "l", Address: 8, Bytes: []byte("abcd")}}, "abcdabcdij"},
		{2, step.Memory{Name: "l", Lane: 1, Address: 6, Bytes: []byte("abcdef")}, 0x7a657a7a, []step.Memory{{Name: "l", Lane: 1, Address: 8, Bytes: []byte("zz")}, {Name: "l", Lane: 1, Address: 11, Bytes: []byte("z")}}, "abzzez"},
		{1, step.Memory{Name: "l", Address: 10, Bytes: []byte("q")}, 0x620000, []step.Memory{{Name: "l", Address: 10, Bytes: []byte("b")}}, "b"},
	} {
		q := &step.Query{Program: p, Lanes: c.lanes, Initial: step.State{
			Registers: []step.Register{{Name: "r", Number: 1, Lane: c.before.Lane, Values: []uint64{c.value}}}, Memories: []step.Memory{c.before}}}
		out, err := r.Run(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(out.Changed.Memories, c.changed) {
			t.Errorf("changed %v, expected %v", out.Changed.Memories, c.changed)
		}
		if got := string(r.Final(q).Memories[0].Bytes); got != c.final {
			t.Errorf("final %q, expected %q", got, c.final)
		}
	}
}

// TestStateJSON formats and parses a state. Names are sorted as texts.
func TestStateJSON(t *testing.T) {
	m := machine(t, "pica200")
	s := step.State{PC: 7,
		Registers: []step.Register{
			{Name: "r", Number: 10, Lane: 0, Values: []uint64{1, 2, 3, 4}, Bits: 32, Vector: true}, {Name: "r", Number: 2, Lane: 0, Values: []uint64{0xff000000, 0, 0}, Bits: 32, Vector: true},
			{Name: "aL", Single: true, Lane: 0, Values: []uint64{9}, Bits: 32}, {Name: "b", Number: 3, Lane: -1, Values: []uint64{1}, Bits: 1},
		},
		Stacks: []step.Stack{{Name: "ifs", Lane: 0}, {Name: "loops", Lane: 0, Entries: []map[string]uint64{{"end": 4, "count": 0x1f}, {}}}},
	}
	const one = `"aL":"00000009"`
	const file = `"ifs":[],"loops":[{"count":"1f","end":"4"},{}],"r":{"10":["00000001","00000002","00000003","00000004"],"2":["ff000000","00000000","00000000"]}}`
	check := func(s step.State, lanes int, want string) {
		data, err := json.Marshal(s)
		if err != nil || string(data) != want {
			t.Errorf("got %s, %v, expected %s", data, err, want)
		}
		back, err := step.ParseState(m, data, lanes)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(back); err != nil || string(again) != want {
			t.Errorf("parsed as %s, %v, expected %s", again, err, want)
		}
	}
	check(s, 1, `{"pc":7,"state":{`+one+`,"b":{"3":"1"},`+file+`}`)
	s.Registers = append(s.Registers, step.Register{Name: "cmp", Single: true, Lane: 1, Values: []uint64{1, 0}, Bits: 1, Vector: true})
	check(s, 2, `{"pc":7,"state":{"b":{"3":"1"}},"lanes":[{`+one+`,`+file+`,{"cmp":["1","0"]}]}`)

	m = machine(t, "tesla")
	check(step.State{Memories: []step.Memory{{"s", -1, 100, []byte{1, 2}}, {"g0", -1, 0, []byte{3}}, {"l", 0, 20, []byte{4}}, {"s", -1, 20, []byte{5}}}}, 1,
		`{"pc":0,"state":{"l":{"20":"04"}},"memory":{"g0":{"0":"03"},"s":{"100":"0102","20":"05"}}}`)
	for text, want := range map[string]string{
		`{"state":{"x":1}}`: "x: unknown register, stack or memory", `{"stat":{}}`: `line 1, column 2: unknown name "stat"; did you mean state?`, `{"lanes":[{"l":5}]}`: "lane 0: l: a number, expected an object",
		`{"memory":{"r":{}}}`: `unknown memory "r"`,
	} {
		if _, err := step.ParseState(m, []byte(text), 1); err == nil || err.Error() != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}

// picaRow returns a query for PICA200 with one of several words, and random values.
func picaRow(r *rand.Rand) []byte {
	// add, dp3, dp4, mul, max, min, mad, slt, rcp, rsq, ex2, lg2, flr, mova, mov, cmp with the destination r0 or r1
	ops := []uint32{0x00, 0x01, 0x02, 0x08, 0x0c, 0x0d, 0x0b, 0x0a, 0x0e, 0x0f, 0x05, 0x06, 0x0b, 0x12, 0x13, 0x2e}
	word := ops[r.IntN(len(ops))]<<26 | (0x10+r.Uint32N(2))<<21 | 1<<12
	vector := func() string {
		return fmt.Sprintf(`["%08x","%08x","%08x","%08x"]`, r.Uint32(), r.Uint32(), r.Uint32(), 0x3f800000)
	}
	return fmt.Appendf(nil, `{"isa":"pica200","words":["%08x"],"tables":{"opdesc":["0000036f"]},"state":{"v":{"0":%s,"1":%s},"r":{"0":%s,"1":%s}}}`, word, vector(), vector(), vector(), vector())
}

// teslaRow returns a query for Tesla with one of several words, and random values.
func teslaRow(r *rand.Rand) []byte {
	words := []string{`"20001039","080307d0"`, `"600a101d","000187d0"`, `"a000081d","440ec7c0"`, `"a0000839","0800c7c0"`, `"d0001005","60c00780"`, `"20000205","0403c780"`}
	return fmt.Appendf(nil, `{"isa":"tesla","words":[%s],"state":{"r":{"4":"%08x","5":"%08x","6":"%08x"},"c":{"0":"%x","1":"f"}},"context":{"chip":"g200"}}`, words[r.IntN(len(words))], r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32N(16))
}

// BenchmarkStep answers lines with one instruction each, on one core.
func BenchmarkStep(b *testing.B) {
	for name, row := range map[string]func(*rand.Rand) []byte{"pica200": picaRow, "tesla": teslaRow} {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 4))
			var rows [][]byte
			for range 10000 {
				rows = append(rows, row(r))
			}
			l := step.NewLines(find)
			out, i := []byte(nil), 0
			for b.Loop() {
				var err error
				if out, err = l.Answer(b.Context(), out[:0], rows[i%len(rows)], 1); err != nil || len(out) == 0 {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkRunner runs one addition on many states, without JSON.
func BenchmarkRunner(b *testing.B) {
	m := machine(b, "tesla")
	r := step.NewRunner(m)
	q := step.Query{Program: r.Program(program(b, m, 0, 0x20108819, 0x0b76fa9b)), Initial: step.State{Registers: []step.Register{{Name: "r", Number: 4, Values: []uint64{0}}}}} // add b32 $r6 $r4 0xb76fa990
	for i := uint64(1); b.Loop(); i++ {
		q.Initial.Registers[0].Values[0] = i
		if out, err := r.Run(b.Context(), &q); err != nil || len(out.Changed.Registers) == 0 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "states/s")
}

// TestManyPrograms answers queries with more programs than are kept. The words are those of mov r0, v1 with other bits of
// the number of the table entry, which does not exist.
func TestManyPrograms(t *testing.T) {
	l := step.NewLines(find)
	for range 2 {
		for n := range 3000 {
			value := fmt.Sprintf("%08x", 0x3f800000+n)
			text := fmt.Sprintf(`{"isa":"pica200","words":["4e001000"],"tables":{"opdesc":["0000036f","%x"]},"state":{"v":{"1":["%s"]}}}`, n, value)
			want := `{"state":{"r":{"0":["` + value + `","00000000","00000000","00000000"]}},"stop":"end of words","pc":1,"address":4}`
			if got := answer(t.Context(), l, []byte(text), 1); got != want {
				t.Fatalf("%s\ngot      %s\nexpected %s", text, got, want)
			}
		}
	}
	if kept := l.Kept(); kept > 2048 || kept < 100 {
		t.Errorf("%d programs are kept", kept)
	}
}
