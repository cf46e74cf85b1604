package verb_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/activity"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

// bell is a Watcher that ticks when the test says so, and never else.
type bell struct{ ticks chan struct{} }

func (b bell) Watch(store.Layout) (<-chan struct{}, func()) { return b.ticks, func() {} }

// waiting is a wait that was begun.
type waiting struct {
	t     *testing.T
	bell  bell
	ended chan struct{}
	out   activity.Waited
	err   error
}

// begin begins a wait, which has looked and blocks, or has ended, when it returns. It is called in a bubble.
func begin(t *testing.T, ctx context.Context, w verb.Workspace, in args) *waiting { //nolint:revive // the test comes first
	t.Helper()
	wait := &waiting{t: t, bell: bell{make(chan struct{})}, ended: make(chan struct{})}
	w.Watcher = wait.bell
	go func() {
		defer close(wait.ended)
		wait.out, wait.err = callWith[activity.Waited](t, ctx, &w, "wait", in)
	}()
	synctest.Wait()
	return wait
}

// tick has the wait look again, if it has not ended.
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

// must calls a verb that has to succeed.
func must(t *testing.T, w *verb.Workspace, name string, in args) result {
	t.Helper()
	r, err := try(t, w, name, in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// A wait is told here in steps: what is watched, what happens during it, and how it ends.
func TestWait(t *testing.T) {
	closed := func(t *testing.T, w *verb.Workspace, id string) {
		must(t, w, "transition", args{"id": id, "to": "canceled"})
	}
	noted := func(t *testing.T, w *verb.Workspace, id string) {
		must(t, w, "note", args{"id": id, "text": "Found it."})
	}
	claimed := func(t *testing.T, w *verb.Workspace, id string) { must(t, w, "claim", args{"id": id}) }
	for _, tt := range []struct {
		name    string
		in      args // with the id of the task as "id", where it watches one
		happens func(t *testing.T, w *verb.Workspace, id string)
		code    activity.WaitCode // "" for a wait that goes on
		changed []activity.Change
	}{
		{"a task is moved", args{"id": ""}, closed, activity.TaskChanged, []activity.Change{{Field: "status", From: "backlog", To: "canceled"}}},
		{"a task is noted on", args{"id": ""}, noted, activity.TaskChanged, nil},
		{"a task is claimed", args{"id": ""}, claimed, activity.TaskChanged,
			[]activity.Change{{Field: "assignee", To: "human:lee"}, {Field: "claim", To: "human:lee"}, {Field: "worktree", To: "WORKSPACE"}}},
		{"nothing happens", args{"id": ""}, nil, "", nil},
		{"a task comes to the state", args{"id": "", "wait_for_status": "canceled"}, closed, activity.TaskChanged,
			[]activity.Change{{Field: "status", From: "backlog", To: "canceled"}}},
		{"something else happens to it", args{"id": "", "wait_for_status": "canceled"}, noted, "", nil},
		{"a task leaves the filter", args{"status": "backlog"}, closed, activity.TaskChanged, []activity.Change{{Task: "ID", Field: "fits", From: "yes", To: "no"}}},
		{"a task comes under the filter", args{"assignee": "me"}, claimed, activity.TaskChanged, []activity.Change{{Task: "ID", Field: "fits", From: "no", To: "yes"}}},
		{"nothing that the filter lets through", args{"status": "done"}, closed, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := inside(t)
			id := must(t, w, "create", args{"title": "Pay"}).ID
			in := args{}
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
					out.Changed[i].Task = task.ID(strings.Replace(string(c.Task), id, "ID", 1))
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

// What was so before the wait began ends it at once: the state, the work, or a change since the cursor.
func TestWaitThatEndsAtOnce(t *testing.T) {
	w := inside(t)
	id := must(t, w, "create", args{"title": "Pay"}).ID
	looked, err := call[activity.Waited](t, w, "wait", args{"id": id, "timeout_seconds": 0})
	if err != nil || looked.Code != activity.WaitTimeout {
		t.Fatalf("a look: %+v, %v", looked, err)
	}
	again, err := call[activity.Waited](t, w, "wait", args{"id": id, "timeout_seconds": 0, "cursor": looked.Cursor})
	if err != nil || again.Code != activity.WaitTimeout || again.Cursor != looked.Cursor {
		t.Errorf("nothing happened, and it says %+v, %v", again, err)
	}
	must(t, w, "transition", args{"id": id, "to": "in_review"})
	must(t, w, "transition", args{"id": id, "to": "in_progress"})
	for _, tt := range []struct {
		name string
		in   args
		code activity.WaitCode
	}{
		{"since the cursor", args{"id": id, "cursor": looked.Cursor}, activity.ChangedSinceCursor},
		{"in the state already", args{"id": id, "wait_for_status": []string{"done", "in_progress"}, "cursor": looked.Cursor}, activity.AlreadyAtStatus},
		{"work already", args{"ready": true}, activity.AlreadyAtStatus},
		{"work, and another than at the cursor", args{"ready": true, "cursor": looked.Cursor}, activity.ChangedSinceCursor},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := call[activity.Waited](t, w, "wait", tt.in)
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
	w := inside(t)
	w.Reads = &verb.SharedReads{}
	id := must(t, w, "create", args{"title": "Pay"}).ID
	synctest.Test(t, func(t *testing.T) {
		before, beside := begin(t, t.Context(), *w, args{"status": "backlog"}), begin(t, t.Context(), *w, args{"status": "backlog"})
		must(t, w, "note", args{"id": id, "text": "Found it."})
		after := begin(t, t.Context(), *w, args{"status": "backlog"})
		before.tick()
		if cursor := before.end(activity.TaskChanged).Cursor; cursor == "" || !after.on() {
			t.Fatalf("one that began afterwards ends with %+v", after.out)
		}
		must(t, w, "transition", args{"id": id, "to": "canceled"})
		after.tick()
		beside.tick()
		want := []activity.Change{{Task: task.ID(id), Field: "fits", From: "yes", To: "no"}}
		for _, wait := range []*waiting{after, beside} {
			if out := wait.end(activity.TaskChanged); !slices.Equal(out.Changed, want) || *out.Total != 0 {
				t.Errorf("changed: %+v, %d left", out.Changed, *out.Total)
			}
		}
	})
}

// Ready means that next would find something: not that something is ready which somebody holds, or which waits.
func TestWaitForWork(t *testing.T) {
	w := inside(t)
	first := must(t, w, "create", args{"title": "First"}).ID
	must(t, w, "create", args{"title": "Second", "deps": []string{first}})
	must(t, w, "claim", args{"id": first})
	synctest.Test(t, func(t *testing.T) {
		wait := begin(t, t.Context(), *w, args{"ready": true})
		must(t, w, "note", args{"id": first, "text": "at work"})
		wait.tick()
		if !wait.on() {
			t.Fatalf("there is nothing to be had, and it ends with %+v", wait.out)
		}
		must(t, w, "transition", args{"id": first, "to": "done"})
		wait.tick()
		out := wait.end(activity.TaskChanged)
		if len(out.Tasks) != 1 || out.Tasks[0].Title != "Second" {
			t.Errorf("it names %+v", out.Tasks)
		}
	})
	if work, err := call[tasks.Work](t, w, "next", args{}); err != nil || work.Task == nil {
		t.Errorf("next finds %+v, %v", work, err)
	}
}

// Who looks for work of one kind waits for work of that kind.
func TestWaitForWorkWithALabel(t *testing.T) {
	w := inside(t)
	must(t, w, "create", args{"title": "A page", "labels": []string{"docs"}})
	synctest.Test(t, func(t *testing.T) {
		wait := begin(t, t.Context(), *w, args{"ready": true, "label": "api"})
		wait.tick()
		if !wait.on() {
			t.Fatalf("there is nothing of that label, and it ends with %+v", wait.out)
		}
		must(t, w, "create", args{"title": "A call", "labels": []string{"api"}})
		wait.tick()
		out := wait.end(activity.TaskChanged)
		if len(out.Tasks) != 1 || out.Tasks[0].Title != "A call" {
			t.Errorf("it names %+v", out.Tasks)
		}
	})
}

// A heartbeat is a change of its session, and none of the task.
func TestWaitAndHeartbeats(t *testing.T) {
	w := inside(t)
	id := must(t, w, "create", args{"title": "Pay"}).ID
	ses := must(t, w, "begin", args{"id": id, "expected_actor": w.Actor, "idempotency_key": "k"}).ID
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		onTask := begin(t, ctx, *w, args{"id": id})
		onSession := begin(t, ctx, *w, args{"session": ses})
		must(t, w, "heartbeat", args{"session": ses, "progress": "half done"})
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

// A file that is away for a moment, as during a checkout, is no news. A task that stays away for two seconds was deleted.
func TestWaitForADeletedTask(t *testing.T) {
	w := inside(t)
	id := must(t, w, "create", args{"title": "Pay"}).ID
	path := filepath.Join(w.Dir, ".cairn", "tasks", id+".md")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		onTask, onTasks := begin(t, t.Context(), *w, args{"id": id}), begin(t, t.Context(), *w, args{"status": "backlog"})
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
	if _, err := call[activity.Waited](t, w, "wait", args{"id": id}); task.CodeOf(err) != task.NotFound {
		t.Errorf("a task that never was there: %v", err)
	}
}

// A write is told once, however many files it writes: when it has ended the task is as the wait saw it.
func TestWaitTellsAWriteOnce(t *testing.T) {
	w := inside(t)
	w.Watcher = &store.Watcher{}
	id := must(t, w, "create", args{"title": "Pay"}).ID
	look := func() string {
		out, err := call[activity.Waited](t, w, "wait", args{"id": id, "timeout_seconds": 0})
		if err != nil {
			t.Fatal(err)
		}
		return out.Cursor
	}
	for _, write := range []struct {
		verb string
		in   args
	}{
		{"claim", args{"id": id}}, {"note", args{"id": id, "text": "Found it."}}, {"release", args{"id": id}},
		{"begin", args{"id": id, "expected_actor": w.Actor, "idempotency_key": "k"}}, {"transition", args{"id": id, "to": "done"}},
	} {
		answer := make(chan activity.Waited, 1)
		cursor := look()
		go func() {
			out, err := call[activity.Waited](t, w, "wait", args{"id": id, "cursor": cursor, "timeout_seconds": 60})
			if err != nil {
				t.Error(err)
			}
			answer <- out
		}()
		must(t, w, write.verb, write.in)
		if told := (<-answer).Cursor; told == cursor || told != look() {
			t.Errorf("%s: before %s, told %s, after it %s", write.verb, cursor, told, look())
		}
	}
}

// How long a wait lasts is told by the caller, else by the config; a caller that is told nothing meanwhile gives up sooner.
func TestWaitTimesOut(t *testing.T) {
	w := inside(t)
	id := must(t, w, "create", args{"title": "Pay"}).ID
	for _, tt := range []struct {
		name     string
		timeout  any
		patience time.Duration
		listens  bool
		took     time.Duration
	}{
		{"as long as the config says", nil, 0, false, 30 * time.Minute},
		{"as long as it was told", 90, 45 * time.Second, false, 90 * time.Second},
		{"a part of a second", "0.5", 45 * time.Second, false, 500 * time.Millisecond},
		{"as long as an impatient caller waits", nil, 45 * time.Second, false, 45 * time.Second},
		{"longer for one that is told how it goes", nil, 45 * time.Second, true, 30 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, reports := *w, 0
				w.Patience = tt.patience
				if tt.listens {
					w.Progress = func(verb.Progress) { reports++ }
				}
				in := args{"id": id}
				if tt.timeout != nil {
					in["timeout_seconds"] = tt.timeout
				}
				began := time.Now()
				out := begin(t, t.Context(), w, in).end(activity.WaitTimeout)
				if took := time.Since(began); took != tt.took || out.Cursor == "" || out.Task.ID != task.ID(id) {
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
	w := inside(t)
	id := must(t, w, "create", args{"title": "Pay"}).ID
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		wait := begin(t, ctx, *w, args{"id": id})
		cancel(verb.ErrEndOfInput)
		if out := wait.end(activity.WaitInterrupted); out.Cursor == "" {
			t.Errorf("it says %+v", out)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		wait = begin(t, ctx, *w, args{"id": id})
		giveUp()
		if <-wait.ended; !errors.Is(wait.err, context.Canceled) {
			t.Errorf("it ends with %+v, %v", wait.out, wait.err)
		}
	})
}

func TestWaitsThatAreRefused(t *testing.T) {
	w := inside(t)
	for _, tt := range []struct {
		name string
		in   args
		code task.Code
	}{
		{"two things to watch", args{"id": "PROJ-1", "ready": true}, task.InvalidParams},
		{"a state to wait for, of no task", args{"ready": true, "wait_for_status": "done"}, task.InvalidParams},
		{"a cursor of something else", args{"ready": true, "cursor": "bm90IG9uZQ"}, task.InvalidParams},
		{"a state that there is not", args{"id": "PROJ-1", "wait_for_status": "dun"}, task.UnknownState},
		{"a filter on a state that there is not", args{"status": "dun"}, task.UnknownState},
		{"less than no time", args{"ready": true, "timeout_seconds": -1}, task.InvalidTimeout},
		{"longer than the config allows", args{"ready": true, "timeout_seconds": 3600.5}, task.InvalidTimeout},
		{"a time that is no number", args{"ready": true, "timeout_seconds": "soon"}, task.InvalidInput},
		{"a session that is not there", args{"session": "ses-1"}, task.NotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if out, err := call[activity.Waited](t, w, "wait", tt.in); task.CodeOf(err) != tt.code {
				t.Errorf("got %+v, %v; want %s", out, err, tt.code)
			}
		})
	}
}

// Git takes the files of a branch away and brings those of the other, 300 at a time. Whoever waits on one of them hears of
// what is new in it, once, and never that it was deleted.
func TestWaitBesideACheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := outside(t, verb.Maintainer)
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

	w.Watcher = &store.Watcher{}
	cursor, status := "", "in_review"
	for _, branch := range []string{"main", "other", "main", "other"} {
		before, err := call[activity.Waited](t, w, "wait", args{"id": "T-fh", "timeout_seconds": 0})
		if err != nil || cursor != "" && before.Cursor != cursor {
			t.Fatalf("before %s: %+v, %v", branch, before, err)
		}
		answers := make(chan activity.Waited, 1)
		go func() {
			out, err := call[activity.Waited](t, w, "wait", args{"id": "T-fh", "timeout_seconds": 60, "cursor": before.Cursor})
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
