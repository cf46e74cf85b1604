package catalogue_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

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

// repeatable is a call of each verb that writes, on a task with a command check and a manual one, and what of its
// arguments another call could say otherwise.
var repeatable = map[string]struct{ in, other verbtest.Args }{
	"create":              {verbtest.Args{"title": "Another"}, verbtest.Args{"title": "Yet another"}},
	"claim":               {verbtest.Args{}, verbtest.Args{"takeover": true}},
	"next":                {verbtest.Args{}, verbtest.Args{"label": "red"}},
	"revert":              {verbtest.Args{"commit": "HEAD"}, verbtest.Args{"commit": "HEAD", "reason": "wrong"}},
	"take":                {verbtest.Args{}, verbtest.Args{"branch": "side"}},
	"restore":             {verbtest.Args{"reason": "wanted"}, verbtest.Args{"reason": "needed"}},
	"undo":                {verbtest.Args{"confirm": true}, verbtest.Args{}},
	"start":               {verbtest.Args{}, verbtest.Args{"takeover": true}},
	"release":             {verbtest.Args{"reason": "lunch"}, verbtest.Args{"reason": "supper"}},
	"update":              {verbtest.Args{"title": "New"}, verbtest.Args{"title": "Newer"}},
	"transition":          {verbtest.Args{"to": "in_progress"}, verbtest.Args{"to": "in_review"}},
	"run_checks":          {verbtest.Args{}, verbtest.Args{"only": []int{0}}},
	"attest":              {verbtest.Args{"check": "1", "pass": true}, verbtest.Args{"check": "1", "pass": false}},
	"note":                {verbtest.Args{"text": "heard"}, verbtest.Args{"text": "unheard"}},
	"plan":                {verbtest.Args{"tasks": []verbtest.Args{{"title": "One"}, {"title": "Two", "deps": []string{"#0"}}}}, verbtest.Args{"tasks": []verbtest.Args{{"title": "One"}}}},
	"import":              {verbtest.Args{"source": "jira", "items": []verbtest.Args{{"ref": "J-1", "title": "One"}, {"ref": "J-2", "title": "Two", "deps": []string{"J-1"}}}}, verbtest.Args{"source": "jira", "items": []verbtest.Args{{"ref": "J-1", "title": "One"}}}},
	"propose":             {verbtest.Args{"tasks": []verbtest.Args{{"title": "One"}}, "summary": "s"}, verbtest.Args{"tasks": []verbtest.Args{{"title": "One"}}, "summary": "t"}},
	"settings_set":        {verbtest.Args{"key": "claim_ttl", "value": "2h"}, verbtest.Args{"key": "claim_ttl", "value": "3h"}},
	"archive":             {verbtest.Args{}, verbtest.Args{"older_than": "7d"}},
	"delete":              {verbtest.Args{"reason": "twice"}, verbtest.Args{"reason": "wrong"}},
	"begin":               {verbtest.Args{"expected_actor": "human:lee"}, verbtest.Args{"expected_actor": "human:lee", "model": "m"}},
	"heartbeat":           {verbtest.Args{"progress": "half"}, verbtest.Args{"progress": "all"}},
	"ask":                 {verbtest.Args{"question": "Why?"}, verbtest.Args{"question": "What for?"}},
	"finish":              {verbtest.Args{"summary": "done"}, verbtest.Args{"summary": "not done"}},
	"cancel":              {verbtest.Args{"reason": "ill"}, verbtest.Args{"reason": "well"}},
	"decision_log":        {verbtest.Args{"title": "Locks", "choice": "One"}, verbtest.Args{"title": "Locks", "choice": "None"}},
	"decision_set_status": {verbtest.Args{"status": "rejected"}, verbtest.Args{"status": "proposed"}},
	"knowledge_write":     {verbtest.Args{"title": "Locks", "body": "They hold."}, verbtest.Args{"title": "Locks", "body": "They do not."}},
	"milestone_add":       {verbtest.Args{"title": "Open"}, verbtest.Args{"title": "Close"}},
	"milestone_set":       {verbtest.Args{"status": "reached"}, verbtest.Args{"status": "dropped"}},
	"handoff_create":      {verbtest.Args{"title": "Locks?", "to": []string{"me"}}, verbtest.Args{"title": "Keys?", "to": []string{"me"}}},
	"handoff_claim":       {verbtest.Args{}, verbtest.Args{"id": "HO-01j8x2k7q7f3az"}},
	"handoff_respond":     {verbtest.Args{"text": "yes"}, verbtest.Args{"text": "no"}},
	"handoff_resolve":     {verbtest.Args{"note": "done"}, verbtest.Args{"note": "not done"}},
	"register":            {verbtest.Args{"actor": "agent:b", "role": "reads"}, verbtest.Args{"actor": "agent:b", "role": "writes"}},
	"feedback_create":     {verbtest.Args{"title": "Slow", "body": "b"}, verbtest.Args{"title": "Slow", "body": "c"}},
	"skill_upsert":        {verbtest.Args{"id": "review", "description": "d", "body": "b"}, verbtest.Args{"id": "review", "description": "d", "body": "c"}},
	"ref_add":             {verbtest.Args{"type": "link", "url": "https://example.com/"}, verbtest.Args{"type": "link", "url": "https://example.com/2"}},
	"ref_update":          {verbtest.Args{"ref": "d200ae83", "title": "here"}, verbtest.Args{"ref": "d200ae83", "title": "there"}},
	"job_start":           {verbtest.Args{"executor": "mine"}, verbtest.Args{"executor": "mine", "priority": "P0"}},
	"job_say":             {verbtest.Args{"text": "lunch"}, verbtest.Args{"text": "supper"}},
	"job_cancel":          {verbtest.Args{"reason": "lunch"}, verbtest.Args{"reason": "supper"}},
	"job_discard":         {verbtest.Args{"reason": "lunch"}, verbtest.Args{"reason": "supper"}},
	"worktree_remove":     {verbtest.Args{}, verbtest.Args{"force": true}},
	"pair_open":           {verbtest.Args{}, verbtest.Args{"executor": "mine"}},
	"pair_close":          {verbtest.Args{}, verbtest.Args{"summary": "done"}},
	"project_create":      {verbtest.Args{"path": "."}, verbtest.Args{"path": ".", "prefix": "OTHER"}},
	"repo_register":       {verbtest.Args{"remote_url": "https://github.com/o/r"}, verbtest.Args{"remote_url": "https://github.com/o/s"}},
	"repo_link":           {verbtest.Args{"name": "web", "role": "docs"}, verbtest.Args{"name": "web", "role": "primary"}},
	"review_apply":        {verbtest.Args{"action": "approve"}, verbtest.Args{"action": "approve", "text": "fine"}},
	"land":                {verbtest.Args{}, verbtest.Args{"one_by_one": true}},
	"review_sync":         {verbtest.Args{"id": ""}, verbtest.Args{}},
	"remote_probe":        {verbtest.Args{}, verbtest.Args{"namespace": "refs/cairn/other"}},
	"remote_sync":         {verbtest.Args{"id": ""}, verbtest.Args{}},
	"ref_remove":          {verbtest.Args{"ref": "d200ae83"}, verbtest.Args{"ref": "d200ae83", "expected_rev": "1"}},
}

// Under an idempotency key every write is made once: the same call again changes no file and says that it is a replay,
// and the same key with other arguments is refused.
func TestEveryWriteCanBeRepeated(t *testing.T) {
	for _, v := range catalogue.All {
		if v.Kind < verb.Write {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			one, ok := repeatable[v.Name]
			if !ok {
				t.Fatal("writes, and has no call in this table")
			}
			w := verbtest.NewWorkspace(t)
			about := subject(t, w, v)
			first, err := verbtest.CallAny(t, w, v.Name, with(about, one.in))
			if err != nil || first.Replayed {
				t.Fatalf("the first call: replayed %t, %v", first.Replayed, err)
			}
			was := files(t, w)
			for range 2 {
				again, err := verbtest.CallAny(t, w, v.Name, with(about, one.in))
				if err != nil || !again.Replayed || again.ID != first.ID {
					t.Errorf("the call again: %+v after %+v, %v", again, first, err)
				}
			}
			_, err = verbtest.CallAny(t, w, v.Name, with(about, one.other))
			if no := catalogue.FailureOf(err, w.Rights, catalogue.CommandLine).Error; no.Code != record.Conflict || no.Retryable {
				t.Errorf("other arguments under the key: %v", err)
			}
			wantSameFiles(t, w, was)
		})
	}
}

// longText is more than an answer repeats.
var longText = strings.Repeat("It holds what it held. ", 40)

// subject makes what a verb is called on, and returns the arguments that name it, and a key.
func subject(t *testing.T, w *verb.Workspace, v verb.Verb) verbtest.Args {
	t.Helper()
	named := verbtest.Args{"idempotency_key": "the call"}
	if v.Name == "create" || v.Name == "knowledge_write" {
		return named
	}
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{"title": "One", "body": longText, "checks": []verbtest.Args{{"desc": "runs", "cmd": "true"}, {"desc": "reads well", "type": "manual"}}})
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case v.Name == "ref_update" || v.Name == "ref_remove":
		if _, err := verbtest.CallAny(t, w, "ref_add", verbtest.Args{"id": made.ID, "type": "link", "url": "https://example.com/before"}); err != nil {
			t.Fatal(err)
		}
	case v.Name == "repo_link":
		if _, err := verbtest.CallAny(t, w, "repo_register", verbtest.Args{"remote_url": "https://github.com/o/web"}); err != nil {
			t.Fatal(err)
		}
	case v.Name == "release":
		if _, err := verbtest.CallAny(t, w, "claim", verbtest.Args{"id": made.ID}); err != nil {
			t.Fatal(err)
		}
	case v.Name == "pair_open":
		verbtest.PrepareJobs(t, w)
		named["id"] = made.ID
		return named
	case v.Name == "pair_close":
		verbtest.PrepareJobs(t, w)
		if _, err := verbtest.CallAny(t, w, "pair_open", verbtest.Args{"id": made.ID}); err != nil {
			t.Fatal(err)
		}
		named["id"] = made.ID
		return named
	case v.Name == "revert":
		verbtest.PrepareJobs(t, w)
		verbtest.CommitAll(t, w)
	case v.Name == "take":
		verbtest.PrepareJobs(t, w)
		verbtest.MoveToBranch(t, w, "side")
	case v.Name == "restore":
		if _, err := verbtest.CallAny(t, w, "delete", verbtest.Args{"id": made.ID}); err != nil {
			t.Fatal(err)
		}
	case v.Name == "job_start":
		verbtest.PrepareJobs(t, w)
	case v.Noun == "remote":
		verbtest.PrepareJobs(t, w)
		verbtest.ShareClaims(t, w)
	case v.Name == "worktree_remove", v.Name == "job_discard":
		verbtest.PrepareJobs(t, w)
		verbtest.MakeWorktree(t, w, record.ID(made.ID))
	case v.Name == "job_cancel", v.Name == "job_say":
		verbtest.PrepareJobs(t, w)
		named["job"] = verbtest.Must(t, w, "job_start", verbtest.Args{"id": made.ID, "executor": "mine"}).Job
		return named
	case v.Name == "decision_set_status":
		named["id"] = verbtest.Must(t, w, "decision_log", verbtest.Args{"title": "Locks", "choice": "One"}).ID
		return named
	case v.Name == "milestone_set":
		named["id"] = verbtest.Must(t, w, "milestone_add", verbtest.Args{"title": "Open the shop"}).ID
		return named
	case v.Noun == "handoff" && v.Name != "handoff_create":
		named["id"] = verbtest.Must(t, w, "handoff_create", verbtest.Args{"title": "Locks?", "body": longText, "to": []string{"me"}}).ID
		return named
	case v.Group == "sessions" && v.Name != "begin":
		ses, err := verbtest.Call[verb.Session](t, w, "begin", verbtest.Args{"id": made.ID, "expected_actor": "human:lee", "idempotency_key": "the attempt"})
		if err != nil {
			t.Fatal(err)
		}
		named["session"] = ses.ID
		return named
	}
	if slices.ContainsFunc(v.Fields(), func(f verb.Field) bool { return f.Name == "id" }) {
		named["id"] = made.ID
	}
	return named
}

func with(a, b verbtest.Args) verbtest.Args {
	both := verbtest.Args{}
	for _, in := range []verbtest.Args{a, b} {
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
	w := verbtest.NewWorkspace(t)
	const callers = 8
	made := make([]verbtest.Result, callers)
	errs := make([]error, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			made[i], errs[i] = verbtest.CallAny(t, w, "create", verbtest.Args{"title": "One", "idempotency_key": "k"})
		})
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
			w := verbtest.NewWorkspace(t)
			v, _ := catalogue.Named(name)
			in := with(subject(t, w, v), repeatable[name].in)
			if _, err := verbtest.CallAny(t, w, name, in); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(w.Dir, ".cairn", "local", "keys")); err != nil {
				t.Fatal(err)
			}
			was := files(t, w)
			if again, err := verbtest.CallAny(t, w, name, in); err != nil || !again.Replayed {
				t.Errorf("replayed %t, %v", again.Replayed, err)
			}
			wantSameFiles(t, w, was)
		})
	}
}

// A refused call was not made: under the same key it can be made once the reason is gone, though its results were
// recorded.
func TestRefusedCallIsMadeLater(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{"title": "One", "checks": []verbtest.Args{{"desc": "there", "cmd": "test -e there"}}})
	if err != nil {
		t.Fatal(err)
	}
	closing := verbtest.Args{"id": made.ID, "to": "done", "idempotency_key": "close"}
	if _, err := verbtest.CallAny(t, w, "transition", closing); record.CodeOf(err) != record.ChecksFailed {
		t.Fatalf("closed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "there"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	closed, err := verbtest.Call[verb.Task](t, w, "transition", closing)
	if err != nil || closed.Status != "done" || closed.Replayed {
		t.Errorf("%s, replayed %t, %v", closed.Status, closed.Replayed, err)
	}
}

func TestBlankKey(t *testing.T) {
	_, err := verbtest.CallAny(t, verbtest.NewWorkspace(t), "create", verbtest.Args{"title": "One", "idempotency_key": " "})
	var e *record.Error
	if !errors.As(err, &e) || e.Code != record.InvalidInput || e.Hint.Empty() {
		t.Errorf("got %v", err)
	}
}
