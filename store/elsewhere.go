package store

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// A repository can hold several workspaces, and a check judges one. Were the others passed over in silence, a change could have
// its tasks judged as new ones: by moving the workspace, or by putting a link, a submodule or another workspace in its place.

// ownChange is how a change lands that nothing can be compared with.
const ownChange = "bring it back; if this is meant, a person lands it as a change of its own (docs/ci.md)"

// workspaceOf is the folder, seen from the top, of the workspace whose config or task lies at a path; "." for the top.
func workspaceOf(name string) (folder string, ok bool) {
	before, after, ok := strings.Cut("/"+name, "/"+Folder+"/")
	if !ok {
		return "", false
	}
	switch kind, _ := recordAt(Folder + "/" + after); kind {
	case configRecord, taskRecord:
		return path.Clean("./" + before), true
	case sessionRecord, signersRecord, proposalRecord, otherRecord:
	}
	return "", false
}

// workspacesOf lists the folders of the workspaces whose configs or tasks lie at some paths.
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

// here is the folder of this workspace, seen from the top.
func (l Layout) here() string { return slashRel(l.Repo.Top, l.Root) }

// elsewhere returns NO_BASE if a commit that has no record here has one in another folder, or a link or a submodule here: the
// workspace was moved, or the one that is judged hides the other.
func (l Layout) elsewhere(ctx context.Context, commit, name string) error {
	files, err := l.Repo.FilesOf(ctx, commit, "")
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range files {
		if path.Base(f.Path) == Folder && !f.Regular() {
			return task.Errorf(task.NoBase, "%s has a link or a submodule at %s, which nobody can compare with", name, f.Path).WithHint(ownChange)
		}
		paths = append(paths, f.Path)
	}
	folders := workspacesOf(paths)
	if len(folders) == 0 {
		return nil
	}
	hint := task.Hintf(ownChange)
	if there := slices.IndexFunc(folders, l.isWorkspace); there >= 0 {
		hint = task.Hintf("%s judges the one there; docs/ci.md says how a new workspace beside it lands",
			task.CallTo("check", "", "-C", "", l.atTop(folders[there])))
	}
	return task.Errorf(task.NoBase, "%s has no record in %s, and one in %s", name, several([]string{l.here()}), several(folders)).WithHint("%s", hint)
}

// atTop is where a folder lies that is seen from the top.
func (l Layout) atTop(folder string) string {
	return filepath.Join(l.Repo.Top, filepath.FromSlash(folder))
}

// isWorkspace reports whether a folder, seen from the top, holds a record in the working tree. What a link leads to, and what is in a
// repository inside this one, is not in it.
func (l Layout) isWorkspace(folder string) bool {
	dir := filepath.Join(l.atTop(folder), Folder)
	followed, err := filepath.EvalSymlinks(dir)
	if err != nil || followed != dir {
		return false
	}
	for at := folder; at != "."; at = path.Dir(at) {
		if exists(filepath.Join(l.atTop(at), ".git")) {
			return false // a repository of its own
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "config.yaml")); err == nil && info.Mode().IsRegular() {
		return true
	}
	found := false
	err = eachName(filepath.Join(dir, "tasks"), taskExt, func(string) { found = true })
	return err == nil && found
}

// keepsAll returns NO_BASE if a commit has a record in a folder where what is judged has none any more.
func (l Layout) keepsAll(ctx context.Context, s subject, commit, name string) error {
	paths, err := s.gone(ctx, commit)
	if err != nil {
		return err
	}
	var lost []string
	for _, folder := range workspacesOf(paths) {
		if folder == l.here() {
			continue // it is judged
		}
		there, err := s.holds(ctx, folder)
		if err != nil {
			return err
		}
		if !there {
			lost = append(lost, folder)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return task.Errorf(task.NoBase, "%s has a record in %s, and what is judged has none there", name, several(lost)).WithHint(ownChange)
}

// several names a few of many folders.
func several(names []string) string {
	const most = 8
	names = slices.Clone(names)
	if i := slices.Index(names, "."); i >= 0 {
		names[i] = "the top folder"
	}
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// goneFromTree lists what a commit has and the index or the working tree has not. Of what only the working tree lacks it lists the
// configs, which every workspace has.
func (l Layout) goneFromTree(ctx context.Context, commit string) ([]string, error) {
	paths, err := l.Repo.GoneFromIndex(ctx, commit, "")
	if err != nil {
		return nil, err
	}
	configs, err := l.Repo.Called(ctx, "", Folder+"/config.yaml")
	if err != nil {
		return nil, err
	}
	for _, f := range configs {
		folder, ok := workspaceOf(f.Path)
		if !ok || l.isWorkspace(folder) || f.Unwatched && !exists(l.atTop(f.Path)) {
			continue // a sparse checkout leaves out what it was told to
		}
		had, err := l.Repo.FilesOf(ctx, commit, f.Path)
		if err != nil {
			return nil, err
		}
		if len(had) > 0 {
			paths = append(paths, f.Path)
		}
	}
	return paths, nil
}

// holdsInTree reports whether a folder holds a record in the working tree, or in what a sparse checkout has left out of it.
func (l Layout) holdsInTree(ctx context.Context, folder string) (bool, error) {
	if l.isWorkspace(folder) {
		return true, nil
	}
	files, err := l.Repo.Tracked(ctx, "", path.Join(folder, Folder))
	return slices.ContainsFunc(files, func(f git.File) bool {
		_, ok := workspaceOf(f.Path)
		return ok && f.Regular() && f.Unwatched && !exists(l.atTop(f.Path))
	}), err
}

// holdsRecord reports whether some files are a record.
func holdsRecord(files []git.File, err error) (bool, error) {
	return slices.ContainsFunc(files, func(f git.File) bool {
		_, ok := workspaceOf(f.Path)
		return ok && f.Regular()
	}), err
}

// outerKeeps returns NO_BASE if this repository lies in another one, as a submodule does, and the base of that one has a record
// where this repository is now: the change put it there.
func (l Layout) outerKeeps(ctx context.Context, opts CheckOptions) error {
	if l.Repo == nil || opts.NoBase {
		return nil
	}
	repo, ok, err := git.Find(filepath.Dir(l.Repo.Top))
	if err != nil || !ok || repo.CommonDir == l.Repo.CommonDir {
		return nil //nolint:nilerr // a folder above that is no repository has no base
	}
	outer := Layout{Root: repo.Top, Repo: repo, Worktree: repo.Top}
	b, err := outer.baseAround(ctx, opts, slashRel(repo.Top, l.Repo.Top))
	if err != nil {
		return err
	}
	for _, commit := range b.commits {
		files, err := repo.FilesOf(ctx, commit, slashRel(repo.Top, l.Repo.Top))
		if err != nil {
			return err
		}
		if had, _ := holdsRecord(files, nil); had {
			return task.Errorf(task.NoBase, "%s of %s has a record in %s, which is a repository of its own now", b.name, repo.Top, l.Repo.Top).WithHint(ownChange)
		}
	}
	return nil
}

// baseAround is the base of a repository around another one, which lies in a folder of it. The base that the caller names may be one
// that only the other has. Where there is none, what is checked out is the base, unless the other one is a submodule of this one and
// there should be a base.
func (l Layout) baseAround(ctx context.Context, opts CheckOptions, folder string) (base, error) {
	head, err := l.Repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return base{}, nil //nolint:nilerr // a repository that git cannot read, or without a commit, has no record
	}
	b, err := l.findBase(ctx, CheckOptions{Base: opts.Base, Getenv: opts.Getenv}, head.Commit)
	if err != nil && opts.Base != "" {
		b, err = l.findBase(ctx, CheckOptions{Getenv: opts.Getenv}, head.Commit)
	}
	if err == nil && len(b.commits) > 0 {
		return b, nil
	}
	files, listed := l.Repo.Tracked(ctx, "", folder)
	if err != nil && listed == nil && slices.ContainsFunc(files, git.File.Repository) {
		return base{}, task.Errorf(task.NoBase, "%s is a submodule, and in the repository around it: %s", folder, messageOf(err)).
			WithHint("%s", hintOf(err))
	}
	return base{commits: []string{head.Commit}, name: "HEAD"}, nil
}
