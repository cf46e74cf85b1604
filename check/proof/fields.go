package proof

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// The rules of links, and of fields of the user's own.
var (
	FieldValue = Rule{"field-value", FileGroup, Error, "a field of the config's own has a value that it cannot have",
		"correct the value in the file, or with cairn update --set; fields in config.yaml says what can be"}
	FieldMissing = Rule{"field-missing", FileGroup, Warning, "an open task lacks a field that the config requires",
		"give it with cairn update --set"}
	LinkDangling = Rule{"link-dangling", GraphGroup, Notice, "a task is linked to a record that does not exist",
		"bring the file back from git, or take the link away with cairn update"}
)

// ownFields judges the fields of the user's own in a task. Those that are missing are findings in open tasks only: a
// field may have been declared after a task was closed.
func (r fileRules) ownFields(f *TaskFile) {
	if !r.Config.Sound() {
		return
	}
	flow := r.Config.Flow
	for _, one := range flow.Fields {
		text, held := f.Task.Own[one.Name]
		_, err := one.Parse(text)
		switch unknown := f.Task.Extra[one.Name]; {
		case held && err != nil:
			got := r.report(FieldValue, &f.File, Path{one.Name}, "%s", record.MessageOf(err))
			if len(one.Choices) > 0 {
				got.fix("it may be %s: cairn update %s --set %s=%s", orList(one.Choices), f.ID(), one.Name, one.Choices[0])
			}
		case !held && unknown != nil && unknown != "":
			r.report(FieldValue, &f.File, Path{one.Name}, "%s must be one value, not a list or a mapping", one.Name)
		case !held && one.Required && !flow.IsClosed(f.Task.Status):
			r.report(FieldMissing, &f.File, nil, "%s is missing", one.Name).
				fix("cairn update %s --set %s=VALUE", f.ID(), one.Name)
		}
	}
}

// orList names texts for a message.
func orList(texts []string) string {
	last := len(texts) - 1
	if last < 1 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// links judges the links of tasks to records of any kind.
func (r graphRules) links() {
	for _, f := range r.Tasks {
		if of := f.Task.Own["milestone"]; of != "" && !r.exists[of] {
			r.report(LinkDangling, &f.File, Path{"milestone"}, "is a part of %s, which does not exist", of)
		}
		for _, kind := range task.LinkKinds {
			for n, to := range *f.Task.LinksOf(kind.Name) {
				if !r.exists[string(to)] && record.ValidLine(kind.Name, string(to)) == nil {
					r.report(LinkDangling, &f.File, Path{kind.Name, n}, "%s %s, which does not exist", kind.Says, to)
				}
			}
		}
	}
}

// The rules of references, in records of every kind.
var (
	FileMissing = Rule{"file-missing", GraphGroup, Error, "a record refers to a file that is not there",
		"bring the file back from git, or take the reference away with cairn ref remove"}
	FileChanged = Rule{"file-changed", GraphGroup, Error, "a file for records holds something else than was added",
		"take the file from git as it was added; what is new is added as another file with cairn ref add"}
	RefsUnexplained = Rule{"refs-unexplained", HistoryGroup, Error, "the references are not those that the entries tell of; a warning if one was only added or changed",
		"restore them in the file, and change them with cairn ref add, update or remove, so that an entry says so"}
	RefDangling = Rule{"ref-dangling", GraphGroup, Warning, "a record refers to one that does not exist",
		"bring the file back from git, or take the reference away with cairn ref remove"}
)

// refRules judge the references of all records.
type refRules struct {
	*judge
	refers map[string]bool // the files that records refer to
}

func (r *refRules) apply() {
	r.refers = map[string]bool{}
	for _, f := range r.All() {
		if f.Sound() {
			r.all(f)
		}
	}
	// No fingerprint has a file whose name is the whole hash of its content, so its content must be that.
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		if _, whole := record.FileHash(path); whole && !r.refers[path] && !r.holds(path) {
			r.report(FileChanged, &File{Path: path}, nil, "%s holds something else than its name says", path)
		}
	}
}

// holds reports whether a file has the content that its name says.
func (r *refRules) holds(path string) bool {
	sum, _ := record.FileHash(path)
	return r.Files[path] != "" && strings.HasPrefix(r.Files[path], sum)
}

// all judges the references of one record.
func (r *refRules) all(f *File) {
	refs := f.Head.Refs
	for i, ref := range refs {
		at := Path{"refs", i}
		report := func(rule Rule, format string, args ...any) { r.report(rule, f, at, format, args...) }
		if err := ref.Valid(); err != nil {
			r.report(BadField, f, at, "%s", record.MessageOf(err)).allowing(err)
			continue
		}
		if slices.ContainsFunc(refs[:i], func(before record.Reference) bool { return before.Ref == ref.Ref }) {
			report(BadField, "two references are called %s", ref.Ref)
		}
		switch ref.Type {
		case record.FileRef:
			r.refers[ref.Path] = true
			switch _, ok := r.Files[ref.Path]; {
			case !ok:
				report(FileMissing, "%s is not there", ref.Path)
			case !r.holds(ref.Path):
				report(FileChanged, "%s holds something else than was added", ref.Path)
			}
		case record.RecordRef:
			if !r.exists[ref.Target] {
				report(RefDangling, "refers to %s, which does not exist", ref.Target)
			}
		case record.CommitRef, record.BranchRef, record.TagRef, record.CompareRef, record.PullRef, record.LinkRef, record.OriginRef:
		}
	}
}

// refsExplained finds references that came, changed or went without an entry that tells of them. An entry names a reference
// whatever it did to it; the first one that names it added it. A file without entries is that of another program.
func (r logRules) refsExplained() {
	var was []record.Reference
	if r.base != nil {
		was = r.base.Head.Refs
	}
	log, now := r.file.Head.Log, r.file.Head.Refs
	told := map[string]int{} // how many new entries tell of a reference
	for i, e := range log {
		if r.fresh[i] {
			for _, ref := range e.Said().Refs {
				told[ref]++
			}
		}
	}
	had, has := refsByName(was), refsByName(now)
	say := func(at Path, format string, args ...any) *found {
		return r.report(RefsUnexplained, r.file, at, format+", and no entry says so", args...)
	}
	for i, ref := range now {
		before, there := had[ref.Ref]
		ref.At = ref.At.UTC()
		switch same := before == ref; {
		case told[ref.Ref] > 0 || len(log) == 0:
		case !there:
			say(Path{"refs", i}, "the reference %s (%s) was added", ref.Ref, ref.Type).warnIf(true)
		case !same:
			say(Path{"refs", i}, "the reference %s (%s) was changed", ref.Ref, ref.Type).warnIf(true)
		}
	}
	for _, ref := range was {
		if _, there := has[ref.Ref]; !there && told[ref.Ref] == 0 {
			say(Path{"refs"}, "the reference %s (%s) was taken away", ref.Ref, ref.Type)
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(told)) {
		_, before := had[ref]
		if _, there := has[ref]; told[ref] == 1 && !there && !before {
			say(Path{"refs"}, "the reference %s, which an entry added, is gone", ref)
		}
	}
}

func refsByName(refs []record.Reference) map[string]record.Reference {
	out := make(map[string]record.Reference, len(refs))
	for _, r := range refs {
		r.At = r.At.UTC() // two times are the same in whatever zone
		out[r.Ref] = r
	}
	return out
}
