package tesla

import (
	"regexp"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// compiler makes a text cubin of one whose bincode is instructions, and bare code of instructions alone.
type compiler struct {
	set *isa.Set
	p   *asm.Parser
}

// NewCompiler returns what assembles envyas's language.
func NewCompiler() (program.Compiler, error) {
	set, err := Load(isa.Options{})
	if err != nil {
		return nil, err
	}
	p, err := asm.New(set, "")
	return &compiler{set, p}, err
}

// Compile assembles one source.
func (c *compiler) Compile(files []*diag.Source, opt program.CompileOptions) (*program.Compiled, error) {
	if len(files) != 1 {
		return nil, diag.Errorf(diag.TextExpected, diag.Span{}, "%d sources, expected one", len(files))
	}
	src := files[0]
	ctx := c.set.DefaultContext()
	if opt.Context != nil {
		var err error
		if ctx, err = opt.Context(c.set); err != nil {
			return nil, err
		}
	}
	if !IsCubin([]byte(src.Text)) {
		c.p.SetContext(ctx)
		code, errs := assemble(c.p, src, 0, len(src.Text))
		return &program.Compiled{Bytes: code}, errs.Err()
	}
	ctx, err := contextOf(c.set, ctx, src.Text)
	if err != nil {
		return nil, err
	}
	c.p.SetContext(ctx)
	out, err := c.cubin(src)
	return &program.Compiled{Bytes: out}, err
}

// cubin puts words in place of the instructions of each bincode.
func (c *compiler) cubin(src *diag.Source) ([]byte, error) {
	list, err := blocks(stripComments(src.Text))
	if err != nil {
		return nil, err
	}
	var out []byte
	var errs diag.List
	off := 0
	for _, b := range list {
		out = append(out, src.Text[off:b.from]...)
		from, l := layoutOf(src.Text, b)
		code, found := assemble(c.p, src, from, b.to)
		errs = append(errs, found...)
		if len(code)%4 != 0 {
			errs = append(errs, diag.Errorf(diag.TextCondition, diag.Span{Src: src, Off: b.from, End: b.from + 1}, "%d bytes in bincode, expected words of 4 bytes", len(code)))
			code = code[:len(code)/4*4]
		}
		out = l.append(out, wordsOf(code))
		off = b.to
	}
	return append(out, src.Text[off:]...), errs.Err()
}

var layoutDirective = regexp.MustCompile(`^\s*\.layout ([1-8]) ([01])\s*\n`)

// layoutOf returns how a block is written, and where its instructions start.
func layoutOf(text string, b block) (from int, l layout) {
	m := layoutDirective.FindStringSubmatch(text[b.from:b.to])
	if m == nil {
		return b.from, nvcc
	}
	return b.from + len(m[0]), layout{int(m[1][0] - '0'), strings.Repeat(" ", int(m[2][0]-'0'))}
}

func wordsOf(code []byte) []uint32 {
	var list []uint32
	for ; len(code) > 0; code = code[4:] {
		list = append(list, uint32(code[0])|uint32(code[1])<<8|uint32(code[2])<<16|uint32(code[3])<<24)
	}
	return list
}
