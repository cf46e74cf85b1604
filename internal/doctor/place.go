package doctor

import (
	"context"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/limits"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sandbox"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// leftovers finds what killed writers left. If the folder of the lock cannot be written, that is the only finding:
// nobody can write.
func (e *examination) leftovers(ctx context.Context) error {
	left, err := e.Store.Leftovers(ctx)
	if record.CodeOf(err) == record.Sandboxed {
		e.refused(liveReadOnly, "", err)
		return nil
	}
	for _, l := range left {
		if l.Swept {
			e.find(leftover, l.Path, "", "%s", l.Message).fixable(e.Store.Sweep, "settle or remove "+l.Path)
		} else {
			e.find(staleRecord, l.Path, "bring the record back from git, or leave it: it only costs a file", "%s", l.Message)
		}
	}
	return err
}

// sandbox finds that checks or jobs are to run in one, and that this machine has none. What is wrong in the user's config is
// said by what reads it.
func (e *examination) sandbox(context.Context) error {
	user, _ := userconfig.ReadSandbox(e.ConfigDir)
	config := e.Store.Config
	_, err := work.JobBoxed(e.ConfigDir, config.JobSandbox, "")
	if kind.SandboxSystem == kind.Stricter(config.CheckSandbox, user.Checks) && err == nil {
		_, err = sandbox.Can()
	}
	if record.CodeOf(err) == record.NoSandbox {
		e.refused(sandboxMissing, "", err)
	}
	return nil
}

// orphans finds the files that records referred to once and none does any more. Another branch may, so this is a
// notice; merged with it, the file is brought back from git.
func (e *examination) orphans(context.Context) error {
	refers := e.records.FilesReferredTo()
	unused, err := e.Store.Orphans(func(path string) bool { return refers[path] })
	for _, path := range unused {
		e.find(fileOrphan, path, "", "no record refers to it").fixable(func(ctx context.Context) error {
			records, err := snapshot.ReadRecords(ctx, e.Store.Layout) // somebody may refer to it meanwhile
			if err != nil || records.FilesReferredTo()[path] {
				return err
			}
			return e.Store.RemoveOrphan(path)
		}, "remove "+path)
	}
	return err
}

// crowd finds more files among the tasks than a folder is to have. What is closed can be moved; open tasks stay.
func (e *examination) crowd(ctx context.Context) error {
	files, _, err := place.List(e.Store.Layout, kind.Tasks.Kind)
	if err != nil {
		return err
	}
	there := map[record.ID]bool{}
	for _, f := range files {
		if f.Path == kind.Tasks.File(record.ID(f.ID)) {
			there[record.ID(f.ID)] = true
		}
	}
	if len(there) <= limits.FolderMax {
		return nil
	}
	all, _, err := kind.Tasks.List(ctx, e.records)
	if err != nil {
		return err
	}
	closed := 0
	for _, t := range all {
		if there[t.ID] && e.Store.Config.Flow.IsClosed(t.Status) {
			closed++
		}
	}
	fix := "move those that were closed long ago: " + e.Spell(record.CallTo("archive"))
	if closed == 0 {
		fix = "close what nobody will do, or leave it: it only makes the folder long"
	}
	e.find(folderFull, e.Store.Rel(e.Store.Dir(kind.Tasks.Folder)), fix, "has %d files, more than %d; %d of the tasks are closed",
		len(there), limits.FolderMax, closed)
	return nil
}

// jobs finds folders of jobs that cannot be read, and jobs that lost the process that ran them. It removes neither: in
// such a folder may lie the only copy of what an executor answered, and whether a job goes on is for whoever started it
// to say.
func (e *examination) jobs(context.Context) error {
	all, broken, err := work.Jobs(e.Store).All()
	for _, b := range broken {
		e.find(jobBroken, e.Store.Rel(b.Path), "see what is in the folder, and take it away if nothing there is needed",
			"the job %s cannot be read: %s", filepath.Base(b.Path), b.Message)
	}
	for _, one := range all {
		if id := one.Spec.Job; one.Status.State == job.Stale {
			e.find(jobStale, "", "give it up with cairn job cancel "+id+", or try it again: cairn job retry "+id,
				"%s of %s lost the process that ran it", id, one.Spec.Task).Task = one.Spec.Task
		}
	}
	return err
}

// ignores looks at .cairn/.gitignore. Outside git nothing is ignored.
func (e *examination) ignores(context.Context) error {
	file := e.Store.Rel(e.Store.IgnoreFile())
	missing, err := store.MissingIgnores(e.Store.Layout)
	if err != nil || len(missing) == 0 || e.Store.Repo == nil {
		return err
	}
	changes := record.Each(missing, func(line string) string { return file + ": + " + line })
	e.find(ignoreLines, file, "", "%d of the lines that cairn init writes are not there", len(missing)).
		fixable(func(context.Context) error { return store.AddIgnores(e.Store.Layout) }, changes...)
	return nil
}

// trust finds commands that nobody approved on this machine, so that checks will not run. It repairs nothing: only a
// person who has read the commands may approve them.
func (e *examination) trust(ctx context.Context) error {
	commands, err := e.Store.Commands(ctx, e.records)
	if err != nil {
		return err
	}
	if left := e.Store.Unapproved(ctx, commands); len(left) > 0 {
		e.find(untrusted, "", "cairn trust", "checks will not run: %d commands of this clone were not approved on this machine", len(left))
	}
	return nil
}
