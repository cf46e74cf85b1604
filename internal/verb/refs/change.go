package refs

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// UpdateIn is the input of Update. What is left out stays; "" clears it.
type UpdateIn struct {
	ID          verb.RecordID `json:"id" doc:"record that has it" cli:"arg"`
	Ref         string        `json:"ref" doc:"reference to change, by its 8 digits or the first of them" cli:"arg" from:"references"`
	State       *string       `json:"state" doc:"of a pull request: open, draft, merged or closed" values:"open,draft,merged,closed"`
	Sha         *string       `json:"sha" doc:"commit that it is at"`
	Title       *string       `json:"title" doc:"what it is, on one line"`
	URL         *string       `json:"url" doc:"address; credentials are left out"`
	ExpectedRev string        `json:"expected_rev,omitempty" doc:"rev that the record must still have, else CONFLICT"`
	verb.Once
}

// Update changes what a reference says. It returns the record, as get does.
func Update(ctx context.Context, w *verb.Workspace, s *store.Store, in UpdateIn) (any, error) {
	change := record.ReferenceChange{State: in.State, Sha: in.Sha, Title: in.Title, URL: in.URL}
	if in.URL != nil && *in.URL != "" {
		clean := record.CleanURL(*in.URL)
		if clean == "" {
			return nil, verb.BadInput("url", "is no address of the web").WithHint("it begins with https:// or http://")
		}
		change.URL = &clean
	}
	return amend(ctx, w, in.ID, in.ExpectedRev, func(s *store.Store, h record.Header) ([]record.Reference, *record.Entry, error) {
		at, err := record.FindReference(h.Refs, in.Ref)
		if err != nil {
			return nil, nil, err
		}
		if r := h.Refs[at]; in.Sha != nil && *in.Sha != "" && r.Type.InGit() && s.Git().Known(r.Repo, r.Branch) {
			sha, err := s.Git().Commit(ctx, "sha", *in.Sha)
			if err != nil {
				return nil, nil, err
			}
			change.Sha = &sha
		}
		return h.ChangeReference(in.Ref, change, w.Stamp(""))
	})
}

// RemoveIn is the input of Remove.
type RemoveIn struct {
	ID          verb.RecordID `json:"id" doc:"record that has it" cli:"arg"`
	Ref         string        `json:"ref" doc:"reference to take away, by its 8 digits or the first of them" cli:"arg" from:"references"`
	ExpectedRev string        `json:"expected_rev,omitempty" doc:"rev that the record must still have, else CONFLICT"`
	verb.Once
}

// Remove takes a reference off a record: one that the caller added, or any if the caller is a maintainer. It returns
// the record, as get does. The copy of a file stays, since other branches may refer to it.
func Remove(ctx context.Context, w *verb.Workspace, s *store.Store, in RemoveIn) (any, error) {
	return amend(ctx, w, in.ID, in.ExpectedRev, func(_ *store.Store, h record.Header) ([]record.Reference, *record.Entry, error) {
		return h.RemoveReference(in.Ref, w.Profile >= verb.Maintainer, w.Stamp(""))
	})
}

// amend makes a write that changes the references of a record.
func amend(ctx context.Context, w *verb.Workspace, id verb.RecordID, rev string, change func(*store.Store, record.Header) ([]record.Reference, *record.Entry, error)) (any, error) {
	s, err := w.Open()
	if err != nil {
		return nil, err
	}
	k, _, err := kind.Find(s, string(id))
	if err != nil {
		return nil, err
	}
	return verb.Change{Kind: k, IDs: []string{string(id)}, ExpectedRev: rev, Decide: func(wc verb.WriteContext) (any, error) {
		refs, entry, err := change(s, k.Header(wc.Was))
		if err != nil {
			return nil, err
		}
		after, err := k.Referring(wc.Was, refs, entry)
		if t, ok := after.(task.Task); ok && err == nil {
			err = s.Config.Flow.KeepsEvidence(wc.Task, t)
		}
		return after, err
	}}.Any(ctx, w, s)
}
