package brief_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/brief"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// A brief stays short whatever the workspace holds and whatever is asked for, and says how much there is.
func TestBriefStaysShort(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	var plan []map[string]any
	for i := range 300 {
		plan = append(plan, map[string]any{"title": fmt.Sprintf("%d %s", i, strings.Repeat("\U0001f600\"<", 40))})
	}
	if _, err := verbtest.Call[any](t, w, "plan", verbtest.Args{"tasks": plan}); err != nil {
		t.Fatal(err)
	}
	for _, in := range []verbtest.Args{{}, {"max_tasks": 50, "max_activity": 50, "max_decisions": 50, "max_knowledge": 50}} {
		out, err := verbtest.Call[brief.Out](t, w, "brief", in)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(out)
		if err != nil || len(text) > 8<<10 {
			t.Errorf("%v: %d bytes (%v)", in, len(text), err)
		}
		if out.Open != 300 || out.Ready != 300 || len(out.Top) < 5 || len(out.Activity) == 0 {
			t.Errorf("%v: got %d open, %d ready, %d shown, %d written", in, out.Open, out.Ready, len(out.Top), len(out.Activity))
		}
	}
}

// The part below a task has all levels, and nothing else.
func TestBriefOfAPart(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	create := func(title string, parent record.ID) record.ID {
		in := verbtest.Args{"title": title}
		if parent != "" {
			in["parent"] = parent
		}
		out, err := verbtest.Call[verb.Task](t, w, "create", in)
		if err != nil {
			t.Fatal(err)
		}
		return out.ID
	}
	top := create("top", "")
	middle := create("middle", top)
	create("bottom", middle)
	create("beside", "")
	out, err := verbtest.Call[brief.Out](t, w, "brief", verbtest.Args{"parent": top})
	if err != nil || out.Open != 3 || len(out.Top) != 3 || len(out.Activity) != 3 || out.Parent == nil || out.Parent.ID != top {
		t.Errorf("got %+v, %v", out, err)
	}
	if _, err := verbtest.Call[brief.Out](t, w, "brief", verbtest.Args{"parent": "T-404"}); record.CodeOf(err) != record.NotFound {
		t.Errorf("got %v, want NOT_FOUND", err)
	}
}

// A decision that another has taken the place of is not among those that a brief shows.
func TestBriefOfDecisions(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	old := verbtest.Must(t, w, "decision_log", verbtest.Args{"title": "Locks", "choice": "A file lock"}).ID
	now := verbtest.Must(t, w, "decision_log", verbtest.Args{"title": "Leases", "choice": "A lease", "supersedes": old}).ID
	verbtest.Must(t, w, "decision_log", verbtest.Args{"title": "None", "choice": "No lock", "supersedes": now, "status": "proposed"})
	out, err := verbtest.Call[brief.Out](t, w, "brief", verbtest.Args{})
	if err != nil || len(out.Decisions) != 1 || out.Decisions[0].ID != now || out.Decisions[0].Choice != "A lease" || out.Totals.Decisions != 1 {
		t.Errorf("got %+v of %d, %v", out.Decisions, out.Totals.Decisions, err)
	}
}
