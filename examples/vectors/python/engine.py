"""Runs test vectors of isago's example machine: engine.py FILE.json... > results.jsonl

Machine is a small emulator. To test yours, change the functions load, dump and Machine.step.
"""
import json
import sys


def signed(value, bits=16):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Machine:
    """The registers r0 to r7 and s0 to s7, the last result, and the program counter in words."""

    def __init__(self):
        self.r, self.s = [0] * 8, [0] * 8
        self.last, self.pc = 0, 0

    def register(self, number):
        return (self.s if number & 8 else self.r)[number & 7]

    def set(self, number, value):
        (self.s if number & 8 else self.r)[number & 7] = value

    def step(self, word):
        """Runs the instruction at the program counter."""
        opcode, here = word >> 13, self.pc
        self.pc = here + 1
        if opcode in (1, 2):  # add, mul
            a = self.register(word >> 5 & 15)
            b = signed(word, 4) if word & 16 else self.register(word & 15)
            self.last = signed(a + b if opcode == 1 else a * b)
            self.set(word >> 9 & 15, self.last)
        elif opcode == 3:  # shl
            self.last = signed(self.register(word >> 5 & 15) << ((word & 15) + 1))
            self.set(word >> 9 & 15, self.last)
        elif opcode == 4:  # br
            always, eq, ne, lt = True, self.last == 0, self.last != 0, self.last < 0
            if (always, eq, ne, lt)[word >> 11 & 3]:
                if word >> 10 & 1:
                    self.s[1] = signed(self.pc)
                self.pc = here + signed(word, 9) & 0xffffffff


def load(state):
    """Returns a machine in the state of a vector. What the state does not name is 0."""
    m, named = Machine(), state["state"]
    m.pc = state["pc"]
    m.last = signed(int(named.get("last", "0"), 16))
    for name, file in (("r", m.r), ("s", m.s)):
        for number, text in named.get(name, {}).items():
            file[int(number)] = signed(int(text, 16))
    return m


def dump(m):
    """Returns the state of a machine in the form of a vector."""
    text = lambda value: f"{value & 0xffff:04x}"
    state = {"last": text(m.last)}
    for name, file in (("r", m.r), ("s", m.s)):
        state[name] = {str(n): text(value) for n, value in enumerate(file)}
    return {"pc": m.pc, "state": state}


for name in sys.argv[1:]:
    with open(name) as file:
        for vector in json.load(file)["vectors"]:
            if "quirks" in vector:
                continue  # for engines that have these settings
            machine = load(vector["initial"])
            for _ in range(vector["steps"]):
                machine.step(int(vector["words"][machine.pc], 16))
            print(json.dumps({"name": vector["name"], "actual": dump(machine)}))
