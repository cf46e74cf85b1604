package mcpserver_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
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
