package verb

import (
	"errors"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/place"
)

// offersRestore adds to a refusal for want of a task what brings the task back: the trash of this clone, or git. One
// whose file is there, and cannot be read, is said to be so; its hint stays with a NOT_FOUND of what was never deleted here.
func offersRestore(s *store.Store, err error) error {
	e, ok := errors.AsType[*record.Error](err)
	missing, lacks := errors.AsType[record.MissingError](err)
	if !ok || !lacks || s == nil || missing.Ref.Kind != kind.Tasks.Name || kind.Tasks.ParseID(missing.Ref.ID) != nil {
		return err
	}
	id, gone := missing.Ref.ID, *e
	switch {
	case place.There(s.Layout, kind.Tasks.Kind, id):
		return unreadable(s, gone, id)
	case s.Trash().Has(missing.Ref):
		return gone.WithHint("%s was deleted in this clone; %s brings it back", id, record.CallTo("restore", "id", id).OnlyShown())
	case e.Code == record.DepsOpen:
		drop := record.CallTo("update", "id", e.ID, "remove_deps", id, "reason", "WHY").OnlyShown()
		return gone.WithHint("no file has %s; git log -- %s shows the commit that deleted it, and %s takes such a commit back; to wait no more: %s",
			id, s.File(kind.Tasks.Kind, id), record.CallTo("revert", "commit", "COMMIT").OnlyShown(), drop)
	}
	return err
}

// unreadable is a refusal for want of a task whose file is there: it says what is wrong with the file.
func unreadable(s *store.Store, refusal record.Error, id string) error {
	if _, err := s.Read(kind.Tasks.Kind, id); err != nil && refusal.Code == record.DepsOpen {
		refusal.Msg = strings.Replace(refusal.Msg, id+" (missing)", id+" (cannot be read)", 1)
		return refusal.WithHint("%s; fix that file, or ask a person whether %s is still to be waited for", record.MessageOf(err), id)
	}
	return &refusal
}
