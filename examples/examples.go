// Package examples embeds the example programs and the mesh that isago run --demo draws.
package examples

import "embed"

// FS holds them by their paths in this folder.
//
//go:embed knot.obj pica200/light.shbin tegra/textured.vp
var FS embed.FS
