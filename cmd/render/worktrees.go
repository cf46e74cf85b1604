package render

import (
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/cairn-tasks/cairn/internal/work/verb/worktrees"
)

// renderWorktrees prints each work tree with its folder and why it stays. Folders are long and reasons several, so each
// has a line of its own.
func renderWorktrees(r *Renderer, l verb.Items[worktrees.Worktree]) {
	if len(l.Items) == 0 {
		r.Printf("no work trees\n")
	}
	for _, one := range l.Items {
		made := ""
		if !one.MadeAt.IsZero() {
			made = ", made " + verb.Ago(one.MadeAt, r.Now()) + " ago"
		}
		r.Printf("%s  %s into %s%s\n", r.Style.Bold(string(one.ID)), one.Branch, one.Base, made)
		r.Printf("  %s\n", one.Path)
		if one.Removable {
			r.Printf("  can be removed: cairn worktree remove %s\n", one.ID)
		}
		for _, s := range one.Stays {
			r.Printf("  stays: %s\n", s.Message)
		}
	}
}

func renderRemovedWorktree(r *Renderer, out worktrees.Removed) {
	if !out.Removed {
		r.Printf("%s  nothing was removed\n", r.Style.Bold(string(out.ID)))
		return
	}
	r.Printf("%s  removed %s\n", r.Style.Bold(string(out.ID)), out.Path)
	if out.Branch != "" {
		r.Printf("  the branch %s stays: its commits are not in the base\n", out.Branch)
	}
}

// renderPair prints a pair, and what can be typed next.
func renderPair(r *Renderer, p pairs.Pair) {
	state := string(p.Status)
	if p.Session == "" {
		state = "no pair"
	}
	r.Printf("%s  %s\n", r.Style.Bold(string(p.Task)), state)
	folder := p.Root
	if p.Removed {
		folder = ""
	}
	r.namedTexts([]namedText{
		{"session", p.Session}, {"actor", string(p.Actor)}, {"folder", folder}, {"branch", p.Branch}, {"into", p.Base}, {"executor", p.Executor}, {"kept", p.Kept},
	})
	if p.Removed {
		r.Printf("  the work tree was removed: all of it is merged\n")
	}
	switch {
	case p.Command != "":
		r.Printf("  start it with\n    %s\n", p.Command)
	case p.Exists:
		r.Printf("  cairn pair %s goes on with it; cairn pair close %s ends it\n", p.Task, p.Task)
	}
}

func renderProjects(r *Renderer, l projects.Projects) {
	t := screen.Table{Head: []string{"PROJECT", "NAME", "PREFIX", "OPENED", "FOLDER"}, Grow: 4}
	for _, one := range l.Items {
		root := one.Root
		if one.Gone {
			root += " (gone)"
		}
		t.Add(one.ID, one.Name, one.Prefix, verb.Ago(one.OpenedAt, r.Now())+" ago", root)
	}
	t.Print(r.Out, r.Width, r.Style)
	if len(l.Items) == 0 {
		r.Printf("no projects\n")
	}
}

func renderOpened(r *Renderer, o projects.Opened) {
	r.Printf("%s  %s\n", r.Style.Bold(o.Project), o.Root)
	for _, file := range o.Made {
		r.Printf("  wrote %s\n", file)
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
