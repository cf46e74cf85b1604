package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// Folder is the name of the folder that makes a folder a workspace.
const Folder = ".cairn"

const (
	taskExt    = ".md"
	sessionExt = ".yaml"
	journalExt = ".jsonl"
)

// Layout says where everything lies. All paths are absolute.
type Layout struct {
	Root     string    // the workspace: the folder that holds .cairn
	Repo     *git.Repo // nil outside git
	Live     string    // never committed; shared by the worktrees of a clone
	Worktree string    // top of the work tree, or Root outside git: where an agent holds what it holds
}

// ConfigFile is the path of config.yaml.
func (l Layout) ConfigFile() string { return filepath.Join(l.Root, Folder, "config.yaml") }

// ConfigPath is the path of config.yaml from the workspace root.
func (l Layout) ConfigPath() string { return l.rel(l.ConfigFile()) }

// SignersFile is the path of allowed_signers, which says whose signatures count.
func (l Layout) SignersFile() string { return filepath.Join(l.Root, Folder, signersName) }

const signersName = "allowed_signers"

// TasksDir is the folder of the task files.
func (l Layout) TasksDir() string { return filepath.Join(l.Root, Folder, "tasks") }

// SessionsDir is the folder of the session files.
func (l Layout) SessionsDir() string { return filepath.Join(l.Root, Folder, "sessions") }

// PlansDir is the folder of the proposals.
func (l Layout) PlansDir() string { return filepath.Join(l.Root, Folder, "plans") }

// RunsDir is the folder of the check logs.
func (l Layout) RunsDir() string { return filepath.Join(l.Root, Folder, "runs") }

// TaskPath is where the file of a task lies, from the workspace root, with forward slashes.
func (l Layout) TaskPath(id task.ID) string { return l.rel(l.task(id)) }

// SessionPath is where the file of a session lies, likewise.
func (l Layout) SessionPath(id string) string { return l.rel(l.session(id)) }

func (l Layout) task(id task.ID) string      { return filepath.Join(l.TasksDir(), string(id)+taskExt) }
func (l Layout) session(id string) string    { return filepath.Join(l.SessionsDir(), id+sessionExt) }
func (l Layout) lock() string                { return filepath.Join(l.Live, "write.lock") }
func (l Layout) dirty() string               { return filepath.Join(l.Live, "write.dirty") }
func (l Layout) record(id task.ID) string    { return filepath.Join(l.Live, "claims", string(id)+".json") }
func (l Layout) heartbeat(ses string) string { return filepath.Join(l.Live, "live", ses+".json") }
func (l Layout) journal(id task.ID) string {
	return filepath.Join(l.Live, "journal", string(id)+journalExt)
}
func (l Layout) key(call string) string   { return filepath.Join(l.Live, "keys", call+".json") }
func (l Layout) trash(path string) string { return filepath.Join(l.Live, "trash", filepath.Base(path)) }
func (l Layout) runsLock() string         { return filepath.Join(l.Live, "checks-"+nameOf(l.Worktree)+".lock") }
func (l Layout) rel(path string) string   { return slashRel(l.Root, path) }

// Find walks up from dir to the nearest workspace. It returns NO_WORKSPACE if there is none, and INVALID_INPUT for a .cairn
// that is a link, since writes through it would leave the workspace.
func Find(dir string) (Layout, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Layout{}, ioError(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Lstat(filepath.Join(at, Folder))
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			return Layout{}, linkError(filepath.Join(at, Folder))
		case err == nil && info.IsDir():
			return LayoutAt(at)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return Layout{}, ioError(err)
		}
		if at == filepath.Dir(at) {
			return Layout{}, task.Errorf(task.NoWorkspace, "no %s folder in %s or above", Folder, dir).
				WithHint("%s makes one; or name the repository with -C DIR", task.CallTo("init"))
		}
	}
}

// noLinks returns INVALID_INPUT if one of the folders or files that cairn writes is a link.
func (l Layout) noLinks() error {
	for _, path := range []string{l.TasksDir(), l.SessionsDir(), l.PlansDir(), l.RunsDir(), l.ConfigFile(), l.SignersFile()} {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return linkError(path)
		}
	}
	if l.Repo == nil {
		return filesBelow(l.Live)
	}
	return l.noLiveLinks()
}

// noLiveLinks returns INVALID_INPUT if one of the folders of the live state is a link. Git's own folder may have come in an
// archive too. The files in them are looked at when they are opened.
func (l Layout) noLiveLinks() error {
	for _, dir := range append(l.liveFolders(), filepath.Dir(l.Live)) {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return linkError(dir)
		}
	}
	return nil
}

// filesBelow looks through the live state of a workspace outside git, which came along if the folder was copied. It returns
// INVALID_INPUT for a link, and for anything else that is no file, such as a pipe, from which a read would never return.
func filesBelow(dir string) error {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Type()&fs.ModeSymlink != 0:
			return linkError(path)
		case !e.IsDir() && !e.Type().IsRegular():
			return task.Errorf(task.InvalidInput, "%s is not a regular file", path).
				WithHint("see what it is; only regular files and folders belong there")
		}
		return nil
	})
	if isMissing(err) {
		return nil
	}
	return ioError(err)
}

func linkError(path string) error {
	return task.Errorf(task.InvalidInput, "%s is a link", path).
		WithHint("put a real one there; nothing is read or written through links")
}

// LayoutAt is the layout of a workspace whose root is known, whether or not its files exist yet.
//
// A .git file may name the git folder of somebody else's clone. A folder that this git folder does not know has live state of
// its own there, so that it neither sees nor changes who holds what in that clone.
func LayoutAt(root string) (Layout, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Layout{}, ioError(err)
	}
	repo, ok, err := git.Find(root)
	if err != nil {
		return Layout{}, err
	}
	if !ok {
		return Layout{Root: root, Live: filepath.Join(root, Folder, "local"), Worktree: root}, nil
	}
	key := nameOf(slashRel(repo.Top, root))
	if !repo.Linked() && !repo.Registered() {
		key += "-" + nameOf(repo.Top)
	}
	live := filepath.Join(repo.CommonDir, "cairn", key)
	return Layout{Root: root, Repo: repo, Live: live, Worktree: repo.Top}, nil
}

// nameOf makes a short file name of a path.
func nameOf(path string) string {
	sum := sha256.Sum256([]byte(filepath.ToSlash(path)))
	return hex.EncodeToString(sum[:])[:16]
}

// slashRel is path seen from base, with forward slashes; path itself if it has no such name.
func slashRel(base, path string) string {
	rel, err := filepath.Rel(base, path)
	if err != nil {
		rel = path
	}
	return filepath.ToSlash(rel)
}
