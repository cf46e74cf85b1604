package store

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// A deletion copies the file into the trash of the clone, flushed and with its last entry, and then removes it. After a
// kill the task is where it was, or in the trash, or in both.

// trashed is a file that is to leave the workspace.
type trashed struct {
	path string
	was  []byte
}

// Delete stages the removal of a task that Task returned, in the state that the trash is to hold, and of the sessions on
// it.
func (tx *Tx) Delete(ctx context.Context, t task.Task) error {
	tx.Put(t)
	st := tx.tasks[t.ID]
	st.gone, st.claims, st.lease = true, true, nil
	last, err := st.content(st.file.doc)
	if err != nil {
		return err
	}
	tx.discard(tx.s.task(t.ID), st.file.doc.Bytes(), last)
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
		tx.discard(tx.s.session(ses.ID), src, src)
	}
	return nil
}

// discard stages that a file goes into the trash, with the content that the trash is to hold.
func (tx *Tx) discard(path string, was, last []byte) {
	tx.trash = append(tx.trash, trashed{path, was})
	tx.others = append(tx.others, change{
		path: tx.s.freeTrash(path, last), over: true, content: func(*frontmatter.Doc) ([]byte, error) { return last, nil },
	})
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

// TrashFile is where the copy of a task lies that was deleted last.
func (s *Store) TrashFile(id task.ID) string {
	newest, at := s.trash(s.task(id)), time.Time{}
	for _, path := range s.trashOf(id) {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
	}
	return newest
}

// trashOf lists the copies in the trash that a task may have.
func (s *Store) trashOf(id task.ID) (paths []string) {
	_ = eachName(s.trash(""), taskExt, func(name string) { // what cannot be listed has none
		if name == string(id) || strings.HasPrefix(name, string(id)+".") {
			paths = append(paths, s.trash(name+taskExt))
		}
	})
	return paths
}

// freeTrash is where a file goes that is to be deleted: a copy of something else stays what it is.
func (s *Store) freeTrash(path string, content []byte) string {
	place := s.trash(path)
	if old, err := os.ReadFile(place); err != nil || bytes.Equal(old, content) {
		return place
	}
	ext := filepath.Ext(place)
	return strings.TrimSuffix(place, ext) + "." + string(revOf(content))[:8] + ext
}

// Deleted reads the tasks in the trash that are not in the workspace again, the newest copy of each. What cannot be read
// there is passed over: it is history, and nothing depends on it.
func (s *Store) Deleted() ([]task.Task, error) {
	found := map[task.ID]task.Task{}
	err := eachName(s.trash(""), taskExt, func(name string) {
		t, ok := s.trashedTask(s.trash(name + taskExt))
		if !ok || exists(s.task(t.ID)) || t.Last().At.Before(found[t.ID].Last().At) {
			return
		}
		found[t.ID] = t
	})
	return slices.Collect(maps.Values(found)), err
}

func (s *Store) trashedTask(path string) (task.Task, bool) {
	f, err := s.readFile(path, frontmatter.Markdown, &patience{})
	if err != nil {
		return task.Task{}, false
	}
	t, err := readTask(f.doc)
	return t, err == nil
}

// wasDeleted reports whether a task's file is gone because the write that was to append an entry deleted it.
func (s *Store) wasDeleted(id task.ID, entry string) bool {
	return slices.ContainsFunc(s.trashOf(id), func(path string) bool {
		t, ok := s.trashedTask(path)
		return ok && t.ID == id && t.Last().Did == task.Deleted && t.Has(entry)
	})
}

// Mentions reports whether a file that could not be read has an id in it.
func (s *Store) Mentions(p Problem, id task.ID) bool {
	src, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(p.Path)))
	return err == nil && strings.Contains(string(src), string(id))
}
