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
	path    string
	session string // if it is one
	was     []byte
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
	tx.discard(trashed{path: tx.s.task(t.ID), was: st.file.doc.Bytes()}, last)
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
		tx.discard(trashed{tx.s.session(ses.ID), ses.ID, src}, src)
	}
	return nil
}

// discard stages that a file goes into the trash, with the content that the trash is to hold.
func (tx *Tx) discard(t trashed, last []byte) {
	tx.trash = append(tx.trash, t)
	tx.others = append(tx.others, change{
		path: tx.s.freeTrash(t.path, last), over: true, content: func(*frontmatter.Doc) ([]byte, error) { return last, nil },
	})
}

// removeTrashed removes the files whose copies are in the trash. One that an editor changed since it was copied stays, and
// the deletion starts over.
func (tx *Tx) removeTrashed() error {
	for _, t := range tx.trash {
		now, err := readRegular(t.path)
		if err == nil && !bytes.Equal(now, t.was) {
			return errOvertaken
		}
		if err != nil && !isMissing(err) {
			return ioError(err)
		}
		if err := tx.s.removeTrashed(t.path, t.session); err != nil {
			return err
		}
	}
	return nil
}

// removeTrashed removes a file, and before it the sign of life of the session that it may be.
func (s *Store) removeTrashed(path, ses string) error {
	if ses != "" {
		if err := disk.RemoveFile(s.heartbeat(ses)); err != nil {
			return s.liveError(err)
		}
	}
	if err := disk.RemoveFile(path); err != nil {
		return ioError(err)
	}
	return ioError(disk.SyncFolder(filepath.Dir(path)))
}

// finishDeletion removes the sessions on a task that a killed writer deleted, but those that were changed since they were
// copied, and its journal.
func (s *Store) finishDeletion(id task.ID) error {
	sessions, _, err := s.Sessions(context.Background())
	if err != nil {
		return err
	}
	for _, ses := range sessions {
		if ses.Task != id || !s.inTrash(s.session(ses.ID)) {
			continue
		}
		if err := s.removeTrashed(s.session(ses.ID), ses.ID); err != nil {
			return err
		}
	}
	return s.forget(id)
}

// inTrash reports whether the trash has a copy of a file as it is now.
func (s *Store) inTrash(path string) bool {
	now, err := readRegular(path)
	return err == nil && exists(s.freeTrash(path, now))
}

// TrashFile is where the copy of a task lies that was deleted last.
func (s *Store) TrashFile(id task.ID) string {
	newest, at := s.trash(s.task(id)), time.Time{}
	for _, path := range s.trashOf(id) {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.ModTime().After(at) {
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
	if old, err := readRegular(place); err != nil || bytes.Equal(old, content) {
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
		if !ok || exists(s.task(t.ID)) || t.Provenance.Last().At.Before(found[t.ID].Provenance.Last().At) {
			return
		}
		found[t.ID] = gist(t)
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
		return ok && t.ID == id && t.Provenance.Last().Did == task.Deleted && t.Provenance.Has(entry)
	})
}

// Mentions reports whether a file that could not be read has an id in it.
func (s *Store) Mentions(p Problem, id task.ID) bool {
	src, err := readRegular(filepath.Join(s.Root, filepath.FromSlash(p.Path)))
	return err == nil && strings.Contains(string(src), string(id))
}
