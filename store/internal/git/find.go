package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// Repo is a repository with a work tree. Its paths are absolute and free of links.
type Repo struct {
	Top       string // the work tree's uppermost folder, the one that holds .git
	GitDir    string // the git folder of this work tree
	CommonDir string // the git folder that all work trees of the clone share; GitDir itself but in linked ones
}

// Linked tells whether this is a linked work tree, made by "git worktree add".
func (r *Repo) Linked() bool { return r.GitDir != r.CommonDir }

// Registered tells whether the git folder belongs to this very work tree: it lies in it, or names it as a linked one. A .git
// file or link can name any git folder. The folders of submodules and of "git init --separate-git-dir" do not say.
func (r *Repo) Registered() bool {
	if !r.Linked() {
		return filepath.Dir(r.GitDir) == r.Top
	}
	return WorktreeAt(r.GitDir) == r.Top
}

// WorktreeAt is the top of the linked work tree that a git folder belongs to, as git has it written down there, or "".
func WorktreeAt(gitDir string) string {
	text, err := disk.ReadFile(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return ""
	}
	top, err := filepath.EvalSymlinks(filepath.Dir(below(gitDir, strings.TrimRight(string(text), "\r\n"))))
	if err != nil {
		return ""
	}
	return top
}

// Find looks for a repository in dir and the folders above it. It returns false if there is none.
//
// As in git, a folder named .git without a HEAD is passed over, and a .git file must name a git folder: one that does
// not, or names one that is gone, is an error of code GIT. What cannot be read is an error of code IO. A bare repository
// has no .git and is not found; core.worktree is not looked at.
func Find(dir string) (*Repo, bool, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, false, unreadable(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, false, unreadable(err)
	}
	for {
		r, ok, err := open(dir)
		if ok || err != nil {
			return r, ok, err
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, false, nil
		}
		dir = up
	}
}

// open opens the repository whose work tree begins at top, a path free of links, and returns false if none does.
func open(top string) (*Repo, bool, error) {
	dotGit := filepath.Join(top, ".git")
	info, err := os.Stat(dotGit)
	if missing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, unreadable(err)
	}
	dir := dotGit
	if !info.IsDir() {
		if dir, err = readGitFile(dotGit); err != nil {
			return nil, false, err
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		if missing(err) && info.IsDir() {
			return nil, false, nil
		}
		return nil, false, noGitDir(dotGit, dir, err)
	}
	return newRepo(top, dir)
}

// newRepo resolves the links of a git folder and finds the one it shares.
func newRepo(top, dir string) (*Repo, bool, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, false, unreadable(err)
	}
	common, err := commonDir(dir)
	if err != nil {
		return nil, false, err
	}
	for _, dir := range slices.Compact([]string{dir, common}) {
		if err := noPipes(dir, gitReads...); err != nil {
			return nil, false, err
		}
	}
	if err := noPipes(top, ".gitattributes", ".gitignore", ".gitmodules"); err != nil {
		return nil, false, err
	}
	return &Repo{Top: top, GitDir: dir, CommonDir: common}, true, nil
}

// gitReads are the files that git reads in its folder, whatever it is asked.
var gitReads = []string{
	"HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "commondir", "gitdir", "info/exclude", "info/attributes",
}

// noPipes returns an error of code GIT if a pipe or a device stands where git reads a file: git would wait for ever.
func noPipes(dir string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice|fs.ModeSocket) != 0 {
			return task.Errorf(task.Git, "%s is not a regular file", path).WithHint("put git's file back, or take it away")
		}
	}
	return nil
}

// readGitFile returns the folder that a .git file names: "gitdir: " and a path, relative to the file's own folder.
func readGitFile(file string) (string, error) {
	text, err := disk.ReadFile(file)
	if err != nil {
		return "", unreadable(err)
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !ok || path == "" || strings.ContainsAny(path, "\n\x00") {
		return "", task.Errorf(task.Git, "%s is neither a git folder nor a file that names one", file).
			WithHint("git writes this file for submodules and linked worktrees; its one line reads: gitdir: PATH")
	}
	return below(filepath.Dir(file), path), nil
}

// commonDir returns the folder that the file commondir names, relative to the git folder, or the git folder itself.
func commonDir(gitDir string) (string, error) {
	file := filepath.Join(gitDir, "commondir")
	text, err := disk.ReadFile(file)
	if missing(err) {
		return gitDir, nil
	}
	if err != nil {
		return "", unreadable(err)
	}
	dir, err := filepath.EvalSymlinks(below(gitDir, strings.TrimRight(string(text), "\r\n")))
	if err != nil {
		return "", noGitDir(file, string(text), err)
	}
	return dir, nil
}

// below joins a path to a folder unless it is absolute.
func below(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// missing tells whether an error says that there is no such file, or no such folder on the way to it.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func unreadable(err error) error {
	return task.Errorf(task.IO, "cannot look for a git repository: %w", err)
}

// noGitDir is the error of a file that names a git folder which is not there.
func noGitDir(file, dir string, err error) error {
	if !missing(err) {
		return unreadable(err)
	}
	return task.Errorf(task.Git, "%s names the git folder %q, which is not there", file, strings.TrimSpace(dir)).
		WithHint("if the repository was moved, run in it: git worktree repair %s", filepath.Dir(file))
}
