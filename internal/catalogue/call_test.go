package catalogue_test

import (
	"errors"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// A call is judged in order: the caller's rights, then the form of the input, then the rules.
func TestCall(t *testing.T) {
	for _, tt := range []struct {
		name    string
		verb    string
		profile verb.Profile
		input   string
		want    record.Code
	}{
		{"rights come first", "create", verb.PairWorker, `{"titel":"x"}`, record.Forbidden},
		{"then the form", "create", verb.Operator, `{"titel":"x"}`, record.InvalidInput},
		{"then the workspace", "create", verb.Operator, `{"title":"x"}`, record.NoWorkspace},
		{"a maintainer may what an operator may", "create", verb.Maintainer, `{"title":"x"}`, record.NoWorkspace},
		{"anybody may ask who they are", "identity", verb.Viewer, ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, ok := catalogue.Named(tt.verb)
			if !ok {
				t.Fatal("no such verb")
			}
			_, err := v.Call(t.Context(), verbtest.EmptyFolder(t, tt.profile), []byte(tt.input))
			if record.CodeOf(err) != tt.want {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			var e *record.Error
			if errors.As(err, &e) && e.Op != tt.verb {
				t.Errorf("the error does not say whose it is: %v", err)
			}
		})
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
