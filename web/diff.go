package web

import (
	"net/http"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
)

// diffPage is the work on a task, to be looked at.
type diffPage struct {
	tasks.Context
	*trees.Review
	None  string // why there is no diff
	Where string // on which branch others work too that this is of; "" for work of its own
	Over  bool   // the task is closed
	Files []diffFile
	Lost  []git.Lines // files that changed and are not among them
}

func (d diffPage) pageTitle() string { return "Work on " + string(d.ID) }

// Works reports whether a job is at work on it.
func (d diffPage) Works() bool { return d.Job != nil && !d.Job.State.Final() }

// IsApproved reports whether the work as it is was approved.
func (d diffPage) IsApproved() bool { return d.Approval != nil && !d.Approval.Stale }

// Open reports whether it can be judged. What may be anyone's cannot.
func (d diffPage) Open() bool {
	return !d.Over && d.Where == "" && (d.Execution == "awaiting_review" || d.Branch != "")
}

// Cut are the files of which the page does not have all.
func (d diffPage) Cut() []diffFile {
	return record.Those(d.Files, func(f diffFile) bool { return f.More > 0 || f.Binary })
}

// Hidden is how many files the page does not show whole.
func (d diffPage) Hidden() int { return len(d.Cut()) + len(d.Lost) }

// Shows is the command that shows all of a file's change.
func (d diffPage) Shows(f diffFile) string {
	switch {
	case f.Loose && d.Worktree != "":
		return "git -C " + d.Worktree + " diff HEAD -- " + f.Name
	case f.Loose:
		return "git diff HEAD -- " + f.Name
	case d.Branch != "" && d.Base != "":
		return "git diff " + d.Base + "..." + d.Branch + " -- " + f.Name
	}
	return "cairn show " + string(d.ID) + " --part diff"
}

func (rd *reader) diff(r *http.Request) (any, error) {
	id, out := r.PathValue("id"), diffPage{}
	got, err := ask[any](r.Context(), rd, "get", args{"id": id, "include": []string{"review"}})
	if err != nil {
		return nil, err
	}
	out.Context, _ = got.(tasks.Context)
	out.Review, _ = out.Context.Review.(*trees.Review)
	if out.Review == nil {
		return nil, record.Errorf(record.NotFound, "%s is no task", id)
	}
	part, err := ask[tasks.Part](r.Context(), rd, "get", args{"id": id, "part": "diff"})
	switch code := record.CodeOf(err); {
	case code == record.NotFound, code == record.InvalidInput: // there is none, or it is too large
		out.None = record.MessageOf(err)
	case err != nil:
		return nil, err
	}
	if strings.HasPrefix(part.Text, trees.WorkedOn) {
		out.Where, _, _ = strings.Cut(part.Text, "\n")
	}
	at, err := rd.w.Open()
	if err != nil {
		return nil, err
	}
	out.Over = at.Config.Flow.IsClosed(out.Status)
	out.Files = filesOf(part.Text)
	out.Lost = lost(out.Files, out.Review.Files)
	if out.Rejected != nil {
		comment(out.Files, out.Rejected.By, out.Rejected.Text)
	}
	if thread := out.Review.Comments; thread != nil {
		for _, one := range thread.Comments {
			comment(out.Files, one.Who, one.Text)
		}
	}
	return out, nil
}

// lost are the files that git counts as changed by the commits, and whose lines are not all in a diff.
func lost(files []diffFile, counted []git.Lines) (out []git.Lines) {
	read := map[string]git.Lines{}
	moved := map[string]bool{} // git counts whole files of these
	for _, f := range files {
		if f.Loose {
			continue
		}
		one := read[f.Name]
		read[f.Name] = git.Lines{Path: f.Name, Added: one.Added + f.Added, Deleted: one.Deleted + f.Deleted}
		if f.Was != "" {
			moved[f.Name], moved[f.Was] = true, true
		}
	}
	for _, c := range counted {
		one, ok := read[c.Path]
		if !moved[c.Path] && (!ok || one.Added != c.Added || one.Deleted != c.Deleted) {
			out = append(out, c)
		}
	}
	return out
}

// comment puts the lines of a text that name a line of a diff, as in main.go:3: why, beside it.
func comment(files []diffFile, by record.Actor, text string) {
	about := map[string]string{}
	for line := range strings.Lines(text) {
		if at, words, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			about[at] = strings.TrimSpace(about[at] + " " + words)
		}
	}
	if len(about) == 0 {
		return
	}
	for _, f := range files {
		for i := range f.Lines {
			if words := about[f.Lines[i].At]; words != "" && f.Lines[i].N > 0 {
				f.Lines[i].Said = append(f.Lines[i].Said, said{by, words})
			}
		}
	}
}
