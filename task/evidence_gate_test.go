package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

var refAt = record.Stamp{Who: "agent:a", At: time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC), Session: "ses-1"}

// What shows that a task was done is a commit, a pull request, or a command that passed on the files as they are.
func TestEvidenceGate(t *testing.T) {
	flow := task.Flow{Lifecycle: task.Lifecycle{States: []record.Status{"backlog", "done", "canceled"}, Initial: "backlog", Closed: []record.Status{"done", "canceled"}, Abandoned: []record.Status{"canceled"}}}
	base := task.Task{ID: "T-1", Status: "backlog", RequiresEvidence: true}
	with := func(change func(*task.Task)) task.Task { t := base; change(&t); return t }
	command := task.Check{Desc: "runs", Cmd: "true", Result: record.Pass}
	key := command.Key("T-1")
	ran := record.Log{{Who: "agent:a", Did: record.Checked, Results: []record.CheckResult{{Check: key, Result: record.Pass}}, Tree: "tree"}}
	none := func(record.ID) (task.Task, bool) { return task.Task{}, false }
	refers := func(t *task.Task, kind record.ReferenceType) {
		refs, e, err := t.Header().AddReference(map[record.ReferenceType]record.Reference{
			record.CommitRef: {Type: kind, Sha: "b829842c296b7816ec9adde860b684a544a6a05c"}, record.PullRef: {Type: kind, Number: 1},
			record.LinkRef: {Type: kind, URL: "https://example.com"},
		}[kind], record.Stamp{Who: "agent:a"})
		if err != nil {
			panic(err)
		}
		t.Refs, t.Provenance = refs, record.Log{*e}
	}
	for name, tt := range map[string]struct {
		t    task.Task
		to   record.Status
		code record.Code
	}{
		"nothing":                        {base, "done", record.EvidenceMissing},
		"nothing is required":            {with(func(t *task.Task) { t.RequiresEvidence = false }), "done", ""},
		"given up":                       {base, "canceled", ""},
		"not closed":                     {base, "backlog", ""},
		"a link":                         {with(func(t *task.Task) { refers(t, record.LinkRef) }), "done", record.EvidenceMissing},
		"a commit":                       {with(func(t *task.Task) { refers(t, record.CommitRef) }), "done", ""},
		"a commit that no entry brought": {with(func(t *task.Task) { refers(t, record.CommitRef); t.Provenance = nil }), "done", record.EvidenceMissing},
		"a link that was made a commit": {with(func(t *task.Task) {
			refers(t, record.LinkRef)
			t.Refs[0].Type, t.Refs[0].URL, t.Refs[0].Sha = record.CommitRef, "", "b829842c296b7816ec9adde860b684a544a6a05c"
		}), "done", record.EvidenceMissing},
		"a pull request":          {with(func(t *task.Task) { refers(t, record.PullRef) }), "done", ""},
		"a command that passed":   {with(func(t *task.Task) { t.Checks, t.Provenance = []task.Check{command}, ran }), "done", ""},
		"a pass that nothing ran": {with(func(t *task.Task) { t.Checks = []task.Check{command} }), "done", record.ChecksPending},
		"a person who attested": {with(func(t *task.Task) {
			t.Checks = []task.Check{{Desc: "read", By: task.ByAnyone, Result: record.Pass}}
			t.Provenance = record.Log{{Who: "agent:a", Did: record.Attested, Results: []record.CheckResult{{Check: "read", Result: record.Pass}}}}
		}), "done", record.EvidenceMissing},
	} {
		if err := flow.Gate(tt.t, tt.to, task.Proof{Tree: "tree"}, none, "agent:a"); record.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want %s", name, err, tt.code)
		}
	}
	closed := with(func(t *task.Task) { t.Status = "done"; refers(t, record.CommitRef) })
	bare := closed
	bare.Refs = nil
	if err := flow.KeepsEvidence(closed, bare); record.CodeOf(err) != record.EvidenceMissing {
		t.Errorf("the last evidence goes: %v", err)
	}
	if err := flow.KeepsEvidence(bare, bare); err != nil {
		t.Errorf("there was none before: %v", err)
	}
}

// Evidence is asked for no more as checks are: freely by who planned it, and once work began by a person with a reason.
func TestEvidenceIsAskedForNoMore(t *testing.T) {
	flow := task.Flow{Lifecycle: task.Lifecycle{States: []record.Status{"backlog", "doing", "done"}, Initial: "backlog", Working: "doing", Closed: []record.Status{"done"}}}
	none := func(record.ID) (task.Task, bool) { return task.Task{}, false }
	stamp := func(who record.Actor, text string) record.Stamp {
		return record.Stamp{Who: who, At: refAt.At, Text: text}
	}
	planned, err := flow.Create(task.Task{ID: "T-1", Title: "x", RequiresEvidence: true}, none, stamp("agent:a", ""))
	if err != nil {
		t.Fatal(err)
	}
	begun, _, err := flow.Move(planned, "doing", task.Proof{}, none, stamp("agent:a", ""))
	if err != nil {
		t.Fatal(err)
	}
	no, yes := false, true
	for name, tt := range map[string]struct {
		t    task.Task
		edit task.Edit
		by   record.Stamp
		code record.Code
	}{
		"while planning":         {planned, task.Edit{Set: task.Values{"requires_evidence": no}}, stamp("agent:a", ""), ""},
		"by another agent":       {planned, task.Edit{Set: task.Values{"requires_evidence": no}}, stamp("agent:b", ""), record.Forbidden},
		"once work began":        {begun, task.Edit{Set: task.Values{"requires_evidence": no}}, stamp("agent:a", "easier"), record.Forbidden},
		"by a person":            {begun, task.Edit{Set: task.Values{"requires_evidence": no}, MayWeaken: true}, stamp("human:ada", ""), record.InvalidInput},
		"by a person who says":   {begun, task.Edit{Set: task.Values{"requires_evidence": no}, MayWeaken: true}, stamp("human:ada", "there is no code"), ""},
		"it is asked for again":  {begun, task.Edit{Set: task.Values{"requires_evidence": yes}}, stamp("agent:b", ""), ""},
		"with the checks as now": {begun, task.Edit{Set: task.Values{"requires_evidence": no}, Checks: &[]task.Check{}}, stamp("agent:b", "x"), record.Forbidden},
	} {
		got, e, err := flow.Update(tt.t, tt.edit, task.Proof{}, none, tt.by)
		if record.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want %q", name, err, tt.code)
		}
		if err == nil && e != nil && (len(e.Fields) != 1 || e.Fields[0] != "requires_evidence" || e.Checks == nil || !got.ChecksExplained()) {
			t.Errorf("%s: the entry is %+v", name, e)
		}
	}
}
