package store_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// The copies of a record in the trash are not those of a record whose id begins like its own.
func TestTrashOfSimilarIDs(t *testing.T) {
	s := storetest.New(t)
	a := storetest.NewActor(s, "human:lee")
	dotted := record.ID("PROJ-1.x")
	for i, id := range []record.ID{"PROJ-1", "PROJ-1", dotted} {
		storetest.WantCode(t, a.CreateAs(id, "Pour the concrete of "+string(id)), "")
		storetest.WantCode(t, a.Note(id, strings.Repeat("it rains ", i+1)), "")
		storetest.WantCode(t, a.Delete(id), "")
	}
	if got, want := s.Trash().File(dotted.Ref()), s.Live.Trashed(dotted.Ref(), ".md"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got := s.Trash().File(proj1)
	if got == s.Live.Trashed(proj1, ".md") || got == s.Live.Trashed(dotted.Ref(), ".md") {
		t.Errorf("got %s, want the second copy of PROJ-1", got)
	}
}
