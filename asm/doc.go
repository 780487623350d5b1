// Package asm parses the text of instructions. Its grammar is the display templates of a description, read backwards.
//
// # Parts
//
// - Parser is the public parser of one root. ParseLine reads a Line that was derived from other source text. - matcher
// parses a line along the grammar, item by item, with backtracking. - assignment holds the bits known so far, with a
// trail to undo them. - solver finds the bits that satisfy the constraints: by propagation, from defaults, then by
// search. - failure makes the diagnostics. It exists only while a rejected line is parsed a second time. - cache maps
// lines to their readings, because programs repeat lines. - Lossless prints an instruction with a suffix for the bits
// that its text does not specify. - Table chooses the places of table entries: FixedTable in a given table,
// GrowingTable in a table that is being made. Canonical chooses the bits of entries that do not matter.
//
// # Terms
//
// - environment: a bitset together with the meaning of names in it (model.Env). A leaf in an environment is a bound
// leaf (model.BoundLeaf). - grammar: the prefix tree of all templates in an environment. Nested bitsets are
// nonterminals with grammars of their own. - node, edge: a state of the parser, and what can be read there. - item: a
// terminal or nonterminal of a template. Operands consist of pieces, see <operand> in the language. - alternative: one
// of the edges, set members or reductions by which parsing can continue at a node. - reduction: the end of a template,
// with the leaf and its conditions. - choice: a backtrack point, an alternative not yet tried. - reading: a parse of a
// whole line, one of several if the line is ambiguous. - FIRST set: the bytes with which the text of an alternative can
// start (firstSet). - anchor: a word that every text of a template contains, usually the mnemonic. - space: a group of
// bits that text can fix: the word, the contexts, a table entry, a computed value. - scope: the bits of a nested value
// in its space. Scope depth is the number of scopes to go out. - constraint: a condition on bits, from the condition of
// a case or from a computed field. - free bit: a bit that neither text nor constraints have fixed yet. - idle bit: a
// bit of a table entry on which the instruction does not depend. - assumed bit: a bit that comes from a default, not
// from the text. - canonical: in printed form. Another radix, a missing blank or an alias is non-canonical.
package asm
