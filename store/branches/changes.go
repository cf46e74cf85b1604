package branches

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
)

// maxPaths is how many files a branch may have changed to be known by them.
const maxPaths = 2_000

// Changes is which files a commit changed since it and the one that is checked out went apart.
type Changes struct {
	Commit string   `json:"commit"`
	Fork   string   `json:"fork,omitempty"`  // where they went apart; "" if they have nothing in common
	Paths  []string `json:"paths,omitempty"` // from the top of the repository, without .cairn
	Many   bool     `json:"many,omitempty"`  // they are more than are listed, and Paths has none
}

// Merged reports whether the commit that is checked out has it.
func (c Changes) Merged() bool { return c.Fork == c.Commit }

// changesFound is what Changes found, as it is kept.
type changesFound struct {
	Head string    `json:"head"`
	All  []Changes `json:"all"`
}

// Changes finds which files some commits changed, by the commits. It follows from git alone, and is kept by the commit
// that is checked out and each of these. Outside of git, and in a clone that only git itself can read, it finds nothing.
func (o Others) Changes(commits []string) map[string]Changes {
	if o.Clone.Repo == nil || len(commits) == 0 {
		return nil
	}
	head := o.Clone.Repo.Local().Head()
	if head == "" {
		return nil
	}
	known := map[string]Changes{}
	kept := live.Read(o.Clone.ChangesFile(), func(src []byte) (f changesFound, err error) { return f, json.Unmarshal(src, &f) })
	if kept != nil && kept.Head == head {
		for _, c := range kept.All {
			known[c.Commit] = c
		}
	}
	now, found := changesFound{Head: head}, map[string]Changes{}
	lacks := slices.ContainsFunc(commits, func(id string) bool { _, ok := known[id]; return !ok })
	if lacks {
		q, err := o.Clone.Repo.Quick()
		if err != nil {
			return nil
		}
		defer q.Close()
		for _, id := range commits {
			if _, ok := known[id]; !ok {
				known[id] = o.changesOf(q, id, head)
			}
		}
	}
	for _, id := range commits {
		if _, twice := found[id]; !twice {
			found[id] = known[id]
			now.All = append(now.All, known[id])
		}
	}
	if lacks {
		for id, c := range known { // of whoever asked for others
			if _, here := found[id]; !here && len(now.All) < maxTips {
				now.All = append(now.All, c)
			}
		}
		keep(o.Clone, o.Clone.ChangesFile(), now)
	}
	return found
}

func (o Others) changesOf(q *git.Quick, id, head string) Changes {
	out := Changes{Commit: id}
	c, err := q.Commit(id)
	if err != nil {
		return out
	}
	was := ""
	if forks := q.Forks(id, head); len(forks) > 0 {
		out.Fork = forks[0]
		if at, err := q.Commit(out.Fork); err == nil {
			was = at.Tree
		}
	}
	if out.Merged() {
		return out
	}
	own := o.Clone.InRepo(layout.Folder)
	out.Paths, err = q.Differing(c.Tree, was, maxPaths, func(path string) bool { return path == own })
	if err != nil {
		out.Paths, out.Many = nil, true
	}
	return out
}

// InWorkspace are paths of the repository as the workspace names them; those outside its folder are left out.
func (o Others) InWorkspace(paths []string) (out []string) {
	folder := strings.TrimSuffix(o.Clone.InRepo(layout.Folder), layout.Folder)
	for _, path := range paths {
		if below, ok := strings.CutPrefix(path, folder); ok {
			out = append(out, below)
		}
	}
	return out
}
