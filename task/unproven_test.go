package task

import (
	"slices"
	"testing"
)

// What the record of a closed task vouches for, whatever has become of the tree since.
func TestUnproven(t *testing.T) {
	flow := Flow{
		States: []Status{"open", "done", "canceled"}, Initial: "open",
		Closed: []Status{"done", "canceled"}, Abandoned: []Status{"canceled"}, Settles: ByHuman,
	}
	tests := Check{Desc: "tests", Cmd: "go test ./...", Result: Pass}
	read := Check{Desc: "read", Result: Pass}
	ran := Entry{Who: "agent:a", Did: Checked, Tree: "t", Results: []CheckResult{{Check: tests.Key(""), Result: Pass}}}
	failed := Entry{Who: "agent:a", Did: Checked, Results: []CheckResult{{Check: tests.Key(""), Result: Fail}}}
	attested := func(who Actor) Entry {
		return Entry{Who: who, Did: Attested, Results: []CheckResult{{Check: "read", Result: Pass}}}
	}
	for name, c := range map[string]struct {
		status  Status
		checks  []Check
		entries []Entry
		want    []string
	}{
		"all passed":                {"done", []Check{tests, read}, []Entry{ran, attested("human:x")}, nil},
		"a pass without an entry":   {"done", []Check{tests}, nil, []string{"tests"}},
		"a later failure":           {"done", []Check{tests}, []Entry{ran, failed}, []string{"tests"}},
		"pending":                   {"done", []Check{{Desc: "vet", Cmd: "go vet", Result: Pending}}, nil, []string{"vet"}},
		"attested by whoever":       {"done", []Check{read}, []Entry{attested("agent:a")}, []string{"read"}},
		"open":                      {"open", []Check{tests}, nil, nil},
		"abandoned":                 {"canceled", []Check{tests}, nil, nil},
		"closed without any checks": {"done", nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, check := range flow.Unproven(Task{Status: c.status, Checks: c.checks, Provenance: c.entries}) {
				got = append(got, check.Desc)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
