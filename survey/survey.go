// Package survey counts the instructions, field values and unknown words in programs.
package survey

import (
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Place is the location of a word. File is the number of the file, from 0. Addr is the address in
// bits.
type Place struct {
	File int
	Addr int64
}

func (p Place) before(q Place) bool {
	return p.File < q.File || p.File == q.File && p.Addr < q.Addr
}

// Sample is the number of occurrences of something, with the first occurrence.
type Sample struct {
	Count uint64
	First Place
	// Word is the word at First. Text is its assembly text, if the text may depend on tables or
	// contexts that Report does not have. Otherwise Text is "". Meaning is the text of the field
	// value, if Text is not "" and the Sample counts a field value.
	Word          bits.Value
	Text, Meaning string
}

func (s *Sample) add(o Sample) {
	if s.Count == 0 || o.First.before(s.First) {
		s.First, s.Word, s.Text, s.Meaning = o.First, o.Word, o.Text, o.Meaning
	}
	s.Count += o.Count
}

// FileCount counts the files in which something occurs. It stores only the number of the last file, so
// files must be counted one after another. If several Surveys count parts of one file, these Surveys
// must not count other files.
type FileCount struct {
	Files uint64
	last  int // the number of the last file plus 1, or 0 for none
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

// Limits that keep memory independent of the size of the programs.
const (
	// MaxValues is the maximum number of distinct values that are counted per field.
	MaxValues = 256
	// MaxShapes is the maximum number of distinct shapes of unknown words.
	MaxShapes = 4096
	// MaxFeatures is the maximum number of distinct features. It is necessary because files can declare
	// features with any name.
	MaxFeatures = 1024
)

// Survey holds the counts. It is not safe for concurrent use. Each goroutine fills its own Survey, and
// Merge joins them in the order of the programs. After TakeOrdered, the other counts can be merged in
// any order.
type Survey struct {
	Set *isa.Set
	// Files is the number of files. Words counts their instructions and unknown words.
	Files, Words uint64
	// Roots holds the counts of each root, indexed by its ID.
	Roots []Root
	// Features holds the features that files use, by name. OtherFeatures counts the uses of features
	// that are not stored, because there are already MaxFeatures.
	Features      map[string]*Feature
	OtherFeatures uint64
	// SkipFeatures turns off the counting of operand features. That counting takes half of the time.
	// FilesWithoutFeatures is the number of files whose operand features were not counted.
	SkipFeatures         bool
	FilesWithoutFeatures uint64
	// Context is the context of the decoders that Report uses.
	Context bits.Value

	tables   bool // whether the set has tables next to the code
	fields   []isa.Field
	operands []isa.Operand
	buf      []byte
	known    []*Sample    // the samples that the last instruction incremented
	files    []*FileCount // the file counts of the last instruction
	words    []repeat     // a cache, indexed by a hash of the word
	named    map[operandFeature]string
	used     []*Feature // the features of the last instruction
}

// repeat is a cache entry for a word. last is the place of the last occurrence. samples and files are
// the counts that an occurrence increments. Both are nil until the word occurs twice.
type repeat struct {
	d             *isa.Decoder
	context, word bits.Value
	last          Place
	samples       []*Sample
	files         []*FileCount
}

// Feature is something that files use, such as relative addressing of a register file, a memory, a
// stage or a semantic.
type Feature struct {
	FileCount
	// Sample counts the instructions that use the feature. It is empty for a feature that files
	// declare. Root is the root of the first instruction.
	Sample
	Root *isa.Root
}

// use adds a sample of instructions that use the feature.
func (f *Feature) use(o Sample, root *isa.Root) {
	if f.Count == 0 || o.First.before(f.First) {
		f.Root = root
	}
	f.Sample.add(o)
}

// repeats is the number of cache entries for words. Programs usually repeat a word soon.
const repeats = 1 << 14

// Root holds the counts of one root.
type Root struct {
	// Leaves holds the counts of each instruction, indexed by its ID.
	Leaves []Leaf
	// Unknown holds the words that match no leaf, by shape. Others counts the words whose shape is not
	// stored, because there are already MaxShapes.
	Unknown map[Shape]*Sample
	Others  Sample
	// Nonconforming counts the instructions that have a finding.
	Nonconforming Sample
}

// Leaf holds the counts of one instruction.
type Leaf struct {
	Sample
	FileCount
	// Fields holds the fields of the instruction, in the order in which they were first counted.
	Fields []*Field
}

// Field holds the counts of one field of an instruction.
type Field struct {
	Path string
	// Values holds a sample of each value. It is nil if TooMany is true.
	Values  map[uint64]*Sample
	TooMany bool

	low [64]*Sample // the samples of small values, which are the most frequent
}

// Shape is a class of unknown words. Nearest is the ID of the leaf from whose fixed bits the words
// differ least. Differs is the mask of the bits that differ. If Differs is zero, the fixed bits match
// and a condition of the description excludes the leaf.
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
	if s.tables { // the meaning of a word depends on the tables
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

func hash(word bits.Value) uint64 {
	var h uint64
	for _, limb := range word {
		h = (h ^ limb) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h
}

// instruction counts an instruction without the cache.
func (s *Survey) instruction(d *isa.Decoder, in isa.Inst, place Place) {
	one := Sample{Count: 1, First: place, Word: in.Bits}
	if s.SkipFeatures {
		s.buf = d.Append(s.buf[:0], in)
	} else {
		s.buf, s.operands = d.AppendOperands(s.buf[:0], s.operands[:0], in)
	}
	nonconforming := d.NumFindings() > 0
	root := &s.Roots[in.Leaf.Root.ID]
	leaf := &root.Leaves[in.Leaf.ID]
	s.known, s.files = append(s.known[:0], &leaf.Sample), append(s.files[:0], &leaf.FileCount)
	leaf.add(s.text(one, d, leaf.Count == 0))
	leaf.addFile(place.File)
	if nonconforming {
		s.known = append(s.known, &root.Nonconforming)
		root.Nonconforming.add(s.text(one, d, root.Nonconforming.Count == 0))
	}
	s.features(d, one)
	s.fields = d.FieldValues(s.fields[:0], in)
	at := 0
	for i := range s.fields {
		f := &s.fields[i]
		if f.Derived() || f.Value.Len() > 64 || f.Index || !caresForAll(d, in, f) {
			continue // The assembler chooses the position of an entry and the parts that this instruction ignores.
		}
		at = leaf.find(f.Path, at)
		s.count(leaf.Fields[at], f.Value[0], &one, d, in)
		at++
	}
}

// caresForAll reports whether the instruction depends on all bits of a field.
func caresForAll(d *isa.Decoder, in isa.Inst, f *isa.Field) bool {
	if f.Table == "" {
		return true
	}
	_, all := d.DependsOn(in, f)
	return all
}

// find returns the index of the field with a path. It adds the field if it is new. The search starts
// at the given index, because the fields of an instruction usually come in the same order.
func (l *Leaf) find(path string, from int) int {
	for k := range l.Fields {
		if i := (from + k) % len(l.Fields); l.Fields[i].Path == path {
			return i
		}
	}
	l.Fields = append(l.Fields, &Field{Path: path, Values: map[uint64]*Sample{}})
	return len(l.Fields) - 1
}

// count counts a value of a field.
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

// sample returns the sample of a value, or nil if there is none.
func (f *Field) sample(value uint64) *Sample {
	if value < uint64(len(f.low)) {
		return f.low[value]
	}
	return f.Values[value]
}

// text adds the assembly text to a sample, if first is true and Report cannot print the text later. It
// returns the sample.
func (s *Survey) text(one Sample, d *isa.Decoder, first bool) Sample {
	if first && (s.tables || d.Context() != s.Context) {
		one.Text = string(s.buf)
	}
	return one
}

// meaning is like text, but it also adds the text of a field value.
func (s *Survey) meaning(one Sample, d *isa.Decoder, in isa.Inst, path string) Sample {
	one = s.text(one, d, true)
	if one.Text != "" {
		one.Meaning = meaningOf(d, in, path)
	}
	return one
}

// meaningOf returns the text of a field value, or "" if it has none.
func meaningOf(d *isa.Decoder, in isa.Inst, path string) string {
	for _, f := range d.Fields(nil, in) {
		if f.Path == path {
			return f.Meaning
		}
	}
	return ""
}

// add adds a sample of a value to the counts of the field and returns the stored sample. It returns
// nil if the field has too many values.
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
	kept := seen // Only stored samples escape to the heap.
	f.Values[value] = &kept
	if value < uint64(len(f.low)) {
		f.low[value] = &kept
	}
	return &kept
}

// CountUnknown counts a word that matches no leaf of the root.
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

// shapeOf returns the shape of a word for the leaf from whose fixed bits the word differs least. If
// several leaves are equally near, shapeOf uses the first one.
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

// NearestShapes returns the shapes of a word for the leaves from whose fixed bits the word differs
// least, nearest first. It returns at most the given number of shapes.
func NearestShapes(root *isa.Root, word bits.Value, most int) []Shape {
	list := make([]Shape, len(root.Leaves))
	for i, l := range root.Leaves {
		list[i] = shape(l, word)
	}
	slices.SortStableFunc(list, func(a, b Shape) int { return ones(a.Differs) - ones(b.Differs) })
	return list[:min(most, len(list))]
}

// Describe returns a description of how words of the shape differ from the nearest instruction.
func (s Shape) Describe(root *isa.Root) string {
	x := SeenShape{Nearest: root.Leaves[s.Nearest].Name, Differs: s.bits()}
	return x.where()
}

// bits lists the bits that differ, highest first.
func (s Shape) bits() []int {
	list := []int{}
	for bit := bits.Size - 1; bit >= 0; bit-- {
		if s.Differs.Bit(bit) != 0 {
			list = append(list, bit)
		}
	}
	return list
}

// TakeOrdered moves the number of words and the counts of unknown words to a new survey, and returns that survey. Merge
// the returned surveys in the order of the programs, because a survey stores only the first MaxShapes shapes.
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

// Merge adds the counts of another survey of the same set. o must not be used afterwards.
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
