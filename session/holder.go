package session

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Live is what the clone knows about a task when somebody asks who holds it.
type Live struct {
	Record     *Record
	Beat       *Heartbeat // of the lease's session
	Gone       bool       // the lease's worktree is no longer there
	ClaimTTL   time.Duration
	StaleAfter time.Duration
}

// How says in what way a task is held.
type How string

// The ways.
const (
	Nobody   How = ""
	Claimed  How = "claimed"  // by a live claim of this clone
	Behind   How = "behind"   // another branch or worktree of this clone has carried it further
	Assigned How = "assigned" // by the file alone
)

// Hold is who holds a task. The zero value is nobody.
type Hold struct {
	How      How
	Actor    task.Actor
	Session  string
	Worktree string      // absolute path; "" when only the file says so
	Branch   string      // "" when unknown or detached
	Status   task.Status // of Behind: the state reached elsewhere
	Since    time.Time
	Until    time.Time // when the claim expires; zero for never
	Lapsed   bool      // the claim expired, its session stalled or its worktree is gone: a takeover may end it
	NoBranch bool      // of Behind: the branch is no longer there
	Gone     bool      // its worktree is no longer there, or was moved without telling git
}

// Holder decides who holds a task: a live claim, then a record that is further than this file, then an unexpired assignee,
// then nobody. A claim that expired leaves nobody, with Lapsed set and its holder still named; one whose worktree is gone
// comes behind a record that is further.
func Holder(file task.Task, live Live, now time.Time) Hold {
	lease := live.lease(file, now)
	if lease.How == Claimed && !live.Gone {
		return lease
	}
	if behind := IsBehind(file, live); behind.How == Behind {
		return behind
	}
	if lease.How == Claimed || lease.Lapsed {
		return lease
	}
	return live.assignee(file, now)
}

// IsBehind returns how far another branch or worktree of the clone has carried a task, whoever holds it; nobody's Hold if
// this file is as far. A file is behind if it lacks an entry that moved the task, and has another status than that gave it.
func IsBehind(file task.Task, live Live) Hold {
	r := live.Record.ahead(file)
	if r == nil {
		return Hold{}
	}
	return Hold{How: Behind, Worktree: r.Worktree, Branch: r.Branch, Status: r.Status}
}

// lease judges the live claim.
func (l Live) lease(file task.Task, now time.Time) Hold {
	lease := l.Record.heldBy(file)
	if lease == nil {
		return Hold{}
	}
	h := Hold{
		How: Claimed, Actor: lease.Actor, Session: lease.Session, Worktree: lease.Worktree, Branch: lease.Branch,
		Since: lease.Since,
	}
	if l.Gone {
		h.Worktree, h.Gone, h.Lapsed = "", true, true
		return h
	}
	sign := latest(lease.Seen, file.Provenance.NewestBy(lease.Actor))
	if lease.Session != "" {
		if l.Beat != nil {
			sign = latest(sign, l.Beat.At)
		}
		h.Lapsed = now.Sub(sign) > l.StaleAfter
		return h
	}
	return h.expiring(sign, l.ClaimTTL, now)
}

// assignee judges what the file alone says.
func (l Live) assignee(file task.Task, now time.Time) Hold {
	if file.Assignee == "" {
		return Hold{}
	}
	h := Hold{How: Assigned, Actor: file.Assignee, Session: file.Provenance.LastSession()}
	sign := file.Provenance.NewestBy(file.Assignee)
	for _, e := range file.Provenance {
		if e.Assignee != nil && *e.Assignee == file.Assignee {
			sign = latest(sign, e.At)
		}
	}
	if sign.IsZero() {
		return h // nobody can say how old it is
	}
	h.Since = sign
	return h.expiring(sign, l.ClaimTTL, now)
}

// expiring ends a claim that is older than its time to live. A person's never ends by itself.
func (h Hold) expiring(sign time.Time, ttl time.Duration, now time.Time) Hold {
	if h.Actor.Human() {
		return h
	}
	h.Until = sign.Add(ttl)
	if now.After(h.Until) {
		h.How, h.Lapsed = Nobody, true
	}
	return h
}

// Mine reports whether the actor holds the task from here. A person holds as themselves; anybody else as the actor in one
// worktree, since two agents of one name in two worktrees would do the work twice.
func (h Hold) Mine(actor task.Actor, worktree string) bool {
	if h.Actor != actor || h.How == Behind {
		return false
	}
	return actor.Human() || h.Worktree == "" && !h.Gone || h.Worktree == worktree
}

// Free reports whether the actor may take the task without taking it from anybody.
func (h Hold) Free(actor task.Actor, worktree string) bool {
	return h.How == Nobody && !h.Lapsed || h.Mine(actor, worktree)
}

// Refuse returns why an actor may not take the task: ELSEWHERE where the file is behind, else ALREADY_CLAIMED naming the
// holder. With takeover, what lapsed and what is behind may be taken.
func (h Hold) Refuse(id task.ID, actor task.Actor, worktree string, takeover bool) error {
	switch {
	case h.Free(actor, worktree), takeover && (h.Lapsed || h.How == Behind):
		return nil
	case h.How == Behind && h.NoBranch:
		return task.Errorf(task.Elsewhere, "%s on %s", h.Status, h.place()).
			WithHint("that branch is no longer there: if it was renamed or merged, merge that here; if it was deleted unmerged, a person runs cairn doctor --fix, which lets go of it").
			WithNext("get", map[string]any{"id": string(id)})
	case h.How == Behind && h.Worktree == worktree:
		return task.Errorf(task.Elsewhere, "%s was written here on %s, and this file does not say so", h.Status, h.place()).
			WithHint("switch to that branch, merge it, or bring that version back with git").
			WithNext("get", map[string]any{"id": string(id)})
	case h.How == Behind:
		return task.Errorf(task.Elsewhere, "%s on %s", h.Status, h.place()).
			WithHint("merge that work here, or go on there").
			WithNext("get", map[string]any{"id": string(id)})
	case h.Lapsed:
		return task.Errorf(task.AlreadyClaimed, "held by %s%s, without a sign of life", h.Actor, h.where()).
			WithHint("take it over with takeover: true (--takeover)")
	case h.Actor == actor:
		return freeWork(task.Errorf(task.AlreadyClaimed, "held by %s%s", h.Actor, h.where()).
			WithHint("you hold it there: go on there, or take another task: cairn ready"))
	default:
		return freeWork(task.Errorf(task.AlreadyClaimed, "held by %s%s", h.Actor, h.where()).
			WithHint("take another task: cairn ready"))
	}
}

// freeWork leads to the tasks that nobody holds, and waits for one if there is none; list has closed and held ones too.
func freeWork(e *task.Error) *task.Error { return e.WithNext("wait", map[string]any{"ready": true}) }

// where names the place in words, for messages.
func (h Hold) where() string {
	if h.Worktree == "" && h.Branch == "" {
		return ""
	}
	return " on " + h.place()
}

func (h Hold) place() string { return place(h.Branch, h.Worktree) }

// place names a branch, a worktree, or both.
func place(branch, worktree string) string {
	switch name := filepath.Base(worktree); {
	case worktree == "" && branch == "":
		return "another worktree"
	case worktree == "":
		return "branch " + branch
	case branch == "":
		return "worktree " + name
	default:
		return fmt.Sprintf("branch %s, worktree %s", branch, name)
	}
}
