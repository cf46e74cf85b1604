package cmd

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/cmd/board"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/watch"
)

// docs/board.svg is a picture of the board as it is: the model of the program, over the verbs, in a workspace that is
// the same each time.
func TestPictureOfTheBoard(t *testing.T) {
	const columns, lines = 124, 26
	now := func() time.Time { return time.Date(2026, 6, 20, 9, 0, 0, 0, time.UTC) }
	watcher := &watch.Watcher{}
	w := &verb.Workspace{
		Dir: cmdtest.Shop(t), Actor: verb.As("human:ada"), Rights: verb.Rights{Profile: verb.Maintainer}, Now: now, Rand: rand.Reader,
		Watcher: watcher, Reads: verb.NewSharedReads(watcher),
	}
	defer w.Reads.Close()
	calls := &boardCalls{program: &program{}, w: w}
	b, err := calls.Load(t.Context(), board.Query{})
	if err != nil {
		t.Fatal(err)
	}
	m := board.New(t.Context(), calls, true, board.Query{}, b)
	m.Update(tea.WindowSizeMsg{Width: columns, Height: lines})
	m.Update(tea.KeyPressMsg{Code: tea.KeyRight})
	got := cmdtest.Picture(strings.Split(m.View().Content, "\n"), columns)
	path := filepath.Join("..", "docs", "board.svg")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Error("docs/board.svg is stale: run make update, and look at it")
	}
}
