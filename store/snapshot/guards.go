package snapshot

import (
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/guard"
	"github.com/cairn-tasks/cairn/internal/record"
)

// FilesSince is proof.History.FilesSince.
func (h *history) FilesSince(id record.ID, from *record.Entry, to record.Entry) (proof.FileDiff, bool) {
	end := h.firstWith(id.Ref(), to)
	begin := h.beginOf(end)
	if from != nil {
		switch at := h.firstWith(id.Ref(), *from); {
		case at < 0:
			begin = h.head
		case len(h.all[at].Parents) > 0:
			begin = h.all[at].Parents[0]
		}
	}
	if h.err != nil || begin == "" {
		return proof.FileDiff{}, false
	}
	if end < 0 {
		return h.uncommittedSince(begin)
	}
	return h.between(begin, h.all[end].ID), h.err == nil && h.treeOf(begin) != ""
}

// FilesUpTo is proof.History.FilesUpTo.
func (h *history) FilesUpTo(id record.ID, to record.Entry, commit string) (proof.FileDiff, bool) {
	if _, ours := h.place[commit]; !ours {
		return proof.FileDiff{}, false
	}
	begin := h.beginOf(h.firstWith(id.Ref(), to))
	return h.between(begin, commit), h.err == nil && begin != ""
}

// beginOf is the commit of the base from which a commit of the change came, by its place; that of the base for what is
// not committed.
func (h *history) beginOf(at int) string {
	if h.err != nil || at < 0 || h.later()[at] {
		return h.since
	}
	for _, base := range h.mergeBases(h.since, h.all[at].ID) {
		return base
	}
	return ""
}

// between says how the files of two commits differ.
func (h *history) between(from, to string) proof.FileDiff {
	d := proof.FileDiff{Below: h.InRepo(""), Was: h.filesIn(from), Now: h.filesIn(to)}
	pair := git.Pair{Was: h.treeOf(from), Now: h.treeOf(to)}
	if h.err != nil {
		return d
	}
	h.fail(h.Repo.History().Differences(h.ctx, []git.Pair{pair}, nil, func(_ int, c git.FileChange) {
		if !h.Repo.SetsChangeAside(c) {
			d.Changes = append(d.Changes, guard.Change{Path: c.Path, Was: fileOf(c.Was), Now: fileOf(c.Now)})
		}
	}))
	return d
}

// fileOf is a file as a git.Tree has it; "" for none.
func fileOf(v git.Version) string {
	if v == (git.Version{}) {
		return ""
	}
	return v.Mode + " " + v.ID
}

// treeOf is the id of the tree of a commit.
func (h *history) treeOf(commit string) string {
	if at, ours := h.place[commit]; ours {
		return h.all[at].Tree
	}
	for _, c := range h.around {
		if c.ID == commit {
			return c.Tree
		}
	}
	return h.ancestry()[commit].Tree
}

// uncommittedSince says how the judged files differ from those of a commit. It is not known in a clone that is not
// trusted.
func (h *history) uncommittedSince(from string) (proof.FileDiff, bool) {
	if h.files == nil {
		if h.head == "" {
			return proof.FileDiff{}, false
		}
		return h.between(from, h.head), h.err == nil
	}
	was, err := h.Repo.Objects().Tree(h.ctx, from)
	h.fail(err)
	now, err := h.files(h.ctx)
	h.fail(err)
	d := proof.FileDiff{Below: h.InRepo(""), Was: h.filesIn(from)}
	for _, path := range was.Changed(now) {
		d.Changes = append(d.Changes, guard.Change{Path: path, Was: was[path], Now: now[path]})
	}
	d.Now = func(path string) (string, bool) {
		content, err := h.Repo.Content(path, mostGuard)
		return string(content), err == nil
	}
	return d, h.err == nil
}

const mostGuard = 1 << 20 // bytes of a file that is read for what it says

// filesIn reads files of a commit.
func (h *history) filesIn(commit string) guard.Files {
	return func(path string) (string, bool) {
		if strings.Contains(path, "\n") { // git is asked line by line
			return "", false
		}
		b, err := h.contents.Blob(commit+":"+path, mostGuard)
		h.fail(err)
		return string(b.Content), err == nil && !b.Missing
	}
}
