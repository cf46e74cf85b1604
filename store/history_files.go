package store

import "github.com/cairn-tasks/cairn/task"

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
