package task_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"
)

// matches is the meaning of a scope's glob, said a second time: by trying everything that its stars can stand for.
func matches(glob, path []string) bool {
	switch {
	case len(glob) == 0:
		return len(path) == 0
	case glob[0] == "**":
		return matches(glob[1:], path) || len(path) > 0 && matches(glob, path[1:])
	default:
		return len(path) > 0 && nameMatches(glob[0], path[0]) && matches(glob[1:], path[1:])
	}
}

func nameMatches(glob, name string) bool {
	switch {
	case glob == "":
		return name == ""
	case glob[0] == '*':
		return nameMatches(glob[1:], name) || name != "" && nameMatches(glob, name[1:])
	default:
		return name != "" && (glob[0] == '?' || glob[0] == name[0]) && nameMatches(glob[1:], name[1:])
	}
}

// words are all texts of so many letters at most, with something between them.
func words(most int, between string) (all []string) {
	before := []string{""}
	for range most {
		var longer []string
		for _, w := range before {
			for _, letter := range []string{"a", "b", "c"} {
				longer = append(longer, strings.TrimPrefix(w+between+letter, between))
			}
		}
		all, before = append(all, longer...), longer
	}
	return all
}

// Two globs meet exactly if there is a path that both match. Globs of three names have one of six at most, if they have
// any, and one name of four letters and another have one of eight: c stands for every letter that neither names.
func TestGlobsMeetWhereAPathMatchesBoth(t *testing.T) {
	folders := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "?", "*", "**"}), 1, 3)
	names := rapid.StringMatching(`[ab?*]{1,4}`).Filter(func(s string) bool { return !strings.Contains(s, "**") })
	globs := map[string]*rapid.Generator[string]{
		"/": rapid.Map(folders, func(all []string) string { return strings.Join(all, "/") }), "": names,
	}
	for between, paths := range map[string][]string{"/": words(6, "/"), "": words(8, "")} {
		met := map[bool]int{}
		rapid.Check(t, func(t *rapid.T) {
			one, two := globs[between].Draw(t, "one"), globs[between].Draw(t, "two")
			if between == "" { // one that ends with a plain name means what lies below too
				one, two = strings.TrimSuffix(one, "*")+"*", strings.TrimSuffix(two, "*")+"*"
			}
			meaning := func(s string) []string {
				all := strings.Split(s, "/")
				if !strings.ContainsAny(all[len(all)-1], "*?") {
					all = append(all, "**")
				}
				return all
			}
			want := false
			for _, path := range paths {
				p := strings.Split(path, "/")
				want = want || matches(meaning(one), p) && matches(meaning(two), p)
			}
			got := len(task.AreaOf([]string{one}).Meets(task.AreaOf([]string{two}), 1)) > 0
			if met[got]++; got != want {
				t.Fatalf("%s and %s: meet %v, and a path that both match is there: %v", one, two, got, want)
			}
		})
		if met[true] == 0 || met[false] == 0 {
			t.Errorf("all globs are alike: %v", met)
		}
	}
}

// Paths that a branch changed are taken as they are, whatever their names.
func TestAnAreaHasTheFilesOfABranch(t *testing.T) {
	at := task.AreaOf([]string{"docs/**", "not/../valid"}).With([]string{"src/a[1].go", "src/w*.go"})
	for scope, want := range map[string]int{"src": 2, "src/a*": 1, "docs/x.md": 1, "src/w*.go": 1, "web": 0, "src/what.go": 0} {
		if got := at.Meets(task.AreaOf([]string{scope}), 10); len(got) != want {
			t.Errorf("%s: meets %v, want %d", scope, got, want)
		}
	}
}
