package store

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// filesAt is proof.Change.FilesAt.
func (h *history) filesAt(id task.ID, e task.Entry) (fingerprint string, known bool) {
	if h.err != nil {
		return "", false
	}
	if h.head != "" {
		if commit := h.firstWith(id, e); commit != "" {
			fingerprint, err := h.Repo.CommitFingerprint(h.ctx, commit)
			h.fail(err)
			return fingerprint, h.err == nil
		}
	}
	if h.fingerprint == nil || h.err != nil {
		return "", false
	}
	fingerprint, err := h.fingerprint(h.ctx)
	h.fail(err)
	return fingerprint, h.err == nil
}

// recordBroughtBy is proof.Change.RecordBroughtBy.
func (h *history) recordBroughtBy(path string, e task.Entry) (at time.Time, ok bool) {
	if h.head == "" || h.err != nil {
		return time.Time{}, false
	}
	commits, err := h.Repo.Touching(h.ctx, h.since, h.head, h.inRepo(path))
	h.fail(err)
	kind := frontmatter.YAML
	if strings.HasSuffix(path, taskExt) {
		kind = frontmatter.Markdown
	}
	for _, commit := range commits {
		has := false
		h.fail(h.Repo.Blobs(h.ctx, []string{commit + ":" + h.inRepo(path)}, frontmatter.MaxFile, func(_ int, b git.Blob) {
			if doc, err := frontmatter.Parse(b.Content, kind); err == nil {
				has = task.Log((&reader{doc: doc}).entries()).Has(e.Hash())
			}
		}))
		if has && h.err == nil {
			at, err := h.Repo.CommitTime(h.ctx, commit)
			h.fail(err)
			return at, h.err == nil
		}
	}
	return time.Time{}, false
}
