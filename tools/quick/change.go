package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pkg is what go list says of a package.
type pkg struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
	TestGoFiles, XTestGoFiles          []string
	below                              string // its folder below the root, with slashes
}

func (p pkg) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// changed lists the files that differ from where the work left a revision, and those that git does not know yet.
func changed(ctx context.Context, base string) ([]string, error) {
	from := "HEAD"
	if out, err := output(ctx, "git", "merge-base", "HEAD", base); err == nil {
		from = strings.TrimSpace(out)
	}
	differ, err := output(ctx, "git", "diff", "-z", "--name-only", "--no-renames", from)
	if err != nil {
		return nil, err
	}
	fresh, err := output(ctx, "git", "ls-files", "-z", "--others", "--exclude-standard")
	return strings.FieldsFunc(differ+fresh, func(r rune) bool { return r == 0 }), err
}

// list asks go for the packages of the module, by their folders.
func list(ctx context.Context) (map[string]pkg, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	out, err := output(ctx, "go", "list", "-json=ImportPath,Dir,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles", "./...")
	if err != nil {
		return nil, err
	}
	all := map[string]pkg{}
	for in := json.NewDecoder(strings.NewReader(out)); ; {
		var p pkg
		switch err := in.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		below, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		p.below = filepath.ToSlash(below)
		all[p.below] = p
	}
}

// owners finds the packages that files belong to: the nearest folder above a file that is one. Pages of the root belong
// to docs, go.mod to all.
func owners(files []string, all map[string]pkg) (begin, homeless []string) {
	found := map[string]bool{}
	for _, name := range files {
		folder := path.Dir(name)
		for all[folder].Dir == "" && folder != "." {
			folder = path.Dir(folder)
		}
		switch {
		case all[folder].Dir != "":
			found[folder] = true
		case name == "go.mod" || name == "go.sum":
			for folder := range all {
				found[folder] = true
			}
		case path.Ext(name) == ".md" && !strings.HasPrefix(name, "."):
			found["docs"] = true
		default:
			homeless = append(homeless, name)
		}
	}
	return slices.Sorted(maps.Keys(found)), homeless
}

// order is what is to be tested: packages that changed, and whatever imports them, by the number of imports between.
// Among equals those come first that took the least time; those that did not end last time come last of all.
func order(begin []string, all map[string]pkg, times map[string]float64) []string {
	byPath := map[string]string{}
	importers, testers := map[string][]string{}, map[string][]string{}
	for folder, p := range all {
		byPath[p.ImportPath] = folder
		for _, of := range p.Imports {
			importers[of] = append(importers[of], folder)
		}
		for _, of := range slices.Concat(p.TestImports, p.XTestImports) {
			testers[of] = append(testers[of], folder)
		}
	}
	away := map[string]int{}
	for _, folder := range begin {
		away[folder] = 0
	}
	last := map[string]int{} // packages of which only the tests import what changed
	for queue := slices.Clone(begin); len(queue) > 0; queue = queue[1:] {
		p := all[queue[0]]
		next := away[p.below] + 1
		for _, folder := range importers[p.ImportPath] {
			if _, ok := away[folder]; !ok {
				away[folder] = next
				queue = append(queue, folder)
			}
		}
		for _, folder := range testers[p.ImportPath] {
			if n, ok := last[folder]; !ok || n > next {
				last[folder] = next
			}
		}
	}
	for folder, n := range last {
		if m, ok := away[folder]; !ok || m > n {
			away[folder] = n
		}
	}
	plan := slices.DeleteFunc(slices.Collect(maps.Keys(away)), func(folder string) bool { return !all[folder].tested() })
	slow := func(folder string) int {
		if times[folder] >= tooLong {
			return 1
		}
		return 0
	}
	slices.SortFunc(plan, func(a, b string) int {
		return cmp.Or(slow(a)-slow(b), away[a]-away[b], cmp.Compare(times[a], times[b]), strings.Compare(a, b))
	})
	return plan
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w: %s", name, args[0], err, exit.Stderr)
	}
	return string(out), err
}
