package main

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

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
func TestRiskStory(t *testing.T) { cmdtest.Stories(t, cmdtest.Scripts(t, "testdata/script", 1)) }

// The manual is made of the declarations, so it has the verbs of the kind too.
func TestManual(t *testing.T) {
	var page strings.Builder
	env := cmd.Env{Args: []string{"man"}, Stdin: strings.NewReader(""), Stdout: &page, Stderr: &page, Dir: t.TempDir(), Now: time.Now, Rand: rand.Reader}
	env.Getenv = func(string) string { return "" }
	if exit := cmd.Main(t.Context(), env); exit != 0 {
		t.Fatalf("cairn man exits with %d: %s", exit, &page)
	}
	for _, name := range []string{"create", "list", "close"} {
		if !strings.Contains(page.String(), "\n.SS cairn risk "+name) {
			t.Errorf("the manual has no section about risk %s", name)
		}
	}
}
