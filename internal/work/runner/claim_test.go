//go:build unix

package runner

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// shared makes the claims of a field hold among clones, and returns the workspace of another clone, in the name of
// human:kim.
func (f *field) shared() *verb.Workspace {
	f.Helper()
	storetest.Append(f, f.s.ConfigFile(), "claims_remote: origin\n")
	f.settle()
	hub, there := filepath.Join(f.TempDir(), "hub.git"), filepath.Join(f.TempDir(), "there")
	storetest.Git(f, f.s.Root, "clone", "-q", "--bare", ".", hub)
	storetest.Git(f, f.s.Root, "remote", "add", "origin", hub)
	storetest.Git(f, f.s.Root, "clone", "-q", hub, there)
	w := *f.w
	w.Dir, w.StateDir, w.Actor = there, f.TempDir(), verb.As("human:kim")
	return &w
}

// taken has another clone take the task of a job over.
func (f *field) taken(kim *verb.Workspace) {
	if _, err := verb.Do(f.Context(), kim, tasks.Claim, tasks.ClaimIn{ID: verb.RecordID(theTask), Takeover: true}); err != nil {
		f.Error(err)
	}
}

// takenOver has another clone take the task of a job over while its executor works, and this clone learn that.
func (f *field) takenOver(kim *verb.Workspace) func(executor.Run) {
	return func(executor.Run) {
		f.taken(kim)
		s, err := f.w.Open()
		if err == nil {
			_, err = remote.Of(s, f.w.Actor(), time.Now).Sync(f.Context())
		}
		if err != nil {
			f.Error(err)
		}
	}
}

func TestSlowAClaimThatAnotherCloneTookEndsTheJob(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	kim := f.shared()
	f.agent.line = "echo good >file && sleep 600"
	f.agent.does = f.takenOver(kim)
	one := f.run()
	f.want(one, job.Failed, job.ClaimLost)
	if !strings.Contains(one.Status.Message, "human:kim") || f.agent.results[0].Signal == "" && !f.agent.results[0].Canceled {
		t.Errorf("%s; the executor ended so: %+v", one.Status.Message, f.agent.results[0])
	}
	if ses, err := kind.Sessions.Get(f.there(one), one.Status.Session); err != nil || ses.Status != session.Failed {
		t.Errorf("its session is %s, %v", ses.Status, err)
	}
	f.clean(one)
	if text := f.git(f.s.Root, "show", "cairn/PROJ-1:file"); text != "good" {
		t.Errorf("what it made is lost; the branch has %q", text)
	}
	f.want(f.run(), job.Failed, job.Setup) // kim holds the task
}

func TestSlowAJobThatEndsBeforeItLearnsThatItsClaimIsLost(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	kim := f.shared()
	f.agent.does = f.takenOver(kim)
	one := f.run()
	f.want(one, job.Failed, job.ClaimLost)
	if got := f.task(one); got.Status == f.there(one).Config.Flow.Review {
		t.Errorf("the task is %s", got.Status)
	}
}

// A job asks the remote by itself, and does not work on for nothing until its claim would be renewed.
func TestSlowAJobLearnsThatItsClaimIsLost(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	kim := f.shared()
	f.agent.line = "sleep 600"
	f.agent.does = func(executor.Run) { f.taken(kim) }
	begun := time.Now()
	f.want(f.run(), job.Failed, job.ClaimLost)
	if took := time.Since(begun); took > 90*time.Second {
		t.Errorf("it took %v", took)
	}
}
