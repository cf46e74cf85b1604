package proof

import (
	"fmt"
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
	base := map[record.Ref]*File{}
	logs := map[record.Ref]record.Log{}
	for i := range r.change.Base.Tasks {
		f := &r.change.Base.Tasks[i]
		base[f.Name.Ref()], logs[f.Name.Ref()] = &f.File, f.Task.Provenance
	}
	for i := range r.change.Base.Records {
		f := &r.change.Base.Records[i]
		base[f.ref()], logs[f.ref()] = &f.File, f.Head.Log
	}
	lost := map[record.Ref][]record.Entry{}
	for _, e := range r.change.Erased {
		has := func(other record.Entry) bool { return other.Equal(e.Entry) }
		if !slices.ContainsFunc(logs[e.Of], has) && !slices.ContainsFunc(lost[e.Of], has) {
			lost[e.Of] = append(lost[e.Of], e.Entry)
		}
	}
	for i := range r.Tasks {
		f := &r.Tasks[i]
		entries := lost[f.Name.Ref()]
		if was := base[f.Name.Ref()]; was != nil && same(was.Src, f.Src) {
			entries = slices.DeleteFunc(entries, r.takenBack)
		}
		r.gone(&f.File, f.Name, entries)
	}
	for i := range r.Records {
		f := &r.Records[i]
		entries := lost[f.ref()]
		if was := base[f.ref()]; was != nil && same(was.Src, f.Src) {
			entries = slices.DeleteFunc(entries, func(e record.Entry) bool { return e.Did == record.Updated || e.Did == record.Claimed })
		}
		r.gone(&f.File, "", entries)
	}
}

func (r erasedRules) gone(f *File, of record.ID, entries []record.Entry) {
	if len(entries) == 0 {
		return
	}
	others := ""
	if n := len(entries) - 1; n > 0 {
		others = fmt.Sprintf(", and so are %d more", n)
	}
	r.report(ProvenanceRewritten, f, Path{"provenance"}, "an entry that an earlier commit has (%s) is gone, changed, or in another place%s", describe(entries[0]), others).
		fix("cairn check --fix puts back what went; git log -p -- %s shows the commit", f.Path).Task = of
}

// takenBack reports whether an entry may go where the task is again as the base has it, as after a revert: it moved or
// described the task and did nothing else. One that somebody says something by stays, and so does one that asks for
// more, or opens what was closed or in review.
func (r erasedRules) takenBack(e record.Entry) bool {
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
