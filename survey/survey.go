// Package survey counts what programs use of an instruction set: instructions, field values, and unknown words.
package survey

import (
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Place is where a word stands: in which of the files, counted from 0, and at which address in bits.
type Place struct {
	File int
	Addr int64
}

func (p Place) before(q Place) bool {
	return p.File < q.File || p.File == q.File && p.Addr < q.Addr
}

// Sample is how often something was seen, and where it was seen first.
type Sample struct {
	Count uint64
	First Place
	// Word is what stands at First. Text is its text where that depends on tables beside the code or on contexts that
	// are gone in the end; "" elsewhere. Meaning is then that of the value, of a value of a field.
	Word          bits.Value
	Text, Meaning string
}

func (s *Sample) add(o Sample) {
	if s.Count == 0 || o.First.before(s.First) {
		s.First, s.Word, s.Text, s.Meaning = o.First, o.Word, o.Text, o.Meaning
	}
	s.Count += o.Count
}

// FileCount counts in how many files something was seen. It remembers the last of them, so that its size does not depend on how many
// there are: files are surveyed one after the other, and surveys that share a file are of that file only.
type FileCount struct {
	Files uint64
	last  int // the number of the last file, counted from 1; 0 for none
}

func (n *FileCount) addFile(file int) {
	if n.last != file+1 {
		n.Files++
		n.last = file + 1
	}
}

func (n *FileCount) merge(o FileCount) {
	n.Files += o.Files
	if n.last == o.last && o.last > 0 {
		n.Files--
	}
	n.last = max(n.last, o.last)
}

// Limits on what is kept, so that memory does not grow with the programs.
const (
	// MaxValues is the number of values of a field that are counted one by one. Of a field with more,
	// such as a constant, it is only known that there are more.
	MaxValues = 256
	// MaxShapes is the number of shapes of unknown words that are told apart.
	MaxShapes = 4096
	// MaxFeatures is the number of features that are counted. Descriptions have few; files may say what they want.
	MaxFeatures = 1024
)

// Survey is what was counted. It is not for use by several goroutines: each has its own, and they are joined by Add, in
// the order of the programs; of Ordered surveys the rest may come in any order.
type Survey struct {
	Set *isa.Set
	// Files is the number of files, Words that of their instructions and unknown words.
	Files, Words uint64
	// Roots are the kinds of instructions, by their IDs.
	Roots []Root
	// Features are what files use beyond their instructions, by name; OtherFeatures counts those of further names.
	Features      map[string]*Feature
	OtherFeatures uint64
	// SkipFeatures says not to look for features in operands, which takes as long as all else. Dumps is the number of files of which that
	// was said.
	SkipFeatures         bool
	FilesWithoutFeatures uint64
	// Context is that of the decoders with which Report prints.
	Context bits.Value

	tables   bool // the set has tables beside the code
	fields   []isa.Field
	operands []isa.Operand
	buf      []byte
	known    []*Sample    // what the last instruction added to
	files    []*FileCount // where it was seen
	words    []repeat     // by a hash of the word
	named    map[operandFeature]string
	used     []*Feature // by the last instruction
}

// repeat is a word that was counted, at last at a place. samples are what it adds to, and files where it was seen; both are nil at
// first sight.
type repeat struct {
	d             *isa.Decoder
	context, word bits.Value
	last          Place
	samples       []*Sample
	files         []*FileCount
}

// Feature is something that files use: relative addressing of a file of registers, a memory, a stage, a semantic.
type Feature struct {
	FileCount
	// Sample counts the instructions that use it; none of what files say of themselves. Root is the kind of the first.
	Sample
	Root *isa.Root
}

// use adds instructions that use the feature.
func (f *Feature) use(o Sample, root *isa.Root) {
	if f.Count == 0 || o.First.before(f.First) {
		f.Root = root
	}
	f.Sample.add(o)
}

// repeats is the number of words that are remembered: programs say most things again soon.
const repeats = 1 << 14

// Root is what was seen of one kind of instruction.
type Root struct {
	// Leaves are the instructions, by their IDs.
	Leaves []Leaf
	// Unknown are the words that are none, by their shapes; Others those of further shapes.
	Unknown map[Shape]*Sample
	Others  Sample
	// Nonconforming are the instructions that have a finding.
	Nonconforming Sample
}

// Leaf is what was seen of an instruction.
type Leaf struct {
	Sample
	FileCount
	// Fields are its fields, in the order in which they were met.
	Fields []*Field
}

// Field is what was seen of a field of an instruction.
type Field struct {
	Path string
	// Values are the values, none where there are more than MaxValues.
	Values  map[uint64]*Sample
	TooMany bool

	low [64]*Sample // of Values, those of small values: most are
}

// Shape tells unknown words apart: the instruction that differs from the word in the fewest of its
// fixed bits, and these bits. Where there are none, the instruction matches, and some condition of
// the description excludes it.
type Shape struct {
	Nearest int
	Differs bits.Value
}

// New returns an empty survey.
func New(set *isa.Set) *Survey {
	s := &Survey{
		Set: set, Roots: make([]Root, len(set.Roots())), Features: map[string]*Feature{}, Context: set.DefaultContext(),
		tables: len(set.Tables()) > 0, named: map[operandFeature]string{},
	}
	for i, r := range set.Roots() {
		s.Roots[i] = Root{Leaves: make([]Leaf, len(r.Leaves)), Unknown: map[Shape]*Sample{}}
	}
	return s
}

// CountInstruction counts an instruction that d has decoded, and its fields.
func (s *Survey) CountInstruction(d *isa.Decoder, in isa.Inst, place Place) {
	s.Words++
	if s.tables { // on which it depends what a word is
		s.instruction(d, in, place)
		return
	}
	if s.words == nil {
		s.words = make([]repeat, repeats)
	}
	x := &s.words[hash(in.Bits)%repeats]
	same := x.d == d && x.word == in.Bits && x.context == d.Context() && x.last.before(place)
	before := x.last.File
	x.last = place
	if same && x.samples != nil {
		for i := 0; before != place.File && i < len(x.files); i++ {
			x.files[i].addFile(place.File)
		}
		for _, sample := range x.samples {
			sample.Count++
		}
		return
	}
	s.instruction(d, in, place)
	switch {
	case same:
		x.samples, x.files = slices.Clone(s.known), slices.Clone(s.files)
	default:
		*x = repeat{d: d, context: d.Context(), word: in.Bits, last: place}
	}
}

// hash mixes the bits of a word.
func hash(word bits.Value) uint64 {
	var h uint64
	for _, limb := range word {
		h = (h ^ limb) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h
}

// instruction counts an instruction of which nothing is remembered.
func (s *Survey) instruction(d *isa.Decoder, in isa.Inst, place Place) {
	one := Sample{Count: 1, First: place, Word: in.Bits}
	if s.SkipFeatures {
		s.buf = d.Append(s.buf[:0], in)
	} else {
		s.buf, s.operands = d.AppendOperands(s.buf[:0], s.operands[:0], in)
	}
	odd := d.Odd() > 0
	root := &s.Roots[in.Leaf.Root.ID]
	leaf := &root.Leaves[in.Leaf.ID]
	s.known, s.files = append(s.known[:0], &leaf.Sample), append(s.files[:0], &leaf.FileCount)
	leaf.add(s.text(one, d, leaf.Count == 0))
	leaf.addFile(place.File)
	if odd {
		s.known = append(s.known, &root.Nonconforming)
		root.Nonconforming.add(s.text(one, d, root.Nonconforming.Count == 0))
	}
	s.features(d, one)
	s.fields = d.Layout(s.fields[:0], in)
	at := 0
	for i := range s.fields {
		f := &s.fields[i]
		if f.Derived() || f.Value.Len() > 64 || f.Index || !caresForAll(d, in, f) {
			continue // an assembler's choice: where an entry stands, and what others that share the entry need of it
		}
		at = leaf.find(f.Path, at)
		s.count(leaf.Fields[at], f.Value[0], &one, d, in)
		at++
	}
}

// caresForAll reports whether the instruction depends on all of a field.
func caresForAll(d *isa.Decoder, in isa.Inst, f *isa.Field) bool {
	if f.Table == "" {
		return true
	}
	_, all := d.Cares(in, f)
	return all
}

// find returns the place of a field, which is added where there is none. It is looked for from a place on, since the
// fields of an instruction come in the same order, most of them each time.
func (l *Leaf) find(path string, from int) int {
	for k := range l.Fields {
		if i := (from + k) % len(l.Fields); l.Fields[i].Path == path {
			return i
		}
	}
	l.Fields = append(l.Fields, &Field{Path: path, Values: map[uint64]*Sample{}})
	return len(l.Fields) - 1
}

// count adds a value of a field. Words come mostly in their order, so that the first is known.
func (s *Survey) count(f *Field, value uint64, one *Sample, d *isa.Decoder, in isa.Inst) {
	if f.TooMany {
		return
	}
	known := f.sample(value)
	switch {
	case known == nil:
		known = f.add(value, s.meaning(*one, d, in, f.Path))
	case known.First.before(one.First):
		known.Count++
	default:
		known.add(s.meaning(*one, d, in, f.Path))
	}
	if known != nil {
		s.known = append(s.known, known)
	}
}

// sample returns what was seen of a value, nil where nothing was.
func (f *Field) sample(value uint64) *Sample {
	if value < uint64(len(f.low)) {
		return f.low[value]
	}
	return f.Values[value]
}

// text adds to a sample what it prints, if the first of its kind is to keep that.
func (s *Survey) text(one Sample, d *isa.Decoder, first bool) Sample {
	if first && (s.tables || d.Context() != s.Context) {
		one.Text = string(s.buf)
	}
	return one
}

// meaning is text for a value of a field, of which it adds the meaning too.
func (s *Survey) meaning(one Sample, d *isa.Decoder, in isa.Inst, path string) Sample {
	one = s.text(one, d, true)
	if one.Text != "" {
		one.Meaning = meaningOf(d, in, path)
	}
	return one
}

// meaningOf returns the text of a field of an instruction, "" where it has none.
func meaningOf(d *isa.Decoder, in isa.Inst, path string) string {
	for _, f := range d.Fields(nil, in) {
		if f.Path == path {
			return f.Meaning
		}
	}
	return ""
}

// add adds what was seen of a value and returns what is known of it, nil where values are no longer counted.
func (f *Field) add(value uint64, seen Sample) *Sample {
	if f.TooMany {
		return nil
	}
	known := f.sample(value)
	if known != nil {
		known.add(seen)
		return known
	}
	if len(f.Values) == MaxValues {
		f.TooMany, f.Values = true, nil
		return nil
	}
	kept := seen // only what is kept is on the heap
	f.Values[value] = &kept
	if value < uint64(len(f.low)) {
		f.low[value] = &kept
	}
	return &kept
}

// CountUnknown counts a word that no instruction of a root has.
func (s *Survey) CountUnknown(root *isa.Root, word bits.Value, at Place) {
	s.Words++
	s.Roots[root.ID].unknown(shapeOf(root, word), Sample{Count: 1, First: at, Word: word})
}

func (r *Root) unknown(shape Shape, seen Sample) {
	if known := r.Unknown[shape]; known != nil {
		known.add(seen)
		return
	}
	if len(r.Unknown) == MaxShapes {
		r.Others.add(seen)
		return
	}
	kept := seen
	r.Unknown[shape] = &kept
}

// shapeOf finds the instruction that differs in the fewest of its fixed bits, the first of several.
func shapeOf(root *isa.Root, word bits.Value) Shape {
	var best Shape
	least := bits.Size + 1
	for _, l := range root.Leaves {
		n := 0
		for i := 0; i < len(word) && n < least; i++ {
			n += mathbits.OnesCount64((word[i] ^ l.Match[i]) & l.Mask[i])
		}
		if n < least {
			best, least = shape(l, word), n
		}
	}
	return best
}

func shape(l *isa.Leaf, word bits.Value) Shape { return Shape{l.ID, word.Xor(l.Match).And(l.Mask)} }

func ones(v bits.Value) int {
	n := 0
	for _, limb := range v {
		n += mathbits.OnesCount64(limb)
	}
	return n
}

// NearestShapes returns the instructions of a root that differ from a word in the fewest of their fixed bits, the
// nearest first, at most so many.
func NearestShapes(root *isa.Root, word bits.Value, most int) []Shape {
	list := make([]Shape, len(root.Leaves))
	for i, l := range root.Leaves {
		list[i] = shape(l, word)
	}
	slices.SortStableFunc(list, func(a, b Shape) int { return ones(a.Differs) - ones(b.Differs) })
	return list[:min(most, len(list))]
}

// Describe says how words of the shape differ from the instruction.
func (s Shape) Describe(root *isa.Root) string {
	x := SeenShape{Nearest: root.Leaves[s.Nearest].Name, Differs: s.bits()}
	return x.where()
}

// bits lists the bits that differ, the highest first.
func (s Shape) bits() []int {
	list := []int{}
	for bit := bits.Size - 1; bit >= 0; bit-- {
		if s.Differs.Bit(bit) != 0 {
			list = append(list, bit)
		}
	}
	return list
}

// TakeOrdered takes out what is to be joined in the order of the programs: the number of words, and those that are no
// instruction, of which the first shapes are told apart.
func (s *Survey) TakeOrdered() *Survey {
	o := &Survey{Set: s.Set, Words: s.Words, Roots: make([]Root, len(s.Roots))}
	s.Words = 0
	for i := range s.Roots {
		r := &s.Roots[i]
		o.Roots[i] = Root{Unknown: r.Unknown, Others: r.Others}
		r.Unknown, r.Others = map[Shape]*Sample{}, Sample{}
	}
	return o
}

// Merge joins what another survey of the same set has counted. The other must not be used any more.
func (s *Survey) Merge(o *Survey) {
	s.Files += o.Files
	s.FilesWithoutFeatures += o.FilesWithoutFeatures
	s.Words += o.Words
	for i := range o.Roots {
		s.Roots[i].merge(&o.Roots[i])
	}
	for name, f := range o.Features {
		if known := s.feature(name); known != nil {
			known.FileCount.merge(f.FileCount)
			if f.Count > 0 {
				known.use(f.Sample, f.Root)
			}
		}
	}
	s.OtherFeatures += o.OtherFeatures
}

func (r *Root) merge(o *Root) {
	for i := range o.Leaves {
		r.Leaves[i].merge(&o.Leaves[i])
	}
	for shape, seen := range o.Unknown {
		r.unknown(shape, *seen)
	}
	if o.Nonconforming.Count > 0 {
		r.Nonconforming.add(o.Nonconforming)
	}
	if o.Others.Count > 0 {
		r.Others.add(o.Others)
	}
}

func (l *Leaf) merge(o *Leaf) {
	if o.Count == 0 {
		return
	}
	l.add(o.Sample)
	l.FileCount.merge(o.FileCount)
	at := 0
	for _, f := range o.Fields {
		at = l.find(f.Path, at)
		known := l.Fields[at]
		at++
		if f.TooMany {
			known.TooMany, known.Values = true, nil
		}
		for v, seen := range f.Values {
			known.add(v, *seen)
		}
	}
}
