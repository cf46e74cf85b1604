package remote

import (
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Leases returns who decides about claims in a store, for an actor: the git remote where claims are shared, else the
// clone alone.
func Leases(s *store.Store, who record.Actor, now func() time.Time) session.Leases {
	if !s.Shares() {
		return store.Local{}
	}
	return Of(s, who, now)
}

// Of returns the claims among clones, for an actor, also where none are shared. Its methods return an error then.
func Of(s *store.Store, who record.Actor, now func() time.Time) *Claims {
	return Open(Options{
		Clone: s.Clone, Known: s.KnownOf, File: fileOf(s), Config: s.Config, Alone: s.Config.Claims.Alone(who), Trusted: s.Trusted, Now: now,
	})
}

// Probing returns what probes another namespace of the remote, of which nothing is kept.
func Probing(s *store.Store, namespace string, now func() time.Time) *Claims {
	return Open(Options{Clone: s.Clone, Config: s.Config, Trusted: s.Trusted, Now: now, Try: namespace})
}

// fileOf reads the headers of records.
func fileOf(s *store.Store) func(record.Ref) (record.Header, bool) {
	return func(of record.Ref) (record.Header, bool) {
		k, ok := kind.Named(of.Kind)
		if !ok {
			return record.Header{}, false
		}
		v, err := s.Read(k, of.ID)
		if err != nil {
			return record.Header{}, false
		}
		return k.Header(v), true
	}
}
