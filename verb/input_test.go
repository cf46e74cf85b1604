package verb_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
	"github.com/cairn-tasks/cairn/verb/proposals"
)

// null means one thing for every field of every verb: where "" or [] empties the field, null does the same, and everywhere
// else it is refused.
func TestNullMeansOneThing(t *testing.T) {
	looked := 0
	for _, v := range catalogue.All {
		for _, f := range v.Fields {
			looked++
			t.Run(v.Name+"/"+f.Name, func(t *testing.T) {
				if !f.Clears {
					if _, err := outcome(t, v, f, nil); err == nil || !strings.Contains(err.Error(), f.Name+" is ") {
						t.Errorf("null gives %v", err)
					}
					return
				}
				var empty any = []any{}
				if f.Type == verb.Text {
					empty = ""
				}
				want, wantErr := outcome(t, v, f, empty)
				got, err := outcome(t, v, f, nil)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
					t.Errorf("null gives %+v, %v\nand the empty value %+v, %v", got, err, want, wantErr)
				}
			})
		}
	}
	if looked == 0 {
		t.Fatal("no verb has a field")
	}
}

// outcome is what a verb does with one field set, and everything else that it needs, in a workspace of its own.
func outcome(t *testing.T, v verb.Verb, f verb.Field, value any) (any, error) {
	t.Helper()
	w := inside(t)
	made, err := call[verb.Task](t, w, "create", args{
		"title": "one", "body": "text", "labels": []string{"red"}, "checks": []args{{"desc": "read", "type": "manual"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := args{}
	for _, need := range v.Fields {
		if need.Required {
			in[need.Name] = map[string]any{
				"id": made.ID, "title": "two", "text": "words", "to": "in_progress", "check": "0", "pass": true, "summary": "done",
				"reason": "why", "expected_actor": string(w.Actor), "idempotency_key": "k", "key": "attest", "value": "anyone",
				"session": "ses-1", "tasks": []args{{"title": "three"}},
			}[need.Name]
		}
	}
	in[f.Name] = value
	_, err = call[any](t, w, v.Name, in)
	after, getErr := call[verb.Task](t, w, "get", args{"id": made.ID})
	if v.Name != "delete" && getErr != nil {
		t.Fatal(getErr)
	}
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), string(made.ID), "ID"))
	}
	return []any{after.Title, after.Body, after.Labels, after.Priority, after.Parent, after.Assignee, len(after.Checks), after.Status, len(after.Provenance)}, err
}

// What is counted is 1 or more where it is given, in every verb and inside checks.
func TestNoneIsNoCount(t *testing.T) {
	w := inside(t)
	made, err := call[verb.Task](t, w, "create", args{"title": "one"})
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, v := range catalogue.All {
		for _, f := range v.Fields {
			if f.Name != "limit" && f.Name != "timeout" {
				continue
			}
			looked++
			for _, n := range []any{0, -1, "0", "-1"} {
				in := args{f.Name: n}
				if v.Name == "logs" {
					in["id"] = made.ID
				}
				if _, err := call[any](t, w, v.Name, in); task.CodeOf(err) != task.InvalidInput {
					t.Errorf("%s with %s %v gives %v", v.Name, f.Name, n, err)
				}
			}
		}
	}
	if looked < 3 {
		t.Errorf("%d verbs count something", looked)
	}
	for _, n := range []int{0, -5} {
		checks := []args{{"desc": "d", "cmd": "true", "timeout": n}}
		for name, in := range map[string]args{
			"create":  {"title": "x", "checks": checks},
			"update":  {"id": made.ID, "checks": checks},
			"plan":    {"tasks": []args{{"title": "x", "checks": checks}}},
			"propose": {"summary": "s", "tasks": []args{{"title": "x", "checks": checks}}},
		} {
			if _, err := call[any](t, w, name, in); task.CodeOf(err) != task.InvalidInput || !strings.Contains(err.Error(), "timeout is") {
				t.Errorf("%s with a time limit of %d gives %v", name, n, err)
			}
		}
	}
}

// Names that callers guess lead to ours, also inside checks.
func TestGuessedNames(t *testing.T) {
	w := inside(t)
	check := func(key string) []args { return []args{{"desc": "d", key: "go test ./..."}} }
	for _, tt := range []struct {
		verb string
		in   args
		ours string
	}{
		{"create", args{"title": "x", "description": "y"}, `"body"`},
		{"create", args{"title": "x", "dependencies": []string{"A-1"}}, `"deps"`},
		{"create", args{"title": "x", "depends_on": []string{"A-1"}}, `"deps"`},
		{"create", args{"title": "x", "checks": check("command")}, `"checks[0].cmd"`},
		{"create", args{"title": "x", "checks": []args{{"description": "d"}}}, `"checks[0].desc"`},
		{"plan", args{"tasks": []args{{"title": "x", "description": "y"}}}, `"tasks[0].body"`},
		{"plan", args{"tasks": []args{{"title": "x", "checks": check("command")}}}, `"tasks[0].checks[0].cmd"`},
		{"update", args{"id": "A-1", "dependencies": []string{"A-1"}}, `"add_deps"`},
		{"update", args{"id": "A-1", "description": "y"}, `"body"`},
		{"list", args{"query": "y"}, `"text"`},
		{"begin", args{"task": "A-1"}, `"id"`},
		{"claim", args{"task_id": "A-1"}, `"id"`},
		{"get", args{"task": "A-1"}, `"id"`},
		{"transition", args{"id": "A-1", "status": "done"}, `"to"`},
		{"heartbeat", args{"id": "ses-1"}, `"session"`},
		{"finish", args{"id": "ses-1"}, `"session"`},
		{"cancel", args{"id": "ses-1"}, `"session"`},
		{"get_session", args{"id": "ses-1"}, `"session"`},
	} {
		_, err := call[any](t, w, tt.verb, tt.in)
		if task.CodeOf(err) != task.InvalidInput || !strings.HasPrefix(hint(err), "did you mean "+tt.ours+"?") {
			t.Errorf("%s %v gives %v, with the hint %q", tt.verb, tt.in, err, hint(err))
		}
	}
}

// What is wrong inside a list is told with the keys that belong there.
func TestNestedErrorsNameTheNestedKeys(t *testing.T) {
	w := inside(t)
	const ofCheck = "desc (required), cmd, type, cwd, timeout, by"
	long := strings.Repeat("x", 20_000)
	for _, tt := range []struct {
		verb, hint string
		in         args
	}{
		{"create", "the keys of checks[0] are " + ofCheck, args{"title": "x", "checks": []any{"go test"}}},
		{"create", "the keys of checks[0] are " + ofCheck, args{"title": "x", "checks": []args{{"desc": "d", "timeout": "soon"}}}},
		{"create", "the keys of checks[0] are " + ofCheck, args{"title": "x", "checks": []args{{"desc": "d", "cmd": long}}}},
		{"create", "the keys of checks[1] are desc, cmd, type, cwd, timeout, by",
			args{"title": "x", "checks": []args{{"desc": "d"}, {"desc": "e", "zzzzzz": 1}}}},
		{"plan", "the keys of tasks[0].checks[0] are " + ofCheck,
			args{"tasks": []args{{"title": "x", "checks": []args{{"desc": "d", "cmd": long}}}}}},
		{"plan", "the keys of tasks[1] are title (required), body", args{"tasks": []args{{"title": "x"}, {"title": true}}}},
		{"create", "the arguments are title (required), body", args{"title": true}},
	} {
		if _, err := call[any](t, w, tt.verb, tt.in); !strings.HasPrefix(hint(err), tt.hint) {
			t.Errorf("%s gives %.200v, with the hint %q, not %q", tt.verb, err, hint(err), tt.hint)
		}
	}
}

// Text that nobody could read is refused wherever text is written, whether the verb needs it or not.
func TestBlankTextIsRefused(t *testing.T) {
	w := inside(t)
	made, err := call[verb.Task](t, w, "create", args{"title": "one", "checks": []args{{"desc": "read", "type": "manual", "by": "anyone"}}})
	if err != nil {
		t.Fatal(err)
	}
	ses, err := call[verb.Session](t, w, "begin", args{"id": made.ID, "expected_actor": string(w.Actor), "idempotency_key": "k"})
	if err != nil {
		t.Fatal(err)
	}
	before, _ := call[verb.Task](t, w, "get", args{"id": made.ID})
	for _, blank := range []string{" ", "\n\t ", "\u00a0\u3000", "\u200b\u2060"} {
		for _, tt := range []struct {
			verb string
			in   args
		}{
			{"note", args{"id": made.ID, "text": blank}},
			{"transition", args{"id": made.ID, "to": "canceled", "reason": blank}},
			{"release", args{"id": made.ID, "reason": blank}},
			{"delete", args{"id": made.ID, "reason": blank}},
			{"attest", args{"id": made.ID, "check": "0", "pass": true, "text": blank}},
			{"update", args{"id": made.ID, "note": blank}},
			{"update", args{"id": made.ID, "reason": blank}},
			{"update", args{"id": made.ID, "title": blank}},
			{"update", args{"id": made.ID, "labels": []string{blank}}},
			{"create", args{"title": blank}},
			{"create", args{"title": "x", "checks": []args{{"desc": blank, "cmd": "true"}}}},
			{"create", args{"title": "x", "checks": []args{{"desc": "d", "cmd": blank}}}},
			{"create", args{"title": "x", "acceptance": []string{blank}}},
			{"heartbeat", args{"session": ses.ID, "progress": blank}},
			{"finish", args{"session": ses.ID, "summary": blank}},
			{"cancel", args{"session": ses.ID, "reason": blank}},
			{"propose", args{"summary": blank, "tasks": []args{{"title": "x"}}}},
		} {
			if _, err := call[any](t, w, tt.verb, tt.in); task.CodeOf(err) != task.InvalidInput {
				t.Errorf("%s %q gives %v", tt.verb, tt.in, err)
			}
		}
	}
	for _, name := range []string{"note", "finish", "cancel"} {
		in := map[string]args{"note": {"id": made.ID, "text": ""}, "finish": {"session": ses.ID, "summary": ""}, "cancel": {"session": ses.ID, "reason": ""}}[name]
		if _, err := call[any](t, w, name, in); task.CodeOf(err) != task.InvalidInput {
			t.Errorf("%s without text gives %v", name, err)
		}
	}
	if after, _ := call[verb.Task](t, w, "get", args{"id": made.ID}); after.Rev != before.Rev {
		t.Error("a refused call changed the task")
	}
}

// me names who acts wherever an actor is named, in the checks of every verb that declares some.
func TestMeAttests(t *testing.T) {
	w := inside(t)
	me := string(w.Actor)
	checks := []args{{"desc": "read", "type": "manual", "by": "me"}}
	made, err := call[verb.Task](t, w, "create", args{"title": "one", "checks": checks})
	if err != nil || made.Checks[0].By != me {
		t.Fatalf("created with %+v, %v", made.Checks, err)
	}
	changed, err := call[verb.Task](t, w, "update", args{"id": made.ID, "checks": append(checks, args{"desc": "again", "type": "manual", "by": "me"})})
	if err != nil || changed.Checks[1].By != me {
		t.Fatalf("updated to %+v, %v", changed.Checks, err)
	}
	planned, err := call[proposals.PlanOut](t, w, "plan", args{"tasks": []args{{"title": "two", "checks": checks}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := call[verb.Task](t, w, "get", args{"id": planned.Tasks[0].ID}); err != nil || got.Checks[0].By != me {
		t.Errorf("planned with %+v, %v", got.Checks, err)
	}
	proposed, err := call[proposals.Proposal](t, w, "propose", args{"summary": "s", "tasks": []args{{"title": "three", "checks": checks}}})
	if err != nil {
		t.Fatal(err)
	}
	other := *w
	other.Actor = "human:somebody-else"
	carriedOut, err := call[proposals.PlanOut](t, &other, "plan", args{"proposal": proposed.Proposal})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := call[verb.Task](t, w, "get", args{"id": carriedOut.Tasks[0].ID}); err != nil || got.Checks[0].By != me {
		t.Errorf("proposed by %s, it is attested by %+v, %v", me, got.Checks, err)
	}
}

func hint(err error) string {
	var e *task.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Hint
}

// Releasing what nobody holds writes nothing and succeeds, whichever verb does it and whatever reason is given.
func TestReleasingWhatNobodyHolds(t *testing.T) {
	w := inside(t)
	made, err := call[verb.Task](t, w, "create", args{"title": "one"})
	if err != nil {
		t.Fatal(err)
	}
	agent := *w
	agent.Actor = "agent:a"
	for _, tt := range []struct {
		w    *verb.Workspace
		verb string
		in   args
	}{
		{w, "release", args{"id": made.ID}},
		{w, "release", args{"id": made.ID, "reason": "not mine"}},
		{w, "release", args{"id": made.ID, "reason": "not mine", "idempotency_key": "k"}},
		{&agent, "release", args{"id": made.ID, "reason": "not mine"}},
		{w, "update", args{"id": made.ID, "assignee": "unassigned"}},
		{w, "update", args{"id": made.ID, "assignee": nil, "reason": "not mine"}},
		{w, "update", args{"id": made.ID, "assignee": "unassigned", "reason": "not mine"}},
	} {
		got, err := call[verb.Task](t, tt.w, tt.verb, tt.in)
		if err != nil || got.Rev != made.Rev {
			t.Errorf("%s %v: %+v, %v", tt.verb, tt.in, got.Provenance, err)
		}
	}
	if got, err := call[verb.Task](t, w, "update", args{"id": made.ID, "assignee": "unassigned", "note": "this is one"}); err != nil || got.Rev == made.Rev {
		t.Errorf("a note beside it is lost: %v", err)
	}
}
