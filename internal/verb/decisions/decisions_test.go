package decisions_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/decisions"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// workspace is a person in a workspace in which each call is a second later than the one before.
func workspace(t *testing.T) *verb.Workspace {
	w := verbtest.NewWorkspace(t)
	now := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	w.Now = func() time.Time { now = now.Add(time.Second); return now }
	return w
}

// as is the workspace for another actor, who is no person at a terminal.
func as(w *verb.Workspace, who record.Actor) *verb.Workspace {
	other := *w
	other.Actor, other.Confirm, other.Profile = verb.As(who), nil, verb.Operator
	return &other
}

func log(t *testing.T, w *verb.Workspace, title string, more verbtest.Args) string {
	t.Helper()
	in := verbtest.Args{"title": title, "choice": title + " it is"}
	for key, value := range more {
		in[key] = value
	}
	return verbtest.Must(t, w, "decision_log", in).ID
}

func query(t *testing.T, w *verb.Workspace, in verbtest.Args) verb.Items[decisions.Row] {
	t.Helper()
	if in == nil {
		in = verbtest.Args{}
	}
	out, err := verbtest.Call[verb.Items[decisions.Row]](t, w, "decision_query", in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func titles(items []decisions.Row) []string {
	var out []string
	for _, r := range items {
		out = append(out, r.Title)
	}
	return out
}

func TestLogAndAccept(t *testing.T) {
	w := workspace(t)
	agent := as(w, "agent:a")
	about := verbtest.Must(t, w, "create", verbtest.Args{"title": "Lock it"}).ID
	in := verbtest.Args{
		"title": "Locks", "choice": "A file lock", "context": "Two writers.", "rationale": "It is simple.", "scope": []string{"src/**"},
		"about": []string{about}, "labels": []string{"io"}, "idempotency_key": "k",
		"options": []verbtest.Args{{"label": "Lock", "pros": "simple", "cons": "slow"}, {"label": "None"}},
	}
	made, err := verbtest.Call[verb.Record](t, agent, "decision_log", in)
	if err != nil || made.Status != ledger.Proposed || made.Body != "## Context\n\nTwo writers.\n\n## Rationale\n\nIt is simple." || made.Fields["choice"] != "A file lock" {
		t.Fatalf("got %+v, %v", made, err)
	}
	again, err := verbtest.Call[verb.Record](t, agent, "decision_log", in)
	if err != nil || again.ID != made.ID || !again.Replayed {
		t.Errorf("the same call made %s (%v)", again.ID, err)
	}
	in["choice"] = "None"
	if _, err := verbtest.CallAny(t, agent, "decision_log", in); record.CodeOf(err) != record.Conflict {
		t.Errorf("another call under the key: %v", err)
	}
	if _, err := verbtest.CallAny(t, agent, "decision_set_status", verbtest.Args{"id": made.ID, "status": "accepted"}); record.CodeOf(err) != record.Forbidden {
		t.Errorf("an agent accepts: %v", err)
	}
	if _, err := verbtest.CallAny(t, as(w, "human:lee"), "decision_set_status", verbtest.Args{"id": made.ID, "status": "accepted"}); record.CodeOf(err) != record.Forbidden || !strings.Contains(err.Error(), "confirm") {
		t.Errorf("a person accepts without confirming it: %v", err)
	}
	if _, err := verbtest.CallAny(t, w, "decision_set_status", verbtest.Args{"id": made.ID, "status": "accepted", "expected_rev": "no"}); record.CodeOf(err) != record.Conflict {
		t.Errorf("another revision: %v", err)
	}
	accepted, err := verbtest.Call[verb.Record](t, w, "decision_set_status", verbtest.Args{"id": made.ID, "status": "accepted", "reason": "measured", "expected_rev": string(made.Rev)})
	if err != nil || accepted.Status != ledger.Accepted || accepted.Provenance[1].Text != "measured" {
		t.Errorf("got %+v, %v", accepted, err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	w := workspace(t)
	agent := as(w, "agent:a")
	for name, tt := range map[string]struct {
		w    *verb.Workspace
		verb string
		in   verbtest.Args
		code record.Code
	}{
		"an agent that accepts":       {agent, "decision_log", verbtest.Args{"status": "accepted"}, record.Forbidden},
		"a scope above":               {agent, "decision_log", verbtest.Args{"scope": []string{"../x"}}, record.InvalidInput},
		"about what is not there":     {agent, "decision_log", verbtest.Args{"about": []string{"PROJ-none"}}, record.NotFound},
		"about a path":                {agent, "decision_log", verbtest.Args{"about": []string{"../x"}}, record.InvalidInput},
		"superseding nothing":         {agent, "decision_log", verbtest.Args{"supersedes": "DEC-none"}, record.NotFound},
		"superseding a path":          {agent, "decision_log", verbtest.Args{"supersedes": "../x"}, record.InvalidInput},
		"a status of its own":         {agent, "decision_log", verbtest.Args{"status": "done"}, record.InvalidInput},
		"a decision that is not":      {w, "decision_set_status", verbtest.Args{"id": "DEC-none", "status": "accepted"}, record.NotFound},
		"the id of a task":            {w, "decision_set_status", verbtest.Args{"id": "PROJ-1", "status": "accepted"}, record.InvalidInput},
		"a path that leaves":          {w, "decision_query", verbtest.Args{"path": "../x"}, record.InvalidInput},
		"a time that is none":         {w, "decision_query", verbtest.Args{"since": "soon"}, record.InvalidInput},
		"a state that is none":        {w, "decision_query", verbtest.Args{"status": "done"}, record.InvalidInput},
		"a parent that is not":        {w, "decision_query", verbtest.Args{"parent": "PROJ-none"}, record.NotFound},
		"more than a page":            {w, "decision_query", verbtest.Args{"limit": 501}, record.InvalidInput},
		"a cursor of another's":       {w, "decision_query", verbtest.Args{"cursor": "x"}, record.InvalidInput},
		"labels of a task's on lines": {agent, "decision_log", verbtest.Args{"labels": []string{"a\nb"}}, record.InvalidInput},
	} {
		in := verbtest.Args{}
		if tt.verb == "decision_log" {
			in = verbtest.Args{"title": "Locks", "choice": "A file lock"}
		}
		for key, value := range tt.in {
			in[key] = value
		}
		if out, err := verbtest.Call[any](t, tt.w, tt.verb, in); record.CodeOf(err) != tt.code {
			t.Errorf("%s: got %+v, %v, want %s", name, out, err, tt.code)
		}
	}
	if n := query(t, w, nil).Total; n != 0 {
		t.Errorf("%d decisions were logged all the same", n)
	}
}

// A viewer may look, and write nothing; a server that is for one task changes no decision.
func TestRights(t *testing.T) {
	w := workspace(t)
	id := log(t, w, "Locks", nil)
	about := verbtest.Must(t, w, "create", verbtest.Args{"title": "Lock it"}).ID
	writes := map[string]verbtest.Args{
		"decision_log":        {"title": "None", "choice": "None"},
		"decision_set_status": {"id": id, "status": "rejected"},
	}
	for name, in := range writes {
		low := as(w, "agent:a")
		low.Profile = verb.PairWorker
		if _, err := verbtest.CallAny(t, low, name, in); record.CodeOf(err) != record.Forbidden {
			t.Errorf("%s by a pair worker: %v", name, err)
		}
		scoped := *w
		scoped.Scope = record.ID(about)
		if _, err := verbtest.CallAny(t, &scoped, name, in); record.CodeOf(err) != record.OutOfScope {
			t.Errorf("%s of a server for another record: %v", name, err)
		}
	}
	viewer := as(w, "agent:a")
	viewer.Profile = verb.Viewer
	if got := query(t, viewer, nil); got.Total != 1 {
		t.Errorf("a viewer sees %+v", got)
	}
	scoped := *w
	scoped.Scope = record.ID(id)
	if _, err := verbtest.CallAny(t, &scoped, "decision_set_status", writes["decision_set_status"]); err != nil {
		t.Errorf("a server for the decision: %v", err)
	}
}

func TestQuery(t *testing.T) {
	w := workspace(t)
	top := verbtest.Must(t, w, "create", verbtest.Args{"title": "House"}).ID
	wall := verbtest.Must(t, w, "create", verbtest.Args{"title": "Wall", "parent": top}).ID
	brick := verbtest.Must(t, w, "create", verbtest.Args{"title": "Brick", "parent": wall}).ID
	other := verbtest.Must(t, w, "create", verbtest.Args{"title": "Garden"}).ID
	if err := os.MkdirAll(filepath.Join(w.Dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	locks := log(t, w, "Locks", verbtest.Args{"scope": []string{"src/lock/**"}, "about": []string{brick}, "rationale": "It is simple."})
	log(t, as(w, "agent:a"), "Names", verbtest.Args{"scope": []string{"**/*.go"}, "about": []string{other}, "options": []verbtest.Args{{"label": "camel"}}})
	log(t, w, "Leases", verbtest.Args{"supersedes": locks, "scope": []string{"src/lock/**"}, "about": []string{top}})
	for name, tt := range map[string]struct {
		in   verbtest.Args
		want []string
	}{
		"all, the newest first":         {nil, []string{"Leases", "Names", "Locks"}},
		"in a state":                    {verbtest.Args{"status": "proposed"}, []string{"Names"}},
		"for a file":                    {verbtest.Args{"path": "src/lock/a.go"}, []string{"Leases", "Names", "Locks"}},
		"for another file":              {verbtest.Args{"path": "docs/a.md"}, nil},
		"for a folder":                  {verbtest.Args{"path": "src"}, []string{"Leases", "Names", "Locks"}},
		"about a task":                  {verbtest.Args{"about": other}, []string{"Names"}},
		"about what belongs to a task":  {verbtest.Args{"parent": top}, []string{"Leases", "Locks"}},
		"the same, further down":        {verbtest.Args{"parent": wall}, []string{"Locks"}},
		"words of the reasons":          {verbtest.Args{"text": "SIMPLE locks"}, []string{"Locks"}},
		"words of an option":            {verbtest.Args{"text": "camel"}, []string{"Names"}},
		"words of a choice":             {verbtest.Args{"text": "leases it is"}, []string{"Leases"}},
		"words that none has":           {verbtest.Args{"text": "locks camel"}, nil},
		"since a time":                  {verbtest.Args{"since": "2027-01-01"}, nil},
		"since long ago":                {verbtest.Args{"since": "24h", "path": "docs/x.go"}, []string{"Names"}},
		"a path and a state that do so": {verbtest.Args{"status": "accepted", "path": "src/lock/a.go"}, []string{"Leases", "Locks"}},
	} {
		if got := query(t, w, tt.in); !slices.Equal(titles(got.Items), tt.want) || got.Total != len(tt.want) {
			t.Errorf("%s: got %q of %d, want %q", name, titles(got.Items), got.Total, tt.want)
		}
	}
	all := query(t, w, nil).Items
	if all[2].SupersededBy != all[0].ID || all[0].SupersededBy != "" || all[0].Supersedes != all[2].ID || all[2].Choice != "Locks it is" || all[1].Scope[0] != "**/*.go" {
		t.Errorf("the rows are %+v", all)
	}
	first := query(t, w, verbtest.Args{"limit": 2})
	rest := query(t, w, verbtest.Args{"limit": 2, "cursor": first.NextCursor})
	if len(first.Items) != 2 || first.Total != 3 || len(rest.Items) != 1 || rest.NextCursor != "" || rest.Items[0].Title != "Locks" {
		t.Errorf("the pages are %+v and %+v", first, rest)
	}
	if got, err := verbtest.Call[any](t, w, "get", verbtest.Args{"id": locks}); err != nil || got.(verb.Record).SupersededBy != all[0].ID {
		t.Errorf("get shows %+v (%v)", got, err)
	}
}

// governing is what begin hands out with a task.
func governing(t *testing.T, w *verb.Workspace, in verbtest.Args) *verb.Governing {
	t.Helper()
	in["title"] = "A task"
	id := verbtest.Must(t, w, "create", in).ID
	agent := as(w, "agent:a")
	ses, err := verbtest.Call[verb.Session](t, agent, "begin", verbtest.Args{"id": id, "expected_actor": "agent:a", "idempotency_key": "k" + id})
	if err != nil {
		t.Fatal(err)
	}
	got, err := verbtest.Call[any](t, agent, "get", verbtest.Args{"id": id, "include": []string{"decisions"}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, ses.Decisions), asJSON(t, got.(tasks.Context).Decisions); a != b {
		t.Errorf("begin hands out %s, and get shows %s", a, b)
	}
	again, err := verbtest.Call[verb.Session](t, agent, "begin", verbtest.Args{"id": id, "expected_actor": "agent:a", "idempotency_key": "k" + id})
	if a, b := asJSON(t, ses.Decisions), asJSON(t, again.Decisions); err != nil || a != b || !again.Replayed {
		t.Errorf("begin hands out %s, and then %s (%v)", a, b, err)
	}
	return ses.Decisions
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	src, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func rulings(g *verb.Governing) []string {
	if g == nil {
		return nil
	}
	var out []string
	for _, d := range g.Items {
		out = append(out, d.Title)
	}
	return out
}

func TestWhatGovernsATask(t *testing.T) {
	w := workspace(t)
	if got := governing(t, w, verbtest.Args{"body": "src/lock/a.go"}); got != nil {
		t.Fatalf("without decisions: %+v", got)
	}
	for _, dir := range []string{"src/lock", "web"} {
		if err := os.MkdirAll(filepath.Join(w.Dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "Makefile"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	top := verbtest.Must(t, w, "create", verbtest.Args{"title": "House"}).ID
	locks := log(t, w, "Locks", verbtest.Args{"scope": []string{"src/lock/**"}, "rationale": "It is simple."})
	log(t, w, "Make", verbtest.Args{"scope": []string{"Makefile"}})
	log(t, w, "Web", verbtest.Args{"scope": []string{"web/**"}})
	log(t, w, "House rules", verbtest.Args{"about": []string{top}})
	log(t, as(w, "agent:a"), "A proposal", verbtest.Args{"scope": []string{"src/**"}})
	log(t, w, "Of no path", nil)
	for name, tt := range map[string]struct {
		in   verbtest.Args
		want []string
	}{
		"no path":                       {verbtest.Args{}, nil},
		"its scope":                     {verbtest.Args{"scope": []string{"src/**"}}, []string{"Locks"}},
		"a file in its body":            {verbtest.Args{"body": "Change src/lock/new.go:12."}, []string{"Locks"}},
		"a folder in its body":          {verbtest.Args{"body": "All in `src`."}, []string{"Locks"}},
		"a word that is a file":         {verbtest.Args{"body": "See `Makefile`, and `nofile`."}, []string{"Make"}},
		"the same word as a word":       {verbtest.Args{"body": "Makefile"}, nil},
		"a file elsewhere":              {verbtest.Args{"body": "Change src/other.go and docs/lock/a.go."}, nil},
		"the folder of a check":         {verbtest.Args{"checks": []verbtest.Args{{"desc": "builds", "cmd": "npm test", "cwd": "web"}}}, []string{"Web"}},
		"the command of a check":        {verbtest.Args{"checks": []verbtest.Args{{"desc": "passes", "cmd": "go test ./src/lock/..."}}}, []string{"Locks"}},
		"a check in a folder":           {verbtest.Args{"checks": []verbtest.Args{{"desc": "passes", "cmd": "go test ./lock/...", "cwd": "src"}}}, []string{"Locks"}},
		"a task that it is about above": {verbtest.Args{"parent": top}, []string{"House rules"}},
		"several, the newest first":     {verbtest.Args{"parent": top, "scope": []string{"src/lock/a.go", "web/x"}}, []string{"House rules", "Web", "Locks"}},
	} {
		if got := rulings(governing(t, w, tt.in)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
	next := log(t, as(w, "agent:a"), "Leases", verbtest.Args{"supersedes": locks, "scope": []string{"src/**"}})
	if got := rulings(governing(t, w, verbtest.Args{"scope": []string{"src/**"}})); !slices.Equal(got, []string{"Locks"}) {
		t.Errorf("with a successor that is proposed: got %q", got)
	}
	verbtest.Must(t, w, "decision_set_status", verbtest.Args{"id": next, "status": "accepted"})
	if got := rulings(governing(t, w, verbtest.Args{"scope": []string{"src/**"}})); !slices.Equal(got, []string{"Leases"}) {
		t.Errorf("with a successor: got %q", got)
	}
	log(t, w, "For all", verbtest.Args{"scope": []string{"**"}})
	got := governing(t, w, verbtest.Args{})
	if !slices.Equal(rulings(got), []string{"For all"}) || got.Items[0].Choice != "For all it is" || got.Rest != "" {
		t.Errorf("for everything: got %+v", got)
	}
}

// What governs a task takes 6,000 characters at most, and says how many more there are.
func TestRoomForWhatGoverns(t *testing.T) {
	w := workspace(t)
	long := strings.Repeat("é", 2000)
	scope := []string{"src/**"}
	for i := range 20 {
		scope = append(scope, fmt.Sprintf("%s/%d", strings.Repeat("x", 400), i))
	}
	for range 12 {
		log(t, w, strings.Repeat("t", 500), verbtest.Args{"choice": long, "rationale": long, "scope": scope})
	}
	got := governing(t, w, verbtest.Args{"scope": []string{"src/a.go"}})
	if got == nil || len(got.Items) == 0 || got.More != 12-len(got.Items) || got.Rest == "" {
		t.Fatalf("got %+v", got)
	}
	if n := len(asJSON(t, got)); n > 6000 {
		t.Errorf("%d decisions take %d characters", len(got.Items), n)
	}
}

// Decisions that cannot be read do not keep a task from being begun, and neither does a file that is none.
func TestDecisionsThatCannotBeRead(t *testing.T) {
	w := workspace(t)
	log(t, w, "Locks", verbtest.Args{"scope": []string{"src/**"}})
	if err := os.WriteFile(filepath.Join(w.Dir, ".cairn/decisions/DEC-2.md"), []byte("no decision"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := rulings(governing(t, w, verbtest.Args{"scope": []string{"src/**"}})); !slices.Equal(got, []string{"Locks"}) {
		t.Errorf("got %q", got)
	}
	if got := query(t, w, nil); len(got.Items) != 1 || len(got.Problems.Problems) != 1 {
		t.Errorf("got %+v", got)
	}
}

// A task waits for a decision until it is accepted or rejected.
func TestTaskThatWaitsForADecision(t *testing.T) {
	w := workspace(t)
	agent := as(w, "agent:a")
	for _, to := range []string{"accepted", "rejected"} {
		d := log(t, agent, "Locks", nil)
		id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Lock it", "deps": []string{d}}).ID
		if _, err := verbtest.CallAny(t, agent, "transition", verbtest.Args{"id": id, "to": "in_progress"}); record.CodeOf(err) != record.DepsOpen {
			t.Errorf("begun before it was %s: %v", to, err)
		}
		verbtest.Must(t, w, "decision_set_status", verbtest.Args{"id": d, "status": to})
		if _, err := verbtest.CallAny(t, agent, "transition", verbtest.Args{"id": id, "to": "in_progress"}); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestWhereAnyoneAccepts(t *testing.T) {
	w := workspace(t)
	verbtest.Must(t, w, "settings_set", verbtest.Args{"key": "ratify", "value": "anyone"})
	agent := as(w, "agent:a")
	id := log(t, agent, "Locks", nil)
	if out, err := verbtest.Call[verb.Record](t, agent, "decision_set_status", verbtest.Args{"id": id, "status": "accepted"}); err != nil || out.Status != ledger.Accepted {
		t.Errorf("got %+v, %v", out, err)
	}
	log(t, agent, "Leases", verbtest.Args{"status": "accepted"})
	log(t, as(w, "human:lee"), "Names", nil) // nobody confirms what anyone may do
	if got := query(t, w, verbtest.Args{"status": "accepted"}).Total; got != 3 {
		t.Errorf("%d are accepted", got)
	}
	if _, err := verbtest.CallAny(t, w, "settings_set", verbtest.Args{"key": "ratify", "value": "signed"}); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("got %v", err)
	}
}

// A session that is about no task is given what governs the paths that its goal names.
func TestWhatGovernsASessionAboutNoTask(t *testing.T) {
	w := workspace(t)
	log(t, w, "Locks", verbtest.Args{"scope": []string{"src/lock/**"}})
	for range 2 {
		ses, err := verbtest.Call[verb.Session](t, w, "begin", verbtest.Args{
			"label": "tidy", "goal": "Tidy up src/lock/a.go.", "expected_actor": "human:lee", "idempotency_key": "k",
		})
		if err != nil || !slices.Equal(rulings(ses.Decisions), []string{"Locks"}) {
			t.Errorf("got %+v, %v", ses.Decisions, err)
		}
	}
}
