package snapshot_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// One reading for all examinations shows the same records, and refuses the same files, as the store does file by file.
func TestRecordsAreThoseOfTheStore(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	for _, id := range []record.ID{"PROJ-1", "PROJ-10", "PROJ-2"} {
		storetest.WriteTask(t, s, id)
	}
	storetest.WriteSession(t, s, "ses-1", "PROJ-1")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-3"), "---\nid: [\n---\n")
	src, err := os.ReadFile(storetest.TaskFile(s, "PROJ-1"))
	storetest.WantCode(t, err, "")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-4"), string(src))
	storetest.WriteFile(t, filepath.Join(s.Dir(kind.Tasks.Folder), "no id.md"), string(src))
	if err := os.Mkdir(storetest.TaskFile(s, "PROJ-5"), 0o755); err != nil {
		t.Fatal(err)
	}
	storetest.WriteFile(t, storetest.RestFile(s, "2026-06", "PROJ-11"), storetest.TaskText("PROJ-11"))
	storetest.WriteFile(t, storetest.RestFile(s, "2026-06", "PROJ-2"), storetest.TaskText("PROJ-2"))
	records, err := snapshot.ReadRecords(t.Context(), s.Layout)
	storetest.WantCode(t, err, "")
	for _, k := range kind.Kinds() {
		want, wantBad, err := s.All(t.Context(), k)
		storetest.WantCode(t, err, "")
		got, gotBad, err := records.All(t.Context(), k)
		storetest.WantCode(t, err, "")
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%ss: got %v, want %v", k.Name, got, want)
		}
		if len(gotBad) != len(wantBad) {
			t.Errorf("%ss that cannot be read: got %v, want %v", k.Name, gotBad, wantBad)
		}
	}
	for _, id := range []string{"PROJ-1", "PROJ-3", "PROJ-4", "PROJ-5", "PROJ-6", "PROJ-11", "no id"} {
		_, want := s.Read(kind.Tasks.Kind, id)
		if _, err := records.Read(kind.Tasks.Kind, id); record.CodeOf(err) != record.CodeOf(want) {
			t.Errorf("%s: got %v, want %v", id, err, want)
		}
	}
}
