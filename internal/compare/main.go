// Command compare runs isago of a revision and isago of the working tree on the same inputs. It reports every difference
// in output, written files, diagnostics and exit status.
//
//	.ci/compare [flags] REV
//
// The inputs are the files of REV (examples, sources, words, descriptions, scripts, pages) and inputs generated from them
// and from -seed: damaged files, random words, random programs. Both commands run in a temporary checkout of REV.
//
// Differences are grouped by kind. A kind is the lines that differ, without their common start and end, and with N for each
// number. Each kind has an ID, a count and an example. -intended FILE lists the intended kinds, one per line: the ID, a tab,
// the reason.
//
// -goarch builds the command of the working tree for another processor, and -exec names the emulator that runs the command:
//
//	.ci/compare -goarch arm64 -exec qemu-aarch64-static -groups states HEAD
//
// Exit status: 0 if every difference is intended, 3 if not, 1 if the comparison fails, 2 for a mistake on the command
// line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

type options struct {
	seed     uint64
	words    int
	show     int
	groups   *regexp.Regexp
	intended map[string]string
	// arch is the processor for which the command of the working tree is built, or "" for this one.
	// emulator runs the command, or is "".
	arch, emulator string
}

func main() {
	f := flag.NewFlagSet("compare", flag.ExitOnError) // without the flags that imported test packages register
	seed := f.Uint64("seed", 1, "`seed` of everything that is random")
	words := f.Int("words", 1000, "random instructions per machine")
	show := f.Int("show", 40, "kinds of differences to print")
	groups := f.String("groups", ".", "`regexp` of the groups to run")
	intended := f.String("intended", "", "`file` with the intended kinds: ID<tab>REASON")
	arch := f.String("goarch", "", "build the command of the working tree for this `GOARCH`")
	emulator := f.String("exec", "", "`program` that runs the command of the working tree, such as qemu-aarch64-static")
	f.Usage = func() {
		fmt.Fprintln(f.Output(), "usage: .ci/compare [flags] REV")
		f.PrintDefaults()
	}
	f.Parse(os.Args[1:])
	opt := options{seed: *seed, words: *words, show: *show, arch: *arch, emulator: *emulator}
	var err error
	if opt.groups, err = regexp.Compile(*groups); err != nil || f.NArg() != 1 || *words < 0 {
		if err != nil {
			fmt.Fprintln(os.Stderr, "compare:", err)
		}
		f.Usage()
		os.Exit(2)
	}
	same := false
	if opt.intended, err = readIntended(*intended); err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		same, err = compareRevision(ctx, os.Stdout, f.Arg(0), opt)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
	if !same {
		os.Exit(3)
	}
}

// compareRevision builds both commands and compares them. same is false if there is an unintended
// difference.
func compareRevision(ctx context.Context, w io.Writer, rev string, opt options) (same bool, err error) {
	hash, err := git(ctx, "rev-parse", "--short", "--verify", rev+"^{commit}")
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	tree := filepath.Join(dir, "tree")
	if _, err := git(ctx, "worktree", "add", "--detach", "--quiet", tree, hash); err != nil {
		return false, err
	}
	// The context is not used here, so that an interrupted comparison removes its worktree too.
	defer func() {
		_, remove := git(context.Background(), "worktree", "remove", "--force", tree)
		err = errors.Join(err, remove)
	}()
	c := comparison{options: opt, tree: tree}
	for i, from := range []string{tree, "."} {
		c.sides[i] = filepath.Join(dir, []string{"old", "new"}[i])
		if err := build(ctx, from, c.sides[i], []string{"", opt.arch}[i]); err != nil {
			return false, fmt.Errorf("%s: %w", []string{hash, "working tree"}[i], err)
		}
	}
	fmt.Fprintf(w, "%s with the working tree, seed %d\n", hash, opt.seed)
	if err := c.run(ctx); err != nil {
		return false, err
	}
	return c.report.print(w, opt.show, opt.intended), nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// build builds the command of a tree into a folder, under both of its names. An empty arch selects
// this processor.
func build(ctx context.Context, tree, dir, arch string) error {
	file := filepath.Join(dir, "isago")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", file, "./cmd/isago")
	cmd.Dir = tree
	if arch != "" {
		cmd.Env = append(cmd.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return os.Symlink("isago", filepath.Join(dir, "picasso"))
}

// readIntended reads the IDs of intended differences and their reasons.
func readIntended(file string) (map[string]string, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	intended := map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: %q, expected ID<tab>REASON", file, i+1, line)
		}
		intended[id] = reason
	}
	return intended, nil
}
