package verb_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
)

// args is the input of a verb.
type args map[string]any

// inside is a person in a new workspace outside git, whose own commands may run.
func inside(t *testing.T) *verb.Workspace {
	t.Helper()
	w := outside(t, verb.Maintainer)
	w.Actor, w.Rand = "human:lee", rand.Reader
	w.Confirm = func(context.Context, []task.Ask) error { return nil }
	if _, _, err := store.Init(w.Dir, "PROJ"); err != nil {
		t.Fatal(err)
	}
	s, err := w.Open()
	if err == nil {
		err = s.SetTrust(w.Actor, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// call calls a verb and reads its result.
func call[Out any](t *testing.T, w *verb.Workspace, name string, in args) (Out, error) {
	t.Helper()
	return callWith[Out](t, t.Context(), w, name, in)
}

// callWith is call under another context than the test's.
func callWith[Out any](t *testing.T, ctx context.Context, w *verb.Workspace, name string, in args) (Out, error) { //nolint:revive // the test comes first
	t.Helper()
	v, ok := catalogue.Named(name)
	if !ok {
		t.Fatalf("there is no verb %s", name)
	}
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := v.Call(ctx, w, input)
	if err != nil {
		var none Out
		return none, err
	}
	return out.(Out), nil
}

// result is what every answer of a write says about being one that was given before.
type result struct {
	ID       string `json:"id"`
	Replayed bool   `json:"replayed"`
}

// try calls a verb, whatever it returns.
func try(t *testing.T, w *verb.Workspace, name string, in args) (result, error) {
	t.Helper()
	out, err := call[any](t, w, name, in)
	src, _ := json.Marshal(out)
	var r result
	if err := json.Unmarshal(src, &r); err != nil {
		t.Fatal(err)
	}
	return r, err
}

// files is every file of the workspace that git would see, by name.
func files(t *testing.T, w *verb.Workspace) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, dir := range []string{"tasks", "sessions"} {
		names, err := filepath.Glob(filepath.Join(w.Dir, ".cairn", dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found[filepath.Base(name)] = string(src)
		}
	}
	return found
}

// repeatable is a call of each verb that writes, on a task with a command check and a manual one, and what of its arguments
// another call could say otherwise.
var repeatable = map[string]struct{ in, other args }{
	"create":       {args{"title": "Another"}, args{"title": "Yet another"}},
	"claim":        {args{}, args{"takeover": true}},
	"next":         {args{}, args{"label": "red"}},
	"release":      {args{"reason": "lunch"}, args{"reason": "supper"}},
	"update":       {args{"title": "New"}, args{"title": "Newer"}},
	"transition":   {args{"to": "in_progress"}, args{"to": "in_review"}},
	"run_checks":   {args{}, args{"only": []int{0}}},
	"attest":       {args{"check": "1", "pass": true}, args{"check": "1", "pass": false}},
	"note":         {args{"text": "heard"}, args{"text": "unheard"}},
	"plan":         {args{"tasks": []args{{"title": "One"}, {"title": "Two", "deps": []string{"#0"}}}}, args{"tasks": []args{{"title": "One"}}}},
	"propose":      {args{"tasks": []args{{"title": "One"}}, "summary": "s"}, args{"tasks": []args{{"title": "One"}}, "summary": "t"}},
	"settings_set": {args{"key": "claim_ttl", "value": "2h"}, args{"key": "claim_ttl", "value": "3h"}},
	"delete":       {args{"reason": "twice"}, args{"reason": "wrong"}},
	"begin":        {args{"expected_actor": "human:lee"}, args{"expected_actor": "human:lee", "model": "m"}},
	"heartbeat":    {args{"progress": "half"}, args{"progress": "all"}},
	"finish":       {args{"summary": "done"}, args{"summary": "not done"}},
	"cancel":       {args{"reason": "ill"}, args{"reason": "well"}},
}

// Under an idempotency key every write is made once: the same call again changes no file and says that it is a replay, and
// the same key with other arguments is refused.
func TestEveryWriteCanBeRepeated(t *testing.T) {
	for _, v := range catalogue.All {
		if v.Kind == verb.Read {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			one, ok := repeatable[v.Name]
			if !ok {
				t.Fatal("writes, and has no call in this table")
			}
			w := inside(t)
			about := subject(t, w, v)
			first, err := try(t, w, v.Name, with(about, one.in))
			if err != nil || first.Replayed {
				t.Fatalf("the first call: replayed %t, %v", first.Replayed, err)
			}
			was := files(t, w)
			for range 2 {
				again, err := try(t, w, v.Name, with(about, one.in))
				if err != nil || !again.Replayed || again.ID != first.ID {
					t.Errorf("the call again: %+v after %+v, %v", again, first, err)
				}
			}
			_, err = try(t, w, v.Name, with(about, one.other))
			if no := catalogue.FailureOf(err, w.Rights).Error; no.Code != task.Conflict || no.Retryable {
				t.Errorf("other arguments under the key: %v", err)
			}
			wantSameFiles(t, w, was)
		})
	}
}

// subject makes what a verb is called on, and returns the arguments that name it, and a key.
func subject(t *testing.T, w *verb.Workspace, v verb.Verb) args {
	t.Helper()
	named := args{"idempotency_key": "the call"}
	if v.Name == "create" {
		return named
	}
	made, err := call[verb.Task](t, w, "create", args{"title": "One", "checks": []args{{"desc": "runs", "cmd": "true"}, {"desc": "reads well", "type": "manual"}}})
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case v.Name == "release":
		if _, err := try(t, w, "claim", args{"id": made.ID}); err != nil {
			t.Fatal(err)
		}
	case v.Group == "sessions" && v.Name != "begin":
		ses, err := call[verb.Session](t, w, "begin", args{"id": made.ID, "expected_actor": "human:lee", "idempotency_key": "the attempt"})
		if err != nil {
			t.Fatal(err)
		}
		named["session"] = ses.ID
		return named
	}
	if slices.ContainsFunc(v.Fields, func(f verb.Field) bool { return f.Name == "id" }) {
		named["id"] = made.ID
	}
	return named
}

func with(a, b args) args {
	both := args{}
	for _, in := range []args{a, b} {
		for k, v := range in {
			both[k] = v
		}
	}
	return both
}

func wantSameFiles(t *testing.T, w *verb.Workspace, was map[string]string) {
	t.Helper()
	now := files(t, w)
	if len(now) != len(was) {
		t.Errorf("%d files became %d", len(was), len(now))
	}
	for name, src := range was {
		if now[name] != src {
			t.Errorf("%s changed to\n%s", name, now[name])
		}
	}
}

// A call that a repetition meets while it is still being made is made once too.
func TestManyCallsUnderOneKey(t *testing.T) {
	w := inside(t)
	const callers = 8
	made := make([]result, callers)
	errs := make([]error, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { made[i], errs[i] = try(t, w, "create", args{"title": "One", "idempotency_key": "k"}) })
	}
	all.Wait()
	replays := 0
	for i := range callers {
		if errs[i] != nil || made[i].ID != made[0].ID {
			t.Errorf("got %+v and %+v, %v", made[0], made[i], errs[i])
		}
		if made[i].Replayed {
			replays++
		}
	}
	if replays != callers-1 || len(files(t, w)) != 1 {
		t.Errorf("%d replays and %d files after %d calls", replays, len(files(t, w)), callers)
	}
}

// What is remembered outlives the live state wherever an entry says it.
func TestReplayWithoutLiveState(t *testing.T) {
	for _, name := range []string{"note", "transition", "run_checks", "attest", "update", "begin", "finish", "cancel"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := inside(t)
			v, _ := catalogue.Named(name)
			in := with(subject(t, w, v), repeatable[name].in)
			if _, err := try(t, w, name, in); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(w.Dir, ".cairn", "local", "keys")); err != nil {
				t.Fatal(err)
			}
			was := files(t, w)
			if again, err := try(t, w, name, in); err != nil || !again.Replayed {
				t.Errorf("replayed %t, %v", again.Replayed, err)
			}
			wantSameFiles(t, w, was)
		})
	}
}

// A refused call was not made: under the same key it can be made once the reason is gone, though its results were recorded.
func TestRefusedCallIsMadeLater(t *testing.T) {
	w := inside(t)
	made, err := call[verb.Task](t, w, "create", args{"title": "One", "checks": []args{{"desc": "there", "cmd": "test -e there"}}})
	if err != nil {
		t.Fatal(err)
	}
	closing := args{"id": made.ID, "to": "done", "idempotency_key": "close"}
	if _, err := try(t, w, "transition", closing); task.CodeOf(err) != task.ChecksFailed {
		t.Fatalf("closed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "there"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	closed, err := call[verb.Task](t, w, "transition", closing)
	if err != nil || closed.Status != "done" || closed.Replayed {
		t.Errorf("%s, replayed %t, %v", closed.Status, closed.Replayed, err)
	}
}

func TestBlankKey(t *testing.T) {
	_, err := try(t, inside(t), "create", args{"title": "One", "idempotency_key": " "})
	var e *task.Error
	if !errors.As(err, &e) || e.Code != task.InvalidInput || e.Hint == "" {
		t.Errorf("got %v", err)
	}
}
