package risk_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/examples/kind/risk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

func TestMain(m *testing.M) {
	risk.Register()
	m.Run()
}

func stamp(text string) record.Stamp {
	return record.Stamp{Who: "human:ada", At: time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC), Text: text}
}

func TestRules(t *testing.T) {
	r, err := risk.Risks.New(risk.Risk{Header: record.Header{Title: "Rain"}, Likelihood: "low"}, "1", stamp(""))
	if err != nil || r.Ref.ID != "RISK-1" || r.Status != risk.Open || len(r.Log) != 1 {
		t.Fatalf("created %+v, %v", r, err)
	}
	for name, bad := range map[string]risk.Risk{
		"no title":                {Likelihood: "low"},
		"no likelihood":           {Header: record.Header{Title: "Rain"}},
		"an owner who is none":    {Header: record.Header{Title: "Rain"}, Likelihood: "low", Owner: "ada"},
		"a label on two lines":    {Header: record.Header{Title: "Rain", Labels: []string{"a\nb"}}, Likelihood: "low"},
		"a likelihood of its own": {Header: record.Header{Title: "Rain"}, Likelihood: "certain"},
	} {
		if _, err := risk.Risks.New(bad, "1", stamp("")); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: got %v, want INVALID_INPUT", name, err)
		}
	}
	for _, tt := range []struct {
		as     record.Status
		reason string
		code   record.Code
	}{
		{risk.Mitigated, "", ""},
		{risk.Accepted, "it is only water", ""},
		{risk.Accepted, "", record.InvalidInput},
		{risk.Open, "again", record.InvalidInput},
	} {
		got, err := risk.Risks.Move(r, tt.as, stamp(tt.reason))
		if record.CodeOf(err) != tt.code || err == nil && (got.Status != tt.as || len(got.Log) != 2) {
			t.Errorf("closed as %s for %q: got %+v, %v", tt.as, tt.reason, got, err)
		}
	}
}

// A closed state wins over an open one. Two different closed ones are for a person to settle. Everything else merges
// key by key.
func TestMerge(t *testing.T) {
	file := func(status, more string) []byte {
		return []byte("---\nid: RISK-1\ntitle: Rain\nstatus: " + status + "\nlikelihood: low\nunknown: {kept: true}\n" + more + "---\n")
	}
	for name, tt := range map[string]struct {
		base, ours, theirs []byte
		clean              bool
		want               string
	}{
		"closed wins over open again": {file("accepted", ""), file("open", ""), file("mitigated", ""), true, "status: mitigated\n"},
		"two ends":                    {file("open", ""), file("accepted", ""), file("mitigated", ""), false, "<<<<<<<"},
		"labels of both":              {file("open", ""), file("open", "labels: [wet]\n"), file("mitigated", "labels: [cold]\n"), true, "labels: [wet, cold]\n"},
	} {
		merged, clean := kind.Merge(".cairn/risks/RISK-1.md", tt.base, tt.ours, tt.theirs, task.Flow{}, format.Markers{Size: 7})
		if clean != tt.clean || !strings.Contains(string(merged), tt.want) || !strings.Contains(string(merged), "unknown: {kept: true}\n") {
			t.Errorf("%s: clean is %v, got\n%s", name, clean, merged)
		}
	}
}

// An id that a record has is never answered for another: another one is made, and without one the call is refused.
func TestIDsThatAreTaken(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	now := time.Now()
	w.Now = func() time.Time { return now }
	for _, tt := range []struct{ name, verb string }{{"a risk", "risk_create"}, {"a task", "create"}} {
		t.Run(tt.name, func(t *testing.T) {
			create := func(random string) (string, error) {
				w.Rand = bytes.NewReader([]byte(random))
				in := verbtest.Args{"title": "Rain " + random}
				if tt.verb == "risk_create" {
					in["likelihood"] = "low"
					out, err := verbtest.Call[verb.Record](t, w, tt.verb, in)
					return out.ID, err
				}
				out, err := verbtest.Call[verb.Task](t, w, tt.verb, in)
				return string(out.ID), err
			}
			first, err := create("aaa")
			if err != nil {
				t.Fatal(err)
			}
			if second, err := create("aaabbb"); err != nil || second == first || second == "" {
				t.Errorf("got %q (%v) beside %s", second, err, first)
			}
			if id, err := create(strings.Repeat("aaa", 5)); record.CodeOf(err) != record.Conflict {
				t.Errorf("got %q (%v), want CONFLICT", id, err)
			}
		})
	}
}

// A key that was used with other arguments is refused at once.
func TestKeyOfAnotherRisk(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	in := verbtest.Args{"title": "Rain", "likelihood": "low", "idempotency_key": "one"}
	if _, err := verbtest.Call[verb.Record](t, w, "risk_create", in); err != nil {
		t.Fatal(err)
	}
	in["title"] = "Snow"
	if out, err := verbtest.Call[verb.Record](t, w, "risk_create", in); record.CodeOf(err) != record.Conflict {
		t.Errorf("got %+v (%v), want CONFLICT", out, err)
	}
}
