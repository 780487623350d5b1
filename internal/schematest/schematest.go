// Package schematest validates JSON against docs/json.schema.json in tests.
package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// Schema is a JSON Schema. It supports only the keywords that docs/json.schema.json uses.
type Schema struct {
	root  *node
	start *node
	// seen are the properties that values had, as DEFINITION.NAME.
	seen map[string]bool
}

type node struct {
	Ref                  string           `json:"$ref"`
	Defs                 map[string]*node `json:"$defs"`
	Type                 any              `json:"type"`
	Enum                 []string         `json:"enum"`
	Required             []string         `json:"required"`
	Properties           map[string]*node `json:"properties"`
	AdditionalProperties *members         `json:"additionalProperties"`
	Items                *node            `json:"items"`
	MinItems             *int             `json:"minItems"`
	MaxItems             *int             `json:"maxItems"`
	Title                string           `json:"title"`
	Schema               string           `json:"$schema"`
}

// members is the value of additionalProperties: the schema of the members without a property, or false, which forbids
// them.
type members struct {
	allowed bool
	schema  *node
}

func (m *members) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &m.allowed) == nil {
		return nil
	}
	m.allowed = true
	return json.Unmarshal(data, &m.schema)
}

// Load reads the schema in a file. It fails the test if the schema has a keyword that this package does not check.
func Load(t testing.TB, file string) *Schema {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	root := &node{}
	if err := dec.Decode(root); err != nil {
		t.Fatal(err)
	}
	return &Schema{root: root, start: root, seen: map[string]bool{}}
}

// Def returns the schema of a definition in $defs.
func (s *Schema) Def(t testing.TB, name string) *Schema {
	t.Helper()
	def := s.root.Defs[name]
	if def == nil {
		t.Fatalf("the schema has no definition %s", name)
	}
	return &Schema{root: s.root, start: &node{Ref: defs + name}, seen: s.seen}
}

const defs = "#/$defs/"

// Check fails the test if data is not JSON that conforms to the schema. what names the data in the message.
func (s *Schema) Check(t testing.TB, what string, data []byte) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v in %s", what, err, data)
	}
	if wrong := s.mistake(s.start, "", v, what); wrong != "" {
		t.Error(wrong)
	}
}

// Unseen returns the properties of the named definitions that no checked value had, as DEFINITION.NAME.
func (s *Schema) Unseen(names ...string) []string {
	var list []string
	for _, name := range names {
		for p := range maps.Keys(s.root.Defs[name].Properties) {
			if at := name + "." + p; !s.seen[at] {
				list = append(list, at)
			}
		}
	}
	slices.Sort(list)
	return list
}

// mistake describes the first mistake in a value, or returns "". def is the name of the definition that n is.
func (s *Schema) mistake(n *node, def string, v any, path string) string {
	if n.Ref != "" {
		def = strings.TrimPrefix(n.Ref, defs)
		if s.root.Defs[def] == nil {
			return "no " + n.Ref
		}
		return s.mistake(s.root.Defs[def], def, v, path)
	}
	if n.Type != nil && !typed(n.Type, v) {
		return fmt.Sprintf("%s is %v, want %v", path, v, n.Type)
	}
	if text, _ := v.(string); n.Enum != nil && !slices.Contains(n.Enum, text) {
		return fmt.Sprintf("%s is %v, want one of %v", path, v, n.Enum)
	}
	if list, ok := v.([]any); ok {
		if n.MinItems != nil && len(list) < *n.MinItems || n.MaxItems != nil && len(list) > *n.MaxItems {
			return fmt.Sprintf("%s has %d items", path, len(list))
		}
		for i, x := range list {
			if n.Items == nil {
				break
			}
			if wrong := s.mistake(n.Items, "", x, fmt.Sprintf("%s[%d]", path, i)); wrong != "" {
				return wrong
			}
		}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	for _, name := range n.Required {
		if _, ok := object[name]; !ok {
			return fmt.Sprintf("%s has no %s", path, name)
		}
	}
	for name, x := range object {
		p := n.Properties[name]
		if p == nil && n.AdditionalProperties != nil {
			if !n.AdditionalProperties.allowed {
				return fmt.Sprintf("%s has %s", path, name)
			}
			p = n.AdditionalProperties.schema
		}
		if p == nil {
			continue
		}
		s.seen[def+"."+name] = true
		if wrong := s.mistake(p, "", x, path+"."+name); wrong != "" {
			return wrong
		}
	}
	return ""
}

// typed reports whether a value has a type, or one of a list of types.
func typed(want, v any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(w any) bool { return typed(w, v) })
	}
	switch x := v.(type) {
	case string:
		return want == "string"
	case json.Number:
		_, err := x.Int64()
		return want == "integer" && err == nil
	case bool:
		return want == "boolean"
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	}
	return false
}
