package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// A clone is trusted by a file in the user's own state folder, named after the place of the clone's live state, which says
// which workspace it is, and a random id that lies there. Linked worktrees share both. A new clone at an old path has another
// id, and a clone that was moved or copied another path. The file counts only where nobody but the user can have written it.

// Trust is the consent of this machine's user that a clone's commands may run.
type Trust struct {
	Workspace string     `json:"workspace"` // the root at which it was given; there may be others, in linked worktrees
	Path      string     `json:"path"`      // of the clone's live state
	Actor     task.Actor `json:"actor"`
	At        time.Time  `json:"at"`
}

// Trusted reports whether the commands of this clone may run. What cannot be read is no consent.
//
// The git folder must belong to the worktree: a .git file that came in an archive may name any folder, that of a clone which
// is trusted too. One that does not lie in the worktree and does not know it is trusted only where the consent was given.
func (s *Store) Trusted() bool {
	dir, err := trustDir(s.stateDir)
	if err != nil {
		return false
	}
	name, err := trustName(s.Layout.Live)
	if err != nil {
		return false
	}
	t, err := readTrust(filepath.Join(dir, name))
	return err == nil && t.Path == s.Layout.Live && (s.Repo == nil || s.Repo.Registered() || t.Workspace == s.Root)
}

// SetTrust records that this user lets the commands of the clone run. A clone that is trusted stays as it is. Any other gets a
// new id, since an id that came along with the files may be known to whoever wrote them. It returns IO if there is no folder
// for the consent that is this user's alone.
func (s *Store) SetTrust(who task.Actor, at time.Time) error {
	if s.Trusted() {
		return nil
	}
	dir, err := trustDir(s.stateDir)
	if err != nil {
		return err
	}
	if err := disk.Do(disk.Mkdir, dir, func() error { return os.MkdirAll(dir, 0o700) }); err != nil {
		return ioError(err)
	}
	if err := private(dir); err != nil {
		return err
	}
	if err := s.prepareLive(); err != nil {
		return err
	}
	if err := atomicfile.WriteVolatile(cloneID(s.Layout.Live), []byte(rand.Text()+"\n")); err != nil {
		return s.liveError(err)
	}
	name, err := trustName(s.Layout.Live)
	if err != nil {
		return s.liveError(err)
	}
	src, err := json.Marshal(Trust{s.Root, s.Layout.Live, who, at.UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	return ioError(atomicfile.WriteVolatile(filepath.Join(dir, name), append(src, '\n')))
}

// trustDir is the folder of all consents of a user. Without a state folder of the user's own there is none: a relative path
// would lie in the repository.
func trustDir(stateDir string) (string, error) {
	if !filepath.IsAbs(stateDir) {
		return "", task.Errorf(task.IO, "this user has no folder to keep consent in").
			WithHint("set HOME, or XDG_STATE_HOME, to a full path")
	}
	return filepath.Join(stateDir, "trust"), nil
}

// trustName is the name of the file that trusts the clone whose live state lies in a folder.
func trustName(live string) (string, error) {
	src, err := readRegular(cloneID(live))
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(src))
	if id == "" {
		return "", fs.ErrNotExist // a power cut can leave it empty
	}
	return nameOf(live+"\x00"+id) + trustExt, nil
}

const trustExt = ".json"

func cloneID(live string) string { return filepath.Join(live, "clone-id") }

// readTrust reads a consent that nobody but the user can have written.
func readTrust(path string) (Trust, error) {
	if err := private(filepath.Dir(path)); err != nil {
		return Trust{}, err
	}
	if err := private(path); err != nil {
		return Trust{}, err
	}
	src, err := readRegular(path)
	if err != nil {
		return Trust{}, err
	}
	var t Trust
	return t, json.Unmarshal(src, &t)
}

// private returns an error if somebody else than this user may write to a file or folder. A missing one is fs.ErrNotExist.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !ownedAlone(info) {
		return task.Errorf(task.IO, "others than this user may write to %s, so nothing there is consent", path).
			WithHint("look at what is in it, then take their right away: chmod go-w %s", path)
	}
	return nil
}

// Command is a command that trusting the workspace lets run.
type Command struct {
	Where string `json:"where"` // the task it belongs to, or config.yaml
	Cmd   string `json:"cmd"`
}

// Commands lists every command that the workspace's files hold now.
func (s *Store) Commands(ctx context.Context) ([]Command, error) {
	out := []Command{}
	add := func(where string, checks []task.Check) {
		for _, c := range checks {
			if !c.Manual() {
				out = append(out, Command{where, c.Cmd})
			}
		}
	}
	add("config.yaml", s.Config.Flow.Defaults)
	tasks, _, err := s.List(ctx)
	for _, t := range tasks {
		add(string(t.ID), t.Checks)
	}
	return out, err
}

// Harmless reports whether the workspace holds no task, not even a broken one, and no command: then nobody else's commands
// are in it, and init may trust it.
func (s *Store) Harmless(ctx context.Context) (bool, error) {
	ids, problems, err := s.ids()
	if err != nil || len(ids)+len(problems) > 0 {
		return false, err
	}
	commands, err := s.Commands(ctx)
	return len(commands) == 0, err
}
