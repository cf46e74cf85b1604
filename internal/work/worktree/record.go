package worktree

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
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
	Repo       string            `json:"repo,omitempty"`     // the name of the other repository that it is in
	Pushed     map[string]string `json:"pushed,omitempty"`   // the commit that was pushed last, by remote
	Copied     map[string]copied `json:"copied,omitempty"`   // the ignored files that were copied, by their path from the top
	Merge      *ownMerge         `json:"merge,omitempty"`    // the newest into a base of the other repository
}

// ownMerge is a merge of the branch of a task. It is written before the base moves, so the base may not have it.
type ownMerge struct {
	Head   string `json:"head"`   // the tip of the branch
	Commit string `json:"commit"` // what the base was to have
}

type copied struct {
	Size     int64 `json:"size"`
	Modified int64 `json:"modified"` // nanoseconds since 1970
}

const maxRecord = 4 << 20

// records are the records of work trees, one file each, which is named after the folder of the work tree. They lie in
// live state, which may have come in an archive: what cairn cannot have written is not believed.
type records struct{ live layout.Live }

func (r records) file(name string) string { return filepath.Join(r.live.Worktrees(), name+".json") }

// names lists the names of the records, in the order of their files.
func (r records) names() (names []string, err error) {
	entries, err := os.ReadDir(r.live.Worktrees())
	if err != nil && !problem.Missing(err) {
		return nil, r.live.Failed(err)
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && !atomicfile.IsTemp(e.Name()) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (r records) put(name string, content any) error {
	data, err := json.MarshalIndent(content, "", "  ")
	if err == nil {
		err = atomicfile.Write(r.file(name), append(data, '\n'), 0o644)
	}
	return r.live.Failed(err)
}

func (r records) forget(name string) error { return r.live.Failed(disk.RemoveFile(r.file(name))) }

// forgetTree forgets a work tree that is removed, with what live state keeps of the records in it.
func (r records) forgetTree(m made) error {
	var kept []string
	err := layout.EachName(r.live.Kept(), ".json", func(name string) {
		if strings.HasPrefix(name, layout.Layout{Worktree: m.Path}.KeptPrefix()) {
			kept = append(kept, filepath.Join(r.live.Kept(), name+".json"))
		}
	})
	for _, path := range kept {
		err = errors.Join(err, disk.RemoveFile(path))
	}
	if err != nil {
		return r.live.Failed(err)
	}
	return r.forget(string(m.Task))
}

// read returns the record of a task, and false if there is none. It returns BAD_FILE for one that cairn cannot have
// written.
func (r records) read(id record.ID) (made, bool, error) {
	if _, err := record.ParseID(string(id)); err != nil {
		return made{}, false, err
	}
	data, err := disk.ReadRegular(r.file(string(id)), maxRecord)
	if problem.Missing(err) {
		return made{}, false, nil
	}
	if err != nil {
		return made{}, false, r.live.Failed(err)
	}
	var m made
	if !decode(data, &m) || !m.valid(id) {
		return made{}, false, record.Errorf(record.BadFile, "%s does not say which work tree was made for %s", r.file(string(id)), id).
			WithHint("git worktree list shows the work trees; see what it is, and take the file away")
	}
	return m, true, nil
}

// decode reads a record strictly, and reports whether it can.
func decode(data []byte, into any) bool {
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	return in.Decode(into) == nil
}

func absolute(path string) bool { return filepath.IsAbs(path) && filepath.Clean(path) == path }

// valid reports whether cairn can have written a record of a task. What it names is changed and removed, so nothing
// else may pass.
func (m made) valid(id record.ID) bool {
	return m.Task == id && m.Branch == Branch(id) && absolute(m.Path) && filepath.Base(m.Path) == string(id) &&
		(m.GitDir == "" || strings.HasPrefix(m.GitDir, "worktrees/") && !strings.Contains(m.GitDir, "..")) &&
		(m.Removing == "" || m.Removing == removedPath(m.Path))
}

func (r records) write(m made) error { return r.put(string(m.Task), m) }

// scratch is the record of a throw-away work tree. It has no branch, and lies beside the work trees of the tasks.
type scratch struct {
	Path   string    `json:"path"`
	For    string    `json:"for"` // the lock under which it was made, and is removed
	MadeAt time.Time `json:"made_at"`
	Repo   string    `json:"repo,omitempty"` // the name of the other repository that it is in
	Tried  time.Time `json:"tried,omitzero"` // when it could not be removed
}

const scratchPrefix = ".merge-"

// scratches are the throw-away work trees that are made under one lock, which the caller holds.
type scratches struct {
	*clone
	lock  string // its name
	empty bool   // no file is checked out in them, and they lie in live state
}

// add makes a throw-away work tree of a commit and returns its path. The caller calls remove in the end.
func (s scratches) add(ctx context.Context, commit string) (path string, err error) {
	dir, flags := s.layout.Live.Worktrees(), []string{"--no-checkout"}
	if !s.empty {
		flags = nil
		if dir, err = s.folder(); err != nil {
			return "", err
		}
	}
	name := scratchPrefix + randomName()
	path = filepath.Join(dir, name)
	if err := s.records().put(name, scratch{Path: path, For: s.lock, MadeAt: s.o.Now().UTC(), Repo: s.o.Repo}); err != nil {
		return "", err
	}
	args := append([]string{"worktree", "add", "--quiet", "--detach"}, flags...)
	_, err = git.Writing{}.Run(ctx, s.repo.Top, append(args, path, commit)...)
	if err != nil {
		_ = s.remove(ctx, path) // if it fails, the next sweep does it
	}
	return path, err
}

func randomName() string { return strings.ToLower(rand.Text()[:12]) }
