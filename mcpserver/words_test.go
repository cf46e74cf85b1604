package mcpserver_test

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/verb/brief"
	"github.com/cairn-tasks/cairn/internal/verb/graphs"
	"github.com/cairn-tasks/cairn/internal/verb/prime"
	"github.com/cairn-tasks/cairn/internal/verb/status"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/task"
)

// mixedWorkspace has tasks that stand in every way that there is, as words by their titles: flags of a filter.
func mixedWorkspace(t *testing.T) (w verb.Workspace, stand map[string][]task.Word) {
	t.Helper()
	w = newWorkspace(t)
	now := time.Now()
	w.Now = func() time.Time { return now }
	by := func(who record.Actor) *verb.Workspace {
		other := w
		other.Actor, other.Profile = verb.As(who), verb.Maintainer
		other.Confirm = func(context.Context, []task.Ask) error { return nil }
		return &other
	}
	const ana = "human:ana"
	lee, claude, bob := by("human:lee"), by("agent:claude-1"), by("agent:bob")
	ids, stand := map[string]string{}, map[string][]task.Word{}
	adds := func(title string, in verbtest.Args, words ...task.Word) string {
		in["title"] = title
		ids[title], stand[title] = verbtest.Must(t, lee, "create", in).ID, words
		return ids[title]
	}
	does := func(who *verb.Workspace, verb, title string, in verbtest.Args) verbtest.Result {
		in["id"] = ids[title]
		if verb == "begin" {
			in["expected_actor"], in["idempotency_key"] = who.Actor(), title
		}
		return verbtest.Must(t, who, verb, in)
	}
	held := []task.Word{task.IsHeld, task.IsRunning}

	adds("left by bob", verbtest.Args{}, task.IsLapsed, task.IsStalled)
	does(bob, "begin", "left by bob", verbtest.Args{})
	adds("given to bob long ago", verbtest.Args{"assignee": "agent:bob"}, task.IsLapsed, task.IsAssigned)
	now = now.Add(6 * time.Hour)

	free := adds("free", verbtest.Args{}, task.IsReady)
	adds("waits", verbtest.Args{"deps": []string{free}}, task.IsBlocked)
	adds("a parent", verbtest.Args{}, task.IsBlocked)
	adds("its child", verbtest.Args{"parent": ids["a parent"]}, task.IsReady)
	adds("put back", verbtest.Args{}, task.IsReady)
	does(lee, "start", "put back", verbtest.Args{})
	does(lee, "release", "put back", verbtest.Args{})
	adds("started by lee", verbtest.Args{}, held...)
	does(lee, "start", "started by lee", verbtest.Args{})
	adds("begun by claude", verbtest.Args{}, held...)
	does(claude, "begin", "begun by claude", verbtest.Args{})
	adds("claimed and waits", verbtest.Args{"deps": []string{free}}, task.IsHeld, task.IsRunning, task.IsBlocked)
	does(claude, "claim", "claimed and waits", verbtest.Args{})
	adds("taken by update", verbtest.Args{}, held...)
	does(claude, "update", "taken by update", verbtest.Args{"assignee": "me"})
	adds("given by update", verbtest.Args{}, task.IsAssigned)
	does(lee, "update", "given by update", verbtest.Args{"assignee": ana})
	adds("given to bob", verbtest.Args{"assignee": "agent:bob"}, task.IsAssigned)
	adds("given, then begun", verbtest.Args{"assignee": "agent:bob"}, held...)
	does(bob, "begin", "given, then begun", verbtest.Args{})
	adds("given, then started", verbtest.Args{"assignee": "human:lee"}, held...)
	does(lee, "start", "given, then started", verbtest.Args{})
	adds("given and waits", verbtest.Args{"assignee": "me", "deps": []string{free}}, task.IsAssigned, task.IsBlocked)
	adds("handed over", verbtest.Args{}, task.IsHeld, task.IsInReview)
	begun := does(claude, "begin", "handed over", verbtest.Args{})
	verbtest.Must(t, claude, "finish", verbtest.Args{"session": begun.ID, "summary": "It is there."})
	adds("in review", verbtest.Args{}, task.IsInReview)
	does(lee, "transition", "in review", verbtest.Args{"to": "in_progress"})
	does(lee, "transition", "in review", verbtest.Args{"to": "in_review"})
	adds("closed", verbtest.Args{})
	does(lee, "transition", "closed", verbtest.Args{"to": "done"})

	verbtest.Must(t, lee, "plan", verbtest.Args{"tasks": []verbtest.Args{{"title": "planned for bob", "assignee": "agent:bob"}, {"title": "planned", "key": "p"}}})
	stand["planned for bob"], stand["planned"] = []task.Word{task.IsAssigned}, []task.Word{task.IsReady}
	verbtest.Must(t, lee, "import", verbtest.Args{"source": "jira", "items": []verbtest.Args{
		{"ref": "1", "title": "imported for ana", "assignee": ana}, {"ref": "2", "title": "imported as begun by ana", "state": "started", "assignee": ana},
		{"ref": "3", "title": "imported as begun by lee", "state": "started", "assignee": "lee"}, {"ref": "4", "title": "imported as begun", "state": "started"},
	}})
	for _, title := range []string{"imported for ana", "imported as begun by ana", "imported as begun by lee"} {
		stand[title] = []task.Word{task.IsAssigned}
	}
	stand["imported as begun"] = []task.Word{task.IsReady}

	adds("begun elsewhere", verbtest.Args{}, task.IsHeld, task.IsRunning, task.IsElsewhere)
	git(t, w.Dir, "add", "-A")
	git(t, w.Dir, "-c", "user.name=lee", "-c", "user.email=lee@example.org", "commit", "-qm", "tasks")
	there := filepath.Join(t.TempDir(), "there")
	git(t, w.Dir, "worktree", "add", "-q", there)
	far := by("agent:far")
	far.Dir = there
	does(far, "start", "begun elsewhere", verbtest.Args{})
	return w, stand
}

// Every list, filter, flag and count means the same by a word, over MCP as on the command line, which calls the same
// verbs; and ready is what next hands out.
func TestWordsMeanOneThing(t *testing.T) {
	w, stand := mixedWorkspace(t)
	cs := connect(t, w)
	counts := map[task.Word]int{}
	titled := func(word task.Word) (titles []string) {
		for title, words := range stand {
			if slices.Contains(words, word) {
				titles = append(titles, title)
			}
		}
		slices.Sort(titles)
		return titles
	}
	for _, word := range task.Words() {
		counts[word] = len(titled(word))
	}
	list := func(in object) (titles []string) {
		in["limit"] = 500
		for _, row := range does[tasks.ListOut](t, cs, "list", in).Tasks {
			titles = append(titles, row.Title)
		}
		slices.Sort(titles)
		return titles
	}
	for _, word := range tasks.FlagWords {
		if got := list(object{"where": string(word)}); !slices.Equal(got, titled(word)) {
			t.Errorf("where %s: %q, want %q", word, got, titled(word))
		}
	}
	ready := titled(task.IsReady)
	if got := list(object{"ready": true}); !slices.Equal(got, ready) {
		t.Errorf("list ready: %q", got)
	}
	for _, row := range does[tasks.ListOut](t, cs, "list", object{"limit": 500}).Tasks {
		one := does[verb.Task](t, cs, "get", object{"id": row.ID})
		for word, flags := range map[task.Word][]bool{
			task.IsReady: {row.Ready}, task.IsAssigned: {row.Assigned, one.Assigned}, task.IsRunning: {one.IsRunning}, task.IsInReview: {one.IsReviewing},
		} {
			for _, is := range flags {
				if is != slices.Contains(stand[row.Title], word) {
					t.Errorf("%s: a row says of %s %v", row.Title, word, is)
				}
			}
		}
	}

	wants := func(what string, got int, word task.Word) {
		t.Helper()
		if got != counts[word] {
			t.Errorf("%s counts %d, want %d that are %s", what, got, counts[word], word)
		}
	}
	wants("the resource", as[tasks.ListOut](t, asObject(t, readResource(t, cs, "cairn://tasks/ready"))).Total, task.IsReady)
	st := does[status.Out](t, cs, "status", object{})
	wants("status", st.Totals.Ready, task.IsReady)
	wants("status", st.Totals.Running, task.IsRunning)
	wants("status", st.Totals.Stalled, task.IsStalled)
	wants("status", st.Totals.Assigned, task.IsAssigned)
	wants("status", st.Totals.Review, task.IsInReview)
	wants("status", st.Blocked, task.IsBlocked)
	br := does[brief.Out](t, cs, "brief", object{"max_tasks": 50})
	wants("brief", br.Ready, task.IsReady)
	wants("brief", br.Blocked, task.IsBlocked)
	wants("brief", br.Held, task.IsHeld)
	wants("brief", br.Assigned, task.IsAssigned)
	for _, one := range br.Top {
		if one.Blocked != slices.Contains(stand[one.Title], task.IsBlocked) {
			t.Errorf("brief says of %s that it is blocked: %v", one.Title, one.Blocked)
		}
	}
	pr := does[prime.Out](t, cs, "prime", object{})
	wants("prime", pr.Totals.Ready, task.IsReady)
	wants("prime", pr.Totals.Blocked, task.IsBlocked)
	waited := does[activity.Waited](t, cs, "wait", object{"ready": true, "timeout_seconds": 0})
	wants("wait", *cmp.Or(waited.Total, new(int)), task.IsReady)
	gr := does[graphs.Out](t, cs, "graph", object{})
	var nodes []string
	for _, n := range gr.Nodes {
		if n.Ready {
			nodes = append(nodes, n.Title)
		}
	}
	if slices.Sort(nodes); !slices.Equal(nodes, ready) {
		t.Errorf("graph: %q", nodes)
	}
	if u := gr.Unblocks[0]; u.Title != "free" || u.Waiting != 3 || u.Ready != 1 { // the others are somebody's
		t.Errorf("graph unblocks %+v", u)
	}

	var handed []string
	for range ready {
		if work := does[tasks.Work](t, cs, "next", object{}); work.Task != nil {
			handed = append(handed, work.Task.Title)
		}
	}
	if slices.Sort(handed); !slices.Equal(handed, ready) {
		t.Errorf("next hands out %q, and ready are %q", handed, ready)
	}
	if work := does[tasks.Work](t, cs, "next", object{}); work.Task != nil || work.Blocked != counts[task.IsBlocked] {
		t.Errorf("at last next returns %s", fmt.Sprintf("%+v", work))
	}
}
