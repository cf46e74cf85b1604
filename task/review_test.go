package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// reviewFlow is a flow with a review state.
var reviewFlow = task.Flow{
	States:  []task.Status{"backlog", "in_progress", "in_review", "done", "canceled"},
	Initial: "backlog", Working: "in_progress", Review: "in_review", Closed: []task.Status{"done", "canceled"}, Abandoned: []task.Status{"canceled"},
}

func inReview(checks ...task.Check) task.Task {
	return task.Task{ID: "PROJ-1", Status: "in_review", Checks: checks}
}

func stampOf(who task.Actor, text string) task.Stamp {
	return task.Stamp{Who: who, At: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Text: text}
}

// An approval that names a state of the files counts for that one. Where the reviewer was shown others than those of the move, it is those
// that decide, and the entry of the move says so.
func TestApprovalOfOneStateOfTheFiles(t *testing.T) {
	approved, e, err := reviewFlow.ApproveReview(inReview(task.ReviewerCheck("human:ann")), stampOf("human:ann", ""), "c1", "tree1")
	if err != nil || e.Did != task.Attested || e.Tree != "tree1" || e.Commit != "c1" {
		t.Fatalf("approving made %+v, %v", e, err)
	}
	find := func(task.ID) (task.Task, bool) { return task.Task{}, false }
	for name, tt := range map[string]struct {
		proof task.Proof
		want  task.Code
		says  string // what the entry of the close says was reviewed
	}{
		"the same files":                        {task.Proof{Tree: "tree1"}, "", ""},
		"other files":                           {task.Proof{Tree: "tree2"}, task.ChecksPending, ""},
		"files that are not known":              {task.Proof{}, task.ChecksPending, ""},
		"other files, that were merged with it": {task.Proof{Tree: "tree2", Reviewed: "tree1"}, "", "tree1"},
		"a branch with another commit":          {task.Proof{Tree: "tree2", Reviewed: "tree3"}, task.ChecksPending, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, e, err := reviewFlow.Move(approved, "done", tt.proof, find, stampOf("human:lee", ""))
			if task.CodeOf(err) != tt.want {
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
		who  task.Actor
		did  task.Did
		want task.Code
	}{
		"the reviewer":                {reviewed, "human:ann", task.Attested, ""},
		"somebody else":               {reviewed, "agent:claude-1", "", task.Forbidden},
		"a task without a reviewer":   {inReview(), "agent:claude-1", task.Approved, ""},
		"a task that is closed":       {task.Task{ID: "PROJ-1", Status: "done"}, "human:ann", "", task.TaskClosed},
		"one of two reviewers":        {inReview(task.ReviewerCheck("human:ann"), task.ReviewerCheck("human:bob")), "human:bob", task.Attested, ""},
		"a reviewer who has to sign":  {inReview(task.Check{Desc: "approved by human:ann", By: "signed human:ann"}), "human:ann", "", task.Forbidden},
		"a check of another sort":     {inReview(task.Check{Desc: "read", By: "human:ann"}), "human:ann", task.Approved, ""},
		"a task that is in no review": {task.Task{ID: "PROJ-1", Status: "in_progress"}, "human:ann", task.Approved, ""},
	} {
		t.Run(name, func(t *testing.T) {
			after, e, err := reviewFlow.ApproveReview(tt.of, stampOf(tt.who, ""), "c1", "tree1")
			if task.CodeOf(err) != tt.want || err == nil && e.Did != tt.did {
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
		who  task.Actor
		text string
		did  task.Did
		to   task.Status
		want task.Code
	}{
		"the reviewer":          {reviewed, "human:ann", "no tests", task.Attested, "in_progress", ""},
		"somebody else":         {reviewed, "agent:claude-1", "no tests", task.Rejected, "in_progress", ""},
		"nobody is to review":   {inReview(), "human:lee", "no tests", task.Rejected, "in_progress", ""},
		"without a reason":      {reviewed, "human:ann", " ", "", "in_review", task.InvalidInput},
		"it is being worked on": {task.Task{ID: "PROJ-1", Status: "in_progress"}, "human:lee", "not like that", task.Rejected, "in_progress", ""},
		"it is closed":          {task.Task{ID: "PROJ-1", Status: "done"}, "human:lee", "too late", "", "done", task.TaskClosed},
	} {
		t.Run(name, func(t *testing.T) {
			after, e, err := reviewFlow.Reject(tt.of, stampOf(tt.who, tt.text))
			if task.CodeOf(err) != tt.want || after.Status != tt.to {
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
