// Package projects keeps the list of the workspaces that this user worked in on this machine. It is a file in the
// user's own state folder, for finding a workspace again: it grants nothing, and may be deleted at any time.
package projects

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Project is a workspace of the list.
type Project struct {
	ID       string    `json:"project"` // short, and the same as long as the folder is
	Name     string    `json:"name"`    // of its folder
	Root     string    `json:"root"`
	Prefix   string    `json:"prefix,omitempty"` // of its ids, as it was when it was opened last
	OpenedAt time.Time `json:"opened_at"`        // last
	Gone     bool      `json:"gone,omitempty"`   // there is no workspace any more
}

const (
	most     = 200             // workspaces; the one that was not opened for the longest goes first
	patience = 2 * time.Second // for the lock
	recent   = time.Minute     // a workspace that was opened since is not written again
)

// IDOf is the id of the workspace in a folder.
func IDOf(root string) string { return layout.Name(root)[:8] }

// Note puts a workspace at the head of the list. Linked worktrees of a clone are not noted, since they come and go. It
// returns IO if the user has no state folder, or it cannot be written; nothing depends on it.
func Note(ctx context.Context, stateDir string, l layout.Layout, prefix string, now time.Time) error {
	if l.Repo != nil && l.Repo.Linked() {
		return nil
	}
	file, err := fileIn(stateDir)
	if err != nil {
		return err
	}
	if old := read(file); len(old) > 0 && old[0].Root == l.Root && old[0].Prefix == prefix && now.Sub(old[0].OpenedAt) < recent {
		return nil
	}
	if err := disk.Do(disk.Mkdir, filepath.Dir(file), func() error { return os.MkdirAll(filepath.Dir(file), 0o700) }); err != nil {
		return problem.IO(err)
	}
	lock, err := filelock.AcquireWithin(ctx, file+".lock", patience)
	if err != nil {
		return problem.IO(err)
	}
	defer func() { _ = lock.Release() }()
	all := slices.DeleteFunc(read(file), func(p Project) bool { return p.Root == l.Root })
	all = slices.Insert(all, 0, Project{Root: l.Root, Prefix: prefix, OpenedAt: now.UTC().Truncate(time.Second)})
	src, err := json.Marshal(all[:min(len(all), most)])
	if err != nil {
		return err
	}
	return problem.IO(atomicfile.WriteVolatile(file, append(src, '\n')))
}

// List returns the workspaces, the one that was opened last first. One whose folder is gone says so. It is empty where
// the list cannot be read.
func List(stateDir string) []Project {
	file, err := fileIn(stateDir)
	if err != nil {
		return nil
	}
	out := read(file)
	for i, p := range out {
		at, err := layout.Find(p.Root)
		out[i].ID, out[i].Name, out[i].Gone = IDOf(p.Root), filepath.Base(p.Root), err != nil || at.Root != p.Root
	}
	sorted.By(out, func(a, b Project) int { return b.OpenedAt.Compare(a.OpenedAt) })
	return out
}

// Find returns the workspace with an id, a folder or a name. It returns NOT_FOUND if the list has none, and
// AMBIGUOUS_ID if several have the name.
func Find(stateDir, which string) (Project, error) {
	all := List(stateDir)
	var named []Project
	for _, p := range all {
		if p.ID == which || p.Root == filepath.Clean(which) {
			return p, nil
		}
		if p.Name == which {
			named = append(named, p)
		}
	}
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		roots := record.Each(named, func(p Project) string { return p.Root })
		return Project{}, record.Errorf(record.AmbiguousID, "%d workspaces are called %q", len(named), which).WithHint("name its folder: %s", strings.Join(roots, ", "))
	default:
		return Project{}, record.Errorf(record.NotFound, "no workspace %q was opened on this machine", record.Clip(which, 200)).
			WithHint("%s lists them; %s adds one", record.CallTo("project_list"), record.CallTo("project_create")).WithNext(record.CallTo("project_list"))
	}
}

func fileIn(stateDir string) (string, error) {
	if !filepath.IsAbs(stateDir) {
		return "", record.Errorf(record.IO, "this user has no folder to keep a list in").WithHint("set HOME, or XDG_STATE_HOME, to a full path")
	}
	return filepath.Join(stateDir, "projects.json"), nil
}

// read reads the list. What is not one, or is not plausible, is left out: nothing depends on it.
func read(file string) []Project {
	src, err := layout.ReadFile(file)
	if err != nil {
		return nil
	}
	var all []Project
	if json.Unmarshal(src, &all) != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(p Project) bool { return !filepath.IsAbs(p.Root) || record.ValidLine("root", p.Root) != nil })
}
