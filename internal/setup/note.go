package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/store/layout"
)

// note is what cairn made around what it wrote into a file, so that it goes again once it is empty. It lies in the
// user's folder of state, and holds nothing of the file but white space. Losing it means that something empty stays.
type note struct {
	Path    string     `json:"path"`
	File    bool       `json:"file,omitempty"`    // the file was not there
	Folders []string   `json:"folders,omitempty"` // these were not there, the innermost first
	Members [][]string `json:"members,omitempty"` // these objects and lists of its JSON were not there, the outermost first
	Blank   *string    `json:"blank,omitempty"`   // the file was there, and this white space was all of it
}

// noteFile is where the note about a file lies; "" if there is no folder for it.
func noteFile(state, path string) string {
	if state == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(state, "setup", hex.EncodeToString(sum[:16])+".json")
}

// readNote reads the note about a file. One that is missing, or cannot be read, says that nothing was made.
func readNote(state, path string) note {
	n := note{}
	src, err := disk.ReadRegular(noteFile(state, path), 1<<20)
	if err != nil || json.Unmarshal(src, &n) != nil || n.Path != path {
		return note{Path: path}
	}
	return n
}

// keep writes the note, or removes one that says nothing any more.
func (n note) keep(state string) error {
	path := noteFile(state, n.Path)
	switch {
	case path == "":
		return nil
	case !n.File && len(n.Folders) == 0 && len(n.Members) == 0 && n.Blank == nil:
		return disk.RemoveFile(path)
	}
	base := filepath.Dir(path)
	for base != filepath.Dir(base) && !layout.IsFolder(base) {
		base = filepath.Dir(base)
	}
	if err := disk.MakeVolatile(base, filepath.Dir(path)); err != nil {
		return err
	}
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(raw, '\n'), 0o600)
}
