/* A small emulator of the invented machine "example". isago generates its decoder, example.c.
 *
 *     make && ./emulator
 */
#include "example.h"

#include <inttypes.h>
#include <stdio.h>

struct machine {
	int16_t r[8], s[8], last;
	int64_t pc;
};

/* Returns the register that a 4-bit field names; NULL for none. */
static int16_t *reg(struct machine *m, uint32_t field)
{
	struct example_register_inst inst;

	if (!example_decode_register(field, NULL, &inst))
		return NULL;
	switch (inst.op) {
	case EXAMPLE_REGISTER_GENERAL: {
		struct example_register_general f;
		example_unpack_register_general(&inst, NULL, &f);
		return &m->r[f.n];
	}
	case EXAMPLE_REGISTER_SPECIAL: {
		struct example_register_special f;
		example_unpack_register_special(&inst, NULL, &f);
		return &m->s[f.n];
	}
	case EXAMPLE_REGISTER_OP_NONE:
		break;
	}
	return NULL;
}

static int16_t low16(int64_t v)
{
	return (int16_t)(uint16_t)((uint64_t)v & 0xffff);
}

/* Executes one instruction. Returns false if the word is not an instruction. */
static bool step(struct machine *m, example_word word)
{
	struct example_inst inst;
	int64_t next = m->pc + 1;

	if (!example_decode(word, NULL, &inst))
		return false;
	switch (inst.op) {
	case EXAMPLE_NOP:
		break;
	case EXAMPLE_ADD: {
		struct example_add f;
		example_unpack_add(&inst, NULL, &f);
		m->last = low16(*reg(m, f.a) + (f.immediate ? f.b_2 : *reg(m, f.b)));
		*reg(m, f.dst) = m->last;
		break;
	}
	case EXAMPLE_MUL: {
		struct example_mul f;
		example_unpack_mul(&inst, NULL, &f);
		m->last = low16(*reg(m, f.a) * (f.immediate ? f.b_2 : *reg(m, f.b)));
		*reg(m, f.dst) = m->last;
		break;
	}
	case EXAMPLE_SHL: {
		struct example_shl f;
		example_unpack_shl(&inst, NULL, &f);
		m->last = low16((int64_t)*reg(m, f.a) * (INT64_C(2) << f.count));
		*reg(m, f.dst) = m->last;
		break;
	}
	case EXAMPLE_BR: {
		struct example_br f;
		bool taken;
		example_unpack_br(&inst, NULL, &f);
		taken = f.cond == EXAMPLE_COND_ALWAYS || (f.cond == EXAMPLE_COND_EQ && m->last == 0) ||
			(f.cond == EXAMPLE_COND_NE && m->last != 0) || (f.cond == EXAMPLE_COND_LT && m->last < 0);
		if (taken && f.link)
			m->s[1] = low16(next);
		if (taken)
			next = m->pc + f.target;
		break;
	}
	case EXAMPLE_OP_NONE:
		return false;
	}
	m->pc = next;
	return true;
}

/* Computes 5 * 4 by adding: r0 counts down from the number in the first word, which is packed here. */
int main(void)
{
	struct example_add start = {0};
	example_word program[4] = {0};
	struct example_br back = {0};
	struct machine m = {{0}, {0}, 0, 0};
	int64_t i;

	start.dst = 0; /* add r0, r0, 5 */
	start.immediate = true;
	start.b_2 = 5;
	program[1] = 0x2234; /* add r1, r1, 4 */
	program[2] = 0x201f; /* add r0, r0, -1 */
	back.cond = EXAMPLE_COND_NE;
	back.target = -2;
	if (!example_pack_add(&start, NULL, &program[0]) || !example_pack_br(&back, NULL, &program[3]))
		return 1;
	for (i = 0; i < 4; i++) {
		struct example_inst inst;
		char text[64];
		if (!example_decode(program[i], NULL, &inst))
			return 1;
		example_print(&inst, NULL, text, sizeof text);
		printf("%04" PRIx64 "  %s\n", program[i], text);
	}
	while (m.pc >= 0 && m.pc < 4)
		if (!step(&m, program[m.pc]))
			return 1;
	printf("r0 = %d, r1 = %d\n", m.r[0], m.r[1]);
	return m.r[1] == 20 ? 0 : 1;
}
