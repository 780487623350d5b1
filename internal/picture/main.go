// Command picture draws the pictures of the README. It runs isago and writes docs/isago.svg, the output in colour, and
// docs/demo.png, the picture of the demo. Run it in the root of the repository.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// shown are the command lines in the picture and the lines of each.
var shown = []struct {
	args     []string
	from, to int
}{
	{[]string{"explain", "--isa", "pica200", "jmpu !b3, 40"}, 0, 27},
	{[]string{"dis", "--jumps", "--addresses", "--words", "examples/pica200/flow.shbin"}, 7, 32},
}

// demo is the path of the demo picture.
const demo = "docs/demo.png"

func main() {
	picture, err := draw("go", "run", "./cmd/isago")
	if err == nil {
		err = os.WriteFile("docs/isago.svg", []byte(picture), 0o666)
	}
	if err == nil {
		err = exec.Command("go", "run", "./cmd/isago", "run", "--demo", "--png", demo).Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// draw runs the command lines with the program and draws one terminal with all of them.
func draw(program ...string) (string, error) {
	var screen []string
	for i, s := range shown {
		if i > 0 {
			screen = append(screen, "")
		}
		screen = append(screen, bold+"$ isago "+typed(s.args)+reset)
		cmd := exec.Command(program[0], append(append(program[1:len(program):len(program)], s.args...), "--color", "always")...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%s: %w", cmd, err)
		}
		lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
		if len(lines) > s.to {
			lines = append(lines[:s.to:s.to], dim+"..."+reset)
		}
		if s.from > 0 {
			lines = append([]string{dim + "..." + reset}, lines[s.from:]...)
		}
		screen = append(screen, lines...)
	}
	return svg(screen), nil
}

const bold, dim, reset = "\x1b[1m", "\x1b[2m", "\x1b[0m"

func typed(args []string) string {
	list := make([]string, len(args))
	for i, a := range args {
		if list[i] = a; strings.ContainsAny(a, " !") {
			list[i] = "'" + a + "'"
		}
	}
	return strings.Join(list, " ")
}
