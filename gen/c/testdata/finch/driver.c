/* A driver with structs of its own, as those of Mesa have them. */
#include <stdint.h>
#include <stdio.h>

enum { FINCH_SY = 1, FINCH_SS = 2 };                                                          /* of an instruction */
enum { FINCH_HALF = 1, FINCH_R = 2, FINCH_NEG = 4, FINCH_ABS = 8, FINCH_CONST = 16, FINCH_IMMED = 32 }; /* of a register */
enum finch_width { W8, W16, W32, W64 };

struct finch_reg {
	unsigned flags, num;
	int imm;
};

struct finch_instr {
	int opc;
	unsigned flags, repeat, nop, cond;
	const struct finch_reg *regs[3];
	int target;
	unsigned positive, pred;
	int off;
	unsigned cache, base;
	enum finch_width width;
};

struct finch_packet {
	int opc;
	unsigned reg, count;
};

struct encode_state {
	unsigned gen;
	int at;
	unsigned base;
};

enum { OPC_ADD_F, OPC_ABSNEG_S, OPC_CMPS_F, OPC_BR, OPC_JUMP, OPC_END_OF_PROGRAM, OPC_LD_G_W, OPC_ST_G_W, OPC_PREFETCH };
enum { FINCH_SRC_GPR, FINCH_SRC_CONST, FINCH_SRC_IMM };
enum { PKT_NOP, PKT_SET };

static inline unsigned finch_absneg(const struct finch_reg *reg)
{
	return (reg->flags & FINCH_NEG ? 1u : 0u) | (reg->flags & FINCH_ABS ? 2u : 0u);
}

static inline unsigned finch_src2_r(const struct finch_instr *instr)
{
	if (instr->nop)
		return instr->nop >> 1;
	return instr->regs[2] && instr->regs[2]->flags & FINCH_R ? 1 : 0;
}

static inline unsigned finch_parity(unsigned v)
{
	unsigned odd = 0;
	for (; v; v &= v - 1)
		odd ^= 1;
	return odd;
}

static inline int __instruction_case(struct encode_state *s, const struct finch_instr *instr)
{
	(void)s;
	return instr->opc;
}

static inline int __src_case(struct encode_state *s, const struct finch_reg *reg)
{
	(void)s;
	return reg->flags & FINCH_IMMED ? FINCH_SRC_IMM : reg->flags & FINCH_CONST ? FINCH_SRC_CONST : FINCH_SRC_GPR;
}

static inline int __packet_case(struct encode_state *s, const struct finch_packet *packet)
{
	(void)s;
	return packet->opc;
}

#include "finch_encode.h"

static const struct finch_reg r0x = {0, 0, 0}, hr0z = {FINCH_HALF, 2, 0}, r1x = {0, 4, 0}, r1y = {0, 5, 0}, hr2x = {FINCH_HALF, 8, 0},
	neg_r2x = {FINCH_NEG, 8, 0}, r2y = {0, 9, 0}, hr3w = {FINCH_HALF, 15, 0}, r4x = {0, 16, 0}, abs_r_r5x = {FINCH_ABS | FINCH_R, 20, 0},
	a0x = {0, 248, 0}, a0y = {0, 249, 0}, c1 = {FINCH_CONST, 1, 0}, c7 = {FINCH_CONST, 7, 0}, thousand = {FINCH_IMMED, 0, 1000},
	minus3 = {FINCH_IMMED | FINCH_HALF, 0, -3};

static void show(unsigned gen, const struct finch_instr *instr)
{
	struct encode_state s;
	uint32_t half[2];
	s.gen = gen;
	s.at = 44;
	s.base = 100;
	store_instruction(half, encode__instruction(&s, NULL, instr));
	printf("%08x%08x\n", (unsigned)half[1], (unsigned)half[0]);
}

static void arithmetic(int opc, unsigned flags, unsigned repeat, unsigned nop, unsigned cond, const struct finch_reg *dst,
	const struct finch_reg *src1, const struct finch_reg *src2)
{
	struct finch_instr instr = {0};
	instr.opc = opc;
	instr.flags = flags;
	instr.repeat = repeat;
	instr.nop = nop;
	instr.cond = cond;
	instr.regs[0] = dst;
	instr.regs[1] = src1;
	instr.regs[2] = src2;
	show(300, &instr);
}

static void flow(unsigned gen, int opc, unsigned flags, unsigned positive, unsigned pred, int target)
{
	struct finch_instr instr = {0};
	instr.opc = opc;
	instr.flags = flags;
	instr.positive = positive;
	instr.pred = pred;
	instr.target = target;
	show(gen, &instr);
}

static void memory(unsigned gen, int opc, const struct finch_reg *dst, int off, unsigned cache, enum finch_width width, unsigned base)
{
	struct finch_instr instr = {0};
	instr.opc = opc;
	instr.regs[0] = dst;
	instr.regs[1] = &r4x;
	instr.off = off;
	instr.cache = cache;
	instr.width = width;
	instr.base = base;
	show(gen, &instr);
}

int main(void)
{
	const struct finch_packet nop = {PKT_NOP, 1, 1}, set = {PKT_SET, 0x1a2b, 7};
	struct encode_state s = {300, 0, 0};
	arithmetic(OPC_ADD_F, FINCH_SY, 0, 0, 0, &r1y, &neg_r2x, &c7);
	arithmetic(OPC_ADD_F, 0, 0, 2, 0, &hr0z, &hr2x, &minus3);
	arithmetic(OPC_ABSNEG_S, FINCH_SS, 3, 0, 0, &hr3w, &abs_r_r5x, NULL);
	arithmetic(OPC_ABSNEG_S, 0, 0, 3, 0, &r0x, &c1, NULL);
	arithmetic(OPC_ABSNEG_S, 0, 1, 2, 0, &r0x, &c1, NULL);
	arithmetic(OPC_CMPS_F, 0, 0, 0, 3, &r1x, &a0x, &thousand);
	flow(300, OPC_BR, 0, 0, 2, 40);
	flow(300, OPC_BR, FINCH_SY, 1, 5, 50);
	flow(300, OPC_JUMP, 0, 0, 0, 0x1234);
	flow(500, OPC_JUMP, 0, 0, 0, 0x1234);
	flow(300, OPC_END_OF_PROGRAM, 0, 0, 0, 0);
	flow(300, OPC_END_OF_PROGRAM, FINCH_SY, 0, 0, 0);
	memory(300, OPC_LD_G_W, &r2y, -5, 5, W32, 23);
	memory(300, OPC_LD_G_W, &a0y, -5, 5, W32, 23);
	memory(300, OPC_ST_G_W, &r2y, 7, 0, W8, 0);
	memory(300, OPC_PREFETCH, &r0x, 3, 0, W8, 0);
	memory(500, OPC_PREFETCH, &r0x, 3, 0, W8, 0);
	printf("%08x\n", (unsigned)bitmask_to_uint64_t(encode__packet(&s, NULL, &nop)));
	printf("%08x\n", (unsigned)bitmask_to_uint64_t(encode__packet(&s, NULL, &set)));
	return 0;
}
