package store

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/disk"
)

// Consent is one that this user gave, and what has become of the clone.
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
	Gone     ConsentState = "gone"     // nothing is there any more
	Replaced ConsentState = "replaced" // another clone lies there now, or the same one with a newer consent
	Unknown  ConsentState = "unknown"  // its folder cannot be read
)

// Consents lists every clone that this user trusted on this machine, by workspace. It reads the user's state folder, and of
// each clone no more than its id. Files there that are no consents are passed over. It returns IO if others may write to the
// folder, since then nothing in it counts.
func Consents(stateDir string) ([]Consent, error) {
	dir, err := trustDir(stateDir)
	if err != nil {
		return nil, err
	}
	if err := private(dir); isMissing(err) {
		return []Consent{}, nil
	} else if err != nil {
		return nil, ioError(err)
	}
	out := []Consent{}
	err = eachName(dir, trustExt, func(name string) {
		file := filepath.Join(dir, name+trustExt)
		if t, err := readTrust(file); err == nil && t.Path != "" {
			out = append(out, Consent{t, t.state(filepath.Base(file)), file})
		}
	})
	slices.SortFunc(out, func(a, b Consent) int {
		return strings.Compare(a.Workspace+"\x00"+a.file, b.Workspace+"\x00"+b.file)
	})
	return out, err
}

// state compares the clone that is there now with the one that the consent is named after.
func (t Trust) state(name string) ConsentState {
	now, err := trustName(t.Path)
	switch {
	case isMissing(err):
		return Gone
	case err != nil:
		return Unknown
	case now != name:
		return Replaced
	default:
		return Standing
	}
}

// Revoke takes back what was consented to at a path: the root of a workspace, even of one that is gone, or a folder below
// one. It returns what it took back, which may be nothing.
func Revoke(stateDir, path string) ([]Consent, error) {
	all, err := Consents(stateDir)
	if err != nil {
		return nil, err
	}
	live, at := "", filepath.Clean(path)
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		at = resolved
		if layout, err := Find(path); err == nil {
			live = layout.Live
		}
	}
	revoked := []Consent{}
	for _, c := range all {
		if c.Path != live && c.Workspace != at {
			continue
		}
		if err := disk.RemoveFile(c.file); err != nil {
			return revoked, ioError(err)
		}
		revoked = append(revoked, c)
	}
	return revoked, nil
}
