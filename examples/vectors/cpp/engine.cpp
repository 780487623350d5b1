// Runs test vectors of isago's example machine: engine FILE.json... > results.jsonl
//
// Machine is a small emulator. To test yours, change the functions load, dump and Machine::step. The JSON library is that of
// nlohmann (Debian: nlohmann-json3-dev).
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

using nlohmann::json;

struct Machine {
    int16_t r[8] = {}, s[8] = {}, last = 0;
    uint32_t pc = 0; // in words

    int16_t &reg(unsigned number) { return number & 8 ? s[number & 7] : r[number & 7]; }

    // A fault on purpose: the manual says that sums wrap, as those of mul do.
    static int16_t sum(int a, int b) {
        int v = a + b;
        return int16_t(v > 32767 ? 32767 : v < -32768 ? -32768 : v);
    }

    // Runs the instruction at the program counter.
    void step(uint16_t word) {
        uint32_t here = pc++;
        switch (word >> 13) {
        case 1: // add
        case 2: { // mul
            int a = reg(word >> 5 & 15);
            int b = word & 16 ? int8_t(word << 4) >> 4 : reg(word & 15);
            last = word >> 13 == 1 ? sum(a, b) : int16_t(a * b);
            reg(word >> 9 & 15) = last;
            break;
        }
        case 3: // shl
            last = int16_t(uint32_t(reg(word >> 5 & 15)) << ((word & 15) + 1));
            reg(word >> 9 & 15) = last;
            break;
        case 4: { // br
            const bool taken[] = {true, last == 0, last != 0, last < 0};
            if (taken[word >> 11 & 3]) {
                if (word >> 10 & 1)
                    s[1] = int16_t(pc);
                pc = here + uint32_t(int16_t(word << 7) >> 7);
            }
        }
        }
    }
};

int16_t number(const json &text) { return int16_t(std::stoul(text.get<std::string>(), nullptr, 16)); }

std::string text(int16_t value) {
    char out[5];
    std::snprintf(out, sizeof out, "%04x", unsigned(uint16_t(value)));
    return out;
}

// Returns a machine in the state of a vector. What the state does not name is 0.
Machine load(const json &state) {
    Machine m;
    m.pc = state["pc"];
    for (auto &[name, value] : state["state"].items()) {
        if (name == "last")
            m.last = number(value);
        else
            for (auto &[n, v] : value.items())
                (name == "r" ? m.r : m.s)[std::stoul(n)] = number(v);
    }
    return m;
}

// Returns the state of a machine in the form of a vector.
json dump(const Machine &m) {
    json state = {{"last", text(m.last)}};
    for (int n = 0; n < 8; n++) {
        state["r"][std::to_string(n)] = text(m.r[n]);
        state["s"][std::to_string(n)] = text(m.s[n]);
    }
    return {{"pc", m.pc}, {"state", state}};
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        std::ifstream file(argv[i]);
        const json vectors = json::parse(file)["vectors"];
        for (const json &vector : vectors) {
            if (vector.contains("quirks"))
                continue; // for engines that have these settings
            Machine m = load(vector["initial"]);
            for (int n = 0; n < vector["steps"]; n++)
                m.step(uint16_t(std::stoul(vector["words"][m.pc].get<std::string>(), nullptr, 16)));
            std::cout << json{{"name", vector["name"]}, {"actual", dump(m)}} << '\n';
        }
    }
}
