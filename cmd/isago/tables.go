package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// tablesFlag names the files with the tables of raw code.
type tablesFlag struct {
	files []string
	read  *tablesRead
}

// tablesRead holds the entries of the tables, by the number of the table, after they were read.
type tablesRead struct {
	mu      sync.Mutex
	entries [][]bits.Value
}

// addTables adds the flag.
func (f *machineFlags) addTables(cmd *cobra.Command) {
	f.tables.read = &tablesRead{}
	cmd.Flags().StringArrayVar(&f.tables.files, "table", nil, "read a table for raw code, as `NAME=FILE`: 32-bit words as bytes or hexadecimal text")
	_ = cmd.RegisterFlagCompletionFunc("table", func(*cobra.Command, []string, string) (names []string, what cobra.ShellCompDirective) {
		if set := f.loaded(); set != nil {
			for _, t := range set.Tables() {
				names = append(names, t.Name+"=")
			}
		}
		return names, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
}

// checkTables returns an error for --table with a file in a known format, because such a file has its own tables. start
// is the start of the file.
func (f *machineFlags) checkTables(name string, start []byte) error {
	if len(f.tables.files) == 0 {
		return nil
	}
	if _, format, known := f.recognise(start); known {
		return usagef("--table applies only to raw code, but %s is %s, which has its own tables", inputName(name), format.Name)
	}
	return nil
}

// readTables returns the entries of all tables of a machine. A table without --table has no entries.
func (f *machineFlags) readTables(set *isa.Set) ([][]bits.Value, error) {
	if len(f.tables.files) == 0 {
		return nil, nil
	}
	f.tables.read.mu.Lock()
	defer f.tables.read.mu.Unlock()
	if f.tables.read.entries != nil {
		return f.tables.read.entries, nil
	}
	known := set.Tables()
	if len(known) == 0 {
		return nil, usagef("--table %q, but %s has no tables", f.tables.files[0], setName(set))
	}
	entries := make([][]bits.Value, len(known))
	for _, arg := range f.tables.files {
		name, file, ok := strings.Cut(arg, "=")
		i := slices.IndexFunc(known, func(t isa.TableInfo) bool { return t.Name == name })
		switch {
		case !ok || file == "":
			return nil, usagef("--table %q, expected NAME=FILE", arg)
		case i < 0:
			return nil, usagef("--table %q: unknown table %q, expected one of %s", arg, name, tableNames(set))
		case entries[i] != nil:
			return nil, usagef("--table %s is given twice", name)
		}
		var err error
		if entries[i], err = f.readTable(set, &known[i], file); err != nil {
			return nil, err
		}
	}
	f.tables.read.entries = entries
	return entries, nil
}

func tableNames(set *isa.Set) string {
	var names []string
	for _, t := range set.Tables() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// readTable reads the entries of a table from 32-bit words in the byte order of raw code. An entry that is longer than
// 32 bits has several words. Only zeros may follow the entries of the table, because programs keep tables in larger
// arrays.
func (f *machineFlags) readTable(set *isa.Set, t *isa.TableInfo, file string) ([]bits.Value, error) {
	data, err := readAll(f.cmd, file)
	if err != nil {
		return nil, err
	}
	root := &isa.Root{WordSize: 32, HighFirst: set.HighFirst()}
	if isText(string(data)) {
		if data, err = program.HexText(root, textOf(file, data)); err != nil {
			return nil, err
		}
	} else if f.order == byteOrders[1] {
		for word := range slices.Chunk(data, root.WordSize/8) {
			slices.Reverse(word)
		}
	}
	stored := int64(root.StoredSize(t.Bits))
	im, err := program.Raw(root, data)
	if err == nil && im.Bits%stored != 0 {
		err = fmt.Errorf("the file has %d bytes, expected a multiple of %d, the size of an entry", len(data), stored/8)
	}
	if err != nil {
		return nil, fileError(file, err)
	}
	list := []bits.Value{}
	for at := int64(0); at < im.Bits; at += stored {
		v, _ := im.At(at, root, int(stored))
		switch {
		case v.Len() > t.Bits:
			return nil, fileError(file, fmt.Errorf("entry %d has %d bits, expected at most %d, the entry size of table %s", at/stored, v.Len(), t.Bits, t.Name))
		case len(list) < t.Size:
			list = append(list, v)
		case !v.IsZero():
			return nil, fileError(file, fmt.Errorf("entry %d, expected at most %d entries, the size of table %s", at/stored, t.Size, t.Name))
		}
	}
	return list, nil
}
