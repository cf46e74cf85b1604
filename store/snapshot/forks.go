package snapshot

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
)

// forks is what the commits of a change took over from those that they were made from.
type forks struct {
	from [][]string                      // of each commit; see madeFrom
	lost map[record.Ref][][]record.Entry // of each commit; see lostOf
}

// madeFrom are the commits that are not of the change and that a commit of it, or an ancestor of that in the change,
// was made from.
func (h *history) madeFrom(i int) []string {
	if h.fork != nil {
		return h.fork.from[i]
	}
	from := make([][]string, len(h.all))
	for n, c := range h.all {
		for _, parent := range c.Parents {
			of := []string{parent}
			if at, ours := h.place[parent]; ours {
				of = from[at]
			}
			if from[n] == nil {
				from[n] = of
			} else {
				from[n] = record.Unique(slices.Concat(from[n], of))
			}
		}
	}
	h.fork = &forks{from, map[record.Ref][][]record.Entry{}}
	return from[i]
}

// lostIn are the entries that an ancestor of a commit of the change had of a task, or of another record that tasks
// depend on, and that the commit has not.
func (h *history) lostIn(id record.ID, i int) []record.Entry {
	for _, k := range kind.Kinds() {
		if k.Closed == nil && k != kind.Tasks.Kind || k.ParseID(string(id)) != nil {
			continue
		}
		if lost := h.lostOf(k, string(id)); lost != nil {
			return lost[i]
		}
	}
	return nil
}

// lostOf are, of each commit of the change, the entries of a record that an ancestor of it had and that it has not; nil
// if no commit touches the record.
func (h *history) lostOf(k *kind.Kind, id string) [][]record.Entry {
	of := k.Ref(id)
	if len(h.touching[of]) == 0 {
		return nil
	}
	h.madeFrom(0)
	if known, ok := h.fork.lost[of]; ok {
		return known
	}
	lost, touched := make([][]record.Entry, len(h.all)), record.SetOf(h.touching[of])
	h.fork.lost[of] = lost
	for i, c := range h.all {
		if len(c.Parents) == 1 && !touched[i] {
			if at, ours := h.place[c.Parents[0]]; ours {
				lost[i] = lost[at]
			}
			continue
		}
		now, _ := h.entriesIn(c.ID, k, id)
		var has map[string]bool
		lose := func(all []record.Entry) {
			if has == nil {
				has = record.SetOf(now)
			}
			for _, e := range all {
				if hash := e.Hash(); !has[hash] {
					has[hash], lost[i] = true, append(lost[i], e)
				}
			}
		}
		for _, parent := range c.Parents {
			if at, ours := h.place[parent]; ours && len(lost[at]) > 0 {
				lose(lost[at])
			}
			if was, log := h.entriesIn(parent, k, id); len(was) > len(now) || !slices.Equal(was, now[:len(was)]) {
				lose(log)
			}
		}
	}
	return lost
}

// entriesIn are the entries of a record in a commit, and their hashes.
func (h *history) entriesIn(commit string, k *kind.Kind, id string) ([]string, record.Log) {
	at, err := h.contentIn(commit, k, id)
	h.fail(err)
	hashes, err := h.hashes(at)
	h.fail(err)
	log, err := h.log(at)
	h.fail(err)
	return hashes, log
}
