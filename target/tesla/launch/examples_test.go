package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

// kernels is a run of an example: options by name, and files that they name.
type kernels struct {
	options map[string][]string
	files   map[string][]byte
	opt     feed.RunOptions
}

func (k *kernels) set(name string, values ...string) *kernels {
	if k.options == nil {
		k.options, k.files = map[string][]string{}, map[string][]byte{}
	}
	k.options[name] = append(k.options[name], values...)
	return k
}

// array gives an argument an array.
func (k *kernels) array(name, typ string, data []byte) *kernels {
	k.set(optArg, name+"="+typ+":@"+name)
	k.files[name] = data
	return k
}

// run runs a file, and returns what came out and the arrays.
func (k *kernels) run(tb testing.TB, file string) (*feed.Outcome, map[string]*array) {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := k.open(data)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := s.Run(tb.Context(), k.opt)
	if err != nil {
		tb.Fatal(err)
	}
	return out, s.arrays
}

var set = func() *isa.Set {
	s, err := tesla.Load(isa.Options{})
	if err != nil {
		panic(err)
	}
	return s
}()

func (k *kernels) open(data []byte) (*session, error) {
	r, err := Open(feed.Request{Set: set, Context: set.DefaultContext(), Data: data, Options: k.options, File: func(name string) ([]byte, error) {
		if data, ok := k.files[name]; ok {
			return data, nil
		}
		return nil, fmt.Errorf("no file %s", name)
	}})
	if err != nil {
		return nil, err
	}
	return r.(*session), nil
}

func example(name string) string { return filepath.Join("../../../examples/tesla", name) }

// good holds that all threads came to their end, and nothing was found.
func good(tb testing.TB, out *feed.Outcome) {
	tb.Helper()
	for i := range out.Stops {
		if out.Noted(&out.Stops[i]) {
			tb.Errorf("stop: %s, thread %d", out.Stops[i].Stop, out.Stops[i].First)
		}
	}
	for _, f := range out.Findings {
		tb.Errorf("finding at %d: %s", f.PC, f.Register())
	}
	for i := range out.Races {
		tb.Error(&out.Races[i])
	}
}

func floats(n int, at func(i int) float32) []byte {
	var data []byte
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(at(i)))
	}
	return data
}

func words(n int, at func(i int) uint32) []byte {
	var data []byte
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, at(i))
	}
	return data
}

func (a *array) f32(i int) float32 { return math.Float32frombits(a.u32(i)) }
func (a *array) u32(i int) uint32  { return binary.LittleEndian.Uint32(a.data[4*i:]) }

// source draws numbers, the same in each run.
func source() *rand.Rand { return rand.New(rand.NewPCG(5, 6)) }

func TestVecadd(t *testing.T) {
	const n = 1000
	r := source()
	a, b := make([]float32, n), make([]float32, n)
	for i := range n {
		a[i], b[i] = r.Float32()-0.5, r.Float32()*100
	}
	k := (&kernels{}).set(optGrid, "8").set(optBlock, "128").set(optParams, "a:ptr b:ptr c:ptr n:s32").set(optArg, "c=f32[1000]", "n=1000").set(optRaces, "true")
	k.array("a", "f32", floats(n, func(i int) float32 { return a[i] })).array("b", "f32", floats(n, func(i int) float32 { return b[i] }))
	out, arrays := k.run(t, example("vecadd.cubin"))
	good(t, out)
	for i := range n {
		if got, want := arrays["c"].f32(i), a[i]+b[i]; got != want {
			t.Fatalf("c[%d] = %v, expected %v", i, got, want)
		}
	}
}

// A product is cut off to 24 bits before it is added, unless it is added to 0, and the sum rounded, so each step is
// exact in float64.
func TestMatmul(t *testing.T) {
	const n = 48
	r := source()
	a, b := make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = r.Float32()-0.5, r.Float32()-0.5
	}
	k := (&kernels{}).set(optGrid, "3,3").set(optBlock, "16,16").set(optParams, "a:ptr b:ptr c:ptr n:s32").set(optArg, "c=f32[2304]", "n=48").set(optPointer, "4").set(optRaces, "true")
	k.array("a", "f32", floats(n*n, func(i int) float32 { return a[i] })).array("b", "f32", floats(n*n, func(i int) float32 { return b[i] }))
	out, arrays := k.run(t, example("matmul.cubin"))
	good(t, out)
	for i := range n * n {
		var sum float32
		for k := range n {
			if product := float64(a[i/n*n+k]) * float64(b[k*n+i%n]); sum == 0 {
				sum = float32(product)
			} else {
				sum = float32(float64(sum) + cut(product))
			}
		}
		if got := arrays["c"].f32(i); got != sum {
			t.Fatalf("c[%d] = %v, expected %v", i, got, sum)
		}
	}
}

// cut cuts a number off to 24 bits.
func cut(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ (1<<29 - 1)) }

func TestReduce(t *testing.T) {
	const n = 10000
	r := source()
	var sum uint32
	data := words(n, func(int) uint32 { x := r.Uint32(); sum += x; return x })
	k := (&kernels{}).array("in", "u32", data).set(optArg, "part=u32[40]", "sum=u32[1]").set(optPointer, "4").set(optRaces, "true")
	k.set(optCall, "reduce<<<40,256>>>(in, part, 10000)", "reduce<<<1,256>>>(part, sum, 40)")
	out, arrays := k.run(t, example("reduce.cubin"))
	good(t, out)
	if got := arrays["sum"].u32(0); got != sum {
		t.Errorf("the sum is %d, expected %d", got, sum)
	}
}

func TestHistogram(t *testing.T) {
	const n = 20000
	r := source()
	data := make([]byte, n)
	var want [256]uint32
	for i := range data {
		data[i] = byte(r.NormFloat64()*30 + 128)
		want[data[i]]++
	}
	for _, jobs := range []int{1, 3} {
		k := (&kernels{opt: feed.RunOptions{RunOptions: exec.RunOptions{Jobs: jobs}}}).set(optGrid, "6").set(optBlock, "96").set(optParams, "data:ptr bins:ptr n:s32").set(optArg, "bins=u32[256]", "n=20000")
		k.array("data", "u8", data).set(optParallel, "true")
		out, arrays := k.run(t, example("histogram.cubin"))
		good(t, out)
		for i, n := range want {
			if got := arrays["bins"].u32(i); got != n {
				t.Fatalf("%d at a time: bin %d has %d, expected %d", jobs, i, got, n)
			}
		}
	}
}

func TestBitonic(t *testing.T) {
	const n = 256
	r := source()
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(r.Uint32())
	}
	k := (&kernels{}).set(optBlock, "256").set(optParams, "values:ptr n:s32").set(optArg, "n=256").set(optPointer, "4").set(optRaces, "true")
	k.array("values", "s32", words(n, func(i int) uint32 { return uint32(list[i]) }))
	out, arrays := k.run(t, example("bitonic.cubin"))
	good(t, out)
	slices.Sort(list)
	for i, want := range list {
		if got := int32(arrays["values"].u32(i)); got != want {
			t.Fatalf("element %d is %d, expected %d", i, got, want)
		}
	}
}

// Steps are exact; a colour may be one off, as 1 / limit comes from the table of rcp.
func TestMandelbrot(t *testing.T) {
	const width, height, limit = 64, 48, 60
	k := (&kernels{}).set(optGrid, "4,3").set(optBlock, "16,16").set(optParams, "steps:ptr colours:ptr width:s32 limit:s32 x:f32 y:f32 step:f32")
	k.set(optArg, "steps=u32[3072]", "colours=rgba[3072]", "width=64", "limit=60", "x=-2.2", "y=-1.2", "step=0.05").set(optPicture, "colours:64x48")
	out, arrays := k.run(t, example("mandelbrot.cubin"))
	good(t, out)
	for i := range width * height {
		steps := escape(-2.2+float32(float32(0.05)*float32(i%width)), -1.2+float32(float32(0.05)*float32(i/width)), limit)
		if got := arrays["steps"].u32(i); got != steps {
			t.Fatalf("pixel %d took %d steps, expected %d", i, got, steps)
		}
		want := paint(float64(steps)/limit, steps == limit)
		for c := range 4 {
			if got := float64(arrays["colours"].u32(i) >> (8 * c) & 255); math.Abs(got-want[c]) > 1 {
				t.Fatalf("pixel %d: part %d of the colour is %v, expected %v", i, c, got, want[c])
			}
		}
	}
	if b := out.Picture.Bounds(); b.Dx() != width || b.Dy() != height {
		t.Errorf("a picture of %v", b)
	}
}

// escape counts the steps until a point is outside. Each operation is rounded by itself.
func escape(cx, cy float32, limit uint32) uint32 {
	var zx, zy float32
	for n := range limit {
		xx, yy := float32(zx*zx), float32(zy*zy)
		if float32(xx+yy) > 4 {
			return n
		}
		xy := float32(zx * zy)
		zx = float32(xx-yy) + cx
		zy = float32(xy+xy) + cy
	}
	return limit
}

func paint(t float64, inside bool) [4]float64 {
	u := 1 - t
	c := [4]float64{9 * 255 * u * t * t * t, 15 * 255 * u * u * t * t, 8.5 * 255 * u * u * u * t, 255}
	if inside {
		c = [4]float64{0, 0, 0, 255}
	}
	for i := range c {
		c[i] = math.Floor(c[i])
	}
	return c
}

// Prices are within a part in 5000 of the price of the share: the special functions come from tables, and the
// normal distribution is a polynomial that is good to 7.5e-8.
func TestBlackscholes(t *testing.T) {
	const n = 300
	r := source()
	var price, strike, years [n]float32
	for i := range n {
		price[i], strike[i], years[i] = 5+25*r.Float32(), 1+99*r.Float32(), 0.25+9.75*r.Float32()
	}
	k := (&kernels{}).set(optGrid, "3").set(optBlock, "128").set(optParams, "call:ptr put:ptr price:ptr strike:ptr years:ptr n:s32 rate:f32 volatility:f32")
	k.set(optArg, "call=f32[300]", "put=f32[300]", "n=300", "rate=0.02", "volatility=0.3")
	k.array("price", "f32", floats(n, func(i int) float32 { return price[i] })).array("strike", "f32", floats(n, func(i int) float32 { return strike[i] }))
	k.array("years", "f32", floats(n, func(i int) float32 { return years[i] }))
	out, arrays := k.run(t, example("blackscholes.cubin"))
	good(t, out)
	for i := range n {
		s, x, y := float64(price[i]), float64(strike[i]), float64(years[i])
		d1 := (math.Log(s/x) + (0.02+0.5*0.3*0.3)*y) / (0.3 * math.Sqrt(y))
		d2 := d1 - 0.3*math.Sqrt(y)
		normal := func(d float64) float64 { return math.Erfc(-d/math.Sqrt2) / 2 }
		call := s*normal(d1) - x*math.Exp(-0.02*y)*normal(d2)
		put := call + x*math.Exp(-0.02*y) - s
		if got := float64(arrays["call"].f32(i)); math.Abs(got-call) > s/5000 {
			t.Fatalf("call %d costs %v, expected %v", i, got, call)
		}
		if got := float64(arrays["put"].f32(i)); math.Abs(got-put) > (s+x)/5000 {
			t.Fatalf("put %d costs %v, expected %v", i, got, put)
		}
	}
}

// saxpy and reverse are older examples.
func TestSaxpy(t *testing.T) {
	k := (&kernels{}).set(optGrid, "2").set(optBlock, "64").set(optParams, "n:s32 a:f32 x:ptr y:ptr")
	k.set(optArg, "n=100", "a=2.5", "x=f32[100]:count", "y=f32[100]:1")
	out, arrays := k.run(t, example("saxpy.cubin"))
	good(t, out)
	for i := range 100 {
		if got, want := arrays["y"].f32(i), 2.5*float32(i)+1; got != want {
			t.Errorf("y[%d] = %v, expected %v", i, got, want)
		}
	}
}

func TestReverse(t *testing.T) {
	k := (&kernels{}).set(optBlock, "80").set(optArg, "values=s32[80]:count").set(optRaces, "true")
	out, arrays := k.run(t, example("reverse.cubin"))
	good(t, out)
	for i := range 80 {
		if got := arrays["values"].u32(i); got != uint32(79-i) {
			t.Errorf("element %d is %d", i, got)
		}
	}
}

// Without its barrier, reverse races.
func TestRace(t *testing.T) {
	data, err := os.ReadFile(example("reverse.cubin.s"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "bar inc wait 0x0 0xfff", "nop", 1)
	s, err := (&kernels{}).set(optBlock, "64").set(optArg, "values=s32[64]:count").set(optRaces, "true").open([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(t.Context(), feed.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Races) == 0 || !strings.Contains(out.Races[0].String(), "race for s[0x") {
		t.Errorf("races %v", out.Races)
	}
}
