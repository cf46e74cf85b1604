// Package layout has the path of every file of a workspace: of the records under .cairn, and of the live state of the
// clone. It finds a workspace, reads single files, and refuses links where cairn reads or writes.
package layout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Folder is the name of the folder that makes a folder a workspace.
const Folder = ".cairn"

// Names of files in Folder.
const (
	ConfigName  = "config.yaml"
	SignersName = "allowed_signers"
)

// FilesDir is the folder in Folder of the files that records refer to.
const FilesDir = record.FilesDir

// Layout has the paths of a workspace. All are absolute.
type Layout struct {
	Root     string    // the workspace: the folder that holds .cairn
	Repo     *git.Repo // nil outside git
	Live     Live      // the live state: never committed, shared by the worktrees of a clone
	Worktree string    // top of the work tree, or Root outside git
}

// Top is the path of .cairn.
func (l Layout) Top() string { return filepath.Join(l.Root, Folder) }

// ConfigFile is the path of config.yaml.
func (l Layout) ConfigFile() string { return filepath.Join(l.Top(), ConfigName) }

// SignersFile is the path of allowed_signers, the keys whose signatures count.
func (l Layout) SignersFile() string { return filepath.Join(l.Top(), SignersName) }

// IgnoreFile is the path of .cairn/.gitignore, which names what is never committed.
func (l Layout) IgnoreFile() string { return filepath.Join(l.Top(), ".gitignore") }

// Dir is the path of a folder in .cairn, such as that of a kind of record.
func (l Layout) Dir(folder string) string { return filepath.Join(l.Top(), folder) }

// RunsDir is the folder of the logs of checks.
func (l Layout) RunsDir() string { return l.Dir("runs") }

// RunsLock is the path of the lock that is held while checks run in this worktree.
func (l Layout) RunsLock() string {
	return filepath.Join(string(l.Live), "checks-"+Name(l.Worktree)+".lock")
}

// Rel is a path from the workspace root, with forward slashes.
func (l Layout) Rel(path string) string { return SlashRel(l.Root, path) }

// Abs is the path of a file that is named from the workspace root, with forward slashes.
func (l Layout) Abs(rel string) string { return filepath.Join(l.Root, filepath.FromSlash(rel)) }

// InRepo turns a path from the workspace root into one from the top of the work tree; "" into the prefix of all those.
func (l Layout) InRepo(name string) string {
	if l.Root == l.Repo.Top {
		return name
	}
	return SlashRel(l.Repo.Top, l.Root) + "/" + name
}

// Head is the commit and the branch that are checked out; empty outside git, and if git cannot tell.
func (l Layout) Head(ctx context.Context) git.Head {
	if l.Repo == nil {
		return git.Head{}
	}
	head, err := l.Repo.Head(ctx)
	if err != nil {
		return git.Head{}
	}
	return head
}

// GitDir is the git folder of this worktree, relative to the common one of the clone; "" outside git. It identifies the
// worktree: unlike its path, it stays the same when the worktree or the whole clone is moved.
func (l Layout) GitDir() string {
	if l.Repo == nil {
		return ""
	}
	return GitDirOf(l.Repo)
}

// GitDirOf is the git folder of a worktree, relative to the common one of its clone.
func GitDirOf(r *git.Repo) string {
	rel, err := filepath.Rel(r.CommonDir, r.GitDir)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Find walks up from dir to the nearest workspace. It returns NO_WORKSPACE if there is none, and INVALID_INPUT for a
// .cairn that is a link, since writes through it would leave the workspace.
func Find(dir string) (Layout, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Layout{}, problem.IO(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Lstat(filepath.Join(at, Folder))
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			return Layout{}, problem.Link(filepath.Join(at, Folder))
		case err == nil && info.IsDir():
			return At(at)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return Layout{}, problem.IO(err)
		}
		if at == filepath.Dir(at) {
			return Layout{}, record.Errorf(record.NoWorkspace, "no %s folder in %s or above", Folder, dir).
				WithHint("%s makes one; or name the repository with -C DIR", record.CallTo("init"))
		}
	}
}

// At is the layout of a workspace with a given root, whether or not its files exist yet.
//
// A .git file may name the git folder of another clone. A folder that this git folder does not know gets live state of
// its own, so that it neither sees nor changes the claims of that clone.
func At(root string) (Layout, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Layout{}, problem.IO(err)
	}
	repo, ok, err := git.Find(root)
	if err != nil {
		return Layout{}, err
	}
	if !ok {
		return Layout{Root: root, Live: Live(filepath.Join(root, Folder, "local")), Worktree: root}, nil
	}
	key := Name(SlashRel(repo.Top, root))
	if !repo.Linked() && !repo.Registered() {
		key += "-" + Name(repo.Top)
	}
	live := filepath.Join(repo.CommonDir, "cairn", key)
	l := Layout{Root: root, Repo: repo, Live: Live(live), Worktree: repo.Top}
	repo.Aside = aside(l.InRepo(""))
	return l, nil
}

// InWorktree is the layout of this workspace in another worktree of the clone. It returns fs.ErrNotExist if the folder
// is no worktree of this clone any more, and INVALID_INPUT if one of the folders that it has by a function is a link.
func (l Layout) InWorktree(top string, folders func(Layout) []string) (Layout, error) {
	if top == l.Worktree {
		return l, nil
	}
	rel, err := filepath.Rel(l.Worktree, l.Root)
	if err != nil {
		return Layout{}, err
	}
	there, err := At(filepath.Join(top, rel))
	if err != nil {
		return Layout{}, err
	}
	if there.Live != l.Live || there.Worktree != top {
		return Layout{}, fs.ErrNotExist
	}
	return there, there.NoLinks(folders(there)...)
}

// OwnBranch is the branch of a record alone: of a task, on which it is worked on in a work tree of its own.
func OwnBranch(id string) string { return "cairn/" + id }

// Name is a short file name that stands for a path: a hash.
func Name(path string) string {
	sum := sha256.Sum256([]byte(filepath.ToSlash(path)))
	return hex.EncodeToString(sum[:])[:16]
}

// SlashRel is path relative to base, with forward slashes; path itself if there is no such path.
func SlashRel(base, path string) string {
	rel, err := filepath.Rel(base, path)
	if err != nil {
		rel = path
	}
	return filepath.ToSlash(rel)
}

// IsRecord reports whether a file is that of a record, by its path from the workspace root. Package kind sets it, which
// has the table of the kinds.
var IsRecord = func(string) bool { return false }

// Own reports whether a regular file belongs to the record of the workspace, by its path from the root: the config, the
// signers, the records of all kinds, and the files for them whose names have the whole hash of their content.
// Fingerprints, reviews and scopes leave out these and nothing else: they are judged by rules of their own.
func Own(name string) bool {
	switch name {
	case Folder + "/" + ConfigName, Folder + "/" + SignersName, Folder + "/.gitignore":
		return true
	}
	if record.IsFilePath(name) {
		_, whole := record.FileHash(name)
		return whole
	}
	return IsRecord(name) || record.BesideFiles(name)
}

// aside is the function of git.Repo.Aside for a workspace, by the path of the workspace from the top of the work tree.
func aside(prefix string) func(path string, tracked bool) bool {
	return func(path string, tracked bool) bool {
		name, below := strings.CutPrefix(path, prefix)
		return below && (Own(name) || !tracked && LocalOnly(name))
	}
}

// Plain is a part of a path as the file systems read it that ignore blanks and dots at its end, what follows a colon,
// and characters that show nowhere.
func Plain(part string) string {
	part, _, _ = strings.Cut(part, ":")
	part = strings.Map(func(r rune) rune {
		if record.Hidden(r) {
			return -1
		}
		return r
	}, part)
	return strings.TrimRight(part, " .")
}

// isShort reports whether a name is one that Windows may give Folder beside its own: CAIRN~1, or CA3F21~1.
func isShort(name string) bool {
	stem, n, ok := strings.Cut(strings.ToLower(name), "~")
	return ok && n != "" && strings.Trim(n, "0123456789") == "" &&
		(stem == "cairn" || len(stem) == 6 && stem[:2] == "ca" && strings.Trim(stem[2:], "0123456789abcdef") == "")
}

// Alike reports whether some file systems take another name for that of Folder.
func Alike(name string) bool {
	plain := Plain(name)
	return name != Folder && (strings.EqualFold(plain, Folder) || isShort(plain))
}

// LocalOnly reports whether a file, by its path from the workspace root, belongs to this machine only: git ignores it.
func LocalOnly(path string) bool {
	below, ok := strings.CutPrefix(path, Folder+"/")
	return ok && (strings.HasPrefix(below, "runs/") || strings.HasPrefix(below, "local/") || strings.HasSuffix(below, ".tmp"))
}
