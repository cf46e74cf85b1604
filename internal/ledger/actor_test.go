package ledger_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

func stamp(text string) record.Stamp {
	return record.Stamp{Who: "human:ada", At: time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC), Text: text}
}

func ptr[T any](v T) *T { return &v }

func TestNewActor(t *testing.T) {
	a, err := ledger.NewActor("agent:claude-1", ledger.ActorChange{Group: ptr(" reviewers "), Abilities: ptr([]string{"go", "go", "sql"})}, stamp(""))
	if err != nil || a.Ref.ID != "agent:claude-1" || a.Title != "agent:claude-1" || a.Status != ledger.ActorActive || a.Group != "reviewers" ||
		!slices.Equal(a.Abilities, []string{"go", "sql"}) || len(a.Log) != 1 || a.Log[0].Did != record.Created {
		t.Errorf("got %+v, %v", a, err)
	}
	for name, c := range map[string]ledger.ActorChange{
		"a group of two words":    {Group: ptr("two words")},
		"a role of two lines":     {Role: ptr("a\nb")},
		"a name that is too long": {DisplayName: ptr(strings.Repeat("x", 501))},
		"an empty capability":     {Abilities: ptr([]string{""})},
		"a reference with a bell": {ExternalRef: ptr("a\ab")},
	} {
		if _, err := ledger.NewActor("agent:claude-1", c, stamp("")); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: got %v, want INVALID_INPUT", name, err)
		}
	}
	var many []string
	for n := range 51 {
		many = append(many, "c"+strings.Repeat("x", n))
	}
	if _, err := ledger.NewActor("agent:a", ledger.ActorChange{Abilities: &many}, stamp("")); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("51 capabilities: got %v", err)
	}
	if _, err := ledger.NewActor("claude-1", ledger.ActorChange{}, stamp("")); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("no actor: got %v", err)
	}
}

func TestRegister(t *testing.T) {
	a, _ := ledger.NewActor("agent:a", ledger.ActorChange{DisplayName: ptr("A"), Role: ptr("reads")}, stamp(""))
	same, err := a.Register(ledger.ActorChange{Role: ptr("reads")}, stamp(""))
	if err != nil || len(same.Log) != 1 {
		t.Errorf("nothing changed: got %+v, %v", same, err)
	}
	now, err := a.Register(ledger.ActorChange{DisplayName: ptr(""), Group: ptr("g")}, stamp(""))
	if err != nil || now.Title != "agent:a" || now.Role != "reads" || !slices.Equal(now.Log.Last().Fields, []string{"title", "group"}) {
		t.Errorf("changed: got %+v, %v", now, err)
	}
	now.Header, err = task.Plain(ledger.ActorStates...).Move(now, now.Header, ledger.ActorGone, stamp("left"), task.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := now.Register(ledger.ActorChange{}, stamp(""))
	if last := back.Log.Last(); err != nil || back.Status != ledger.ActorActive || last.From != ledger.ActorGone || last.To != ledger.ActorActive {
		t.Errorf("back again: got %+v, %v", back, err)
	}
	if _, err := back.Register(ledger.ActorChange{Group: ptr("a b")}, stamp("")); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("a bad group: got %v", err)
	}
}

func TestNames(t *testing.T) {
	if ledger.Name("agent:claude-1") != "claude-1" || ledger.KindOf("agent:claude-1") != "agent" {
		t.Error("agent:claude-1 is not the agent claude-1")
	}
}
