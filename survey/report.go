package survey

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Report is a survey, sorted for printing.
type Report struct {
	ISA string `json:"isa"`
	// Files are the names of all files. Read is the number of files that could be read.
	Files   []string `json:"files"`
	Read    uint64   `json:"files_read"`
	Words   uint64   `json:"words"`
	Unknown uint64   `json:"unknown"`
	// Nonconforming counts the words with a finding. NonconformingFirst holds the first such word of
	// each root.
	Nonconforming      uint64     `json:"nonconforming"`
	NonconformingFirst []Evidence `json:"nonconforming_first,omitempty"`
	// Leaves is the number of instructions in the description.
	Leaves int `json:"leaves"`
	// Seen holds the instructions that occur, most frequent first. Unseen holds the names of all other
	// instructions.
	Seen   []SeenLeaf `json:"seen"`
	Unseen []string   `json:"unseen"`
	// Shapes are the shapes of the unknown words, most frequent first. Others counts the unknown words
	// with shapes in excess of MaxShapes.
	Shapes []SeenShape `json:"unknown_shapes"`
	Others uint64      `json:"unknown_others,omitempty"`
	// Rare holds the values that occur much less often than the average value of their field, rarest
	// first.
	Rare []SeenValue `json:"rare_values"`
	// Features holds the features that files use, sorted by name. OtherFeatures counts the uses of
	// features in excess of MaxFeatures.
	Features      []SeenFeature `json:"features"`
	OtherFeatures uint64        `json:"other_features,omitempty"`
	// FilesWithoutFeatures is the number of raw files whose operands were not examined for features,
	// because the files are too large.
	FilesWithoutFeatures uint64 `json:"files_without_features,omitempty"`
}

// SeenFeature is a feature that occurs.
type SeenFeature struct {
	Name string `json:"name"`
	// Files is the number of files with the feature. Count is the number of instructions that use it,
	// or 0 for a feature that files declare. First is the first of these instructions.
	Files uint64    `json:"files"`
	Count uint64    `json:"count,omitempty"`
	First *Evidence `json:"first,omitempty"`
}

// Evidence is a word with its location.
type Evidence struct {
	File string `json:"file"`
	// Program is the name of the program, if the file has several.
	Program string `json:"program,omitempty"`
	// Address is the offset in bytes from the start of the program.
	Address int64 `json:"address"`
	// Word is the word in hexadecimal. Text is its assembly text, or "" if it is not an instruction.
	Word string `json:"word"`
	Text string `json:"text,omitempty"`
}

// SeenLeaf is an instruction that occurs.
type SeenLeaf struct {
	Root  string `json:"root,omitempty"`
	Name  string `json:"name"`
	Count uint64 `json:"count"`
	// Files is the number of files that contain the instruction.
	Files  uint64      `json:"files"`
	First  Evidence    `json:"first"`
	Fields []SeenField `json:"fields,omitempty"`
}

// SeenField is a field of an instruction that occurs.
type SeenField struct {
	Path string `json:"path"`
	// Values holds the values that occur, most frequent first. It is empty if TooMany is true.
	Values  []ValueCount `json:"values,omitempty"`
	TooMany bool         `json:"many,omitempty"`
}

// ValueCount is the number of occurrences of a value.
type ValueCount struct {
	Value uint64 `json:"value"`
	Count uint64 `json:"count"`
}

// SeenShape is a shape of unknown words.
type SeenShape struct {
	Count uint64   `json:"count"`
	First Evidence `json:"first"`
	// Nearest is the instruction from whose fixed bits the words differ least. Differs lists the bits
	// that differ, highest first. If Differs is empty, the fixed bits match and a condition of the
	// description excludes the instruction.
	Nearest string `json:"nearest"`
	Differs []int  `json:"differs"`
}

// SeenValue is a rare value of a field.
type SeenValue struct {
	Instruction string `json:"instruction"`
	Path        string `json:"path"`
	Value       uint64 `json:"value"`
	// Meaning is the text of the value.
	Meaning string `json:"meaning,omitempty"`
	Count   uint64 `json:"count"`
	// Of is the number of occurrences of the instruction.
	Of    uint64   `json:"of"`
	First Evidence `json:"first"`
}

// A value of a field is rare if the average value occurs more than rareShare times as often. The
// instruction must occur at least rareLeast times.
const (
	rareShare = 10
	rareLeast = 50
	rareMost  = 100 // the maximum number of rare values in a report
)

// Report returns the sorted counts. files holds the file names, indexed by file number. program
// returns the name of the program at a place, or "" if the file has only one program. It also returns
// the address at which the program starts, in bits. If program is nil, each file has one program.
// decode returns a decoder for a root, with the contexts of the survey.
func (s *Survey) Report(files []string, program func(Place) (name string, start int64), decode func(root *isa.Root) (*isa.Decoder, error)) (*Report, error) {
	r := &Report{ISA: s.Set.Name(), Files: files, Read: s.Files, Words: s.Words, Seen: []SeenLeaf{}, Unseen: []string{}, Shapes: []SeenShape{}, Rare: []SeenValue{}, Features: []SeenFeature{}, OtherFeatures: s.OtherFeatures, FilesWithoutFeatures: s.FilesWithoutFeatures}
	reporters := map[*isa.Root]*reporter{}
	for i, root := range s.Set.Roots() {
		if !s.Roots[i].used() {
			continue
		}
		d, err := decode(root)
		if err != nil {
			return nil, err
		}
		w := reporter{r, files, program, root, d}
		reporters[root] = &w
		w.add(&s.Roots[i])
		if nonconforming := s.Roots[i].Nonconforming; nonconforming.Count > 0 {
			r.Nonconforming += nonconforming.Count
			r.NonconformingFirst = append(r.NonconformingFirst, w.evidence(nonconforming))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Features)) {
		f := s.Features[name]
		x := SeenFeature{Name: name, Files: f.Files, Count: f.Count}
		if f.Count > 0 {
			first := reporters[f.Root].evidence(f.Sample)
			x.First = &first
		}
		r.Features = append(r.Features, x)
	}
	slices.SortStableFunc(r.Seen, func(a, b SeenLeaf) int { return cmp.Compare(b.Count, a.Count) })
	slices.SortStableFunc(r.Shapes, func(a, b SeenShape) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Nearest, b.Nearest), slices.Compare(a.Differs, b.Differs))
	})
	slices.SortStableFunc(r.Rare, func(a, b SeenValue) int {
		return cmp.Or(cmp.Compare(float64(a.Count)/float64(a.Of), float64(b.Count)/float64(b.Of)),
			strings.Compare(a.Instruction, b.Instruction), strings.Compare(a.Path, b.Path), cmp.Compare(a.Value, b.Value))
	})
	r.Rare = r.Rare[:min(len(r.Rare), rareMost)]
	return r, nil
}

// used reports whether words of the root were counted.
func (r *Root) used() bool {
	return len(r.Unknown) > 0 || slices.ContainsFunc(r.Leaves, func(l Leaf) bool { return l.Count > 0 })
}

// reporter adds the counts of one root to a report.
type reporter struct {
	r       *Report
	files   []string
	program func(Place) (name string, start int64)
	root    *isa.Root
	d       *isa.Decoder
}

func (w *reporter) add(seen *Root) {
	r := w.r
	r.Leaves += len(w.root.Leaves)
	for i, l := range w.root.Leaves {
		leaf := &seen.Leaves[i]
		if leaf.Count == 0 {
			r.Unseen = append(r.Unseen, l.Name)
			continue
		}
		r.Seen = append(r.Seen, SeenLeaf{w.root.Name, l.Name, leaf.Count, leaf.Files, w.evidence(leaf.Sample), w.fields(l, leaf)})
	}
	for shape, sample := range seen.Unknown {
		r.Unknown += sample.Count
		r.Shapes = append(r.Shapes, SeenShape{sample.Count, w.evidence(*sample), w.root.Leaves[shape.Nearest].Name, shape.bits()})
	}
	r.Unknown += seen.Others.Count
	r.Others += seen.Others.Count
}

// hex formats a word in hexadecimal, with leading zeros up to the size of its instruction. If the word
// matches no instruction, hex adds leading zeros up to the size of the shortest instruction.
func (w *reporter) hex(v bits.Value) string {
	size := w.root.MinSize
	if in, ok := w.d.Decode(v); ok {
		size = in.Leaf.Size
	}
	return string(v.AppendHex(nil, (size+3)/4))
}

func (w *reporter) evidence(s Sample) Evidence {
	e := Evidence{File: w.files[s.First.File], Address: s.First.Addr / 8, Word: w.hex(s.Word), Text: s.Text}
	if w.program != nil {
		name, start := w.program(s.First)
		e.Program, e.Address = name, (s.First.Addr-start)/8
	}
	w.d.Addr = 8 * e.Address // for branches relative to the address
	if in, ok := w.d.Decode(s.Word); ok && s.Text == "" {
		e.Text = string(w.d.Append(nil, in))
	}
	return e
}

// fields returns the counts of an instruction's fields, sorted by path. It adds their rare values to
// the report.
func (w *reporter) fields(l *isa.Leaf, seen *Leaf) []SeenField {
	var list []SeenField
	for _, f := range seen.Fields {
		x := SeenField{Path: f.Path, TooMany: f.TooMany}
		for v, s := range f.Values {
			x.Values = append(x.Values, ValueCount{v, s.Count})
			if seen.Count >= rareLeast && s.Count*rareShare*uint64(len(f.Values)) < seen.Count {
				w.r.Rare = append(w.r.Rare, SeenValue{l.Name, f.Path, v, w.meaning(s, f.Path), s.Count, seen.Count, w.evidence(*s)})
			}
		}
		slices.SortFunc(x.Values, func(a, b ValueCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value)) })
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b SeenField) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// meaning returns the text of a field value.
func (w *reporter) meaning(s *Sample, path string) string {
	if s.Text != "" {
		return s.Meaning
	}
	in, ok := w.d.Decode(s.Word)
	if !ok {
		return ""
	}
	return meaningOf(w.d, in, path)
}

// Print prints a report as text. title formats the headings. If all is false, Print shows only the
// first 20 instructions, features, shapes and values.
func (r *Report) Print(w io.Writer, title func(string) string, all bool) {
	most := 20
	if all {
		most = 1 << 30
	}
	fmt.Fprintf(w, "%s in %s: %s known, %s unknown, %s with a finding\n", plural(r.Words, "word"), plural(r.Read, "file"),
		count(r.Words-r.Unknown), count(r.Unknown), count(r.Nonconforming))
	for _, x := range r.NonconformingFirst {
		fmt.Fprintf(w, "  the first word with a finding: %s\n", x)
	}
	if r.Words == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s %d of %d seen\n", title("Instructions:"), len(r.Seen), r.Leaves)
	for _, x := range r.Seen[:min(most, len(r.Seen))] {
		fmt.Fprintf(w, "%12s  %5.1f %%  %s%-16s %s\n", count(x.Count), percent(x.Count, r.Words), r.in(x.Files), x.Name, x.First)
	}
	more(w, len(r.Seen)-most)
	if len(r.Unseen) > 0 {
		fmt.Fprintf(w, "%s %s\n", title("Never seen:"), strings.Join(r.Unseen, ", "))
	}
	if len(r.Features) > 0 {
		fmt.Fprintf(w, "\n%s\n", title("Features:"))
	}
	for _, x := range r.Features[:min(most, len(r.Features))] {
		if x.First != nil {
			fmt.Fprintf(w, "%12s  %s%s  %s\n", count(x.Count), r.in(x.Files), x.Name, x.First)
		} else {
			fmt.Fprintf(w, "%12s  %s%s\n", "", r.in(x.Files), x.Name)
		}
	}
	more(w, len(r.Features)-most)
	if r.FilesWithoutFeatures > 0 {
		fmt.Fprintf(w, "\nFeatures of operands are not counted in %s of raw code because of the size\n", plural(r.FilesWithoutFeatures, "file"))
	}
	if len(r.Shapes) > 0 {
		fmt.Fprintf(w, "\n%s\n", title("Unknown words, by the nearest instruction and the bits in which they differ from it:"))
	}
	for _, x := range r.Shapes[:min(most, len(r.Shapes))] {
		fmt.Fprintf(w, "%12s  %5.1f %%  %s\n", count(x.Count), percent(x.Count, r.Words), x.where())
		fmt.Fprintf(w, "%24s%s\n", "", x.First)
	}
	more(w, len(r.Shapes)-most)
	if len(r.Rare) > 0 {
		fmt.Fprintf(w, "\n%s\n", title("Rare values of fields:"))
	}
	for _, x := range r.Rare[:min(most, len(r.Rare))] {
		fmt.Fprintf(w, "%12s of %-10s %s %s = %#x", count(x.Count), count(x.Of), x.Instruction, x.Path, x.Value)
		if x.Meaning != "" {
			fmt.Fprintf(w, " %q", x.Meaning)
		}
		fmt.Fprintf(w, "\n%24s%s\n", "", x.First)
	}
	more(w, len(r.Rare)-most)
}

// in formats the number of files in which something occurs. It returns "" if only one file was read.
func (r *Report) in(files uint64) string {
	if r.Read < 2 {
		return ""
	}
	all := count(r.Read)
	return fmt.Sprintf("%*s/%s files  ", len(all), count(files), all)
}

// where describes how a shape differs from the nearest instruction.
func (x *SeenShape) where() string {
	switch len(x.Differs) {
	case 0:
		return fmt.Sprintf("%s, which does not exist under these conditions (chip, stage or generation)", x.Nearest)
	case 1:
		return fmt.Sprintf("%s, except for bit %d", x.Nearest, x.Differs[0])
	}
	var list []string
	for _, b := range x.Differs {
		list = append(list, fmt.Sprint(b))
	}
	return fmt.Sprintf("%s, except for bits %s", x.Nearest, strings.Join(list, ", "))
}

// String formats the location, the word and its text.
func (e Evidence) String() string {
	s := e.File
	if e.Program != "" {
		s += ":" + e.Program
	}
	s += fmt.Sprintf("@0x%x: %s", e.Address, e.Word)
	if e.Text != "" {
		s += "  " + e.Text
	}
	return s
}

func more(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "%12s  more; --all shows them\n", count(uint64(n)))
	}
}

func percent(n, of uint64) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// plural formats a count with a noun.
func plural(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(n) + " " + noun
}

// count formats a number with commas between thousands.
func count(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
