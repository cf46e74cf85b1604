package snapshot_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// What each rule finds is tested in package proof. Here is what the store gives it to read.
func TestJudgeReadsTheWorkingTree(t *testing.T) {
	for _, row := range []struct {
		name   string
		damage func(t *testing.T, s *store.Store)
		want   []string
	}{
		{"nothing is wrong", func(*testing.T, *store.Store) {}, nil},
		{"a task that is no document", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), "---\nid: [\n---\n")
		},
			[]string{"bad-yaml .cairn/tasks/PROJ-2.md"}},
		{"a task in the place of which there is a folder", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(storetest.TaskFile(s, "PROJ-2"), "x"), "")
		},
			[]string{"bad-yaml .cairn/tasks/PROJ-2.md"}},
		{"a task without a title", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), "---\nid: PROJ-2\nstatus: backlog\n---\n")
		},
			[]string{"missing-field .cairn/tasks/PROJ-2.md"}},
		{"a priority that is none", func(t *testing.T, s *store.Store) { storetest.WriteTask(t, s, "PROJ-2", "priority: 9") },
			[]string{"bad-field .cairn/tasks/PROJ-2.md"}},
		{"a key that stands twice", func(t *testing.T, s *store.Store) { storetest.WriteTask(t, s, "PROJ-2", "status: done") },
			[]string{"duplicate-key .cairn/tasks/PROJ-2.md"}},
		{"a conflict that was not settled", func(t *testing.T, s *store.Store) {
			storetest.WriteTask(t, s, "PROJ-2", "<<<<<<< ours", "=======", ">>>>>>> theirs")
		},
			[]string{"conflict-markers .cairn/tasks/PROJ-2.md"}},
		{"a file name that is no id", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), "notes.md"), storetest.TaskText("PROJ-2"))
		},
			[]string{"id-mismatch .cairn/tasks/notes.md"}},
		{"a dep that does not exist", func(t *testing.T, s *store.Store) { storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-9]") },
			[]string{"dangling-dep .cairn/tasks/PROJ-2.md"}},
		{"two tasks that wait for one another", func(t *testing.T, s *store.Store) {
			storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-3]")
			storetest.WriteTask(t, s, "PROJ-3", "deps: [PROJ-2]")
		}, []string{"dep-cycle .cairn/tasks/PROJ-2.md", "dep-cycle .cairn/tasks/PROJ-3.md"}},
		{"a session that is no document", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.SessionFile(s, "ses-1"), "id: [\n")
		},
			[]string{"bad-yaml .cairn/sessions/ses-1.yaml"}},
		{"a session without an actor", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.SessionFile(s, "ses-1"), "id: ses-1\nstatus: active\n")
		},
			[]string{"missing-field .cairn/sessions/ses-1.yaml"}},
		{"a key of the config that nobody knows", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, s.ConfigFile(), "prefix: PROJ\ncolour: red\n")
		},
			[]string{"unknown-config-key .cairn/config.yaml"}},
		{"the names that older configs have for the working and the review state", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, s.ConfigFile(), "working_state: in_progress\nreview_state: in_review\n")
		}, nil},
		{"a config that was broken since it was read", func(t *testing.T, s *store.Store) { storetest.WriteFile(t, s.ConfigFile(), "states: []\n") },
			[]string{"bad-field .cairn/config.yaml"}},
		{"a severity from the config", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, s.ConfigFile(), "rules: {dangling-dep: off}\n")
			storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-9]")
		}, nil},
		{"files that are not ours", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), ".hidden.md"), "")
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), "README"), "")
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := storetest.NewAt(t, t.TempDir())
			storetest.WriteTask(t, s, "PROJ-1")
			row.damage(t, s)
			findings, err := storetest.Judge(t.Context(), s.Layout)
			storetest.WantCode(t, err, "")
			var got []string
			for _, f := range findings {
				got = append(got, string(f.Rule)+" "+f.Path)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// What is judged alone is kept without its long bodies.
func TestJudgeHoldsNoLongBodies(t *testing.T) {
	storetest.WantLean(t, func(s *store.Store) (any, error) { return snapshot.ReadLean(t.Context(), s.Layout) })
}
