package directory

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// registerRepository puts a repository into the directory: the one with the address, or that of the clone. Of an
// address only host and path are kept, so that calls with different forms of it come to one record, and no credentials
// are written.
func registerRepository(ctx context.Context, w *verb.Workspace, s *store.Store, in RegisterIn) (verb.Record, error) {
	if err := w.Needs(verb.Operator); err != nil {
		return verb.Record{}, err
	}
	repo, err := in.repository(ctx, s)
	if err != nil {
		return verb.Record{}, err
	}
	return verb.Change{Kind: kind.Repositories.Kind, Decide: func(wc verb.WriteContext) (any, error) {
		known, _, err := kind.Repositories.List(ctx, s)
		if err != nil {
			return nil, err
		}
		c := ledger.RepositoryChange{Name: in.Name, DefaultBranch: in.DefaultBranch, Role: in.Role}
		return registeredRepository(wc.Tx, known, repo, c, w.Stamp(""))
	}}.Record(ctx, w, s)
}

// repository is the host and path of what is registered.
func (in RegisterIn) repository(ctx context.Context, s *store.Store) (string, error) {
	if in.RemoteURL != "" {
		if repo := record.RepoOf(in.RemoteURL); repo != "" {
			return repo, nil
		}
		return "", verb.BadInput("remote_url", "is no address of a repository").WithHint("such as https://github.com/o/r or git@github.com:o/r.git; a path on this machine is none")
	}
	if repo := s.Git().Repository(s.Head(ctx).Branch); repo != "" {
		return repo, nil
	}
	return "", verb.BadInput("remote_url", "is missing, and the clone has no remote").WithHint("give the address of the repository, or the actor to register")
}

// registeredRepository is that of the address after a registration, or a new one under the first id that is free.
func registeredRepository(tx *store.Tx, known []ledger.Repository, repo string, c ledger.RepositoryChange, s record.Stamp) (ledger.Repository, error) {
	if i := slices.IndexFunc(known, func(r ledger.Repository) bool { return r.Repo == repo }); i >= 0 {
		r, err := kind.Repositories.Get(tx, ledger.RepositoryID(known[i].Ref.ID))
		if err != nil {
			return r, err
		}
		return r.Register(c, s)
	}
	for _, id := range ledger.RepositoryIDs(repo) {
		if _, err := kind.Repositories.Get(tx, id); record.CodeOf(err) == record.NotFound {
			return ledger.NewRepository(id, repo, c, s)
		}
	}
	return ledger.Repository{}, record.Errorf(record.Conflict, "every id that %s can have is taken", repo).ForGood()
}

// Repository is a repository in a list.
type Repository struct {
	ID            string        `json:"id"`
	Name          string        `json:"name"`
	Repo          string        `json:"repo"` // host and path
	Status        record.Status `json:"status"`
	Role          string        `json:"role,omitempty"`
	DefaultBranch string        `json:"default_branch,omitempty"`
	Here          bool          `json:"here,omitempty"` // the clone is one of it
}

// listRepositories returns the repositories that fit the filters, the newest first.
func listRepositories(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (verb.Items[Repository], error) {
	if in.Kind+in.Group+in.Capability != "" {
		return verb.Items[Repository]{}, verb.BadInput("kind", "group and capability are said of actors").WithHint("leave them out with what repositories")
	}
	here := s.Git().Repository(s.Head(ctx).Branch)
	show := func(r *kind.Row) Repository {
		out := Repository{
			ID: r.ID, Name: r.Title, Repo: r.Fact(kind.RepoFact), Status: r.Status, Role: r.Fact(kind.RoleFact), DefaultBranch: r.Fact(kind.BranchFact),
		}
		out.Here = out.Repo == here && here != ""
		return out
	}
	return verb.QueryRows(ctx, w, s, kind.Repositories.Kind, in.Paging, func(r *kind.Row) bool {
		return verb.AnyHas(in.Q, r.ID, r.Title, r.Fact(kind.RepoFact))
	}, show)
}
