package jobs

import (
	"bytes"
	"os"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// Owned is a job whose lock this process holds, so that nobody else writes its folder. Several goroutines may use it.
type Owned struct {
	jobs Jobs
	lock *filelock.Lock

	mu     sync.Mutex
	job    job.Job
	events int64 // bytes of events.jsonl
}

// ownPatience is how long one waits for those who only look at the job, and who may have to end processes first.
const (
	ownPatience = 3 * time.Second
	ownPause    = 20 * time.Millisecond
)

// Own takes the lock of a job, so that its caller is its supervisor until Release or the end of the process. It looks
// at nothing: a job that lost its supervisor is RUNNING still. The caller reads the state first, since the job may have
// been canceled before it had a supervisor.
//
// It returns BUSY if another process is its supervisor, and otherwise the errors of Get.
func (j Jobs) Own(id string) (*Owned, error) {
	if _, err := j.find(id); err != nil {
		return nil, err
	}
	owned, err := j.own(id, true)
	if owned != nil && err != nil {
		_ = owned.Release()
		owned = nil
	}
	return owned, err
}

// own takes the lock of a job, and reads it. It returns BUSY if another one has the lock: at once, or if the caller is
// patient not before those who only look at the job must be done with it. It does not wait in the kernel, since one who
// gave up would take the lock for a moment once its holder is gone. If the job was read, and its files cannot be
// written, it is returned with an error.
func (j Jobs) own(id string, patient bool) (*Owned, error) {
	var lock *filelock.Lock
	for end := time.Now().Add(ownPatience); lock == nil; {
		got, free, err := filelock.TryAcquire(j.path(id, lockName))
		switch {
		case err != nil:
			return nil, j.live.Failed(err)
		case free:
			lock = got
		case !patient, time.Now().After(end):
			return nil, record.Errorf(record.Busy, "the job has a supervisor").
				WithHint("%s follows it", record.CallTo("job_poll", "job", id).OnlyShown())
		default:
			time.Sleep(ownPause)
		}
	}
	one, err := j.read(id)
	if err != nil {
		_ = lock.Release()
		return nil, err
	}
	_ = atomicfile.Sweep(j.path(id)) // nobody else writes here, so what is temporary is left of a killed process
	o := &Owned{jobs: j, lock: lock, job: one}
	return o, j.live.Failed(o.endTornLine())
}

// endTornLine ends the last line of events.jsonl, of which a killed process may have written a part.
func (o *Owned) endTornLine() error {
	path := o.jobs.path(o.job.Spec.Job, EventsName)
	info, err := os.Lstat(path)
	if err != nil {
		return nil //nolint:nilerr // the next event creates it
	}
	o.events = info.Size()
	if o.events > 2*maxEvents { // it was not written here
		return nil
	}
	src, err := disk.ReadRegular(path, 2*maxEvents)
	if err != nil || len(src) == 0 || bytes.HasSuffix(src, []byte("\n")) {
		return err
	}
	o.events++
	return disk.Append(path, []byte("\n"))
}

// Job is the job as it was last written.
func (o *Owned) Job() job.Job {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.job
}

// Held returns nil as long as this process is the only writer of the folder, and CONFLICT once the lock excludes nobody
// any more: the folder or the repository around it was removed or moved, or its lock was. Another process may be the
// supervisor by then, so this one lets the job be.
func (o *Owned) Held() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.held()
}

func (o *Owned) held() error {
	if o.lock.InPlace() {
		return nil
	}
	return record.Errorf(record.Conflict, "the folder of %s, or its lock, was removed or moved while the job ran", o.job.Spec.Job).ForGood()
}

// Change lets fn change what is known of the job, and replaces state.json whole, with the next version. It adds an
// event if the state, the phase or the attempt is another one. A final state gets the time of its end if fn sets none.
// It returns CONFLICT, and writes nothing, for a state that may not follow the one before, and once the folder is not
// this process's any more.
func (o *Owned) Change(fn func(*job.Status)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.held(); err != nil {
		return err
	}
	was := o.job.Status
	next := was
	fn(&next)
	if next.State != was.State && !was.State.MayBecome(next.State) {
		return record.Errorf(record.Conflict, "a job that is %s does not become %s", was.State, next.State).ForGood()
	}
	next.Version = was.Version + 1
	next.Summary, next.Message = cut(next.Summary, maxSummary), cut(next.Message, job.MaxEventText)
	if next.State.Final() && next.FinishedAt.IsZero() {
		next.FinishedAt = time.Now().UTC()
	}
	src, err := encode(next)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(o.file(StateName), src, 0o644); err != nil {
		return o.jobs.live.Failed(err)
	}
	o.job.Status = next
	if next.State.Final() {
		_ = disk.RemoveFile(o.jobs.path(cancelDir, o.job.Spec.Job+".json"))
	}
	if next.State != was.State || next.Phase != was.Phase || next.Attempt != was.Attempt {
		err = o.append(stateEvent(next, time.Now().UTC()))
	}
	o.jobs.changed()
	return err
}

const maxSummary = 32 << 10 // bytes

func (o *Owned) file(name string) string { return o.jobs.path(o.job.Spec.Job, name) }

// abandoned ends what a job that lost its supervisor left running, and writes what became of it.
func (o *Owned) abandoned() error {
	o.sweep()
	_ = disk.RemoveFile(o.jobs.path(queueDir, o.job.Spec.Job+".json"))
	return o.Change(o.leave)
}

// leave makes the state of a job that lost its supervisor what it is.
func (o *Owned) leave(s *job.Status) {
	s.State, s.Phase, s.Process, s.Message = job.Stale, "", 0, "the process that ran the job is gone"
	if who, reason, yes := o.Canceled(); yes {
		s.State, s.Message = job.Canceled, job.CanceledBy(who, reason)
	}
}

// Release gives the lock up. The job should be in a final state, or it is STALE for the next who looks.
func (o *Owned) Release() error { return o.lock.Release() }

type request struct {
	By     record.Actor `json:"by"`
	Reason string       `json:"reason,omitempty"`
	At     time.Time    `json:"at"`
}

// Cancel asks the supervisor of a job to end it, and returns without waiting for that. Where there is no supervisor, it
// ends what is left of the job and writes CANCELED itself. The request stays if the caller is killed, and is then
// carried out by whoever looks at the job next.
//
// It returns ALREADY_TERMINAL if the job has ended, and otherwise the errors of Get.
func (j Jobs) Cancel(id string, who record.Actor, reason string) error {
	one, err := j.Get(id)
	if err != nil {
		return err
	}
	if err := terminal(one); err != nil {
		return err
	}
	src, err := encode(request{By: who, Reason: cut(reason, job.MaxEventText), At: time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := j.makeFolders(); err != nil {
		return err
	}
	if err := atomicfile.WriteVolatile(j.path(cancelDir, id+".json"), src); err != nil {
		return j.live.Failed(err)
	}
	j.changed()
	owned, err := j.own(id, !manned(one.Status))
	if owned != nil {
		defer func() { _ = owned.Release() }()
	}
	switch {
	case record.CodeOf(err) == record.Busy:
		return nil // its supervisor carries it out, or whoever looks next
	case err != nil:
		return err
	}
	if err := terminal(owned.Job()); err != nil { // it ended meanwhile
		return err
	}
	return owned.abandoned()
}

func terminal(one job.Job) error {
	if !one.Status.State.Final() {
		return nil
	}
	return record.Errorf(record.AlreadyTerminal, "%s has ended: %s", one.Spec.Job, one.Status.State).
		WithHint("%s shows how", record.CallTo("job_poll", "job", one.Spec.Job)).ForGood()
}

// Canceled returns who asked for the end of the job, and why, if somebody did.
func (o *Owned) Canceled() (who record.Actor, reason string, yes bool) {
	var asked request
	if err := readJSON(o.jobs.path(cancelDir, o.job.Spec.Job+".json"), &asked); err != nil {
		return "", "", false
	}
	if by, err := record.ParseActor(string(asked.By)); err == nil {
		asked.By = by
	}
	return asked.By, cut(asked.Reason, job.MaxEventText), true
}

// kept is the content of process.json: what leads to the processes of a job, and which folder's they are.
type kept struct {
	proc.Trace
	Folder string `json:"folder,omitempty"` // the folder of the job
	Lock   uint64 `json:"lock,omitempty"`   // the number of its lock file; 0 where files have none
}

// Trace keeps what leads to the processes of the command that the job runs just now, so that whoever finds the job
// without a supervisor can end them. It replaces the trace before, whose command has ended. It returns CONFLICT if the
// folder is not this process's any more.
func (o *Owned) Trace(t proc.Trace) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.held(); err != nil {
		return err
	}
	src, err := encode(kept{t, o.file(""), disk.StampOf(o.file(lockName)).Inode})
	if err != nil {
		return err
	}
	return o.jobs.live.Failed(atomicfile.WriteVolatile(o.file(traceName), src))
}

// sweep ends what the job has left running: by the trace of its last command, and by the name of the job in the
// environment of its processes. The processes of a job are let be by a copy of its folder, as in a copy of the
// repository: their own supervisor may live. A folder that was moved has the lock file of before.
func (o *Owned) sweep() {
	var k kept
	_ = readJSON(o.file(traceName), &k) // without one the name is enough
	here := disk.StampOf(o.file(lockName)).Inode
	if k.Folder == "" || k.Folder == o.file("") || k.Lock != 0 && k.Lock == here {
		k.Job = o.job.Spec.Job
		proc.Sweep(k.Trace)
	}
}
