//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// A named pipe in place of a file makes no command hang: each ends by itself, with or without an error.
func TestSlowPipesHangNothing(t *testing.T) {
	slowtest.Skip(t)
	for _, name := range []string{
		".git", ".git/HEAD", ".git/config", ".git/commondir", ".git/gitdir", ".git/index", ".git/packed-refs", ".git/info/exclude", ".git/info/attributes",
		".cairn/config.yaml", ".cairn/tasks/T-1.md", ".cairn/sessions/ses-1.yaml", ".cairn/plans/plan-1.yaml", ".cairn/.gitignore", ".gitattributes", ".gitignore", ".cairn/.gitattributes",
		"<live>/write.dirty", "<live>/write.lock", "<live>/claims/T-1.json", "<live>/live/ses-1.json", "<live>/clone-id", "<live>/journal/T-1.jsonl", "<live>/checks-x.holder",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRepo(t)
			text := "---\nid: T-1\ntitle: Raise the walls\nstatus: backlog\nprovenance:\n  - {who: 'human:lee', at: 2026-06-01T08:00:00Z, did: began, session: ses-1}\n---\n"
			if err := os.WriteFile(w.task(), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			w.cairn(t, "note", "T-1", "before")
			live, _ := filepath.Glob(filepath.Join(w.dir, ".git", "cairn", "*"))
			if len(live) == 0 {
				t.Fatal("there is no live state")
			}
			path := filepath.Join(w.dir, filepath.FromSlash(strings.Replace(name, "<live>", "LIVE", 1)))
			if rest, ok := strings.CutPrefix(name, "<live>"); ok {
				path = live[0] + filepath.FromSlash(rest)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o644); err != nil {
				t.Skip(err)
			}
			for _, args := range [][]string{
				{"show", "T-1"}, {"list"}, {"history"}, {"note", "T-1", "after"}, {"claim", "T-1"}, {"check", "--no-base"}, {"doctor"}, {"list-sessions"},
			} {
				run := w.command(t, args...)
				start(t, run)
				ended := make(chan struct{})
				go func() { _ = run.Wait(); close(ended) }()
				select {
				case <-ended:
				case <-time.After(slowtest.Patience):
					_ = run.Process.Kill()
					t.Errorf("cairn %s hangs", strings.Join(args, " "))
				}
			}
		})
	}
}
