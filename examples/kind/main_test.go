package main

import (
	"context"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/examples/kind/risk"
)

// TestMain makes this test binary act as this program when a story runs cairn.
func TestMain(m *testing.M) {
	risk.Register()
	cmdtest.Main(m, func(p cmdtest.Process) int { return cmd.Main(context.Background(), cmd.Env(p)) })
}

// A kind of record that is registered is a full member: the story of it says what that means.
func TestRiskStory(t *testing.T) { cmdtest.Stories(t, "testdata/script", 1) }

// The reference page is made of the declarations, so it has the verbs of the kind too.
func TestReferencePage(t *testing.T) {
	page := cmd.VerbsPage()
	for _, name := range []string{"risk_create", "risk_list", "risk_close"} {
		if !strings.Contains(page, "\n### "+name+"\n") {
			t.Errorf("the page has no section about %s", name)
		}
	}
}
