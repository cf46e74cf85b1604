package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
)

// States is the states of a clone as they were read at one moment. It never changes, and neither do they.
type States map[record.Ref]*session.State

// States reads the states of all records.
func (s *Store) States() (States, error) {
	all, err := s.Clone.States()
	out := make(States, len(all))
	for i := range all {
		out[all[i].Ref] = &all[i]
	}
	return out, err
}

// StatesAfter is States for a process that knows that since then no other files have changed than those with these
// names.
func (s *Store) StatesAfter(before States, names []string) States {
	if len(names) == 0 {
		return before
	}
	out := maps.Clone(before)
	for _, name := range names {
		name, ok := strings.CutSuffix(name, ".json")
		if !ok {
			continue
		}
		of := layout.RefOf(name)
		delete(out, of)
		if state := s.State(of); state != nil {
			out[of] = state
		}
	}
	return out
}

// Known returns what live state has about a record.
func (s *Store) Known(of record.Ref) session.Live {
	return s.knownBy((redoLog{s.Clone}).pending(), s.shared(), s.State)(of)
}

// KnownOf is Known for many records: it reads the redo log once and lists the states first, and opens no file that does
// not exist.
func (s *Store) KnownOf() func(record.Ref) session.Live {
	pending := (redoLog{s.Clone}).pending()
	there := map[record.Ref]bool{}
	err := s.EachHeld(func(of record.Ref) { there[of] = true })
	return s.knownBy(pending, s.shared(), func(of record.Ref) *session.State {
		if err == nil && !there[of] {
			return nil
		}
		return s.State(of)
	})
}

// EachHeld calls a function for each record that the clone knows a state of.
func (s *Store) EachHeld(fn func(record.Ref)) error {
	return layout.EachName(s.Live.Claims(), ".json", func(name string) { fn(layout.RefOf(name)) })
}

// KnownFrom is KnownOf with states that a function reads, and with it whether the clone may know of progress that the
// file of a record lacks.
func (s *Store) KnownFrom(read func() States) (known func(record.Ref) session.Live, carried func(record.Ref) bool) {
	pending := (redoLog{s.Clone}).pending()
	states, remote := read(), s.shared()
	known = s.knownBy(pending, remote, func(of record.Ref) *session.State { return copyOf(states[of]) })
	return known, func(of record.Ref) bool {
		state := states[of]
		return pending != nil || state != nil && (len(state.Progress) > 0 || state.Lease != nil) || len(remote(of).Progress()) > 0
	}
}

// copyOf is a state that may be changed.
func copyOf(state *session.State) *session.State {
	if state == nil {
		return nil
	}
	own := *state
	if state.Lease != nil {
		own.Lease = new(*state.Lease)
	}
	own.Progress = slices.Clone(state.Progress)
	return &own
}

// knownBy is what live state has about records, with the time limits of the config and what the git remote says. What
// is pending is read before the states: once the log is removed, it is in them.
func (s *Store) knownBy(
	pending States, remote func(record.Ref) *session.Remote, state func(record.Ref) *session.State,
) func(record.Ref) session.Live {
	view, there, here := s.View(), newThere(s), sync.OnceValue(func() session.Place {
		return session.Place{Worktree: s.Worktree, Branch: s.Head(context.Background()).Branch}
	})
	return func(of record.Ref) session.Live {
		known := view(state(of), copyOf(pending[of]))
		if known.State != nil {
			known.Here, known.Closed = here(), s.closed(of)
			known.There = there.all(known.State, known.Here)
		}
		known.ClaimTTL, known.StaleAfter, known.Remote = s.Config.ClaimTTL, s.Config.StaleAfter, remote(of)
		return known
	}
}

// closed is in which states a record is closed, if its kind has those of the workflow.
func (s *Store) closed(of record.Ref) []record.Status {
	if of.Kind != record.TaskKind {
		return nil
	}
	return s.Config.Flow.Closed
}

// Local are the leases of one clone alone, where the write lock decides: whoever writes first has the record. They
// implement session.Leases.
type Local struct{}

var _ session.Leases = Local{}

// Take calls write, which is refused under the write lock if somebody holds the record.
func (Local) Take(_ context.Context, _ []session.Want, write func() error) error { return write() }

// Release calls write.
func (Local) Release(_ context.Context, _ []session.Want, write func() error) error { return write() }

// Renew does nothing: in the clone each write and heartbeat of the holder is a sign of life.
func (Local) Renew(context.Context) ([]session.OwnClaim, error) { return nil, nil }

// Read returns nil: there is nothing beyond the clone.
func (Local) Read(context.Context, record.Ref, time.Duration) (*session.Remote, error) {
	return nil, nil
}

// Shares reports whether claims hold among clones, through a git remote. A store apart claims nothing among them.
func (s *Store) Shares() bool { return s.Config.Claims.On() && s.Repo != nil && s.later == nil }

// shared returns what the clone knows of the claims of all clones, for many records at one moment.
func (s *Store) shared() func(record.Ref) *session.Remote {
	if !s.Shares() {
		return func(record.Ref) *session.Remote { return nil }
	}
	known, _ := s.Shared(s.Config.Claims.Key())
	tracked := branches.Source{Clone: s.Clone, Remote: s.Config.Claims.Remote, Except: s.Config.Claims.Namespace}
	shared, progress := known.Index(), tracked.Read().Progress()
	return func(of record.Ref) *session.Remote {
		r := shared(of)
		r.Branches = progress[of]
		return r
	}
}

// Others are the tasks of other branches.
func (s *Store) Others() branches.Others { return branches.Others{Clone: s.Clone} }

// fewRecords are so few that what is known of each is read by itself.
const fewRecords = 16

// Steps lists, for each record of a kind that can be held, who holds it after the write and what else the arbiter among
// clones must know of it.
func (tx *Tx) Steps() []session.Step {
	var steps []session.Step
	knownOf := tx.s.Known
	if len(tx.records) > fewRecords {
		knownOf = tx.s.KnownOf()
	}
	for of, st := range tx.records {
		if !st.kind.Held() || !st.claims && !st.changed() {
			continue
		}
		known := knownOf(of)
		before, now := st.was(), st.header()
		step := session.Step{
			Ref: of, Lease: st.lease, Takes: st.claims, Did: now.Log.Last().Did,
			Moved: st.file.doc != nil && before.Status != now.Status, Over: st.gone || tx.s.Config.Over(of, now.Status),
			Was: before, Known: known, To: session.Progress{Status: now.Status, Entry: now.Log.Last().Hash()},
		}
		if !st.claims && known.State != nil {
			step.Lease = known.State.Lease
		}
		if st.gone {
			step.Lease, step.Over = nil, false
		}
		steps = append(steps, step)
	}
	return steps
}

// Placed adds to progress where it was made: the branch and the commit that are checked out.
func (s workTree) Placed(ctx context.Context, p session.Progress) session.Progress {
	head := s.Head(ctx)
	p.Branch, p.Head, p.Worktree = head.Branch, head.Commit, s.Worktree
	return p
}

// there reads what the files say in the places where live state was written: on other branches, and in other worktrees.
// Each is read once. It is used by one goroutine, and starts no git.
type there struct {
	*Store
	worktrees map[string]*live.Clone // nil for one that is gone
	files     map[thereAt]session.Placed
}

type thereAt struct {
	of record.Ref
	at session.Place
}

func newThere(s *Store) *there {
	return &there{s, map[string]*live.Clone{}, map[thereAt]session.Placed{}}
}

// all are the files in the places that a state names, without the one in which somebody asks. One that cannot be read
// is left out.
func (t *there) all(state *session.State, here session.Place) (all []session.Placed) {
	for _, at := range state.Places() {
		if at == here || at.Worktree == "" && at.Branch == "" {
			continue
		}
		key := thereAt{state.Ref, at}
		one, known := t.files[key]
		if !known {
			one = session.Placed{Place: at, Files: t.read(at, state.Ref)}
			t.files[key] = one
		}
		if len(one.Files) > 0 {
			all = append(all, one)
		}
	}
	return all
}

// read reads a record in a place: the file in its worktree, which may have come along from the branch, and, if another
// branch is checked out by now, what was committed on this one. Where worktree or branch is gone nothing can be told.
func (t *there) read(at session.Place, of record.Ref) (all []record.Header) {
	k, ok := kind.Named(of.Kind)
	w := t.worktree(at.Worktree)
	if !ok || w == nil {
		return nil
	}
	add := func(src []byte, err error) bool {
		v, bad := k.Parse(src)
		if err != nil || bad != nil {
			return false
		}
		all = append(all, k.Header(v))
		return true
	}
	var src []byte
	err := place.Try(w.Layout, k, of.ID, func(path string) (err error) { src, err = layout.ReadFile(path); return err })
	switch add(src, err); {
	case w.Head(context.Background()).Branch == at.Branch:
		return all
	case t.Repo == nil || at.Branch == "" || !add(t.Repo.FileOn(at.Branch, t.InRepo(k.File(of.ID)))):
		return nil // the branch may be gone
	}
	return all
}

// worktree is the workspace in a worktree of the clone; nil if that is gone.
func (t *there) worktree(top string) *live.Clone {
	if top == "" {
		return nil
	}
	w, known := t.worktrees[top]
	if !known {
		if c, err := t.InWorktree(top); err == nil {
			w = &c
		}
		t.worktrees[top] = w
	}
	return w
}
