isago asm: open --plain: no such file or directory
