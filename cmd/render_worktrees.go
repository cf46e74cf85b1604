package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/cairn-tasks/cairn/internal/work/verb/worktrees"
)

// renderWorktrees prints each work tree with its folder and why it stays. Folders are long and reasons several, so each has a line of its own.
func renderWorktrees(r *renderer, l verb.Items[worktrees.Worktree]) {
	if len(l.Items) == 0 {
		r.printf("no work trees\n")
	}
	for _, one := range l.Items {
		made := ""
		if !one.MadeAt.IsZero() {
			made = ", made " + r.age(one.MadeAt) + " ago"
		}
		r.printf("%s  %s into %s%s\n", r.style.bold(string(one.ID)), one.Branch, one.Base, made)
		r.printf("  %s\n", one.Path)
		if one.Removable {
			r.printf("  can be removed: cairn worktree remove %s\n", one.ID)
		}
		for _, s := range one.Stays {
			r.printf("  stays: %s\n", s.Message)
		}
	}
}

func renderRemovedWorktree(r *renderer, out worktrees.Removed) {
	if !out.Removed {
		r.printf("%s  nothing was removed\n", r.style.bold(string(out.ID)))
		return
	}
	r.printf("%s  removed %s\n", r.style.bold(string(out.ID)), out.Path)
	if out.Branch != "" {
		r.printf("  the branch %s stays: its commits are not in the base\n", out.Branch)
	}
}

// renderPair prints a pair, and what can be typed next.
func renderPair(r *renderer, p pairs.Pair) {
	state := string(p.Status)
	if p.Session == "" {
		state = "no pair"
	}
	r.printf("%s  %s\n", r.style.bold(string(p.Task)), state)
	folder := p.Root
	if p.Removed {
		folder = ""
	}
	r.namedTexts([]namedText{
		{"session", p.Session}, {"actor", string(p.Actor)}, {"folder", folder}, {"branch", p.Branch}, {"into", p.Base}, {"executor", p.Executor}, {"kept", p.Kept},
	})
	if p.Removed {
		r.printf("  the work tree was removed: all of it is merged\n")
	}
	switch {
	case p.Command != "":
		r.printf("  start it with\n    %s\n", p.Command)
	case p.Exists:
		r.printf("  cairn pair %s goes on with it; cairn pair close %s ends it\n", p.Task, p.Task)
	}
}

func renderProjects(r *renderer, l projects.Projects) {
	t := table{head: []string{"PROJECT", "NAME", "PREFIX", "OPENED", "FOLDER"}, grow: 4}
	for _, one := range l.Items {
		root := one.Root
		if one.Gone {
			root += " (gone)"
		}
		t.add(one.ID, one.Name, one.Prefix, r.age(one.OpenedAt)+" ago", root)
	}
	t.print(r.out, r.width(), r.style)
	if len(l.Items) == 0 {
		r.printf("no projects\n")
	}
}

func renderOpened(r *renderer, o projects.Opened) {
	r.printf("%s  %s\n", r.style.bold(o.Project), o.Root)
	for _, file := range o.Made {
		r.printf("  wrote %s\n", file)
	}
	trusted := "no; a person runs cairn trust there"
	if o.Trusted {
		trusted = "yes"
	}
	open := "no"
	if o.Open {
		open = "yes"
	}
	how := o.How
	if how == "project_open" { // a tool; on the command line it is a flag
		how = "cairn -C " + o.Root
	}
	r.namedTexts([]namedText{{"prefix", o.Prefix}, {"trusted", trusted}, {"open", open}, {"to open it", how}})
}

func renderRepos(r *renderer, l projects.Repos) {
	t := table{head: []string{"REPOSITORY", "ROLE", "BASE", "STATE", "COMMANDS", "WHERE"}, grow: 5}
	for _, one := range l.Items {
		t.add(one.Name, one.Role, one.Base, strings.ReplaceAll(one.State, "_", " "), commandsOf(one), whereOf(one))
	}
	t.print(r.out, r.width(), r.style)
}

// commandsOf says whether the commands of tasks may run in a repository.
func commandsOf(one projects.Repo) string {
	switch {
	case one.Trusted:
		return "trusted"
	case one.State == "here":
		return "not trusted"
	default:
		return ""
	}
}

// whereOf is the folder of a repository, or its address where there is no folder.
func whereOf(one projects.Repo) string {
	where := one.Folder
	if where == "" {
		where = one.URL
	}
	if one.Own {
		where += " (of the workspace)"
	}
	return where
}

// lasted is how long something took or has been going on.
func lasted(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return (time.Duration(ms) * time.Millisecond).Round(time.Second / 10).String()
}

// counted is a number of things, as in "1 file" and "2 files".
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
