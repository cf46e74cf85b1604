package store

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// Live returns what the clone knows about a task beside its file. State that cannot be read counts as absent: it is about
// the present, and the files are the truth.
func (s *Store) Live(id task.ID) session.Live {
	live := s.live(s.record(id))
	if r := live.Record; r != nil && r.Lease != nil {
		live.Beat = s.Heartbeat(r.Lease.Session)
		place, there := s.worktreeOf(*r.Lease)
		r.Lease.Worktree, live.Gone = place, !there
	}
	if r := live.Record; r != nil {
		for i, reach := range r.Reaches { // nobody is to be sent to a folder that is gone
			if reach.Worktree != s.Worktree && !isFolder(reach.Worktree) {
				r.Reaches[i].Worktree = ""
			}
		}
	}
	return live
}

func (s *Store) live(r *session.Record) session.Live {
	return session.Live{Record: r, ClaimTTL: s.Config.ClaimTTL, StaleAfter: s.Config.StaleAfter}
}

// Lives is Live for whoever asks about many tasks: it lists what there is first, and opens no file in vain.
func (s *Store) Lives() func(task.ID) session.Live {
	entries, err := os.ReadDir(filepath.Join(s.Layout.Live, "claims"))
	if err != nil && !isMissing(err) {
		return s.Live
	}
	recorded := make(map[string]bool, len(entries))
	for _, e := range entries {
		recorded[e.Name()] = true
	}
	return func(id task.ID) session.Live {
		if !recorded[filepath.Base(s.Layout.record(id))] {
			return s.live(nil)
		}
		return s.Live(id)
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Heartbeat returns the newest sign of life of a session that this clone has seen, or nil.
func (s *Store) Heartbeat(ses string) *session.Heartbeat {
	if ses == "" {
		return nil
	}
	if _, err := session.ParseID(ses); err != nil {
		return nil
	}
	return readLive(s.heartbeat(ses), func(src []byte) (session.Heartbeat, error) { return session.ParseHeartbeat(src, ses) })
}

func (s *Store) record(id task.ID) *session.Record {
	if _, err := task.ParseID(string(id)); err != nil {
		return nil
	}
	return readLive(s.Layout.record(id), func(src []byte) (session.Record, error) { return session.ParseRecord(src, id) })
}

// maxLive is the size of a file of live state, in bytes, beyond which it is none that was written here.
const maxLive = 4 << 20

// readLive reads a file of live state. What is no file, too large, or not what should be there counts as absent.
func readLive[T any](path string, parse func([]byte) (T, error)) *T {
	src, err := disk.ReadRegular(path, maxLive)
	if err != nil {
		return nil
	}
	v, err := parse(src)
	if err != nil {
		return nil
	}
	return &v
}

// writeJSON replaces a file of live state. It is not synced: a power cut may lose it, a killed process may not.
func (l Layout) writeJSON(path string, v any) error {
	src, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.liveError(atomicfile.WriteVolatile(path, append(src, '\n')))
}

// putRecord keeps a record, or takes it away if there is nothing left to say.
func (l Layout) putRecord(r session.Record) error {
	if r.Lease != nil || len(r.Reaches)+len(r.Ended) > 0 || r.Intent != nil {
		return l.writeJSON(l.record(r.Task), r)
	}
	return l.liveError(disk.RemoveFile(l.record(r.Task)))
}

// prepareLive makes the folders of the live state. What they lie in, .cairn or git's folder, must be there.
func (l Layout) prepareLive() error {
	if err := l.noLiveLinks(); err != nil {
		return err
	}
	base := filepath.Join(l.Root, Folder)
	if l.Repo != nil {
		base = l.Repo.CommonDir
	}
	for _, dir := range l.liveFolders() {
		if err := disk.MakeFolder(base, dir); err != nil {
			return l.liveError(err)
		}
	}
	return nil
}

// liveFolders are the folders of the live state.
func (l Layout) liveFolders() []string {
	var out []string
	for _, name := range []string{"", "claims", "journal", "keys", "live", "trash"} {
		out = append(out, filepath.Join(l.Live, name))
	}
	return out
}

// sweep removes the temporary files that a killed writer left behind. The caller holds the write lock, so none of them
// belongs to a writer at work.
func (s *Store) sweep() error {
	for _, dir := range s.writtenTo() {
		if err := atomicfile.Sweep(dir); err != nil && !isMissing(err) {
			return ioError(err)
		}
	}
	return nil
}

// settleAll settles the announced writes of killed writers, which came or did not come. The caller holds the write lock.
func (s *Store) settleAll() error {
	entries, err := os.ReadDir(filepath.Join(s.Layout.Live, "claims"))
	if err != nil {
		return ioError(err)
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		if r := s.record(task.ID(id)); r != nil && r.Intent != nil {
			if err := s.settle(*r); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle ends an announced write. If the file in the worktree that it was meant for has the announced entry it came, and
// what belongs to it is brought to its end; else it did not, and what it would have made is taken away again. So is a part of
// a plan. While that file cannot be read nobody knows, and the announcement stands.
func (s *Store) settle(r session.Record) error {
	there, err := s.inWorktree(r.Intent.Reach.Worktree)
	if err != nil {
		return s.putRecord(r.Settle(false)) // the worktree is gone, and its files with it
	}
	if r.Intent.New {
		if err := there.removeReserved(there.task(r.Task)); err != nil {
			return err
		}
	}
	_, t, err := there.readTask(r.Task)
	switch {
	case err != nil && !isMissing(err):
		return nil
	case err != nil && there.wasDeleted(r.Task, r.Intent.Reach.Entry):
		return s.settleAs(session.Record{Task: r.Task}, r.Intent.Key, there.finishDeletion(r.Task))
	case err != nil || !t.Provenance.Has(r.Intent.Reach.Entry):
		return s.settleAs(r.Settle(false), nil, there.removeSession(r.Intent.Session))
	case !there.hasAll(r.Intent.With) && r.Intent.New && len(t.Provenance) == 1: // nobody has written to it since
		return s.settleAs(r.Settle(false), nil, ioError(disk.RemoveFile(there.task(r.Task))))
	}
	if err := there.endSessions(r.Intent.Ends); err != nil {
		return err
	}
	return s.settleAs(r.Settle(true), r.Intent.Key, s.remember(t, r.Intent.Reach, writtenOn{}))
}

// settleAs writes down how an announced write ended, once the files are as they should be.
func (s *Store) settleAs(r session.Record, key *session.Key, err error) error {
	if err == nil {
		err = s.putKey(key)
	}
	if err != nil {
		return err
	}
	return s.putRecord(r)
}

// hasAll reports whether all tasks are there, and none only reserved.
func (s *Store) hasAll(ids []task.ID) bool {
	return !slices.ContainsFunc(ids, func(id task.ID) bool {
		info, err := os.Lstat(s.task(id))
		return err != nil || info.Size() == 0
	})
}

// removeReserved removes a file that was only reserved, where there are no hard links.
func (s *Store) removeReserved(path string) error {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		return nil //nolint:nilerr // there is nothing, or it has its content
	}
	return ioError(disk.RemoveFile(path))
}

// removeSession takes away a session whose task never came to name it.
func (s *Store) removeSession(id string) error {
	if _, err := session.ParseID(id); err != nil {
		return nil //nolint:nilerr // the write was to open none
	}
	return ioError(disk.RemoveFile(s.session(id)))
}

// endSessions ends what is still active of the sessions that a write was to end.
func (s *Store) endSessions(ends []session.Session) error {
	for _, end := range ends {
		if err := s.endSession(end); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) endSession(end session.Session) error {
	f, was, err := s.readSession(end.ID)
	if err != nil || was.Status != session.Active {
		return nil //nolint:nilerr // it lies on another branch, or is broken: it must not keep others from writing
	}
	doc, err := editSession(f.doc, was, was.EndAs(end))
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	return ioError(atomicfile.Write(f.path, doc.Bytes(), 0o644))
}

// inWorktree is this workspace in another worktree of the clone.
func (s *Store) inWorktree(top string) (*Store, error) {
	if top == s.Worktree {
		return s, nil
	}
	rel, err := filepath.Rel(s.Worktree, s.Root)
	if err != nil {
		return nil, err
	}
	layout, err := LayoutAt(filepath.Join(top, rel))
	if err != nil {
		return nil, err
	}
	if layout.Live != s.Layout.Live || layout.Worktree != top {
		return nil, fs.ErrNotExist // the folder belongs to another clone by now
	}
	if err := layout.noLinks(); err != nil {
		return nil, err
	}
	return &Store{Layout: layout, Config: s.Config, stateDir: s.stateDir}, nil
}
