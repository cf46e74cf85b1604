package record_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

func TestParseActor(t *testing.T) {
	for _, tt := range []struct {
		name, actor string
		ok          bool
	}{
		{"a person", "human:shah", true},
		{"an agent", "agent:claude-1", true},
		{"a service", "service:bot", true},
		{"a pipeline", "ci:main", true},
		{"an address", "human:ada.b+x@example.com", true},
		{"a name of 64 characters", "human:" + strings.Repeat("a", 64), true},
		{"a name of 65", "human:" + strings.Repeat("a", 65), false},
		{"no kind", "shah", false},
		{"an unknown kind", "robot:shah", false},
		{"an upper-case kind", "Human:shah", false},
		{"no name", "human:", false},
		{"a space", "human:ada b", false},
		{"a second colon", "human:ada:b", false},
		{"a line break", "human:ada\n", false},
		{"a quote, which would need escaping in YAML", "human:o'hara", false},
		{"nothing", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := record.ParseActor(tt.actor)
			if ok := err == nil && string(got) == tt.actor; ok != tt.ok {
				t.Errorf("ParseActor(%q) = %q, %v", tt.actor, got, err)
			}
		})
	}
}

func TestKindOfActor(t *testing.T) {
	if !shah.Human() || shah.Agent() || !claude.Agent() || claude.Human() {
		t.Error("human:shah is a person and agent:claude-1 an agent, and nothing else")
	}
	if record.Actor("").Human() || record.Actor("ci:main").Human() {
		t.Error("neither nobody nor a pipeline is a person")
	}
}
