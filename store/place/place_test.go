package place_test

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A task has one place: among the others, or else in the newest month.
func TestOf(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	k := kind.Tasks.Kind
	want := func(path string, there bool) {
		t.Helper()
		if got := place.Of(s.Layout, k, "T-1"); got != path || place.There(s.Layout, k, "T-1") != there {
			t.Errorf("it lies at %s, want %s", got, path)
		}
	}
	want(".cairn/tasks/T-1.md", false)
	for _, at := range []string{"2025-12", "2026-02", "2026-01"} {
		storetest.WriteFile(t, storetest.RestFile(s, at, "T-1"), "")
	}
	want(".cairn/closed/2026-02/T-1.md", true)
	for _, at := range []string{"2026-02_02", "2026-02_10", "2026-01_99"} {
		storetest.WriteFile(t, storetest.RestFile(s, at, "T-1"), "")
	}
	want(".cairn/closed/2026-02_10/T-1.md", true)
	storetest.WriteFile(t, storetest.TaskFile(s, "T-1"), "")
	want(".cairn/tasks/T-1.md", true)
	if got, err := folders(s.Layout, k); err != nil || !slices.Equal(got, []string{"tasks", "closed/2026-02_10", "closed/2026-02_02", "closed/2026-02", "closed/2026-01_99", "closed/2026-01", "closed/2025-12"}) {
		t.Errorf("tasks lie in %v (%v)", got, err)
	}
	if got, err := folders(s.Layout, kind.Sessions.Kind); err != nil || !slices.Equal(got, []string{"sessions"}) {
		t.Errorf("sessions lie in %v (%v)", got, err)
	}
}

// In commits a task is found wherever it lies there, and each commit has it once.
func TestInCommits(t *testing.T) {
	dir := storetest.NewRepo(t)
	s := storetest.NewAt(t, dir)
	var commits []string
	commit := func() {
		storetest.Git(t, dir, "add", "-A")
		storetest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
		commits = append(commits, storetest.GitOutput(t, dir, "rev-parse", "HEAD")[:40])
	}
	commit() // without any
	storetest.WriteTask(t, s, "T-1")
	storetest.WriteTask(t, s, "T-2")
	commit()
	storetest.Rename(t, storetest.TaskFile(s, "T-1"), storetest.Mkdir(t, s.Dir("closed"), "2026-06")+"/T-1.md")
	commit()
	storetest.WriteFile(t, storetest.RestFile(s, "2026-07", "T-1"), storetest.TaskText("T-1", "labels: [newer]"))
	commit()
	storetest.WriteFile(t, storetest.RestFile(s, "2026-07_02", "T-1"), storetest.TaskText("T-1", "labels: [newest]"))
	commit()
	found := map[record.Ref][]string{}
	refs := []record.Ref{record.ID("T-1").Ref(), record.ID("T-2").Ref(), record.ID("T-3").Ref()}
	err := place.InCommits(t.Context(), s.Layout, commits, refs, func(of record.Ref, src []byte) { found[of] = append(found[of], string(src)) })
	storetest.WantCode(t, err, "")
	newest := storetest.TaskText("T-1", "labels: [newest]")
	newer, older := storetest.TaskText("T-1", "labels: [newer]"), storetest.TaskText("T-1")
	if got := found[refs[0]]; len(got) != 4 || !slices.Contains(got, newer) || !slices.Contains(got, newest) || got[0] != older {
		t.Errorf("found %q", got)
	}
	if len(found[refs[1]]) != 4 || len(found[refs[2]]) != 0 {
		t.Errorf("found %q", found)
	}
}

func TestMain(m *testing.M) { storetest.Main(m, nil) }

// folders are those that Each visits.
func folders(l layout.Layout, k *kind.Kind) (out []string, err error) {
	err = place.Each(l, k, func(folder string) error { out = append(out, folder); return nil })
	return out, err
}
