package verb

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
)

func people() People {
	row := func(id string, status record.Status, group string) *kind.Row {
		r := &kind.Row{ID: id, Status: status}
		r.Add(kind.GroupFact, group)
		return r
	}
	return People{
		Registered: map[record.Actor]*kind.Row{
			"agent:claude-1": row("agent:claude-1", ledger.ActorActive, "reviewers"),
			"human:ada":      row("human:ada", ledger.ActorActive, "reviewers"),
			"human:lee":      row("human:lee", ledger.ActorGone, "reviewers"),
			"service:bot":    row("service:bot", ledger.ActorActive, ""),
		},
		Seen: map[record.Actor]int64{"agent:claude-2": 1, "ci:bot": 2, "human:ada": 3},
	}
}

// A group has the actors of the directory that are not gone.
func TestGroups(t *testing.T) {
	p := people()
	if got := p.Members("reviewers"); !slices.Equal(got, []record.Actor{"agent:claude-1", "human:ada"}) {
		t.Errorf("the reviewers are %v", got)
	}
	for who, want := range map[record.Actor][]string{"human:ada": {"reviewers"}, "human:lee": nil, "service:bot": nil, "agent:claude-2": nil} {
		if got := p.Groups(who); !slices.Equal(got, want) {
			t.Errorf("%s is in %v, want %v", who, got, want)
		}
	}
	if got := p.All(); len(got) != 6 || got[0] != "agent:claude-1" {
		t.Errorf("everybody is %v", got)
	}
}

// A mention is a whole id, or a name that one actor has.
func TestNamed(t *testing.T) {
	p := people()
	for mention, want := range map[string]record.Actor{
		"@ada": "human:ada", "ADA": "human:ada", "@claude-2": "agent:claude-2", "@agent:new": "agent:new", "lee": "human:lee", "@bot": "", "@nobody": "", "@": "",
	} {
		if got, ok := p.Named(mention); got != want || ok != (want != "") {
			t.Errorf("%s is %q (%v), want %q", mention, got, ok, want)
		}
	}
}

// In a script without spaces what follows a name is no part of it.
func TestMentionBeginsWithAName(t *testing.T) {
	p := people()
	p.Seen["human:山田"], p.Seen["human:山田太郎"], p.Seen["agent:ไทย"] = 1, 1, 1
	for mention, want := range map[string]record.Actor{
		"山田太郎さん": "human:山田太郎", "山田さんへ": "human:山田", "adaさん": "human:ada", "human:山田です": "human:山田", "ไทยครับ": "agent:ไทย",
		"adam": "", "田中さん": "", "agent:new": "agent:new",
	} {
		if got, _ := p.begins(mention); got != want {
			t.Errorf("@%s is %q, want %q", mention, got, want)
		}
	}
}

func TestMentionsIn(t *testing.T) {
	for text, want := range map[string][]string{
		"@ada, look": {"ada"},
		"look, @agent:claude-1. Or @ada@home.org": {"agent:claude-1", "ada@home.org"},
		"(@ada)@lee @lee":                         {"ada", "lee", "lee"},
		"mail ada@example.org, or josé@x":         nil,
		"@ @- @@ada @":                            nil,
		"@me and @claude-1-":                      {"me", "claude-1"},
		"@unknown:kind":                           {"unknown"},
		"@山田太郎 と @Łukasz-Żółć, @श्रीनिवास.": {"山田太郎", "Łukasz-Żółć", "श्रीनिवास"},
		"ありがとう@山田太郎":                        {"山田太郎"},
		"＠山田太郎　ありがとう＠ada":                   {"山田太郎", "ada"},
		"jörg@example.org, ада@пример.рф":   nil,
	} {
		if got := mentionsIn(text); !slices.Equal(got, want) {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
}
