package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// A deletion copies the file into the trash of the clone, flushed and with its last entry, and then removes it. After a
// kill the task is where it was, or in the trash, or in both.

// trashed is a file that is to leave the workspace.
type trashed struct {
	path    string
	was     []byte
	content func(*frontmatter.Doc) ([]byte, error)
}

// Delete stages the removal of a task that Task returned, in the state that the trash is to hold, and of the sessions on
// it.
func (tx *Tx) Delete(ctx context.Context, t task.Task) error {
	tx.Put(t)
	st := tx.tasks[t.ID]
	st.gone, st.claims, st.lease = true, true, nil
	tx.trash = append(tx.trash, trashed{tx.s.task(t.ID), st.file.doc.Bytes(), func(*frontmatter.Doc) ([]byte, error) {
		return st.content(st.file.doc)
	}})
	sessions, _, err := tx.s.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, ses := range sessions {
		if ses.Task != t.ID {
			continue
		}
		src, err := readRegular(tx.s.session(ses.ID))
		if err != nil {
			return ioError(err)
		}
		tx.trash = append(tx.trash, trashed{tx.s.session(ses.ID), src, func(*frontmatter.Doc) ([]byte, error) { return src, nil }})
	}
	return nil
}

// removeTrashed removes the files whose copies are in the trash. One that an editor changed since it was copied stays, and
// the deletion starts over.
func (tx *Tx) removeTrashed() error {
	for _, t := range tx.trash {
		now, err := os.ReadFile(t.path)
		if err == nil && !bytes.Equal(now, t.was) {
			return errOvertaken
		}
		if err == nil {
			err = disk.RemoveFile(t.path)
		}
		if err == nil {
			err = disk.SyncFolder(filepath.Dir(t.path))
		}
		if err != nil && !isMissing(err) {
			return ioError(err)
		}
	}
	return nil
}

// TrashFile is where the copy of a deleted task lies.
func (s *Store) TrashFile(id task.ID) string { return s.trash(s.task(id)) }

// Deleted reads the tasks in the trash that are not in the workspace again. What cannot be read there is passed over: it is
// history, and nothing depends on it.
func (s *Store) Deleted() ([]task.Task, error) {
	var out []task.Task
	err := eachName(s.trash(""), taskExt, func(name string) {
		id, err := task.ParseID(name)
		if err != nil || exists(s.task(id)) {
			return
		}
		if t, ok := s.trashedTask(id); ok {
			out = append(out, t)
		}
	})
	return out, err
}

func (s *Store) trashedTask(id task.ID) (task.Task, bool) {
	f, err := s.readFile(s.TrashFile(id), frontmatter.Markdown, &patience{})
	if err != nil {
		return task.Task{}, false
	}
	t, err := readTask(f.doc)
	return t, err == nil && t.ID == id
}

// wasDeleted reports whether a task's file is gone because the write that was to append an entry deleted it.
func (s *Store) wasDeleted(id task.ID, entry string) bool {
	t, ok := s.trashedTask(id)
	return ok && t.Last().Did == task.Deleted && t.Has(entry)
}

// Mentions reports whether a file that could not be read has an id in it.
func (s *Store) Mentions(p Problem, id task.ID) bool {
	src, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(p.Path)))
	return err == nil && strings.Contains(string(src), string(id))
}
