package trees

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/witness"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// Review is what a reviewer of a task is shown, beside the task itself.
type Review struct {
	Worktree     string               `json:"worktree,omitempty"` // where the record lies that was read, if it is another than the caller's; or the work tree of the branch
	Branch       string               `json:"branch,omitempty"`   // "" for a task without a branch of its own
	Base         string               `json:"base,omitempty"`
	Repo         string               `json:"repo,omitempty"` // the other repository that has them; "" for the workspace's own
	Head         string               `json:"head,omitempty"`
	Files        []git.Lines          `json:"files"` // that the branch changes, outside .cairn
	FilesTotal   int                  `json:"files_total,omitempty"`
	Outside      []string             `json:"outside,omitempty"` // those of them that the scope of the task does not name
	Guards       []gates.GuardChanged `json:"guards,omitempty"`  // changed files on which its checks stand
	GuardsTotal  int                  `json:"guards_total,omitempty"`
	Added        int                  `json:"added"`   // lines, in all files
	Deleted      int                  `json:"deleted"` // the same
	Commits      int                  `json:"commits"`
	Uncommitted  bool                 `json:"uncommitted,omitempty"` // the work tree has code that the branch has not
	Diff         string               `json:"diff,omitempty"`        // the resource that has it
	Trust        []Trusted            `json:"trust,omitempty"`       // what the record on the branch changes of what is run, and of whose word counts
	Records      []Changed            `json:"records,omitempty"`     // of others that the branch makes, changes or takes away; and the task itself, if it says something new by no entry
	RecordsTotal int                  `json:"records_total,omitempty"`
	Checks       []CheckState         `json:"checks"`
	Reviewers    []record.Actor       `json:"reviewers,omitempty"` // whose approval the task asks for
	Approval     *Approval            `json:"approval,omitempty"`  // the newest that nobody took back
	Rejected     *verb.Rejection      `json:"rejected,omitempty"`  // the newest, if no approval came after it
	Decisions    *verb.Governing      `json:"decisions,omitempty"` // that govern the files that the branch changes
	Comments     *verb.Thread         `json:"comments,omitempty"`
	Job          *LastOf              `json:"job,omitempty"` // the newest of the task
	Moved        string               `json:"moved,omitempty"`
	Conflicts    []string             `json:"conflicts,omitempty"`      // files that its branch and the base changed, as a merge in memory finds
	Beside       []string             `json:"conflicts_with,omitempty"` // other tasks and branches that its branch does not merge with, as far as is known
	MergedCommit string               `json:"merged_commit,omitempty"`  // that brought the work home: the files are those that were merged
	MergedInto   string               `json:"merged_into,omitempty"`    // the branch that has it
	Refused      string               `json:"refused,omitempty"`        // why an approval by the caller would be refused, as far as it can be told
	Missing      []string             `json:"missing,omitempty"`        // what a merge would be refused for, as far as it can be told without running checks
}

// CheckState is how a check stands at a close with the files of the branch.
type CheckState struct {
	Check int    `json:"check"` // index
	Desc  string `json:"desc"`
	State string `json:"state"` // passed, failed, pending, or stale: it passed on other files
}

// Trusted is a change of what is run, or of whose word counts, as cairn check lists it. It is in the record of the
// workspace, which is not among the files, and no approval is of it.
type Trusted struct {
	Path    string    `json:"path"`
	Task    record.ID `json:"task,omitempty"`
	Message string    `json:"message"`
}

// Changed is what a branch makes of a record.
type Changed struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Says string `json:"says"` // in one line
}

// TrustRules are the rules whose findings are such changes.
var TrustRules = []proof.RuleID{proof.CommandChanged.ID, proof.ConfigLoosened.ID, proof.SignersChanged.ID}

// Approval is an approval of the work.
type Approval struct {
	By     record.Actor `json:"by"`
	At     time.Time    `json:"at"`
	Commit string       `json:"commit,omitempty"`
	Text   string       `json:"text,omitempty"`
	Stale  bool         `json:"stale"` // it was given for other files than those of the branch now
}

// LastOf is the newest job of a task.
type LastOf struct {
	Job       string     `json:"job"`
	State     job.State  `json:"state"`
	Reason    job.Reason `json:"reason,omitempty"`
	Summary   string     `json:"summary,omitempty"`
	Artifacts []string   `json:"artifacts,omitempty"` // resources
	PR        *job.PR    `json:"pr,omitempty"`
	job.Usage
}

// Limits of what is shown in a context that is small.
const (
	filesShown    = 50
	commentsShown = 20
	recordRoom    = 400 // bytes, of one
)

// DiffURI is the resource with the diff of the branch of a task.
func DiffURI(id record.ID) string { return "cairn://task/" + string(id) + "/diff" }

// Review returns what there is to review of the task. It starts no program but git, and in a clone that is not trusted
// says nothing of what is not committed.
func (p Place) Review(ctx context.Context) (*Review, error) {
	t := p.Task
	out := &Review{Files: []git.Lines{}, Checks: []CheckState{}}
	if p.S.Root != p.Home.Root {
		out.Worktree = p.S.Worktree
	}
	tree, err := p.branch(ctx, out)
	if err != nil {
		return nil, err
	}
	standing := p.S.Config.Flow.Standings(t, task.Proof{Tree: tree})
	for i, c := range t.Checks {
		state := "pending"
		switch got := standing(i); {
		case got == record.Pass:
			state = "passed"
		case got == record.Fail:
			state = "failed"
		case c.Result == record.Pass:
			state = "stale"
		}
		out.Checks = append(out.Checks, CheckState{i, c.Desc, state})
		if who := c.Reviewer(); who != "" {
			out.Reviewers = append(out.Reviewers, who)
		}
	}
	if e, ok := t.Approval(); ok {
		out.Approval = &Approval{By: e.Who, At: e.At, Commit: e.Commit, Text: e.Text, Stale: e.Tree != "" && e.Tree != tree}
	}
	for _, e := range slices.Backward(t.Provenance) {
		if out.Approval == nil && out.Rejected == nil && e.Rejection() {
			out.Rejected = &verb.Rejection{By: e.Who, At: e.At, Text: e.Text}
		}
	}
	if out.Guards, err = p.guards(ctx); err != nil {
		return nil, err
	}
	out.Outside = task.OutsideOf(t.Scope, record.Each(out.Files, func(f git.Lines) string { return f.Path }))
	about := t
	for _, f := range out.Files[:min(len(out.Files), 200)] {
		about.Scope = append(slices.Clip(about.Scope), f.Path)
	}
	out.Decisions = p.W.Governing(ctx, p.S, about)
	if all := verb.Comments(t.Provenance); len(all) > 0 {
		out.Comments = &verb.Thread{Comments: all, Total: len(all)}
	}
	if one, ok := work.Jobs(p.Home).LastOf(t.ID); ok {
		s := one.Status
		out.Job = &LastOf{Job: one.Spec.Job, State: s.State, Reason: s.Reason, Summary: verb.Head(s.Summary, 1000), PR: s.PR, Usage: s.Usage}
		for _, a := range job.Artifacts {
			if len(work.Jobs(p.Home).Left(one.Spec.Job, a)) > 0 {
				out.Job.Artifacts = append(out.Job.Artifacts, job.ArtifactURI(one.Spec.Job, a.Name))
			}
		}
	}
	if err := p.missing(ctx, out); err != nil {
		return nil, err
	}
	if p.S.Config.Flow.IsClosed(t.Status) {
		err = p.tellMerged(ctx, out)
	} else {
		out.Refused = p.refused(out)
	}
	if err != nil {
		return nil, err
	}
	if !p.W.Bounded {
		return out, nil
	}
	if len(out.Files) > filesShown {
		out.Files, out.FilesTotal = out.Files[:filesShown], len(out.Files)
	}
	if len(out.Guards) > filesShown {
		out.Guards, out.GuardsTotal = out.Guards[:filesShown], len(out.Guards)
	}
	if len(out.Records) > filesShown {
		out.Records, out.RecordsTotal = out.Records[:filesShown], len(out.Records)
	}
	if c := out.Comments; c != nil && len(c.Comments) > commentsShown {
		c.Comments, c.Truncated = c.Comments[len(c.Comments)-commentsShown:], true
	}
	return out, nil
}

// missing fills in what stands in the way of a merge. Commands that have not run on these files are run by the merge.
func (p Place) missing(ctx context.Context, out *Review) (err error) {
	add := func(is bool, format string, args ...any) {
		if is {
			out.Missing = append(out.Missing, fmt.Sprintf(format, args...))
		}
	}
	if !p.Made || p.S.Config.Flow.IsClosed(p.Task.Status) {
		return nil
	}
	if one, busy := work.Jobs(p.Home).LiveOf(p.Task.ID); busy {
		add(true, "%s works on it", one.Spec.Job)
	}
	add(out.Moved != "", "%s", out.Moved)
	add(out.Uncommitted, "%s, in %s", notCommitted, p.Tree.Path)
	if e, sent := p.Task.SentBack(); sent {
		add(true, "%s sent it back, and it was not handed over again: %s", e.Who, record.Clip(e.Text, 300))
	}
	if err := p.Unfinished(p.Caller.Actor()); err != nil {
		add(true, "it %s", record.MessageOf(err))
	}
	for i, c := range p.Task.Checks {
		switch state := out.Checks[i].State; {
		case state == "passed" || !c.Manual() && state != "failed":
		case c.Reviewer() != "":
			add(true, "%s has to approve it", c.Reviewer())
		case state == "failed":
			add(true, "check %d failed: %s", i, c.Desc)
		case state == "stale":
			add(true, "check %d passed on other files: %s", i, c.Desc)
		default:
			add(true, "check %d is to be attested: %s", i, c.Desc)
		}
	}
	for _, err := range []error{p.Lost(""), p.Foreign(ctx), p.Strays(ctx)} {
		if err != nil {
			add(true, "%s", record.MessageOf(err))
		}
	}
	out.Beside = p.beside(ctx)
	if out.Conflicts, err = p.Trees.TryMerge(ctx, p.Tree, ""); len(out.Conflicts) > 0 {
		add(true, "its branch and %s do not go together in %s", p.Tree.Base, strings.Join(out.Conflicts, ", "))
	}
	return err
}

// beside names the tasks and branches that the branch of the task is known not to merge with, beside its base.
func (p Place) beside(ctx context.Context) (out []string) {
	g, err := p.Caller.Graph(ctx, p.Home)
	if err != nil {
		return nil
	}
	for _, c := range ConflictsBeside(ctx, p.Caller, p.Home, g, true) {
		if with := c.With(p.Task.ID); with != "" && with != p.Tree.Base {
			out = append(out, with)
		}
	}
	return out
}

// branch fills in what the branch of the task changes, and returns the fingerprint of its files, or of those that
// its commands run in if the task has no branch; "" if that is not known.
func (p Place) branch(ctx context.Context, out *Review) (tree string, err error) {
	if !p.Made {
		return gates.Fingerprint(gates.TreeOf(ctx, p.S, p.Task)), nil
	}
	if p.Moved != nil {
		out.Moved = record.MessageOf(p.Moved)
	}
	if out.Worktree == "" && p.Tree.Root != p.Home.Root {
		out.Worktree = p.Tree.Path
	}
	stat, err := p.Trees.Stat(ctx, p.Tree)
	if err != nil {
		return "", err
	}
	out.Repo = p.Tree.Repo
	out.Branch, out.Base, out.Head = p.Tree.Branch, p.Tree.Base, stat.Tip
	out.Files, out.Added, out.Deleted, out.Commits, out.Diff = stat.Files, stat.Added, stat.Deleted, stat.Commits, DiffURI(p.Task.ID)
	if len(stat.Records) > 0 {
		if out.Trust, err = p.trust(ctx, stat); err == nil {
			out.Records, err = p.records(ctx, stat)
		}
		if err != nil {
			return "", err
		}
	}
	if tree, err = p.Repo().Objects().Fingerprint(ctx, stat.Tip); err != nil || p.Moved != nil {
		return tree, err
	}
	if there, err := p.InTree(); err == nil {
		now := gates.Fingerprint(gates.TreeOf(ctx, there, p.Task))
		out.Uncommitted = now != "" && now != tree
	}
	return tree, nil
}

// trust lists what the record on the branch changes of what is run, and of whose word counts; nothing where the record
// cannot be compared, which a merge says.
func (p Place) trust(ctx context.Context, stat worktree.Stat) ([]Trusted, error) {
	checked, err := snapshot.Check(ctx, p.Home.Layout, snapshot.CheckOptions{Base: stat.From, Commit: stat.Tip})
	var out []Trusted
	for _, f := range checked.Findings {
		if slices.Contains(TrustRules, f.Rule) {
			out = append(out, Trusted{f.Path, f.Task, f.Message})
		}
	}
	if code := record.CodeOf(err); code == record.NoBase || code == record.InvalidInput {
		err = nil
	}
	return out, err
}

// records lists what the branch makes of records that are not the task's or of its sessions, and what it says in the
// task by no entry: by hand, or by a program.
func (p Place) records(ctx context.Context, stat worktree.Stat) (out []Changed, err error) {
	changes, err := witness.Changes(ctx, p.Home, stat.From, stat.Tip, stat.Records)
	for _, c := range changes {
		says := c.String()
		if c.Of(p.Task.ID) {
			says = strings.Join(record.Each(c.ByHand(), func(f verb.FieldChange) string { return f.String() + " (by no entry)" }), "; ")
		}
		if says != "" {
			out = append(out, Changed{c.Kind.Name, c.ID, record.Clip(says, recordRoom)})
		}
	}
	return out, err
}

// OwesGuards reports whether nothing accounts for the change of a file on which the checks of the task stand.
func (r Review) OwesGuards() bool {
	return slices.ContainsFunc(r.Guards, func(c gates.GuardChanged) bool { return c.Owed })
}

// guards are the changed files on which the checks of the task stand, each once. Where the record does not lie in the
// work tree of its branch there are none.
func (p Place) guards(ctx context.Context) (out []gates.GuardChanged, err error) {
	if !p.Made || p.S.Root == p.Home.Root {
		return nil, nil
	}
	_, checks, err := gates.StandsOn(ctx, p.W, p.S, p.Task)
	for _, one := range checks {
		for _, c := range one.Changed {
			if !slices.ContainsFunc(out, func(known gates.GuardChanged) bool { return known.Path == c.Path }) {
				out = append(out, c)
			}
		}
	}
	return out, err
}

// guardsFirst puts the files on which checks stand before the others of a patch.
func guardsFirst(patch string, guards []gates.GuardChanged) string {
	const begins = "diff --git "
	files := strings.SplitAfter(patch, "\n"+begins)
	for i := range files[:max(0, len(files)-1)] {
		files[i], files[i+1] = strings.TrimSuffix(files[i], begins), begins+files[i+1]
	}
	guarded := func(file string) bool {
		head, _, _ := strings.Cut(file, "\n")
		return slices.ContainsFunc(guards, func(c gates.GuardChanged) bool {
			return strings.HasSuffix(head, "b/"+c.Path) || strings.Contains(head, " a/"+c.Path+" ")
		})
	}
	slices.SortStableFunc(files, func(a, b string) int {
		switch x, y := guarded(a), guarded(b); {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	})
	return strings.Join(files, "")
}
