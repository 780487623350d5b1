package translate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/spirv"
)

const (
	// crossTool is the program that converts modules to HLSL, and crossLimit the longest time that it may take.
	crossTool = "spirv-cross"
	// groupsBuffer is the name of the buffer with the number of workgroups in a text of spirv-cross.
	groupsBuffer = "SPIRV_Cross_NumWorkgroups"
	crossLimit   = time.Minute
)

// Missing returns an error if a program that the language needs is not installed.
func (l Language) Missing() error {
	if l != HLSL {
		return nil
	}
	if _, err := exec.LookPath(crossTool); err != nil {
		return fmt.Errorf("%s needs the program %s, which is not in PATH: install it, for example the package %[2]s of Debian", l, crossTool)
	}
	return nil
}

// crossRefusal returns the reason why spirv-cross makes no HLSL of a shader, or "".
func (o Options) crossRefusal() string {
	switch {
	case o.Language != HLSL:
	case o.Shape == Function || o.Shape == Geometry:
		return fmt.Sprintf("a %s in %s: %s converts only vertex, fragment and compute shaders", o.Shape, o.Language, crossTool)
	case o.Uniforms != Block:
		return fmt.Sprintf("%s uniforms, which %s lacks", o.Uniforms, o.Language)
	}
	return ""
}

// cross runs spirv-cross. It returns what the program prints, or the error of the context if the context is cancelled.
func cross(ctx context.Context, input []byte, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, crossLimit)
	defer cancel()
	cmd := exec.CommandContext(limited, crossTool, args...)
	cmd.WaitDelay = time.Second // its children may hold the pipes open
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errs
	if err := cmd.Run(); ctx.Err() != nil {
		return "", ctx.Err()
	} else if err != nil {
		return "", fmt.Errorf("%s: %s", crossTool, strings.TrimPrefix(firstLine(errs.String()+err.Error()), "SPIRV-Cross threw an exception: "))
	}
	if out.Len() == 0 {
		return errs.String(), nil
	}
	return out.String(), nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// hlsl converts a shader to HLSL, and sets the names in the map to those in the text.
func (t *Text) hlsl(ctx context.Context, x *shade.Shader) error {
	module, err := spirv.Write(x)
	if err != nil {
		return err
	}
	if err := t.Language.Missing(); err != nil {
		return err
	}
	revision, err := cross(ctx, nil, "--revision")
	if err != nil {
		return err
	}
	model := "51"
	if t.Integers64 {
		model = "60"
	}
	text, err := cross(ctx, module, "-", "--hlsl", "--shader-model", model)
	if err != nil {
		return err
	}
	if err := t.rename(text); err != nil {
		return err
	}
	header := fmt.Sprintf("// Translated by isago and %s %s for shader model %s.%s. Its bits were not compared with those of isago run.\n", crossTool, firstLine(revision), model[:1], model[1:])
	for _, l := range x.Header {
		header += "// " + l + "\n"
	}
	if strings.Contains(text, "cbuffer "+groupsBuffer+"\n") {
		header += "// The host writes the number of workgroups into the cbuffer " + groupsBuffer + ".\n"
	}
	t.Source = header + text
	return nil
}

// The lines of HLSL that declare what the map names.
var (
	registerLine = lazy.Regexp(`(\w+) : register\(([a-z])(\d+), space\d+\)`)
	memberLine   = lazy.Regexp(`^\s+\w+ (\w+)(?:\[\d+\])? : packoffset\(c(\d+)(?:\.[xyzw])?\);`)
	portLine     = lazy.Regexp(`^\s+(?:\w+ )*(\w+) : (?:TEXCOORD|SV_Target)(\d+);`)
)

// rename sets the names in the map to those in a text.
func (t *Text) rename(text string) error {
	registers, members := map[string]string{}, map[int]string{}
	ports := map[string]map[int]string{"SPIRV_Cross_Input": {}, "SPIRV_Cross_Output": {}}
	in := "" // the name of a structure, or cbuffer for the one with a register
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "struct "); ok {
			in = name
		}
		if m := registerLine().FindStringSubmatch(line); m != nil {
			registers[m[2]+m[3]] = m[1]
		}
		if strings.HasPrefix(line, "cbuffer ") {
			in = ""
			if registerLine().MatchString(line) {
				in = "cbuffer"
			}
		}
		if m := memberLine().FindStringSubmatch(line); m != nil && in == "cbuffer" {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return err
			}
			members[16*n] = m[1]
		}
		if m := portLine().FindStringSubmatch(line); m != nil && ports[in] != nil {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return err
			}
			ports[in][n] = m[1]
		}
	}
	var lost error
	name := func(to *string, from string) {
		if from == "" {
			lost = errors.Join(lost, fmt.Errorf("the text of %s does not declare %s", crossTool, *to))
		}
		*to = from
	}
	for i := range t.Uniforms {
		name(&t.Uniforms[i].Name, members[t.Uniforms[i].Offset])
	}
	for i := range t.Inputs {
		if b := &t.Inputs[i]; b.Builtin == "" {
			name(&b.Name, ports["SPIRV_Cross_Input"][b.Location])
		}
	}
	for i := range t.Outputs {
		if b := &t.Outputs[i]; b.Builtin == "" {
			name(&b.Name, ports["SPIRV_Cross_Output"][b.Location])
		}
	}
	for i := range t.Textures {
		name(&t.Textures[i].Name, registers[fmt.Sprint("t", t.Textures[i].Binding)])
		t.Textures[i].SamplerBinding = t.Textures[i].Binding
	}
	for i := range t.Buffers {
		switch b := &t.Buffers[i]; {
		case b.Uniform:
			name(&b.Name, members[0])
		case b.ReadOnly:
			name(&b.Name, registers[fmt.Sprint("t", b.Binding)])
		default:
			name(&b.Name, registers[fmt.Sprint("u", b.Binding)])
		}
	}
	return lost
}
