package review_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

func TestMain(m *testing.M) {
	storetest.Main(m, map[string]storetest.Part{"land": playLanding})
}

// args is the input of a verb.
type args = verbtest.Args

// home is a person in the main checkout of a repository, which is trusted, on the branch main.
type home struct {
	*testing.T
	*verb.Workspace
}

func newHome(t *testing.T) home {
	t.Helper()
	repo := storetest.RealPath(t, storetest.NewRepo(t))
	if _, _, err := store.Init(repo, "PROJ"); err != nil {
		t.Fatal(err)
	}
	w := &verb.Workspace{
		Dir: repo, StateDir: filepath.Join(storetest.RealPath(t, t.TempDir()), "state"), ConfigDir: t.TempDir(), Actor: verb.As("human:lee"),
		Rights: verb.Rights{Profile: verb.Maintainer}, Now: time.Now, Rand: rand.Reader, Confirm: func(context.Context, []task.Ask) error { return nil },
	}
	h := home{t, w}
	if err := h.store().SetTrust("human:lee", time.Now()); err != nil {
		t.Fatal(err)
	}
	h.write(repo, ".cairn/config.yaml", "worktrees: ../trees-of-"+filepath.Base(filepath.Dir(repo))+"\n")
	h.git(repo, "add", "--all")
	h.git(repo, "commit", "-qm", "cairn")
	return h
}

func (h home) store() *store.Store {
	h.Helper()
	s, err := h.Open()
	if err != nil {
		h.Fatal(err)
	}
	return s
}

// as is another actor in the same folder.
func (h home) as(who record.Actor) home {
	w := *h.Workspace
	w.Actor = verb.As(who)
	return home{h.T, &w}
}

// in is the same actor in another folder.
func (h home) in(dir string) home {
	w := *h.Workspace
	w.Dir = dir
	return home{h.T, &w}
}

func (h home) git(dir string, words ...string) string {
	h.Helper()
	return strings.TrimSpace(storetest.GitOutput(h.T, dir, words...))
}

// write appends to a file.
func (h home) write(dir, name, text string) {
	h.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
		err = cmpErr(err, f.Close())
	}
	if err != nil {
		h.Fatal(err)
	}
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// create makes a task and commits it.
func (h home) create(in args) record.ID {
	h.Helper()
	t, err := verbtest.Call[verb.Task](h.T, h.Workspace, "create", in)
	if err != nil {
		h.Fatal(err)
	}
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "task "+string(t.ID))
	return t.ID
}

// trees are the work trees of the repository.
func (h home) trees() *worktree.Worktrees {
	h.Helper()
	all, err := work.Trees(h.store(), h.Now)
	if err != nil {
		h.Fatal(err)
	}
	return all
}

// work makes the work tree of a task, and does in it what a job does: begins a session as an agent, changes files,
// commits them, runs the checks and hands over.
func (h home) work(id record.ID, files map[string]string) worktree.Tree {
	h.Helper()
	return h.workBy(id, func(dir string) {
		for name, text := range files {
			h.write(dir, name, text)
		}
	})
}

// workBy is work with a function that changes the files.
func (h home) workBy(id record.ID, change func(dir string)) worktree.Tree {
	h.Helper()
	tree, err := h.trees().Make(h.Context(), id, "", "")
	if err != nil {
		h.Fatal(err)
	}
	agent := h.as("agent:fake-1").in(tree.Root)
	ses, err := verbtest.Call[verb.Session](h.T, agent.Workspace, "begin", args{"id": id, "expected_actor": "agent:fake-1", "idempotency_key": "begin " + string(id)})
	if err != nil {
		h.Fatal(err)
	}
	change(tree.Path)
	if _, err := h.trees().Commit(h.Context(), tree, "work on "+string(id)); err != nil {
		h.Fatal(err)
	}
	if _, err := verbtest.Call[verb.Task](h.T, agent.Workspace, "run_checks", args{"id": id}); err != nil {
		h.Fatal(err)
	}
	if _, err := verbtest.Call[any](h.T, agent.Workspace, "finish", args{"session": ses.ID, "summary": "did it"}); err != nil {
		h.Fatal(err)
	}
	return tree
}

// apply calls review_apply.
func (h home) apply(id record.ID, action string, more args) (review.ApplyOut, error) {
	h.Helper()
	in := args{"id": id, "action": action}
	for key, value := range more {
		in[key] = value
	}
	return verbtest.Call[review.ApplyOut](h.T, h.Workspace, "review_apply", in)
}

// here is a task as the file in the folder has it.
func (h home) here(id record.ID) task.Task {
	h.Helper()
	t, err := kind.Tasks.Get(h.store(), id)
	if err != nil {
		h.Fatal(err)
	}
	return t
}

// review is what get shows of the review.
func (h home) review(id record.ID) (tasks.Context, *trees.Review) {
	h.Helper()
	out, err := verbtest.Call[tasks.Context](h.T, h.Workspace, "get", args{"id": id, "include": []string{"review"}})
	if err != nil {
		h.Fatal(err)
	}
	review, _ := out.Review.(*trees.Review)
	return out, review
}

func (h home) wantCode(err error, want record.Code) {
	h.Helper()
	if record.CodeOf(err) != want {
		h.Fatalf("got %v, want %q", err, want)
	}
}

// proves has cairn check judge what the base has now against what it had. It may find what some rules say of an honest
// merge.
func (h home) proves(base string, may ...proof.RuleID) {
	h.Helper()
	got, err := snapshot.Check(h.Context(), h.store().Layout, snapshot.CheckOptions{Base: base, Trusted: true})
	if err != nil {
		h.Fatal(err)
	}
	for _, f := range got.Findings {
		if f.Severity == proof.Notice && slices.Contains(may, f.Rule) {
			continue
		}
		h.Errorf("cairn check --base %s: %s %s: %s", base[:8], f.Severity, f.Rule, f.Message)
	}
}

// check is one that passes where a file has a word in it.
func check(file, word string) args { return args{"desc": word, "cmd": "grep -q " + word + " " + file} }

// Whatever the strategy, the merge closes the task on the base, lets its claim go, and passes cairn check against the
// base as it was, also where the base has moved since the work began.
func TestMergeClosesTheTask(t *testing.T) { mergeClosesTheTask(t, "merge", false) }

func TestSlowMergeClosesTheTask(t *testing.T) {
	slowtest.Skip(t)
	for _, strategy := range []string{"merge", "squash", "rebase"} {
		t.Run(strategy, func(t *testing.T) { mergeClosesTheTask(t, strategy, true) })
		if strategy != "merge" {
			t.Run(strategy+" on the base as it was", func(t *testing.T) { mergeClosesTheTask(t, strategy, false) })
		}
	}
}

func mergeClosesTheTask(t *testing.T, strategy string, moved bool) {
	t.Helper()
	h := newHome(t)
	id := h.create(args{"title": "Add a roof", "checks": []args{check("roof", "tiles")}, "reviewer": "human:lee"})
	h.work(id, map[string]string{"roof": "tiles\n"})
	if moved {
		h.write(h.Dir, "door", "wood\n")
		h.git(h.Dir, "add", "--all")
		h.git(h.Dir, "commit", "-qm", "a door")
	}
	before := h.git(h.Dir, "rev-parse", "HEAD")
	if _, err := h.apply(id, "approve", args{"text": "looked at it"}); err != nil {
		t.Fatal(err)
	}
	out, err := h.apply(id, "merge", args{"strategy": strategy})
	if err != nil {
		t.Fatal(err)
	}
	if now := h.git(h.Dir, "rev-parse", "HEAD"); out.MergedCommit != now || now == before || out.MergedInto != "main" {
		t.Errorf("merged %+v into %s, and main is at %s", out.MergedCommit, out.MergedInto, now)
	}
	if got := h.here(id); got.Status != "done" || got.Provenance.Last().Said().Merged == "" {
		t.Errorf("the main checkout has it %s, last %+v", got.Status, got.Provenance.Last())
	}
	if out.Run == nil {
		t.Error("no checks ran at the merge")
	}
	if out.Claim != nil || h.store().State(id.Ref()).Lease != nil {
		t.Errorf("it is claimed still: %+v", h.store().State(id.Ref()))
	}
	if status := h.git(h.Dir, "status", "--porcelain"); status != "" {
		t.Errorf("the checkout is not clean:\n%s", status)
	}
	if moved && strategy != "merge" {
		h.proves(before, proof.EvidenceTreeUnknown.ID) // the commit that was approved is not in the base
	} else {
		h.proves(before)
	}
}

// A check that fails on what is merged refuses the merge with its output, and leaves base, branch, record and claims as
// they were.
func TestRefusedMergeChangesNothing(t *testing.T) {
	h := newHome(t)
	id := h.create(args{"title": "Add a roof", "checks": []args{
		check("roof", "tiles"), {"desc": "no door beside a roof", "cmd": "if test -e door; then echo a door; exit 1; fi"},
	}})
	tree := h.work(id, map[string]string{"roof": "tiles\n"})
	h.write(h.Dir, "door", "wood\n")
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "a door")
	all := func() string {
		state := h.store().State(id.Ref())
		text, err := os.ReadFile(filepath.Join(tree.Root, ".cairn", "tasks", string(id)+".md"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join([]string{
			h.git(h.Dir, "rev-parse", "HEAD"), h.git(h.Dir, "status", "--porcelain"), h.git(tree.Path, "status", "--porcelain"),
			string(h.here(id).Status), string(text), state.Entry, string(state.Lease.Actor), h.git(h.Dir, "worktree", "list"),
		}, "\n")
	}
	_, err := h.apply(id, "rebase", nil) // so that the record is committed, and the merge has nothing to commit
	h.wantCode(err, "")
	before := all()
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, record.ChecksFailed)
	var e *record.Error
	if !errors.As(err, &e) || !strings.Contains(e.Msg, "no door beside a roof") {
		t.Errorf("the refusal is %v", err)
	}
	report, ok := e.Details["run"].(*verb.RunReport)
	if !ok || len(report.Checks) != 2 || report.Checks[1].Output != "a door\n" && report.Checks[1].Output != "a door" {
		t.Errorf("the report is %+v", e.Details["run"])
	}
	if log, err := os.ReadFile(filepath.Join(h.Dir, filepath.FromSlash(report.Log))); err != nil || !strings.Contains(string(log), "a door") {
		t.Errorf("the log %q has %q, %v", report.Log, log, err)
	}
	if after := all(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if left, err := filepath.Glob(filepath.Join(string(h.store().Live), "checks-*.lock")); err != nil || len(left) > 1 {
		t.Errorf("locks are left: %v, %v", left, err)
	}
}

// An approval counts for the commit that it was given for. To write it, or to write anything into records, does not
// make it stale; a commit of code does, and then the merge is refused until somebody approves again.
func TestSlowApprovalOfABranch(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id := h.create(args{"title": "Add a roof", "reviewer": "human:ann"})
	tree := h.work(id, map[string]string{"roof": "tiles\n"})
	ann := h.as("human:ann")
	_, err := h.apply(id, "approve", nil)
	h.wantCode(err, record.Forbidden)
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, record.ChecksPending)
	out, err := ann.apply(id, "approve", args{"text": "looked at it"})
	h.wantCode(err, "")
	if out.Status != "in_review" || out.Worktree != tree.Path {
		t.Errorf("approving left it %s in %s", out.Status, out.Worktree)
	}
	if _, err := verbtest.Call[any](t, h.in(tree.Root).Workspace, "note", args{"id": id, "text": "a note"}); err != nil {
		t.Fatal(err)
	}
	if _, got := h.review(id); got.Approval == nil || got.Approval.Stale || got.Approval.By != "human:ann" {
		t.Errorf("the approval is %+v", got.Approval)
	}
	h.write(tree.Path, "roof", "slates\n")
	_, err = ann.apply(id, "approve", nil)
	h.wantCode(err, record.Conflict) // what is not committed is not approved
	h.git(tree.Path, "commit", "-qam", "slates")
	if _, got := h.review(id); got.Approval == nil || !got.Approval.Stale || got.Checks[0].State != "stale" {
		t.Errorf("after another commit it is %+v, %+v", got.Approval, got.Checks)
	}
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, record.ChecksPending)
	if !strings.Contains(err.Error(), "approved for another state of the files") {
		t.Errorf("the refusal is %v", err)
	}
	_, err = ann.apply(id, "approve", nil)
	h.wantCode(err, "")
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, "")
}

// What a review shows, from the main checkout, of a task whose record lies in its work tree.
func TestShowReview(t *testing.T) {
	h := newHome(t)
	id := h.create(args{"title": "Add a roof", "checks": []args{check("roof", "tiles"), check("roof", "chimney")}, "reviewer": "human:ann"})
	tree := h.work(id, map[string]string{"roof": "tiles\nmore\n", "docs/roof.md": "on roofs\n"})
	if _, err := verbtest.Call[any](t, h.in(tree.Root).Workspace, "note", args{"id": id, "text": "have a look at the chimney"}); err != nil {
		t.Fatal(err)
	}
	row, err := verbtest.Call[verb.Task](t, h.Workspace, "get", args{"id": id})
	if err != nil || row.Elsewhere == nil || row.Elsewhere.Worktree != tree.Path || row.Elsewhere.Branch != tree.Branch || row.Elsewhere.Status != "in_review" {
		t.Errorf("the main checkout says it is %+v, %v", row.Elsewhere, err)
	}
	shown, got := h.review(id)
	if shown.Status != "in_review" || got.Worktree != tree.Path || got.Branch != tree.Branch || got.Base != "main" {
		t.Errorf("the review is of %s, %+v", shown.Status, got)
	}
	if len(got.Files) != 2 || got.Added != 3 || got.Deleted != 0 || got.Commits < 1 {
		t.Errorf("it changes %+v", got)
	}
	if got.Checks[0].State != "passed" || got.Checks[1].State != "failed" || got.Checks[2].State != "pending" || got.Reviewers[0] != "human:ann" {
		t.Errorf("the checks are %+v", got.Checks)
	}
	if got.Comments == nil || got.Comments.Total != 1 || got.Approval != nil || got.Job != nil {
		t.Errorf("the rest is %+v", got)
	}
	part, err := verbtest.Call[tasks.Part](t, h.Workspace, "get", args{"id": id, "part": "diff"})
	if err != nil || !strings.Contains(part.Text, "+on roofs") || strings.Contains(part.Text, ".cairn/") {
		t.Errorf("the diff is %q, %v", part.Text, err)
	}
	_, err = verbtest.Call[tasks.Part](t, h.Workspace, "get", args{"id": h.create(args{"title": "Nothing"}), "part": "diff"})
	h.wantCode(err, record.NotFound)
}

// A rejection, given in the main checkout, is written where the record lies, and reaches whoever begins the task again.
func TestSlowRejectFromTheMainCheckout(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id := h.create(args{"title": "Add a roof"})
	tree := h.work(id, map[string]string{"roof": "tiles\n"})
	_, err := h.apply(id, "reject", nil)
	h.wantCode(err, record.InvalidInput)
	out, err := h.apply(id, "reject", args{"text": "where is the chimney?"})
	h.wantCode(err, "")
	if out.Status != "in_progress" || out.Worktree != tree.Path || h.in(tree.Root).here(id).Status != "in_progress" {
		t.Errorf("it is %s, in %q", out.Status, out.Worktree)
	}
	if _, err := h.apply(id, "merge", nil); record.CodeOf(err) != record.Conflict || !strings.Contains(err.Error(), "human:lee") || h.in(tree.Root).here(id).Status != "in_progress" {
		t.Errorf("what was sent back is merged: %v", err)
	}
	agent := h.as("agent:fake-1").in(tree.Root)
	ses, err := verbtest.Call[verb.Session](t, agent.Workspace, "begin", args{"id": id, "expected_actor": "agent:fake-1", "idempotency_key": "again"})
	if err != nil || ses.Last == nil || ses.Last.Rejected == nil || ses.Last.Rejected.Text != "where is the chimney?" {
		t.Errorf("who begins again is told %+v, %v", ses.Last, err)
	}
	_, err = verbtest.Call[verb.Session](t, agent.Workspace, "finish", args{"session": ses.ID, "summary": "it has one"})
	h.wantCode(err, "")
	out, err = h.apply(id, "merge", nil)
	h.wantCode(err, "")
	if out.Status != "done" {
		t.Errorf("handed over again and merged it is %s", out.Status)
	}
}

// What is in the way of a merge or a rebase is refused with a code of its own, and nothing has changed.
func TestSlowWhatIsInTheWay(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	h.write(h.Dir, "roof", "old\n")
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "an old roof")
	id := h.create(args{"title": "Add a roof"})
	tree := h.work(id, map[string]string{"roof": "tiles\n"})

	h.write(h.Dir, "roof", "changed here\n")
	_, err := h.apply(id, "merge", nil)
	h.wantCode(err, record.BaseDirty)
	h.git(h.Dir, "commit", "-qam", "changed here")
	before := h.git(h.Dir, "rev-parse", "main", tree.Branch)
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, record.MergeConflict)
	if !strings.Contains(err.Error(), "roof") || nextCall(err) != "rebase" {
		t.Errorf("the refusal is %v, next %q", err, nextCall(err))
	}
	_, err = h.apply(id, "rebase", nil)
	h.wantCode(err, record.RebaseConflict)
	if after := h.git(h.Dir, "rev-parse", "main", tree.Branch); after != before {
		t.Errorf("before %s, after %s", before, after)
	}

	h.write(tree.Path, "roof", "unfinished\n")
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, record.Conflict)
	_, err = h.apply(h.create(args{"title": "Nothing to merge"}), "merge", nil)
	h.wantCode(err, record.Conflict)
}

// nextCall is the action that the next call of a refusal is about.
func nextCall(err error) string {
	var e *record.Error
	if !errors.As(err, &e) || len(e.NextCalls()) == 0 {
		return ""
	}
	for _, a := range e.NextCalls()[0].Args {
		if a.Name == "action" {
			return fmt.Sprint(a.Value)
		}
	}
	return ""
}

// A dependency that was opened again since the work began refuses the merge.
func TestSlowMergeAsksTheDependencies(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	wall := h.create(args{"title": "Build a wall"})
	for _, to := range []string{"in_progress", "done"} {
		if _, err := verbtest.Call[any](t, h.Workspace, "transition", args{"id": wall, "to": to}); err != nil {
			t.Fatal(err)
		}
	}
	h.git(h.Dir, "commit", "-qam", "a wall")
	roof := h.create(args{"title": "Add a roof", "deps": []record.ID{wall}})
	h.work(roof, map[string]string{"roof": "tiles\n"})
	if _, err := verbtest.Call[any](t, h.Workspace, "transition", args{"id": wall, "to": "in_progress"}); err != nil {
		t.Fatal(err)
	}
	h.git(h.Dir, "commit", "-qam", "the wall fell down")
	_, err := h.apply(roof, "merge", nil)
	h.wantCode(err, record.DepsOpen)
}

// With close_by: merge a task with changes is closed by its merge alone; without changes, or given up, it is as ever.
func TestSlowCloseByMerge(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	h.write(h.Dir, ".cairn/config.yaml", "close_by: merge\n")
	changed, unchanged, given := h.create(args{"title": "Add a roof"}), h.create(args{"title": "Look at the roof"}), h.create(args{"title": "Add a moat"})
	tree := h.work(changed, map[string]string{"roof": "tiles\n"})
	looked := h.work(unchanged, nil)
	moat := h.work(given, map[string]string{"moat": "water\n"})
	closes := func(dir string, id record.ID, to record.Status) error {
		_, err := verbtest.Call[any](t, h.in(dir).Workspace, "transition", args{"id": id, "to": to})
		return err
	}
	err := closes(tree.Root, changed, "done")
	h.wantCode(err, record.MergeRequired)
	if nextCall(err) != "merge" {
		t.Errorf("the next call of %v is %q", err, nextCall(err))
	}
	_, err = verbtest.Call[any](t, h.in(tree.Root).Workspace, "update", args{"id": changed, "to": "done"})
	h.wantCode(err, record.MergeRequired)
	_, err = verbtest.Call[any](t, h.in(tree.Root).Workspace, "update", args{"ids": []record.ID{changed}, "to": "done"})
	h.wantCode(err, record.MergeRequired)
	h.wantCode(closes(looked.Root, unchanged, "done"), "")
	h.wantCode(closes(moat.Root, given, "canceled"), "")
	_, err = h.apply(changed, "merge", args{"strategy": "squash"})
	h.wantCode(err, "")
	h.wantCode(closes(h.Dir, changed, "in_progress"), "")
	h.wantCode(closes(h.Dir, changed, "done"), "") // its branch came home
}

// A call under an idempotency key is made once, whichever action it is, and the answer of its repetition says the same.
func TestSlowReviewOnce(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id := h.create(args{"title": "Add a roof"})
	tree := h.work(id, map[string]string{"roof": "tiles\n"})
	for _, action := range []string{"reject", "approve", "merge"} {
		in := args{"idempotency_key": action, "text": "because"}
		first, err := h.apply(id, action, in)
		if err != nil {
			t.Fatalf("%s: %v", action, err)
		}
		again, err := h.apply(id, action, in)
		if err != nil || !again.Replayed || again.Status != first.Status || again.MergedCommit != first.MergedCommit {
			t.Errorf("%s again: %+v, %v; first %+v", action, again, err, first)
		}
		_, err = h.apply(id, action, args{"idempotency_key": action, "text": "another reason"})
		h.wantCode(err, record.Conflict)
	}
	if entries := len(h.here(id).Provenance); entries != len(h.in(tree.Root).here(id).Provenance)+1 {
		t.Errorf("there are %d entries", entries)
	}
}

// Who may do what: approve and reject from operator, the rest from maintainer, and only of the task in the scope.
func TestRightsOfReviews(t *testing.T) {
	h := newHome(t)
	id := h.create(args{"title": "Add a roof"})
	for action, least := range map[string]verb.Profile{
		"approve": verb.Operator, "reject": verb.Operator, "rebase": verb.Maintainer, "merge": verb.Maintainer, "pr": verb.Maintainer,
	} {
		in := args{}
		if action == "reject" {
			in["text"] = "no"
		}
		for p := verb.Viewer; p <= verb.Maintainer; p++ {
			w := *h.Workspace
			w.Profile = p
			_, err := home{t, &w}.apply(id, action, in)
			if got := record.CodeOf(err) == record.Forbidden; got != (p < least) {
				t.Errorf("%s as %s: %v", action, p, err)
			}
		}
		w := *h.Workspace
		w.Scope = "PROJ-other"
		_, err := home{t, &w}.apply(id, action, in)
		h.wantCode(err, record.OutOfScope)
	}
}

// A rejection can start the next job, like the one that left the work. While a job is at work nothing is rebased,
// merged or pushed, and no other is started; if none can be started, the rejection has come all the same, and the
// refusal says so.
func TestSlowRejectAndStartAgain(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	verbtest.WriteExecutor(t, h.Workspace, "mine", "[sh, -c, 'cat >/dev/null']")
	started := []string{}
	h.Supervise = func(_ context.Context, _ *verb.Workspace, id string) error { started = append(started, id); return nil }
	byHand, byJob := h.create(args{"title": "Add a moat"}), h.create(args{"title": "Add a roof"})
	h.work(byHand, map[string]string{"moat": "water\n"})
	_, err := h.apply(byHand, "reject", args{"text": "deeper", "restart": true})
	if err == nil || !strings.Contains(err.Error(), "was rejected, and no job was started") {
		t.Errorf("without an executor: %v", err)
	}

	tree := h.work(byJob, map[string]string{"roof": "tiles\n"})
	ended := h.endedJob(byJob)
	out, err := h.apply(byJob, "reject", args{"text": "where is the chimney?", "restart": true})
	if err != nil || out.Job == "" || len(started) != 1 || started[0] != out.Job {
		t.Fatalf("started %v, %+v, %v", started, out.Job, err)
	}
	if one, err := work.Jobs(h.store()).Get(out.Job); err != nil || one.Spec.Retries != ended || one.Spec.Task != byJob {
		t.Errorf("the job is %+v, %v", one.Spec, err)
	}
	if got := h.in(tree.Root).here(byJob); got.Status != "in_progress" || got.Provenance.Last().Text != "where is the chimney?" {
		t.Errorf("the record says %s, %+v", got.Status, got.Provenance.Last())
	}
	for _, in := range []args{{"action": "merge"}, {"action": "rebase"}, {"action": "pr"}, {"action": "reject", "text": "and a door", "restart": true}} {
		_, err := h.apply(byJob, in["action"].(string), in)
		h.wantCode(err, record.Busy)
	}
	if _, got := h.review(byJob); got.Job == nil || got.Job.Job != out.Job || got.Rejected == nil {
		t.Errorf("the review shows %+v, %+v", got.Job, got.Rejected)
	}
}

// A branch that weakens a check, or rewrites what was recorded, is not merged: the gates would be asked of what is
// left.
func TestSlowDishonestBranchIsNotMerged(t *testing.T) {
	slowtest.Skip(t)
	for name, change := range map[string][2]string{
		"a check is another command": {"grep -q tiles roof", "true"},
		"the record is rewritten":    {"did: created, ", "did: created, text: by somebody else, "},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			id := h.create(args{"title": "Add a roof", "checks": []args{check("roof", "tiles")}})
			tree := h.work(id, map[string]string{"roof": "straw\n"})
			file := filepath.Join(tree.Root, ".cairn", "tasks", string(id)+".md")
			src, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(src), change[0]) {
				t.Fatalf("%v\n%s", err, src)
			}
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(src), change[0], change[1])), 0o644); err != nil {
				t.Fatal(err)
			}
			verbtest.ApproveAll(t, h.At(tree.Root))
			before := h.git(h.Dir, "rev-parse", "main")
			_, err = h.apply(id, "merge", nil)
			h.wantCode(err, record.ChecksFailed)
			if !strings.Contains(err.Error(), "cairn check finds") || h.git(h.Dir, "rev-parse", "main") != before {
				t.Errorf("the refusal is %v, and main is at %s", err, h.git(h.Dir, "rev-parse", "main"))
			}
		})
	}
}

// A merge ends the session that is at work on the task, as its close does anywhere.
func TestSlowMergeEndsTheSession(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id := h.create(args{"title": "Add a roof", "checks": []args{check("roof", "tiles")}})
	tree, err := h.trees().Make(t.Context(), id, "", "")
	if err != nil {
		t.Fatal(err)
	}
	at := h.in(tree.Root)
	ses, err := verbtest.Call[verb.Session](t, at.Workspace, "begin", args{"id": id, "expected_actor": "human:lee", "idempotency_key": "pair"})
	if err != nil {
		t.Fatal(err)
	}
	h.write(tree.Path, "roof", "tiles\n")
	if _, err := h.trees().Commit(t.Context(), tree, "a roof"); err != nil {
		t.Fatal(err)
	}
	before := h.git(h.Dir, "rev-parse", "HEAD")
	out, err := h.apply(id, "merge", args{"strategy": "rebase"})
	if err != nil || out.Run == nil {
		t.Fatalf("merged %+v, %v", out.Run, err)
	}
	ended, err := kind.Sessions.Get(h.store(), ses.ID)
	if err != nil || ended.Status != session.Finished {
		t.Errorf("the session is %s, %v", ended.Status, err)
	}
	if state := h.store().State(id.Ref()); state.Lease != nil {
		t.Errorf("it is held still: %+v", state.Lease)
	}
	row, err := verbtest.Call[verb.Task](t, at.Workspace, "get", args{"id": id})
	if err != nil || row.Elsewhere == nil || row.Elsewhere.Status != "done" || row.Elsewhere.Branch != "main" {
		t.Errorf("its own work tree says %+v, %v", row.Elsewhere, err)
	}
	h.proves(before)
}

// A merge that a manual check holds back says where that is settled: on the branch, and not in the checkout that asked.
func TestSlowRefusedMergeSaysWhereAManualCheckIsSettled(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	hint := func(id record.ID) string {
		t.Helper()
		_, err := h.apply(id, "merge", nil)
		h.wantCode(err, record.ChecksPending)
		var e *record.Error
		if !errors.As(err, &e) || len(e.NextCalls()) == 0 || e.NextCalls()[0].Verb != "get" {
			t.Errorf("the next call of %v is not get", err)
		}
		return e.Hint.String()
	}
	id := h.create(args{"title": "Add a roof", "checks": []args{{"desc": "it is tight"}}})
	tree := h.work(id, map[string]string{"roof": "tiles\n"})
	if got := hint(id); !strings.Contains(got, "in the work tree, "+tree.Path) || !strings.Contains(got, "attest with id "+string(id)+", check 0") {
		t.Errorf("the hint is %s", got)
	}
	reviewed := h.create(args{"title": "Add a wall", "reviewer": "human:ann"})
	h.work(reviewed, map[string]string{"wall": "bricks\n"})
	if got := hint(reviewed); !strings.Contains(got, "review_apply with id "+string(reviewed)+", action approve") {
		t.Errorf("the hint is %s", got)
	}
}
