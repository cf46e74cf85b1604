package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// reviewFlow is a flow with a review state.
var reviewFlow = task.Flow{Lifecycle: task.Lifecycle{
	States:  []record.Status{"backlog", "in_progress", "in_review", "done", "canceled"},
	Initial: "backlog", Working: "in_progress", Review: "in_review", Closed: []record.Status{"done", "canceled"}, Abandoned: []record.Status{"canceled"},
}}

func inReview(checks ...task.Check) task.Task {
	return task.Task{ID: "PROJ-1", Status: "in_review", Checks: checks}
}

func stampOf(who record.Actor, text string) record.Stamp {
	return record.Stamp{Who: who, At: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Text: text}
}

// An approval that names a state of the files counts for that one. Where the reviewer was shown others than those of
// the move, it is those that decide, and the entry of the move says so.
func TestApprovalOfOneStateOfTheFiles(t *testing.T) {
	approved, e, err := reviewFlow.ApproveReview(inReview(task.ReviewerCheck("human:ann")), stampOf("human:ann", ""), "c1", "tree1")
	if err != nil || e.Did != record.Attested || e.Tree != "tree1" || e.Commit != "c1" {
		t.Fatalf("approving made %+v, %v", e, err)
	}
	find := func(record.ID) (task.Task, bool) { return task.Task{}, false }
	for name, tt := range map[string]struct {
		proof task.Proof
		want  record.Code
		says  string // what the entry of the close says was reviewed
	}{
		"the same files":                        {task.Proof{Tree: "tree1"}, "", ""},
		"other files":                           {task.Proof{Tree: "tree2"}, record.ChecksPending, ""},
		"files that are not known":              {task.Proof{}, record.ChecksPending, ""},
		"other files, that were merged with it": {task.Proof{Tree: "tree2", Reviewed: "tree1"}, "", "tree1"},
		"a branch with another commit":          {task.Proof{Tree: "tree2", Reviewed: "tree3"}, record.ChecksPending, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, e, err := reviewFlow.Move(approved, "done", tt.proof, find, stampOf("human:lee", ""))
			if record.CodeOf(err) != tt.want {
				t.Fatalf("closing: %v, want %q", err, tt.want)
			}
			if err == nil && (e.Said().Reviewed != tt.says || e.Tree != tt.proof.Tree) {
				t.Errorf("the entry says tree %q and reviewed %q", e.Tree, e.Said().Reviewed)
			}
		})
	}
	if _, again, err := reviewFlow.ApproveReview(approved, stampOf("human:ann", ""), "c2", "tree1"); err != nil || again != nil {
		t.Errorf("approving the same files again made %v, %v", again, err)
	}
	if _, again, err := reviewFlow.ApproveReview(approved, stampOf("human:ann", ""), "c2", "tree2"); err != nil || again == nil {
		t.Errorf("approving other files made %v, %v", again, err)
	}
}

// An attestation without a state of the files counts for any, as it always has.
func TestAttestationForAnyFiles(t *testing.T) {
	attested, _, err := reviewFlow.Attest(inReview(task.ReviewerCheck("human:ann")), 0, true, stampOf("human:ann", "fine"))
	if err != nil {
		t.Fatal(err)
	}
	if err := reviewFlow.ChecksGate(attested, "done", task.Proof{Tree: "any"}, "human:lee"); err != nil {
		t.Error(err)
	}
}

// Who approves, and what that makes.
func TestApproveReview(t *testing.T) {
	reviewed := inReview(task.ReviewerCheck("human:ann"))
	for name, tt := range map[string]struct {
		of   task.Task
		who  record.Actor
		did  record.Did
		want record.Code
	}{
		"the reviewer":                {reviewed, "human:ann", record.Attested, ""},
		"somebody else":               {reviewed, "agent:claude-1", "", record.Forbidden},
		"a task without a reviewer":   {inReview(), "agent:claude-1", record.Approved, ""},
		"a task that is closed":       {task.Task{ID: "PROJ-1", Status: "done"}, "human:ann", "", record.TaskClosed},
		"one of two reviewers":        {inReview(task.ReviewerCheck("human:ann"), task.ReviewerCheck("human:bob")), "human:bob", record.Attested, ""},
		"a reviewer who has to sign":  {inReview(task.Check{Desc: "approved by human:ann", By: "signed human:ann"}), "human:ann", "", record.Forbidden},
		"a check of another sort":     {inReview(task.Check{Desc: "read", By: "human:ann"}), "human:ann", record.Approved, ""},
		"a task that is in no review": {task.Task{ID: "PROJ-1", Status: "in_progress"}, "human:ann", record.Approved, ""},
	} {
		t.Run(name, func(t *testing.T) {
			after, e, err := reviewFlow.ApproveReview(tt.of, stampOf(tt.who, ""), "c1", "tree1")
			if record.CodeOf(err) != tt.want || err == nil && e.Did != tt.did {
				t.Fatalf("approving made %+v, %v; want %s %q", e, err, tt.did, tt.want)
			}
			if err == nil && after.Status != tt.of.Status {
				t.Errorf("approving moved the task to %s", after.Status)
			}
			if _, ok := after.Approval(); ok != (err == nil) {
				t.Errorf("there is an approval: %v", ok)
			}
		})
	}
}

// A rejection needs a reason, and takes a task that is in review back to work.
func TestReject(t *testing.T) {
	reviewed := inReview(task.ReviewerCheck("human:ann"))
	for name, tt := range map[string]struct {
		of   task.Task
		who  record.Actor
		text string
		did  record.Did
		to   record.Status
		want record.Code
	}{
		"the reviewer":          {reviewed, "human:ann", "no tests", record.Attested, "in_progress", ""},
		"somebody else":         {reviewed, "agent:claude-1", "no tests", record.Rejected, "in_progress", ""},
		"nobody is to review":   {inReview(), "human:lee", "no tests", record.Rejected, "in_progress", ""},
		"without a reason":      {reviewed, "human:ann", " ", "", "in_review", record.InvalidInput},
		"it is being worked on": {task.Task{ID: "PROJ-1", Status: "in_progress"}, "human:lee", "not like that", record.Rejected, "in_progress", ""},
		"it is closed":          {task.Task{ID: "PROJ-1", Status: "done"}, "human:lee", "too late", "", "done", record.TaskClosed},
	} {
		t.Run(name, func(t *testing.T) {
			after, e, err := reviewFlow.Reject(tt.of, stampOf(tt.who, tt.text))
			if record.CodeOf(err) != tt.want || after.Status != tt.to {
				t.Fatalf("rejecting left it %s, %v", after.Status, err)
			}
			if err == nil && (e.Did != tt.did || e.Text != tt.text) {
				t.Errorf("the entry is %+v", e)
			}
		})
	}
}

// A rejection takes an approval back, whoever made either, as far as the task shows it.
func TestApprovalThatWasTakenBack(t *testing.T) {
	of, _, err := reviewFlow.ApproveReview(inReview(), stampOf("human:ann", ""), "c1", "tree1")
	if err != nil {
		t.Fatal(err)
	}
	of, _, err = reviewFlow.Reject(of, stampOf("human:bob", "and the tests?"))
	if _, ok := of.Approval(); err != nil || ok {
		t.Errorf("it is still approved: %v, %v", ok, err)
	}
}
