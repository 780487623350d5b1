package feed

import (
	"embed"
	"maps"
	"strings"

	"github.com/isago/isago/diag"
)

// Demo is a program that comes with a machine, with the files and the options that it is run with.
type Demo struct {
	Files   embed.FS
	Program string
	Options map[string][]string
	// Mesh is the file over which a vertex program is run; "" where the program draws by itself. Set are its
	// uniforms, each as NAME=VALUE,VALUE,...
	Mesh string
	Set  []string
}

// Open opens the program of the demo by launch, with the options of the demo and those of the request, which win, and sets its
// uniforms. The mesh is nil where the program draws by itself; else it has no size and no roles yet.
func (d *Demo) Open(req Request, launch func(Request) (Runner, error)) (r Runner, mesh *Mesh, err error) {
	if req.Data, err = d.Files.ReadFile(d.Program); err != nil {
		return nil, nil, err
	}
	options := maps.Clone(d.Options)
	if options == nil {
		options = map[string][]string{}
	}
	maps.Copy(options, req.Options)
	req.Options, req.File = options, d.Files.ReadFile
	if r, err = launch(req); err != nil {
		return nil, nil, err
	}
	for _, s := range d.Set {
		name, values, _ := strings.Cut(s, "=")
		if err := r.Set(name, strings.Split(values, ",")); err != nil {
			return nil, nil, err
		}
	}
	if d.Mesh == "" {
		return r, nil, nil
	}
	text, err := d.Files.ReadFile(d.Mesh)
	if err != nil {
		return nil, nil, err
	}
	mesh, err = ReadMesh(&diag.Source{Name: d.Mesh, Text: string(text)})
	return r, mesh, err
}
