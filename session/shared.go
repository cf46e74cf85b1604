package session

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Shared is what a clone knows of the claims that all clones share through the git remote. It is a copy: the remote
// decides.
type Shared struct {
	Clone  string      `json:"clone"`             // id of this clone
	Folder string      `json:"folder,omitempty"`  // what tells the folder of the live state from a copy of it
	Remote string      `json:"remote"`            // name and namespace of what was asked; another one makes the rest worthless
	At     string      `json:"address,omitempty"` // what tells its URL from another one, likewise
	Known  time.Time   `json:"known,omitzero"`    // when Seen was fetched
	Own    []OwnClaim  `json:"own,omitempty"`     // of this clone
	Made   []string    `json:"made,omitempty"`    // nonces of the claims that it asked for, the newest last
	Seen   []SeenClaim `json:"seen,omitempty"`    // all of the remote, sorted by record
	Spent  []time.Time `json:"spent,omitempty"`   // when the remote was asked in the last minute
	Said   string      `json:"said,omitempty"`    // why the remote gave no answer the last time; "" if it gave one
	Mute   time.Time   `json:"mute,omitzero"`     // when it gave none in time; zero if it answered since
	Put    int         `json:"put,omitempty"`     // how many claims were put back that the remote had lost
	PutAt  time.Time   `json:"put_at,omitzero"`   // the last time
	Probe  *Probe      `json:"probe,omitempty"`   // what the remote allows; nil if it was never probed
}

// Probe is what a remote was found to allow.
type Probe struct {
	At      time.Time `json:"at"`
	Creates bool      `json:"creates"` // refs of the namespace
	Lists   bool      `json:"lists"`
	Deletes bool      `json:"deletes"`
	Atomic  bool      `json:"atomic"` // it takes several refs, all or none
	Said    string    `json:"said,omitempty"`
}

// Allows reports whether claims can be held through the remote.
func (p Probe) Allows() bool { return p.Creates && p.Lists && p.Deletes }

// SeenClaim is a ref of the remote.
type SeenClaim struct {
	Ref    record.Ref   `json:"ref"`
	Object string       `json:"object"`
	First  time.Time    `json:"first"`           // when this clone saw the object first
	Claim  *RemoteClaim `json:"claim,omitempty"` // nil for what cannot be read
}

// ParseShared reads what a clone knows of the remote.
func ParseShared(src []byte) (Shared, error) {
	return parse(src, "what is known of the remote", func(s *Shared) bool {
		return isToken(s.Clone) && all(s.Made, isToken) && isName(s.Remote) && isName(s.At) && isName(s.Folder) && isName(s.Said) && (s.Probe == nil || isName(s.Probe.Said)) &&
			all(s.Own, OwnClaim.valid) && all(s.Seen, SeenClaim.valid) && once(s.Own) && once(s.Seen)
	})
}

// about is a claim, of which there is one for each record.
type about interface{ about() record.Ref }

func (o OwnClaim) about() record.Ref  { return o.Ref }
func (s SeenClaim) about() record.Ref { return s.Ref }

// of returns the claim on a record, or nil.
func of[T about](claims []T, ref record.Ref) *T {
	for _, c := range claims {
		if c.about() == ref {
			return &c
		}
	}
	return nil
}

// without returns the claims but that on a record.
func without[T about](claims []T, ref record.Ref) []T {
	return slices.DeleteFunc(slices.Clone(claims), func(c T) bool { return c.about() == ref })
}

// index returns the claims by their records.
func index[T about](claims []T) map[record.Ref]*T {
	out := make(map[record.Ref]*T, len(claims))
	for i := range claims {
		out[claims[i].about()] = &claims[i]
	}
	return out
}

// once reports whether no two claims are on one record.
func once[T about](claims []T) bool { return len(index(claims)) == len(claims) }

func (o OwnClaim) valid() bool {
	known := slices.Contains([]Sync{Asked, Synced, Unsynced, Released, Lost}, o.Sync)
	return known && o.Ref == o.Claim.Record && o.Claim.valid() && o.Object != "" && isObject(o.Object) && isObject(o.Was) && isObject(o.Over) && isName(o.Said) &&
		(o.To == nil && o.Sync != Lost || o.To != nil && o.To.valid())
}

func (s SeenClaim) valid() bool {
	return isName(s.Ref.Kind) && isName(s.Ref.ID) && s.Object != "" && isObject(s.Object) && (s.Claim == nil || s.Claim.Record == s.Ref && s.Claim.valid())
}

// madeKept is how many nonces a clone remembers. Its older claims are over.
const madeKept = 500

// Elsewhere is what stays true where another remote is asked, or another namespace: who asks.
func (s Shared) Elsewhere(remote string) Shared {
	return Shared{Clone: s.Clone, Remote: remote, Made: s.Made, Spent: s.Spent}
}

// Making is the same with a nonce of a claim that is asked for.
func (s Shared) Making(nonce string) Shared {
	s.Made = append(slices.Clone(s.Made), nonce)
	s.Made = s.Made[max(0, len(s.Made)-madeKept):]
	return s
}

// ours reports whether a claim is one of this clone. One that has its id and that it never asked for is of another
// machine, which was made from the same disk image.
func (s Shared) ours(c RemoteClaim) bool {
	own := s.OwnOf(c.Record)
	return c.Clone == s.Clone && (slices.Contains(s.Made, c.Nonce) || own != nil && own.Claim.Same(c))
}

// OwnOf returns the claim of this clone on a record, or nil.
func (s Shared) OwnOf(ref record.Ref) *OwnClaim { return of(s.Own, ref) }

// SeenOf returns what the remote has of a record, or nil.
func (s Shared) SeenOf(ref record.Ref) *SeenClaim { return of(s.Seen, ref) }

// WithOwn is the same with a claim of this clone in the place of the one on that record.
func (s Shared) WithOwn(own OwnClaim) Shared {
	s.Own = append(without(s.Own, own.Ref), own)
	return s
}

// WithoutOwn is the same without the claim of this clone on a record.
func (s Shared) WithoutOwn(of record.Ref) Shared {
	s.Own = without(s.Own, of)
	return s
}

// WithSeen is the same with what the remote is now known to have of a record; nil for no ref.
func (s Shared) WithSeen(of record.Ref, seen *SeenClaim) Shared {
	s.Seen = without(s.Seen, of)
	if seen != nil {
		s.Seen = append(s.Seen, *seen)
	}
	return s
}

// Fetched is the same with all that the remote has now, which also says what came of what it was asked for. What was
// seen before keeps the time when it was seen first.
func (s Shared) Fetched(all []SeenClaim, now time.Time) Shared {
	first := map[string]time.Time{}
	for _, c := range s.Seen {
		first[c.Object] = c.First
	}
	s.Seen = slices.Clone(all)
	for i, c := range s.Seen {
		if s.Seen[i].First = now.UTC(); !first[c.Object].IsZero() {
			s.Seen[i].First = first[c.Object]
		}
	}
	s.Own = slices.Clone(s.Own)
	for i := range s.Own {
		s.Own[i].Open = false
	}
	s.Known, s.Said, s.Mute = now.UTC(), "", time.Time{}
	return s
}

// Open reports whether the remote was asked for something, and not yet what came of that.
func (s Shared) Open() bool {
	return slices.ContainsFunc(s.Own, func(o OwnClaim) bool { return o.Open })
}

// Others reports whether other clones are known to have claims.
func (s Shared) Others() bool {
	return slices.ContainsFunc(s.Seen, func(c SeenClaim) bool { return c.Claim == nil || !s.ours(*c.Claim) })
}

// Of is what the clone knows of one record.
func (s Shared) Of(of record.Ref) *Remote {
	seen := s.SeenOf(of)
	return &Remote{Clone: s.Clone, Known: s.Known, Own: s.OwnOf(of), Seen: seen, Twin: s.twin(seen)}
}

// twin reports whether what the remote has is of another machine that has the id of this clone.
func (s Shared) twin(seen *SeenClaim) bool {
	return seen != nil && seen.Claim != nil && seen.Claim.Clone == s.Clone && !s.ours(*seen.Claim)
}

// Index is Of for many records.
func (s Shared) Index() func(record.Ref) *Remote {
	own, seen := index(s.Own), index(s.Seen)
	return func(of record.Ref) *Remote {
		return &Remote{Clone: s.Clone, Known: s.Known, Own: own[of], Seen: seen[of], Twin: s.twin(seen[of])}
	}
}

// Remote is what a clone knows of one record from the git remote.
type Remote struct {
	Clone    string // id of this clone
	Known    time.Time
	Own      *OwnClaim
	Seen     *SeenClaim
	Twin     bool       // Seen is of another machine that has the id of this clone
	Branches []Progress // of remote-tracking branches, the newest last
}

// other is the claim of another clone that the remote has, or nil.
func (r *Remote) other() *SeenClaim {
	if r == nil || r.Seen == nil || r.Seen.Claim == nil {
		return nil
	}
	if c := *r.Seen.Claim; c.Clone == r.Clone && !r.Twin || r.Own != nil && r.Own.Claim.Same(c) {
		return nil // one of this clone
	}
	return r.Seen
}

// taken is the claim of another clone that holds the record now, or that held it and gave no sign of life; nil for
// none.
func (r *Remote) taken() *SeenClaim {
	if c := r.other(); c != nil && c.Claim.State == RemoteHeld {
		return c
	}
	return nil
}

// LostTo is who has a record that somebody in this clone believed to hold; nil if they hold it, or nothing better is
// known.
func (r *Remote) LostTo(now time.Time) *RemoteClaim {
	switch c := r.taken(); {
	case r == nil:
		return nil
	case r.Own != nil && r.Own.Sync == Lost:
		return r.Own.To
	case c != nil && !c.Claim.Lapsed(c.First, now):
		return c.Claim
	default:
		return nil
	}
}

// Mark says by what somebody judged who takes the record: by which claim of this clone, and by what else the remote
// had.
func (r *Remote) Mark() string {
	own, seen := "", ""
	if r != nil && r.Own != nil {
		own = r.Own.Claim.Nonce
	}
	if r != nil && r.Seen != nil && (r.Seen.Claim == nil || own != r.Seen.Claim.Nonce) {
		seen = r.Seen.Object
	}
	return own + " " + seen
}

// Confirmed reports whether the remote is known to have the claim of this clone.
func (r *Remote) Confirmed(now time.Time) bool {
	return r != nil && r.Own != nil && r.Own.Sync == Synced && (r.Own.Claim.State == RemoteFinished || r.Own.Claim.Sure(now))
}

// Progress is how far other clones have brought the record, and remote-tracking branches have it, the newest last.
func (r *Remote) Progress() []Progress {
	if r == nil {
		return nil
	}
	out := r.Branches
	c := r.other()
	fetched := func(p Progress) bool { return p.Entry == c.Claim.Entry } // by a remote-tracking branch
	if c != nil && c.Claim.State == RemoteFinished && !slices.ContainsFunc(out, fetched) {
		out = append(slices.Clone(out), Progress{
			Status: c.Claim.Status, Branch: c.Claim.Branch, Head: c.Claim.Commit, Entry: c.Claim.Entry,
			Source: FromRemote, Clone: c.Claim.Clone, At: c.Claim.Renewed,
		})
	}
	return out
}
