package forms

import (
	"bytes"
	"fmt"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/cfile"
	"github.com/isago/isago/vectors"
)

// Catch2 returns the vectors as headers of C, and as test cases for Catch2, one for each file.
func Catch2(files []*vectors.File, m *exec.Machine) ([]File, error) {
	out, ids, err := headers(files, m)
	if err != nil {
		return nil, err
	}
	machine, err := machineName(files, m)
	if err != nil {
		return nil, err
	}
	name := newNamer(false).name(machine)
	var b bytes.Buffer
	fmt.Fprintf(&b, catch2Head, machine, name)
	for i, f := range files {
		fmt.Fprintf(&b, "\nTEST_CASE(%s, %s)\n{\n\tcheck(%s_file_%s);\n}\n", cfile.Literal(machine+" "+f.Instruction), cfile.Literal("["+machine+"]"), name, ids[i])
	}
	return append(out, File{Name: name + "_vectors.cpp", Data: b.Bytes()}), nil
}

const catch2Head = `// Test vectors of %[1]s for Catch2 2 and 3. isago vectors --format catch2 wrote this file.
// Define %[2]s_emulator, which returns the callbacks of the emulator, in another file. With Catch2 2, main must be in
// another file as well: #define CATCH_CONFIG_MAIN before #include <catch2/catch.hpp>.
#if defined(__has_include) && __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_message.hpp>
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif
#include <cstdio>
#include <string>
#include "%[2]s_vectors.h"

const struct isago_emulator *%[2]s_emulator();

namespace {

// A vector passes if the emulator ends in the expected state. The message has its disassembly, its reasons and the differences.
void check(const struct isago_file &file)
{
	int lacking = 0;
	for (int i = 0; i < file.vector_count; i++) {
		std::FILE *out = std::tmpfile();
		REQUIRE(out != nullptr);
		const int result = isago_check(&file, &file.vectors[i], %[2]s_emulator(), out);
		std::string text;
		std::rewind(out);
		for (int c; (c = std::fgetc(out)) != EOF;)
			text += static_cast<char>(c);
		std::fclose(out);
		lacking += result < 0;
		INFO(text);
		CHECK(result <= 0);
	}
	if (lacking > 0)
		WARN(lacking << " vectors of " << file.instruction << " need state that the emulator lacks");
}

} // namespace
`
