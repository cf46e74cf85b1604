package jobs

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Jobs is the jobs of a clone.
type Jobs struct{ live layout.Live }

// In returns the jobs of the clone with this live state. There need not be any.
func In(live layout.Live) Jobs { return Jobs{live} }

// Names of files in the folder of a job.
const (
	SpecName   = "spec.json"
	StateName  = "state.json"
	EventsName = "events.jsonl"
	traceName  = "process.json"
	lockName   = "lock"
)

// Names of files and folders beside those of jobs. No id of a job begins with a dot.
const (
	createLock  = ".lock"
	changedName = "changed"
	cancelDir   = ".cancel"
	queueDir    = ".queue"
	sayDir      = ".say"
	slotsDir    = ".slots"
	newPrefix   = ".new-"
)

const maxFile = 1 << 20 // bytes of spec.json, of state.json, and of the small files beside them

const maxExecutor = 40 // bytes of the name of an executor

// startGrace is how long a job that was created, or queued again, may have no supervisor, since that is being started.
const startGrace = 10 * time.Second

func (j Jobs) path(names ...string) string {
	return filepath.Join(append([]string{j.live.Jobs()}, names...)...)
}

// File is the path of a file in the folder of a job. The job need not exist; what cannot be the id of one has the path
// "".
func (j Jobs) File(id, name string) string {
	if _, err := job.ParseID(id); err != nil || name != filepath.Base(name) {
		return ""
	}
	return j.path(id, name)
}

// Get returns a job as it is now. It reconciles the job, as the package describes: an unfinished job without a
// supervisor is returned STALE, or CANCELED if that was asked of it, and written so if the folder can be written. It
// returns JOB_NOT_FOUND if there is no such job, INVALID_INPUT for what cannot be the id of one, and BAD_FILE if its
// files are broken.
func (j Jobs) Get(id string) (job.Job, error) {
	one, err := j.find(id)
	if code := record.CodeOf(err); code == record.JobNotFound || code == record.InvalidInput {
		if last, found := j.LastOf(record.ID(id)); found {
			err = notFound(id).WithHint("%s is the newest one of that task", record.CallTo("job_poll", "job", last.Spec.Job))
		}
	}
	if err != nil {
		return job.Job{}, err
	}
	return j.reconcile(one), nil
}

// find is Get without the reconciliation: it changes nothing.
func (j Jobs) find(id string) (job.Job, error) {
	if _, err := job.ParseID(id); err != nil {
		return job.Job{}, err
	}
	if err := j.noLinks(); err != nil {
		return job.Job{}, err
	}
	return j.read(id)
}

// Resolve returns the id of the only job in whose id a part occurs, in any case, or else the job of the only task in
// whose id it does (LastOf). It returns JOB_NOT_FOUND if there is none, and AMBIGUOUS_ID, which names some, if there are
// several.
func (j Jobs) Resolve(part string) (string, error) {
	if err := j.noLinks(); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(j.live.Jobs())
	if err != nil && !problem.Missing(err) {
		return "", j.live.Failed(err)
	}
	var hits []string
	for _, e := range entries {
		if _, err := job.ParseID(e.Name()); err != nil || part == "" || !strings.Contains(strings.ToLower(e.Name()), strings.ToLower(part)) {
			continue
		}
		if e.Name() == part {
			return part, nil
		}
		hits = append(hits, e.Name())
	}
	switch len(hits) {
	case 0:
		return j.resolveTask(part)
	case 1:
		return hits[0], nil
	}
	slices.Reverse(hits) // the newest first
	return "", ambiguous(part, "jobs", hits)
}

// resolveTask is Resolve for a part of the id of a task.
func (j Jobs) resolveTask(part string) (string, error) {
	all, err := j.List()
	if err != nil {
		return "", err
	}
	var hits []string
	for _, one := range all {
		id := string(one.Spec.Task)
		if id == part {
			hits = []string{id}
			break
		}
		if part != "" && strings.Contains(strings.ToLower(id), strings.ToLower(part)) && !slices.Contains(hits, id) {
			hits = append(hits, id)
		}
	}
	switch len(hits) {
	case 0:
		return "", notFound(part)
	case 1:
		last, _ := Last(all, record.ID(hits[0]))
		return last.Spec.Job, nil
	}
	return "", ambiguous(part, "tasks that have jobs", hits)
}

func ambiguous(part, what string, hits []string) error {
	shown := hits[:min(len(hits), 8)]
	e := record.Errorf(record.AmbiguousID, "%q fits %d %s", part, len(hits), what).WithHint("one of %s%s", strings.Join(shown, ", "), record.AndMore(len(hits)-len(shown)))
	e.Details = map[string]any{"candidates": shown}
	return e
}

func notFound(id string) *record.Error {
	return record.Errorf(record.JobNotFound, "there is no job %s in this clone", record.Clip(id, 100)).WithHint("%s shows those there are", record.CallTo("job_list"))
}

// List returns all jobs, the newest first, and reconciles each as Get does. Broken ones are left out; All has them.
func (j Jobs) List() ([]job.Job, error) {
	all, _, err := j.All()
	return all, err
}

// LastOf is the job of a task that is at work, or waits for its turn, and else its newest one. It reports false if
// there is none, and where the jobs cannot be read.
func (j Jobs) LastOf(id record.ID) (last job.Job, found bool) {
	all, _ := j.List()
	return Last(all, id)
}

// Last is LastOf for a caller that has all jobs, the newest first.
func Last(all []job.Job, id record.ID) (last job.Job, found bool) {
	for _, one := range all {
		if one.Spec.Task == id && (!found || one.Status.State.Live() && !last.Status.State.Live()) {
			last, found = one, true
		}
	}
	return last, found
}

// Unfinished reports whether a job of a task works, waits for its turn, or waits for an answer; another one may not begin
// then.
func Unfinished(one job.Job) bool { return one.Status.State.Live() || one.Status.State == job.Waiting }

// Sleeps reports whether a job that waits for an answer has a process that wakes it.
func (j Jobs) Sleeps(id string) bool {
	held, err := isHeld(j.path(id, lockName))
	return err == nil && held
}

// LiveOf is the job of a task that is at work, or waits for its turn, if there is one.
func (j Jobs) LiveOf(id record.ID) (job.Job, bool) {
	last, found := j.LastOf(id)
	return last, found && last.Status.State.Live()
}

// All is List, with what is wrong with the folders that cannot be read, sorted by their paths.
func (j Jobs) All() (all []job.Job, broken []problem.Problem, err error) { return j.all(j.reconcile) }

// Peek is List for a caller that may change nothing: a job that lost its supervisor is as it was.
func (j Jobs) Peek() ([]job.Job, error) {
	all, _, err := j.all(func(one job.Job) job.Job { return one })
	return all, err
}

func (j Jobs) all(each func(job.Job) job.Job) (all []job.Job, broken []problem.Problem, err error) {
	if err := j.noLinks(); err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(j.live.Jobs())
	if err != nil && !problem.Missing(err) {
		return nil, nil, j.live.Failed(err)
	}
	for _, e := range entries {
		if _, err := job.ParseID(e.Name()); err != nil {
			continue
		}
		one, err := j.read(e.Name())
		if err != nil {
			broken = append(broken, problem.Of(j.path(e.Name()), err))
			continue
		}
		all = append(all, each(one))
	}
	sorted.By(all, func(a, b job.Job) int { // the newest first
		return cmp.Or(b.Spec.CreatedAt.Compare(a.Spec.CreatedAt), cmp.Compare(b.Spec.Job, a.Spec.Job))
	})
	return all, broken, nil
}

// noLinks returns INVALID_INPUT if a folder on the way to the jobs is a link.
func (j Jobs) noLinks() error {
	for _, dir := range []string{filepath.Dir(string(j.live)), string(j.live), j.live.Jobs()} {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return problem.Link(dir)
		}
	}
	return nil
}

// read reads a job, and changes nothing.
func (j Jobs) read(id string) (job.Job, error) {
	info, err := os.Lstat(j.path(id))
	switch {
	case problem.Missing(err):
		return job.Job{}, notFound(id)
	case err != nil:
		return job.Job{}, j.live.Failed(err)
	case !info.IsDir():
		return job.Job{}, damaged(id, errors.New("is no folder"))
	}
	var out job.Job
	if err := readJSON(j.path(id, SpecName), &out.Spec); err != nil {
		return job.Job{}, damaged(id, err)
	}
	if err := readJSON(j.path(id, StateName), &out.Status); err != nil {
		return job.Job{}, damaged(id, err)
	}
	if err := plausible(id, out); err != nil {
		return job.Job{}, damaged(id, err)
	}
	return out, nil
}

// plausible returns what cannot be true of a job.
func plausible(id string, one job.Job) error {
	switch {
	case one.Spec.Job != id:
		return errors.New("spec.json is of another job")
	case !slices.Contains(job.States, one.Status.State) || one.Status.Version < 1:
		return errors.New("state.json has no state")
	}
	if _, err := record.ParseID(string(one.Spec.Task)); err != nil {
		return errors.New("spec.json names no task")
	}
	if !record.IsWord(one.Spec.Executor, "._-") || len(one.Spec.Executor) > maxExecutor { // it becomes a part of a path
		return errors.New("spec.json names no executor")
	}
	return one.Spec.Valid()
}

func damaged(id string, err error) error {
	e := record.Errorf(record.BadFile, "the folder of the job %s cannot be read: %w", id, err)
	e.Details = map[string]any{"job": id}
	return e.WithHint("%s names the folder; see what is in it, and take it away if nothing there is needed", record.CallTo("doctor"))
}

func readJSON(path string, to any) error {
	src, err := disk.ReadRegular(path, maxFile)
	if err != nil {
		return err
	}
	return json.Unmarshal(src, to)
}

func encode(v any) ([]byte, error) {
	src, err := json.Marshal(v)
	return append(src, '\n'), err
}

// reconcile ends what is left of a job that has lost its supervisor, and writes what became of it. Where that cannot be
// written it is returned all the same; where the lock cannot be asked the job is as it was read.
func (j Jobs) reconcile(one job.Job) job.Job {
	if !one.Status.State.Live() || j.starting(one) {
		return one
	}
	owned, err := j.own(one.Spec.Job, !manned(one.Status))
	if owned == nil {
		return one
	}
	defer func() { _ = owned.Release() }()
	if now := owned.Job(); !now.Status.State.Live() { // it ended before the lock was taken
		return now
	}
	if err != nil || owned.abandoned() != nil { // a full disk, say: nobody runs it all the same
		owned.sweep()
		lost := owned.Job()
		owned.leave(&lost.Status)
		return lost
	}
	return owned.Job()
}

// manned reports whether a job whose lock is held may have its supervisor: it is to have one, and its process is not
// known to be gone.
func manned(s job.Status) bool { return s.State.Live() && (s.Process <= 0 || isProcess(s.Process)) }

// isProcess reports whether there is a process with a number, which may be another one than was meant.
func isProcess(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission) || runtime.GOOS == "windows" // where only a process that is there is found
}

func (j Jobs) starting(one job.Job) bool {
	if one.Status.State != job.Queued || one.Status.Process != 0 {
		return false
	}
	info, err := os.Lstat(j.path(one.Spec.Job, StateName))
	return err == nil && time.Since(info.ModTime()).Abs() < startGrace
}

// Version is another text after each change of any job of the clone; "" before the first. It is cheap to ask for. That
// a supervisor was killed changes nothing before somebody looks.
func (j Jobs) Version() string {
	src, _ := disk.ReadRegular(j.path(changedName), maxFile)
	return string(src)
}

// changed tells those who wait that a job has changed. What was written stands without it, so its error is nobody's.
func (j Jobs) changed() {
	_ = atomicfile.WriteVolatile(j.path(changedName), []byte(rand.Text()+"\n"))
}
