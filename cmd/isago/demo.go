package main

import (
	"bufio"
	"fmt"
	"image"
	"image/draw"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/catalog"
)

// checkDemo returns an error for a flag that has no effect on --demo.
func checkDemo(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains([]string{"demo", "isa", "png", "size", "jobs", "budget", "stats", "color"}, flag.Name) {
			err = usagef("--%s cannot be combined with --demo", flag.Name)
		}
	})
	return err
}

// runDemo draws the demos of the machines next to each other, into the file of --png or on the terminal.
func (f *runFlags) runDemo(cmd *cobra.Command) error {
	var pictures []image.Image
	var names []string
	for _, m := range catalog.Machines() {
		if m.Demo == nil {
			continue
		}
		names = append(names, m.Name)
		if f.isa != "" && f.isa != m.Name {
			continue
		}
		img, err := f.drawDemo(cmd, &m)
		if err != nil {
			return err
		}
		pictures = append(pictures, img)
	}
	if len(pictures) == 0 {
		return usagef("--demo: %s has no demo, expected one of %s", f.isa, strings.Join(names, ", "))
	}
	all := sideBySide(pictures)
	if f.png != "" {
		return f.writeFiles(cmd, &feed.Outcome{Picture: all})
	}
	colours, err := inColour(cmd, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	return show(cmd.OutOrStdout(), all, terminalWidth(cmd.OutOrStdout()), colours)
}

// drawDemo draws the demo of a machine.
func (f *runFlags) drawDemo(cmd *cobra.Command, m *catalog.Machine) (image.Image, error) {
	set, err := f.cached(m, m.Load)
	if err != nil {
		return nil, err
	}
	req := feed.Request{Set: set, Context: set.DefaultContext()}
	if m.Demo.Mesh == "" && cmd.Flags().Changed("size") { // a program that draws without a mesh has the size as an option
		req.Options = map[string][]string{"size": {f.size}}
	}
	r, mesh, err := m.Demo.Open(req, m.Launch)
	if err != nil {
		return nil, err
	}
	if mesh != nil {
		if err := f.frame(mesh); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	out, err := f.runProgram(cmd.Context(), r, mesh, feed.RunOptions{RunOptions: exec.RunOptions{Jobs: f.jobs, Budget: f.budget}})
	if err != nil {
		return nil, err
	}
	if f.stats {
		printStats(cmd, out, time.Since(start))
	}
	return out.Picture, nil
}

// sideBySide returns one picture with all pictures of the list next to each other.
func sideBySide(list []image.Image) image.Image {
	width, height := 0, 0
	for _, img := range list {
		width, height = width+img.Bounds().Dx(), max(height, img.Bounds().Dy())
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Bounds(), image.NewUniform(feed.Background), image.Point{}, draw.Src)
	x := 0
	for _, img := range list {
		box := img.Bounds()
		y := (height - box.Dy()) / 2
		draw.Draw(out, image.Rect(x, y, x+box.Dx(), y+box.Dy()), img, box.Min, draw.Over)
		x += box.Dx()
	}
	return out
}

// shades are characters from dark to light.
const shades = " .:-=+*#%@"

// show draws a picture with characters, at most 120 in a line. Each character shows two cells of the picture, one above
// the other: in colour, or as the shade of their average.
func show(w io.Writer, img image.Image, width int, colours bool) error {
	if width <= 0 || width > 120 {
		width = 100
	}
	b := img.Bounds()
	rows := (width*b.Dy()/b.Dx() + 1) / 2
	out := bufio.NewWriter(w)
	for y := range rows {
		for x := range width {
			upper, lower := average(img, x, 2*y, width, 2*rows), average(img, x, 2*y+1, width, 2*rows)
			if colours {
				fmt.Fprintf(out, "\x1b[38;2;%d;%d;%dm\x1b[48;2;%d;%d;%dm▀", upper[0], upper[1], upper[2], lower[0], lower[1], lower[2])
				continue
			}
			sum := 0
			for k := range 3 {
				sum += upper[k] + lower[k]
			}
			out.WriteByte(shades[sum*(len(shades)-1)/(6*255)])
		}
		if colours {
			out.WriteString("\x1b[0m")
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// average returns the mean colour of the cell in column x and row y of a picture that is divided into columns and rows.
func average(img image.Image, x, y, columns, rows int) (rgb [3]int) {
	b := img.Bounds()
	x0, y0 := b.Min.X+x*b.Dx()/columns, b.Min.Y+y*b.Dy()/rows
	x1, y1 := max(x0+1, b.Min.X+(x+1)*b.Dx()/columns), max(y0+1, b.Min.Y+(y+1)*b.Dy()/rows)
	n := 0
	for py := y0; py < y1; py++ {
		for px := x0; px < x1; px++ {
			r, g, b, _ := img.At(px, py).RGBA()
			rgb[0], rgb[1], rgb[2] = rgb[0]+int(r>>8), rgb[1]+int(g>>8), rgb[2]+int(b>>8)
			n++
		}
	}
	for k := range rgb {
		rgb[k] /= n
	}
	return rgb
}
