package vectors

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/step"
)

// CheckOptions are the options of Check.
type CheckOptions struct {
	// ExactNaN makes two NaN with different bits a difference.
	ExactNaN bool
}

// Report says how the results of an engine differ from the final states of vectors, and why.
type Report struct {
	Machine string `json:"machine"`
	// Vectors is the number of vectors, and Results that of the results of the engine. Agree and Differ count results.
	Vectors int `json:"vectors"`
	Results int `json:"results"`
	Agree   int `json:"agree"`
	Differ  int `json:"differ"`
	// Unnamed lists the parts of the state that no result contains, although vectors change them. They are not compared.
	Unnamed []string `json:"unnamed"`
	// Stale lists vectors that isago itself ends in another state than their files say.
	Stale []string `json:"stale"`
	// Groups are the groups of differences, the largest first. A vector may be in several groups.
	Groups []Group `json:"groups"`
}

// Group is a group of vectors that differ for the same reason.
type Group struct {
	Cause Cause `json:"cause"`
	// Text describes the reason. Explained is set if an engine with this fault would give exactly these results.
	Text      string `json:"text"`
	Explained bool   `json:"explained"`
	// Quirks are the values of quirks with which isago gives the same results, or nil. Doc describes the quirks.
	Quirks map[string]string `json:"quirks,omitempty"`
	Doc    string            `json:"doc,omitempty"`
	// Alternatives describe other faults that explain the same vectors.
	Alternatives []string `json:"alternatives,omitempty"`
	// Instructions and Vectors are names. Reasons are the reasons of the vectors, those first
	// that other vectors have less often.
	Instructions []string `json:"instructions"`
	Reasons      []string `json:"reasons"`
	Vectors      []string `json:"vectors"`
	Example      Example  `json:"example"`
}

// Example is a vector of a group.
type Example struct {
	Name    string   `json:"name"`
	Text    []string `json:"text"`
	Initial []Value  `json:"initial"`
	// Differences are the differences of the group in this vector. A value without bits is missing.
	Differences []Difference `json:"differences"`
}

// Value is the value of a part of the state.
type Value struct {
	Name string `json:"name"`
	// Bits are hexadecimal, and Number is the value as a number.
	Bits   string `json:"bits"`
	Number string `json:"number"`
}

// Difference is a part of the state in which a result differs.
type Difference struct {
	Name     string `json:"name"`
	Expected Value  `json:"expected"`
	Got      Value  `json:"got"`
	// Note describes the difference.
	Note string `json:"note,omitempty"`
}

// result is the result of an engine for a vector.
type result struct {
	file   *File
	m      *exec.Machine
	v      *Vector
	answer *Answer
	// spots are the parts of the state that are compared, with the expected values, those of the engine, and those before
	// the run. A part that the result does not contain is missing.
	spots              []spot
	want, got, initial []uint64
	missing            []bool
	diffs              []int
	calls              bool         // the calls differ
	noCalls            bool         // the calls are not compared
	whole              *result      // all parts of the result
	left               map[int]bool // the differences that no theory explains
	// floats has the types of the registers that hold floats, once known is set.
	floats map[component3]sem.Type
	known  bool
	// noTrial is set if a trial does not end as a run by package step.
	noTrial bool
	c       *checker
}

// maxTested is the number of results of each instruction with which theories are tested: those that differ, and those that
// agree. The theories that explain them then count for the others. maxPaired is the number of results with which pairs of
// theories are tested.
const (
	maxTested = 100
	maxPaired = 1000
)

// Check compares the results of an engine with the final states of the vectors, and groups the differences by their cause.
// All files must be of one machine.
func Check(m *exec.Machine, list []*Answers, opt CheckOptions) (*Report, error) {
	c := &checker{m: m, sem: m.Inside(inside.Key{}), opt: opt, groups: map[string]*group{}, programs: map[string]*exec.Program{}, runner: step.NewRunner(m), report: &Report{Unnamed: []string{}, Stale: []string{}, Groups: []Group{}}, named: map[*exec.State]bool{}, partly: map[*File]int{}, reasons: map[string]int{}}
	c.names(list)
	for _, a := range list {
		if c.report.Machine == "" {
			c.report.Machine = a.File.Machine
		}
		if c.report.Machine != a.File.Machine {
			return nil, fmt.Errorf("vectors of %s and of %s, expected those of one machine", c.report.Machine, a.File.Machine)
		}
		if err := c.compare(a); err != nil {
			return nil, err
		}
	}
	if err := c.explain(); err != nil {
		return nil, err
	}
	for _, r := range c.differ {
		c.describe(r)
	}
	return c.finish(), nil
}

// names notes which parts of the state the results contain.
func (c *checker) names(list []*Answers) {
	var changed []spot
	for _, a := range list {
		for i := range a.List {
			c.hasPC = c.hasPC || !a.List[i].NoPC
			c.hasCalls = c.hasCalls || a.List[i].Calls != nil
			for p := range spotsOf(c.m, &a.List[i].State) {
				c.named[p.state] = true
			}
		}
		for i := range a.File.Vectors {
			v := &a.File.Vectors[i]
			if len(v.Calls) > 0 && !c.hasCalls && !slices.Contains(c.report.Unnamed, "host calls") {
				c.report.Unnamed = append(c.report.Unnamed, "host calls")
			}
			initial := spotsOf(c.m, &v.Initial)
			for p, x := range spotsOf(c.m, &v.Final) {
				old := initial[p]
				if p.kind == registerSpot {
					old = exec.Canonical(old, p.state.Type)
				}
				if x != old {
					changed = append(changed, p)
				}
			}
		}
	}
	for _, p := range changed {
		if !c.named[p.state] && !slices.Contains(c.report.Unnamed, p.state.Name) {
			c.report.Unnamed = append(c.report.Unnamed, p.state.Name)
		}
	}
	if !c.hasPC {
		c.report.Unnamed = append(c.report.Unnamed, "pc")
	}
	slices.Sort(c.report.Unnamed)
}

type checker struct {
	m      *exec.Machine
	sem    *sem.Machine
	opt    CheckOptions
	report *Report
	differ []*result
	// agree has results that agree, or the parts of results that do. partly counts the latter.
	agree  map[*File][]*result
	partly map[*File]int
	groups map[string]*group
	// programs are the programs of vectors, by their words and settings.
	programs map[string]*exec.Program
	runner   *step.Runner
	// named has the states that results contain. hasPC and hasCalls are set if results contain the program counter and the
	// calls of host callbacks.
	named           map[*exec.State]bool
	hasPC, hasCalls bool
	// reasons counts the results whose vectors have a reason.
	reasons map[string]int
}

// group is a Group with the results that belong to it.
type group struct {
	Group
	members []*member
}

type member struct {
	r     *result
	spots []int
	note  string
}

// compare compares the results for a file.
func (c *checker) compare(a *Answers) error {
	if c.agree == nil {
		c.agree = map[*File][]*result{}
	}
	byName := map[string]*Vector{}
	for i := range a.File.Vectors {
		byName[a.File.Vectors[i].Name] = &a.File.Vectors[i]
	}
	c.report.Vectors += len(a.File.Vectors)
	c.report.Results += len(a.List)
	for i := range a.List {
		answer := &a.List[i]
		r := &result{c: c, file: a.File, m: c.m, v: byName[answer.Name], answer: answer}
		for _, text := range r.v.Reasons {
			c.reasons[text]++
		}
		if err := r.collect(c.opt); err != nil {
			return fmt.Errorf("%s: %w", answer.Name, err)
		}
		if len(r.diffs) == 0 && !r.calls {
			c.report.Agree++
			if len(c.agree[a.File]) < 2*maxTested {
				c.agree[a.File] = append(c.agree[a.File], r)
			}
			continue
		}
		c.report.Differ++
		parts, agree := r.split()
		c.differ = append(c.differ, parts...)
		if c.partly[a.File]++; c.partly[a.File] <= maxTested {
			c.agree[a.File] = append(c.agree[a.File], agree)
		}
	}
	return nil
}

// split returns a result for each state that differs, with this state and those that agree, and a result with only the
// latter. An engine may have a fault in one state and another fault in another state.
func (r *result) split() (parts []*result, agree *result) {
	differs := map[*exec.State]bool{}
	for _, i := range r.diffs {
		differs[r.spots[i].state] = true
	}
	part := func(with *exec.State, only bool) *result {
		x := &result{c: r.c, file: r.file, m: r.m, v: r.v, answer: r.answer, noCalls: true, whole: r, left: map[int]bool{}}
		for i, p := range r.spots {
			if differs[p.state] && (only || p.state != with) {
				continue
			}
			if slices.Contains(r.diffs, i) {
				x.left[len(x.spots)] = true
				x.diffs = append(x.diffs, len(x.spots))
			}
			x.spots, x.initial, x.want, x.got = append(x.spots, p), append(x.initial, r.initial[i]), append(x.want, r.want[i]), append(x.got, r.got[i])
			x.missing = append(x.missing, r.missing[i])
		}
		return x
	}
	for _, s := range slices.SortedFunc(maps.Keys(differs), func(a, b *exec.State) int { return compareSpots(spot{state: a}, spot{state: b}) }) {
		x := part(s, false)
		x.noCalls = r.calls
		parts = append(parts, x)
	}
	agree = part(nil, true)
	agree.noCalls = r.calls
	if r.calls {
		x := part(nil, true)
		x.noCalls, x.calls = false, true
		parts = append(parts, x)
	}
	return parts, agree
}

// spotsOf returns the values of a state.
func spotsOf(m *exec.Machine, s *State) map[spot]uint64 {
	out := map[spot]uint64{}
	for i := range s.Registers {
		r := &s.Registers[i]
		for k, v := range r.Values {
			out[spot{registerSpot, m.State(r.Name), r.Number, k, r.Lane}] = v
		}
	}
	for i := range s.Stacks {
		t := &s.Stacks[i]
		st := m.State(t.Name)
		out[spot{depthSpot, st, 0, 0, t.Lane}] = uint64(len(t.Entries))
		for n, e := range t.Entries {
			for k, slot := range st.Slots {
				out[spot{slotSpot, st, n, k, t.Lane}] = e[slot.Name]
			}
		}
	}
	for i := range s.Memories {
		b := &s.Memories[i]
		for k, x := range b.Bytes {
			out[spot{byteSpot, m.State(b.Name), int(b.Address) + k, 0, b.Lane}] = uint64(x)
		}
	}
	return out
}

func compareSpots(a, b spot) int {
	index := func(s spot) int {
		if s.state == nil {
			return -1
		}
		return s.state.Index
	}
	return cmp.Or(cmp.Compare(a.lane, b.lane), cmp.Compare(index(a), index(b)), cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number), cmp.Compare(a.comp, b.comp))
}

// collect finds the differences of a result.
func (r *result) collect(opt CheckOptions) error {
	before, want, got := spotsOf(r.m, &r.v.Initial), spotsOf(r.m, &r.v.Final), spotsOf(r.m, &r.answer.State)
	all := map[spot]bool{}
	for p := range want {
		all[p] = true
	}
	for p := range got {
		all[p] = true
	}
	var plain *waveEnd // the run of isago, for what the vector does not name
	for _, p := range slices.SortedFunc(maps.Keys(all), compareSpots) {
		if !r.c.named[p.state] {
			continue
		}
		w, named := want[p]
		if !named && p.kind == registerSpot {
			if plain == nil {
				var err error
				if plain, err = r.wave(nil); err != nil {
					return err
				}
			}
			w = plain.value(p)
		}
		b, had := before[p]
		if !had && !named {
			b = w
		}
		g, given := got[p]
		if !given && p.kind == slotSpot {
			_, given = got[spot{depthSpot, p.state, 0, 0, p.lane}]
		}
		r.spots, r.initial, r.want = append(r.spots, p), append(r.initial, b), append(r.want, w)
		if !given && (b == w || r.equal(len(r.spots)-1, b, w)) {
			g, given = w, true
		}
		r.got, r.missing = append(r.got, g), append(r.missing, !given)
		i := len(r.spots) - 1
		if !given || !r.equal(i, w, g) || opt.ExactNaN && w != g {
			r.diffs = append(r.diffs, i)
		}
	}
	if r.c.hasPC {
		r.spots = append(r.spots, spot{kind: counterSpot, lane: -1})
		r.initial, r.want, r.got, r.missing = append(r.initial, r.v.Initial.PC), append(r.want, r.v.Final.PC), append(r.got, r.answer.State.PC), append(r.missing, r.answer.NoPC)
		if r.answer.NoPC || r.v.Final.PC != r.answer.State.PC {
			r.diffs = append(r.diffs, len(r.spots)-1)
		}
	}
	r.calls = r.answer.Calls != nil && !sameCalls(r.v.Calls, *r.answer.Calls)
	return nil
}

func sameCalls(a, b []Call) bool {
	return slices.EqualFunc(a, b, func(x, y Call) bool {
		return x.Name == y.Name && x.Lane == y.Lane && slices.EqualFunc(x.Args, y.Args, func(p, q string) bool {
			return strings.TrimLeft(p, "0") == strings.TrimLeft(q, "0")
		})
	})
}

// trial returns the run of isago, or nil if a trial cannot run the vector.
func (r *result) trial(list ...*theory) *trial {
	if r.noTrial {
		return nil
	}
	quirks := map[string]string{}
	for _, th := range list {
		maps.Copy(quirks, th.quirks)
	}
	p, err := r.c.program(r.file, r.v, quirks)
	if err != nil {
		return nil
	}
	return r.file.try(r.m, r.v, p, list...)
}

// wave runs the vector with package step.
func (r *result) wave(quirks map[string]string) (*waveEnd, error) {
	p, err := r.c.program(r.file, r.v, quirks)
	if err != nil {
		return nil, err
	}
	return run(r.c.runner, p, r.v)
}

// maxPrograms is the number of programs that are kept for the next vector with the same words.
const maxPrograms = 1 << 10

// program returns the program of a vector.
func (c *checker) program(f *File, v *Vector, quirks map[string]string) (*exec.Program, error) {
	key := fmt.Sprint(f.Instruction, f.Root, v.Words, v.Tables, v.Context, v.Quirks, quirks)
	p := c.programs[key]
	if p == nil {
		var err error
		if p, err = f.program(c.m, v, quirks); err != nil {
			return nil, err
		}
		if len(c.programs) >= maxPrograms {
			clear(c.programs)
		}
		c.programs[key] = p
	}
	return p, nil
}

// typeOf returns the type of a part of the state. A register of integers that holds the bits of a float has the type of
// the float.
func (r *result) typeOf(i int) isa.Type {
	p := r.spots[i]
	switch p.kind {
	case registerSpot:
		t := p.state.Type
		t.Lanes = 1
		if t.Kind != isa.Float {
			if !r.known {
				r.known = true
				if x := r.trial(); x != nil {
					r.floats = x.floats
				}
			}
			if r.floats[component3{p.state.Index, p.number, p.comp}].Kind == sem.Float {
				t.Kind = isa.Float
			}
		}
		return t
	case slotSpot:
		return p.state.Slots[p.comp].Type
	case byteSpot:
		return isa.Type{Kind: isa.Unsigned, Bits: 8, Lanes: 1}
	}
	return isa.Type{Kind: isa.Unsigned, Bits: 32, Lanes: 1}
}

// equal compares two values of a part of the state. All NaN are equal.
func (r *result) equal(i int, a, b uint64) bool {
	if a == b {
		return true
	}
	t := r.typeOf(i)
	return t.Kind == isa.Float && isNaN(a, t.Bits) && isNaN(b, t.Bits)
}

// matches reports whether a run of isago ends as the engine did, in the parts that the result contains.
func (r *result) matches(e ended) bool {
	for i, p := range r.spots {
		if !r.missing[i] && !r.equal(i, e.value(p), r.got[i]) {
			return false
		}
	}
	return r.noCalls || r.answer.Calls == nil || sameCalls(e.called(), *r.answer.Calls)
}

// expected reports whether a run of isago ends as the vector says.
func (r *result) expected(e ended) bool {
	for i, p := range r.spots {
		if !r.equal(i, e.value(p), r.want[i]) {
			return false
		}
	}
	return true
}

// end runs a vector under theories. It returns nil if isago cannot.
func (r *result) end(list ...*theory) ended {
	quirks := map[string]string{}
	pure := true
	for _, th := range list {
		maps.Copy(quirks, th.quirks)
		pure = pure && th.cause == CauseQuirk
	}
	if t := r.trial(list...); t != nil {
		return t
	}
	if !pure {
		return nil
	}
	e, err := r.wave(quirks)
	if err != nil {
		return nil
	}
	return e
}

// explain finds theories that explain results, the ones that explain the most first.
func (c *checker) explain() error {
	var left, others []*result
	counts := map[*File]int{}
	for _, r := range c.differ {
		e := r.end()
		if e != nil && !r.expected(e) && !r.noTrial { // package step decides what isago does
			r.noTrial = true
			e = r.end()
		}
		switch {
		case e == nil:
		case !r.expected(e):
			if !slices.Contains(c.report.Stale, r.v.Name) {
				c.report.Stale = append(c.report.Stale, r.v.Name)
			}
		case r.matches(e): // only NaN with other bits
		case counts[r.file] < maxTested:
			counts[r.file]++
			left = append(left, r)
		default:
			others = append(others, r)
		}
	}
	if len(left) == 0 {
		return nil
	}
	singles := append(c.quirkTheories(), newTheories()...)
	var each [][]*theory
	for _, th := range singles {
		each = append(each, []*theory{th})
	}
	left, chosen := c.choose(left, each)
	if len(left) > 0 {
		var more [][]*theory
		few := left[:min(len(left), maxPaired)]
		few, more = c.choose(slices.Clone(few), c.pairs(few, singles))
		left, chosen = append(few, left[min(len(left), maxPaired):]...), append(chosen, more...)
	}
	for _, theories := range chosen {
		others = slices.DeleteFunc(others, func(r *result) bool {
			e := r.end(theories...)
			if e == nil || !r.matches(e) {
				return false
			}
			c.theoryGroup(theories).explain(r)
			return true
		})
	}
	for _, r := range append(left, others...) {
		c.substitute(r)
	}
	return nil
}

// explain adds a result to a group that explains all of its differences.
func (g *group) explain(r *result) {
	g.members = append(g.members, &member{r: r, spots: r.diffs})
	clear(r.left)
	r.calls = false
}

// quirkTheories returns a theory for each value of each quirk that instructions read.
func (c *checker) quirkTheories() (list []*theory) {
	for _, q := range c.sem.Quirks() {
		if q.Launch {
			continue
		}
		for _, v := range q.Values() {
			list = append(list, &theory{cause: CauseQuirk, quirks: map[string]string{q.Name: v}})
		}
	}
	return list
}

// maxPairs is the number of theories of which pairs are tested.
const maxPairs = 12

// pairs returns pairs of theories that change the end of some results.
func (c *checker) pairs(left []*result, singles []*theory) (out [][]*theory) {
	var acting []*theory
	for _, th := range singles {
		if len(acting) == maxPairs {
			break
		}
		if slices.ContainsFunc(left[:min(len(left), 20)], func(r *result) bool {
			e := r.end(th)
			return e != nil && !r.expected(e)
		}) {
			acting = append(acting, th)
		}
	}
	for i, a := range acting {
		for _, b := range acting[i+1:] {
			if a.cause == CauseQuirk && b.cause == CauseQuirk && sameQuirk(a, b) {
				continue
			}
			out = append(out, []*theory{a, b})
		}
	}
	return out
}

func sameQuirk(a, b *theory) bool {
	for name := range a.quirks {
		if _, ok := b.quirks[name]; ok {
			return true
		}
	}
	return false
}

// choose explains results by the theories that explain the most, and returns the results that none explains, and the
// theories that explain others. A theory does
// not explain the results of an instruction if it contradicts a result that agrees.
func (c *checker) choose(left []*result, list [][]*theory) (rest []*result, chosen [][]*theory) {
	explains := make([]map[*result]bool, len(list))
	for i := range list {
		explains[i] = map[*result]bool{}
	}
	byFile := map[*File][]*result{}
	for _, r := range left {
		byFile[r.file] = append(byFile[r.file], r)
	}
	for f, rows := range byFile {
		for i, theories := range list {
			var found []*result
			for _, r := range rows {
				if e := r.end(theories...); e != nil && r.matches(e) {
					found = append(found, r)
				}
			}
			if len(found) == 0 || slices.ContainsFunc(c.agree[f], func(a *result) bool {
				e := a.end(theories...)
				return e != nil && !a.matches(e)
			}) {
				continue
			}
			for _, r := range found {
				explains[i][r] = true
			}
		}
	}
	for len(left) > 0 {
		best := 0
		for i := range explains {
			if len(explains[i]) > len(explains[best]) {
				best = i
			}
		}
		if len(explains) == 0 || len(explains[best]) == 0 {
			break
		}
		chosen = append(chosen, list[best])
		explained := explains[best]
		g := c.theoryGroup(list[best])
		for i := range explains {
			if i != best && maps.Equal(explains[i], explained) && len(g.Alternatives) < maxAlternatives {
				_, text, _ := theoryText(list[i])
				g.Alternatives = append(g.Alternatives, text)
			}
		}
		left = slices.DeleteFunc(left, func(r *result) bool {
			if explained[r] {
				g.explain(r)
			}
			return explained[r]
		})
		for i := range explains {
			maps.DeleteFunc(explains[i], func(r *result, _ bool) bool { return len(r.left) == 0 && !r.calls })
		}
	}
	return left, chosen
}

// maxAlternatives is the number of alternatives of a group.
const maxAlternatives = 4

// theoryText describes theories.
func theoryText(list []*theory) (cause Cause, text string, quirks map[string]string) {
	quirks = map[string]string{}
	var texts, docs []string
	cause = CauseQuirk
	for _, th := range list {
		maps.Copy(quirks, th.quirks)
		if th.text != "" {
			texts = append(texts, th.text)
			if cause == CauseQuirk {
				cause = th.cause
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(quirks)) {
		docs = append(docs, name+"="+quirks[name])
	}
	if len(docs) > 0 {
		texts = append(texts, "behaves as isago with "+strings.Join(docs, " and "))
	}
	return cause, "the engine " + strings.Join(texts, ", and it "), quirks
}

// theoryGroup returns the group of theories.
func (c *checker) theoryGroup(list []*theory) *group {
	cause, text, quirks := theoryText(list)
	var doc []string
	for _, name := range slices.Sorted(maps.Keys(quirks)) {
		doc = append(doc, c.quirkDoc(name))
	}
	g := c.group(cause, text)
	g.Explained = true
	if len(quirks) > 0 {
		g.Quirks, g.Doc = quirks, strings.Join(doc, " ")
	}
	return g
}

// quirkDoc returns the text that describes a quirk, in one line.
func (c *checker) quirkDoc(name string) string {
	for _, q := range c.sem.Quirks() {
		if q.Name == name {
			return strings.Join(strings.Fields(q.Doc), " ")
		}
	}
	return ""
}

func (c *checker) group(cause Cause, text string) *group {
	key := string(cause) + "\x00" + text
	g := c.groups[key]
	if g == nil {
		g = &group{Group: Group{Cause: cause, Text: text}}
		c.groups[key] = g
	}
	return g
}

// add adds differences of a result to a group.
func (c *checker) add(r *result, cause Cause, text, note string, spots ...int) *group {
	g := c.group(cause, text)
	if n := len(g.members); n > 0 && g.members[n-1].r == r {
		g.members[n-1].spots = append(g.members[n-1].spots, spots...)
	} else {
		g.members = append(g.members, &member{r: r, spots: spots, note: note})
	}
	for _, i := range spots {
		delete(r.left, i)
	}
	return g
}

// finish makes the report.
func (c *checker) finish() *Report {
	for _, g := range c.groups {
		c.complete(g)
		c.report.Groups = append(c.report.Groups, g.Group)
	}
	slices.SortFunc(c.report.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Vectors), len(a.Vectors)), strings.Compare(string(a.Cause), string(b.Cause)), strings.Compare(a.Text, b.Text))
	})
	return c.report
}

// complete fills in the fields of a group that follow from its members.
func (c *checker) complete(g *group) {
	reasons := map[string]int{}
	instructions := map[string]bool{}
	parts := map[*Vector][]*member{}
	var order []*Vector
	for _, m := range g.members {
		v := m.r.v
		if parts[v] = append(parts[v], m); len(parts[v]) > 1 {
			continue
		}
		order = append(order, v)
		g.Vectors = append(g.Vectors, v.Name)
		instructions[m.r.file.Instruction] = true
		for _, text := range v.Reasons {
			reasons[text]++
		}
	}
	size := func(v *Vector) (n int) {
		for _, m := range parts[v] {
			n += 100 * len(m.spots)
		}
		return n + len(v.Initial.Registers) + 1000*(len(v.Text)-1)
	}
	best := order[0]
	for _, v := range order {
		if size(v) < size(best) {
			best = v
		}
	}
	g.Instructions = slices.Sorted(maps.Keys(instructions))
	// A reason says the more about the group, the more of its vectors have it than of all.
	excess := func(text string) int { return reasons[text]*c.report.Results - c.reasons[text]*len(order) }
	g.Reasons = slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(excess(b), excess(a)), strings.Compare(a, b))
	})
	if g.Reasons == nil {
		g.Reasons = []string{}
	}
	g.Example = parts[best][0].example()
	for _, m := range parts[best][1:] {
		g.Example.Differences = append(g.Example.Differences, m.example().Differences...)
	}
}

// example returns a member as an example.
func (m *member) example() Example {
	r := m.r
	e := Example{Name: r.v.Name, Text: r.v.Text, Initial: []Value{}, Differences: []Difference{}}
	initial := spotsOf(r.m, &r.v.Initial)
	for _, p := range slices.SortedFunc(maps.Keys(initial), compareSpots) {
		if p.kind == registerSpot {
			e.Initial = append(e.Initial, value(p, r.typeAt(p), initial[p], r.v.Lanes))
		}
	}
	slices.Sort(m.spots)
	for _, i := range m.spots {
		p := r.spots[i]
		t := r.typeOf(i)
		d := Difference{Name: p.name(r.v.Lanes), Expected: value(p, t, r.want[i], r.v.Lanes), Note: m.note}
		if !r.missing[i] {
			d.Got = value(p, t, r.got[i], r.v.Lanes)
		}
		e.Differences = append(e.Differences, d)
	}
	if r.whole.calls && len(m.spots) == 0 {
		d := Difference{Name: "host calls", Note: m.note}
		d.Expected.Number, d.Got.Number = callsText(r.v.Calls), callsText(*r.answer.Calls)
		e.Differences = append(e.Differences, d)
	}
	return e
}

// typeAt returns the type of a part of the state that need not be among those compared.
func (r *result) typeAt(p spot) isa.Type {
	r.spots = append(r.spots, p)
	defer func() { r.spots = r.spots[:len(r.spots)-1] }()
	return r.typeOf(len(r.spots) - 1)
}

func callsText(list []Call) string {
	var out []string
	for _, c := range list {
		out = append(out, c.Name+"("+strings.Join(c.Args, ", ")+")")
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, ", ")
}

// name returns the name of a part of the state.
func (p spot) name(lanes int) string {
	text := ""
	switch p.kind {
	case counterSpot:
		return "pc"
	case depthSpot:
		text = "depth of " + p.state.Name
	case slotSpot:
		text = fmt.Sprintf("%s[%d].%s", p.state.Name, p.number, p.state.Slots[p.comp].Name)
	case byteSpot:
		text = fmt.Sprintf("%s[0x%x]", p.state.Name, p.number)
	default:
		text = nameOf(&Register{Name: p.state.Name, Single: p.state.Single, Number: p.number})
		if p.state.Components != nil {
			text += "." + p.state.Components[p.comp]
		}
	}
	if lanes > 1 && p.lane >= 0 {
		text += fmt.Sprintf(" of lane %d", p.lane)
	}
	return text
}

// value formats a value.
func value(p spot, t isa.Type, v uint64, lanes int) Value {
	out := Value{Name: p.name(lanes), Bits: fmt.Sprintf("%0*x", max(1, (t.Bits+3)/4), v), Number: exec.Format(v, t)}
	if p.kind == counterSpot {
		out.Bits = fmt.Sprintf("%x", v)
	}
	return out
}
