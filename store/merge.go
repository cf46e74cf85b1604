package store

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// Merge makes one file of two versions of it that come from the same base, which is empty if both added the file. name is
// its path, with forward slashes; what kind of record it is follows from the folder. It reports whether nothing is left for
// a person to settle; if there is, the file has git's markers, around the lines concerned where they can be told apart.
//
// It is a function of its arguments: the same versions always give the same bytes, and in a criss-cross merge git may pass
// them through it several times.
func Merge(name string, base, ours, theirs []byte, flow task.Flow, markers frontmatter.Markers) (merged []byte, clean bool) {
	kind, record := kindOf(name)
	m := frontmatter.Merge(base, ours, theirs, kind, schemas[record], markers)
	if record == taskRecord {
		settleTask(m, flow)
	}
	return m.Bytes(), m.Clean()
}

// recordKind is a kind of file under .cairn.
type recordKind int

const (
	otherRecord recordKind = iota
	taskRecord
	sessionRecord
	configRecord
	signersRecord
	proposalRecord
)

func kindOf(name string) (frontmatter.Kind, recordKind) {
	folder := path.Base(path.Dir(name))
	switch above := path.Base(path.Dir(path.Dir(name))); {
	case strings.HasSuffix(name, taskExt) && folder == "tasks" && above == Folder:
		return frontmatter.Markdown, taskRecord
	case strings.HasSuffix(name, taskExt):
		return frontmatter.Markdown, otherRecord
	case folder == "sessions" && above == Folder:
		return frontmatter.YAML, sessionRecord
	case folder == "plans" && above == Folder:
		return frontmatter.YAML, proposalRecord
	case folder == Folder && path.Base(name) == "config.yaml":
		return frontmatter.YAML, configRecord
	}
	return frontmatter.YAML, otherRecord
}

var checksRule = frontmatter.Rule{Kind: frontmatter.Keyed, Key: "desc", Derived: "result"}

var schemas = map[recordKind]frontmatter.Schema{
	taskRecord: {Order: taskKeys, Fields: map[string]frontmatter.Rule{
		"status":     {Choose: laterOf(movedStatus)},
		"assignee":   {Choose: laterOf(movedHolder)},
		"labels":     {Kind: frontmatter.Texts},
		"deps":       {Kind: frontmatter.Texts},
		"checks":     checksRule,
		"provenance": {Kind: frontmatter.Log, Key: "at", Values: frontmatter.Values(task.EntryValues())},
	}},
	sessionRecord: {Order: sessionKeys, Fields: map[string]frontmatter.Rule{
		"status":   {Choose: endOf},
		"ended_at": {Choose: endOf},
		"head":     {Choose: endOf},
		"summary":  {Choose: endOf},
		"reason":   {Choose: endOf},

		"provenance": {Kind: frontmatter.Log, Key: "at", Values: frontmatter.Values(task.EntryValues())},
	}},
	configRecord: {Fields: map[string]frontmatter.Rule{
		"default_checks": {Kind: frontmatter.Keyed, Key: "desc"},
		"provenance":     {Kind: frontmatter.Log, Key: "at", Values: frontmatter.Values(task.EntryValues())},
	}},
	proposalRecord: {Order: proposalKeys, Fields: map[string]frontmatter.Rule{
		"made":       {Kind: frontmatter.Texts},
		"provenance": {Kind: frontmatter.Log, Key: "at", Values: frontmatter.Values(task.EntryValues())},
	}},
}

// endOf chooses the side on which a session ended. An end wins over active. If it ended on both sides in the same way, the
// later end counts, in all that it says: the entries of both stay in the provenance. Two different ends are for
// a person to settle.
func endOf(_, ours, theirs *frontmatter.Doc) frontmatter.Side {
	o, err1 := readSession(ours)
	t, err2 := readSession(theirs)
	switch {
	case err1 != nil || err2 != nil:
		return frontmatter.Neither
	case o.Status == session.Active && t.Status != session.Active:
		return frontmatter.Theirs
	case o.Status != session.Active && t.Status == session.Active:
		return frontmatter.Ours
	case o.Status != t.Status || o.EndedAt.Equal(t.EndedAt):
		return frontmatter.Neither
	case o.EndedAt.After(t.EndedAt):
		return frontmatter.Ours
	default:
		return frontmatter.Theirs
	}
}

// movedStatus returns when a task came to the status it has, by its last entry that moved it. A status that this entry does
// not account for was written by hand, and nobody knows when.
func movedStatus(t task.Task) (time.Time, bool) {
	for _, e := range slices.Backward(t.Provenance) {
		if e.To != "" {
			return e.At, e.To == t.Status
		}
	}
	return time.Time{}, false
}

// movedHolder is movedStatus for the assignee.
func movedHolder(t task.Task) (time.Time, bool) {
	for _, e := range slices.Backward(t.Provenance) {
		if e.Assignee != nil {
			return e.At, *e.Assignee == t.Assignee
		}
	}
	return time.Time{}, false
}

// laterOf chooses the side that moved a field later. If one of them cannot account for its value, or both moved it in the
// same second, nobody can choose.
func laterOf(moved func(task.Task) (time.Time, bool)) func(base, ours, theirs *frontmatter.Doc) frontmatter.Side {
	return func(_, ours, theirs *frontmatter.Doc) frontmatter.Side {
		o, err1 := readTask(ours)
		t, err2 := readTask(theirs)
		if err1 != nil || err2 != nil {
			return frontmatter.Neither
		}
		oursAt, ok1 := moved(o)
		theirsAt, ok2 := moved(t)
		switch {
		case !ok1 || !ok2 || oursAt.Equal(theirsAt):
			return frontmatter.Neither
		case oursAt.After(theirsAt):
			return frontmatter.Ours
		default:
			return frontmatter.Theirs
		}
	}
}
