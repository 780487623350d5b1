package c

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
)

// operandSource writes the .c file that lists the operands of instructions.
func (w *writer) operandSource() []byte {
	w.b.Reset()
	used := gen.NewReached(true)
	for _, r := range w.p.Roots {
		for _, d := range r.Decoders {
			if d.Collect == nil {
				continue
			}
			for _, f := range d.Collect.Shows { // the function that enters a root is only for nested values
				used.Func(f)
			}
		}
	}
	w.functions(used.Used)
	for _, r := range w.p.MainFirst() {
		if r.Top {
			w.collect(r)
		}
	}
	return w.assemble("shared", "ops")
}

// collect writes the function that lists the operands of a root's instructions.
func (w *writer) collect(r *gen.Root) {
	w.f("\nsize_t %s(const %s *inst, const struct %s_options *o, struct %s_operand *list, size_t room)\n{\n", w.public("operands", r), w.instType(r), w.lower, w.lower)
	b := &body{w: w, depth: 1}
	b.line("struct print print_, *const p = &print_;")
	b.line("struct %s_options quiet = o ? *o : defaults;", w.lower)
	b.line("quiet.findings = NULL;")
	b.line("quiet.field = NULL;")
	b.line("open_text(&p->out, NULL, 0);")
	b.line("start(p, &quiet, 0, %d);", r.Stored)
	b.line("p->list = list;")
	b.line("p->room = room;")
	b.line("p->count = 0;")
	w.eachLeaf(b, r, func(c int) { b.dispatch(r.Decoders[c].Collect, "op", "s") })
	b.line("return p->count;")
	w.finish(b)
}

// addOperand writes the code that adds an operand, with its properties, if its text is not empty.
func (f *body) addOperand(s *gen.Stmt) {
	f.line("{")
	f.depth++
	if len(s.Body) > 0 {
		f.marks++
		n := f.marks
		f.line("const size_t n%d = p->out.length;", n)
		f.stmts(s.Body)
		f.line("if (p->out.length != n%d) {", n)
		f.depth++
	}
	f.line("open_operand(p, %s, %d, %d);", quote(s.Text), s.Numbers[0], s.Numbers[1])
	f.stmts(s.Else)
	f.line("close_operand(p);")
	if len(s.Body) > 0 {
		f.depth--
		f.line("}")
	}
	f.depth--
	f.line("}")
}

// act calls a function of the runtime.
func (f *body) act(s *gen.Stmt) {
	var list []string
	for _, n := range s.Numbers {
		list = append(list, fmt.Sprint(n))
	}
	for _, x := range s.Values {
		list = append(list, f.value(x))
	}
	f.line("%s(%s);", s.Text, strings.Join(append([]string{"p"}, list...), ", "))
}

// operandTypes declares what operands are.
func (w *writer) operandTypes() {
	w.f("\n/* The memories. */\nenum %s_memory {\n", w.lower)
	for i, m := range w.p.ISA.Memories {
		doc := gen.Comment(m.Doc)
		if doc == "" {
			doc = gen.Comment(m.Name)
		}
		w.f("\t%s = %d, /* %s */\n", w.upper+"_"+w.consts.Unique("MEMORY_"+gen.Upper(m.Name), ""), i, doc)
	}
	w.f("\t%s_MEMORY_NONE = %d\n};\n\n/* The changes of an operand's value, a bit each. */\n", w.upper, len(w.p.ISA.Memories))
	for i, m := range w.p.ISA.Modifiers {
		w.f("#define %s_%s UINT64_C(0x%x)\n", w.upper, w.consts.Unique("MODIFIER_"+gen.Upper(m), ""), uint64(1)<<i)
	}
	w.f("%s", w.fill(`
/* What an instruction does with an operand. */
enum N_role { U_ROLE_NONE, U_ROLE_READ, U_ROLE_WRITE, U_ROLE_BOTH };

enum N_operand_kind {
	U_OPERAND_UNKNOWN,
	U_OPERAND_REGISTER,
	U_OPERAND_IMMEDIATE,
	U_OPERAND_MEMORY,
	U_OPERAND_TARGET,
	U_OPERAND_CONDITION,
	U_OPERAND_MODIFIER,
	U_OPERAND_SAMPLER
};

enum N_type_kind { U_TYPE_UNSIGNED, U_TYPE_SIGNED, U_TYPE_FLOAT, U_TYPE_BOOL };

/* A register, a part of one, or count consecutive registers. */
struct N_register {
	enum N_file file, view; /* the text names the register through the view */
	int64_t number;         /* of the first in the file, without the relative part */
	int count, low, width;  /* low and width are the bits of the register */
	int component;          /* the selected component, -1 for all */
};

/* An operand that the text of an instruction shows. */
struct N_operand {
	const char *name; /* in the description */
	enum N_role role;
	enum N_operand_kind kind;
	struct N_register reg, relative; /* relative is added to the number or the address; U_FILE_NONE for nothing */
	unsigned char swizzle[4], mask;
	bool swizzled, masked; /* the operand has a swizzle, a mask */
	uint64_t modifiers;
	enum N_memory memory;
	struct { enum N_type_kind kind; unsigned bits, lanes; } type; /* of an immediate, and of an access to memory */
	uint64_t value; /* an immediate, sign-extended; the address of memory in bytes, or of a target in bits; the bits of other operands */
};
`))
}
