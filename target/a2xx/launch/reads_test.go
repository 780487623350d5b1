package launch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// What operations read of their operands, by the tables of the documents: a name for several, what is read of source 1
// (R1), 2 (R2) and 3 (R3), and what beside them. Of the vector half x alone is written, of the scalar half too, where
// source 3 is R3.xyzw: its operand A is w, B is x.
const operationReads = `
ADDv MULv MAXv MINv SETEv SETGTv SETGTEv SETNEv	R1.x R2.x
FRACv TRUNCv FLOORv	R1.x
MULADDv CNDEv CNDGTEv CNDGTv	R1.x R2.x R3.x
DOT4v	R1 R2
DOT3v	R1.xyz R2.xyz
DOT2ADDv	R1.xy R2.xy R3.x
CUBEv	R1.xzw
MAX4v	R1
PRED_SETE_PUSHv PRED_SETNE_PUSHv PRED_SETGT_PUSHv PRED_SETGTE_PUSHv	R1.xw R2.xw
KILLEv KILLGTv KILLGTEv KILLNEv	R1 R2
DSTv	
MOVAv	R1.xw R2.x
ADDs SUBs MULs MAXs MINs MOVAs MOVA_FLOORs	R3.xw
ADD_PREVs SUB_PREVs MUL_PREVs	R3.w ps
MUL_PREV2s	R3.xw ps
SETEs SETGTs SETGTEs SETNEs FRACs TRUNCs FLOORs EXP_IEEE LOG_CLAMP LOG_IEEE RECIP_CLAMP RECIP_FF RECIP_IEEE RECIPSQ_CLAMP RECIPSQ_FF RECIPSQ_IEEE SQRT_IEEE SIN COS	R3.w
PRED_SETEs PRED_SETNEs PRED_SETGTs PRED_SETGTEs PRED_SET_INVs PRED_SET_POPs PRED_SET_RESTOREs KILLEs KILLGTs KILLGTEs KILLNEs KILLONEs	R3.w
PRED_SET_CLRs	
RETAIN_PREV	ps
`

// unit returns the facts of the one unit of a program of source.
func unit(t *testing.T, told *facts.Machine, set *isa.Set, root, line string) *facts.Facts {
	t.Helper()
	code := assemble(t, line)
	d, err := set.NewDecoder(root)
	if err != nil {
		t.Fatal(err)
	}
	var v bits.Value
	for k, w := range code[3:6] {
		v.SetUint(32*k, 32, uint64(w))
	}
	in, ok := d.Decode(v)
	if !ok {
		t.Fatalf("%s: unknown", line)
	}
	f, err := told.Of(d, in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// texts lists registers that are read; those that are handed on stand behind a >.
func texts(f *facts.Facts) string {
	var list []string
	for a := range f.Reads() {
		s := a.String()
		if a.Kept {
			continue
		}
		if a.Carried {
			s = ">" + s
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// An operation reads what its meaning uses, of its sources and of nothing else; every operation has a row. Where nothing
// is written and nothing else happens, nothing is read but what ps hands on.
func TestOperationReads(t *testing.T) {
	set, _ := load(t)
	told, err := facts.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(operationReads), "\n") {
		names, want, _ := strings.Cut(line, "\t")
		for _, name := range strings.Fields(names) {
			seen[name] = true
			if strings.HasSuffix(name, "v") && name != "RETAIN_PREV" {
				vectorReads(t, told, set, name, want)
			} else {
				scalarReads(t, told, set, name, want)
			}
		}
	}
	for _, root := range []string{"alu", "scalar"} {
		r, err := set.Root(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range r.Leaves {
			if !seen[l.Name] && l.Name[0] != '#' && !strings.Contains(l.Name, "_CONST_") {
				t.Errorf("no row for %s", l.Name)
			}
		}
	}
}

// sortedWords sorts the words of a text.
func sortedWords(text string) string {
	list := strings.Fields(text)
	slices.Sort(list)
	return strings.Join(list, " ")
}

func vectorReads(t *testing.T, told *facts.Machine, set *isa.Set, name, want string) {
	t.Helper()
	sources, idle := "R1, R2", " MAXs R9.____ = R30"
	switch {
	case slices.Contains([]string{"FRACv", "TRUNCv", "FLOORv", "MAX4v"}, name):
		sources = "R1"
	case slices.Contains([]string{"MULADDv", "CNDEv", "CNDGTEv", "CNDGTv", "DOT2ADDv"}, name): // both halves share the third source
		sources, idle = "R3, R1, R2", " RETAIN_PREV R9.____ = R3"
	}
	f := unit(t, told, set, "alu", fmt.Sprintf("ALU: %s R0.x___ = %s%s", name, sources, idle))
	got := texts(f)
	if idle == " MAXs R9.____ = R30" {
		want += " >R30.xw"
	} else {
		want += " >ps"
	}
	if name == "DSTv" { // of which x is 1
		if y := texts(unit(t, told, set, "alu", "ALU: DSTv R0._yzw = R1, R2"+idle)); y != ">R30.xw R1.yz R2.yw" {
			t.Errorf("%s of yzw reads %s", name, y)
		}
	}
	if got != sortedWords(want) {
		t.Errorf("%s reads %s, want %s", name, got, sortedWords(want))
	}
}

func scalarReads(t *testing.T, told *facts.Machine, set *isa.Set, name, want string) {
	t.Helper()
	f := unit(t, told, set, "alu", fmt.Sprintf("ALU: MAXv R0.____ = R40, R40 %s R9.x___ = R3", name))
	if got := texts(f); got != sortedWords(want) {
		t.Errorf("%s reads %s, want %s", name, got, sortedWords(want))
	}
	f = unit(t, told, set, "alu", fmt.Sprintf("ALU: MAXv R0.____ = R40, R40 %s R9.____ = R3", name))
	got, carried := texts(f), map[string]string{"R3.w": ">R3.w", "R3.xw": ">R3.xw", "R3.w ps": ">R3.w >ps", "R3.xw ps": ">R3.xw >ps", "ps": ">ps", "": ""}[want]
	switch {
	case strings.HasPrefix(name, "MOVA"):
		carried = ">R3.x R3.w" // a0 is made of A
	case strings.HasPrefix(name, "PRED") || strings.HasPrefix(name, "KILL"):
		carried = want
	}
	if got != carried {
		t.Errorf("%s into nothing reads %s, want %s", name, got, carried)
	}
}

// Fetches read as many coordinates as there are dimensions: on Adreno the constant says it, in bits 9 and 10 of its last
// word, and whether there are several textures in bit 10 of its second.
func TestFetchReads(t *testing.T) {
	set, _ := load(t)
	told, err := facts.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"FETCH: VERTEX R1 = R2.y FMT_32_FLOAT SIGNED STRIDE(4) CONST(3, 1)":  "R2.y",
		"FETCH: VERTEXEQ R1.____ = R2.y FMT_32 SIGNED STRIDE(4) CONST(3, 1)": "", // nothing happens
		"FETCH: SAMPLE R1 = R2.zyx CONST(0)":                                 "?R2.xy R2.z",
		"FETCH: SET_TEX_LOD R1.____ = R2.wxx CONST(0)":                       "R2.w",
		"FETCH: SET_GRADIENTS_H R1.____ = R2 CONST(0)":                       "R2.xyz",
		"FETCH: GET_GRADIENTS R1 = R2 CONST(0)":                              "R2.xy",
	} {
		f := unit(t, told, set, "fetch", text)
		var list []string
		for a := range f.Reads() {
			if s := a.String(); s[0] == 'R' || s == "p0" {
				list = append(list, map[bool]string{true: "?"}[a.Maybe]+s)
			}
		}
		slices.Sort(list)
		if got := strings.Join(list, " "); got != want {
			t.Errorf("%s reads %s, want %s", text, got, want)
		}
	}
}

// What is read relative to a0 for ps alone is carried too.
func TestRelativeReads(t *testing.T) {
	set, _ := load(t)
	told, err := facts.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	f := unit(t, told, set, "alu", "ALU: MAXv R1 = R0, R0 MAXs R1.____ = C3[a0]")
	constants := 0
	for a := range f.Reads() {
		if a.State.Name != "C" {
			continue
		}
		constants++
		if a.Number >= 0 || !a.Carried {
			t.Errorf("C is read as number %d, carried %v", a.Number, a.Carried)
		}
	}
	if constants == 0 {
		t.Error("C is not read")
	}
}

// Beside a vector operation of three sources a scalar operation of two operands reads what the quirks say: X of source 3
// and W on Adreno, Z and W on Xenos.
func TestPairReads(t *testing.T) {
	set, _ := load(t)
	told, err := facts.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		quirks     map[string]string
		three, two string
	}{
		{nil, "R3.xw", "R3.xw"},
		{map[string]string{"machine": "xenos"}, "R3.zw", "R3.xw"},
		{map[string]string{"machine": "xenos", "scalar_pair": "wx"}, "R3.xw", "R3.xw"},
		{map[string]string{"scalar_pair": "wz"}, "R3.zw", "R3.xw"},
	} {
		told, err := told.Choosing(c.quirks)
		if err != nil {
			t.Fatal(err)
		}
		for line, want := range map[string]string{
			"EXEC_END / ALU: MULADDv R0.____ = R3, R1, R2 SUBs R4.x___ = R3": c.three,
			"EXEC_END / ALU: MULv R0.____ = R1, R2 SUBs R4.x___ = R3":        c.two,
		} {
			if got := texts(unit(t, told, set, "alu", line)); !strings.Contains(got, want) || strings.Count(got, "R3") != 1 {
				t.Errorf("%v: %s reads %s, want %s", c.quirks, line, got, want)
			}
		}
	}
	if _, err := told.Choosing(map[string]string{"machines": "x"}); err == nil || !strings.Contains(err.Error(), `unknown quirk "machines", expected one of dot, flush_results, machine, mad`) {
		t.Errorf("%v", err)
	}
}
