package snapshot

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// A repository can hold several workspaces, and a check judges one of them. If the others were ignored, a change could
// have its tasks judged as new ones: by moving the workspace, or by putting a link, a submodule or another workspace in
// its place.

// otherWorkspaces finds workspaces in other folders of the repository, and what a change did to them.
type otherWorkspaces struct{ layout.Layout }

// ownChange is the hint for a change that cannot be compared with its base.
const ownChange = "bring it back; if this is meant, a person lands it as a change of its own (docs/ci.md)"

// workspaceOf is the folder, relative to the top, of the workspace whose config or task has this path; "." for the top.
func workspaceOf(name string) (folder string, ok bool) {
	before, after, ok := strings.Cut("/"+name, "/"+layout.Folder+"/")
	if !ok {
		return "", false
	}
	if part, ok := partAt(layout.Folder + "/" + after); ok && (part.config || part.kind == kind.Tasks.Kind) {
		return path.Clean("./" + before), true
	}
	return "", false
}

// workspacesOf lists the folders of the workspaces whose configs or tasks are among some paths.
func workspacesOf(paths []string) []string {
	var folders []string
	for _, name := range paths {
		if folder, ok := workspaceOf(name); ok && (len(folders) == 0 || folders[len(folders)-1] != folder) {
			folders = append(folders, folder)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// here is the folder of this workspace, relative to the top.
func (o otherWorkspaces) here() string { return layout.SlashRel(o.Repo.Top, o.Root) }

// noneIn returns NO_BASE if a commit, which has no records here, has some in another folder, or a link or a submodule
// in place of one: the workspace was moved, or the judged one replaces another.
func (o otherWorkspaces) noneIn(ctx context.Context, commit, name string) error {
	files, err := o.Repo.Objects().Files(ctx, commit, "")
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range files {
		if path.Base(f.Path) == layout.Folder && !f.Regular() {
			return record.Errorf(record.NoBase, "%s has a link or a submodule at %s, which nobody can compare with", name, f.Path).WithHint(ownChange)
		}
		paths = append(paths, f.Path)
	}
	folders := workspacesOf(paths)
	if len(folders) == 0 {
		return nil
	}
	hint := record.Hintf(ownChange)
	if there := slices.IndexFunc(folders, o.isWorkspace); there >= 0 {
		hint = record.Hintf("%s judges the one there; docs/ci.md says how a new workspace beside it lands",
			record.CallTo("check", "", "-C", "", o.abs(folders[there])))
	}
	return record.Errorf(record.NoBase, "%s has no record in %s, and one in %s", name, several([]string{o.here()}), several(folders)).WithHint("%s", hint)
}

func (o otherWorkspaces) abs(folder string) string {
	return filepath.Join(o.Repo.Top, filepath.FromSlash(folder))
}

// isWorkspace reports whether a folder, relative to the top, holds a workspace in the working tree. Links and nested
// repositories do not count.
func (o otherWorkspaces) isWorkspace(folder string) bool {
	dir := filepath.Join(o.abs(folder), layout.Folder)
	followed, err := filepath.EvalSymlinks(dir)
	if err != nil || followed != dir {
		return false
	}
	for at := folder; at != "."; at = path.Dir(at) {
		if layout.Exists(filepath.Join(o.abs(at), ".git")) {
			return false // a repository of its own
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, layout.ConfigName)); err == nil && info.Mode().IsRegular() {
		return true
	}
	files, _, err := place.List(layout.Layout{Root: o.abs(folder)}, kind.Tasks.Kind)
	return err == nil && len(files) > 0
}

// keptFrom returns NO_BASE if a commit has a workspace in a folder where the judged files have none any more.
func (o otherWorkspaces) keptFrom(ctx context.Context, s subject, commit, name string) error {
	paths, err := s.gone(ctx, commit)
	if err != nil {
		return err
	}
	lost := slices.DeleteFunc(workspacesOf(paths), func(folder string) bool {
		if folder == o.here() || err != nil {
			return true // it is the judged one
		}
		var there bool
		there, err = s.holds(ctx, folder)
		return there
	})
	if err != nil || len(lost) == 0 {
		return err
	}
	return record.Errorf(record.NoBase, "%s has a record in %s, and what is judged has none there", name, several(lost)).WithHint(ownChange)
}

// several lists folders for a message, eight at most.
func several(names []string) string {
	const most = 8
	names = slices.Clone(names)
	if i := slices.Index(names, "."); i >= 0 {
		names[i] = "the top folder"
	}
	shown := min(len(names), most)
	return strings.Join(names[:shown], ", ") + record.AndMore(len(names)-shown)
}

// goneFromTree lists the paths that a commit has and the index has not. Of the files that only the working tree lacks
// it lists the configs, which every workspace has.
func (o otherWorkspaces) goneFromTree(ctx context.Context, commit string) ([]string, error) {
	paths, err := o.Repo.Index("").Gone(ctx, commit)
	if err != nil {
		return nil, err
	}
	configs, err := o.Repo.Index("").Named(ctx, layout.Folder+"/"+layout.ConfigName)
	if err != nil {
		return nil, err
	}
	for _, f := range configs {
		folder, ok := workspaceOf(f.Path)
		if !ok || o.isWorkspace(folder) || f.Unwatched && !layout.Exists(o.abs(f.Path)) {
			continue // a sparse checkout has left it out
		}
		had, err := o.Repo.Objects().Files(ctx, commit, f.Path)
		if err != nil {
			return nil, err
		}
		if len(had) > 0 {
			paths = append(paths, f.Path)
		}
	}
	return paths, nil
}

// holdsInTree reports whether a folder holds a workspace in the working tree, or in what a sparse checkout has left out
// of it.
func (o otherWorkspaces) holdsInTree(ctx context.Context, folder string) (bool, error) {
	if o.isWorkspace(folder) {
		return true, nil
	}
	files, err := o.Repo.Index("").Files(ctx, path.Join(folder, layout.Folder))
	return slices.ContainsFunc(files, func(f git.File) bool {
		_, ok := workspaceOf(f.Path)
		return ok && f.Regular() && f.Unwatched && !layout.Exists(o.abs(f.Path))
	}), err
}

// anyWorkspace reports whether a workspace's config or task is among some files.
func anyWorkspace(files []git.File, err error) (bool, error) {
	return slices.ContainsFunc(files, func(f git.File) bool {
		_, ok := workspaceOf(f.Path)
		return ok && f.Regular()
	}), err
}

// keptAround returns NO_BASE if this repository lies inside another one, as a submodule does, and the base of that one
// has records where this repository is now: the change replaced them.
func (o otherWorkspaces) keptAround(ctx context.Context, opts CheckOptions) error {
	if o.Repo == nil || opts.NoBase {
		return nil
	}
	repo, ok, err := git.Find(filepath.Dir(o.Repo.Top))
	if err != nil || !ok || repo.CommonDir == o.Repo.CommonDir {
		return nil //nolint:nilerr // without a repository around this one there is no base
	}
	outer := otherWorkspaces{layout.Layout{Root: repo.Top, Repo: repo, Worktree: repo.Top}}
	b, err := outer.baseAround(ctx, opts, layout.SlashRel(repo.Top, o.Repo.Top))
	if err != nil {
		return err
	}
	for _, commit := range b.commits {
		files, err := repo.Objects().Files(ctx, commit, layout.SlashRel(repo.Top, o.Repo.Top))
		if err != nil {
			return err
		}
		if had, _ := anyWorkspace(files, nil); had {
			return record.Errorf(record.NoBase, "%s of %s has a record in %s, which is a repository of its own now", b.name, repo.Top, o.Repo.Top).WithHint(ownChange)
		}
	}
	return nil
}

// baseAround is the base of a repository with another one in a folder. The base that the caller names may exist in the
// inner one only. If there is none, the base is what is checked out. If the inner one is a submodule and a base should
// be there, that is NO_BASE.
func (o otherWorkspaces) baseAround(ctx context.Context, opts CheckOptions, folder string) (base, error) {
	head, err := o.Repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return base{}, nil //nolint:nilerr // a repository that git cannot read, or without a commit, has no records
	}
	b, err := baseFinder{o.Repo, CheckOptions{Base: opts.Base, Getenv: opts.Getenv}}.find(ctx, head.Commit)
	if err != nil && opts.Base != "" {
		b, err = baseFinder{o.Repo, CheckOptions{Getenv: opts.Getenv}}.find(ctx, head.Commit)
	}
	if err == nil && len(b.commits) > 0 {
		return b, nil
	}
	files, listed := o.Repo.Index("").Files(ctx, folder)
	if err != nil && listed == nil && slices.ContainsFunc(files, git.File.Repository) {
		return base{}, record.Errorf(record.NoBase, "%s is a submodule, and in the repository around it: %s", folder, record.MessageOf(err)).
			WithHint("%s", problem.Hint(err))
	}
	return base{commits: []string{head.Commit}, name: "HEAD"}, nil
}
