package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/target/catalog"
)

// setFlags choose an instruction set.
type setFlags struct {
	isa, spec, syntax string
	// product is the product that --isa names. It is empty if --isa names the machine itself.
	product isa.Product
	// importDirs are the folders from which --spec may import, in addition to its own folder.
	importDirs []string
	gen        uint32
	// forceRaw is set if a file is raw code, even if it seems to have a format.
	forceRaw bool
	// order is the byte order of the words of a raw program. If it is "", isago recognises the order or uses the
	// default.
	order string
	// arranged is the byte order that raw code had before its words were converted to the default order.
	arranged program.Order
	// cmd is the command that has the flags.
	cmd *cobra.Command
}

// setKey identifies a set that a command line has loaded. A command may need the set twice: first to define its flags,
// and again when it runs.
type setKey struct {
	isa, spec string
	opt       isa.Options
}

func (f *setFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	flags := cmd.Flags()
	flags.VarP(isaFlag{f}, "isa", "m", "`NAME` of the machine, or of a product with that machine, as isago list shows them; also --arch")
	flags.Var(isaFlag{f}, "arch", "")
	flags.Lookup("arch").Hidden = true
	flags.StringVar(&f.spec, "spec", "", "read the description of the machine from `FILE`")
	flags.StringArrayVarP(&f.importDirs, "import-dir", "I", nil, "allow the description to import files in `DIR` and below, besides its own folder; repeatable")
	flags.Uint32Var(&f.gen, "gen", 0, "use generation `N` of the machine (Mesa's gpu_id); needed only if generations differ")
	complete(cmd, "isa", machineNames)
	complete(cmd, "arch", machineNames)
	_ = cmd.MarkFlagFilename("spec", "xml")
	_ = cmd.MarkFlagDirname("import-dir")
}

// isaFlag is the value of --isa. It replaces the name of a product with the name of its machine. An unknown name stays,
// and loading the machine reports it.
type isaFlag struct{ *setFlags }

func (f isaFlag) String() string {
	if f.setFlags == nil { // a zero value, which pflag creates for the help
		return ""
	}
	return f.isa
}

// Type implements pflag.Value.
func (isaFlag) Type() string { return "string" }

// Set implements pflag.Value.
func (f isaFlag) Set(name string) error {
	f.isa, f.product = name, isa.Product{}
	if m, p, err := catalog.Find(name); err == nil {
		f.isa, f.product = m.Name, p
	}
	if order := f.cmd.Flags().Lookup("order"); order != nil && !order.Changed {
		f.order = f.product.ByteOrder
	}
	return nil
}

// splitSettings divides the settings of a product into the values of contexts and the values of quirks. contexts
// reports whether a name is the name of a context.
func splitSettings(contexts func(name string) bool, p isa.Product) (context, quirks map[string]string) {
	context, quirks = map[string]string{}, map[string]string{}
	for _, s := range p.Settings {
		if contexts(s.Name) {
			context[s.Name] = s.Value
		} else {
			quirks[s.Name] = s.Value
		}
	}
	return context, quirks
}

// isContext returns a function that reports whether a set has a context with a name.
func isContext(set *isa.Set) func(name string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(set.Contexts(), func(c isa.ContextInfo) bool { return c.Name == name })
	}
}

// withQuirks returns quirks with the quirk values of the product added. Values that are in quirks take precedence.
func (f *setFlags) withQuirks(set *isa.Set, quirks map[string]string) map[string]string {
	_, all := splitSettings(isContext(set), f.product)
	if len(all) == 0 {
		return quirks
	}
	maps.Copy(all, quirks)
	return all
}

// useSpec treats the argument of a command, if it has one, as the value of --spec.
func (f *setFlags) useSpec(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1:
		return usagef("%d arguments, expected one FILE.xml", len(args))
	case f.spec != "":
		return usagef("--spec cannot be combined with FILE.xml: both name a description")
	case f.isa != "":
		return usagef("--isa %s cannot be combined with %s: both name a description", f.isa, args[0])
	}
	f.spec = args[0]
	return nil
}

// given reports whether the flags name an instruction set.
func (f *setFlags) given() bool { return f.isa != "" || f.spec != "" }

// load loads the instruction set that the flags name, or the set of m if they name none. It returns an error if m is
// nil as well.
func (f *setFlags) load(m *catalog.Machine) (*isa.Set, error) {
	load := func(isa.Options) (*isa.Set, error) {
		return nil, usagef("which machine? choose one with --isa NAME (isago list shows them) or --spec FILE")
	}
	switch {
	case f.isa != "" && f.spec != "":
		return nil, usagef("--isa cannot be combined with --spec")
	case f.spec != "":
		load = f.loadSpec
	case f.isa != "":
		named, err := catalog.Lookup(f.isa)
		if err != nil {
			return nil, &usageError{err}
		}
		load = named.Load
	case m != nil:
		load = m.Load
	}
	set, err := f.cached(m, load)
	var e *diag.Error
	if errors.As(err, &e) && e.Code == diag.UnknownSyntax {
		return nil, f.unknownSyntax(load)
	}
	if err == nil && f.cmd.Flags().Changed("gen") {
		if root, _ := set.Root(""); root != nil {
			err = f.checkGen(set, root)
		}
	}
	return set, err
}

// checkGen returns an error for a generation without instructions if other generations have some.
func (f *setFlags) checkGen(set *isa.Set, root *isa.Root) error {
	if _, others := set.FirstGen(root); len(root.Leaves) > 0 || !others {
		return nil
	}
	starts := prove.Generations(set)
	var ranges []string
	for i := 0; i < len(starts); i++ {
		first := starts[i]
		for i < len(starts) && hasLeaves(set, root, starts[i]) {
			i++
		}
		switch {
		case i < len(starts) && starts[i] == first: // this generation has none
		case i == len(starts):
			ranges = append(ranges, fmt.Sprintf("%d and later", first))
		default:
			ranges = append(ranges, prove.FormatGenRange([]uint32{first, starts[i]}, first))
		}
	}
	return usagef("no word of %s exists in generation %d; choose one of %s with --gen", root.Name, f.gen, strings.Join(ranges, ", "))
}

func hasLeaves(set *isa.Set, root *isa.Root, gen uint32) bool {
	at, err := set.WithOptions(isa.Options{Gen: gen, Syntax: set.Syntax()})
	return err == nil && len(at.Roots()[root.ID].Leaves) > 0
}

// sets loads the instruction set that the flags name, or the sets of all machines if they name none.
func (f *setFlags) sets() ([]*isa.Set, error) {
	if f.given() {
		set, err := f.load(nil)
		if err != nil {
			return nil, err
		}
		return []*isa.Set{set}, nil
	}
	var sets []*isa.Set
	for _, m := range catalog.Machines() {
		set, err := f.load(&m)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// cached calls load with the options of the flags, once for each set of a command line.
func (f *setFlags) cached(m *catalog.Machine, load func(isa.Options) (*isa.Set, error)) (*isa.Set, error) {
	key := setKey{f.isa, f.spec, isa.Options{Gen: f.gen, Syntax: f.syntax}}
	if !f.given() && m != nil {
		key.isa = m.Name
	}
	cache := sessionOf(f.cmd).sets
	if set := cache[key]; set != nil {
		return set, nil
	}
	set, err := load(key.opt)
	if err == nil {
		cache[key] = set
	}
	return set, err
}

// loadSpec loads the description of --spec. It names the file as the command line does, so that error messages name
// files that users can open.
func (f *setFlags) loadSpec(opt isa.Options) (*isa.Set, error) {
	files, top := f.specFiles(f.spec)
	return isa.Load(files, top, opt)
}

// specFiles returns the file system of a description, and the name of the description in it.
func (f *setFlags) specFiles(name string) (fs.FS, string) {
	top := filepath.ToSlash(filepath.Clean(name))
	return &specFiles{files: &sessionOf(f.cmd).files, top: top, dirs: f.importDirs}, top
}

// unknownSyntax returns the error for a syntax that the description does not have.
func (f *setFlags) unknownSyntax(load func(isa.Options) (*isa.Set, error)) error {
	set, err := load(isa.Options{Gen: f.gen})
	if err != nil {
		return err
	}
	if names := spellings(set); len(names) > 0 {
		return usagef("--syntax %q, expected %s, or no --syntax for the main syntax", f.syntax, strings.Join(names, " or "))
	}
	return usagef("--syntax %q, but %s has only the main syntax", f.syntax, setName(set))
}

// isSourceSyntax reports whether --syntax is unset or names the syntax of a machine's source.
func (f *setFlags) isSourceSyntax(m *catalog.Machine) (bool, error) {
	if f.syntax == "" || f.syntax == m.Syntax {
		return true, nil
	}
	set, err := f.load(m)
	return err == nil && m.Syntax == "" && set.DefaultSyntax() == f.syntax, err
}

// spellings lists the names of the syntaxes, the main syntax first. It omits a main syntax without a name.
func spellings(set *isa.Set) []string {
	names := slices.Clone(set.Syntaxes())
	names[0] = set.DefaultSyntax()
	return slices.DeleteFunc(names, func(s string) bool { return s == "" })
}

func setName(set *isa.Set) string {
	if n := set.Name(); n != "" {
		return n
	}
	return "the description"
}

// machineFlags choose an instruction set, and how isago reads its words.
type machineFlags struct {
	setFlags
	namesFlag
	root     string
	contexts []string
	// member is the name of the selected program of the file, or "" for all programs.
	member string
	tables tablesFlag
	// asText is set if raw code is hexadecimal text, even if its start does not show that.
	asText bool
	// stated holds the context values that a source states, or nil.
	stated *bits.Value
}

func (f *machineFlags) add(cmd *cobra.Command) {
	f.setFlags.add(cmd)
	f.namesFlag.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.root, "root", "", "read the words as words of the root `NAME` (default: instructions)")
	flags.StringVar(&f.syntax, "syntax", "", "`NAME` of the syntax (default: the main syntax)")
	flags.StringArrayVar(&f.contexts, "context", nil, "set a context, a value that words do not contain, as `NAME=VALUE`; also --NAME VALUE")
	complete(cmd, "root", f.rootNames)
	complete(cmd, "syntax", f.syntaxNames)
	complete(cmd, "context", f.contextPairs)
}

// load is setFlags.load. For a description of --spec, it also checks that the root has instructions in the generation.
func (f *machineFlags) load(m *catalog.Machine) (*isa.Set, error) {
	set, err := f.setFlags.load(m)
	if err != nil || f.spec == "" {
		return set, err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return set, nil // the caller reports an unknown root if it needs one
	}
	return set, f.checkGen(set, root)
}

// context returns the values of contexts that the source states or that the product and --context set.
func (f *machineFlags) context(set *isa.Set) (bits.Value, error) {
	ctx := set.DefaultContext()
	if f.stated != nil {
		return *f.stated, nil
	}
	given := f.contexts
	if own, _ := splitSettings(isContext(set), f.product); len(own) > 0 {
		var pairs []string
		for name, value := range own {
			pairs = append(pairs, name+"="+value)
		}
		given = append(pairs, given...)
	}
	for _, c := range given {
		name, value, ok := strings.Cut(c, "=")
		if !ok {
			return ctx, usagef("--context %q, expected NAME=VALUE", c)
		}
		known := set.Contexts()
		i := slices.IndexFunc(known, func(k isa.ContextInfo) bool { return k.Name == name })
		if i < 0 {
			return ctx, usagef("unknown context %q; contexts of %s: %s", name, setName(set), contextNames(set))
		}
		var err error
		if ctx, err = set.ParseContext(ctx, name, value); err != nil {
			return ctx, usagef("--%s %q, expected one of %s", name, value, strings.Join(known[i].Values, ", "))
		}
	}
	return ctx, nil
}

// checkContexts rejects an invalid --context if --context is otherwise unused, because the file or the source states
// its own contexts.
func (f *machineFlags) checkContexts(m *catalog.Machine) error {
	if len(f.contexts) == 0 {
		return nil
	}
	set, err := f.load(m)
	if err == nil {
		_, err = f.context(set)
	}
	return err
}

func contextNames(set *isa.Set) string {
	var names []string
	for _, c := range set.Contexts() {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// decoder returns a decoder for the flags.
func (f *machineFlags) decoder(set *isa.Set) (*isa.Decoder, error) {
	d, err := set.NewDecoder(f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, err
	}
	d.SetContext(ctx)
	tables, err := f.readTables(set)
	if err != nil {
		return nil, err
	}
	d.SetTables(tables)
	d.Custom, err = f.printer()
	return d, err
}

// parser returns a parser for the flags.
func (f *machineFlags) parser(set *isa.Set) (*asm.Parser, error) {
	p, err := asm.New(set, f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, err
	}
	p.SetContext(ctx)
	p.Constant = source.Constant
	p.Custom, err = f.reader()
	return p, err
}
