package snapshot_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

const zeros = "0000000000000000000000000000000000000000"

// variables are those that a CI sets.
type variables map[string]string

func (v variables) get(name string) string { return v[name] }

// onGitHub is what GitHub sets for an event.
func onGitHub(t *testing.T, name, event string) variables {
	t.Helper()
	path := filepath.Join(t.TempDir(), "event.json")
	storetest.WriteFile(t, path, event)
	return variables{"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": path}
}

// asCI takes origin/HEAD away, which no CI has in its clones.
func asCI(t *testing.T) (s *store.Store, a string) {
	t.Helper()
	s, a = forked(t)
	storetest.Git(t, s.Root, "remote", "set-head", "origin", "--delete")
	return s, a
}

// A merge queue, and a push to the default branch, name what they stand on in places of their own.
func TestSlowBaseOfAQueueAndOfAPush(t *testing.T) {
	slowtest.Skip(t)
	s, a := asCI(t)
	head, tip := storetest.CommitOf(t, s.Root, "HEAD"), storetest.CommitOf(t, s.Root, "origin/main")
	storetest.Git(t, s.Root, "tag", "main", "HEAD") // git would take a tag before a branch
	storetest.Git(t, s.Root, "tag", "origin/main", "HEAD")
	repository := `"repository": {"default_branch": "main"}`
	for _, row := range []struct {
		name string
		env  variables
		want string
		by   string
		note string
	}{
		{"GitHub's merge queue", onGitHub(t, "merge_group", `{"merge_group": {"base_sha": "`+a+`"}, `+repository+`}`), a, "the merge queue's base (" + a + ")", ""},
		{"GitHub's merge queue, a group that another one waits before", onGitHub(t, "merge_group", `{"merge_group": {"base_sha": "`+tip+`"}}`), a, "the merge queue's base (" + tip + ")", ""},
		{"a push to main", onGitHub(t, "push", `{"ref": "refs/heads/main", "before": "`+a+`", `+repository+`}`), a, "before the push (" + a + ")", ""},
		{"a push to main that goes elsewhere than on", onGitHub(t, "push", `{"ref": "refs/heads/main", "before": "`+tip+`", `+repository+`}`), tip, "before the push (" + tip + ")", ""},
		{"a push to another branch", onGitHub(t, "push", `{"ref": "refs/heads/topic", "before": "`+head+`", `+repository+`}`), a, "the repository's default branch (main)", ""},
		{"a new branch", onGitHub(t, "push", `{"ref": "refs/heads/topic", "before": "`+zeros+`", `+repository+`}`), a, "the repository's default branch (main)", ""},
		{"a tag", onGitHub(t, "push", `{"ref": "refs/tags/main", "before": "`+zeros+`", `+repository+`}`), a, "the repository's default branch (main)", ""},
		{"the clock", onGitHub(t, "schedule", `{`+repository+`}`), a, "the repository's default branch (main)", ""},
		{"GitLab's merge train", variables{
			"CI": "true", "GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": tip, "CI_MERGE_REQUEST_DIFF_BASE_SHA": head, "CI_COMMIT_BEFORE_SHA": zeros,
		}, a, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA (" + tip + ")", ""},
		{"GitLab, a push to main", variables{
			"CI": "true", "GITLAB_CI": "true", "CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": a,
		}, a, "CI_COMMIT_BEFORE_SHA (" + a + ")", ""},
		{"GitLab, a push to another branch", variables{
			"CI": "true", "GITLAB_CI": "true", "CI_COMMIT_BRANCH": "topic", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": head,
		}, a, "CI_DEFAULT_BRANCH (main)", ""},
		{"Buildkite's merge queue", variables{
			"CI": "true", "BUILDKITE": "true", "BUILDKITE_MERGE_QUEUE_BASE_COMMIT": a, "BUILDKITE_PIPELINE_DEFAULT_BRANCH": "elsewhere",
		}, a, "BUILDKITE_MERGE_QUEUE_BASE_COMMIT (" + a + ")", ""},
		{"GitLab, before the target has a commit of its own", variables{
			"CI": "true", "GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_DEFAULT_BRANCH": "elsewhere",
		}, a, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME (main)", ""},
		{"GitLab, for a pull request elsewhere", variables{
			"CI": "true", "GITLAB_CI": "true", "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME": "main",
		}, a, "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME (main)", ""},
		{"a review of a pull request", onGitHub(t, "pull_request_review", `{"pull_request": {"base": {"ref": "main"}}}`), a, "the pull request's base (main)", ""},
		{"a workflow after that of a pull request, with the change checked out", onGitHub(t, "workflow_run", `{"workflow_run": {"event": "pull_request"}, `+repository+`}`), a, "the repository's default branch (main)", ""},
		{"the clock, on the default branch", onGitHub(t, "schedule", `{"repository": {"default_branch": "topic"}}`), head, "the repository's default branch (topic)", "the base holds all that is committed here"},
		{"a workflow after that of a push", onGitHub(t, "workflow_run", `{"workflow_run": {"event": "push"}, "repository": {"default_branch": "topic"}}`), head, "the repository's default branch (topic)", "the base holds all that is committed here"},
		{"a comment on an issue", onGitHub(t, "issue_comment", `{"issue": {"number": 1}, "repository": {"default_branch": "topic"}}`), head, "the repository's default branch (topic)", "the base holds all that is committed here"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := check(t, s, snapshot.CheckOptions{Getenv: row.env.get})
			if c.Base != row.want || c.BaseName != row.by || !strings.Contains(c.Note, row.note) || row.note == "" && c.Note != "" {
				t.Errorf("compares with %s, named by %s (%q)", c.Base, c.BaseName, c.Note)
			}
		})
	}
}

// In a CI nobody reads that nothing was compared.
func TestSlowNoBaseInACI(t *testing.T) {
	slowtest.Skip(t)
	s, a := asCI(t)
	gone := strings.Repeat("1", 40)
	outside := storetest.NewAt(t, t.TempDir())
	empty := t.TempDir()
	storetest.Git(t, empty, "init", "-q")
	young := storetest.NewAt(t, empty)
	for _, row := range []struct {
		name string
		s    *store.Store
		opts snapshot.CheckOptions
		env  variables
		says string
		hint string
	}{
		{"none is named", s, snapshot.CheckOptions{}, variables{"CI": "true"}, "nobody names a base", "name one with --base"},
		{"none is named, on a CI that sets no CI", s, snapshot.CheckOptions{}, variables{"TEAMCITY_VERSION": "2025.03"}, "nobody names a base", "--base"},
		{"there is no repository", outside, snapshot.CheckOptions{}, variables{"CI": "1"}, "no git repository", "--base"},
		{"there is no commit", young, snapshot.CheckOptions{}, variables{"CI": "true"}, "nobody names a base", "name one with --base"},
		{"a merge queue that does not say what it stands on", s, snapshot.CheckOptions{}, onGitHub(t, "merge_group", `{}`), "this is a merge queue", "merge_group.base_sha"},
		{"a merge queue whose base was not fetched", s, snapshot.CheckOptions{}, onGitHub(t, "merge_group", `{"merge_group": {"base_sha": "`+gone+`"}}`), "no such commit", "git fetch origin"},
		{"an event that is no JSON", s, snapshot.CheckOptions{}, onGitHub(t, "push", `{`), "what started this workflow cannot be read", "--base"},
		{"a push that did away with what was there", s, snapshot.CheckOptions{}, onGitHub(t, "push", `{"ref": "refs/heads/main", "before": "`+gone+`", "repository": {"default_branch": "main"}}`),
			"before the push (" + gone + "): this clone has no such commit", "the push did away with what was there"},
		{"pull_request_target, with the base checked out", s, snapshot.CheckOptions{}, variables{"CI": "true", "GITHUB_BASE_REF": "topic"}, "holds all of what is judged", "check out the change"},
		{"the same, and a commit is named", s, snapshot.CheckOptions{Commit: "HEAD"}, variables{"CI": "true", "GITHUB_BASE_REF": "topic"}, "holds all of what is judged", "check out the change"},
		{"a merge queue, with its base checked out", s, snapshot.CheckOptions{}, onGitHub(t, "merge_group", `{"merge_group": {"base_sha": "`+storetest.CommitOf(t, s.Root, "HEAD")+`"}}`), "holds all of what is judged", "check out the change"},
		{"GitLab's merged results, with the target checked out", s, snapshot.CheckOptions{}, variables{"CI": "true", "GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": storetest.CommitOf(t, s.Root, "HEAD")}, "holds all of what is judged", "check out the change"},
		{"a workflow after that of a pull request", s, snapshot.CheckOptions{}, onGitHub(t, "workflow_run", `{"workflow_run": {"event": "pull_request"}, "repository": {"default_branch": "topic"}}`), "holds all of what is judged", "check out the change"},
		{"a comment on a pull request", s, snapshot.CheckOptions{}, onGitHub(t, "issue_comment", `{"issue": {"pull_request": {"url": "u"}}, "repository": {"default_branch": "topic"}}`), "holds all of what is judged", "check out the change"},
		{"a review, with the base checked out", s, snapshot.CheckOptions{}, onGitHub(t, "pull_request_review", `{"pull_request": {"base": {"ref": "topic"}}}`), "holds all of what is judged", "check out the change"},
		{"a default branch that was not fetched", s, snapshot.CheckOptions{}, onGitHub(t, "push", `{"ref": "refs/heads/topic", "repository": {"default_branch": "trunk"}}`), "(trunk): this clone has no such commit", "git fetch origin trunk"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.opts.Getenv = row.env.get
			_, err := snapshot.Check(t.Context(), row.s.Layout, row.opts)
			storetest.WantMessage(t, err, record.NoBase, row.says)
			if !strings.Contains(problem.Hint(err), row.hint) {
				t.Errorf("the hint is %q", problem.Hint(err))
			}
			row.opts.NoBase = true
			if c, err := snapshot.Check(t.Context(), row.s.Layout, row.opts); err != nil || !strings.Contains(c.Note, "nothing is compared") {
				t.Errorf("with --no-base: %q, %v", c.Note, err)
			}
		})
	}
	for _, env := range []variables{{}, {"CI": "false"}, {"CI": "0"}} {
		if c, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Getenv: env.get}); err != nil || !strings.Contains(c.Note, "nobody names a base") {
			t.Errorf("%v: %q, %v", env, c.Note, err)
		}
	}
	if c := check(t, s, snapshot.CheckOptions{Staged: true, Getenv: variables{"CI": "true"}.get}); c.BaseName != "HEAD" || c.Base == a {
		t.Errorf("a hook in a CI compares with %s (%s)", c.BaseName, c.Note)
	}
}

// What a push takes away from the default branch is its change, even if it takes the history with it.
func TestForcedPushLosesNothingUnseen(t *testing.T) {
	s := recorded(t)
	storetest.WriteFile(t, storetest.SessionFile(s, "ses-1"), "id: ses-1\ntask: PROJ-1\nactor: agent:a\nstatus: active\n")
	storetest.CommitAll(t, s)
	before := storetest.CommitOf(t, s.Root, "HEAD")
	storetest.Git(t, s.Root, "reset", "-q", "--hard", "HEAD~1")
	event := fmt.Sprintf(`{"ref": "refs/heads/main", "before": %q, "repository": {"default_branch": "main"}}`, before)
	c := check(t, s, snapshot.CheckOptions{Getenv: onGitHub(t, "push", event).get})
	if c.Base != before || len(c.Findings) != 1 || c.Findings[0].Rule != "session-deleted" {
		t.Errorf("compares with %s (%s) and finds %s", c.Base, c.Note, report(c.Findings))
	}
}
