package worktree

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// made is what is recorded of a work tree, in <live>/worktrees/<task>.json.
type made struct {
	Task       record.ID         `json:"task"`
	Path       string            `json:"path"`
	Branch     string            `json:"branch"`
	Base       string            `json:"base"`
	BaseCommit string            `json:"base_commit"`
	GitDir     string            `json:"git_dir,omitempty"` // in the common git folder; unlike the path it stays when the work tree is moved
	MadeAt     time.Time         `json:"made_at"`
	Ready      bool              `json:"ready"`              // false while it is being made
	Removing   string            `json:"removing,omitempty"` // the path to which it was moved in order to be removed
	Doomed     bool              `json:"doomed,omitempty"`   // what was moved there was found to hold nothing that would be lost
	Taken      bool              `json:"taken,omitempty"`    // the branch existed before
	Pushed     map[string]string `json:"pushed,omitempty"`   // the commit that was pushed last, by remote
	Copied     map[string]copied `json:"copied,omitempty"`   // the ignored files that were copied, by their path from the top
}

// copied says how a copy looked when it was made.
type copied struct {
	Size     int64 `json:"size"`
	Modified int64 `json:"modified"` // nanoseconds since 1970
}

// maxRecord is the most bytes of a record.
const maxRecord = 4 << 20

// records are the records of the work trees of tasks, one file each. They lie in live state.
type records struct{ live layout.Live }

// file is the path of the record of a task.
func (r records) file(id record.ID) string {
	return filepath.Join(r.live.Worktrees(), string(id)+".json")
}

// read returns the record of a task, and false if there is none. It returns BAD_FILE for one that cairn cannot have
// written: live state may have come in an archive.
func (r records) read(id record.ID) (made, bool, error) {
	if _, err := record.ParseID(string(id)); err != nil {
		return made{}, false, err
	}
	data, err := disk.ReadRegular(r.file(id), maxRecord)
	if problem.Missing(err) {
		return made{}, false, nil
	}
	if err != nil {
		return made{}, false, r.live.Failed(err)
	}
	var m made
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(&m); err != nil || !m.valid(id) {
		return made{}, false, record.Errorf(record.BadFile, "%s does not say which work tree was made for %s", r.file(id), id).
			WithHint("git worktree list shows the work trees; see what it is, and take the file away")
	}
	return m, true, nil
}

// valid reports whether cairn can have written a record of a task. What it names is changed and removed, so nothing
// else may pass.
func (m made) valid(id record.ID) bool {
	absolute := func(path string) bool { return filepath.IsAbs(path) && filepath.Clean(path) == path }
	return m.Task == id && m.Branch == Branch(id) && absolute(m.Path) && filepath.Base(m.Path) == string(id) &&
		(m.GitDir == "" || strings.HasPrefix(m.GitDir, "worktrees/") && !strings.Contains(m.GitDir, "..")) &&
		(m.Removing == "" || m.Removing == removedPath(m.Path))
}

// write replaces the record of a task.
func (r records) write(m made) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = atomicfile.Write(r.file(m.Task), append(data, '\n'), 0o644)
	}
	if err != nil {
		return r.live.Failed(err)
	}
	return nil
}

// forget removes the record of a task.
func (r records) forget(id record.ID) error {
	if err := disk.RemoveFile(r.file(id)); err != nil {
		return r.live.Failed(err)
	}
	return nil
}

// tasks lists the tasks that there are records of, sorted.
func (r records) tasks() ([]record.ID, error) {
	entries, err := os.ReadDir(r.live.Worktrees())
	if err != nil && !problem.Missing(err) {
		return nil, r.live.Failed(err)
	}
	var ids []record.ID
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if id, err := record.ParseID(name); ok && err == nil && !atomicfile.IsTemp(e.Name()) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}
