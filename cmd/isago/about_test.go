package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
)

// What version --json prints is what the schema says.
func TestVersionSchema(t *testing.T) {
	data, err := os.ReadFile("../../docs/json.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Required   []string                      `json:"required"`
			Properties map[string]struct{ Type any } `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	want := schema.Defs["version"]
	for _, b := range []build{{Name: "isago", Go: "go1.26", System: "linux/amd64"}, {"isago", "v1.0.0", "0123456789ab", true, "go1.26", "linux/amd64"}} {
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		for name, value := range got {
			kind := "string"
			if _, ok := value.(bool); ok {
				kind = "boolean"
			}
			if want.Properties[name].Type != kind {
				t.Errorf("%s is a %s, the schema has %v", name, kind, want.Properties[name].Type)
			}
		}
		for _, name := range want.Required {
			if _, ok := got[name]; !ok {
				t.Errorf("no %s in %s", name, data)
			}
		}
		if b.Modified && len(got) != len(want.Properties) {
			t.Errorf("%s has %v, the schema %d members", data, slices.Sorted(maps.Keys(got)), len(want.Properties))
		}
	}
}
