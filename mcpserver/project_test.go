package mcpserver_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store/layout"
)

// A server that may change projects answers the calls that follow from the other workspace; the session of the first is
// left there. One that may not says how the other is opened, and stays.
func TestAServerGoesToAnotherProject(t *testing.T) {
	w := newWorkspace(t)
	w.Rights = verb.Rights{Profile: verb.Maintainer}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	stays := connect(t, w)
	made := does[projects.Opened](t, stays, "project_create", object{"path": other, "prefix": "OTHER"})
	if out := does[projects.Opened](t, stays, "project_open", object{"project": made.Project}); out.Open || out.How == "" {
		t.Errorf("a server without --projects: %+v", out)
	}
	here := does[verb.Task](t, stays, "create", object{"title": "Here"})

	s := newServer(w, slog.New(slog.DiscardHandler))
	s.ChangeProjects()
	goes := connectTo(t, s, "", nil)
	does[verb.Session](t, goes, "begin", object{"id": here.ID, "expected_actor": string(w.Actor()), "idempotency_key": "1"})
	if out := does[projects.Opened](t, goes, "project_open", object{"project": "other"}); !out.Open || out.Prefix != "OTHER" {
		t.Fatalf("opened %+v", out)
	}
	there := does[verb.Task](t, goes, "create", object{"title": "There"})
	if list := does[tasks.ListOut](t, goes, "list", nil); list.Total != 1 || list.Tasks[0].ID != there.ID {
		t.Errorf("the list there is %+v", list)
	}
	refused(t, goes, record.NotFound, "get", object{"id": here.ID})
	if list := does[tasks.ListOut](t, stays, "list", nil); list.Total != 1 || list.Tasks[0].ID != here.ID {
		t.Errorf("the list here is %+v", list)
	}
}

// follower says which workspace was watched last.
type follower struct {
	clockwork
	root *string
}

func (f follower) Watch(l layout.Layout) (<-chan struct{}, func()) {
	*f.root = l.Root
	return f.clockwork.Watch(l)
}

// After a server went to another workspace, its client's subscriptions are told of what changes there, and ids are
// completed to those there.
func TestSubscriptionsGoAlongToAnotherProject(t *testing.T) {
	w, _ := oneTask(t)
	other, _ := oneTask(t)
	writeFile(t, filepath.Join(other.Dir, layout.Folder, "tasks", "T-2.md"), strings.ReplaceAll(firstTask, "T-1", "T-2"))
	root := ""
	w.Watcher, w.ConfigDir, w.Rights = follower{root: &root}, t.TempDir(), verb.Rights{Profile: verb.Maintainer}
	there, err := other.Open()
	if err != nil {
		t.Fatal(err)
	}
	projects.Note(t.Context(), &w, there)
	synctest.Test(t, func(t *testing.T) {
		w.Reads = &verb.SharedReads{}
		srv := newServer(w, slog.New(slog.DiscardHandler))
		srv.ChangeProjects()
		out := &screen{}
		c := serveTo(t, srv, out)
		defer c.end()
		c.subscribe(0, firstURI)
		c.call(1, "project_open", fmt.Sprintf(`{"project":%q}`, other.Dir))
		synctest.Wait()
		if root != there.Root {
			t.Errorf("%s is watched", root)
		}
		out.take()
		c.send(`{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{` +
			`"ref":{"type":"ref/resource","uri":"cairn://task/{id}"},"argument":{"name":"id","value":"T-"}}}` + "\n")
		synctest.Wait()
		if said := out.take(); !strings.Contains(said, `"T-2"`) {
			t.Errorf("completed to %s", said)
		}
	})
}
