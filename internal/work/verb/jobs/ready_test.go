package jobs_test

import (
	"fmt"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
)

// What is for a pair, waits, is held or was tried is not ready for a job, however much of it comes first.
func TestReadyForJobs(t *testing.T) {
	w, _, first := prepared(t)
	verbtest.Must(t, w, "create", args{"title": "Together", "mode": "pair", "priority": "0"})
	verbtest.Must(t, w, "create", args{"title": "Later", "deps": []record.ID{first}, "priority": "0"})
	verbtest.Must(t, w, "claim", args{"id": verbtest.Must(t, w, "create", args{"title": "Held", "priority": "0"}).ID})
	urgent := record.ID(verbtest.Must(t, w, "create", args{"title": "Urgent", "priority": "1", "mode": "auto", "labels": []string{"roof"}}).ID)
	for _, tt := range []struct {
		label   string
		most    int
		skipped record.ID
		want    []record.ID
	}{
		{"", 9, "", []record.ID{urgent, first}},
		{"", 1, "", []record.ID{urgent}},
		{"", 9, urgent, []record.ID{first}},
		{"roof", 9, "", []record.ID{urgent}},
		{"cellar", 9, "", nil},
	} {
		found, err := jobs.Ready(t.Context(), w, tt.label, tt.most, func(id record.ID) bool { return id == tt.skipped })
		if got := idsOf(found); err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("label %q, at most %d, without %s: %v, %v, want %v", tt.label, tt.most, tt.skipped, got, err, tt.want)
		}
	}
}

func idsOf(rows []verb.Row) (ids []record.ID) {
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}
