package refs

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
)

// QueryIn is the input of Query. A filter that is left out lets everything through.
type QueryIn struct {
	ID      verb.RecordID `json:"id,omitempty" doc:"only those of this record" cli:"arg"`
	Type    string        `json:"type,omitempty" doc:"only those of this type" oneof:"commit,branch,tag,compare,pr,link,file,record,origin"`
	Repo    string        `json:"repo,omitempty" doc:"only those in this repository, as host and path or as the URL of a remote" cli:"flag=repository"`
	State   string        `json:"state,omitempty" doc:"only pull requests in this state: open, draft, merged or closed" oneof:"open,draft,merged,closed"`
	Session string        `json:"session,omitempty" doc:"only those that were added or changed in this session, and its own" from:"sessions"`
	verb.Paging
}

// Item is a reference, and the record that has it.
type Item struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	record.Reference
}

// Query lists references, the newest first. It reads the files of those records that have any.
func Query(ctx context.Context, w *verb.Workspace, s *store.Store, in QueryIn) (verb.Items[Item], error) {
	fits, err := in.filter()
	if err != nil {
		return verb.Items[Item]{}, err
	}
	var found []verb.Ranked[Item]
	var problems []problem.Problem
	if in.ID != "" {
		k, v, err := kind.Find(s, string(in.ID))
		if err != nil {
			return verb.Items[Item]{}, err
		}
		found = items(k, k.Header(v), fits)
	} else if found, problems, err = in.all(ctx, w, s, fits); err != nil {
		return verb.Items[Item]{}, err
	}
	return verb.Page(found, problems, w.PageIn("refs", in.Paging))
}

func (in QueryIn) filter() (func(record.Header, record.Reference) bool, error) {
	repo, err := repoNamed(in.Repo, "")
	if err != nil {
		return nil, err
	}
	return func(h record.Header, r record.Reference) bool {
		return (in.Type == "" || string(r.Type) == in.Type) && (repo == "" || r.Repo == repo) &&
			(in.State == "" || r.State == in.State) && (in.Session == "" || h.Ref.ID == in.Session ||
			slices.ContainsFunc(h.Log, func(e record.Entry) bool { return e.Session == in.Session && slices.Contains(e.Said().Refs, r.Ref) }))
	}, nil
}

// all lists the references of all records. Rows say which records have any.
func (in QueryIn) all(ctx context.Context, w *verb.Workspace, s *store.Store, fits func(record.Header, record.Reference) bool) (found []verb.Ranked[Item], problems []problem.Problem, err error) {
	problems, err = w.EachRow(ctx, s, func(k *kind.Kind, row *kind.Row) {
		if types := row.RefTypes(); len(types) == 0 || in.Type != "" && !slices.Contains(types, in.Type) {
			return
		}
		if v, err := s.Read(k, row.ID); err == nil { // else it is gone meanwhile
			found = append(found, items(k, k.Header(v), fits)...)
		}
	})
	return found, problems, err
}

func items(k *kind.Kind, h record.Header, fits func(record.Header, record.Reference) bool) []verb.Ranked[Item] {
	var out []verb.Ranked[Item]
	for _, r := range h.Refs {
		if fits(h, r) {
			at := verb.Position{Key: verb.NewestFirst(r.At), ID: h.Ref.ID + " " + r.Ref}
			out = append(out, verb.Ranked[Item]{At: at, Item: Item{h.Ref.ID, k.Name, r}})
		}
	}
	return out
}
