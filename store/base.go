package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// base is the commit that a record is compared with.
type base struct {
	commit string // "" if there is none
	name   string // who named it, and how
	note   string // why there is none, or what it does not tell
}

// ciBases are the variables in which systems for continuous integration name what a change is to be merged into, in the
// order in which they are asked. Each is set for such a change only.
//
//   - GitHub: https://docs.github.com/en/actions/reference/workflows-and-actions/variables
//   - GitLab: https://docs.gitlab.com/ci/variables/predefined_variables/
//   - Bitbucket: https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/
//   - Jenkins: https://www.jenkins.io/doc/book/pipeline/multibranch/
//   - Buildkite: https://buildkite.com/docs/pipelines/configure/environment-variables
//   - Azure Pipelines: https://learn.microsoft.com/azure/devops/pipelines/build/variables
var ciBases = []ciBase{
	{variable: "GITHUB_BASE_REF"},
	{variable: "CI_MERGE_REQUEST_TARGET_BRANCH_SHA"},
	{variable: "CI_MERGE_REQUEST_DIFF_BASE_SHA"},
	{variable: "BITBUCKET_PR_DESTINATION_BRANCH"},
	{variable: "CHANGE_TARGET", beside: "JENKINS_URL"},
	{variable: "BUILDKITE_PULL_REQUEST_BASE_BRANCH"},
	{variable: "SYSTEM_PULLREQUEST_TARGETBRANCH"},
}

// ciBase is one of these variables.
type ciBase struct {
	variable string
	beside   string // a variable that must be set too, where the name alone could be anybody's
}

// value is what the variable names, or "".
func (ci ciBase) value(opts CheckOptions) string {
	if ci.beside != "" && opts.getenv(ci.beside) == "" {
		return ""
	}
	return opts.getenv(ci.variable)
}

const (
	originHead = "refs/remotes/origin/HEAD"
	fetchAll   = "fetch the whole history: fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 on GitLab, elsewhere git fetch --unshallow"
)

// findBase finds the commit that head is compared with: where the history of head and of what is named parted. It returns
// NO_BASE if something is named and cannot be compared with. That nothing is named is no error.
func (l Layout) findBase(ctx context.Context, opts CheckOptions, head string) (base, error) {
	switch {
	case opts.NoBase:
		return base{note: "nothing is compared, as was asked for"}, nil
	case opts.Staged && opts.Base == "":
		return stagedBase(head), nil
	}
	named, name, err := l.namedBase(ctx, opts)
	switch {
	case err != nil:
		return base{}, err
	case named == "":
		return base{note: "nothing is compared: nobody names a base, and the clone has no origin/HEAD"}, nil
	case head == "" && opts.Base == "":
		return base{note: "nothing is compared: there is no commit yet"}, nil
	case head == "":
		return base{}, task.Errorf(task.NoBase, "there is no commit yet to compare with %s", name).WithHint("leave the base out")
	}
	commit, err := l.Repo.MergeBase(ctx, named, head)
	switch {
	case err != nil:
		return base{}, err
	case commit == "" && l.Repo.Shallow():
		return base{}, task.Errorf(task.NoBase, "this clone is too shallow to tell where it parted from %s", name).WithHint(fetchAll)
	case commit == "":
		return base{}, task.Errorf(task.NoBase, "%s has no history in common with what is judged", name).
			WithHint("name another base")
	}
	found := base{commit: commit, name: name}
	switch {
	case commit == head && opts.Commit != "":
		found.note = "the base holds all of the commit: there is no change to judge"
	case commit == head:
		found.note = "the base holds all that is committed here: only what is not committed yet is compared"
	}
	return found, nil
}

// stagedBase is the commit that what is staged will stand on.
func stagedBase(head string) base {
	if head == "" {
		return base{note: "nothing is compared: there is no commit yet"}
	}
	return base{commit: head, name: "HEAD"}
}

// namedBase returns the commit that somebody names, and who: the caller, the system that runs this, or the clone.
func (l Layout) namedBase(ctx context.Context, opts CheckOptions) (commit, name string, err error) {
	if opts.Base != "" {
		commit, err = l.Repo.Commit(ctx, opts.Base)
		return l.mustHave(commit, err, "--base "+opts.Base, opts.Base)
	}
	for _, ci := range ciBases {
		if value := ci.value(opts); value != "" {
			commit, err = l.branchOrCommit(ctx, value)
			return l.mustHave(commit, err, fmt.Sprintf("%s (%s)", ci.variable, value), value)
		}
	}
	commit, err = l.Repo.Commit(ctx, originHead)
	return commit, "origin/HEAD", err
}

// branchOrCommit resolves what a variable names: a commit, or a branch of origin, or one that was fetched under its name.
func (l Layout) branchOrCommit(ctx context.Context, value string) (string, error) {
	if git.IsID(value) {
		return l.Repo.Commit(ctx, value)
	}
	branch := strings.TrimPrefix(value, "refs/heads/")
	for _, ref := range []string{"refs/remotes/origin/" + branch, "refs/heads/" + branch} {
		if commit, err := l.Repo.Commit(ctx, ref); commit != "" || err != nil {
			return commit, err
		}
	}
	return "", nil
}

// mustHave makes NO_BASE of a commit that is named and not there.
func (l Layout) mustHave(commit string, err error, name, value string) (string, string, error) {
	if commit != "" || err != nil {
		return commit, name, err
	}
	hint := fetchAll
	if !l.Repo.Shallow() {
		hint = "fetch it: git fetch origin " + strings.TrimPrefix(value, "origin/") + "; or name another base"
	}
	return "", name, task.Errorf(task.NoBase, "%s: this clone has no such commit", name).WithHint("%s", hint)
}
