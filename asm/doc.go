// Package asm parses the text of instructions. Its grammar consists of the display templates from which package isa
// prints instructions.
//
// # Parts
//
//   - Parser parses the instructions of one root. ParseLine parses a Line, a text that was derived from a source line.
//   - matcher parses a line along the grammar, item by item, with backtracking.
//   - assignment holds the bits that are known so far, with a trail to undo them.
//   - solver finds bits that satisfy the constraints: first by propagation, then from defaults, then by search.
//   - completion completes a part of a line to instructions, for Expected. Annotate locates the parts of a line.
//   - failure collects the reasons for an error. It exists only while a rejected line is parsed a second time.
//   - cache maps lines to their readings, because programs repeat lines.
//   - Lossless prints an instruction. If its text would assemble to other bits, a suffix specifies the difference.
//   - Table chooses the indices of table entries. A FixedTable cannot change. A GrowingTable adds entries.
//   - Canonical chooses values for the bits of table entries on which an instruction does not depend.
//
// # Terms
//
//   - environment: a bitset together with the meanings of the names in it (model.Env). A leaf in an environment is a
//     bound leaf (model.BoundLeaf).
//   - grammar: the prefix tree of all templates in an environment. Nested bitsets are nonterminals with grammars of
//     their own.
//   - node, edge: a state of the parser, and a transition that reads an item.
//   - item: a terminal or nonterminal of a template. Operands consist of pieces, see <operand> in docs/language.md.
//   - alternative: an edge, a set member or a reduction with which parsing can continue at a node.
//   - reduction: the end of a template, with the leaf and its conditions.
//   - choice: a backtrack point, that is, an alternative that has not been tried yet.
//   - piece: an item that was read, with its place in the text.
//   - reading: a parse of a whole line. An ambiguous line has several readings.
//   - FIRST set: the bytes with which the text of an alternative can start (firstSet).
//   - anchor: a word that every text of a template contains, usually the mnemonic.
//   - space: a group of bits that text can specify: the word, the contexts, a table entry or a computed value.
//   - scope: the bits of a nested value in its space. A scope depth is the number of scopes to go outward.
//   - constraint: a condition on bits, from the condition of a case or from a computed field.
//   - free bit: a bit that neither text nor constraints have set yet.
//   - idle bit: a bit of a table entry on which the instruction does not depend.
//   - assumed bit: a bit that comes from a default, not from the text.
//   - canonical: spelled as isa prints it. Another radix, a missing blank or an alias is non-canonical.
package asm
