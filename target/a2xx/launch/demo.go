package launch

import (
	"embed"

	"github.com/isago/isago/feed"
)

//go:embed demo
var demoFiles embed.FS

// Demo draws a torus with a brick texture and one light.
var Demo = &feed.Demo{Files: demoFiles, Program: "demo/torus.vs.bin", Options: map[string][]string{"scene": {"demo/torus.json"}, "size": {"640x480"}}}
