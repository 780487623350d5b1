// Package asm turns text into instructions: the display templates of a description, read backwards.
//
// # Words of this package
//
//   - environment: a bitset where it stands, with what its names mean there (model.Env); a leaf in an environment is a
//     bound leaf (model.BoundLeaf).
//   - grammar, node, edge: all templates of an environment as one tree, a place in it, and what can be read there. A
//     nested bitset is a grammar of its own, a nonterminal of those that it stands in.
//   - item: a terminal or nonterminal of a template. Operands are made of pieces in the language's sense, see <operand>.
//   - accept: what a template says where it ends, its reduce action.
//   - FIRST set: the bytes that the text of a way can start with (firstSet).
//   - space: bits that text can fix: the word, the contexts of the text, a table entry, a computed value.
//   - scope: the bits of a nested value in its space; scope depth is the number of scopes to go out.
//   - constraint: what a condition or a computed field asks of bits.
//   - free bit: one that neither text nor constraints have fixed yet.
//   - canonical: text as it would be printed. A number in another radix, a blank left out or an alias is non-canonical.
//   - way: a path through the grammar.
//   - cache: what lines were read as, by their texts.
package asm
