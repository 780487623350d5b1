package survey

import (
	"slices"

	"github.com/isago/isago/isa"
)

// operandFeature is a feature that an operand uses: a memory, or relative addressing of a register
// file or a memory.
type operandFeature struct {
	file, relative *isa.File
	memory         *isa.Memory
}

func (f operandFeature) name() string {
	switch {
	case f.memory == nil:
		return "relative addressing of " + f.file.Name + " by " + f.relative.Name
	case f.relative != nil:
		return "relative addressing of memory " + f.memory.Name + " by " + f.relative.Name
	}
	return "memory " + f.memory.Name
}

// features counts the features that the operands of an instruction use, each feature once.
func (s *Survey) features(d *isa.Decoder, one Sample) {
	if s.SkipFeatures {
		return
	}
	s.used = s.used[:0]
	for i := range s.operands {
		o := &s.operands[i]
		if o.Memory != nil {
			s.use(operandFeature{memory: o.Memory}, d, one)
		}
		if o.Relative.File != nil && (o.Memory != nil || o.Register.File != nil) {
			s.use(operandFeature{o.Register.File, o.Relative.File, o.Memory}, d, one)
		}
	}
}

// use counts a feature of an instruction, unless an earlier operand of the instruction has the same
// feature.
func (s *Survey) use(f operandFeature, d *isa.Decoder, one Sample) {
	name, ok := s.named[f]
	if !ok {
		name = f.name()
		s.named[f] = name
	}
	x := s.feature(name)
	if x == nil || slices.Contains(s.used, x) {
		return
	}
	s.used = append(s.used, x)
	x.use(s.text(one, d, x.Count == 0), d.Root())
	x.addFile(one.First.File)
	s.known, s.files = append(s.known, &x.Sample), append(s.files, &x.FileCount)
}

// CountDeclared counts a feature that a file declares.
func (s *Survey) CountDeclared(name string, file int) {
	if x := s.feature(name); x != nil {
		x.addFile(file)
	}
}

// feature returns the counts of a feature, and adds the feature if it is new. It returns nil if there
// are already MaxFeatures features.
func (s *Survey) feature(name string) *Feature {
	x := s.Features[name]
	if x == nil {
		if len(s.Features) == MaxFeatures {
			s.OtherFeatures++
			return nil
		}
		x = &Feature{}
		s.Features[name] = x
	}
	return x
}
