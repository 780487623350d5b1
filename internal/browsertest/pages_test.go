package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/manual"
	"github.com/isago/isago/target/catalog"
)

// folder is the folder with the pages of all machines. TestMain removes it.
var folder string

// written writes the pages of all machines into the folder.
var written = sync.OnceValue(func() error {
	var machines []manual.Machine
	for _, c := range catalog.Machines() {
		set, err := c.Load(isa.Options{})
		if err != nil {
			return err
		}
		machines = append(machines, manual.Machine{Name: c.Name, Title: c.Title, Set: set})
	}
	return manual.Write(context.Background(), machines, nil, func(f manual.File) error {
		name := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		return os.WriteFile(name, f.Data, 0o666)
	})
})

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "isago-pages"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	stop()
	os.RemoveAll(folder)
	os.Exit(code)
}

// pages returns the folder with the pages.
func pages(t *testing.T) string {
	t.Helper()
	if err := written(); err != nil {
		t.Fatal(err)
	}
	return folder
}

// The Nu checker has no message for any page.
func TestValid(t *testing.T) {
	jar := os.Getenv("ISAGO_VNU")
	if jar == "" {
		t.Skip("SKIPPED: ISAGO_VNU is not set to vnu.jar of npm's package vnu-jar, so no page is validated")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("SKIPPED: no java, so no page is validated")
	}
	var report bytes.Buffer
	cmd := exec.Command("java", "-Xss8m", "-jar", jar, "--skip-non-html", "--format", "json", pages(t))
	cmd.Stderr = &report
	err := cmd.Run()
	var messages struct {
		Messages []struct {
			Type, URL, Message string
			LastLine           int
		}
	}
	if jsonErr := json.Unmarshal(report.Bytes(), &messages); jsonErr != nil {
		t.Fatalf("%v: %s", errors.Join(err, jsonErr), report.Bytes())
	}
	for _, m := range messages.Messages[:min(20, len(messages.Messages))] {
		t.Errorf("%s:%d: %s: %s", m.URL, m.LastLine, m.Type, m.Message)
	}
	if err != nil && len(messages.Messages) == 0 {
		t.Error(err)
	}
}

// started starts the browser of all tests.
var started = sync.OnceValues(func() (context.Context, error) {
	ctx, cancel := chromedp.NewContext(context.Background())
	stop = cancel
	return ctx, chromedp.Do(ctx)
})

// stop stops the browser.
var stop = func() {}

// browser returns the context of a new tab of chromium. Exceptions in pages fail the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	if !slices.ContainsFunc([]string{"chromium", "chromium-browser", "google-chrome"}, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	}) {
		t.Skip("SKIPPED: no chromium, so no page is opened in a browser")
	}
	parent, err := started()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	if err := chromedp.Listen(ctx, func(ev any) {
		if e, ok := ev.(*runtime.EventExceptionThrown); ok {
			d := e.ExceptionDetails
			t.Errorf("%s:%d: %s %v", d.URL, d.LineNumber+1, d.Text, d.Exception)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// do runs actions, each test within a minute.
func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// get evaluates an expression of JavaScript.
func get[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits until an expression of JavaScript is true.
func wait(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(20*time.Second))
}

func page(t *testing.T, name string) string { return "file://" + filepath.Join(pages(t), name) }

// The search finds an instruction by name, a field by its documentation, and opens the first result with Enter.
func TestSearch(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(page(t, "pica200/index.html")), chromedp.WaitVisible(chromedp.CSS("#search")))
	// One event with its text, as a keyboard sends it: chromedp.KeyEvent sends the character also if the page handles the key.
	if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Text: "/"}); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, wait(`document.activeElement.id == "search"`), chromedp.KeyEvent("mad"), wait(`document.querySelector("#results a")`))
	if title := get[string](t, ctx, `document.querySelector("#results b").textContent`); title != "mad" {
		t.Errorf("mad finds %q first", title)
	}
	do(t, ctx, chromedp.KeyEvent("\r"))
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) { // a wait of the page itself ends when the page changes
		at, err := chromedp.Run(ctx, chromedp.Location())
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(at, "/pica200/instructions/mad.html") {
			break
		}
		if time.Since(start) > 20*time.Second {
			t.Fatalf("Enter leads to %s", at)
		}
	}
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("#search"), "operand descriptor index"), wait(`document.querySelector("#results a")`))
	if text := get[string](t, ctx, `document.querySelector("#results").textContent`); !strings.Contains(text, "DESC") {
		t.Errorf("a text of a field finds %q", text)
	}
	do(t, ctx, chromedp.KeyEvent("\x1b"), wait(`!document.querySelector("#results a")`))
}

// A pasted word is decoded, with the entry of a table, and the nearest instruction is shown for a word that none has.
func TestDecode(t *testing.T) {
	ctx := browser(t)
	word := chromedp.CSS("#word")
	decoded := `document.querySelector("#decoded").textContent`
	// 3dbrew: opcode 8 in bits 26 to 31 is ADD's neighbour MUL, and DESC is in bits 0 to 6.
	do(t, ctx, chromedp.Navigate(page(t, "pica200/index.html")), chromedp.SendKeys(word, "20000003/36f"), wait(decoded+` != ""`))
	text := get[string](t, ctx, decoded)
	for _, part := range []string{"mul", "DESC.MASK", "0xf"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q has no %s", text, part)
		}
	}
	do(t, ctx, chromedp.Navigate(page(t, "tegra/index.html")), chromedp.SendKeys(word, "zz"), wait(`/Expected/.test(`+decoded+`)`))
	do(t, ctx, chromedp.Navigate(page(t, "example/index.html")), chromedp.SendKeys(word, "ffffffff"), wait(decoded+` != ""`))
	if text := get[string](t, ctx, decoded); !strings.Contains(text, "nearest") {
		t.Errorf("a word without an instruction shows %q", text)
	}
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(page(t, "pica200/index.html#word=20000003")), wait(decoded+` != ""`))
}

// luminance returns the brightness of the background, 0 to 255.
const luminance = `getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0) / 3`

// The pages follow the system's theme, the button chooses the other one, and the choice survives. Text is readable in both:
// its contrast is at least 4.5, which WCAG 2 requires.
func TestThemes(t *testing.T) {
	ctx := browser(t)
	const contrast = `(function () {
		function light(c) { return c.match(/[\d.]+/g).slice(0, 3).map(function (x) { x /= 255; return x <= 0.03928 ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4) }).reduce(function (s, x, i) { return s + x * [0.2126, 0.7152, 0.0722][i] }, 0) }
		var least = 99, worst = "";
		document.querySelectorAll("main a, main code, main td, main p, main small, main h1, main span, main pre").forEach(function (e) {
			if (!e.textContent.trim()) return;
			var b = e;
			while (b && /rgba\(.*, 0\)|transparent/.test(getComputedStyle(b).backgroundColor)) b = b.parentElement;
			var x = light(getComputedStyle(e).color), y = light(getComputedStyle(b || document.body).backgroundColor), c = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
			if (c < least) { least = c; worst = e.outerHTML.slice(0, 100); }
		});
		return least < 4.5 ? least.toFixed(2) + " " + worst : "";
	})()`
	for _, theme := range []string{"light", "dark"} {
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"pica200/instructions/mad.html", "tesla/encodings.html", "tesla/index.html", "a2xx/values.html"} {
			do(t, ctx, chromedp.Navigate(page(t, name)), chromedp.WaitVisible(chromedp.CSS("#theme")))
			if l := get[float64](t, ctx, luminance); (l < 128) != (theme == "dark") {
				t.Errorf("%s: the background has the luminance %v with the theme %s", name, l, theme)
			}
			if bad := get[string](t, ctx, contrast); bad != "" {
				t.Errorf("%s, %s: a contrast of %s", name, theme, bad)
			}
		}
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#theme")), wait(luminance+" > 128"), chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS("#theme")))
	if l := get[float64](t, ctx, luminance); l < 128 {
		t.Errorf("the chosen theme is gone after a reload: the luminance is %v", l)
	}
	do(t, ctx, chromedp.Evaluate[chromedp.Void]("localStorage.clear()"))
}

// No page needs a horizontal scroll bar of its own from 360 to 1,920 pixels, and no text is wider than its page.
func TestWidths(t *testing.T) {
	ctx := browser(t)
	names := []string{"index.html", "pica200/instructions/mad.html", "tegra/encodings.html", "a2xx/instructions.html", "a2xx/values.html", "tesla/registers.html", "tesla/functions.html", "tesla/launch.html", "example/index.html", "pica200/quirks.html"}
	for _, width := range []int64{360, 768, 1280, 1920} {
		do(t, ctx, chromedp.EmulateViewport(width, 900))
		for _, name := range names {
			do(t, ctx, chromedp.Navigate(page(t, name)))
			if wide := get[int64](t, ctx, "document.documentElement.scrollWidth"); wide > width {
				t.Errorf("%s is %d pixels wide on a screen of %d", name, wide, width)
			}
		}
	}
	do(t, ctx, chromedp.Navigate(page(t, "tesla/encodings.html")))
	if used := get[float64](t, ctx, `document.querySelector("main").clientWidth`); used < 1500 {
		t.Errorf("the encodings use %v of 1920 pixels", used)
	}
}

// Printed pages have no navigation, and print on light paper also with the dark theme.
func TestPrint(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(page(t, "pica200/instructions/mad.html")), chromedp.WaitVisible(chromedp.CSS("#theme")), chromedp.Evaluate[chromedp.Void](`document.documentElement.dataset.theme = "dark"; 0`))
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF())
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Fatalf("%.20q, %v", pdf, err)
	}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	if l := get[float64](t, ctx, luminance); l < 250 {
		t.Errorf("the paper has the luminance %v", l)
	}
	if shown := get[string](t, ctx, `getComputedStyle(document.querySelector("header")).display`); shown != "none" {
		t.Errorf("the navigation prints: %s", shown)
	}
}

// The pages work with only the keyboard: each focusable element has a name, and the first one skips the navigation.
func TestKeyboard(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(page(t, "tesla/index.html")), chromedp.WaitVisible(chromedp.CSS("#theme")), chromedp.KeyEvent("\t"))
	if class := get[string](t, ctx, "document.activeElement.className"); class != "skip" {
		t.Errorf("the first element is %q", class)
	}
	if unnamed := get[int](t, ctx, `Array.from(document.querySelectorAll("a, button, input")).filter(e => !(e.textContent.trim() || e.getAttribute("aria-label") || e.labels && e.labels.length)).length`); unnamed > 0 {
		t.Errorf("%d elements have no name", unnamed)
	}
}

// listing writes the page of a program.
func listing(t *testing.T) string {
	t.Helper()
	m, err := catalog.Lookup("pica200")
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(pages(t), "listing.html")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	l := manual.Listing{Title: "program", Set: set, Name: "pica200", Manual: "."}
	if err := l.Write(out, []byte(`{"code":[
		{"address":0,"word":"4e000000","name":"mov","text":"mov r0, r1","operands":[{"name":"D","file":"r","index":0,"place":[4,6]},{"name":"A","file":"r","index":1,"place":[8,10]}],"tokens":[{"kind":"mnemonic","start":0,"end":3}]},
		{"address":4,"word":"4e000001","name":"mov","text":"mov r1, r0","operands":[{"name":"D","file":"r","index":1,"place":[4,6]},{"name":"A","file":"r","index":0,"place":[8,10]}],"tokens":[{"kind":"mnemonic","start":0,"end":3}]},
		{"address":8,"word":"b4000000","name":"jmpu","text":"jmpu b0, l0","flow":[{"kind":"jump","target":0}]}]}`)); err != nil {
		t.Fatal(err)
	}
	return "file://" + name
}

// In a listing, a click marks all uses of a register, a switch hides a column, and jumps lead to their targets and back.
func TestListing(t *testing.T) {
	ctx := browser(t)
	const lit = `Array.from(document.querySelectorAll(".lit")).map(e => e.textContent).join()`
	do(t, ctx, chromedp.Navigate(listing(t)), chromedp.Click(chromedp.CSS(`.op[data-r="r0"]`)))
	if got := get[string](t, ctx, lit); got != "r0,r0" {
		t.Errorf("a click marks %q", got)
	}
	do(t, ctx, chromedp.KeyEvent("\x1b"))
	if got := get[string](t, ctx, lit); got != "" {
		t.Errorf("after Escape, %q is marked", got)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#show-word")))
	if shown := get[string](t, ctx, `getComputedStyle(document.querySelector("td.word")).display`); shown != "none" {
		t.Errorf("words are shown: %s", shown)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS(`#i2 a`)), wait(`location.hash == "#i0"`), chromedp.Click(chromedp.CSS(`.label a`)), wait(`location.hash == "#i2"`))
}
