package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// page is a page of the handbook, to work through as a reader does. A block "```LANGUAGE NAME" is a file to save as NAME, and
// "```diff NAME" is a change of it. A block "```console" has commands after "$ " and their output: a line "..." matches any lines,
// and " ..." the rest of a line. "```console exit=N" is the exit status of the last command of the block. "needs=PROGRAM" skips the
// block if the program, or the file with this path, is not installed.
type page struct {
	file  string
	lines []string
}

func readPage(t *testing.T, file string) page {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return page{file: file, lines: strings.Split(string(data), "\n")}
}

// fence is a fenced block: the words after the three back quotes, its lines, the number of the first.
type fence struct {
	info  []string
	lines []string
	first int
}

func (p page) fences() []fence {
	var list []fence
	open := false
	for i, line := range p.lines {
		info, mark := strings.CutPrefix(line, "```")
		switch {
		case mark && !open:
			list = append(list, fence{info: strings.Fields(info), first: i + 2})
			open = true
		case mark:
			open = false
		case open:
			last := &list[len(list)-1]
			last.lines = append(last.lines, line)
		}
	}
	return list
}

// work follows the instructions of the page in a folder, and returns the number of commands.
func (p page) work(t *testing.T, dir string) int {
	t.Helper()
	commands := 0
	for _, f := range p.fences() {
		switch {
		case len(f.info) == 0:
			t.Errorf("%s:%d: a block without a language", p.file, f.first)
		case f.info[0] == "console":
			commands += p.session(t, dir, f)
		case len(f.info) == 2 && f.info[0] == "diff":
			p.edit(t, filepath.Join(dir, f.info[1]), f)
		case len(f.info) == 2:
			text := strings.Join(f.lines, "\n") + "\n"
			if err := os.WriteFile(filepath.Join(dir, f.info[1]), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return commands
}

// edit changes a file as a block shows it, with removed lines after "-" and added lines after "+".
func (p page) edit(t *testing.T, file string, f fence) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var before, after strings.Builder
	for _, line := range f.lines {
		if line == "" {
			line = " "
		}
		if line[0] != '+' {
			before.WriteString(line[1:] + "\n")
		}
		if line[0] != '-' {
			after.WriteString(line[1:] + "\n")
		}
	}
	if strings.Count(string(data), before.String()) != 1 {
		t.Fatalf("%s:%d: %s does not have these lines, or more than once", p.file, f.first, file)
	}
	changed := strings.Replace(string(data), before.String(), after.String(), 1)
	if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
}

// session runs the commands of a block and compares what they print with what the block shows.
func (p page) session(t *testing.T, dir string, f fence) int {
	t.Helper()
	want, commands := 0, 0
	for _, info := range f.info[1:] {
		if program, ok := strings.CutPrefix(info, "needs="); ok {
			_, err := exec.LookPath(program)
			if filepath.IsAbs(program) {
				_, err = os.Stat(program)
			}
			if err != nil {
				t.Logf("%s:%d: no %s", p.file, f.first, program)
				return 0
			}
		} else if _, err := fmt.Sscanf(info, "exit=%d", &want); err != nil {
			t.Fatalf("%s:%d: %q, expected exit=N or needs=PROGRAM", p.file, f.first, info)
		}
	}
	status := 0
	for i := 0; i < len(f.lines); {
		command, ok := strings.CutPrefix(f.lines[i], "$ ")
		if !ok {
			t.Fatalf("%s:%d: %q, expected a command after \"$ \"", p.file, f.first+i, f.lines[i])
		}
		next := i + 1
		for next < len(f.lines) && !strings.HasPrefix(f.lines[next], "$ ") {
			next++
		}
		var out string
		out, status = shell(dir, status, command)
		if at, missing := compareLines(f.lines[i+1:next], out); missing != "" {
			t.Errorf("%s:%d: %s does not print in this place %q; all of it:\n%s", p.file, f.first+i+1+at, command, missing, out)
		}
		if status != 0 && next < len(f.lines) && !strings.HasPrefix(f.lines[next], "$ echo $?") {
			t.Errorf("%s:%d: %s: status %d\n%s", p.file, f.first+i, command, status, out)
		}
		i = next
		commands++
	}
	if status != want {
		t.Errorf("%s:%d: the last command ends with status %d, expected %d", p.file, f.first, status, want)
	}
	return commands
}

// shell runs a command line as it is typed; before is the status of the command before it, for $?.
func shell(dir string, before int, command string) (string, int) {
	command = strings.Replace(command, "go run ./cmd/isago ", "isago ", 1)
	cmd := exec.Command("sh", "-c", fmt.Sprintf("(exit %d)\n%s", before, command))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return fmt.Sprintf("%s%v", out, err), -1
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// compareLines returns the first shown line that is not printed where it is shown, and its index.
func compareLines(shown []string, printed string) (int, string) {
	got := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	if strings.TrimSpace(printed) == "" {
		got = nil
	}
	for len(shown) > 0 && strings.TrimSpace(shown[len(shown)-1]) == "" {
		shown = shown[:len(shown)-1]
	}
	skip := false
	for i, want := range shown {
		if strings.TrimSpace(want) == "..." {
			skip = true
			continue
		}
		at := slices.IndexFunc(got, func(line string) bool { return sameLine(line, want) })
		if at < 0 || at > 0 && !skip {
			return i, want
		}
		got, skip = got[at+1:], false
	}
	if len(got) > 0 && !skip {
		return len(shown), "(the end of the output)"
	}
	return 0, ""
}

func sameLine(printed, shown string) bool {
	if start, cut := strings.CutSuffix(shown, " ..."); cut {
		return strings.HasPrefix(printed, start)
	}
	return strings.TrimRight(printed, " ") == strings.TrimRight(shown, " ")
}

// It also skips pages in short mode. The race detector runs in short mode, and pages run the commands that other tests run.
func needShell(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the pages take too long for short mode")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
}

// The README is worked through in a clone of the repository; it writes nothing there.
func TestReadme(t *testing.T) {
	needShell(t)
	for name, least := range map[string]int{"README.md": 3, "examples/README.md": 4, "CONTRIBUTING.md": 0} {
		if n := readPage(t, "../../"+name).work(t, "../.."); n < least {
			t.Errorf("%s shows %d commands, expected at least %d", name, n, least)
		}
	}
}

// The page on the examples names each source.
func TestExamplesNamed(t *testing.T) {
	text := strings.Join(readPage(t, "../../examples/README.md").lines, "\n")
	for _, kind := range []string{"pica200/*.pica", "tegra/*.asm", "a2xx/*.a2xx", "tesla/*.s"} {
		files, err := filepath.Glob("../../examples/" + kind)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", kind, len(files), err)
		}
		for _, file := range files {
			name, _ := strings.CutPrefix(filepath.ToSlash(file), "../../examples/")
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("examples/README.md does not name %s", name)
			}
		}
	}
}

// Links in the pages lead somewhere: to a file that exists, and to a heading or an anchor in it.
func TestLinks(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]map[string]bool{}
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../RATIONALE.md", "../../SECURITY.md", "../../examples/README.md") {
		for i, line := range readPage(t, file).lines {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				target, anchor, hasAnchor := strings.Cut(m[1], "#")
				to := file
				if target != "" {
					to = filepath.Join(filepath.Dir(file), target)
				}
				if _, err := os.Stat(to); err != nil {
					t.Errorf("%s:%d: %s leads nowhere", file, i+1, m[1])
					continue
				}
				if !hasAnchor {
					continue
				}
				if known[to] == nil {
					known[to] = anchors(readPage(t, to))
				}
				if !known[to][anchor] {
					t.Errorf("%s:%d: %s: the page has no heading or anchor %q", file, i+1, m[1], anchor)
				}
			}
		}
	}
}

// anchors returns the names under which links reach a place in the page: those of its headings, as code hosts
// make them, and those of <a id="...">.
func anchors(p page) map[string]bool {
	list := map[string]bool{}
	fenced := false
	for _, line := range p.lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		for _, m := range anchor.FindAllStringSubmatch(line, -1) {
			list[m[1]] = true
		}
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		for n := 1; list[name]; n++ { // a second heading of one name
			name = fmt.Sprintf("%s-%d", strings.TrimSuffix(name, fmt.Sprintf("-%d", n-1)), n)
		}
		list[name] = true
	}
	return list
}

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	anchor = regexp.MustCompile(`<a id="([^"]+)">`)
)

// Each row of docs/README.md is a question with a link, the commands work, and README links to the page.
func TestIndex(t *testing.T) {
	if !strings.Contains(strings.Join(readPage(t, "../../README.md").lines, "\n"), "](docs/README.md)") {
		t.Error("README.md does not link to docs/README.md")
	}
	page, dir := readPage(t, "../../docs/README.md"), t.TempDir() // commands write files
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	readers, questions, commands := 0, 0, 0
	for i, line := range page.lines {
		if strings.HasPrefix(line, "## ") {
			readers++
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| How do I") {
			continue
		}
		questions++
		if !strings.Contains(line, "? |") || !link.MatchString(line) {
			t.Errorf("docs/README.md:%d: %q is not a question with a link", i+1, line)
		}
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			commands++
			if !strings.HasPrefix(m[1], "isago ") {
				t.Errorf("docs/README.md:%d: %q is not a command of isago", i+1, m[1])
			}
			var out, diagnostics bytes.Buffer
			if status := run(arguments(m[1])[1:], strings.NewReader(""), &out, &diagnostics); status != 0 {
				t.Errorf("docs/README.md:%d: %s: status %d\n%s", i+1, m[1], status, &diagnostics)
			}
		}
	}
	if readers != 4 || questions < 30 || commands < 15 {
		t.Errorf("%d readers, %d questions, %d commands, expected 4, at least 30 and at least 15", readers, questions, commands)
	}
}

// Each term of the glossary is linked from a page that README links to.
func TestGlossary(t *testing.T) {
	terms := 0
	pages := ""
	for _, m := range link.FindAllStringSubmatch(strings.Join(readPage(t, "../../README.md").lines, "\n"), -1) {
		if file, _, _ := strings.Cut(m[1], "#"); strings.HasSuffix(file, ".md") {
			pages += strings.Join(readPage(t, "../../"+file).lines, "\n")
		}
	}
	for _, m := range anchor.FindAllStringSubmatch(strings.Join(readPage(t, "../../docs/glossary.md").lines, "\n"), -1) {
		terms++
		if !strings.Contains(pages, "](glossary.md#"+m[1]+")") && !strings.Contains(pages, "](docs/glossary.md#"+m[1]+")") {
			t.Errorf("no page that README links to links to glossary.md#%s", m[1])
		}
	}
	if terms < 20 {
		t.Errorf("%d terms, expected at least 20", terms)
	}
}

// Each tutorial is worked through in an empty folder, as its reader would.
func TestTutorials(t *testing.T) {
	needShell(t)
	files, err := filepath.Glob("../../docs/tutorial-*.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 {
		t.Errorf("%d tutorials, expected one for each of four readers", len(files))
	}
	for _, file := range append(files, "../../docs/raw.md", "../../docs/places.md", "../../docs/new-machine.md", "../../docs/check.md", "../../docs/generate.md") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if n := readPage(t, file).work(t, t.TempDir()); n == 0 {
				t.Error("no commands")
			}
		})
	}
}

// The members of options that docs/generate.md names are in generated headers.
func TestGeneratedMembers(t *testing.T) {
	var members strings.Builder
	for _, machine := range []string{"pica200", "tesla"} { // of a table, and of contexts
		dir := t.TempDir()
		var out bytes.Buffer
		if status := run([]string{"gen", "c", "--isa", machine, "-o", dir}, strings.NewReader(""), &out, &out); status != 0 {
			t.Fatalf("gen c --isa %s: status %d\n%s", machine, status, &out)
		}
		header, err := os.ReadFile(filepath.Join(dir, machine+".h"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(header), "struct "+machine+"_options {")
		options, _, _ := strings.Cut(rest, "\n};")
		members.WriteString(options)
	}
	text := strings.Join(readPage(t, "../../docs/generate.md").lines, "\n")
	_, text, _ = strings.Cut(text, "| member | what it does |")
	table, _, _ := strings.Cut(text, "\n\n")
	rows := 0
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) < 3 || strings.HasPrefix(cells[1], "---") {
			continue
		}
		rows++
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			name, _, _ := strings.Cut(m[1], "(")
			if base, ok := strings.CutPrefix(name, "context."); ok && base == "NAME" {
				name = "context"
			}
			pattern := strings.ReplaceAll(strings.ReplaceAll(name, "NAME", `[a-z0-9]+`), "_N", `_[0-9]+`)
			if name != "gen" && !regexp.MustCompile(`\b`+pattern+`\b`).MatchString(members.String()) {
				t.Errorf("docs/generate.md names a member %s, which no header has", name)
			}
		}
	}
	if rows < 8 {
		t.Errorf("%d rows of members, expected at least 8", rows)
	}
}

// The pages of reference are worked through in a folder with the examples of their machines.
func TestReference(t *testing.T) {
	needShell(t)
	for name, folders := range map[string][]string{
		"assembly.md":  nil,
		"run.md":       {"examples", "examples/tegra"},
		"lint.md":      nil,
		"diff.md":      nil,
		"cost.md":      {"examples/pica200", "examples/tegra", "examples/a2xx", "examples/tesla"},
		"tegra.md":     {"examples/tegra"},
		"a2xx.md":      {"examples/a2xx", "target/a2xx/launch/demo"},
		"tesla.md":     {"examples/tesla"},
		"picasso.md":   {"examples/pica200"},
		"translate.md": {"examples/pica200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, folder := range folders {
				copyFiles(t, filepath.Join("../..", folder), dir)
			}
			if n := readPage(t, "../../docs/"+name).work(t, dir); n == 0 {
				t.Error("no commands")
			}
		})
	}
}

// The page on test vectors is worked through in the folder of its examples. It shows the Python program as it is there.
func TestVectorsPage(t *testing.T) {
	needShell(t)
	p := readPage(t, "../../docs/vectors.md")
	shown := 0
	for _, f := range p.fences() {
		if len(f.info) != 2 || f.info[0] == "console" {
			continue
		}
		shown++
		data, err := os.ReadFile(filepath.Join("../../examples/vectors", f.info[1]))
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != strings.Join(f.lines, "\n")+"\n" {
			t.Errorf("docs/vectors.md:%d: not the file examples/vectors/%s", f.first, f.info[1])
		}
	}
	if shown != 1 {
		t.Errorf("%d programs", shown)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/vectors")); err != nil {
		t.Fatal(err)
	}
	if n := p.work(t, dir); n == 0 {
		t.Error("no commands")
	}
}

// copyFiles copies the files of a folder.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	list, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range list {
		if entry.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, entry.Name()), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

var quotedOrWord = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)

// arguments splits a command line at blanks; quotes hold words together.
func arguments(line string) []string {
	list := quotedOrWord.FindAllString(line, -1)
	for i, a := range list {
		list[i] = strings.Trim(a, `"'`)
	}
	return list
}

// The last cell of each row of docs/errata.md is a command and what it prints: a word or an instruction
// to explain, and phrases of the explanation.
func TestErrata(t *testing.T) {
	page := readPage(t, "../../docs/errata.md")
	t.Chdir("../../docs")
	rows := 0
	for i, line := range page.lines {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| document") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "| "), "|")
		if len(cells) != 5 {
			t.Errorf("errata.md:%d: %d cells, expected 5", i+1, len(cells))
			continue
		}
		proof := quoted.FindAllStringSubmatch(strings.ReplaceAll(cells[4], "\x00", "|"), -1)
		if len(proof) < 2 {
			t.Errorf("errata.md:%d: the last cell has no command and phrase", i+1)
			continue
		}
		var out bytes.Buffer
		run(arguments(proof[0][1]), strings.NewReader(""), &out, &out)
		text := strings.Join(strings.Fields(out.String()), " ")
		for _, phrase := range proof[1:] {
			if !strings.Contains(text, strings.Join(strings.Fields(phrase[1]), " ")) {
				t.Errorf("errata.md:%d: isago %s does not print %q:\n%s", i+1, proof[0][1], phrase[1], &out)
			}
		}
	}
	if rows < 50 {
		t.Errorf("%d rows, expected the errors of five documents", rows)
	}
}
