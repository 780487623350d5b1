package isa

import (
	"slices"
	"strings"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Mnemonic returns the mnemonic of an instruction as it appears in the text. The description marks it
// with {NAME} and with fields of kind mnemonic. If the description marks nothing, the mnemonic is the
// first word of the display. For an instruction that consists of several operations, Mnemonic returns
// the mnemonic of the first operation that has one. It returns "" if there is no mnemonic.
func (d *Decoder) Mnemonic(in Inst) string {
	d.setTop(in)
	found := len(d.findings)
	name := ""
	if i := d.shownCase(0); i >= 0 {
		name = d.mnemonic(d.frames[0].leaf.Cases[i].Items, 0)
	}
	d.dropFindings(found)
	return name
}

func (d *Decoder) mnemonic(items []model.Item, depth int) string {
	from := slices.IndexFunc(items, func(it model.Item) bool { return isMnemonicPart(&it) })
	if from < 0 {
		if word := firstWord(items); word != "" {
			return word
		}
		return d.mnemonicInside(items, depth)
	}
	end := from + 1
	for end < len(items) && isMnemonicPart(&items[end]) {
		end++
	}
	if end == from+1 && items[from].Kind == model.ItemName {
		return items[from].Text
	}
	d.text = d.items(d.text[:0], items[from:end], depth)
	return d.intern(d.text)
}

// mnemonicInside searches the operations in a display for a mnemonic. It returns the first mnemonic, or
// "" if there is none.
func (d *Decoder) mnemonicInside(items []model.Item, depth int) string {
	for i := range items {
		if items[i].Kind != model.ItemRef {
			continue
		}
		ref := d.pick(items[i].Alts, depth)
		if ref == nil || ref.Kind != spec.KindBitset || !ref.Field.Bitset.HasOperands {
			continue
		}
		if inner, x, ok := d.enterDisplayed(ref, depth); ok && x != nil {
			if name := d.mnemonic(x.items, inner); name != "" {
				return name
			}
		}
	}
	return ""
}

// firstWord returns the first word of a template, or "".
func firstWord(items []model.Item) string {
	for i := range items {
		if items[i].Kind != model.ItemText {
			continue
		}
		s := items[i].Text
		if from := strings.IndexFunc(s, func(r rune) bool { return r < 128 && letter(byte(r)) }); from >= 0 {
			word, _, _ := strings.Cut(s[from:], " ")
			word, _, _ = strings.Cut(word, "\t")
			return word
		}
	}
	return ""
}

// maxMnemonics is the maximum number of mnemonics that are listed for a leaf.
const maxMnemonics = 1 << 12

// Mnemonics lists the values that Decoder.Mnemonic can return for the leaf, at most 4,096. The caller
// must not change the list.
func (l *Leaf) Mnemonics() []string {
	l.named.Do(func() {
		m, seen := l.set.model, map[string]bool{}
		mnemonicsOf(m.TopEnv(l.model.Root).Bound(l.model), 0, func(name string) {
			if name != "" && !seen[name] && len(seen) < maxMnemonics {
				seen[name] = true
				l.mnemonics = append(l.mnemonics, name)
			}
		})
		l.mnemonics = slices.Clip(l.mnemonics) // so that a caller who appends to the list copies it
	})
	return l.mnemonics
}

// IsNested reports whether the words of a root are parts of words of another root. An example is a root
// for the single operations of an instruction.
func (s *Set) IsNested(r *Root) bool {
	for _, b := range s.model.ISA.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if f.Bitset != nil && f.Bitset == s.model.Roots[r.ID].Spec {
					return true
				}
			}
		}
	}
	return false
}

// InstructionRoots lists the roots whose words have a mnemonic. Such words are instructions or parts of
// instructions, such as single operations. The main root comes first. InstructionRoots omits roots that
// are kinds of operands or of table entries.
func (s *Set) InstructionRoots() []*Root {
	operands := map[*spec.Bitset]bool{}
	for _, b := range s.model.ISA.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if f.Bitset != nil && !f.Bitset.HasOperands && f.KindOfOperand() != spec.OperandMnemonic {
					operands[f.Bitset] = true
				}
			}
		}
	}
	for _, t := range s.model.ISA.Tables {
		operands[t.Type] = true
	}
	main, err := s.Root("")
	if err != nil {
		return nil
	}
	list := []*Root{main}
	for i, r := range s.roots {
		if r != main && !operands[s.model.Roots[i].Spec] {
			list = append(list, r)
		}
	}
	return list
}

// LeavesByMnemonic lists the leaves of a root whose instructions can have the given mnemonic.
func (r *Root) LeavesByMnemonic(mnemonic string) []*Leaf {
	var list []*Leaf
	for _, l := range r.Leaves {
		if slices.Contains(l.Mnemonics(), mnemonic) {
			list = append(list, l)
		}
	}
	return list
}

// mnemonicsOf calls add with each mnemonic of a leaf's displays.
func mnemonicsOf(u *model.BoundLeaf, depth int, add func(string)) {
	for _, c := range u.Cases {
		if !c.Shown {
			continue
		}
		from := slices.IndexFunc(c.Items, func(it model.Item) bool { return isMnemonicPart(&it) })
		if from >= 0 {
			eachText(c.Items[from:], "", add, maxMnemonics)
			continue
		}
		if word := firstWord(c.Items); word != "" {
			add(word)
			continue
		}
		for i := range c.Items {
			if insideOf(&c.Items[i], depth, add) {
				break
			}
		}
	}
}

// insideOf calls add with the mnemonics of the operations that an item shows. It reports whether the
// item shows operations.
func insideOf(it *model.Item, depth int, add func(string)) bool {
	found := false
	for _, a := range it.Alts {
		if a.Ref == nil || a.Ref.Kind != spec.KindBitset || !a.Ref.Field.Bitset.HasOperands || depth >= maxFrames {
			continue
		}
		found = true
		for _, l := range a.Ref.Env.Root.Leaves {
			mnemonicsOf(a.Ref.Env.Bound(l), depth+1, add)
		}
	}
	return found
}

// eachText calls add with prefix followed by each possible text of the mnemonic at the start of items.
// left is the number of calls that are still allowed. eachText returns the number that remains.
func eachText(items []model.Item, prefix string, add func(string), left int) int {
	if len(items) == 0 || !isMnemonicPart(&items[0]) {
		add(prefix)
		return left - 1
	}
	it := &items[0]
	if it.Kind == model.ItemName {
		return eachText(items[1:], prefix+it.Text, add, left)
	}
	for _, a := range it.Alts {
		for _, text := range textsOfRef(a.Ref) {
			if text != "" {
				text = it.Before + text + it.After
			}
			if left = eachText(items[1:], prefix+text, add, left); left <= 0 {
				return left
			}
		}
	}
	return left
}

// textsOfRef lists the texts of a field that is a part of a mnemonic: an enum, a flag or a bitset.
func textsOfRef(ref *model.Ref) []string {
	var list []string
	switch {
	case ref == nil || ref.Field == nil:
	case ref.Kind == spec.KindEnum:
		for _, t := range ref.Enum.Texts {
			if !t.Alias {
				list = append(list, t.Text)
			}
		}
	case ref.Field.Display != nil:
		list = []string{"", *ref.Field.Display}
	case ref.Kind == spec.KindBitset:
		for _, l := range ref.Env.Root.Leaves {
			for _, c := range ref.Env.Bound(l).Cases {
				if c.Shown {
					eachText(c.Items, "", func(s string) { list = append(list, s) }, maxMnemonics)
				}
			}
		}
	}
	return list
}
