package session

import (
	"encoding/json"
	"errors"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Kept is a record as it was written last under a session, which is live state: what git takes out of the working tree
// while the session works is written again from it.
type Kept struct {
	Ref      record.Ref   `json:"ref"`
	Session  string       `json:"session"`
	Who      record.Actor `json:"who"`
	Worktree string       `json:"worktree"` // absolute path
	Branch   string       `json:"branch,omitempty"`
	Entry    string       `json:"entry"` // the hash of the newest entry
	Path     string       `json:"path"`  // of the file, from the workspace root
	Text     string       `json:"text"`
}

// ParseKept parses the JSON of a kept record.
func ParseKept(src []byte) (k Kept, err error) {
	if err = json.Unmarshal(src, &k); err == nil && (k.Ref.ID == "" || k.Entry == "" || k.Path == "" || k.Text == "") {
		err = errors.New("incomplete")
	}
	return k, err
}
