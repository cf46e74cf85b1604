package catalogue_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/task"
)

// reviewed makes a task with a manual check and a command that leaves a trace, in the working state.
func reviewed(t *testing.T, w *verb.Workspace) string {
	t.Helper()
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Walls", "checks": []verbtest.Args{{"desc": "read"}, {"desc": "stands", "cmd": "touch ran"}}}).ID
	verbtest.Must(t, w, "transition", verbtest.Args{"id": id, "to": "in_progress"})
	return id
}

// The person is asked while nothing is locked. What was confirmed is done, unless it would do something else by then:
// that is asked anew.
func TestWhatIsConfirmedIsWhatIsDone(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	id := reviewed(t, w)
	var asked []task.Ask
	w.Confirm = func(_ context.Context, asks []task.Ask) error {
		asked = append(asked, asks...)
		if len(asked) == 1 {
			verbtest.Must(t, w, "update", verbtest.Args{"id": id, "title": "Other walls"}) // it would be BUSY under a lock
		}
		return nil
	}
	if _, err := verbtest.Call[verb.Task](t, w, "attest", verbtest.Args{"id": id, "check": "read", "pass": true}); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 2 || asked[0].Title != "Walls" || asked[1].Title != "Other walls" {
		t.Errorf("asked %+v", asked)
	}
	got, err := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": id})
	if err != nil {
		t.Fatal(err)
	}
	attested := slices.DeleteFunc(got.Provenance, func(e verb.Entry) bool { return e.Did != record.Attested })
	if len(attested) != 1 {
		t.Errorf("it is attested %d times", len(attested))
	}
}

// What is not confirmed leaves every file as it was, runs nothing, and can be done later under the same idempotency
// key.
func TestWhatIsNotConfirmedIsNotDone(t *testing.T) {
	enough := errors.New("enough")
	for _, tt := range []struct {
		name    string
		confirm func(context.Context, []task.Ask) error
		refused func(error) bool
	}{
		{"there is nobody to ask", nil, func(err error) bool { return record.CodeOf(err) == record.Forbidden }},
		{"they say no", func(context.Context, []task.Ask) error { return record.Errorf(record.Forbidden, "no") }, func(err error) bool { return record.CodeOf(err) == record.Forbidden }},
		{"they leave", func(context.Context, []task.Ask) error { return context.Canceled }, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"the terminal breaks", func(context.Context, []task.Ask) error { return enough }, func(err error) bool { return errors.Is(err, enough) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := verbtest.NewWorkspace(t)
			yes := w.Confirm
			id := reviewed(t, w)
			was := files(t, w)
			w.Confirm = tt.confirm
			calls := map[string]verbtest.Args{
				"attest": {"id": id, "check": "read", "pass": true, "idempotency_key": "1"},
				"update": {"id": id, "checks": []verbtest.Args{{"desc": "stands", "cmd": "touch ran"}}, "reason": "enough", "to": "done", "idempotency_key": "2"},
			}
			for name, in := range calls {
				if _, err := verbtest.CallAny(t, w, name, in); !tt.refused(err) {
					t.Errorf("%s: %v", name, err)
				}
			}
			wantSameFiles(t, w, was)
			if _, err := os.Stat(filepath.Join(w.Dir, "ran")); err == nil {
				t.Error("a command ran for what nobody had confirmed")
			}
			w.Confirm = yes
			for _, name := range []string{"attest", "update"} {
				if r, err := verbtest.CallAny(t, w, name, calls[name]); err != nil || r.Replayed {
					t.Errorf("%s, confirmed later: %+v, %v", name, r, err)
				}
			}
		})
	}
}
