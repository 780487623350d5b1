package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// lineOutput sends each printed line to a channel.
type lineOutput struct{ lines chan string }

func (o *lineOutput) Write(p []byte) (int, error) {
	o.lines <- string(p)
	return len(p), nil
}

// Raw code from a pipe is printed as it comes, before the pipe ends.
func TestDisPrintsAsCodeComes(t *testing.T) {
	for _, flags := range []string{
		"--isa pica200 --plain", "--isa tesla --plain --stage cp", "--isa pica200 --label-limit 100 --words", "--isa pica200 --label-limit 100 --json",
		"--isa tesla --label-limit 100", "--isa tegra --plain --root instruction", "--isa pica200 --order big --plain",
	} {
		r, w := io.Pipe()
		out := &lineOutput{make(chan string, 1000)}
		done := make(chan int)
		var errs bytes.Buffer
		go func() {
			status := run(append(strings.Fields("dis "+flags), "-"), r, out, &errs)
			r.CloseWithError(fmt.Errorf("dis %s: status %d, %s", flags, status, errs.String()))
			done <- status
		}()
		if _, err := w.Write(make([]byte, headSize+64<<10)); err != nil { // the limit of tegra is 64 KiB
			t.Fatal(err)
		}
		for n := range 3 {
			if _, err := w.Write(make([]byte, 64)); err != nil { // whole words of each machine
				t.Fatal(err)
			}
			select {
			case <-out.lines:
			case <-time.After(20 * time.Second):
				t.Errorf("dis %s: nothing is printed after part %d", flags, n)
			}
			for len(out.lines) > 0 {
				<-out.lines
			}
		}
		w.Close()
		go func() {
			for range out.lines {
			}
		}()
		<-done
		close(out.lines)
	}
}

// What comes through a pipe is printed as a file is.
func TestDisPipeIsFile(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(4, 7))
	for _, flags := range []string{
		"--isa pica200", "--isa pica200 --plain", "--isa pica200 --json --facts", "--isa pica200 --words --addresses --findings stderr", "--isa pica200 --order swapped",
		"--isa tesla", "--isa tesla --plain", "--isa tesla --json", "--isa tesla --order big", "--isa tegra", "--isa tegra --order high --plain", "--isa example", "--isa a2xx --plain --root alu",
	} {
		for _, size := range []int{0, 3, 4096, 5000, 10000, 10002} {
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			file := filepath.Join(dir, fmt.Sprint("code", size))
			write(t, file, string(data))
			for _, limit := range []string{"0", "6000"} {
				if limit == "0" && size == 5000 || strings.HasPrefix(flags, "--isa tesla") && size > 5000 && limit != "0" {
					continue
				}
				args := append(strings.Fields("dis --label-limit "+limit), strings.Fields(flags)...)
				var want, got, wantErr, gotErr bytes.Buffer
				wantStatus := run(append(args, file), nil, &want, &wantErr)
				gotStatus := run(append(args, "-"), iotest.HalfReader(bytes.NewReader(data)), &got, &gotErr)
				note := strings.NewReplacer(file, "<stdin>", fmt.Sprintf("--label-limit %d", size), "a larger --label-limit")
				wantText, gotText := note.Replace(wantErr.String())+want.String(), gotErr.String()+got.String()
				if wantStatus == exitMistake { // with a file, the command fails before it prints
					mistake := fmt.Sprintf("%d bytes, expected ", size)
					if gotStatus != exitMistake || !strings.Contains(wantText, mistake) || !strings.Contains(gotText, mistake) {
						t.Errorf("%q of %d bytes: status %d, %s; of a file %s", args, size, gotStatus, gotErr.String(), wantText)
					}
				} else if gotStatus != wantStatus || gotText != wantText {
					t.Errorf("%q of %d bytes: status %d, %d bytes, %.300s; of a file %d, %d bytes, %.300s", args, size, gotStatus, got.Len(), gotErr.String(), wantStatus, want.Len(), wantErr.String())
				}
			}
		}
	}
}

// --json of long raw code is printed piece by piece, and --jumps needs all of it and so has a bound.
func TestDisOfLongRawCode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "code")
	write(t, file, strings.Repeat("\x00", 2<<20))
	var errs strings.Builder
	out := &watched{left: 64 << 20, enough: func() {}}
	before := liveHeap()
	if status := run([]string{"dis", "--isa", "pica200", "--json", "--label-limit", "0", file}, nil, out, &errs); status != exitFindings || !strings.HasPrefix(out.String(), `{"machine":"pica200","format":"raw",`) {
		t.Errorf("status %d, %s%.100s", status, errs.String(), out.String())
	}
	if grown := out.heap - before; grown > 32<<20 {
		t.Errorf("%d MB for 2 MB of code", grown>>20)
	}
	for _, flag := range []string{"--jumps", "--max-errors=3"} {
		for _, name := range []string{file, "-"} {
			errs.Reset()
			status := run([]string{"dis", "--isa", "pica200", flag, "--label-limit", "0x1000", name}, strings.NewReader(strings.Repeat("\x00", 5000)), io.Discard, &errs)
			flag, _, _ := strings.Cut(flag, "=")
			if want := fmt.Sprintf("isago dis: %s: %s needs all of the code, expected at most 4096 bytes; --label-limit sets the limit\n", inputName(name), flag); status != 1 || errs.String() != want {
				t.Errorf("%s: status %d, %q, expected %q", flag, status, errs.String(), want)
			}
		}
	}
}
