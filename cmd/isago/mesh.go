package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/feed"
)

// meshFlags select the mesh for a vertex program, and the size of the picture.
type meshFlags struct {
	mesh, size string
	bind       []string
}

func (f *meshFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.mesh, "mesh", "", "run a vertex program over the mesh in `FILE` (.obj)")
	flags.StringVar(&f.size, "size", "512x512", "draw a picture of `WIDTHxHEIGHT` pixels")
	flags.StringArrayVar(&f.bind, "bind", nil, "set the role of an input or output, as `NAME=ROLE`: position, normal, texcoord or color (default: by its name)")
	_ = cmd.MarkFlagFilename("mesh", "obj")
}

// bound parses --bind and returns the roles by name.
func (f *meshFlags) bound() (map[string]string, error) {
	bound, err := pairs("bind", f.bind)
	if err != nil {
		return nil, err
	}
	for name, what := range bound {
		if !feed.IsRole(what) {
			return nil, usagef("--bind %s=%s, expected position, normal, texcoord or color", name, what)
		}
	}
	return bound, nil
}

// dimensions parses --size and returns the width and the height in pixels.
func (f *meshFlags) dimensions() (width, height int, err error) {
	const most = 4096
	across, down, _ := strings.Cut(f.size, "x")
	width, err = strconv.Atoi(across)
	height, err2 := strconv.Atoi(down)
	if err != nil || err2 != nil || width < 1 || height < 1 || width > most || height > most {
		return 0, 0, usagef("--size %q, expected WIDTHxHEIGHT, each from 1 to %d", f.size, most)
	}
	return width, height, nil
}

// readMesh reads the file of --mesh. It returns nil without --mesh.
func (f *meshFlags) readMesh(cmd *cobra.Command) (mesh *feed.Mesh, err error) {
	if f.mesh == "" {
		return nil, nil
	}
	data, err := readAll(cmd, f.mesh)
	if err != nil {
		return nil, err
	}
	if mesh, err = feed.ReadMesh(textOf(f.mesh, data)); err != nil {
		return nil, err
	}
	return mesh, f.frame(mesh)
}

// frame sets the size of the picture of a mesh, and the roles of --bind.
func (f *meshFlags) frame(mesh *feed.Mesh) (err error) {
	if mesh.Width, mesh.Height, err = f.dimensions(); err != nil {
		return err
	}
	mesh.Roles, err = f.bound()
	return err
}
