package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
)

// redoLog is the redo log of a clone: one file in the live state (layout.Live.Redo), and what is done by it.
//
// It has three lines: the worktree of the writer as JSON, the steps as JSON, and a hash of the steps. With the third it
// is complete, and the write is decided.
type redoLog struct{ live.Clone }

// writtenIn is the worktree of a write. A worktree that was moved is known by its git folder.
type writtenIn struct {
	Worktree string `json:"worktree"`
	GitDir   string `json:"git_dir,omitempty"`
}

// redo is the steps of a write.
type redo struct {
	Files []redoFile `json:"files"` // in the order in which they get their content
	Live  []redoLive `json:"live"`  // after the files
}

// redoFile is the step of one file.
type redoFile struct {
	Path string     `json:"path"`           // from the workspace root, with forward slashes; or from the live folder
	Live bool       `json:"in_live"`        // Path is from the live folder
	Was  record.Rev `json:"was,omitempty"`  // "" for a file that did not exist
	Now  record.Rev `json:"now,omitempty"`  // "" for a file that is removed or moved
	To   string     `json:"to,omitempty"`   // where the file is moved, as it is; from the workspace root
	Temp string     `json:"temp,omitempty"` // the temporary file beside it that holds the new content
	Over bool       `json:"over,omitempty"` // replace it whatever it holds

	After string `json:"after,omitempty"` // only if the file at this path, which stands before, has its content
}

// redoLive is the step of one file of the live state.
type redoLive struct {
	Path   string `json:"path"`             // from the live folder, with forward slashes
	Text   string `json:"text,omitempty"`   // the new content; with Remove, what readers take for the content until the file is removed
	Remove bool   `json:"remove,omitempty"` // remove the file
	Append bool   `json:"append,omitempty"` // append Text as a line
	After  string `json:"after,omitempty"`  // only if the write gave the file at this path its content

	line *session.Written // of a journal, for the writer, who completes Text; nil for other steps
}

// begin starts a log, or starts it over. It has no steps yet, so it decides nothing.
func (l redoLog) begin() error {
	return l.Live.Failed(disk.WriteFile(l.Live.Redo(), l.firstLine()))
}

func (l redoLog) firstLine() []byte {
	line, _ := json.Marshal(writtenIn{l.Worktree, l.GitDir()}) // two texts
	return append(line, '\n')
}

// remove removes the log: the write is over, or was never decided.
func (l redoLog) remove() error { return l.Live.Failed(disk.RemoveFile(l.Live.Redo())) }

// decide completes the log. From then on the write will come, even if the writer is killed.
func (l redoLog) decide(r redo) error {
	steps := r.sealed()
	if len(steps) > maxRedo/2 { // well below what read accepts
		return record.Errorf(record.InvalidInput, "it is too much for one write").WithHint("do it in several")
	}
	return l.Live.Failed(disk.Append(l.Live.Redo(), steps))
}

// replace replaces the log by another complete one, whole or not at all.
func (l redoLog) replace(r redo) error {
	return l.Live.Failed(atomicfile.WriteVolatile(l.Live.Redo(), append(l.firstLine(), r.sealed()...)))
}

// sealed is the steps as they end a log: with their hash.
func (r redo) sealed() []byte {
	steps, _ := json.Marshal(r) // texts and truth values
	return slices.Concat(steps, []byte("\n"), []byte(kind.Rev(steps)), []byte("\n"))
}

const maxRedo = 16 << 20 // bytes

// read reads the log. It returns fs.ErrNotExist if there is none. The steps are nil if the log is not complete, is too
// large, or has steps that no writer makes.
func (l redoLog) read() (in writtenIn, steps *redo, err error) {
	src, err := disk.ReadRegular(l.Live.Redo(), maxRedo)
	if errors.Is(err, disk.ErrTooLarge) {
		return in, nil, nil
	}
	if err != nil {
		return in, nil, err
	}
	lines := bytes.Split(src, []byte("\n"))
	if json.Unmarshal(lines[0], &in) != nil || !in.valid() {
		return writtenIn{}, nil, nil
	}
	var r redo
	if len(lines) != 4 || string(lines[2]) != string(kind.Rev(lines[1])) ||
		json.Unmarshal(lines[1], &r) != nil || !r.valid() {
		return in, nil, nil
	}
	return in, &r, nil
}

func (in writtenIn) valid() bool {
	return filepath.IsAbs(in.Worktree) && !strings.ContainsRune(in.Worktree, 0) &&
		(in.GitDir == "" || filepath.IsLocal(filepath.FromSlash(in.GitDir)))
}

// valid reports whether the steps are about files only that cairn writes, since a log may have come along with a copied
// folder. Only a copy in the trash may replace a file whatever it holds.
func (r redo) valid() bool {
	return !slices.ContainsFunc(r.Files, func(f redoFile) bool { return !f.valid() }) &&
		!slices.ContainsFunc(r.Live, func(l redoLive) bool { return !isLiveFile(l.Path) })
}

func (f redoFile) valid() bool {
	if f.To != "" {
		return f.isMove()
	}
	if f.Temp != "" && !atomicfile.IsTempOf(path.Base(f.Path), f.Temp) {
		return false
	}
	if f.Live {
		return isTrashFile(f.Path)
	}
	if record.IsFilePath(f.Path) || record.BesideFiles(f.Path) {
		return !f.Over && (f.Was == "" || f.Now == "") // it comes, or it came and is taken back
	}
	if f.Path == layout.Folder+"/"+layout.ConfigName || f.Path == layout.Folder+"/"+layout.SignersName {
		return !f.Over && f.Now != ""
	}
	k, id, ok := kind.At(f.Path)
	return !f.Over && ok && k.ParseID(id) == nil
}

// isMove reports whether the step is one that moves the file of a record to where the same record may lie.
func (f redoFile) isMove() bool {
	from, id, ok := kind.At(f.Path)
	to, same, ok2 := kind.At(f.To)
	return ok && ok2 && from == to && id == same && from.ParseID(id) == nil && f.Path != f.To &&
		f.Was != "" && f.Now == "" && f.Temp == "" && f.After == "" && !f.Live && !f.Over
}

// isTrashFile reports whether a path in the live folder is that of a deleted record.
func isTrashFile(name string) bool {
	folder, file, _ := strings.Cut(name, "/")
	id := strings.TrimSuffix(file, path.Ext(file))
	if second := path.Ext(id); len(second) == 1+copyMarkLen {
		id = strings.TrimSuffix(id, second) // of a further copy
	}
	k, ok := kind.For(layout.RefOf(id))
	return ok && folder == "trash" && path.Ext(file) == k.Ext()
}

// isLiveFile reports whether a path in the live folder is that of a state, a journal, a kept record, a key, a
// heartbeat, an inbox or of what was seen.
func isLiveFile(name string) bool {
	folder, file, _ := strings.Cut(name, "/")
	id := strings.TrimSuffix(file, path.Ext(file))
	switch folder + path.Ext(file) {
	case "kept.json":
		_, of, _ := strings.Cut(id, ".")
		_, ok := kind.For(layout.RefOf(of))
		return ok
	case "claims.json", "journal" + layout.JournalExt:
		_, ok := kind.For(layout.RefOf(id))
		return ok
	case "keys.json", "inbox.json":
		return len(id) <= 64 && record.IsWord(id, "_")
	case layout.SeenName:
		return file == ""
	case "live.json":
		return kind.Sessions.ParseID(id) == nil
	default:
		return false
	}
}

// pending reads the states that a decided write, which is not over, will leave. There are none most of the time.
func (l redoLog) pending() States {
	_, steps, err := l.read()
	if err != nil || steps == nil {
		return nil
	}
	out := States{}
	for _, step := range steps.Live {
		of := layout.RefOf(strings.TrimSuffix(path.Base(step.Path), ".json"))
		if next, err := session.ParseState([]byte(step.Text), of); err == nil && step.Path == l.Live.Rel(l.Live.Claim(of)) {
			out[of] = &next
		}
	}
	return out
}
