package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// report counts differences by group and by kind.
type report struct {
	groups map[string]*counts
	kinds  map[string]*kind
}

// counts are the numbers of inputs in a group: all inputs, equal ones, and those that differ in each
// stream.
type counts struct {
	all, same int
	streams   [len(streams)]int
}

// streams are the outputs that are compared.
var streams = [...]string{"stdout", "stderr", "status", "files"}

const (
	stdout = iota
	stderr
	status
	files
)

// kind is a group of similar differences.
type kind struct {
	id     string
	stream string
	// times counts lines and inputs counts inputs.
	times, inputs int
	groups        map[string]bool
	command       string
	old, new      string
}

// add compares the results of a call.
func (r *report) add(x *call, old, new result) {
	if r.groups == nil {
		r.groups, r.kinds = map[string]*counts{}, map[string]*kind{}
	}
	g := r.groups[x.group]
	if g == nil {
		g = &counts{}
		r.groups[x.group] = g
	}
	command := x.command()
	inputs, differ := 1, map[int]bool{}
	note := func(stream, input int, where string, list []edit) {
		if len(list) == 0 {
			return
		}
		g.streams[stream]++
		differ[input] = true
		r.kind(x.group, stream, command+where, list)
	}
	whole := true
	if x.lines {
		in, a, b := split(x.stdin), split(old.stdout), split(new.stdout)
		inputs = max(1, len(in))
		if whole = len(a) != len(in) || len(b) != len(in); !whole {
			for i := range a {
				if a[i] != b[i] {
					note(stdout, i, " <<< "+in[i], lineEdits(a[i], b[i]))
				}
			}
		}
	}
	if whole {
		note(stdout, 0, "", edits(old.stdout, new.stdout))
	}
	note(stderr, 0, "", edits(old.stderr, new.stderr))
	if old.status != new.status {
		note(status, 0, "", []edit{{statusText(old.status), statusText(new.status)}})
	}
	for _, name := range slices.Sorted(maps.Keys(merged(old.files, new.files))) {
		a, had := old.files[name]
		b, has := new.files[name]
		if had != has {
			note(files, 0, " "+out+name, []edit{{written(had), written(has)}})
			continue
		}
		note(files, 0, " "+out+name, edits(a, b))
	}
	g.all += inputs
	g.same += inputs - len(differ)
}

func merged(a, b map[string]string) map[string]string {
	m := maps.Clone(a)
	if m == nil {
		m = map[string]string{}
	}
	maps.Copy(m, b)
	return m
}

func written(is bool) string {
	if is {
		return "file written"
	}
	return "no file"
}

func statusText(n int) string {
	if n == timedOut {
		return "timed out"
	}
	return fmt.Sprintf("exit status %d", n)
}

// command formats the call as a command line.
func (x *call) command() string {
	if x.session != nil {
		return strings.Join(x.args, " ")
	}
	text := "isago"
	for _, a := range x.args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"*?;<>|&$(){}") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		text += " " + a
	}
	if x.stdin != "" && !x.lines {
		text += " <<< " + fmt.Sprintf("%q", x.stdin)
	}
	return text
}

// edit is a line that changed. old or new is empty if the line exists on one side only.
type edit struct{ old, new string }

// kind adds the changed lines of an input to the counts of their kinds.
func (r *report) kind(group string, stream int, command string, list []edit) {
	met := map[string]bool{}
	for _, e := range list {
		shape := shapeOf(streams[stream], e)
		k := r.kinds[shape]
		if k == nil {
			h := fnv.New32a()
			io.WriteString(h, shape)
			k = &kind{id: fmt.Sprintf("%08x", h.Sum32()), stream: streams[stream], groups: map[string]bool{}, command: command, old: e.old, new: e.new}
			r.kinds[shape] = k
		}
		if k.times++; !met[shape] {
			k.inputs++
		}
		met[shape] = true
		k.groups[group] = true
		if len(k.command)+len(k.old) > len(command)+len(e.old) {
			k.command, k.old, k.new = command, e.old, e.new
		}
	}
}

// split splits a text into lines.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// edits compares two outputs line by line. Binary data is compared word by word.
func edits(old, new string) []edit {
	if old == new {
		return nil
	}
	old, new = readable(old), readable(new)
	var list []edit
	for _, e := range udiff.Lines(old, new) {
		a, b := split(old[e.Start:e.End]), split(e.New)
		for i := range max(len(a), len(b)) {
			var x edit
			if i < len(a) {
				x.old = a[i]
			}
			if i < len(b) {
				x.new = b[i]
			}
			if x.old != x.new {
				list = append(list, x)
			}
		}
	}
	if len(list) == 0 { // a missing newline at the end, or an empty line
		list = []edit{{fmt.Sprintf("%q", tail(old)), fmt.Sprintf("%q", tail(new))}}
	}
	return list
}

// lineEdits compares two lines. It splits long lines.
func lineEdits(old, new string) []edit { return edits(old+"\n", new+"\n") }

func tail(s string) string { return s[max(0, len(s)-20):] }

// longLine is the length in bytes from which a line is split at its commas.
const longLine = 300

// readable returns text in lines of moderate length, and binary data as hexadecimal words.
func readable(s string) string {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		var b strings.Builder
		for len(s) > 0 {
			n := min(4, len(s))
			fmt.Fprintf(&b, "%x\n", s[:n])
			s = s[n:]
		}
		return b.String()
	}
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		if len(l) > longLine {
			lines[i] = strings.ReplaceAll(l, ",", ",\n")
		}
	}
	return strings.Join(lines, "")
}

var (
	token  = regexp.MustCompile(`[\pL\pN_]+|\s+|.`)
	number = regexp.MustCompile(`\bl[0-9a-f]*[0-9][0-9a-f]*\b|\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]*[0-9][0-9a-fA-F]*\b|[0-9][0-9a-f]*`)
	quoted = regexp.MustCompile(`"[^"]*"`)
	path   = regexp.MustCompile(`[\w.$-]+(/[\w.$-]+)+`)
	// cited matches a source line in a message. marked matches the carets below it.
	cited  = regexp.MustCompile(`^ *\d+ \| .*`)
	marked = regexp.MustCompile(`^ *\|[ \t]*\^+ *$`)
)

// shapeOf returns the kind of a difference: the part of the lines that differs, without numbers, file
// names, quoted text and source lines.
func shapeOf(stream string, e edit) string {
	a, b := token.FindAllString(general(e.old), -1), token.FindAllString(general(e.new), -1)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)+len(b) == 0 { // They differ only in what general replaces.
		return stream + "\n" + general(e.old) + "\nother numbers, names or quoted text"
	}
	return stream + "\n" + strings.Join(a, "") + "\n" + strings.Join(b, "")
}

// general replaces everything that differs from input to input.
func general(s string) string {
	s = cited.ReplaceAllString(s, "N | SOURCE")
	s = marked.ReplaceAllString(s, "| ^")
	s = path.ReplaceAllString(s, "FILE")
	s = quoted.ReplaceAllString(s, `"…"`)
	s = number.ReplaceAllStringFunc(s, func(n string) string {
		switch {
		case strings.HasPrefix(n, "0x"):
			return "0xN"
		case n[0] == 'l': // a label
			return "lN"
		}
		return "N"
	})
	return strings.Join(strings.Fields(s), " ")
}

// print prints the counts and the kinds of differences. same is false if one is unintended.
func (r *report) print(w io.Writer, show int, intended map[string]string) (same bool) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "group\tinputs\tsame\t%s\t\n", strings.Join(streams[:], "\t"))
	total := counts{}
	row := func(name string, c *counts) {
		fmt.Fprintf(t, "%s\t%d\t%d\t", name, c.all, c.same)
		for _, n := range c.streams {
			fmt.Fprintf(t, "%d\t", n)
		}
		fmt.Fprintln(t)
	}
	for _, name := range slices.Sorted(maps.Keys(r.groups)) {
		c := r.groups[name]
		row(name, c)
		total.all += c.all
		total.same += c.same
		for i, n := range c.streams {
			total.streams[i] += n
		}
	}
	row("all", &total)
	t.Flush()

	var list []*kind
	met := map[string]bool{}
	for _, k := range r.kinds {
		if met[k.id] = true; intended[k.id] == "" {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b *kind) int {
		return cmp.Or(cmp.Compare(urgent(a), urgent(b)), cmp.Compare(b.inputs, a.inputs), cmp.Compare(b.times, a.times), strings.Compare(a.id, b.id))
	})
	fmt.Fprintf(w, "%d kinds of differences, %d intended\n", len(r.kinds), len(r.kinds)-len(list))
	for id := range intended {
		if !met[id] {
			fmt.Fprintf(w, "%s is listed as intended and does not occur\n", id)
		}
	}
	for i, k := range list {
		if i == show {
			fmt.Fprintf(w, "\n%d more kinds; -show N prints more\n", len(list)-show)
			break
		}
		fmt.Fprintf(w, "\n%s  %s, %d lines in %d inputs of %s\n  %s\n", k.id, k.stream, k.times, k.inputs,
			strings.Join(slices.Sorted(maps.Keys(k.groups)), ", "), short(k.command, 0))
		start := 0
		for start < min(len(k.old), len(k.new)) && k.old[start] == k.new[start] {
			start++
		}
		fmt.Fprintf(w, "  - %s\n  + %s\n", short(k.old, start), short(k.new, start))
	}
	return len(list) == 0
}

// urgent sorts changed exit statuses before changed output.
func urgent(k *kind) int {
	if k.stream == streams[status] {
		return 0
	}
	return 1
}

// short shortens a long line. The argument from is the index of the first byte that must remain.
func short(s string, from int) string {
	const most, before = 240, 80
	if from > before && len(s) > most {
		s = "…" + s[from-before:]
	}
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
