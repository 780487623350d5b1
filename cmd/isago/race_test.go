package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/target/catalog"
)

// parallelRuns are runs that several workers share, by machine, and those of a description that the catalog does not have.
// EXAMPLES is the folder of the examples, DIR that of the test.
var parallelRuns = map[string][]string{
	"pica200": {
		"EXAMPLES/pica200/light.shbin --set position=1,2,3,1 --count 1000 --stats",
		"EXAMPLES/pica200/flow.shbin --count 1000",
		"EXAMPLES/pica200/points.shbin --set size=2,1,0,0 --count 1000",
		"--isa pica200 --raw EXAMPLES/pica200/light.shbin --read o0 --count 1000",
	},
	"tegra": {
		"EXAMPLES/tegra/wave.vp --count 1000",
		"EXAMPLES/tegra/textured.vp --mesh EXAMPLES/knot.obj --png DIR/out.png --size 64x64",
	},
	"a2xx": {
		"--isa a2xx --stage vs EXAMPLES/a2xx/lights.vs.bin --buffer 20=EXAMPLES/knot.obj --count 1000",
		"--isa a2xx --stage fs EXAMPLES/a2xx/textures.fs.bin --size 64x64 --texture 0=EXAMPLES/tesla/mandelbrot.png --texture 1=EXAMPLES/tesla/mandelbrot.png --png DIR/out.png",
	},
	"tesla": {
		"EXAMPLES/tesla/vecadd.cubin --grid 8 --block 128 --params a:ptr\tb:ptr\tc:ptr\tn:s32 --arg a=f32[1000]:count --arg b=f32[1000]:1.5 --arg c=f32[1000] --arg n=1000 --parallel --stats",
		"EXAMPLES/tesla/histogram.cubin --grid 8 --block 64 --params data:ptr\tbins:ptr\tn:s32 --arg data=u8:@EXAMPLES/tesla/saxpy.cubin --arg bins=u32[256] --arg n=492 --parallel --races",
		"EXAMPLES/tesla/reduce.cubin --pointer-size 4 --arg in=s32[1000]:count --arg part=s32[8] --arg sum=s32[1] --call reduce<<<8,64>>>(in,part,1000) --call reduce<<<1,64>>>(part,sum,8) --parallel --races --stats",
		"EXAMPLES/tesla/mandelbrot.cubin --grid 4,3 --block 16,16 --params steps:ptr\tcolours:ptr\twidth:s32\tlimit:s32\tx:f32\ty:f32\tstep:f32 --arg steps=u32[3072] --arg colours=rgba[3072] --arg width=64 --arg limit=20 --arg x=-2.2 --arg y=-1.2 --arg step=0.05 --picture colours:64x48 --png DIR/out.png --parallel",
		"EXAMPLES/tesla/fade.s --isa tesla --stage fp --count 1000",
	},
	"example": {
		"--isa example DIR/words.bin --set r1=2 --set r2=3 --count 1000",
	},
	"": {
		"--spec DIR/shared.xml DIR/words.bin --count 1000",
	},
}

// Runs come out alike with one worker and with several, which under the race detector share nothing without order.
func TestWorkers(t *testing.T) {
	dir := t.TempDir()
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "shared.xml"), sharedMemory)
	write(t, filepath.Join(dir, "words.bin"), "\x00\x00\x00\x00")
	for _, m := range catalog.Machines() {
		if len(parallelRuns[m.Name]) == 0 {
			t.Errorf("%s has no run", m.Name)
		}
	}
	for machine, runs := range parallelRuns {
		for _, text := range runs {
			var want string
			for _, jobs := range []int{1, 4} {
				args := strings.Fields(strings.NewReplacer("EXAMPLES", examples, "DIR", dir).Replace(strings.ReplaceAll(text, "\t", "\x00")))
				for i, a := range args {
					args[i] = strings.ReplaceAll(a, "\x00", " ")
				}
				var out, errs bytes.Buffer
				status := run(append([]string{"run", "--jobs", fmt.Sprint(jobs)}, args...), nil, &out, &errs)
				got := fmt.Sprintf("status %d\n%s", status, out.String())
				if status != 0 && status != exitFindings {
					t.Errorf("%s, %s: %s%s", machine, text, got, errs.String())
				}
				if picture, err := os.ReadFile(filepath.Join(dir, "out.png")); err == nil {
					got += string(picture)
				}
				os.Remove(filepath.Join(dir, "out.png"))
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%s: %d workers print other than one:\n%.300s\n%.300s", text, jobs, got, want)
				}
			}
		}
	}
}

// sharedMemory describes a machine with one instruction, which numbers the vertices in a memory that all of them share.
const sharedMemory = `<isa name="shared" strict="true">
<memory name="g" size="64" scope="launch"/>
<file name="r" type="u32" count="4" use="output"/>
<bitset name="#word" size="32"><display>count</display><pattern low="0" high="31">00000000000000000000000000000000</pattern>
<semantics>atomic { let n = g.u32[0] + 1; g.u32[0] = n; r[0] = n; }</semantics></bitset>
</isa>
`
