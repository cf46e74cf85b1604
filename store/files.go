package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/runs"
	"github.com/cairn-tasks/cairn/task"
)

// Files is where the files of a task are, and its commands run: the work tree of the workspace, or another repository
// that its config names.
type Files struct {
	live.Clone // Root is the folder in which commands run; of another repository its top
	Git
	Repo  string // the name of that repository; "" for the workspace's own
	store *Store
}

// WithFiles returns the store as one that has the files of tasks of other repositories in a work tree, by its top, in
// place of the folder that the config names. "" changes nothing, and neither does a store that has such a work tree.
func (s *Store) WithFiles(top string) *Store {
	if top == "" || s.filesIn != "" {
		return s
	}
	out := *s
	out.filesIn = top
	return &out
}

// Files are where the commands of a task run. It returns INVALID_INPUT for a repository that the config does not name,
// or of which it knows an address only, and NOT_FOUND if its folder is gone.
func (s *Store) Files(t task.Task) (Files, error) {
	if t.Repo == "" {
		return Files{Clone: s.Clone, Git: s.Git(), store: s}, nil
	}
	repo, ok := s.Config.Repo(t.Repo)
	if !ok {
		return Files{}, record.Errorf(record.InvalidInput, "its files are in the repository %q, which the workspace does not name", t.Repo).
			WithHint("%s lists them, and %s adds one", record.CallTo("repo_list"), record.CallTo("repo_register")).WithNext(record.CallTo("repo_list"))
	}
	l, err := s.repoLayout(repo.Name, repo.Path)
	if err != nil {
		return Files{}, err
	}
	if l.Live == s.Live && l.Worktree == s.Worktree {
		return Files{Clone: s.Clone, Git: s.Git(), store: s}, nil
	}
	if s.filesIn != "" {
		if l, err = linked(l, s.filesIn); err != nil {
			return Files{}, err
		}
	}
	// What lies in another repository, a record of its own too, is judged by no rule here. So all of it counts.
	if l.Repo.Aside = nil; s.Repo != nil && l.Repo.CommonDir == s.Repo.CommonDir {
		l.Repo.Aside = s.Repo.Aside
	}
	return Files{Clone: live.Clone{Layout: l}, Git: Git{l.Repo}, Repo: repo.Name, store: s}, nil
}

// linked is the layout of a work tree of a repository. It returns NOT_FOUND if it is not there any more.
func linked(main layout.Layout, top string) (layout.Layout, error) {
	l, err := layout.At(top)
	if err == nil && (l.Repo == nil || l.Root != top || l.Repo.CommonDir != main.Repo.CommonDir) {
		err = record.Errorf(record.NotFound, "%s is no work tree of %s any more", top, main.Root).
			WithHint("%s tells what is known of it", record.CallTo("worktree_list").OnlyShown())
	}
	return l, err
}

// RepoFolder is the folder of a repository of the config on this machine, by its path: from the workspace in the main
// work tree of the clone, since a linked one may lie anywhere. It may be gone.
func (s workTree) RepoFolder(path string) string {
	root := s.Root
	if s.Repo != nil && s.Repo.Linked() && filepath.Base(s.Repo.CommonDir) == ".git" {
		if rel, err := filepath.Rel(s.Worktree, s.Root); err == nil {
			root = filepath.Join(filepath.Dir(s.Repo.CommonDir), rel)
		}
	}
	return filepath.Join(root, filepath.FromSlash(path))
}

// repoLayout is the layout of a repository of the config. Its top must be where the config says, so that no other one
// is taken for it.
func (s workTree) repoLayout(name, path string) (layout.Layout, error) {
	if path == "" {
		return layout.Layout{}, record.Errorf(record.InvalidInput, "the repository %q has no folder here: only its address is known", name).
			WithHint("clone it, then %s", record.CallTo("repo_register", "name", name, "path", "../"+name).OnlyShown()).WithNext(record.CallTo("repo_list"))
	}
	dir := s.RepoFolder(path)
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return layout.Layout{}, record.Errorf(record.NotFound, "the repository %q is not in %s", name, dir).
			WithHint("clone it there, or %s says where it is", record.CallTo("repo_register", "name", name, "path", "../"+name).OnlyShown()).WithNext(record.CallTo("repo_list"))
	}
	l, err := layout.At(dir)
	switch {
	case err != nil:
		return l, err
	case l.Repo == nil || l.Root != l.Worktree && l.Live != s.Live:
		return l, record.Errorf(record.InvalidInput, "%s is not the top of a git repository", dir).
			WithHint("%s says where %q is", record.CallTo("repo_register", "name", name, "path", "../"+name).OnlyShown(), name).WithNext(record.CallTo("repo_list"))
	}
	return l, nil
}

// IsRepo returns why no repository can be found by a path of the config: NOT_FOUND, or INVALID_INPUT for a folder that
// is no top of one.
func (s workTree) IsRepo(name, path string) error {
	_, err := s.repoLayout(name, path)
	return err
}

// Trusted reports whether the user has consented that commands run on these files. They come from the workspace, which
// must be trusted too.
func (f Files) Trusted() bool {
	return f.store.Trusted() && (f.Repo == "" || trust.Trusted(f.Layout, f.store.stateDir))
}

// Trust records the user's consent that commands of this workspace run on the files.
func (f Files) Trust(who record.Actor, at time.Time) error {
	return trust.Set(f.Layout, f.store.stateDir, who, at)
}

// Runs has the lock of runs of checks on these files.
func (f Files) Runs() runs.Dir { return runs.Dir{Clone: f.Clone, Patience: f.store.lockPatience} }
