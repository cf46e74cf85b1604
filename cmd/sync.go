package cmd

import (
	"context"

	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// syncResult is what a sync has done.
type syncResult struct {
	Branch      string     `json:"branch"`
	Upstream    string     `json:"upstream,omitempty"` // such as origin/main; absent if nobody else has the branch
	Remote      string     `json:"remote,omitempty"`
	Commit      string     `json:"commit"`
	Committed   filesMoved `json:"committed"`
	Sent        filesMoved `json:"sent"`
	Got         filesMoved `json:"got"`
	TakenOut    []string   `json:"taken_out,omitempty"`    // records that lack entries which a commit has
	MergeDriver []string   `json:"merge_driver,omitempty"` // what installing it changed
}

// filesMoved are files that were committed, sent or got.
type filesMoved struct {
	Tasks   []string `json:"tasks"`   // ids
	Records []string `json:"records"` // ids of records of other kinds
	Files   int      `json:"files"`   // how many files there are of anything else
}

// Total is the number of all of them.
func (f filesMoved) Total() int { return len(f.Tasks) + len(f.Records) + f.Files }

func moved(f worktree.Files) filesMoved {
	out := filesMoved{Tasks: []string{}, Records: []string{}, Files: f.Others}
	for _, of := range f.Records {
		if of.Kind == record.TaskKind {
			out.Tasks = append(out.Tasks, of.ID)
		} else {
			out.Records = append(out.Records, of.ID)
		}
	}
	return out
}

type syncIn struct {
	Publish bool `json:"publish,omitempty" doc:"push the branch too if the git remote does not have it yet"`
}

func syncCommands() []command {
	return []command{declare(command{
		name:  "sync",
		usage: "Share the record by git: commit what changed under .cairn, merge what others have pushed, and push.",
		group: "workspace",
		about: "It works on the branch that is checked out and the one at the git remote that it follows. It commits nothing beside .cairn, and\n" +
			"what else is staged stays so. What comes is merged key by key, with the commits of code, as git pull does; what goes is the branch, as\n" +
			"git push does. If something conflicts, or uncommitted changes are in the way, the files stay as they were, and it says what to do.\n" +
			"It sets the merge driver up if that is missing. Hooks run for the push and for nothing else.",
	}, runSync)}
}

func runSync(ctx context.Context, c *call, in syncIn) error {
	w, s, err := c.open(ctx)
	if err != nil {
		return err
	}
	if s.Repo == nil {
		return record.Errorf(record.InvalidInput, "%s is not in a git repository, by which it would be shared", s.Root).
			WithHint("git init makes it one")
	}
	_, person := terminal.Is(c.Stdin)
	if agent, _ := shellAgent(c.Getenv); agent != "" || c.json {
		person = false
	}
	done, driver, err := work.Sync{Publish: in.Publish, Ask: person, Now: c.Now}.Run(ctx, s)
	if err != nil {
		return err
	}
	out := syncResult{
		Branch: done.Branch, Upstream: done.Upstream, Remote: done.Remote, Commit: done.Commit,
		Committed: moved(done.Committed), Sent: moved(done.Sent), Got: moved(done.Got), MergeDriver: driver,
	}
	if out.Committed.Total()+out.Sent.Total()+out.Got.Total() > 0 {
		back, _ := store.Fixes(ctx, s.Layout, nil, record.Stamp{Who: w.Actor(), At: c.Now()}) // the sync is done all the same
		for _, f := range back {
			_, id, _ := kind.At(f.Path)
			out.TakenOut = append(out.TakenOut, id)
		}
	}
	c.show(out)
	return nil
}
