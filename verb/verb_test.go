package verb_test

import (
	"crypto/rand"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
)

func TestProfilesHoldThoseBefore(t *testing.T) {
	names := []string{"viewer", "planner", "pair_worker", "operator", "maintainer"}
	for i, name := range names {
		p, err := verb.ParseProfile(name)
		if err != nil || p.String() != name || int(p) != i {
			t.Errorf("%s is %d, %v", name, p, err)
		}
	}
	if _, err := verb.ParseProfile("root"); task.CodeOf(err) != task.InvalidInput {
		t.Errorf("root is a profile: %v", err)
	}
}

// outside is a caller in a folder that is no workspace.
func outside(t *testing.T, p verb.Profile) *verb.Workspace {
	t.Helper()
	return &verb.Workspace{
		Dir: t.TempDir(), StateDir: filepath.Join(t.TempDir(), "state"), Actor: "agent:claude-1", Rights: verb.Rights{Profile: p},
		Now: time.Now, Rand: rand.Reader,
	}
}

// A call is judged in order: the caller's rights, then the form of the input, then the rules.
func TestCall(t *testing.T) {
	for _, tt := range []struct {
		name    string
		verb    string
		profile verb.Profile
		input   string
		want    task.Code
	}{
		{"rights come first", "create", verb.PairWorker, `{"titel":"x"}`, task.Forbidden},
		{"then the form", "create", verb.Operator, `{"titel":"x"}`, task.InvalidInput},
		{"then the workspace", "create", verb.Operator, `{"title":"x"}`, task.NoWorkspace},
		{"a maintainer may what an operator may", "create", verb.Maintainer, `{"title":"x"}`, task.NoWorkspace},
		{"anybody may ask who they are", "identity", verb.Viewer, ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, ok := catalogue.Named(tt.verb)
			if !ok {
				t.Fatal("no such verb")
			}
			_, err := v.Call(t.Context(), outside(t, tt.profile), []byte(tt.input))
			if task.CodeOf(err) != tt.want {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			var e *task.Error
			if errors.As(err, &e) && e.Op != tt.verb {
				t.Errorf("the error does not say whose it is: %v", err)
			}
		})
	}
}

// What a caller is told of an error. A next verb that the caller may not call is left out.
func TestFailureOf(t *testing.T) {
	stuck := task.Errorf(task.Conflict, "changed meanwhile").WithHint("read it again").
		WithNext("update", map[string]any{"id": "A-1"})
	stuck.Op, stuck.ID, stuck.Details = "transition", "A-1", map[string]any{"run": 1}

	told := catalogue.FailureOf(stuck, verb.Rights{Profile: verb.Operator}).Error
	if told.Code != task.Conflict || told.Message != "transition A-1: changed meanwhile" || told.Hint != "read it again" || !told.Retryable {
		t.Errorf("told %+v", told)
	}
	if told.NextTool != "update" || told.NextArguments["id"] != "A-1" || told.Details["run"] != 1 {
		t.Errorf("told %+v", told)
	}
	if told := catalogue.FailureOf(stuck, verb.Rights{Profile: verb.PairWorker}).Error; told.NextTool != "" || told.NextArguments != nil {
		t.Errorf("a pair worker is sent to %s", told.NextTool)
	}
	unknown := task.Errorf(task.Conflict, "changed").WithNext("no_such_verb", nil)
	if told := catalogue.FailureOf(unknown, verb.Rights{Profile: verb.Maintainer}).Error; told.NextTool != "" {
		t.Errorf("sent to %s, which does not exist", told.NextTool)
	}
	if told := catalogue.FailureOf(io.ErrUnexpectedEOF, verb.Rights{}).Error; told.Code != task.IO || told.Message != "unexpected EOF" {
		t.Errorf("an error without a code is told as %+v", told)
	}
}

// Whoever plans is offered what it takes to plan, without anybody saying so.
func TestEveryProfileIsOfferedItsTools(t *testing.T) {
	plan, _ := catalogue.Named("plan")
	for _, p := range []verb.Profile{verb.Viewer, verb.Planner, verb.PairWorker, verb.Operator, verb.Maintainer} {
		rights := verb.Rights{Profile: p, Toolsets: p.Toolsets()}
		if err := rights.Allow(plan); (err == nil) != (p == verb.Planner) {
			t.Errorf("%s: plan is offered: %v", p, err)
		}
	}
}
