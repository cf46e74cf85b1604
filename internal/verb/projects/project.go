// Package projects holds the verbs of projects, which are workspaces, and of the repositories that their tasks are
// about.
package projects

import (
	"context"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/projects"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
)

// ListIn is the input of ListProjects and ListRepos.
type ListIn struct{}

// Projects are the workspaces of this machine.
type Projects struct {
	Items []projects.Project `json:"items" result:"rows"`
	Total int                `json:"total"`
}

// ListProjects returns the workspaces that were opened on this machine, the newest first.
func ListProjects(_ context.Context, w *verb.Workspace, _ ListIn) (Projects, error) {
	all := verb.NoNil(projects.List(w.StateDir))
	return Projects{all, len(all)}, nil
}

// OpenIn is the input of OpenProject.
type OpenIn struct {
	Project string `json:"project" doc:"id, folder or name of a workspace that project_list names" cli:"arg" from:"projects"`
}

// Opened is a workspace that a caller asked for.
type Opened struct {
	Project string   `json:"project"`
	Root    string   `json:"root"`
	Prefix  string   `json:"prefix"`
	Trusted bool     `json:"trusted"`        // its commands may run
	Open    bool     `json:"open"`           // the calls that follow are about it
	How     string   `json:"how,omitempty"`  // it can be opened, if it is not
	Made    []string `json:"made,omitempty"` // files, by project_create

	Replayed bool `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// OpenProject goes on in another workspace where the server can, and else says how. It returns NOT_FOUND for one that
// is not in the list or is gone.
func OpenProject(_ context.Context, w *verb.Workspace, in OpenIn) (Opened, error) {
	p, err := projects.Find(w.StateDir, in.Project)
	if err != nil {
		return Opened{}, err
	}
	if p.Gone {
		return Opened{}, record.Errorf(record.NotFound, "there is no workspace in %s any more", p.Root).WithHint("%s lists the others", record.CallTo("project_list"))
	}
	s, err := store.Open(p.Root, w.StateDir)
	if err != nil {
		return Opened{}, err
	}
	return opened(w, s)
}

// opened switches to a workspace, or says how it is opened.
func opened(w *verb.Workspace, s *store.Store) (Opened, error) {
	out := created(w, s)
	switch {
	case out.Open:
	case w.Switch == nil:
		out.How = "cairn -C " + s.Root + " on the command line; a server that is started there, or with --projects"
	default:
		if err := w.Switch(s.Root); err != nil {
			return out, err
		}
		out.Open, out.How = true, ""
	}
	return out, nil
}

// CreateIn is the input of CreateProject.
type CreateIn struct {
	Path   string `json:"path" doc:"folder, from the one where you are; it must be there" cli:"arg"`
	Prefix string `json:"prefix,omitempty" doc:"what ids begin with; made of the folder's name by default"`
	verb.Once
}

// CreateProject makes a folder a workspace. It returns NOT_FOUND if there is no such folder. It does not switch to it.
func CreateProject(ctx context.Context, w *verb.Workspace, in CreateIn) (Opened, error) {
	dir := in.Path
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(w.Dir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Opened{}, record.Errorf(record.NotFound, "there is no folder %s", dir).WithHint("make it first: mkdir, or git clone")
	}
	made, err := Init(ctx, w, dir, in.Prefix)
	if err != nil {
		return Opened{}, err
	}
	if err := remember(ctx, w, made.Store.Root); err != nil {
		return Opened{}, err
	}
	out := created(w, made.Store)
	out.Made = made.Files
	return out, nil
}

func created(w *verb.Workspace, s *store.Store) Opened {
	out := Opened{Project: projects.IDOf(s.Root), Root: s.Root, Prefix: s.Config.Prefix, Trusted: s.Trusted()}
	if here, err := w.Open(); err == nil && here.Root == s.Root {
		out.Open = true
	} else {
		out.How = "project_open"
	}
	return out
}

// rootKind is the kind of what a call under an idempotency key made: a workspace, by its folder.
const rootKind = "workspace"

// remember remembers a call under an idempotency key, in the workspace where it was made. Where there is none there is
// no place for it, and the same call again does nothing more anyway.
func remember(ctx context.Context, w *verb.Workspace, root string) error {
	s, err := w.Open()
	if err != nil {
		return nil //nolint:nilerr // there is no workspace to remember it in
	}
	return w.RememberCall(ctx, s, session.Key{Record: &record.Ref{Kind: rootKind, ID: root}})
}

// Replay shows the workspace as it is now.
func (Opened) Replay(w *verb.Workspace, _ *store.Store, key session.Key) (any, error) {
	if key.Record == nil || key.Record.Kind != rootKind {
		return Opened{}, record.Errorf(record.NotFound, "the call under this key made no workspace")
	}
	s, err := store.Open(key.Record.ID, w.StateDir)
	if err != nil {
		return Opened{}, err
	}
	return created(w, s), nil
}

// Made is what Init made.
type Made struct {
	Store    *store.Store
	Files    []string // that it wrote, from the workspace's folder
	Harmless bool     // nothing in it came from elsewhere, so that it is trusted
	Consent  error    // why that could not be kept; the workspace is made all the same
}

// Init makes a folder a workspace, or finishes one that is half made, and notes it in the list of the machine. A
// workspace in which nothing came from elsewhere is trusted.
func Init(ctx context.Context, w *verb.Workspace, dir, prefix string) (Made, error) {
	l, files, err := store.Init(dir, prefix)
	if err != nil {
		return Made{}, err
	}
	s, err := store.Open(l.Root, w.StateDir)
	if err != nil {
		return Made{}, err
	}
	out := Made{Store: s, Files: files}
	if out.Harmless, err = s.Harmless(ctx); err != nil {
		return out, err
	}
	if out.Harmless {
		out.Consent = s.SetTrust(w.Actor(), w.Now())
	}
	Note(ctx, w, s)
	return out, nil
}

// Note notes a workspace in the list of the machine. A failure changes nothing: the list is a convenience.
func Note(ctx context.Context, w *verb.Workspace, s *store.Store) {
	if w.Job == "" { // a job's work tree is no project
		_ = projects.Note(ctx, w.StateDir, s.Layout, s.Config.Prefix, w.Now())
	}
}

// Verbs are the verbs of projects and repositories.
var Verbs = verb.Group{Name: "projects", Noun: "project", Toolset: verb.Jobs}.Of(
	verb.DeclareBare(ListProjects, verb.Verb{Name: "project_list", Title: "List projects",
		Summary: "List the workspaces that were opened on this machine, the newest first.",
		When:    "To find another project. One whose folder is gone is listed as gone.",
	}),
	verb.DeclareBare(OpenProject, verb.Verb{Name: "project_open", Title: "Open a project",
		Summary: "Go on in another workspace, if this server was started with --projects; else say how to open it.",
		When:    "Every call after it is about that workspace.",
	}),
	verb.DeclareBare(CreateProject, verb.Verb{Name: "project_create", Title: "Create a project", Kind: verb.Write,
		Profile: verb.Maintainer, Idempotent: true,
		Summary: "Make a folder a workspace, or finish one that is half made; nothing is overwritten.",
		When:    "The same as the command init. The same folder again does nothing more.",
	}),
	verb.Declare(ListRepos, verb.Verb{Name: "repo_list", Noun: "repo", Title: "List repositories",
		Summary: "List the repositories that the tasks of this workspace are about: its own, and those that its config names.",
		When:    "To see which name a task gives in repo, and whether that repository is here and may be worked in.",
	}),
	verb.Declare(RegisterRepo, verb.Verb{Name: "repo_register", Noun: "repo", Title: "Add a repository",
		Kind: verb.Write, Profile: verb.Maintainer, Idempotent: true,
		Summary: "Put a repository into the list of the workspace, by its folder or its address, or say anew where the one of that name is.",
		When:    "Before tasks can name it. A person then runs trust for it, if its commands are to run.",
	}),
	verb.Declare(LinkRepo, verb.Verb{Name: "repo_link", Noun: "repo", Title: "Say what a repository is for",
		Kind: verb.Write, Profile: verb.Maintainer, Idempotent: true,
		Summary: "Say what the workspace has a repository for: primary, dependency or docs.",
		When:    "For one of the list, or one of the directory, which is put into the list.",
	}),
)
