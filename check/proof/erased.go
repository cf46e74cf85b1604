package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Erased is an entry that a commit of the change had.
type Erased struct {
	Of    record.Ref // the record that lacks it, by its judged file
	Entry record.Entry
}

// erasedRules judge the entries that a commit of the change had and that are gone. Those of the base are left to
// logRules.
type erasedRules struct{ *judge }

func (r erasedRules) apply() {
	if r.change == nil || len(r.change.Erased) == 0 {
		return
	}
	base := record.By(r.change.Base.All(), func(f *File) record.Ref { return f.Ref })
	lost := map[record.Ref][]record.Entry{}
	for _, e := range r.change.Erased {
		has := func(other record.Entry) bool { return other.Equal(e.Entry) }
		if was := base[e.Of]; (was == nil || !slices.ContainsFunc(was.Head.Log, has)) && !slices.ContainsFunc(lost[e.Of], has) {
			lost[e.Of] = append(lost[e.Of], e.Entry)
		}
	}
	for _, f := range r.All() {
		entries := lost[f.Ref]
		if was := base[f.Ref]; was != nil && same(was.Src, f.Src) {
			entries = slices.DeleteFunc(entries, func(e record.Entry) bool { return r.takenBack(f, e) })
		}
		if len(entries) > 0 {
			r.report(ProvenanceRewritten, f, Path{"provenance"}, "an entry that an earlier commit has (%s) is gone, changed, or in another place%s", describe(entries[0]), soAre(len(entries)-1)).
				fix("see which commit took it with git log -p -- %s; put back what went: cairn check --fix", f.Path)
		}
	}
}

// takenBack reports whether an entry may go where the record is again as the base has it, as after a revert: it moved or
// described the record and did nothing else. One that somebody says something by stays, and so does one that asks for
// more of a task, or opens what was closed or in review.
func (r erasedRules) takenBack(f *File, e record.Entry) bool {
	if f.task() == "" {
		return e.Did == record.Updated || e.Did == record.Claimed
	}
	switch e.Did {
	case record.Claimed, record.Released, record.Assigned, record.Began, record.Finished, record.Canceled, record.TakenOver,
		record.Transitioned, record.Checked, record.Updated, record.Restored:
	default:
		return false
	}
	fails := slices.ContainsFunc(e.Results, func(c record.CheckResult) bool { return c.Result != record.Pass })
	opens := e.To != "" && !r.flow.IsClosed(e.To) && (r.flow.IsClosed(e.From) || e.From == r.flow.Review)
	return !fails && !opens && e.Checks == nil && len(e.AddDeps) == 0
}
