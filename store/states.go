package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/layout"
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
	err := layout.EachName(s.Live.Claims(), ".json", func(name string) { there[layout.RefOf(name)] = true })
	return s.knownBy(pending, s.shared(), func(of record.Ref) *session.State {
		if err == nil && !there[of] {
			return nil
		}
		return s.State(of)
	})
}

// KnownFrom is KnownOf with states that a function reads, and with it whether the clone may know of progress that the
// file of a record lacks.
func (s *Store) KnownFrom(read func() States) (known func(record.Ref) session.Live, carried func(record.Ref) bool) {
	pending := (redoLog{s.Clone}).pending()
	states, remote := read(), s.shared()
	known = s.knownBy(pending, remote, func(of record.Ref) *session.State { return copyOf(states[of]) })
	return known, func(of record.Ref) bool {
		state := states[of]
		return pending != nil || state != nil && len(state.Progress) > 0 || len(remote(of).Progress()) > 0
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
	view := s.View()
	return func(of record.Ref) session.Live {
		known := view(state(of), copyOf(pending[of]))
		known.ClaimTTL, known.StaleAfter, known.Remote = s.Config.ClaimTTL, s.Config.StaleAfter, remote(of)
		return known
	}
}
