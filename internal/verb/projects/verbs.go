// Package projects holds the verbs of projects, which are workspaces, and of the repositories that their tasks are
// about.
package projects

import "github.com/cairn-tasks/cairn/internal/verb"

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
