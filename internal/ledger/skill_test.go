package ledger_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
)

// The id of a skill is a name in the Agent Skills format, and of a folder on every system.
func TestSkillIDs(t *testing.T) {
	for id, ok := range map[string]bool{
		"review": true, "release-notes": true, "a": true, "7": true, "com10": true, "console": true, strings.Repeat("a", 64): true,
		"": false, "Review": false, "-a": false, "a-": false, "a--b": false, "a_b": false, "a.b": false, "../a": false, "a/b": false,
		"con": false, "com1": false, "lpt9": false, "nul": false, strings.Repeat("a", 65): false, "é": false,
	} {
		if _, err := ledger.ParseSkillID(id); (err == nil) != ok {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func change(description, body string) ledger.SkillChange {
	return ledger.SkillChange{Description: &description, Body: &body}
}

func TestNewSkill(t *testing.T) {
	k, err := ledger.NewSkill("review", change(" How. ", "\nRead.\n"), stamp(""))
	if err != nil || k.Version != 1 || k.Title != "review" || k.Description != "How." || k.Body != "Read." || k.Status != ledger.SkillActive || len(k.Log) != 1 {
		t.Errorf("got %+v, %v", k, err)
	}
	archived := change("How.", "Read.")
	archived.Status = ptr(ledger.SkillArchived)
	if k, err := ledger.NewSkill("review", archived, stamp("")); err != nil || k.Status != ledger.SkillArchived || k.Log.Last().To != ledger.SkillArchived {
		t.Errorf("archived: got %+v, %v", k, err)
	}
	gone := change("How.", "Read.")
	gone.Status = ptr(record.Status("gone"))
	for name, c := range map[string]ledger.SkillChange{
		"no description":         change(" ", "b"),
		"no body":                change("d", "\n\n"),
		"a long description":     change(strings.Repeat("d", 1025), "b"),
		"a description of two":   change("d\ne", "b"),
		"a long body":            change("d", strings.Repeat("b", 64<<10+1)),
		"a body that is no text": change("d", "a\x00b"),
		"another state":          gone,
	} {
		if _, err := ledger.NewSkill("review", c, stamp("")); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: got %v, want INVALID_INPUT", name, err)
		}
	}
	if _, err := ledger.NewSkill("Review", change("d", "b"), stamp("")); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("a bad id: %v", err)
	}
}

// Each change is a version, and says which keys it is about.
func TestChangeOfASkill(t *testing.T) {
	k, _ := ledger.NewSkill("review", change("How.", "Read."), stamp(""))
	if same, err := k.Change(change("How.", "Read."), stamp("")); err != nil || same.Version != 1 || len(same.Log) != 1 {
		t.Errorf("nothing changed: got %+v, %v", same, err)
	}
	now, err := k.Change(ledger.SkillChange{Body: ptr("Read twice."), Labels: ptr([]string{"a", "a"})}, stamp(""))
	if err != nil || now.Version != 2 || !slices.Equal(now.Labels, []string{"a"}) || !slices.Equal(now.Log.Last().Fields, []string{"labels", "body", "version"}) {
		t.Errorf("got %+v, %v", now, err)
	}
	gone, err := now.Change(ledger.SkillChange{Status: ptr(ledger.SkillArchived)}, stamp(""))
	if last := gone.Log.Last(); err != nil || gone.Version != 3 || gone.Status != ledger.SkillArchived || last.From != ledger.SkillActive || last.To != ledger.SkillArchived {
		t.Errorf("archived: got %+v, %v", gone, err)
	}
}
