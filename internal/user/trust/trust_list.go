package trust

import (
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

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

// state compares the clone that is there now with the one of the consent.
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
