package catalogue_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

func TestMain(m *testing.M) {
	slowtest.InMemory()
	os.Exit(m.Run())
}

// null means one thing for every field of every verb that writes: where "" or [] empties the field, null does the same,
// and everywhere else it is refused.
func TestSlowNullMeansOneThing(t *testing.T) {
	slowtest.Skip(t)
	fields := 0
	refusing := verbtest.NewWorkspace(t) // where nothing is written
	for _, v := range catalogue.All {
		for _, f := range v.Fields() {
			if v.Kind == verb.Read {
				continue
			}
			fields++
			t.Run(v.Name+"/"+f.Name, func(t *testing.T) {
				if !f.Clears {
					if _, err := outcome(t, refusing, v, f, nil); err == nil || !strings.Contains(err.Error(), f.Name+" is ") {
						t.Errorf("null gives %v", err)
					}
					return
				}
				var empty any = []any{}
				if f.Type == verb.Text {
					empty = ""
				}
				want, wantErr := outcome(t, verbtest.NewWorkspace(t), v, f, empty)
				got, err := outcome(t, verbtest.NewWorkspace(t), v, f, nil)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
					t.Errorf("null gives %+v, %v\nand the empty value %+v, %v", got, err, want, wantErr)
				}
			})
		}
	}
	if fields == 0 {
		t.Fatal("no verb has a field")
	}
}

// In what a verb reads by, null is as if it were left out; what must be given is missing all the same, and a name that
// the verb does not know is refused.
func TestNullOfReads(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	made := verbtest.Must(t, w, "create", verbtest.Args{"title": "one"})
	for name, in := range map[string]verbtest.Args{
		"list":   {"status": nil, "label": nil, "assignee": nil, "ready": nil, "limit": nil, "where": nil},
		"get":    {"id": made.ID, "mode": nil, "include": nil},
		"search": {"q": "one", "limit": nil},
	} {
		got, err := verbtest.Call[any](t, w, name, in)
		maps.DeleteFunc(in, func(_ string, value any) bool { return value == nil })
		want, wantErr := verbtest.Call[any](t, w, name, in)
		if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %+v, %v with null, and %+v, %v without", name, got, err, want, wantErr)
		}
	}
	for name, in := range map[string]verbtest.Args{"id is missing": {"id": nil}, `unknown argument "idd"`: {"id": made.ID, "idd": nil}} {
		if _, err := verbtest.Call[any](t, w, "get", in); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: %v", in, err)
		}
	}
}

// outcome is what a verb does with one field set, and everything else that it needs.
func outcome(t *testing.T, w *verb.Workspace, v verb.Verb, f verb.Field, value any) (any, error) {
	t.Helper()
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{
		"title": "one", "body": "text", "labels": []string{"red"}, "checks": []verbtest.Args{{"desc": "read", "type": "manual"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := verbtest.Args{}
	for _, need := range v.Fields() {
		if need.Required {
			in[need.Name] = map[string]any{
				"id": made.ID, "title": "two", "text": "words", "body": "words", "to": "in_progress", "check": "0", "pass": true, "summary": "done",
				"reason": "why", "expected_actor": string(w.Actor()), "idempotency_key": "k", "key": "attest", "value": "anyone", "action": "approve",
				"session": "ses-1", "q": "words", "choice": "it", "type": "link", "ref": "12345678", "status": "accepted", "tasks": []verbtest.Args{{"title": "three"}}, "job": "job-1", "name": "web", "role": "docs", "path": ".", "project": "shop", "source": "jira", "items": []verbtest.Args{{"ref": "J-1", "title": "three"}},
			}[need.Name]
		}
	}
	for _, need := range v.Fields() {
		if need.Required && need.Names == "milestone" {
			in[need.Name] = verbtest.Must(t, w, "milestone_add", verbtest.Args{"title": "one"}).ID
		}
		if need.Required && need.Names == "decision" {
			in[need.Name] = verbtest.Must(t, w, "decision_log", verbtest.Args{"title": "one", "choice": "it"}).ID
		}
	}
	in[f.Name] = value
	_, err = verbtest.Call[any](t, w, v.Name, in)
	after, getErr := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": made.ID})
	if v.Name != "delete" && getErr != nil {
		t.Fatal(getErr)
	}
	if err != nil {
		about, _ := in["id"].(string)
		err = errors.New(strings.NewReplacer(string(made.ID), "ID", cmp.Or(about, string(made.ID)), "ID").Replace(err.Error()))
	}
	return []any{after.Title, after.Body, after.Labels, after.Urgency, after.Parent, after.Assignee, len(after.Checks), after.Status, len(after.Provenance)}, err
}

// What is counted is 1 or more where it is given, in every verb and inside checks.
func TestNoneIsNoCount(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{"title": "one"})
	if err != nil {
		t.Fatal(err)
	}
	counts := 0
	for _, v := range catalogue.All {
		for _, f := range v.Fields() {
			if f.Name != "limit" && f.Name != "timeout" {
				continue
			}
			counts++
			for _, n := range []any{0, -1, "0", "-1"} {
				in := verbtest.Args{f.Name: n}
				if v.Name == "logs" {
					in["id"] = made.ID
				}
				if _, err := verbtest.Call[any](t, w, v.Name, in); record.CodeOf(err) != record.InvalidInput {
					t.Errorf("%s with %s %v gives %v", v.Name, f.Name, n, err)
				}
			}
		}
	}
	if counts < 3 {
		t.Errorf("%d verbs count something", counts)
	}
	for _, n := range []int{0, -5} {
		checks := []verbtest.Args{{"desc": "d", "cmd": "true", "timeout": n}}
		for name, in := range map[string]verbtest.Args{
			"create":  {"title": "x", "checks": checks},
			"update":  {"id": made.ID, "checks": checks},
			"plan":    {"tasks": []verbtest.Args{{"title": "x", "checks": checks}}},
			"propose": {"summary": "s", "tasks": []verbtest.Args{{"title": "x", "checks": checks}}},
		} {
			if _, err := verbtest.Call[any](t, w, name, in); record.CodeOf(err) != record.InvalidInput || !strings.Contains(err.Error(), "timeout is") {
				t.Errorf("%s with a time limit of %d gives %v", name, n, err)
			}
		}
	}
}

// Names that callers guess lead to ours, also inside checks.
func TestGuessedNames(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	check := func(key string) []verbtest.Args { return []verbtest.Args{{"desc": "d", key: "go test ./..."}} }
	for _, tt := range []struct {
		verb string
		in   verbtest.Args
		ours string
	}{
		{"create", verbtest.Args{"title": "x", "description": "y"}, `"body"`},
		{"create", verbtest.Args{"title": "x", "dependencies": []string{"A-1"}}, `"deps"`},
		{"create", verbtest.Args{"title": "x", "depends_on": []string{"A-1"}}, `"deps"`},
		{"create", verbtest.Args{"title": "x", "checks": check("command")}, `"checks[0].cmd"`},
		{"create", verbtest.Args{"title": "x", "checks": []verbtest.Args{{"description": "d"}}}, `"checks[0].desc"`},
		{"plan", verbtest.Args{"tasks": []verbtest.Args{{"title": "x", "description": "y"}}}, `"tasks[0].body"`},
		{"plan", verbtest.Args{"tasks": []verbtest.Args{{"title": "x", "checks": check("command")}}}, `"tasks[0].checks[0].cmd"`},
		{"update", verbtest.Args{"id": "A-1", "dependencies": []string{"A-1"}}, `"add_deps"`},
		{"update", verbtest.Args{"id": "A-1", "description": "y"}, `"body"`},
		{"list", verbtest.Args{"query": "y"}, `"text"`},
		{"begin", verbtest.Args{"task": "A-1"}, `"id"`},
		{"claim", verbtest.Args{"task_id": "A-1"}, `"id"`},
		{"get", verbtest.Args{"task": "A-1"}, `"id"`},
		{"transition", verbtest.Args{"id": "A-1", "status": "done"}, `"to"`},
		{"heartbeat", verbtest.Args{"id": "ses-1"}, `"session"`},
		{"finish", verbtest.Args{"id": "ses-1"}, `"session"`},
		{"cancel", verbtest.Args{"id": "ses-1"}, `"session"`},
		{"get_session", verbtest.Args{"id": "ses-1"}, `"session"`},
	} {
		_, err := verbtest.Call[any](t, w, tt.verb, tt.in)
		if record.CodeOf(err) != record.InvalidInput || !strings.HasPrefix(hint(err), "did you mean "+tt.ours+"?") {
			t.Errorf("%s %v gives %v, with the hint %q", tt.verb, tt.in, err, hint(err))
		}
	}
}

// A refusal of what is wrong inside a list names the keys that belong there.
func TestNestedErrorsNameTheNestedKeys(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	const ofCheck = "desc (required), cmd, type, cwd, timeout, guards, expect, by"
	long := strings.Repeat("x", 20_000)
	for _, tt := range []struct {
		verb, hint string
		in         verbtest.Args
	}{
		{"create", "write that, or an object with desc, cmd, type, cwd, timeout, guards, expect, by", verbtest.Args{"title": "x", "checks": []any{"go test"}}},
		{"create", "the keys of checks[0] are " + ofCheck, verbtest.Args{"title": "x", "checks": []any{5}}},
		{"create", "seconds, or a duration such as 90s, 10m or 2h", verbtest.Args{"title": "x", "checks": []verbtest.Args{{"desc": "d", "timeout": "soon"}}}},
		{"create", "the keys of checks[0] are " + ofCheck, verbtest.Args{"title": "x", "checks": []verbtest.Args{{"desc": "d", "cmd": long}}}},
		{"create", "the keys of checks[1] are desc, cmd, type, cwd, timeout, guards, expect, by",
			verbtest.Args{"title": "x", "checks": []verbtest.Args{{"desc": "d"}, {"desc": "e", "zzzzzz": 1}}}},
		{"plan", "the keys of tasks[0].checks[0] are " + ofCheck,
			verbtest.Args{"tasks": []verbtest.Args{{"title": "x", "checks": []verbtest.Args{{"desc": "d", "cmd": long}}}}}},
		{"plan", "the keys of tasks[1] are key, title (required), body", verbtest.Args{"tasks": []verbtest.Args{{"title": "x"}, {"title": true}}}},
		{"create", "the arguments are title (required), body", verbtest.Args{"title": true}},
	} {
		if _, err := verbtest.Call[any](t, w, tt.verb, tt.in); !strings.HasPrefix(hint(err), tt.hint) {
			t.Errorf("%s gives %.200v, with the hint %q, not %q", tt.verb, err, hint(err), tt.hint)
		}
	}
}

// Text that nobody could read is refused wherever text is written, whether the verb needs it or not.
func TestBlankTextIsRefused(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{"title": "one", "checks": []verbtest.Args{{"desc": "read", "type": "manual", "by": "anyone"}}})
	if err != nil {
		t.Fatal(err)
	}
	ses, err := verbtest.Call[verb.Session](t, w, "begin", verbtest.Args{"id": made.ID, "expected_actor": string(w.Actor()), "idempotency_key": "k"})
	if err != nil {
		t.Fatal(err)
	}
	before, _ := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": made.ID})
	for _, blank := range []string{" ", "\n\t ", "\u00a0\u3000", "\u200b\u2060"} {
		for _, tt := range []struct {
			verb string
			in   verbtest.Args
		}{
			{"note", verbtest.Args{"id": made.ID, "text": blank}},
			{"transition", verbtest.Args{"id": made.ID, "to": "canceled", "reason": blank}},
			{"release", verbtest.Args{"id": made.ID, "reason": blank}},
			{"delete", verbtest.Args{"id": made.ID, "reason": blank}},
			{"attest", verbtest.Args{"id": made.ID, "check": "0", "pass": true, "text": blank}},
			{"update", verbtest.Args{"id": made.ID, "note": blank}},
			{"update", verbtest.Args{"id": made.ID, "reason": blank}},
			{"update", verbtest.Args{"id": made.ID, "title": blank}},
			{"update", verbtest.Args{"id": made.ID, "labels": []string{blank}}},
			{"create", verbtest.Args{"title": blank}},
			{"create", verbtest.Args{"title": "x", "checks": []verbtest.Args{{"desc": blank, "cmd": "true"}}}},
			{"create", verbtest.Args{"title": "x", "checks": []verbtest.Args{{"desc": "d", "cmd": blank}}}},
			{"create", verbtest.Args{"title": "x", "acceptance": []string{blank}}},
			{"heartbeat", verbtest.Args{"session": ses.ID, "progress": blank}},
			{"finish", verbtest.Args{"session": ses.ID, "summary": blank}},
			{"cancel", verbtest.Args{"session": ses.ID, "reason": blank}},
			{"propose", verbtest.Args{"summary": blank, "tasks": []verbtest.Args{{"title": "x"}}}},
		} {
			if _, err := verbtest.Call[any](t, w, tt.verb, tt.in); record.CodeOf(err) != record.InvalidInput {
				t.Errorf("%s %q gives %v", tt.verb, tt.in, err)
			}
		}
	}
	for _, name := range []string{"note", "finish", "cancel"} {
		in := map[string]verbtest.Args{"note": {"id": made.ID, "text": ""}, "finish": {"session": ses.ID, "summary": ""}, "cancel": {"session": ses.ID, "reason": ""}}[name]
		if _, err := verbtest.Call[any](t, w, name, in); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s without text gives %v", name, err)
		}
	}
	if after, _ := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": made.ID}); after.Rev != before.Rev {
		t.Error("a refused call changed the task")
	}
}

// me names who acts wherever an actor is named, in the checks of every verb that declares some.
func TestMeAttests(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	me := string(w.Actor())
	checks := []verbtest.Args{{"desc": "read", "type": "manual", "by": "me"}}
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{"title": "one", "checks": checks})
	if err != nil || made.Checks[0].By != me {
		t.Fatalf("created with %+v, %v", made.Checks, err)
	}
	changed, err := verbtest.Call[verb.Task](t, w, "update", verbtest.Args{"id": made.ID, "checks": append(checks, verbtest.Args{"desc": "again", "type": "manual", "by": "me"})})
	if err != nil || changed.Checks[1].By != me {
		t.Fatalf("updated to %+v, %v", changed.Checks, err)
	}
	planned, err := verbtest.Call[proposals.PlanOut](t, w, "plan", verbtest.Args{"tasks": []verbtest.Args{{"title": "two", "checks": checks}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": planned.Tasks[0].ID}); err != nil || got.Checks[0].By != me {
		t.Errorf("planned with %+v, %v", got.Checks, err)
	}
	proposed, err := verbtest.Call[proposals.Proposal](t, w, "propose", verbtest.Args{"summary": "s", "tasks": []verbtest.Args{{"title": "three", "checks": checks}}})
	if err != nil {
		t.Fatal(err)
	}
	other := *w
	other.Actor = verb.As("human:somebody-else")
	carriedOut, err := verbtest.Call[proposals.PlanOut](t, &other, "plan", verbtest.Args{"proposal": proposed.Proposal})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": carriedOut.Tasks[0].ID}); err != nil || got.Checks[0].By != me {
		t.Errorf("proposed by %s, it is attested by %+v, %v", me, got.Checks, err)
	}
}

func hint(err error) string {
	var e *record.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Hint.String()
}

// Releasing what nobody holds writes nothing and succeeds, whichever verb does it and whatever reason is given.
func TestReleasingWhatNobodyHolds(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{"title": "one"})
	if err != nil {
		t.Fatal(err)
	}
	agent := *w
	agent.Actor = verb.As("agent:a")
	for _, tt := range []struct {
		w    *verb.Workspace
		verb string
		in   verbtest.Args
	}{
		{w, "release", verbtest.Args{"id": made.ID}},
		{w, "release", verbtest.Args{"id": made.ID, "reason": "not mine"}},
		{w, "release", verbtest.Args{"id": made.ID, "reason": "not mine", "idempotency_key": "k"}},
		{&agent, "release", verbtest.Args{"id": made.ID, "reason": "not mine"}},
		{w, "update", verbtest.Args{"id": made.ID, "assignee": "unassigned"}},
		{w, "update", verbtest.Args{"id": made.ID, "assignee": nil, "reason": "not mine"}},
		{w, "update", verbtest.Args{"id": made.ID, "assignee": "unassigned", "reason": "not mine"}},
	} {
		got, err := verbtest.Call[verb.Task](t, tt.w, tt.verb, tt.in)
		if err != nil || got.Rev != made.Rev {
			t.Errorf("%s %v: %+v, %v", tt.verb, tt.in, got.Provenance, err)
		}
	}
	if got, err := verbtest.Call[verb.Task](t, w, "update", verbtest.Args{"id": made.ID, "assignee": "unassigned", "note": "this is one"}); err != nil || got.Rev == made.Rev {
		t.Errorf("a note beside it is lost: %v", err)
	}
}
