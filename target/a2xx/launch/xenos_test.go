package launch_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/target/a2xx/launch"
)

// A shader file of the Xbox 360 runs as Xenos does, unless somebody says otherwise: a stride of 1 is a word.
func TestXenosFile(t *testing.T) {
	code := assemble(t, "ALLOC POSITION SIZE(0x0) / EXEC_END / FETCH: VERTEX R1 = R0.x FMT_32_FLOAT SIGNED STRIDE(1) CONST(0, 0) / (S)ALU: MAXv export62 = R1, R1")
	// the kind, what lies before the code, where its header is, and there its place and its size
	words := []uint32{0x102a1101, 0x3c, uint32(4 * len(code)), 0, 0, 0, 0x24, 0, 0, 0, uint32(4 * len(code)), 0, 0, 0, 0}
	var data []byte
	for _, w := range append(words, code...) {
		data = binary.BigEndian.AppendUint32(data, w)
	}
	var buffer []byte
	for _, v := range []float32{1, 2, 3, 4} {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(v))
	}
	set, m := load(t)
	for quirk, want := range map[string]float32{"": 3, "adreno": 1} {
		quirks := map[string]string{}
		if quirk != "" {
			quirks["machine"] = quirk
		}
		r, err := launch.Open(exec.Request{Set: set, Machine: m, Context: set.DefaultContext(), Data: data, Quirks: quirks, Options: map[string][]string{"buffer": {"0=b"}}, File: files{"b": buffer}.read})
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(exec.RunOptions{Jobs: 1, Count: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := math.Float32frombits(uint32(out.Values[2][0])); got != want {
			t.Errorf("machine %q: vertex 2 has %v, want %v", quirk, got, want)
		}
	}
}
