package snapshot

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/task"
)

// history looks up what the rules need to know of the commits of a change.
type history struct {
	layout.Layout
	ctx context.Context
	subject
	since string // the commit that the change is compared with

	commits  []string               // those of the change, and since; nil until they are listed
	left     []string               // those of them whose fingerprint is not taken yet
	trees    map[string]bool        // the fingerprints that were taken
	prints   map[string]string      // those of single commits
	later    map[string]bool        // descendants of since; nil until they are listed
	touching map[record.ID][]string // commits of the change that touch a task, oldest first
	read     map[string]any         // records of commits, by commit and path; nil for one that is not there
	err      error                  // the first failure; after it nothing is known
}

// mostCommits is how many commits of a change are read. For larger changes committed knows nothing.
const mostCommits = 200

// newHistory knows nothing yet of the commits of a change of since.
func newHistory(ctx context.Context, l layout.Layout, s subject, since string) *history {
	return &history{
		Layout: l, ctx: ctx, subject: s, since: since,
		trees: map[string]bool{}, prints: map[string]string{}, touching: map[record.ID][]string{}, read: map[string]any{},
	}
}

func (h *history) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// committed is the function of proof.Change.Committed.
func (h *history) committed(commit, fingerprint string) (here, known bool) {
	if !h.listed() || commit != "" && !slices.Contains(h.commits, commit) {
		return false, false
	}
	here = h.hasTree(fingerprint)
	return here, h.err == nil && (here || !h.unhashed)
}

// listed lists the commits of the change once, and takes the fingerprint of what is not committed. It reports false if
// they are not known, or too many.
func (h *history) listed() bool {
	if h.commits == nil && h.err == nil {
		if h.head != "" {
			h.left, h.err = h.Repo.History().Between(h.ctx, h.since, h.head, mostCommits)
		}
		h.commits = append([]string{h.since}, h.left...)
		if h.err == nil && h.fingerprint != nil {
			var f string
			f, h.err = h.fingerprint(h.ctx)
			h.trees[f] = true
		}
	}
	return h.err == nil && len(h.commits) <= mostCommits
}

// hasTree reports whether the judged files, or a commit of the change, have this fingerprint. It takes fingerprints
// from the newest commit on, until it finds the one.
func (h *history) hasTree(fingerprint string) bool {
	for !h.trees[fingerprint] && len(h.left) > 0 && h.err == nil {
		h.trees[h.fingerprintOf(h.left[0])] = true
		h.left = h.left[1:]
	}
	return h.trees[fingerprint]
}

// broughtBy is the function of proof.Change.BroughtBy.
func (h *history) broughtBy(id record.ID, e record.Entry) (proof.Written, bool) {
	if h.err != nil {
		return proof.Written{}, false
	}
	commit := h.firstWith(id, e)
	if commit == "" {
		return proof.Written{}, false
	}
	at, err := h.Repo.History().Time(h.ctx, commit)
	h.fail(err)
	return proof.Written{Find: h.in(commit), At: at, Later: h.isLater(commit)}, h.err == nil
}

// recordBroughtBy is the function of proof.Change.RecordBroughtBy.
func (h *history) recordBroughtBy(path string, e record.Entry) (proof.RecordWritten, bool) {
	k, id, ok := kind.At(path)
	if !ok || h.head == "" || h.err != nil {
		return proof.RecordWritten{}, false
	}
	for _, commit := range h.changing(k, id) {
		var log record.Log
		h.fail(place.InCommits(h.ctx, h.Layout, []string{commit}, []record.Ref{k.Ref(id)}, func(_ record.Ref, src []byte) {
			if doc, err := format.Parse(src, k.Form); err == nil {
				log, _ = kind.Entries(doc)
			}
		}))
		if h.err == nil && log.Has(e.Hash()) {
			at, err := h.Repo.History().Time(h.ctx, commit)
			h.fail(err)
			return proof.RecordWritten{At: at, Log: log}, h.err == nil
		}
	}
	return proof.RecordWritten{}, false
}

// filesAt is the function of proof.Change.FilesAt.
func (h *history) filesAt(id record.ID, e record.Entry) (fingerprint string, known bool) {
	if h.err != nil {
		return "", false
	}
	if commit := h.firstWith(id, e); commit != "" {
		fingerprint = h.fingerprintOf(commit)
	} else if h.fingerprint != nil && h.err == nil {
		fingerprint, h.err = h.fingerprint(h.ctx)
	}
	return fingerprint, h.err == nil && fingerprint != ""
}

// firstWith finds the first commit of the change in which a task has an entry; "" if there is none.
func (h *history) firstWith(id record.ID, e record.Entry) string {
	if h.head == "" {
		return ""
	}
	commits, known := h.touching[id]
	if !known {
		commits = h.changing(kind.Tasks.Kind, string(id))
		h.touching[id] = commits
	}
	for _, commit := range commits {
		if t, ok := h.in(commit)(id); ok && t.Provenance.Has(e.Hash()) {
			return commit
		}
	}
	return ""
}

// changing lists the commits of the change that may change a record, oldest first. It need not have changed in those
// that change records at rest.
func (h *history) changing(k *kind.Kind, id string) []string {
	commits, err := h.Repo.History().Touching(h.ctx, h.since, h.head, append(restInRepo(h.Layout, k), h.InRepo(k.File(id)))...)
	h.fail(err)
	return commits
}

// foldersInRepo lists the folders, from the top of the work tree, below which all records of a kind lie.
func foldersInRepo(l layout.Layout, k *kind.Kind) []string {
	return append(restInRepo(l, k), l.InRepo(l.Rel(l.Dir(k.Folder))))
}

// restInRepo is the folder of a kind's records at rest, from the top of the work tree, if the kind has one.
func restInRepo(l layout.Layout, k *kind.Kind) []string {
	if k.Rest == "" {
		return nil
	}
	return []string{l.InRepo(l.Rel(l.Dir(k.Rest)))}
}

// taskAt is the id of the task whose file has a path from the top of the work tree; "" for any other file.
func taskAt(l layout.Layout, path string) record.ID {
	name, ours := strings.CutPrefix(path, l.InRepo(""))
	k, id, ok := kind.At(name)
	if !ours || !ok || k != kind.Tasks.Kind {
		return ""
	}
	return record.ID(id)
}

// isLater reports whether a commit is a descendant of since.
func (h *history) isLater(commit string) bool {
	if h.later == nil {
		h.later = map[string]bool{}
		commits, err := h.Repo.History().Descendants(h.ctx, h.since, h.head)
		for _, c := range commits {
			h.later[c] = true
		}
		h.fail(err)
	}
	return h.later[commit]
}

// in looks up tasks, and records of other kinds that they depend on, in a commit.
func (h *history) in(commit string) task.Find {
	return kind.Deps(commitReader{h, commit}, h.tree.Config.Flow)
}

// commitReader reads records as a commit has them.
type commitReader struct {
	*history
	commit string
}

// Read is kind.Reader.Read. A record that cannot be read counts as one that is not there.
func (r commitReader) Read(k *kind.Kind, id string) (any, error) {
	name := r.commit + ":" + k.File(id)
	got, known := r.read[name]
	if !known {
		r.fail(place.InCommits(r.ctx, r.Layout, []string{r.commit}, []record.Ref{k.Ref(id)}, func(_ record.Ref, src []byte) {
			if v, err := k.Parse(src); err == nil {
				got = v
			}
		}))
		r.read[name] = got
	}
	if got == nil {
		return nil, k.NotFound(id)
	}
	return got, nil
}

// past returns the versions of the suspects' files since the base. For a suspect marked Undeclared it returns every
// version in the history. Versions that cannot be read as a task are left out.
func (h *history) past(suspects []proof.Suspect) (map[record.ID][]task.Task, error) {
	recent, old := map[record.ID]bool{}, map[record.ID]bool{}
	for _, s := range suspects {
		recent[s.ID] = true
		if s.Undeclared {
			old[s.ID] = true
		}
	}
	if h.head == "" || len(recent) == 0 {
		return nil, nil
	}
	type version struct {
		of record.ID
		id string // of the content
	}
	seen, out := map[version]bool{}, map[record.ID][]task.Task{}
	find := func(since string, tasks map[record.ID]bool) error {
		return versions(h.ctx, h.Layout, since, h.head, func(of record.ID, id string) bool {
			v := version{of, id}
			if !tasks[of] || seen[v] {
				return false
			}
			seen[v] = true
			return true
		}, func(of record.ID, f proof.TaskFile) { out[of] = append(out[of], f.Task) })
	}
	err := find(h.since, recent)
	if err == nil && len(old) > 0 {
		err = find("", old)
	}
	return out, err
}

// versions calls fn with the versions of the files of tasks in the commits between two, the newest first: those that are
// wanted by the task and the id of the content, and can be read as a task. Without since it looks at the whole history.
func versions(
	ctx context.Context, l layout.Layout, since, head string,
	wanted func(of record.ID, id string) bool, fn func(of record.ID, f proof.TaskFile),
) error {
	var paths, ids []string
	// Whole folders are listed, because git compares every given path with every file.
	err := l.Repo.History().Versions(ctx, since, head, foldersInRepo(l, kind.Tasks.Kind), func(path, id string) {
		if wanted(taskAt(l, path), id) {
			paths, ids = append(paths, path), append(ids, id)
		}
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	return l.Repo.Objects().Blobs(ctx, ids, format.MaxFile, func(i int, b git.Blob) {
		if t, err := kind.Tasks.Parse(b.Content); err == nil {
			name := strings.TrimPrefix(paths[i], l.InRepo(""))
			f := proof.File{Path: name, Src: b.Content, Parse: ParseMarkdown}
			fn(taskAt(l, paths[i]), proof.TaskFile{File: f, Name: t.ID, Task: t})
		}
	})
}

// recallDeleted adds to the tree of a base the tasks that were deleted before it and that the judged files have again,
// in their last version. So a task that is made anew under an old id is compared with the old one.
func (l comparison) recallDeleted(ctx context.Context, commit string, before *tree) error {
	s := l.subject
	brought := map[record.ID]bool{}
	for i := range s.tree.Tasks {
		brought[s.tree.Tasks[i].Name] = true
	}
	for i := range before.Tasks {
		delete(brought, before.Tasks[i].Name)
	}
	if len(brought) == 0 {
		return nil
	}
	return versions(ctx, l.Layout, "", commit, func(of record.ID, _ string) bool {
		first := brought[of]
		delete(brought, of)
		return first
	}, func(_ record.ID, f proof.TaskFile) { before.Tasks = append(before.Tasks, f) })
}
