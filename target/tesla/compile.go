package tesla

import (
	"encoding/binary"
	"fmt"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// The formats that the compiler writes: the file, and words in hexadecimal, one line per instruction or directive.
const (
	formatBin = "bin"
	formatHex = "hex"
)

// Outputs lists the formats that the compiler writes, the default first.
func Outputs() []string { return []string{formatBin, formatHex} }

// compiler makes a text cubin of one whose bincode is instructions, and bare code of instructions alone.
type compiler struct{ set *isa.Set }

// NewCompiler returns an assembler of envyas's language.
func NewCompiler() (program.Compiler, error) {
	set, err := plain()
	return &compiler{set}, err
}

// assembler returns an assembler of instructions in contexts.
func (c *compiler) assembler(ctx bits.Value, jobs int) (*assembler, error) {
	return newAssembler(func() (*reader, error) {
		p, err := asm.New(c.set, "")
		if err != nil {
			return nil, err
		}
		return newReader(c.set, p, ctx)
	}, jobs)
}

// Compile assembles one source.
func (c *compiler) Compile(files []*diag.Source, opt program.CompileOptions) (*program.Compiled, error) {
	if len(files) != 1 {
		return nil, diag.Errorf(diag.TextExpected, diag.Span{}, "there are %d sources, expected one", len(files))
	}
	return c.compile(program.NewText(files[0]), opt, true)
}

// CompileText assembles a source. It keeps little of a source that has only instructions.
func (c *compiler) CompileText(src *program.Text, opt program.CompileOptions) (*program.Compiled, error) {
	return c.compile(src, opt, false)
}

// compile assembles a source; with places set it tells where in it instructions stand, which takes memory for each.
func (c *compiler) compile(src *program.Text, opt program.CompileOptions, places bool) (*program.Compiled, error) {
	ctx := c.set.DefaultContext()
	if opt.Context != nil {
		var err error
		if ctx, err = opt.Context(c.set); err != nil {
			return nil, err
		}
	}
	hex := opt.Format == formatHex
	head, err := src.Head(cubinHead)
	if err != nil {
		return nil, err
	}
	if IsCubin([]byte(head)) {
		return c.cubin(src, ctx, opt, places)
	}
	a, err := c.assembler(ctx, opt.Jobs)
	if err != nil {
		return nil, err
	}
	a.bare = true
	if err := a.assemble(src, hex || places); err != nil {
		return nil, err
	}
	if err := a.errs.Bounded().Err(); err != nil {
		return nil, err
	}
	out := &program.Compiled{Places: a.places(nil, 0), Warnings: a.warnings.List}
	if !hex {
		out.Order = a.order
	}
	if out.Bytes = a.bytes(); hex {
		out.Bytes = a.lines(nil)
	}
	return out, nil
}

// cubin puts words in place of the instructions of each bincode; with hex it writes lines of them alone.
func (c *compiler) cubin(text *program.Text, ctx bits.Value, opt program.CompileOptions, places bool) (*program.Compiled, error) {
	hex := opt.Format == formatHex
	src, err := text.Whole()
	if err != nil {
		return nil, err
	}
	if ctx, err = contextOf(c.set, ctx, src.Text); err != nil {
		return nil, err
	}
	list, err := blocks(src)
	if err != nil {
		return nil, err
	}
	a, err := c.assembler(ctx, opt.Jobs)
	if err != nil {
		return nil, err
	}
	var out, lines []byte
	var stands []program.Place
	off, words := 0, 0
	for _, b := range list {
		out = append(out, src.Text[off:b.from]...)
		l, from, err := readLayout(src, b)
		if err != nil {
			return nil, err
		}
		if err := a.assemble(program.PartOf(src, from, b.to), hex || places); err != nil {
			return nil, err
		}
		code := a.bytes()
		stands, words = a.places(stands, 4*words), words+len(code)/4
		if len(code)%4 != 0 {
			a.errs = append(a.errs, diag.Errorf(diag.TextCondition, diag.Span{Src: src, Off: b.from, End: b.from + 1}, "bincode has %d bytes, expected a multiple of 4, the size of a word", len(code)))
			code = code[:len(code)/4*4]
		}
		if hex {
			lines = a.lines(lines)
		}
		out = l.append(out, wordsOf(code))
		off = b.to
	}
	if err := a.errs.Bounded().Err(); err != nil {
		return nil, err
	}
	if hex {
		out = lines
	} else {
		out = append(out, src.Text[off:]...)
	}
	return &program.Compiled{Bytes: out, Places: stands, Warnings: a.warnings.List}, nil
}

// lines appends the words of each statement, a line each; bytes after the last word of one have two digits each.
func (a *assembler) lines(dst []byte) []byte {
	for _, s := range a.sections {
		at := 0
		for _, e := range s.ends {
			end := e.at
			if end <= at {
				continue
			}
			for i := at; i < end; {
				if i > at {
					dst = append(dst, ' ')
				}
				if end-i >= 4 {
					dst = fmt.Appendf(dst, "%08x", binary.LittleEndian.Uint32(s.code[i:]))
					i += 4
				} else {
					dst = fmt.Appendf(dst, "%02x", s.code[i])
					i++
				}
			}
			dst, at = append(dst, '\n'), end
		}
	}
	return dst
}

// places appends where statements stand that became something, after so many bytes of code.
func (a *assembler) places(dst []program.Place, before int) []program.Place {
	for _, s := range a.sections {
		at := 0
		for _, e := range s.ends {
			if e.at > at {
				dst = append(dst, program.Place{Addr: 8 * int64(before+at), Span: a.src.Span(e.off, e.end)})
			}
			at = e.at
		}
		before += len(s.code)
	}
	return dst
}

func wordsOf(code []byte) []uint32 {
	list := make([]uint32, len(code)/4)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	return list
}
