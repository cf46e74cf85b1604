package store

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// history answers what the rules ask of the commits that a change consists of.
type history struct {
	Layout
	ctx context.Context
	subject
	since string // the commit that the change stands on

	commits  []string             // those of the change, and the one it stands on; nil until they are asked for
	left     []string             // those of them whose fingerprint is not known yet
	trees    map[string]bool      // fingerprints
	later    map[string]bool      // commits that stand on since; nil until they are asked for
	touching map[task.ID][]string // commits of the change that touch a task, by their age
	read     map[string]taskRead  // tasks of commits, by commit and path
	err      error                // the first failure; from then on nothing is known
}

// taskRead is a task as a commit has it, if it has it.
type taskRead struct {
	task task.Task
	ok   bool
}

// mostCommits is how many commits of a change are looked at. Beyond, nobody can tell.
const mostCommits = 200

// committed is proof.Change.Committed.
func (h *history) committed(commit, fingerprint string) (here, known bool) {
	if h.commits == nil && h.err == nil {
		h.load()
	}
	if h.err != nil || len(h.commits) > mostCommits {
		return false, false
	}
	for _, c := range h.commits {
		here = here || c == commit
	}
	if commit != "" && !here {
		return false, false
	}
	here = h.hasTree(fingerprint)
	return here, h.err == nil && (here || !h.unhashed)
}

// load lists the commits of the change, and takes the fingerprint of what is not committed yet.
func (h *history) load() {
	h.trees = map[string]bool{}
	if h.head != "" {
		h.left, h.err = h.Repo.Commits(h.ctx, h.since, h.head, mostCommits)
	}
	h.commits = append([]string{h.since}, h.left...)
	if h.err == nil && h.fingerprint != nil {
		var f string
		f, h.err = h.fingerprint(h.ctx)
		h.trees[f] = true
	}
}

// hasTree reports whether something in the change has a fingerprint. It looks at the newest commits first, and at no more
// than it has to.
func (h *history) hasTree(fingerprint string) bool {
	for !h.trees[fingerprint] && len(h.left) > 0 && h.err == nil {
		var f string
		f, h.err = h.Repo.CommitFingerprint(h.ctx, h.left[0])
		h.left, h.trees[f] = h.left[1:], true
	}
	return h.trees[fingerprint]
}

// broughtBy is proof.Change.BroughtBy.
func (h *history) broughtBy(id task.ID, e task.Entry) (proof.Written, bool) {
	if h.head == "" || h.err != nil {
		return proof.Written{}, false
	}
	commit := h.firstWith(id, e)
	if commit == "" {
		return proof.Written{}, false
	}
	at, err := h.Repo.CommitTime(h.ctx, commit)
	h.fail(err)
	return proof.Written{Find: h.in(commit), At: at, Later: h.isLater(commit)}, h.err == nil
}

// firstWith finds the first commit of the change in which a task has an entry; "" if there is none.
func (h *history) firstWith(id task.ID, e task.Entry) string {
	if h.touching == nil {
		h.touching = map[task.ID][]string{}
	}
	commits, known := h.touching[id]
	if !known {
		var err error
		commits, err = h.Repo.Touching(h.ctx, h.since, h.head, h.inRepo(h.TaskPath(id)))
		h.fail(err)
		h.touching[id] = commits
	}
	for _, commit := range commits {
		if t, ok := h.in(commit)(id); ok && t.Provenance.Has(e.Hash()) {
			return commit
		}
	}
	return ""
}

// isLater reports whether a commit stands on the one that the change stands on.
func (h *history) isLater(commit string) bool {
	if h.later == nil {
		h.later = map[string]bool{}
		commits, err := h.Repo.Descendants(h.ctx, h.since, h.head)
		for _, c := range commits {
			h.later[c] = true
		}
		h.fail(err)
	}
	return h.later[commit]
}

// in looks tasks up in a commit.
func (h *history) in(commit string) task.Find {
	return func(id task.ID) (found task.Task, ok bool) {
		name := commit + ":" + h.inRepo(h.TaskPath(id))
		if known, ok := h.read[name]; ok {
			return known.task, known.ok
		}
		h.fail(h.Repo.Blobs(h.ctx, []string{name}, frontmatter.MaxFile, func(_ int, b git.Blob) {
			t, err := taskIn(b.Content)
			found, ok = t, err == nil
		}))
		if h.read == nil {
			h.read = map[string]taskRead{}
		}
		h.read[name] = taskRead{found, ok}
		return found, ok
	}
}

// fail keeps the first failure.
func (h *history) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// past returns the versions of the suspects' files since the base. For a suspect marked Undeclared it returns every version in the
// history. Versions that cannot be read as a task are left out.
func (h *history) past(suspects []proof.Suspect) (map[task.ID][]task.Task, error) {
	recent, old := map[string]task.ID{}, map[string]task.ID{}
	for _, s := range suspects {
		path := h.inRepo(s.Path)
		recent[path] = s.ID
		if s.Undeclared {
			old[path] = s.ID
		}
	}
	v := revisions{history: h, seen: map[string]bool{}}
	if h.head == "" || len(recent) == 0 {
		return nil, nil
	}
	err := v.find(h.since, recent)
	if err == nil && len(old) > 0 {
		err = v.find("", old)
	}
	if err != nil {
		return nil, err
	}
	return v.read()
}

// recallDeleted adds to the tree of a base the tasks that were deleted before it, and that are there again in what is judged: as they
// were last. A record that is begun anew under an old id does not make what it said before unsaid.
func (l Layout) recallDeleted(ctx context.Context, s subject, commit string, before *tree) error {
	brought := map[string]bool{}
	for i := range s.tree.Tasks {
		brought[l.inRepo(s.tree.Tasks[i].Path)] = true
	}
	for i := range before.Tasks {
		delete(brought, l.inRepo(before.Tasks[i].Path))
	}
	if len(brought) == 0 {
		return nil
	}
	var paths, ids []string
	err := l.Repo.Versions(ctx, "", commit, l.inRepo(l.rel(l.TasksDir())), func(path, id string) {
		if brought[path] { // the newest comes first
			delete(brought, path)
			paths, ids = append(paths, path), append(ids, id)
		}
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	return l.Repo.Blobs(ctx, ids, frontmatter.MaxFile, func(i int, b git.Blob) {
		if t, err := taskIn(b.Content); err == nil {
			name := strings.TrimPrefix(paths[i], l.inRepo(""))
			before.Tasks = append(before.Tasks, proof.TaskFile{File: proof.File{Path: name, Src: b.Content, Parse: ParseMarkdown}, Name: t.ID, Task: t})
		}
	})
}

// revisions collects what files said in the past.
type revisions struct {
	*history
	seen   map[string]bool // contents, and whose they are
	ids    []string        // contents
	owners []task.ID       // whose they are
}

// find collects what the files of some tasks said since a commit, or ever if that is "". It asks git for the folder, because git holds each path that it
// is asked for against each file.
func (v *revisions) find(since string, byPath map[string]task.ID) error {
	return v.Repo.Versions(v.ctx, since, v.head, v.inRepo(v.rel(v.TasksDir())), func(path, id string) {
		owner, asked := byPath[path]
		if key := path + "\x00" + id; asked && !v.seen[key] {
			v.seen[key] = true
			v.ids, v.owners = append(v.ids, id), append(v.owners, owner)
		}
	})
}

func (v *revisions) read() (map[task.ID][]task.Task, error) {
	out := map[task.ID][]task.Task{}
	err := v.Repo.Blobs(v.ctx, v.ids, frontmatter.MaxFile, func(i int, b git.Blob) {
		if t, err := taskIn(b.Content); err == nil {
			out[v.owners[i]] = append(out[v.owners[i]], t)
		}
	})
	return out, err
}
