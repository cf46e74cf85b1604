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
	"github.com/cairn-tasks/cairn/task"
)

// history looks up what the rules need to know of the commits of a change.
type history struct {
	layout.Layout
	ctx context.Context
	subject
	*commits
	since string // the commit that the change is compared with
	prints
	ways map[string][]string // see ancestry
	err  error               // the first failure; after it nothing is known
}

// newHistory reads the commits of a change of since. It must be closed.
func newHistory(ctx context.Context, l layout.Layout, s subject, since string) (*history, error) {
	c, err := readCommits(ctx, l, since, s.head)
	if err != nil {
		return nil, err
	}
	return &history{Layout: l, ctx: ctx, subject: s, commits: c, since: since, prints: prints{known: map[string]string{}}}, nil
}

func (h *history) close() {
	h.contents.Close()
	if h.from != nil {
		h.from.Close()
	}
}

func (h *history) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// prints are the fingerprints of the commits of a change. They are taken from the newest on, until the one that is
// looked for is there.
type prints struct {
	from  *git.Fingerprints
	taken int
	known map[string]string // of commits
	now   string            // of what is not committed; "" until it is taken
}

// committed is the function of proof.Change.Committed.
func (h *history) committed(commit, fingerprint string) (here, known bool) {
	if _, ours := h.place[commit]; h.err != nil || !ours && commit != "" && commit != h.since {
		return false, false
	}
	here = h.uncommitted() == fingerprint
	for i := 0; !here && i < len(h.all) && h.err == nil; i++ {
		here = h.fingerprintOf(h.all[len(h.all)-1-i].ID) == fingerprint
	}
	return here && h.err == nil, h.err == nil && (here || !h.unhashed)
}

// uncommitted is the fingerprint of the judged files; "" if they are those of a commit, or may not be hashed.
func (h *history) uncommitted() string {
	if h.now == "" && h.fingerprint != nil && h.err == nil {
		var err error
		h.now, err = h.fingerprint(h.ctx)
		h.fail(err)
	}
	return h.now
}

// fingerprintOf is the fingerprint of a commit.
func (h *history) fingerprintOf(commit string) string {
	f, known := h.prints.known[commit]
	if _, ours := h.place[commit]; !known && !ours && h.err == nil {
		var err error
		f, err = h.Repo.Objects().Fingerprint(h.ctx, commit)
		h.fail(err)
		h.prints.known[commit] = f
	}
	if h.from == nil && h.err == nil {
		trees := make([]string, len(h.all))
		for i, c := range h.all {
			trees[len(h.all)-1-i] = c.Tree
		}
		var err error
		h.from, err = h.Repo.History().Fingerprints(h.ctx, trees)
		h.fail(err)
	}
	for f == "" && h.err == nil {
		next, err := h.from.Next()
		h.fail(err)
		h.taken++
		at := h.all[len(h.all)-h.taken].ID
		if h.prints.known[at] = next; at == commit {
			f = next
		}
	}
	return f
}

// firstWith is the first commit of the change in which a record has an entry; -1 if there is none.
func (h *history) firstWith(of record.Ref, e record.Entry) int {
	if h.err != nil {
		return -1
	}
	i, err := h.commits.firstWith(of, e)
	h.fail(err)
	return i
}

// broughtBy is the function of proof.Change.BroughtBy.
func (h *history) broughtBy(id record.ID, e record.Entry) (proof.Written, bool) {
	i := h.firstWith(id.Ref(), e)
	if i < 0 {
		return proof.Written{}, false
	}
	return proof.Written{Find: h.in(h.all[i].ID), At: h.all[i].At, Later: h.later()[i]}, h.err == nil
}

// recordBroughtBy is the function of proof.Change.RecordBroughtBy.
func (h *history) recordBroughtBy(path string, e record.Entry) (proof.RecordWritten, bool) {
	k, id, ok := kind.At(path)
	if !ok {
		return proof.RecordWritten{}, false
	}
	i := h.firstWith(k.Ref(id), e)
	if i < 0 {
		return proof.RecordWritten{}, false
	}
	at, err := h.contentIn(h.all[i].ID, k, id)
	h.fail(err)
	log, err := h.log(at)
	h.fail(err)
	return proof.RecordWritten{At: h.all[i].At, Log: log}, h.err == nil
}

// filesAt is the function of proof.Change.FilesAt.
func (h *history) filesAt(id record.ID, e record.Entry) (fingerprint string, known bool) {
	if i := h.firstWith(id.Ref(), e); i >= 0 {
		fingerprint = h.fingerprintOf(h.all[i].ID)
	} else {
		fingerprint = h.uncommitted()
	}
	return fingerprint, h.err == nil && fingerprint != ""
}

// foldersInRepo lists the folders, from the top of the work tree, below which all records of a kind lie.
func foldersInRepo(l layout.Layout, k *kind.Kind) []string {
	folders := []string{l.InRepo(l.Rel(l.Dir(k.Folder)))}
	if k.Rest != "" {
		folders = append(folders, l.InRepo(l.Rel(l.Dir(k.Rest))))
	}
	return folders
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

// later reports of each commit whether it is a descendant of since.
func (h *history) later() []bool { return h.descendants(h.since) }

// descendants reports of each commit whether it is a descendant of one of some commits.
func (c *commits) descendants(of ...string) []bool {
	out := make([]bool, len(c.all))
	for i, commit := range c.all {
		out[i] = slices.ContainsFunc(commit.Parents, func(parent string) bool {
			at, ours := c.place[parent]
			return slices.Contains(of, parent) || ours && out[at]
		})
	}
	return out
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
	at, err := r.contentIn(r.commit, k, id)
	r.fail(err)
	v, err := r.value(at)
	r.fail(err)
	if v == nil {
		return nil, k.NotFound(id)
	}
	return v, nil
}

// past returns the versions of the suspects' files since the base. For a suspect marked Undeclared it returns every
// version in the history. Versions that cannot be read as a task are left out.
func (h *history) past(suspects []proof.Suspect) (map[record.ID][]task.Task, error) {
	old, out := map[record.ID]bool{}, map[record.ID][]task.Task{}
	for _, s := range suspects {
		if s.Undeclared {
			old[s.ID] = true
		}
		seen := map[string]bool{}
		for _, i := range h.touching[s.ID.Ref()] {
			at, err := h.contentIn(h.all[i].ID, kind.Tasks.Kind, string(s.ID))
			if err != nil {
				return nil, err
			}
			v, err := h.value(at)
			if err != nil {
				return nil, err
			}
			if t, ok := v.(task.Task); ok && !seen[at.id] {
				seen[at.id] = true
				out[s.ID] = append(out[s.ID], t)
			}
		}
	}
	if h.head == "" || len(old) == 0 {
		return out, nil
	}
	type version struct {
		of record.ID
		id string // of the content
	}
	seen := map[version]bool{}
	err := versions(h.ctx, h.Layout, "", h.since, func(of record.ID, id string) bool {
		v := version{of, id}
		if !old[of] || seen[v] {
			return false
		}
		seen[v] = true
		return true
	}, func(of record.ID, f proof.TaskFile) { out[of] = append(out[of], f.Task) })
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
