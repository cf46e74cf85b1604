package mcpserver_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	verbs "github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withJobs is a workspace in which jobs can be started, and its store.
func withJobs(t *testing.T) (verb.Workspace, *store.Store) {
	t.Helper()
	w := newWorkspace(t)
	w.Profile, w.ConfigDir = verb.Maintainer, t.TempDir()
	verbtest.PrepareJobs(t, &w)
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	return w, s
}

// createJob creates a job without a server.
func createJob(t *testing.T, s *store.Store, id string) *jobs.Owned {
	t.Helper()
	spec := job.Spec{Job: id, Task: "PROJ-1", By: "human:lee", Executor: "mine", Output: job.Edits, Priority: job.P1, TTL: 60, Timeout: 60, CreatedAt: time.UnixMilli(1_700_000_000_123)}
	if _, _, err := work.Jobs(s).Create(t.Context(), spec, func([]job.Job) (*job.Job, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	o, err := work.Jobs(s).Own(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Release() })
	return o
}

func changeJob(t *testing.T, o *jobs.Owned, fn func(*job.Status)) {
	t.Helper()
	if err := o.Change(fn); err != nil {
		t.Fatal(err)
	}
}

func TestTheStatusOfAJobIsAResource(t *testing.T) {
	w, s := withJobs(t)
	for i, era := range eras {
		t.Run(era, func(t *testing.T) {
			id := []string{"job-a", "job-b"}[i]
			o := createJob(t, s, id)
			cs := connectAs(t, w, era)
			changeJob(t, o, func(s *job.Status) {
				s.State, s.Attempt, s.StartedAt = job.Running, 1, time.UnixMilli(1_700_000_001_000)
			})
			changeJob(t, o, func(s *job.Status) {
				s.State, s.Reason, s.FinishedAt = job.Failed, job.Timeout, time.UnixMilli(1_700_000_002_500)
				s.PR = &job.PR{URL: "https://example.com/1", Number: 1, Status: "open"}
			})
			got := readResource(t, cs, "cairn://job/"+id+"/status")
			want := `{"state":"FAILED","stateVersion":3,"createdAt":1700000000123,"startedAt":1700000001000,"finishedAt":1700000002500,"durationMs":1500,` +
				`"attempt":1,"reasonCode":"TIMEOUT","pr":{"url":"https://example.com/1","number":1,"status":"open"}}`
			if strings.Join(strings.Fields(got), "") != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestTheFilesOfAJobAreResources(t *testing.T) {
	w, s := withJobs(t)
	createJob(t, s, "job-a")
	cs := connect(t, w)
	for name, wants := range map[string]struct{ file, mime, text string }{
		"patch.diff": {"patch.diff", "text/plain", "diff --git\n"},
		"out.md":     {"out.md", "text/markdown", "# Plan\n"},
		"logs.txt":   {"stderr.log", "text/plain", "warned\n"},
		"pr.json":    {"pr.json", "application/json", "{}"},
	} {
		uri := "cairn://job/job-a/artifacts/" + name
		if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), string(record.ArtifactMissing)) {
			t.Errorf("%s, which is not there, gives %v", name, err)
		}
		storetest.WriteFile(t, work.Jobs(s).File("job-a", wants.file), wants.text)
		got, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || got.Contents[0].MIMEType != wants.mime || !strings.HasSuffix(got.Contents[0].Text, wants.text) {
			t.Errorf("%s is %+v, %v", name, got, err)
		}
	}
	for uri, want := range map[string]string{
		"cairn://job/job-none/status":               "RESOURCE_NOT_FOUND:",
		"cairn://job/job-none/artifacts/out.md":     "RESOURCE_NOT_FOUND:",
		"cairn://job/..%2Fjob-a/status":             "INVALID_INPUT:",
		"cairn://job/job-a/artifacts/state.json":    "resource not found", // no resource has such a URI
		"cairn://job/job-a/artifacts/../state.json": "resource not found",
	} {
		if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %s", uri, err, want)
		}
	}
	found, err := cs.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "cairn://job/{id}/status"}, Argument: mcp.CompleteParamsArgument{Name: "id", Value: "job-"},
	})
	if err != nil || len(found.Completion.Values) != 1 || found.Completion.Values[0] != "job-a" {
		t.Errorf("completed to %+v, %v", found, err)
	}
}

func TestALinkInPlaceOfAFileOfAJobIsNotRead(t *testing.T) {
	w, s := withJobs(t)
	createJob(t, s, "job-a")
	secret := t.TempDir() + "/secret"
	storetest.WriteFile(t, secret, "secret")
	storetest.Link(t, secret, work.Jobs(s).File("job-a", "out.md"))
	_, err := connect(t, w).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cairn://job/job-a/artifacts/out.md"})
	if err == nil || !strings.Contains(err.Error(), string(record.ArtifactMissing)) {
		t.Errorf("it gives %v", err)
	}
}

func TestACallerWithoutTheToolsOfJobsReadsNone(t *testing.T) {
	w, s := withJobs(t)
	createJob(t, s, "job-a")
	w.Toolsets = []verb.Toolset{verb.Core}
	cs := connect(t, w)
	if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cairn://job/job-a/status"}); err == nil || !strings.Contains(err.Error(), "--toolsets jobs") {
		t.Errorf("it gives %v", err)
	}
	list, err := cs.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list.ResourceTemplates {
		if strings.HasPrefix(r.URITemplate, "cairn://job/") {
			t.Errorf("%s is listed", r.URITemplate)
		}
	}
}

// A client may subscribe before there is the job, and is told of each version of it: when it appears, changes, and
// leaves a file.
func TestUpdatesOfAJobCarryItsVersion(t *testing.T) {
	w, s := withJobs(t)
	w.Watcher = clockwork{}
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, w)
		defer c.end()
		c.subscribe(0, "cairn://job/job-a/status")
		c.subscribe(1, "cairn://job/job-a/artifacts/patch.diff")
		c.subscribe(2, "cairn://job/..%2f/status")
		synctest.Wait()
		if said := c.out.take(); strings.Count(said, `"error"`) != 1 || !strings.Contains(said, string(record.InvalidInput)) {
			t.Errorf("subscribing gives %s", said)
		}
		told := func(want ...string) {
			t.Helper()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			said := c.out.take()
			if strings.Count(said, updated) != len(want) {
				t.Errorf("told of %s, want %v", said, want)
			}
			for _, params := range want {
				if !strings.Contains(said, params) {
					t.Errorf("told of %s, want %s", said, params)
				}
			}
		}
		o := createJob(t, s, "job-a")
		told(`{"stateVersion":1,"uri":"cairn://job/job-a/status"}`)
		changeJob(t, o, func(s *job.Status) { s.State = job.Running })
		told(`{"stateVersion":2,"uri":"cairn://job/job-a/status"}`)
		storetest.WriteFile(t, work.Jobs(s).File("job-a", "patch.diff"), "diff")
		changeJob(t, o, func(s *job.Status) { s.Summary = "patched" })
		told(`{"stateVersion":3,"uri":"cairn://job/job-a/status"}`, `{"stateVersion":3,"uri":"cairn://job/job-a/artifacts/patch.diff"}`)
		told()
	})
}

// Every client hears once that a job has ended, also when its supervisor was killed and it was canceled then. Jobs that
// ended before are no news.
func TestTheEndOfAJobIsTold(t *testing.T) {
	w, s := withJobs(t)
	w.Toolsets = []verb.Toolset{verb.Core, verb.Jobs}
	w.Watcher = clockwork{}
	synctest.Test(t, func(t *testing.T) {
		old := createJob(t, s, "job-old")
		changeJob(t, old, func(s *job.Status) { s.State = job.Failed })
		c := newClient(t, w)
		defer c.end()
		good, bad := createJob(t, s, "job-good"), createJob(t, s, "job-bad")
		storetest.WriteFile(t, work.Jobs(s).File("job-good", "patch.diff"), "diff")
		for _, o := range []*jobs.Owned{good, bad} {
			changeJob(t, o, func(s *job.Status) { s.State, s.Attempt, s.StartedAt = job.Running, 1, time.UnixMilli(1000) })
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if said := c.out.take(); strings.Contains(said, "notifications/job") {
			t.Errorf("nothing has ended, and it says %s", said)
		}
		changeJob(t, good, func(s *job.Status) { s.State, s.Summary, s.FinishedAt = job.Succeeded, "done", time.UnixMilli(3000) })
		changeJob(t, bad, func(s *job.Status) { s.State, s.Summary, s.Reason = job.Failed, "broken", job.Conflict })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		said := c.out.take()
		for _, want := range []string{
			`"method":"notifications/job/finished","params":{"artifacts":{"patch":"cairn://job/job-good/artifacts/patch.diff"},"attempt":1,"durationMs":2000,"finishedAt":3000,"jobId":"job-good","startedAt":1000,"state":"SUCCEEDED","stateVersion":3,"summary":"done"}`,
			`"method":"notifications/job/failed","params":{"attempt":1,"jobId":"job-bad","reasonCode":"CONFLICT","state":"FAILED","stateVersion":3,"summary":"broken"}`,
		} {
			if strings.Count(said, want) != 1 {
				t.Errorf("it says %s, want %s", said, want)
			}
		}
		changeJob(t, good, func(s *job.Status) { s.PR = &job.PR{URL: "u", Number: 1, Status: "open"} })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if said := c.out.take(); strings.Contains(said, "notifications/job") {
			t.Errorf("it says again %s", said)
		}
	})
}

// A server that went to another workspace reads the jobs there, and tells of their end; those of the workspace that it
// left are not read any more.
func TestAServerThatWentElsewhereReadsTheJobsThere(t *testing.T) {
	w, here := withJobs(t)
	w.Toolsets = []verb.Toolset{verb.Core, verb.Jobs}
	w.Watcher, w.Reads = clockwork{}, &verb.SharedReads{}
	elsewhere, there := withJobs(t)
	projects.Note(t.Context(), &w, there)
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(w, slog.New(slog.DiscardHandler))
		srv.ChangeProjects()
		out := &screen{}
		c := serveTo(t, srv, out)
		c.out = out
		defer c.end()
		left, next := createJob(t, here, "job-left"), createJob(t, there, "job-next")
		c.call(1, "project_open", fmt.Sprintf(`{"project":%q}`, elsewhere.Dir))
		synctest.Wait()
		if said := c.out.take(); !strings.Contains(said, `"open":true`) && !strings.Contains(said, `\"open\":true`) {
			t.Fatalf("project_open says %s", said)
		}
		for id, job := range []string{"job-next", "job-left"} {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"cairn://job/%s/status"}}`+"\n", id+2, job))
		}
		synctest.Wait()
		if said := c.out.take(); !strings.Contains(said, "QUEUED") || strings.Count(said, string(record.ResourceNotFound)) != 1 {
			t.Errorf("the jobs are read as %s", said)
		}
		for _, o := range []*jobs.Owned{left, next} {
			changeJob(t, o, func(s *job.Status) { s.State = job.Failed })
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if said := c.out.take(); !strings.Contains(said, `"jobId":"job-next"`) || strings.Contains(said, "job-left") {
			t.Errorf("it tells of %s", said)
		}
	})
}

// What job_start refuses because a job lives leads to that job.
func TestSlowARefusedStartLeadsToTheLiveJob(t *testing.T) {
	slowtest.Skip(t)
	w, _ := withJobs(t)
	cs := connect(t, w)
	made := does[verb.Task](t, cs, "create", object{"title": "Pay"})
	first := does[verbs.Job](t, cs, "job_start", object{"id": made.ID, "executor": "mine"})
	failure := refused(t, cs, record.AlreadyClaimed, "job_start", object{"id": made.ID, "executor": "mine"})
	if failure.NextTool != "job_poll" {
		t.Fatalf("it leads to %s", failure.NextTool)
	}
	if got := does[verbs.Polled](t, cs, failure.NextTool, failure.NextArguments); got.Job.Job != first.Job {
		t.Errorf("the next call shows %+v", got)
	}
}
