// Prints AArch64 code from standard input, with registers and jumps, by Capstone 4 or later.
#include <capstone/capstone.h>
#include <stdio.h>

int main(void)
{
	static uint8_t buf[1 << 20];
	const uint8_t *code = buf;
	size_t size = fread(buf, 1, sizeof buf, stdin);
	uint64_t address = 0;
	csh handle;
	if (cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle) != CS_ERR_OK)
		return 1;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_insn *insn = cs_malloc(handle);
	while (cs_disasm_iter(handle, &code, &size, &address, insn)) {
		cs_regs reads, writes;
		uint8_t read_count, write_count;
		printf("%s %s\n", insn->mnemonic, insn->op_str);
		if (cs_regs_access(handle, insn, reads, &read_count, writes, &write_count) == CS_ERR_OK) {
			for (int i = 0; i < read_count; i++)
				printf("  reads %s\n", cs_reg_name(handle, reads[i]));
			for (int i = 0; i < write_count; i++)
				printf("  writes %s\n", cs_reg_name(handle, writes[i]));
		}
		if (cs_insn_group(handle, insn, CS_GRP_JUMP))
			puts("  jump"); // the target is an operand; whether the jump is conditional depends on the instruction
		if (cs_insn_group(handle, insn, CS_GRP_CALL))
			puts("  call");
		if (cs_insn_group(handle, insn, CS_GRP_RET))
			puts("  return");
	}
	cs_free(insn, 1);
	cs_close(&handle);
	return 0;
}
