package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// The rules of references, in records of every kind.
const (
	FileMissing RuleID = "file-missing"
	FileChanged RuleID = "file-changed"
	RefDangling RuleID = "ref-dangling"
)

var refRuleList = []Rule{
	{FileMissing, GraphGroup, Error, "a record refers to a file that is not there",
		"bring the file back from git, or take the reference away with cairn ref remove"},
	{FileChanged, GraphGroup, Error, "a file that a record refers to holds something else than was added",
		"take the file from git as it was added; what is new is added as another file with cairn ref add"},
	{RefDangling, GraphGroup, Warning, "a record refers to one that does not exist",
		"bring the file back from git, or take the reference away with cairn ref remove"},
}

// refRules judge the references of all records.
type refRules struct{ *judge }

func (r refRules) apply() {
	there := map[string]bool{} // ids of the records of all kinds
	for i := range r.Tasks {
		there[string(r.Tasks[i].Name)] = true
	}
	for i := range r.Records {
		there[r.Records[i].Name] = true
	}
	for i := range r.Tasks {
		if f := &r.Tasks[i]; f.Sound() {
			r.all(&f.File, f.Name, f.Task.Refs, there)
		}
	}
	for i := range r.Records {
		if f := &r.Records[i]; f.Sound() {
			r.all(&f.File, "", f.Head.Refs, there)
		}
	}
}

// all judges the references of one record.
func (r refRules) all(f *File, of record.ID, refs []record.Reference, there map[string]bool) {
	for i, ref := range refs {
		at := Path{"refs", i}
		report := func(id RuleID, format string, args ...any) { r.report(id, f, at, format, args...).Task = of }
		if err := ref.Valid(); err != nil {
			report(BadField, "%s", record.MessageOf(err))
			continue
		}
		if slices.ContainsFunc(refs[:i], func(before record.Reference) bool { return before.Ref == ref.Ref }) {
			report(BadField, "two references are called %s", ref.Ref)
		}
		switch ref.Type {
		case record.FileRef:
			r.file(ref.Path, report)
		case record.RecordRef:
			if !there[ref.Target] {
				report(RefDangling, "refers to %s, which does not exist", ref.Target)
			}
		case record.CommitRef, record.BranchRef, record.TagRef, record.CompareRef, record.PullRef, record.LinkRef, record.OriginRef:
		}
	}
}

// file judges the file of a reference.
func (r refRules) file(path string, report func(id RuleID, format string, args ...any)) {
	switch sum, ok := r.Files[path]; {
	case !ok:
		report(FileMissing, "%s is not there", path)
	case sum != path[len(record.FilesFolder)+1:][:len(sum)] || sum == "":
		report(FileChanged, "%s holds something else than was added", path)
	}
}
