package doctor

import (
	"context"
	"fmt"

	"github.com/cairn-tasks/cairn/internal/limits"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// git asks whether git can be asked.
func (v Visit) git(ctx context.Context) []Finding {
	err := v.Store.Git().Usable(ctx)
	if err == nil {
		return nil
	}
	message, hint := v.saying(err)
	return []Finding{find(GitUnusable, "", message, hint)}
}

// leftovers finds what killed writers left. If the folder of the lock cannot be written, that is the only finding:
// nobody can write.
func (v Visit) leftovers(ctx context.Context) ([]Finding, error) {
	left, err := v.Store.Leftovers().List(ctx)
	if record.CodeOf(err) == record.Sandboxed {
		message, hint := v.saying(err)
		return []Finding{find(LiveReadOnly, "", message, hint)}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, l := range left {
		if !l.Swept {
			out = append(out, find(StaleRecord, l.Path, l.Message, "bring the record back from git, or leave it: it only costs a file"))
			continue
		}
		out = append(out, find(Leftover, l.Path, l.Message, "").fixable([]string{"settle or remove " + l.Path}, v.Store.Leftovers().Sweep))
	}
	return out, nil
}

// orphans finds the files that records referred to once and none does any more. Another branch may, so this is a
// notice; merged with it, the file is brought back from git.
func (v Visit) orphans(context.Context) ([]Finding, error) {
	refers := v.records.FilesReferredTo()
	unused, err := v.Store.Orphans(func(path string) bool { return refers[path] })
	var out []Finding
	for _, path := range unused {
		out = append(out, find(FileOrphan, path, "no record refers to it", "").fixable([]string{"remove " + path}, func(ctx context.Context) error {
			records, err := snapshot.ReadRecords(ctx, v.Store.Layout) // somebody may refer to it meanwhile
			if err != nil || records.FilesReferredTo()[path] {
				return err
			}
			return v.Store.RemoveOrphan(path)
		}))
	}
	return out, err
}

// crowd finds more files among the tasks than a folder is to have. What is closed can be moved; open tasks stay.
func (v Visit) crowd(ctx context.Context) ([]Finding, error) {
	files, _, err := place.List(v.Store.Layout, kind.Tasks.Kind)
	if err != nil {
		return nil, err
	}
	there := map[record.ID]bool{}
	for _, f := range files {
		if f.Path == kind.Tasks.File(record.ID(f.ID)) {
			there[record.ID(f.ID)] = true
		}
	}
	if len(there) <= limits.FolderMax {
		return nil, nil
	}
	all, _, err := kind.Tasks.List(ctx, v.records)
	if err != nil {
		return nil, err
	}
	closed := 0
	for _, t := range all {
		if there[t.ID] && v.Store.Config.Flow.IsClosed(t.Status) {
			closed++
		}
	}
	message := fmt.Sprintf("has %d files, more than %d; %d of the tasks are closed", len(there), limits.FolderMax, closed)
	fix := v.Spell(record.CallTo("archive")) + " moves those that were closed long ago"
	if closed == 0 {
		fix = "close what nobody will do, or leave it: it only makes the folder long"
	}
	return []Finding{find(FolderFull, v.Store.Rel(v.Store.Dir(kind.Tasks.Folder)), message, fix)}, nil
}

// ignores looks at .cairn/.gitignore. Outside git nothing is ignored.
func (v Visit) ignores(context.Context) ([]Finding, error) {
	file := v.Store.Rel(v.Store.IgnoreFile())
	missing, err := store.MissingIgnores(v.Store.Layout)
	if err != nil || len(missing) == 0 || v.Store.Repo == nil {
		return nil, err
	}
	var changes []string
	for _, line := range missing {
		changes = append(changes, file+": + "+line)
	}
	message := fmt.Sprintf("%d of the lines that cairn init writes are not there", len(missing))
	repair := func(context.Context) error { return store.AddIgnores(v.Store.Layout) }
	return []Finding{find(IgnoreLines, file, message, "").fixable(changes, repair)}, nil
}

// trust finds commands that nobody approved on this machine, so that checks will not run. It repairs nothing: only a
// person who has read the commands may approve them.
func (v Visit) trust(ctx context.Context) ([]Finding, error) {
	if v.Store.Trusted() {
		return nil, nil
	}
	commands, err := v.Store.Commands(ctx, v.records)
	if err != nil || len(commands) == 0 {
		return nil, err
	}
	message := fmt.Sprintf("checks will not run: %d commands of this clone were not approved on this machine", len(commands))
	return []Finding{find(Untrusted, "", message, "cairn trust")}, nil
}
