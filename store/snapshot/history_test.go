package snapshot_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// Git is started as often for many commits, each with an entry of a task and one of a handoff, as for a few.
func TestSlowStartsOfGitDoNotGrow(t *testing.T) {
	slowtest.Skip(t)
	s := recorded(t)
	storetest.Git(t, s.Root, "branch", "base")
	entries := []string{"provenance:", "  - {who: 'agent:a', at: 2026-06-21T12:00:00Z, did: created}"}
	commit := func() {
		at := len(entries)
		entries = append(entries, fmt.Sprintf("  - {who: 'agent:b', at: 2026-06-21T12:%02d:%02dZ, did: noted, text: more}", at/60, at%60))
		storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), storetest.TaskText("PROJ-2", entries...))
		storetest.WriteFile(t, filepath.Join(s.Dir("handoffs"), "hof-1.yaml"), "id: hof-1\ntitle: Look\ntype: question\nfrom: agent:a\nto: [agent:b]\nstatus: open\n"+strings.Join(entries, "\n")+"\n")
		storetest.CommitAll(t, s)
	}
	for range 3 {
		commit()
	}
	few := startsOfGit(t, s)
	for range 15 {
		commit()
	}
	if many := startsOfGit(t, s); many != few || few == 0 {
		t.Errorf("git is started %d times for 3 commits, and %d times for 18", few, many)
	}
}

// A commit that says it is of the future does not make an entry of then one of its time.
func TestCommitsOfTheFuture(t *testing.T) {
	s := recorded(t)
	storetest.Git(t, s.Root, "branch", "base")
	t.Setenv("GIT_COMMITTER_DATE", "2098-01-01T00:00:00Z")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), storetest.TaskText("PROJ-2", "provenance:",
		"  - {who: 'agent:a', at: 2026-06-21T12:00:00Z, did: created}", "  - {who: 'agent:b', at: 2098-01-01T00:00:00Z, did: noted, text: more}"))
	storetest.CommitAll(t, s)
	for now, want := range map[time.Time]bool{{}: false, time.Date(2026, 6, 22, 0, 0, 0, 0, time.UTC): true, time.Date(2097, 12, 31, 12, 0, 0, 0, time.UTC): false} {
		found := check(t, s, snapshot.CheckOptions{Base: "base", Commit: "HEAD", Now: now}).Findings
		if got := strings.Contains(report(found), "time-ahead"); got != want {
			t.Errorf("judged at %s: %s", now, report(found))
		}
	}
}

// startsOfGit counts how often git is started for a check of the branch.
func startsOfGit(t *testing.T, s *store.Store) int {
	t.Helper()
	if os.PathSeparator == '\\' {
		t.Skip("it counts by a script")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	script := fmt.Sprintf("#!/bin/sh\necho >>%s\nexec %s \"$@\"\n", count, git)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+path)
	check(t, s, snapshot.CheckOptions{Base: "base", Commit: "HEAD"})
	t.Setenv("PATH", path)
	lines, err := os.ReadFile(count)
	if err != nil {
		t.Fatal(err)
	}
	return len(lines)
}
