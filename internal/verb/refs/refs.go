// Package refs holds the verbs of references: what lies outside a record and belongs to it, such as commits, pull
// requests, links, files and other records.
package refs

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Verbs are the verbs of references.
var Verbs = verb.Group{Name: "references", Noun: "ref", Toolset: verb.Ledger}.Of(
	verb.Declare(Add, verb.Verb{Name: "ref_add", Follows: true, Title: "Add a reference", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Returns: []any{verb.Task{}, verb.Session{}, verb.Record{}},
		Summary: "Add a commit, branch, tag, compare, pull request, link, file or other record to a record.",
		When:    "Repo, branch and sha are those that are checked out unless they are named. A file is copied into the workspace. One that is there already is not added twice.",
	}),
	verb.Declare(Update, verb.Verb{Name: "ref_update", Follows: true, Title: "Change a reference", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Returns: []any{verb.Task{}, verb.Session{}, verb.Record{}},
		Summary: "Change what a reference says: the state of a pull request, its title, its address, the commit that it is at.",
		When:    "When a pull request was merged or closed.",
	}),
	verb.Declare(Remove, verb.Verb{Name: "ref_remove", Follows: true, Title: "Take a reference away", Kind: verb.Write,
		Profile: verb.PairWorker,
		Returns: []any{verb.Task{}, verb.Session{}, verb.Record{}},
		Summary: "Take a reference off a record.",
		When:    "Who added it may, and a maintainer. A copied file stays until cairn doctor finds that nothing refers to it.",
	}),
	verb.Declare(Query, verb.Verb{Name: "ref_query", Title: "Find references",
		Summary: "List the references that fit all filters given, the newest first.",
		When:    "To see what code belongs to a record, or to which records a repository's pull requests belong.",
	}),
)

// AddIn is the input of Add.
type AddIn struct {
	ID          verb.RecordID `json:"id" doc:"record that it belongs to" cli:"arg"`
	Type        string        `json:"type" doc:"commit, branch, tag, compare, pr, link, file, record or origin" cli:"arg" enum:"commit,branch,tag,compare,pr,link,file,record,origin"`
	Sha         string        `json:"sha,omitempty" doc:"commit, by its hash or, in this repository, any name of it; the one that is checked out by default"`
	Branch      string        `json:"branch,omitempty" doc:"branch; the one that is checked out by default"`
	Repo        string        `json:"repo,omitempty" doc:"repository, as host and path or as the URL of a remote; this one by default" cli:"flag=repository"`
	Number      verb.Count    `json:"number,omitempty" doc:"of a pull request"`
	URL         string        `json:"url,omitempty" doc:"address of a link or a pull request; credentials are left out"`
	State       string        `json:"state,omitempty" doc:"of a pull request: open, draft, merged or closed" enum:"open,draft,merged,closed"`
	Path        string        `json:"path,omitempty" doc:"file to copy, in this work tree"`
	Target      string        `json:"target,omitempty" doc:"id of a record, name of a tag, A...B of a compare, or SYSTEM:ID of an origin"`
	Title       string        `json:"title,omitempty" doc:"what it is, on one line"`
	ExpectedRev string        `json:"expected_rev,omitempty" doc:"rev that the record must still have, else CONFLICT"`
	verb.Once
}

// Add adds a reference to a record of any kind. It returns the record, as get does.
func Add(ctx context.Context, w *verb.Workspace, s *store.Store, in AddIn) (any, error) {
	return amend(ctx, w, s, in.ID, in.ExpectedRev, func() (change, error) {
		ref, file, err := in.reference(ctx, w, s)
		return func(wc verb.WriteContext, h record.Header) ([]record.Reference, *record.Entry, error) {
			refs, entry, err := h.AddReference(ref, w.Stamp(""))
			if err == nil && entry != nil && file != nil {
				err = wc.Tx.Attach(*file)
			}
			return refs, entry, err
		}, err
	})
}

// UpdateIn is the input of Update. What is left out stays; "" clears it.
type UpdateIn struct {
	ID          verb.RecordID `json:"id" doc:"record that has it" cli:"arg"`
	Ref         string        `json:"ref" doc:"reference to change, by its 8 digits or the first of them" cli:"arg" from:"references"`
	State       *string       `json:"state" doc:"of a pull request: open, draft, merged or closed" enum:"open,draft,merged,closed"`
	Sha         *string       `json:"sha" doc:"commit that it is at"`
	Title       *string       `json:"title" doc:"what it is, on one line"`
	URL         *string       `json:"url" doc:"address; credentials are left out"`
	ExpectedRev string        `json:"expected_rev,omitempty" doc:"rev that the record must still have, else CONFLICT"`
	verb.Once
}

// Update changes what a reference says. It returns the record, as get does.
func Update(ctx context.Context, w *verb.Workspace, s *store.Store, in UpdateIn) (any, error) {
	edit := record.ReferenceChange{State: in.State, Sha: in.Sha, Title: in.Title, URL: in.URL}
	if in.URL != nil {
		clean, err := cleanURL(*in.URL)
		if err != nil {
			return nil, err
		}
		edit.URL = &clean
	}
	return amend(ctx, w, s, in.ID, in.ExpectedRev, func() (change, error) {
		return func(_ verb.WriteContext, h record.Header) ([]record.Reference, *record.Entry, error) {
			at, err := record.FindReference(h.Refs, in.Ref)
			if err != nil {
				return nil, nil, err
			}
			if r := h.Refs[at]; in.Sha != nil && *in.Sha != "" && r.Type.InGit() && s.Git().Known(r.Repo, r.Branch) {
				sha, err := s.Git().Commit(ctx, "sha", *in.Sha)
				if err != nil {
					return nil, nil, err
				}
				edit.Sha = &sha
			}
			return h.ChangeReference(in.Ref, edit, w.Stamp(""))
		}, nil
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
	return amend(ctx, w, s, in.ID, in.ExpectedRev, func() (change, error) {
		return func(_ verb.WriteContext, h record.Header) ([]record.Reference, *record.Entry, error) {
			return h.RemoveReference(in.Ref, w.Profile >= verb.Maintainer, w.Stamp(""))
		}, nil
	})
}

// change decides under the lock what becomes of the references of a record.
type change func(verb.WriteContext, record.Header) ([]record.Reference, *record.Entry, error)

// amend makes a write that changes the references of a record. Prepare does before the lock what needs none.
func amend(
	ctx context.Context, w *verb.Workspace, s *store.Store, id verb.RecordID, rev string, prepare func() (change, error),
) (any, error) {
	k, _, err := kind.Find(s, string(id))
	if err != nil {
		return nil, err
	}
	change, err := prepare()
	if err != nil {
		return nil, err
	}
	return verb.Change{Kind: k, IDs: []string{string(id)}, ExpectedRev: rev, Decide: func(wc verb.WriteContext) (any, error) {
		refs, entry, err := change(wc, k.Header(wc.Was))
		if err != nil {
			return nil, err
		}
		after := k.Referring(wc.Was, refs, entry)
		if t, ok := after.(task.Task); ok {
			err = s.Config.Flow.KeepsEvidence(wc.Task, t)
		}
		return after, err
	}}.Any(ctx, w, s)
}
