// Command peer compares isago with recorded results of other tools.
//
//	go run ./internal/peer -data DIR [-show N] [-specialised]
//	go run ./internal/peer -rows FILE [-known FILE] [-compat mesa] [-show N]
//
// With -data it compares every file of a known kind in a folder and below, and prints a table. For each file the table
// counts the rows, those that agree, those listed as different, and those that differ. The kinds of files, by name:
//
//	NAME.jsonl            rows {"gen", "word", "text"} next to NAME.xml, their description: words and the text
//	                      that Mesa's isaspec prints. -data compares plain printing and --compat mesa.
//	NAME.program.json     whole programs and Mesa's listings of them, next to NAME.xml
//	NAME.rejects.txt      descriptions that Mesa's tools reject: isago must reject them or report a finding
//	NAME.bin              an A2XX program. NAME.mesa.txt is the text of Mesa's disassembler, each line a row.
//	                      isago's text and Mesa's must both assemble to the program
//	NAME.shbin            a shader file. It must print without unknown words, and its lossless text must assemble to it
//	tesla-diff.jsonl      rows {"words", "variant", "ptype", "text"} of envydis. isago must print the same text,
//	                      and its plain text must assemble to the words
//	MACHINE-diff.jsonl    rows {"words", "dis", "src"}: words with the most significant one first, the listing, and a
//	                      text that assembles to the words
//	tesla-exec.jsonl      instructions run by the models of hwtest, with registers and flags before and after: equal
//	                      bit for bit
//	a2xx/exec.jsonl       programs run by an emulator of Xenos: equal bit for bit
//	NAME.json             results of an emulator for the PICA200 shader NAME.?.pica.shbin: isago must equal the
//	                      interpreter bit for bit, and be close to the compiler
//
// With -specialised it repeats each run of a program in specialised form, as dis --ssa prints it. An error means that
// the results differ from the first run. It prints the numbers of programs, lanes and values.
//
// Rows in which the other tool is known to be wrong are listed in internal/peer/known/NAME.txt, one per line: the
// row's name, a tab, the reason. NAME.txt is for plain printing, NAME-mesa.txt for --compat mesa. A row of an execution file
// may be listed with a quirk value with which isago agrees:
//
//	s01-MULs-7<tab>quirk NAME=VALUE<tab>REASON
//
// The exit status is 1 if an unlisted row differs, a listed row agrees, or a row listed with a quirk value differs with that
// value.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	data := flag.String("data", "", "folder with files of other tools' output, all of which are compared")
	rows := flag.String("rows", "", "file with the other tool's output")
	known := flag.String("known", "", "file with the rows that are known to differ (default: internal/peer/known/NAME.txt)")
	compat := flag.String("compat", "", "mesa: print as Mesa's isaspec does, defects included")
	flag.BoolVar(&repeats, "specialised", false, "repeat each run of a program in specialised form")
	show := flag.Int("show", 10, "number of differences to print, of each file")
	flag.Parse()
	if (*rows == "") == (*data == "") || *data != "" && *known+*compat != "" || flag.NArg() > 0 || *compat != "" && *compat != "mesa" {
		flag.Usage()
		os.Exit(2)
	}
	var ok bool
	var err error
	if *data != "" {
		ok, err = runAll(os.Stdout, *data, knownFolder, *show)
	} else {
		ok, err = runFile(os.Stdout, *rows, *known, *compat, *show)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	for machine, tally := range tallies {
		fmt.Printf("%s: %v\n", machine, tally)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// difference is a row for which the tools disagree.
type difference struct {
	word      string
	got, want string
	// always means that the list of known rows cannot allow the difference.
	always bool
}

// comparer compares all rows of a file and returns their number.
type comparer func(file string, k *known, report func(difference)) (rows int, err error)

// job is one comparison of a file. compat selects how isago prints. known is the name of the list of
// known rows.
type job struct {
	compare       comparer
	compat, known string
}

// jobsOf returns the comparisons for a file, or none for an unknown kind of file.
func jobsOf(file string) []job {
	dir, base := filepath.Split(file)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	one := func(c comparer) []job { return []job{{c, "", name}} }
	beside := func(file string) bool {
		_, err := os.Stat(file)
		return err == nil
	}
	switch {
	case strings.HasSuffix(base, programSuffix):
		return []job{{comparePrograms, "mesa", name}}
	case strings.HasSuffix(base, rejectsSuffix):
		return one(compareRejects)
	case base == "tesla-diff.jsonl":
		return one(compareEnvydis)
	case base == "tesla-exec.jsonl":
		return one(compareTeslaExec)
	case filepath.Base(dir) == "a2xx" && base == "exec.jsonl":
		return []job{{compareA2XXExec, "", "a2xx-exec"}}
	case strings.HasSuffix(base, "-diff.jsonl"):
		return one(compareListing(strings.TrimSuffix(base, "-diff.jsonl")))
	case filepath.Ext(base) == ".jsonl" && beside(dir+name+".xml"):
		return []job{{compareIsaspec(false), "", name}, {compareIsaspec(true), "mesa", name + "-mesa"}}
	case filepath.Ext(base) == ".json" && picaShader(file) != "":
		return one(comparePicaExec)
	case filepath.Ext(base) == ".shbin":
		return one(compareShader)
	case filepath.Ext(base) == ".bin" && beside(dir+name+".mesa.txt"):
		return one(compareMesa)
	}
	return nil
}

// counts are the numbers of rows in a file.
type counts struct{ rows, listed, differ, stale int }

func (c counts) agree() int { return c.rows - c.listed - c.differ }
func (c counts) ok() bool   { return c.differ == 0 && c.stale == 0 }

func (c *counts) add(d counts) {
	c.rows += d.rows
	c.listed += d.listed
	c.differ += d.differ
	c.stale += d.stale
}

const knownFolder = "internal/peer/known"

// runFile compares a file and prints the result. ok is false if the result differs from the list.
func runFile(w io.Writer, file, knownFile, compat string, show int) (ok bool, err error) {
	jobs := jobsOf(file)
	at := slices.IndexFunc(jobs, func(j job) bool { return j.compat == compat })
	if len(jobs) == 1 {
		at = 0
	}
	if at < 0 {
		return false, fmt.Errorf("%s: no comparison for such files; the package documentation lists the kinds", file)
	}
	if knownFile == "" {
		knownFile = filepath.Join(knownFolder, jobs[at].known+".txt")
	}
	c, err := jobs[at].run(w, file, knownFile, show)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(w, "%s: %d rows, %d agree, %d listed as different, %d differ\n", file, c.rows, c.agree(), c.listed, c.differ)
	return c.ok(), nil
}

// runAll compares all files of a folder and prints a table.
func runAll(w io.Writer, dir, knownDir string, show int) (ok bool, err error) {
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "file\trows\tagree\tlisted\tdiffer")
	line := func(name string, c counts) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\n", name, c.rows, c.agree(), c.listed, c.differ)
	}
	total, files := counts{}, 0
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		for _, j := range jobsOf(file) {
			c, err := j.run(w, file, filepath.Join(knownDir, j.known+".txt"), show)
			if err != nil {
				return err
			}
			if files++; j.compat != "" {
				name = filepath.ToSlash(name) + " --compat " + j.compat
			}
			line(filepath.ToSlash(name), c)
			total.add(c)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if files == 0 {
		return false, fmt.Errorf("%s: no files to compare", dir)
	}
	line("all", total)
	t.Flush()
	fmt.Fprint(w, table.String())
	return total.ok(), nil
}

// run compares a file and prints every deviation from the list.
func (j job) run(w io.Writer, file, knownFile string, show int) (c counts, err error) {
	k, err := readKnown(knownFile)
	if err != nil {
		return c, err
	}
	met := map[string]bool{}
	c.rows, err = j.compare(file, k, func(d difference) {
		if _, ok := k.reasons[d.word]; ok && !d.always {
			met[d.word] = true
			c.listed++
			return
		}
		if c.differ++; c.differ <= show {
			fmt.Fprintf(w, "%s\n  isago %q\n  peer  %q\n", d.word, d.got, d.want)
		}
	})
	for _, word := range k.order {
		if !met[word] && err == nil {
			c.stale++
			fmt.Fprintf(w, "%s is listed as different and agrees\n", word)
		}
	}
	return c, err
}

// known are the rows of a file that are known to differ, with reasons.
type known struct {
	reasons map[string]string
	order   []string
	// quirks are the quirk values with which a row agrees, by row.
	quirks map[string]map[string]string
}

// readKnown reads a list. A missing file is an empty list.
func readKnown(file string) (*known, error) {
	k := &known{reasons: map[string]string{}, quirks: map[string]map[string]string{}}
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return k, nil
	}
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, reason, ok := strings.Cut(line, "\t")
		if quirk, rest, found := strings.Cut(reason, "\t"); found {
			name, value, equal := strings.Cut(strings.TrimPrefix(quirk, "quirk "), "=")
			ok = ok && equal && strings.HasPrefix(quirk, "quirk ")
			k.quirks[word], reason = map[string]string{name: value}, rest
		}
		if !ok || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: %q, expected ROW<tab>REASON or ROW<tab>quirk NAME=VALUE<tab>REASON", file, i+1, line)
		}
		if k.reasons[word] == "" {
			k.order = append(k.order, word)
		}
		k.reasons[word] = reason
	}
	return k, nil
}

// run compares a row that is executed. f returns equal texts if the tools agree. A row with a quirk
// value must differ without the value and agree with it.
func (k *known) run(row string, report func(difference), f func(quirks map[string]string) (got, want string, err error)) error {
	got, want, err := f(nil)
	if err != nil || got == want {
		return err
	}
	d := difference{word: row, got: got, want: want}
	if quirks := k.quirks[row]; quirks != nil {
		if d.got, d.want, err = f(quirks); err != nil {
			return err
		}
		d.always = d.got != d.want
	}
	report(d)
	return nil
}

// eachRow calls f for each line of a JSON Lines file, numbered from 1, and returns the number of
// lines.
func eachRow[T any](file string, f func(n int, r *T) error) (rows int, err error) {
	in, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var r T
		rows++
		if err = json.Unmarshal(scanner.Bytes(), &r); err == nil {
			err = f(rows, &r)
		}
		if err != nil {
			return rows, fmt.Errorf("%s:%d: %w", file, rows, err)
		}
	}
	return rows, scanner.Err()
}
