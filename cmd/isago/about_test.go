package main

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/isago/isago/internal/schematest"
)

// The output of version --json matches the schema.
func TestVersionSchema(t *testing.T) {
	schema := schematest.Load(t, "../../docs/json.schema.json")
	for _, b := range []build{{Name: "isago", Go: "go1.26", System: "linux/amd64"}, {"isago", "v1.0.0", "0123456789ab", true, "go1.26", "linux/amd64"}} {
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		schema.Def(t, "version").Check(t, "version", data)
	}
	if unseen := schema.Unseen("version"); len(unseen) > 0 {
		t.Errorf("no version has %q", unseen)
	}
}

// TestVersion checks what version prints for each way of building.
func TestVersion(t *testing.T) {
	of := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	const hash, placeholder = "0123456789abcdef0123456789abcdef01234567", "$Format:%H$\n"
	end := " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, c := range []struct {
		what              string
		info              *debug.BuildInfo
		release, archived string
		want              string
	}{
		{"go install MODULE@v1.2.3", of("v1.2.3"), "", placeholder, "isago v1.2.3"},
		{"go build in a clone", of("v1.2.4-0.20261127180000-0123456789ab", "vcs.revision", hash), "", placeholder, "isago v1.2.4-0.20261127180000-0123456789ab (0123456789ab)"},
		{"go build in a clone with changes", of("v1.2.3+dirty", "vcs.revision", hash, "vcs.modified", "true"), "", placeholder, "isago v1.2.3+dirty (0123456789ab, modified)"},
		{"go build -buildvcs=false, go run", of("(devel)"), "", placeholder, "isago (devel) of an unknown revision"},
		{"an archive of the sources", of("(devel)"), "", hash + "\n", "isago (devel) (0123456789ab)"},
		{"a release", of("(devel)", "vcs.revision", hash), "1.2.3", placeholder, "isago 1.2.3 (0123456789ab)"},
		{"without module information", nil, "", placeholder, "isago (devel) of an unknown revision"},
	} {
		if got := newBuild(c.info, c.release, c.archived).String(); got != c.want+end {
			t.Errorf("%s: %q, want %q", c.what, got, c.want+end)
		}
	}
}
