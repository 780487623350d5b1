package raster

import (
	"image"
	"image/color"
	"math"
)

// samples is the number of samples per pixel along each axis. Several samples make edges smooth.
const samples = 3

// Draw draws triangles with a depth test. For the values of a fragment, colour returns red, green and
// blue, from 0 to 1.
func Draw(width, height int, background color.RGBA, vertices []Corner, triangles [][3]int, colour func(values []float32) [3]float32) *image.RGBA {
	w, h := width*samples, height*samples
	depth, colours := make([]float32, w*h), make([][3]float32, w*h)
	for i := range depth {
		depth[i] = float32(math.Inf(1))
		colours[i] = [3]float32{float32(background.R) / 255, float32(background.G) / 255, float32(background.B) / 255}
	}
	draw := func(q *Quad) {
		for i, d := range Pixels {
			at := (q.At.Y+d.Y)*w + q.At.X + d.X
			if q.Covered>>uint(i)&1 != 0 && q.Depth[i] < depth[at] {
				depth[at], colours[at] = q.Depth[i], colour(q.Values[i])
			}
		}
	}
	for _, t := range triangles {
		DrawTriangle(image.Pt(w, h), vertices[t[0]], vertices[t[1]], vertices[t[2]], draw)
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetRGBA(x, y, mean(colours, w, x*samples, y*samples))
		}
	}
	return img
}

// mean returns the mean colour of the samples of a pixel.
func mean(colours [][3]float32, width, x, y int) color.RGBA {
	var sum [3]float32
	for i := range samples * samples {
		for k, v := range colours[(y+i/samples)*width+x+i%samples] {
			if v > 0 { // NaN is black
				sum[k] += min(v, 1)
			}
		}
	}
	level := func(v float32) uint8 { return uint8(float32(v/(samples*samples)*255) + 0.5) }
	return color.RGBA{level(sum[0]), level(sum[1]), level(sum[2]), 255}
}
