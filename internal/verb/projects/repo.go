package projects

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Repo is a repository that the tasks of a workspace are about.
type Repo struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"` // as the config has it; "." for the workspace's own
	URL     string `json:"url,omitempty"`  // host and path
	Role    string `json:"role,omitempty"`
	Base    string `json:"base,omitempty"`
	Folder  string `json:"folder,omitempty"` // on this machine
	State   string `json:"state"`            // here, gone, remote (only its address is known), or not_a_repository
	Trusted bool   `json:"trusted"`          // the commands of tasks may run there
	Own     bool   `json:"own,omitempty"`    // the workspace lies in it
	Record  string `json:"record,omitempty"` // of the directory, by the same address
}

// The states of a repository.
const (
	hereState    = "here"
	goneState    = "gone"
	remoteState  = "remote"
	invalidState = "not_a_repository"
)

// Repos are the repositories of a workspace.
type Repos struct {
	Items    []Repo `json:"items" result:"rows"`
	Total    int    `json:"total"`
	Changed  string `json:"changed,omitempty"` // the name of the one that was put into the list, or changed
	Replayed bool   `json:"replayed,omitempty"`
}

// Short is the repository that was put into the list, or changed.
func (r Repos) Short(verb.Verb) any {
	return struct {
		Items    []Repo `json:"items,omitempty"`
		Total    int    `json:"total"`
		Replayed bool   `json:"replayed,omitempty"`
	}{record.Those(r.Items, func(one Repo) bool { return one.Name == r.Changed }), r.Total, r.Replayed}
}

// ListRepos returns the repositories of the workspace: its own, and those of the list.
func ListRepos(ctx context.Context, _ *verb.Workspace, s *store.Store, _ ListIn) (Repos, error) {
	return reposOf(ctx, s)
}

func reposOf(ctx context.Context, s *store.Store) (Repos, error) {
	known, _, err := kind.Repositories.List(ctx, s)
	if err != nil {
		return Repos{}, err
	}
	out := Repos{Items: []Repo{}}
	for _, r := range s.Config.Repos {
		out.Items = append(out.Items, shown(s, r, known))
	}
	if !slices.ContainsFunc(out.Items, func(r Repo) bool { return r.Own }) {
		out.Items = slices.Insert(out.Items, 0, own(ctx, s, known))
	}
	out.Total = len(out.Items)
	return out, nil
}

// own is the repository in which the workspace lies, that of all tasks that name none, where the list lacks it.
func own(ctx context.Context, s *store.Store, known []ledger.Repository) Repo {
	r := Repo{Name: filepath.Base(s.Worktree), Path: ".", Role: "primary", Folder: s.Root, State: hereState, Trusted: s.Trusted(), Own: true}
	if r.Trusted { // git may run what its config names
		r.URL = s.Git().Repository(s.Head(ctx).Branch)
	}
	r.Record = recordOf(r.URL, known)
	return r
}

func shown(s *store.Store, r kind.Repo, known []ledger.Repository) Repo {
	out := Repo{Name: r.Name, Path: r.Path, URL: r.URL, Role: r.Role, Base: r.Base, State: remoteState, Record: recordOf(r.URL, known)}
	if r.Path == "" {
		return out
	}
	out.Folder = s.RepoFolder(r.Path)
	files, err := s.Files(task.Task{Repo: r.Name})
	switch {
	case err == nil:
		out.State, out.Trusted, out.Own = hereState, files.Trusted(), files.Repo == ""
	case record.CodeOf(err) == record.NotFound:
		out.State = goneState
	default:
		out.State = invalidState
	}
	return out
}

// recordOf is the id of the record of a repository, by its address.
func recordOf(url string, known []ledger.Repository) string {
	for _, r := range known {
		if url != "" && r.Repo == url {
			return r.Ref.ID
		}
	}
	return ""
}

// RegisterIn is the input of RegisterRepo.
type RegisterIn struct {
	RemoteURL string `json:"remote_url,omitempty" doc:"its address, of which credentials are left out; or give path"`
	Path      string `json:"path,omitempty" doc:"its folder on this machine, from the workspace's or absolute"`
	Name      string `json:"name,omitempty" doc:"how tasks name it; the last part of its address or folder by default"`
	Role      string `json:"role,omitempty" doc:"what the workspace has it for" oneof:"primary,dependency,docs"`
	Base      string `json:"base,omitempty" doc:"branch that work there starts from and goes into"`
	verb.Once
}

// RegisterRepo puts a repository into the list of the config. What is left out of one that is there stays.
func RegisterRepo(ctx context.Context, w *verb.Workspace, s *store.Store, in RegisterIn) (Repos, error) {
	if (in.RemoteURL == "") == (in.Path == "") {
		return Repos{}, verb.BadInput("remote_url", "or path says where it is, one of the two").WithHint("path is a folder on this machine, remote_url an address")
	}
	return setRepo(ctx, w, s, func() (kind.Repo, error) {
		r, err := in.repo(s)
		if old, ok := s.Config.Repo(r.Name); ok {
			r.Role, r.Base = cmp.Or(r.Role, old.Role), cmp.Or(r.Base, old.Base)
		}
		return r, err
	})
}

func (in RegisterIn) repo(s *store.Store) (kind.Repo, error) {
	r := kind.Repo{Name: in.Name, Role: in.Role, Base: in.Base}
	if in.RemoteURL != "" {
		if r.URL = record.RepoOf(in.RemoteURL); r.URL == "" {
			return r, verb.BadInput("remote_url", "is no address of a repository").WithHint("such as https://github.com/o/r or git@github.com:o/r.git; path is for a folder on this machine")
		}
		r.Name = cmp.Or(r.Name, r.URL[strings.LastIndexByte(r.URL, '/')+1:])
		return r, nil
	}
	path := in.Path
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(s.RepoFolder("."), path)
		if err != nil {
			return r, verb.BadInput("path", "is not on the same drive as the workspace").WithHint("give its remote_url")
		}
		path = rel
	}
	r.Path = filepath.ToSlash(filepath.Clean(filepath.FromSlash(path)))
	r.Name = cmp.Or(r.Name, filepath.Base(s.RepoFolder(r.Path)))
	return r, s.IsRepo(r.Name, r.Path)
}

// LinkIn is the input of LinkRepo.
type LinkIn struct {
	Name string `json:"name" doc:"a repository of the list, or the id or name of one of the directory" cli:"arg" from:"repos"`
	Role string `json:"role" doc:"what the workspace has it for" cli:"arg" oneof:"primary,dependency,docs"`
	verb.Once
}

// LinkRepo says what the workspace has a repository for. One of the directory is put into the list by its address. It
// returns NOT_FOUND for others.
func LinkRepo(ctx context.Context, w *verb.Workspace, s *store.Store, in LinkIn) (Repos, error) {
	if err := record.OneOf("role", in.Role, kind.RepoRoles); err != nil {
		return Repos{}, err
	}
	return setRepo(ctx, w, s, func() (kind.Repo, error) {
		r, ok := s.Config.Repo(in.Name)
		if !ok {
			known, _, err := kind.Repositories.List(ctx, s)
			if err != nil {
				return r, err
			}
			i := slices.IndexFunc(known, func(k ledger.Repository) bool { return k.Ref.ID == in.Name || k.Title == in.Name })
			if i < 0 {
				return r, record.Errorf(record.NotFound, "neither the list nor the directory has a repository %q", verb.Head(in.Name, 100)).
					WithHint("%s shows the list; %s adds one", record.CallTo("repo_list"), record.CallTo("repo_register")).WithNext(record.CallTo("repo_list"))
			}
			r = kind.Repo{Name: known[i].Repo[strings.LastIndexByte(known[i].Repo, '/')+1:], URL: known[i].Repo, Base: known[i].DefaultBranch}
		}
		r.Role = in.Role
		return r, nil
	})
}

func setRepo(ctx context.Context, w *verb.Workspace, s *store.Store, which func() (kind.Repo, error)) (Repos, error) {
	var repo kind.Repo
	s, err := w.EditConfig(ctx, s, func(doc *format.Doc) (_ *format.Doc, err error) {
		if repo, err = which(); err != nil {
			return nil, err
		}
		return kind.SetRepo(doc, repo, w.Stamp(""))
	})
	if err != nil {
		return Repos{}, err
	}
	out, err := reposOf(ctx, s)
	out.Changed = repo.Name
	return out, err
}

// Replay shows the repositories as they are now.
func (Repos) Replay(_ *verb.Workspace, s *store.Store, _ session.Key) (any, error) {
	return reposOf(context.Background(), s)
}
