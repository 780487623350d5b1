package tidy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/glsl"
	"github.com/isago/isago/internal/shade/parse"
	"github.com/isago/isago/internal/shade/tidy"
)

// TestFunc tidies functions. A variable such as r1_2 is a version of the register r1; t1 belongs to no register.
func TestFunc(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a value that is read once", `
			uint t1; uint r1;
			t1 = a + 1u; r1 = t1 & 7u;
			return r1;`, `
			uint r1 = (a + 1u) & 7u;
			return r1;`},
		{"an assignment between value and use", `
			uint t1; uint r1;
			r1 = a; t1 = r1 + 1u; r1 = b;
			return t1 * r1;`, `
			uint r1 = a;
			uint t1 = r1 + 1u;
			r1 = b;
			return t1 * r1;`},
		{"arithmetic on floats stays in a precise variable", `
			float t1; float t2;
			t1 = x * x; t2 = x;
			return t1 < t2 ? a : b;`, `
			precise float t1 = x * x;
			return t1 < x ? a : b;`},
		{"versions that are never alive at once", `
			uint r1; uint r1_2; uint r1_3;
			r1 = a + b; r1_2 = r1 * r1; r1_3 = r1_2 + r1_2 * b;
			return r1_3;`, `
			uint r1 = a + b;
			r1 *= r1;
			r1 += r1 * b;
			return r1;`},
		{"versions that are alive at once", `
			uint r1; uint r1_2;
			r1 = a + b; r1_2 = r1 * b;
			return r1 * r1_2;`, `
			uint r1 = a + b;
			uint r1_2 = r1 * b;
			return r1 * r1_2;`},
		{"other registers keep their names", `
			uint r1; uint r2;
			r1 = a + b; r2 = r1;
			return r2 * r2;`, `
			uint r1 = a + b;
			uint r2 = r1;
			return r2 * r2;`},
		{"a loop that carries a value", `
			uint r1; uint r1_2;
			r1 = a;
			while (true) {
				r1_2 = r1 + b;
				if (r1_2 > 9u) { break; }
				r1 = r1_2;
			}
			return r1_2;`, `
			uint r1 = a;
			while (true) {
				r1 += b;
				if (r1 > 9u) break;
			}
			return r1;`},
		{"a value that a loop carries beside its new one", `
			uint r1; uint r1_2; uint r2;
			r1 = a; r2 = b;
			while (true) {
				r1_2 = r1 + b;
				r2 = r2 + r1 * r1_2;
				if (r2 > 9u) { break; }
				r1 = r1_2;
			}
			return r2;`, `
			uint r1 = a;
			uint r2 = b;
			while (true) {
				uint r1_2 = r1 + b;
				r2 += r1 * r1_2;
				if (r2 > 9u) break;
				r1 = r1_2;
			}
			return r2;`},
		{"a choice between constants", `
			bool r1;
			if (a == b) { r1 = false; } else { r1 = true; }
			return r1 ? a : 0u;`, `
			bool r1 = a != b;
			return r1 ? a : 0u;`},
		{"what both parts do", `
			uint r1; uint r2; uint r3;
			if (a < b) { r1 = a; r2 = a * b + 1u * b * b; r3 = b; } else { r1 = a; r2 = 1u; r3 = b; }
			return r1 + r2 + r3;`, `
			uint r2;
			uint r1 = a;
			if (a < b) {
				r2 = a * b + 1u * b * b;
			} else {
				r2 = 1u;
			}
			uint r3 = b;
			return r1 + r2 + r3;`},
		{"the condition of a loop", `
			uint r1;
			r1 = a;
			while (true) {
				if (r1 < b) { break; }
				r1 = r1 - 3u;
			}
			return r1;`, `
			uint r1 = a;
			while (r1 >= b) {
				r1 -= 3u;
			}
			return r1;`},
		{"a path that ends in a loop", `
			uint r1;
			r1 = a;
			while (true) {
				r1 = r1 + b;
				if (r1 < 9u) { r1 = r1 * 2u; } else { r1 = r1 * r1 + 1u * b * b; return r1; }
			}`, `
			uint r1 = a;
			while (true) {
				r1 += b;
				if (r1 >= 9u) break;
				r1 *= 2u;
			}
			r1 = r1 * r1 + 1u * b * b;
			return r1;`},
		{"the end of a loop that only a continue before it runs again", `
			uint r1; uint r2;
			r1 = a; r2 = b;
			while (true) {
				if (r2 < 9u) {
					r2 = r2 * a;
					if (r2 > 4u) {
						r1 = r1 + b;
						continue;
					}
				}
				r2 = r2 + r1;
				if (r2 == 7u) {
					r1 = 3u;
					break;
				}
				r1 = r1 * r2;
				return r1;
			}
			return r1 + r2;`, `
			uint r1 = a;
			uint r2 = b;
			while (true) {
				if (r2 < 9u) {
					r2 *= a;
					if (r2 > 4u) {
						r1 += b;
						continue;
					}
				}
				break;
			}
			r2 += r1;
			if (r2 == 7u) {
				r1 = 3u;
			} else {
				r1 *= r2;
				return r1;
			}
			return r1 + r2;`},
		{"a flag for a break after a condition", `
			uint r1; bool done;
			r1 = a; done = false;
			while (true) {
				r1 = r1 * b;
				if (r1 < 9u) {
					r1 = r1 + 1u;
					done = true;
				} else {
					if (r1 < 20u) {
						return r1;
					}
					r1 = r1 - b;
				}
				if (done) break;
			}
			return r1 + a;`, `
			uint r1 = a;
			while (true) {
				r1 *= b;
				if (r1 < 9u) {
					r1++;
					break;
				} else {
					if (r1 < 20u) return r1;
					r1 -= b;
				}
			}
			return r1 + a;`},
		{"a counted loop", `
			uint count; uint count_2; uint r1; uint r2;
			count = b; r1 = 0u; r2 = a;
			while (true) {
				r1 = r1 + r2;
				if (count == 0u) { break; }
				r2 = r2 * 3u;
				count_2 = (count - 1u) & 255u;
				count = count_2;
			}
			return r1;`, `
			uint r1 = 0u;
			uint r2 = a;
			for (uint i = 0u; i <= b; i++) {
				r1 += r2;
				r2 *= 3u;
			}
			return r1;`},
		{"a counted loop whose last turn skips a value that is read later", `
			uint count; uint r2;
			count = 4u; r2 = a;
			while (true) {
				if (count == 0u) { break; }
				r2 = r2 * 3u;
				count = (count - 1u) & 255u;
			}
			return r2;`, `
			uint count = 4u;
			uint r2 = a;
			while (count != 0u) {
				r2 *= 3u;
				count = (count - 1u) & 255u;
			}
			return r2;`},
		{"components that move", `
			uvec3 r1;
			r1 = uvec3(a, b, a);
			while (r1.x != 0u) {
				r1.x = r1.y;
				r1.y = r1.z;
				r1.z = 0u;
			}
			return r1.x;`, `
			uvec3 r1 = uvec3(a, b, a);
			while (r1.x != 0u) {
				r1 = uvec3(r1.yz, 0u);
			}
			return r1.x;`},
		{"components that change places", `
			uvec2 r1;
			r1 = uvec2(a, b);
			while (r1.x != 0u) {
				r1.x = r1.y;
				r1.y = r1.x;
			}
			return r1.x;`, `
			uvec2 r1 = uvec2(a, b);
			while (r1.x != 0u) {
				r1.x = r1.y;
				r1.y = r1.x;
			}
			return r1.x;`},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := parse.Functions("uint f(uint a, uint b, float x) {" + c.body + "\n}\n")
			if err != nil {
				t.Fatal(err)
			}
			f := list[0]
			f.Guarded = false
			var body []*shade.Stmt
			for _, s := range f.Body { // declarations without a value become those at the start
				if s.Kind == shade.Declare && s.Value == nil {
					s.Var.Precise = true
					f.Locals = append(f.Locals, s.Var)
					continue
				}
				body = append(body, s)
			}
			f.Body = body
			tidy.Func(f, func(v *shade.Var) string {
				name, _, _ := strings.Cut(v.Name, "_")
				if slices.ContainsFunc(f.Params, func(p *shade.Var) bool { return p == v }) || name[0] == 't' {
					return ""
				}
				return name
			}, func(name string) string { return name })
			s := &shade.Shader{Funcs: []*shade.Func{f}, Entry: f}
			if err := shade.Check(s); err != nil {
				t.Fatal(err)
			}
			text, err := glsl.Print(s, glsl.Vulkan450)
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(text.Source, "{\n")
			got = strings.TrimSuffix(got, "}\n")
			want := strings.ReplaceAll(strings.TrimPrefix(c.want, "\n"), "\t\t\t", "\t")
			want = strings.ReplaceAll(want, "\t\t\t\t", "\t\t")
			if a, b := strings.Fields(got), strings.Fields(want); !slices.Equal(a, b) {
				t.Errorf("it is\n%s", fmt.Sprint(got))
			}
		})
	}
}
