package ledger

import (
	"cmp"
	"path"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// RepositoryKind is the kind of a repository, in a record.Ref, and RepositoryPrefix what stands before the dash of its
// id.
const (
	RepositoryKind   = "repository"
	RepositoryPrefix = "REPO"
)

// RepositoryID names a repository: REPO-, and a name that follows from its address.
type RepositoryID string

// Repository is a git repository that the work of a workspace is about.
type Repository struct {
	record.Header        // what all kinds have in common; Title is its name
	Repo          string // host and path, such as github.com/o/r, as record.RepoOf has it; no two repositories have the same
	DefaultBranch string
	Role          string // what the workspace has it for: primary, dependency or docs
	Body          string
}

// The states of a repository.
const (
	RepositoryActive record.Status = "active"
	RepositoryGone   record.Status = "gone"
)

// RepositoryStates lists every state.
var RepositoryStates = []record.Status{RepositoryActive, RepositoryGone}

// RepositoryChange is what a registration says of a repository. What is nil stays as it is.
type RepositoryChange struct{ Name, DefaultBranch, Role *string }

// RepositoryIDs are the ids that a repository may get, by its host and path: its name, or longer parts of the path
// where that is taken. Two branches that register the same one come to the same id.
func RepositoryIDs(repo string) []RepositoryID {
	var out []RepositoryID
	parts := strings.Split(repo, "/")
	for n := len(parts) - 1; n >= 0; n-- {
		slug := strings.Map(func(r rune) rune {
			if r < 0x80 && record.IsWord(string(r), "._-") {
				return r
			}
			return '-'
		}, strings.Join(parts[n:], "."))
		if slug = strings.ToLower(slug); len(slug) <= 64 {
			out = append(out, RepositoryID(RepositoryPrefix+"-"+slug))
		}
	}
	return out
}

// NewRepository returns a repository as it is registered first, or INVALID_INPUT if there may be none such.
func NewRepository(id RepositoryID, repo string, c RepositoryChange, s record.Stamp) (Repository, error) {
	r := Repository{Header: record.Header{Ref: record.Ref{Kind: RepositoryKind, ID: string(id)}, Title: path.Base(repo), Status: RepositoryActive}, Repo: repo}
	r, _ = r.with(c)
	r.Log = r.Log.Add(s.Entry(record.Created))
	return r, r.Valid()
}

// Register returns the repository after another registration, as Actor.Register does.
func (r Repository) Register(c RepositoryChange, s record.Stamp) (Repository, error) {
	now, keys := r.with(c)
	if len(keys) == 0 && r.Status == RepositoryActive {
		return r, nil
	}
	var err error
	now.Header, err = updated(now.Header, keys, RepositoryActive, RepositoryStates, s)
	return now, cmp.Or(err, now.Valid())
}

// with returns the repository as a change makes it, and the keys of the file that differ.
func (r Repository) with(c RepositoryChange) (Repository, []string) {
	named := func(s string) string { return cmp.Or(strings.TrimSpace(s), path.Base(r.Repo)) }
	keys := change(nil, "title", &r.Title, c.Name, named)
	keys = change(keys, "default_branch", &r.DefaultBranch, c.DefaultBranch, strings.TrimSpace)
	return r, change(keys, "role", &r.Role, c.Role, strings.TrimSpace)
}

// Valid returns INVALID_INPUT for what no repository may be. The message begins with the key.
func (r Repository) Valid() error {
	if r.Repo == "" || record.RepoOf(r.Repo) != r.Repo { // it may hold credentials
		return record.Errorf(record.InvalidInput, "repo is none that a repository may have").WithHint("a host and a path, such as github.com/o/r")
	}
	if r.Role != "" && r.Role != "primary" && r.Role != "dependency" && r.Role != "docs" {
		return record.Errorf(record.InvalidInput, "role is %q", record.Clip(r.Role, 100)).WithHint("of a repository: primary, dependency or docs")
	}
	return cmp.Or(validOptional("default_branch", r.DefaultBranch), r.Header.Valid(r.Body))
}
