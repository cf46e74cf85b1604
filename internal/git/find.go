package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/go-git/go-git/v5/plumbing/format/config"
)

// Repo is a repository with a work tree. Its paths are absolute and free of links.
//
// It reads what is checked out and the config itself; History, Refs, Objects and Index read the rest.
type Repo struct {
	Top       string // the top folder of the work tree, which holds .git
	GitDir    string // the git folder of this work tree
	CommonDir string // the git folder that all work trees of the clone share; GitDir itself unless this is a linked work tree

	// Aside reports whether trees, fingerprints and differences leave out a regular file, by its path from the top: it
	// belongs to a record that is judged by itself. Whoever knows what lies in the repository sets it; nil leaves out
	// nothing. Of a file that git does not track (tracked is false) it may say so too because it belongs to this
	// machine.
	Aside func(path string, tracked bool) bool
}

// Linked reports whether this is a linked work tree, made by "git worktree add".
func (r *Repo) Linked() bool { return r.GitDir != r.CommonDir }

// Registered reports whether the git folder belongs to this very work tree: it lies in it, or it names it (as that of a
// linked work tree does, or, in core.worktree, that of a submodule). A .git file or link can name any git folder, so
// what it names proves nothing. A git folder made by "git init --separate-git-dir" names no work tree, and is not
// registered.
func (r *Repo) Registered() bool {
	if r.Linked() {
		return WorktreeAt(r.GitDir) == r.Top
	}
	if filepath.Dir(r.GitDir) == r.Top {
		return true
	}
	for _, name := range []string{"config.worktree", "config"} { // git reads core.worktree from these two and nowhere else
		cfg, err := readConfig(filepath.Join(r.GitDir, name))
		if err != nil {
			continue
		}
		if path := cfg.Section("core").Option("worktree"); path != "" {
			top, err := filepath.EvalSymlinks(below(r.GitDir, path))
			return err == nil && top == r.Top
		}
	}
	return false
}

// readConfig reads one file of git's config, without those that it includes.
func readConfig(path string) (*config.Config, error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	cfg := config.New()
	return cfg, config.NewDecoder(bytes.NewReader(text)).Decode(cfg)
}

// WorktreeAt is the top of the linked work tree that a git folder belongs to, by the file gitdir in it; "" if that is
// gone.
func WorktreeAt(gitDir string) string {
	text, err := readSmall(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return ""
	}
	dotGit := below(gitDir, strings.TrimRight(string(text), "\r\n"))
	top, err := filepath.EvalSymlinks(filepath.Dir(dotGit))
	if err != nil || filepath.Base(dotGit) != ".git" {
		return ""
	}
	return top
}

// Find looks for a repository in dir and the folders above it. It returns false if there is none.
//
// As in git, a folder named .git without a HEAD is skipped. A .git file must name a git folder: one that does not, or
// names one that is gone, is GIT. What cannot be read is IO. A bare repository has no .git and is not found. Whatever
// core.worktree says, the work tree begins at the .git that was found.
//
// Git believes whatever .git and commondir name. Find does not: it returns GIT for a git folder that is not below the
// folder worktrees of the common one, and for that of a linked work tree which git knows to be elsewhere, and which is
// still there.
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
	r, err := newRepo(top, dir)
	return r, err == nil, err
}

// newRepo makes a Repo of a work tree and its git folder: it resolves links and finds the common git folder. It returns
// GIT if the git folder says that it is part of a clone which does not have it, or if it belongs to a linked work tree
// at another path that still exists.
func newRepo(top, dir string) (*Repo, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, unreadable(err)
	}
	for _, name := range []string{"HEAD", "config", "packed-refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.Mode().IsRegular() {
			return nil, record.Errorf(record.Git, "%s is not a file", filepath.Join(dir, name)).
				WithHint("see what it is, and where this repository came from")
		}
	}
	common, err := commonDir(dir)
	if err != nil {
		return nil, err
	}
	r := &Repo{Top: top, GitDir: dir, CommonDir: common}
	for _, dir := range slices.Compact([]string{dir, common}) {
		if err := noPipes(dir, gitReads...); err != nil {
			return nil, err
		}
	}
	if err := noPipes(top, ".gitattributes", ".gitignore", ".gitmodules"); err != nil {
		return nil, err
	}
	if !r.Linked() {
		return r, nil
	}
	if filepath.Dir(r.GitDir) != filepath.Join(r.CommonDir, "worktrees") {
		return r, record.Errorf(record.Git, "the git folder %s says that it is part of %s, which does not have it", r.GitDir, r.CommonDir).
			WithHint("git keeps linked worktrees below %s; see where this folder came from", filepath.Join(r.CommonDir, "worktrees"))
	}
	// Where the path that the git folder names is gone, the work tree was moved, which git allows; "git worktree repair"
	// tells the clone.
	there := WorktreeAt(r.GitDir)
	if there == "" || there == r.Top {
		return r, nil
	}
	if dir, err := readGitFile(filepath.Join(there, ".git")); err == nil {
		if dir, err = filepath.EvalSymlinks(dir); err == nil && dir == r.GitDir {
			return r, record.Errorf(record.Git, "%s uses the git folder of the worktree %s", r.Top, there).
				WithHint("if it is a copy of that worktree, make one with git worktree add; else see where this folder came from")
		}
	}
	return r, nil
}

// gitReads are the files that git reads in its folder on every command.
var gitReads = []string{
	"HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "commondir", "gitdir", "info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout", "logs/HEAD",
	"objects/info/alternates", "objects/info/commit-graph", "objects/info/commit-graphs/commit-graph-chain",
}

// noPipes returns GIT if a pipe or a device stands where git reads a file: git would wait for ever.
func noPipes(dir string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice|fs.ModeSocket) != 0 {
			return record.Errorf(record.Git, "%s is not a regular file", path).WithHint("put git's file back, or take it away")
		}
	}
	return nil
}

// NoPipes returns GIT if a pipe or a device stands where git reads .gitattributes or .gitignore, in some folders or in
// one above them.
func (r *Repo) NoPipes(folders ...string) error {
	seen := map[string]bool{}
	for _, dir := range folders {
		for ; !seen[dir] && len(dir) >= len(r.Top); dir = filepath.Dir(dir) {
			seen[dir] = true
			if err := noPipes(dir, ".gitattributes", ".gitignore"); err != nil {
				return err
			}
		}
	}
	return nil
}

// readGitFile returns the folder that a .git file names: "gitdir: " and a path, relative to the file's own folder.
func readGitFile(file string) (string, error) {
	text, err := readSmall(file)
	if err != nil {
		return "", unreadable(err)
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !ok || path == "" || strings.ContainsAny(path, "\n\x00") {
		return "", record.Errorf(record.Git, "%s is neither a git folder nor a file that names one", file).
			WithHint("git writes this file for submodules and linked worktrees; its one line reads: gitdir: PATH")
	}
	return below(filepath.Dir(file), path), nil
}

// commonDir returns the folder that the file commondir names, relative to the git folder, or the git folder itself.
func commonDir(gitDir string) (string, error) {
	file := filepath.Join(gitDir, "commondir")
	text, err := readSmall(file)
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

// readSmall reads one of git's own small files, following links. It fails for a pipe, a device and a file that is too
// large.
func readSmall(path string) ([]byte, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return disk.ReadRegular(path, smallFile)
}

const smallFile = 1 << 20 // bytes; git writes no config of that size

// below joins a path to a folder unless it is absolute.
func below(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// missing reports whether an error says that there is no such file, or no such folder on the way to it.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func unreadable(err error) error {
	if errors.Is(err, disk.ErrNotRegular) || errors.Is(err, disk.ErrTooLarge) {
		return record.Errorf(record.Git, "cannot look for a git repository: %w", err).WithHint("see what it is, and where this repository came from")
	}
	return record.Errorf(record.IO, "cannot look for a git repository: %w", err)
}

// noGitDir is the error of a file that names a git folder which is not there.
func noGitDir(file, dir string, err error) error {
	if !missing(err) {
		return unreadable(err)
	}
	return record.Errorf(record.Git, "%s names the git folder %q, which is not there", file, strings.TrimSpace(dir)).
		WithHint("if the repository was moved, run in it: git worktree repair %s", filepath.Dir(file))
}

// Worktrees returns the top folders of the clone's work trees, as git lists them. Some may be gone.
func (r *Repo) Worktrees(ctx context.Context) ([]string, error) {
	all, err := r.ListWorktrees(ctx)
	return record.Each(all, func(w Listed) string { return w.Path }), err
}

// TopLevel is the top of the work tree as git sees it: core.worktree can move it away from Top.
func (r *Repo) TopLevel(ctx context.Context) (string, error) {
	args := []string{"rev-parse", "--show-toplevel"}
	cmd := command(ctx, r.Top, args...)
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "GIT_WORK_TREE=") })
	return answer(output(ctx, cmd, args))
}

// Ignored lists the files below some paths that are not tracked and that git ignores.
func (r *Repo) Ignored(ctx context.Context, below ...string) ([]string, error) {
	args := []string{"ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--"}
	out, err := Run(ctx, r.Top, append(args, below...)...)
	return records(out), err
}

// IgnoredAnd lists the files that are not tracked, that git ignores, and that a file of patterns at the top names too.
func (r *Repo) IgnoredAnd(ctx context.Context, patterns string) ([]string, error) {
	out, err := Run(ctx, r.Top, "ls-files", "--others", "--ignored", "--exclude-from="+filepath.Join(r.Top, patterns), "-z")
	if err != nil || len(out) == 0 {
		return nil, err
	}
	var in bytes.Buffer
	for _, name := range records(out) {
		in.WriteString("./" + name + "\x00") // so that no name looks like the magic of a pathspec
	}
	out, err = r.run(ctx, &in, magic, "check-ignore", "-z", "--stdin")
	if Exited(err) == 1 { // it ignores none of them
		return nil, nil
	}
	names := records(out)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "./")
	}
	return names, err
}
