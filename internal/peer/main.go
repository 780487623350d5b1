// Command peer compares isago with rows of another tool's output.
//
//	go run ./internal/peer -rows FILE [-known FILE] [-compat mesa] [-show N]
//
// FILE is tesla-diff.jsonl, rows {"words", "variant", "ptype", "text"} of envydis, which must print
// the same and come back from the plain text. Or
// FILE.bin is a program of Adreno A2XX, with the text of Mesa's disassembler in FILE.mesa.txt, of which
// each line is a row: the line must be the same, the text that isago prints must give the program back,
// and so must Mesa's. Or FILE is a shader file of a machine, which must list without an unknown word and come back from
// its lossless text word for word; or FILE.jsonl with rows {"gen", "word", "text"} beside FILE.xml,
// the description that they belong to; or MACHINE-diff.jsonl with rows {"words", "dis", "src"}: words
// with the most significant first, the listing, and a text that gives the words. Rows in which the other tool is known to be wrong are listed
// in internal/peer/known, one a line: the row's word (for the last format, a blank and dis, lossless or src), a tab, the reason. The exit status is 1 where
// an unlisted row differs, and where a listed one does not.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	rows := flag.String("rows", "", "file with the other tool's output")
	known := flag.String("known", "", "file with the rows that are known to differ (default: internal/peer/known/NAME.txt)")
	compat := flag.String("compat", "", "mesa: print as Mesa's isaspec does, defects included")
	show := flag.Int("show", 10, "number of differences to print")
	flag.Parse()
	if *rows == "" || flag.NArg() > 0 || *compat != "" && *compat != "mesa" {
		flag.Usage()
		os.Exit(2)
	}
	if *known == "" {
		name := filepath.Base(*rows)
		*known = filepath.Join("internal", "peer", "known", strings.TrimSuffix(name, filepath.Ext(name))+".txt")
	}
	ok, err := run(os.Stdout, *rows, *known, *compat != "", *show)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !ok {
		os.Exit(1)
	}
}

// difference is a row on which the tools disagree.
type difference struct {
	word      string
	got, want string
}

// comparer compares all rows of a file; it returns how many there were.
type comparer func(file string, report func(difference)) (rows int, err error)

func comparerFor(file string, compat bool) (comparer, error) {
	if strings.HasSuffix(file, programSuffix) {
		return comparePrograms, nil
	}
	if filepath.Base(file) == envydisFile {
		return compareEnvydis, nil
	}
	switch filepath.Ext(file) {
	case ".jsonl":
		if machine, ok := strings.CutSuffix(filepath.Base(file), "-diff.jsonl"); ok {
			return func(file string, report func(difference)) (int, error) { return compareListing(machine, file, report) }, nil
		}
		return func(file string, report func(difference)) (int, error) { return compareIsaspec(file, compat, report) }, nil
	case ".shbin":
		return compareShader, nil
	case ".bin":
		return compareMesa, nil
	}
	return nil, fmt.Errorf("%s: no comparison for such files, expected .jsonl, .shbin or .bin", file)
}

// run compares a file and prints the outcome. ok is false where something is not as it is listed.
func run(w io.Writer, file, knownFile string, compat bool, show int) (ok bool, err error) {
	compare, err := comparerFor(file, compat)
	if err != nil {
		return false, err
	}
	known, err := readKnown(knownFile)
	if err != nil {
		return false, err
	}
	met := map[string]bool{}
	unlisted, listed := 0, 0
	rows, err := compare(file, func(d difference) {
		if _, ok := known[d.word]; ok {
			met[d.word] = true
			listed++
			return
		}
		if unlisted++; unlisted <= show {
			fmt.Fprintf(w, "%s\n  isago %q\n  peer  %q\n", d.word, d.got, d.want)
		}
	})
	if err != nil {
		return false, err
	}
	stale := 0
	for word := range known {
		if !met[word] {
			stale++
			fmt.Fprintf(w, "%s is listed as different and agrees\n", word)
		}
	}
	fmt.Fprintf(w, "%s: %d rows, %d agree, %d listed as different, %d differ\n", file, rows, rows-listed-unlisted, listed, unlisted)
	return unlisted == 0 && stale == 0, nil
}

// readKnown reads the rows that are known to differ, with the reason of each; no file is no rows.
func readKnown(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, reason, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: %q, expected WORD<tab>REASON", file, i+1, line)
		}
		known[word] = reason
	}
	return known, nil
}
