package snapshot

import (
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// erased lists the entries that a record had in a commit of the change, or in one of the recalled versions, and that
// the judged record has no more or in another order. Commits that another base has are left out, since what that holds
// is compared.
func (h *history) erased(recalled []version, others map[int]bool) (all []proof.Erased) {
	judged := record.By(h.tree.All(), func(f *proof.File) record.Ref { return f.Ref })
	for of := range h.touching {
		now, is := judged[of], of
		if now == nil {
			if is = h.heir(of, others); is.ID != "" {
				now = judged[is]
			}
		}
		if now == nil || !now.Sound() {
			continue
		}
		for _, at := range h.contentsOf(of, others) {
			for _, e := range h.lost(at, now) {
				all = append(all, proof.Erased{Of: is, Entry: e})
			}
		}
	}
	for _, v := range recalled {
		k, _ := kind.For(v.of)
		if now := judged[v.of]; now != nil && now.Sound() && !holdsLines(now.Src, v.doc.Bytes(), k.Form) {
			for _, e := range lostFrom(v.log, h.logs.parse(content{k, now.Path}, now.Src)) {
				all = append(all, proof.Erased{Of: v.of, Entry: e})
			}
		}
	}
	return all
}

// lost are the entries of a content that a file has no more, or in another order.
func (h *history) lost(at content, now *proof.File) record.Log {
	if h.err != nil || git.ContentID(now.Src, at.id) == at.id {
		return nil
	}
	src, err := h.read(at)
	if h.fail(err); err != nil || holdsLines(now.Src, src, at.kind.Form) {
		return nil
	}
	return lostFrom(h.logs.parse(at, src), h.logs.parse(content{at.kind, now.Path}, now.Src))
}

// lostFrom are the entries of a log that a later one does not have behind those before them.
func lostFrom(log, later record.Log) (lost record.Log) {
	hashes := record.Each(later, record.Entry.Hash)
	for _, e := range log {
		if i := slices.Index(hashes, e.Hash()); i >= 0 {
			hashes = hashes[i+1:]
		} else {
			lost = append(lost, e)
		}
	}
	return lost
}

// heir finds the task that a task of the change is under another id, which the base does not have; none if it is gone.
// Tasks of one plan begin alike, so those that were there together are one only if they have one title.
func (h *history) heir(of record.Ref, others map[int]bool) record.Ref {
	all := h.contentsOf(of, others)
	if len(all) == 0 || all[0].kind != kind.Tasks.Kind {
		return record.Ref{}
	}
	first, title := h.beginning(all[len(all)-1])
	touching := h.touching[of]
	last := h.all[touching[max(0, len(touching)-2)]].ID // the last commit that has it
	for _, f := range h.tree.Tasks {
		if len(h.touching[f.Ref]) == 0 || !f.Sound() || first == "" || f.Task.Provenance.First().Hash() != first {
			continue
		}
		beside, err := h.contentIn(last, kind.Tasks.Kind, f.Ref.ID)
		if h.fail(err); beside.id == "" || f.Task.Title == title {
			return f.Ref
		}
	}
	return record.Ref{}
}

// beginning is the hash of the first entry of a task, and its title.
func (h *history) beginning(of content) (hash, title string) {
	v, err := h.value(of)
	h.fail(err)
	if t, ok := v.(task.Task); ok && len(t.Provenance) > 0 {
		return t.Provenance.First().Hash(), t.Title
	}
	return "", ""
}

// upTo are the commits of the change that some commits are or descend from.
func (c *commits) upTo(some []string) map[int]bool {
	out := map[int]bool{}
	for todo := some; len(todo) > 0; {
		i, ours := c.place[todo[0]]
		if todo = todo[1:]; ours && !out[i] {
			out[i] = true
			todo = append(slices.Clip(todo), c.all[i].Parents...)
		}
	}
	return out
}
