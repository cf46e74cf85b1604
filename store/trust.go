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
	"github.com/cairn-tasks/cairn/task"
)

// A clone is trusted by a file in the user's own state folder, named after the path of the clone, the workspace in it, and
// a random id that lies in the clone's git directory. Linked worktrees share all three. A new clone at an old path has
// another id, and a clone that was moved or copied another path.

// Trust is the consent of this machine's user that a clone's commands may run.
type Trust struct {
	Path  string     `json:"path"` // of the clone's live state, for people who read the file
	Actor task.Actor `json:"actor"`
	At    time.Time  `json:"at"`
}

// Trusted reports whether the commands of this clone may run.
func (s *Store) Trusted() bool {
	path, err := s.trustFile()
	if err != nil {
		return false
	}
	t := readJSON[Trust](path)
	return t != nil && t.Path == s.Layout.Live
}

// SetTrust records that this user lets the commands of the clone run. Doing it again changes nothing.
func (s *Store) SetTrust(who task.Actor, at time.Time) error {
	if err := s.mintCloneID(); err != nil {
		return err
	}
	path, err := s.trustFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return ioError(err)
	}
	src, err := json.Marshal(Trust{Path: s.Layout.Live, Actor: who, At: at.UTC()})
	if err != nil {
		return err
	}
	return ioError(atomicfile.WriteVolatile(path, append(src, '\n')))
}

// Revoke takes the consent back.
func (s *Store) Revoke() error {
	path, err := s.trustFile()
	if err != nil {
		return nil //nolint:nilerr // a clone without an id was never trusted
	}
	if err := os.Remove(path); err != nil && !isMissing(err) {
		return ioError(err)
	}
	return nil
}

func (s *Store) trustFile() (string, error) {
	id, err := os.ReadFile(s.cloneID())
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(id)) == "" {
		return "", fs.ErrNotExist // a power cut can leave it empty
	}
	name := nameOf(s.Layout.Live + "\x00" + strings.TrimSpace(string(id)))
	return filepath.Join(s.stateDir, "trust", name+".json"), nil
}

func (l Layout) cloneID() string { return filepath.Join(l.Live, "clone-id") }

// mintCloneID gives the clone its id, unless it has one.
func (s *Store) mintCloneID() error {
	if err := s.prepareLive(); err != nil {
		return err
	}
	_, err := createOnce(s.cloneID(), rand.Text()+"\n")
	return s.liveError(err)
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
	add("config.yaml", s.Config.DefaultChecks)
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
