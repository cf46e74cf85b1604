package activity_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/watch"
)

// bell is a Watcher that ticks when the test says so, and never else.
type bell struct{ ticks chan struct{} }

func (b bell) Watch(layout.Layout) (<-chan struct{}, func()) { return b.ticks, func() {} }

// waiting is a wait that was begun.
type waiting struct {
	t     *testing.T
	bell  bell
	ended chan struct{}
	out   activity.Waited
	err   error
}

// begin begins a wait. When it returns, the wait has read and blocks, or has ended. It is called inside synctest.Test.
func begin(t *testing.T, ctx context.Context, w verb.Workspace, in verbtest.Args) *waiting { //nolint:revive // the test comes first
	t.Helper()
	wait := &waiting{t: t, bell: bell{make(chan struct{})}, ended: make(chan struct{})}
	w.Watcher = wait.bell
	go func() {
		defer close(wait.ended)
		wait.out, wait.err = verbtest.CallWith[activity.Waited](t, ctx, &w, "wait", in)
	}()
	synctest.Wait()
	return wait
}

// tick makes the wait read again, if it has not ended.
func (w *waiting) tick() {
	w.t.Helper()
	select {
	case <-w.ended:
	case w.bell.ticks <- struct{}{}:
	}
	synctest.Wait()
}

// on reports whether the wait goes on.
func (w *waiting) on() bool {
	select {
	case <-w.ended:
		return false
	default:
		return true
	}
}

// end waits for the end and wants the code.
func (w *waiting) end(code activity.WaitCode) activity.Waited {
	w.t.Helper()
	<-w.ended
	if w.err != nil || w.out.Code != code {
		w.t.Fatalf("it ends with %s, %v; want %s", w.out.Code, w.err, code)
	}
	return w.out
}

// Each row is a wait: what is watched, what happens during it, and how it ends.
func TestWait(t *testing.T) {
	closed := func(t *testing.T, w *verb.Workspace, id string) {
		verbtest.Must(t, w, "transition", verbtest.Args{"id": id, "to": "canceled"})
	}
	noted := func(t *testing.T, w *verb.Workspace, id string) {
		verbtest.Must(t, w, "note", verbtest.Args{"id": id, "text": "Found it."})
	}
	claimed := func(t *testing.T, w *verb.Workspace, id string) {
		verbtest.Must(t, w, "claim", verbtest.Args{"id": id})
	}
	for _, tt := range []struct {
		name    string
		in      verbtest.Args // with the id of the task as "id", where it watches one
		happens func(t *testing.T, w *verb.Workspace, id string)
		code    activity.WaitCode // "" for a wait that goes on
		changed []activity.Change
	}{
		{"a task is moved", verbtest.Args{"id": ""}, closed, activity.TaskChanged, []activity.Change{{Field: "status", From: "backlog", To: "canceled"}}},
		{"a task is noted on", verbtest.Args{"id": ""}, noted, activity.TaskChanged, nil},
		{"a task is claimed", verbtest.Args{"id": ""}, claimed, activity.TaskChanged,
			[]activity.Change{{Field: "assignee", To: "human:lee"}, {Field: "claim", To: "human:lee"}, {Field: "worktree", To: "WORKSPACE"}}},
		{"nothing happens", verbtest.Args{"id": ""}, nil, "", nil},
		{"a task comes to the state", verbtest.Args{"id": "", "wait_for_status": "canceled"}, closed, activity.TaskChanged,
			[]activity.Change{{Field: "status", From: "backlog", To: "canceled"}}},
		{"something else happens to it", verbtest.Args{"id": "", "wait_for_status": "canceled"}, noted, "", nil},
		{"a task leaves the filter", verbtest.Args{"status": "backlog"}, closed, activity.TaskChanged, []activity.Change{{Task: "ID", Field: "fits", From: "yes", To: "no"}}},
		{"a task comes under the filter", verbtest.Args{"assignee": "me"}, claimed, activity.TaskChanged, []activity.Change{{Task: "ID", Field: "fits", From: "no", To: "yes"}}},
		{"nothing that the filter lets through", verbtest.Args{"status": "done"}, closed, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := verbtest.NewWorkspace(t)
			id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
			in := verbtest.Args{}
			for k, v := range tt.in {
				in[k] = v
			}
			if _, one := in["id"]; one {
				in["id"] = id
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				wait := begin(t, ctx, *w, in)
				if !wait.on() {
					t.Fatalf("it ends at once: %+v, %v", wait.out, wait.err)
				}
				if tt.happens != nil {
					tt.happens(t, w, id)
				}
				wait.tick()
				if tt.code == "" {
					if !wait.on() {
						t.Errorf("it ends: %+v, %v", wait.out, wait.err)
					}
					return
				}
				out := wait.end(tt.code)
				for i, c := range out.Changed {
					out.Changed[i].Task = record.ID(strings.Replace(string(c.Task), id, "ID", 1))
					if c.Field == "worktree" {
						out.Changed[i].To = "WORKSPACE"
					}
				}
				if !slices.Equal(out.Changed, tt.changed) {
					t.Errorf("changed: %+v", out.Changed)
				}
			})
		})
	}
}

// What was there before the wait began ends it at once: the state, the work, or a change since the cursor.
func TestWaitThatEndsAtOnce(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
	first, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": id, "timeout_seconds": 0})
	if err != nil || first.Code != activity.WaitTimeout {
		t.Fatalf("a first read: %+v, %v", first, err)
	}
	again, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": id, "timeout_seconds": 0, "cursor": first.Cursor})
	if err != nil || again.Code != activity.WaitTimeout || again.Cursor != first.Cursor {
		t.Errorf("nothing happened, and it says %+v, %v", again, err)
	}
	verbtest.Must(t, w, "transition", verbtest.Args{"id": id, "to": "in_review"})
	verbtest.Must(t, w, "transition", verbtest.Args{"id": id, "to": "in_progress"})
	for _, tt := range []struct {
		name string
		in   verbtest.Args
		code activity.WaitCode
	}{
		{"since the cursor", verbtest.Args{"id": id, "cursor": first.Cursor}, activity.ChangedSinceCursor},
		{"since a time", verbtest.Args{"id": id, "cursor": "2026-01-01T00:00:00Z"}, activity.ChangedSinceCursor},
		{"since a time to come", verbtest.Args{"id": id, "cursor": "2999-01-01T00:00:00Z", "timeout_seconds": 0}, activity.WaitTimeout},
		{"in the state already", verbtest.Args{"id": id, "wait_for_status": []string{"done", "in_progress"}, "cursor": first.Cursor}, activity.AlreadyAtStatus},
		{"work already", verbtest.Args{"ready": true}, activity.AlreadyAtStatus},
		{"work, and another than at the cursor", verbtest.Args{"ready": true, "cursor": first.Cursor}, activity.ChangedSinceCursor},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := verbtest.Call[activity.Waited](t, w, "wait", tt.in)
			if err != nil || out.Code != tt.code {
				t.Fatalf("got %+v, %v", out, err)
			}
			if tt.name == "since the cursor" {
				if want := (activity.Change{Field: "status", From: "backlog", To: "in_progress"}); !slices.Contains(out.Changed, want) || len(out.Entries) != 2 {
					t.Errorf("changed: %+v, entries %+v", out.Changed, out.Entries)
				}
			}
		})
	}
}

// Waits that share their reads each answer with what happened since they began.
func TestWaitsThatShareTheirReads(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	w.Reads = &verb.SharedReads{}
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
	synctest.Test(t, func(t *testing.T) {
		before, beside := begin(t, t.Context(), *w, verbtest.Args{"status": "backlog"}), begin(t, t.Context(), *w, verbtest.Args{"status": "backlog"})
		verbtest.Must(t, w, "note", verbtest.Args{"id": id, "text": "Found it."})
		after := begin(t, t.Context(), *w, verbtest.Args{"status": "backlog"})
		before.tick()
		if cursor := before.end(activity.TaskChanged).Cursor; cursor == "" || !after.on() {
			t.Fatalf("one that began afterwards ends with %+v", after.out)
		}
		verbtest.Must(t, w, "transition", verbtest.Args{"id": id, "to": "canceled"})
		after.tick()
		beside.tick()
		want := []activity.Change{{Task: record.ID(id), Field: "fits", From: "yes", To: "no"}}
		for _, wait := range []*waiting{after, beside} {
			if out := wait.end(activity.TaskChanged); !slices.Equal(out.Changed, want) || *out.Total != 0 {
				t.Errorf("changed: %+v, %d left", out.Changed, *out.Total)
			}
		}
	})
}

// Ready means that next would find something: not that something is ready which somebody holds, or which waits.
func TestWaitForWork(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	first := verbtest.Must(t, w, "create", verbtest.Args{"title": "First"}).ID
	verbtest.Must(t, w, "create", verbtest.Args{"title": "Second", "deps": []string{first}})
	verbtest.Must(t, w, "claim", verbtest.Args{"id": first})
	synctest.Test(t, func(t *testing.T) {
		wait := begin(t, t.Context(), *w, verbtest.Args{"ready": true})
		verbtest.Must(t, w, "note", verbtest.Args{"id": first, "text": "at work"})
		wait.tick()
		if !wait.on() {
			t.Fatalf("there is nothing to be had, and it ends with %+v", wait.out)
		}
		verbtest.Must(t, w, "transition", verbtest.Args{"id": first, "to": "done"})
		wait.tick()
		out := wait.end(activity.TaskChanged)
		if len(out.Tasks) != 1 || out.Tasks[0].Title != "Second" {
			t.Errorf("it names %+v", out.Tasks)
		}
	})
	if work, err := verbtest.Call[tasks.Work](t, w, "next", verbtest.Args{}); err != nil || work.Task == nil {
		t.Errorf("next finds %+v, %v", work, err)
	}
}

// A wait for work ends when the day comes before which a task is not ready, though no file changes then.
func TestWaitForTheDayOfATask(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	var now atomic.Int64
	now.Store(time.Date(2026, 6, 20, 23, 59, 0, 0, time.UTC).Unix())
	w.Now = func() time.Time { return time.Unix(now.Load(), 0) }
	verbtest.Must(t, w, "create", verbtest.Args{"title": "Later", "after": "2026-06-21"})
	synctest.Test(t, func(t *testing.T) {
		wait := begin(t, t.Context(), *w, verbtest.Args{"ready": true})
		wait.tick()
		if !wait.on() {
			t.Fatalf("its day has not come, and it ends with %+v", wait.out)
		}
		now.Add(60)
		wait.tick()
		out := wait.end(activity.TaskChanged)
		if len(out.Tasks) != 1 || !out.Tasks[0].Ready {
			t.Errorf("it names %+v", out.Tasks)
		}
	})
}

// A wait for work with a label is for work with that label.
func TestWaitForWorkWithALabel(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	verbtest.Must(t, w, "create", verbtest.Args{"title": "A page", "labels": []string{"docs"}})
	synctest.Test(t, func(t *testing.T) {
		wait := begin(t, t.Context(), *w, verbtest.Args{"ready": true, "label": "api"})
		wait.tick()
		if !wait.on() {
			t.Fatalf("there is nothing of that label, and it ends with %+v", wait.out)
		}
		verbtest.Must(t, w, "create", verbtest.Args{"title": "A call", "labels": []string{"api"}})
		wait.tick()
		out := wait.end(activity.TaskChanged)
		if len(out.Tasks) != 1 || out.Tasks[0].Title != "A call" {
			t.Errorf("it names %+v", out.Tasks)
		}
	})
}

// A heartbeat is a change of its session, and none of the task.
func TestWaitAndHeartbeats(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
	ses := verbtest.Must(t, w, "begin", verbtest.Args{"id": id, "expected_actor": w.Actor(), "idempotency_key": "k"}).ID
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		onTask := begin(t, ctx, *w, verbtest.Args{"id": id})
		onSession := begin(t, ctx, *w, verbtest.Args{"session": ses})
		verbtest.Must(t, w, "heartbeat", verbtest.Args{"session": ses, "progress": "half done"})
		onTask.tick()
		onSession.tick()
		if !onTask.on() {
			t.Errorf("the task changed: %+v", onTask.out)
		}
		if out := onSession.end(activity.TaskChanged); out.Session.Progress != "half done" {
			t.Errorf("the session is %+v", out.Session)
		}
	})
}

// A file that is away for a moment, as during a checkout, is no news. A task that stays away for two seconds was
// deleted.
func TestWaitForADeletedTask(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
	path := filepath.Join(w.Dir, ".cairn", "tasks", id+".md")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		onTask, onTasks := begin(t, t.Context(), *w, verbtest.Args{"id": id}), begin(t, t.Context(), *w, verbtest.Args{"status": "backlog"})
		ticks := func() { onTask.tick(); onTasks.tick() }
		remove := func() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			ticks()
		}
		remove()
		time.Sleep(1900 * time.Millisecond)
		if err := os.WriteFile(path, src, 0o644); err != nil {
			t.Fatal(err)
		}
		ticks()
		time.Sleep(10 * time.Second)
		if !onTask.on() || !onTasks.on() {
			t.Fatalf("it was away for less than two seconds: %+v, %+v", onTask.out, onTasks.out)
		}
		remove()
		began := time.Now()
		onTask.end(activity.TaskDeleted)
		onTasks.end(activity.TaskChanged)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
	if _, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": id}); record.CodeOf(err) != record.NotFound {
		t.Errorf("a task that never was there: %v", err)
	}
}

// A write is one change, however many files it writes: when it has ended the task is as the wait answered.
func TestWaitAnswersAWriteOnce(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	w.Watcher = &watch.Watcher{}
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
	read := func() string {
		out, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": id, "timeout_seconds": 0})
		if err != nil {
			t.Fatal(err)
		}
		return out.Cursor
	}
	for _, write := range []struct {
		verb string
		in   verbtest.Args
	}{
		{"claim", verbtest.Args{"id": id}}, {"note", verbtest.Args{"id": id, "text": "Found it."}}, {"release", verbtest.Args{"id": id}},
		{"begin", verbtest.Args{"id": id, "expected_actor": w.Actor(), "idempotency_key": "k"}}, {"transition", verbtest.Args{"id": id, "to": "done"}},
	} {
		answer := make(chan activity.Waited, 1)
		cursor := read()
		go func() {
			out, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": id, "cursor": cursor, "timeout_seconds": 60})
			if err != nil {
				t.Error(err)
			}
			answer <- out
		}()
		verbtest.Must(t, w, write.verb, write.in)
		if got := (<-answer).Cursor; got == cursor || got != read() {
			t.Errorf("%s: before it %s, in the answer %s, after it %s", write.verb, cursor, got, read())
		}
	}
}

// The caller says how long a wait lasts, else the config; a caller that gets no reports of progress gives up sooner.
func TestWaitTimesOut(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
	for _, tt := range []struct {
		name     string
		timeout  any
		patience time.Duration
		listens  bool
		took     time.Duration
	}{
		{"as long as the config says", nil, 0, false, 30 * time.Minute},
		{"as long as the caller says", 90, 45 * time.Second, false, 90 * time.Second},
		{"a part of a second", "0.5", 45 * time.Second, false, 500 * time.Millisecond},
		{"as long as an impatient caller waits", nil, 45 * time.Second, false, 45 * time.Second},
		{"longer for one that gets reports", nil, 45 * time.Second, true, 30 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, reports := *w, 0
				w.Patience = tt.patience
				if tt.listens {
					w.Progress = func(verb.Progress) { reports++ }
				}
				in := verbtest.Args{"id": id}
				if tt.timeout != nil {
					in["timeout_seconds"] = tt.timeout
				}
				began := time.Now()
				out := begin(t, t.Context(), w, in).end(activity.WaitTimeout)
				if took := time.Since(began); took != tt.took || out.Cursor == "" || out.Task.ID != record.ID(id) {
					t.Errorf("after %v it says %+v", took, out)
				}
				if tt.listens && reports < 179 {
					t.Errorf("it reported %d times", reports)
				}
			})
		})
	}
}

// The end of the server is an answer, with the cursor to go on from. A caller that gives up gets none.
func TestWaitIsInterrupted(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		wait := begin(t, ctx, *w, verbtest.Args{"id": id})
		cancel(verb.ErrEndOfInput)
		if out := wait.end(activity.WaitInterrupted); out.Cursor == "" {
			t.Errorf("it says %+v", out)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		wait = begin(t, ctx, *w, verbtest.Args{"id": id})
		giveUp()
		if <-wait.ended; !errors.Is(wait.err, context.Canceled) {
			t.Errorf("it ends with %+v, %v", wait.out, wait.err)
		}
	})
}

func TestWaitsThatAreRefused(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	for _, tt := range []struct {
		name string
		in   verbtest.Args
		code record.Code
	}{
		{"two things to watch", verbtest.Args{"id": "PROJ-1", "ready": true}, record.InvalidParams},
		{"a state to wait for, of no task", verbtest.Args{"ready": true, "wait_for_status": "done"}, record.InvalidParams},
		{"a cursor of something else", verbtest.Args{"ready": true, "cursor": "bm90IG9uZQ"}, record.InvalidParams},
		{"a state that there is not", verbtest.Args{"id": "PROJ-1", "wait_for_status": "dun"}, record.UnknownState},
		{"a filter on a state that there is not", verbtest.Args{"status": "dun"}, record.UnknownState},
		{"less than no time", verbtest.Args{"ready": true, "timeout_seconds": -1}, record.InvalidTimeout},
		{"longer than the config allows", verbtest.Args{"ready": true, "timeout_seconds": 3600.5}, record.InvalidTimeout},
		{"a time that is no number", verbtest.Args{"ready": true, "timeout_seconds": "soon"}, record.InvalidInput},
		{"a session that is not there", verbtest.Args{"session": "ses-1"}, record.NotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if out, err := verbtest.Call[activity.Waited](t, w, "wait", tt.in); record.CodeOf(err) != tt.code {
				t.Errorf("got %+v, %v; want %s", out, err, tt.code)
			}
		})
	}
}

// Git takes the files of a branch away and brings those of the other, 300 at a time. A wait for one of them
// ends with what is new in it, once, and never says that it was deleted.
func TestWaitBesideACheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := verbtest.EmptyFolder(t, verb.Maintainer)
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", w.Dir, "-c", "user.name=lee", "-c", "user.email=lee@example.com", "-c", "core.autocrlf=false"}, args...)
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	writeAll := func(status string) {
		for n := range 300 {
			id := "T-" + string(rune('a'+n/26)) + string(rune('a'+n%26))
			path := filepath.Join(w.Dir, ".cairn", "tasks", id+".md")
			if err := os.WriteFile(path, []byte("---\nid: "+id+"\ntitle: Pay\nstatus: "+status+"\n---\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "-m", status)
	}
	git("init", "-q", "-b", "main")
	if _, _, err := store.Init(w.Dir, "T"); err != nil {
		t.Fatal(err)
	}
	writeAll("backlog")
	git("switch", "-q", "-c", "other")
	writeAll("in_review")

	w.Watcher = &watch.Watcher{}
	cursor, status := "", "in_review"
	for _, branch := range []string{"main", "other", "main", "other"} {
		before, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": "T-fh", "timeout_seconds": 0})
		if err != nil || cursor != "" && before.Cursor != cursor {
			t.Fatalf("before %s: %+v, %v", branch, before, err)
		}
		answers := make(chan activity.Waited, 1)
		go func() {
			out, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": "T-fh", "timeout_seconds": 60, "cursor": before.Cursor})
			if err != nil {
				t.Errorf("%s: %v", branch, err)
			}
			answers <- out
		}()
		git("switch", "-q", branch)
		out := <-answers
		cursor = out.Cursor
		if !slices.Contains([]activity.WaitCode{activity.TaskChanged, activity.ChangedSinceCursor}, out.Code) || string(out.Task.Status) == status {
			t.Fatalf("%s: %+v", branch, out)
		}
		status = string(out.Task.Status)
	}
}
