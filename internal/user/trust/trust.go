// Package trust has the consent of this machine's user that the commands of a clone may run.
package trust

import (
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// The consent is a file in the user's own state folder. Its name is a hash of the path of the clone's live state and of
// a random id in there. Linked worktrees share both. A new clone at an old path has another id, and a clone that was
// moved or copied has another path. The file counts only if nobody but the user can have written it.

// Trust is the consent of this machine's user that a clone's commands may run.
type Trust struct {
	Workspace string       `json:"workspace"` // the root at which it was given; linked worktrees have others
	Path      string       `json:"path"`      // of the clone's live state
	Actor     record.Actor `json:"actor"`
	At        time.Time    `json:"at"`
}

// Trusted reports whether the commands of this clone may run. What cannot be read is no consent.
//
// A .git file can point at a trusted clone, so consent holds only if git registered this worktree, or if it was given
// at this root.
func Trusted(c layout.Layout, stateDir string) bool {
	dir, err := folder(stateDir)
	if err != nil {
		return false
	}
	name, err := nameOf(string(c.Live))
	if err != nil {
		return false
	}
	t, err := readTrust(filepath.Join(dir, name))
	return err == nil && t.Path == string(c.Live) && (c.Repo == nil || c.Repo.Registered() || t.Workspace == c.Root)
}

// Set records that this user lets the commands of the clone run. A trusted clone stays as it is. Any other gets a new
// id, since an id that came with the files may be known to their author. It returns IO if the user has no folder that
// only this user can write.
func Set(c layout.Layout, stateDir string, who record.Actor, at time.Time) error {
	if Trusted(c, stateDir) {
		return nil
	}
	dir, err := folder(stateDir)
	if err != nil {
		return err
	}
	if err := disk.Do(disk.Mkdir, dir, func() error { return os.MkdirAll(dir, 0o700) }); err != nil {
		return problem.IO(err)
	}
	if err := private(dir); err != nil {
		return err
	}
	if err := c.MakeLive(); err != nil {
		return err
	}
	if err := atomicfile.WriteVolatile(cloneID(string(c.Live)), []byte(rand.Text()+"\n")); err != nil {
		return problem.Live(string(c.Live), err)
	}
	name, err := nameOf(string(c.Live))
	if err != nil {
		return problem.Live(string(c.Live), err)
	}
	src, err := json.Marshal(Trust{c.Root, string(c.Live), who, at.UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	return problem.IO(atomicfile.WriteVolatile(filepath.Join(dir, name), append(src, '\n')))
}

// folder is the folder of a user's consents. It returns IO for a relative state folder, which would be in the
// repository.
func folder(stateDir string) (string, error) {
	if !filepath.IsAbs(stateDir) {
		return "", record.Errorf(record.IO, "this user has no folder to keep consent in").
			WithHint("set HOME, or XDG_STATE_HOME, to a full path")
	}
	return filepath.Join(stateDir, "trust"), nil
}

func nameOf(live string) (string, error) {
	src, err := layout.ReadFile(cloneID(live))
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(src))
	if id == "" {
		return "", fs.ErrNotExist // a power cut may have emptied it
	}
	return layout.Name(live+"\x00"+id) + trustExt, nil
}

const trustExt = ".json"

func cloneID(live string) string { return filepath.Join(live, "clone-id") }

// readTrust reads a consent. It returns an error if somebody else than the user can have written it.
func readTrust(path string) (Trust, error) {
	if err := private(filepath.Dir(path)); err != nil {
		return Trust{}, err
	}
	if err := private(path); err != nil {
		return Trust{}, err
	}
	src, err := layout.ReadFile(path)
	if err != nil {
		return Trust{}, err
	}
	var t Trust
	return t, json.Unmarshal(src, &t)
}

// private returns an error if others than this user may write to a file or folder. A missing one is fs.ErrNotExist.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !ownedAlone(info) {
		return record.Errorf(record.IO, "others than this user may write to %s, so nothing there is consent", path).
			WithHint("look at what is in it, then take their right away: chmod go-w %s", path)
	}
	return nil
}

// Consent is a consent of this user, and what has become of the clone.
type Consent struct {
	Trust
	State ConsentState `json:"state"`
	file  string
}

// ConsentState says whether a consent still lets anything run.
type ConsentState string

// The states of a consent. All but the first let nothing run.
const (
	Standing ConsentState = "trusted"  // the clone is there
	Gone     ConsentState = "gone"     // there is no clone any more
	Replaced ConsentState = "replaced" // there is another clone now, or the same one with a newer consent
	Unknown  ConsentState = "unknown"  // its folder cannot be read
)

// Consents lists all consents of this user on this machine, sorted by workspace. It reads the user's state folder, and
// of each clone only its id. Other files in the folder are ignored. It returns IO if others may write to the folder,
// since then nothing in it counts.
func Consents(stateDir string) ([]Consent, error) {
	dir, err := folder(stateDir)
	if err != nil {
		return nil, err
	}
	if err := private(dir); problem.Missing(err) {
		return []Consent{}, nil
	} else if err != nil {
		return nil, problem.IO(err)
	}
	out := []Consent{}
	err = layout.EachName(dir, trustExt, func(name string) {
		file := filepath.Join(dir, name+trustExt)
		if t, err := readTrust(file); err == nil && t.Path != "" {
			out = append(out, Consent{t, t.state(filepath.Base(file)), file})
		}
	})
	sorted.By(out, func(a, b Consent) int {
		return strings.Compare(a.Workspace+"\x00"+a.file, b.Workspace+"\x00"+b.file)
	})
	return out, err
}

func (t Trust) state(name string) ConsentState {
	now, err := nameOf(t.Path)
	switch {
	case problem.Missing(err):
		return Gone
	case err != nil:
		return Unknown
	case now != name:
		return Replaced
	default:
		return Standing
	}
}

// Revoke revokes the consents for a path: the root of a workspace, even of one that is gone, or a folder below one. It
// returns those that it revoked, which may be none.
func Revoke(stateDir, path string) ([]Consent, error) {
	all, err := Consents(stateDir)
	if err != nil {
		return nil, err
	}
	live, at := "", filepath.Clean(path)
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		at = resolved
		if found, err := layout.Find(path); err == nil {
			live = string(found.Live)
		}
	}
	revoked := []Consent{}
	for _, c := range all {
		if c.Path != live && c.Workspace != at {
			continue
		}
		if err := disk.RemoveFile(c.file); err != nil {
			return revoked, problem.IO(err)
		}
		revoked = append(revoked, c)
	}
	return revoked, nil
}
