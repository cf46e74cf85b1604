package verb_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

func TestProfilesHoldThoseBefore(t *testing.T) {
	names := []string{"viewer", "planner", "pair_worker", "job", "operator", "maintainer"}
	for i, name := range names {
		p, err := verb.ParseProfile(name)
		if err != nil || p.String() != name || int(p) != i {
			t.Errorf("%s is %d, %v", name, p, err)
		}
	}
	if _, err := verb.ParseProfile("root"); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("root is a profile: %v", err)
	}
}
