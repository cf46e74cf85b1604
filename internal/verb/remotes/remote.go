// Package remotes holds the verbs of the git remote through which claims hold among clones.
package remotes

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/limits"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/store/statements"
)

// Verbs are the verbs of the remote.
var Verbs = verb.Group{Name: "setup", Noun: "remote", Toolset: verb.Admin}.Of(
	verb.Declare(Status, verb.Verb{Name: "remote_status", Title: "Show claims among clones",
		Summary: "Show what this clone knows of the claims of all clones, and how old that is; the remote is not asked.",
		When:    "To see who holds what elsewhere, which claims are not synced yet, and why the remote gave no answer.",
	}),
	verb.Declare(Probe, verb.Verb{Name: "remote_probe", Title: "Probe the git remote", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Summary: "Find out, with throw-away refs, whether the git remote takes claims, and remember it.",
		When:    "Once, after claims_remote was set.",
	}),
	verb.Declare(Sync, verb.Verb{Name: "remote_sync", Title: "Bring claims together", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Summary: "Ask the git remote for all claims, and tell it what it does not know yet.",
		When:    "After being offline. Servers and everyday commands do it by themselves.",
	}),
)

// StatusIn is the input of Status.
type StatusIn struct{}

// Shared is what a clone knows of the claims of all clones.
type Shared struct {
	Remote    string         `json:"remote"` // "" where claims hold in each clone alone
	Namespace string         `json:"namespace,omitempty"`
	Clone     string         `json:"clone,omitempty"` // id of this one
	KnownAt   *time.Time     `json:"known_at,omitempty"`
	Age       int            `json:"age_seconds,omitempty"`
	Spent     int            `json:"asked_last_minute,omitempty"` // pushes and fetches
	Budget    int            `json:"claims_budget,omitempty"`
	Said      string         `json:"said,omitempty"`     // why the remote gave no answer the last time
	Restored  int            `json:"restored,omitempty"` // claims that the remote had lost and this clone put back
	Probe     *session.Probe `json:"probe,omitempty"`
	Own       []Own          `json:"own"`
	Others    []Other        `json:"others"`
	Replayed  bool           `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// Own is a claim of this clone.
type Own struct {
	ID      string       `json:"id"`
	Actor   record.Actor `json:"actor"`
	Sync    session.Sync `json:"sync"`
	State   string       `json:"state"`
	Renewed time.Time    `json:"renewed_at"`
	Ends    time.Time    `json:"ends_at"`
	LostTo  *Other       `json:"lost_to,omitempty"`
	Said    string       `json:"said,omitempty"`
}

// Other is a claim of another clone.
type Other struct {
	ID     string        `json:"id"`
	Actor  record.Actor  `json:"actor,omitempty"`
	Clone  string        `json:"clone,omitempty"`
	Branch string        `json:"branch,omitempty"`
	State  string        `json:"state"` // held, finished, or unreadable
	Status record.Status `json:"status,omitempty"`
	Since  time.Time     `json:"since,omitzero"`
	Ends   time.Time     `json:"ends_at,omitzero"`
	Lapsed bool          `json:"lapsed,omitempty"`
}

// Status shows what is known. It asks nobody.
func Status(_ context.Context, w *verb.Workspace, s *store.Store, _ StatusIn) (Shared, error) {
	return view(w, s, ""), nil
}

// view shows what is known, of one task only unless that is "".
func view(w *verb.Workspace, s *store.Store, only record.ID) Shared {
	out := Shared{Own: []Own{}, Others: []Other{}}
	claims := s.Config.Claims
	if !claims.On() {
		return out
	}
	now := w.Now()
	known, _ := s.Shared(claims.Key())
	out.Remote, out.Namespace, out.Clone, out.Said, out.Restored, out.Probe, out.Budget = claims.Remote, claims.Namespace, known.Clone, known.Said, known.Put, known.Probe, limits.ClaimsBudget
	if !known.Known.IsZero() {
		out.KnownAt, out.Age = &known.Known, int(now.Sub(known.Known).Seconds())
	}
	for _, at := range known.Spent {
		if now.Sub(at) < time.Minute {
			out.Spent++
		}
	}
	for _, o := range known.Own {
		if only != "" && o.Ref != only.Ref() {
			continue
		}
		one := Own{ID: o.Ref.ID, Actor: o.Claim.Holder, Sync: o.Sync, State: string(o.Claim.State), Renewed: o.Claim.Renewed, Ends: o.Claim.Ends(time.Time{}), Said: o.Said}
		if o.To != nil {
			to := other(session.SeenClaim{Ref: o.Ref, Claim: o.To}, now)
			one.LostTo = &to
		}
		out.Own = append(out.Own, one)
	}
	for _, c := range known.Seen {
		if c.Claim != nil && c.Claim.State == session.RemoteReleased {
			continue // nobody has it
		}
		if (only == "" || c.Ref == only.Ref()) && (c.Claim == nil || c.Claim.Clone != known.Clone) {
			out.Others = append(out.Others, other(c, now))
		}
	}
	sorted.By(out.Own, func(a, b Own) int { return record.CompareRefs(record.Ref{ID: a.ID}, record.Ref{ID: b.ID}) })
	return out
}

func other(c session.SeenClaim, now time.Time) Other {
	if c.Claim == nil {
		return Other{ID: c.Ref.ID, State: "unreadable", Since: c.First}
	}
	return Other{
		ID: c.Ref.ID, Actor: c.Claim.Holder, Clone: c.Claim.Clone, Branch: c.Claim.Branch, State: string(c.Claim.State), Status: c.Claim.Status,
		Since: c.Claim.Taken, Ends: c.Claim.Ends(c.First), Lapsed: c.Claim.Lapsed(c.First, now),
	}
}

// ProbeIn is the input of Probe.
type ProbeIn struct {
	Namespace string `json:"namespace,omitempty" doc:"refs to try; those of claims_namespace by default"`
	verb.Once
}

// Probe finds out what the remote allows. It returns OFFLINE if it gives no answer, or takes no claims.
func Probe(ctx context.Context, w *verb.Workspace, s *store.Store, in ProbeIn) (Shared, error) {
	if err := shares(s); err != nil {
		return Shared{}, err
	}
	claims, of := remote.Of(s, w.Actor(), w.Now), s.Config.Claims
	if in.Namespace != "" && in.Namespace != of.Namespace {
		if !kind.IsNamespace(in.Namespace) {
			return Shared{}, verb.BadInput("namespace", "is %q", verb.Head(in.Namespace, 100)).WithHint("refs/cairn/NAME, or refs/heads/cairn/NAME, or refs/tags/cairn/NAME")
		}
		of.Namespace = in.Namespace
		claims = remote.Probing(s, in.Namespace, w.Now)
	}
	found, err := claims.Probe(ctx)
	if err == nil {
		err = remote.Verdict(found, of)
	}
	if err != nil {
		return Shared{}, err
	}
	out := view(w, s, "")
	out.Namespace, out.Probe = of.Namespace, &found
	return out, w.RememberCall(ctx, s, session.Key{})
}

// SyncIn is the input of Sync.
type SyncIn struct {
	ID record.ID `json:"id,omitempty" doc:"show what is known of this task only" cli:"arg"`
	verb.Once
}

// Sync brings what this clone claims and what the remote has together. It returns OFFLINE if the remote gives no
// answer, and CLAIM_LOST if a claim was given to another clone.
func Sync(ctx context.Context, w *verb.Workspace, s *store.Store, in SyncIn) (Shared, error) {
	if err := shares(s); err != nil {
		return Shared{}, err
	}
	if _, err := remote.Of(s, w.Actor(), w.Now).SyncNow(ctx); err != nil {
		return Shared{}, err
	}
	if err := exchangeEvidence(ctx, w, s); err != nil {
		return Shared{}, err
	}
	known, _ := s.Shared(s.Config.Claims.Key())
	for _, o := range known.Own {
		if o.Sync == session.Lost && o.To != nil && (in.ID == "" || o.Ref == in.ID.Ref()) {
			return Shared{}, verb.WithID(o.To.Lost(record.ID(o.Ref.ID)), record.ID(o.Ref.ID))
		}
	}
	return view(w, s, in.ID), w.RememberCall(ctx, s, session.Key{})
}

// exchangeEvidence brings the evidence of this clone and of the remote together, if there is any.
func exchangeEvidence(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	shelf := statements.Of(s, w.Now)
	if _, err := shelf.Exchange(ctx); err != nil {
		return err
	}
	_, err := shelf.Take(ctx, s)
	return err
}

// shares returns INVALID_INPUT if claims hold in this clone alone.
func shares(s *store.Store) error {
	if s.Shares() {
		return nil
	}
	return record.Errorf(record.InvalidInput, "claims hold in this clone alone").
		WithHint("%s lets them hold among all clones of a git remote", record.CallTo("settings_set", "key", "claims_remote", "value", "origin").ByPerson())
}

// Replay shows what is known now.
func (Shared) Replay(w *verb.Workspace, s *store.Store, _ session.Key) (any, error) {
	return view(w, s, ""), nil
}
