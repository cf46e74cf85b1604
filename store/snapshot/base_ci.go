package snapshot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// inCI are the variables by which a CI (continuous integration) is recognised. Nearly all set CI.
var inCI = []string{
	"CI", "GITHUB_ACTIONS", "GITLAB_CI", "BITBUCKET_BUILD_NUMBER", "JENKINS_URL", "BUILDKITE", "TF_BUILD", "TEAMCITY_VERSION",
	"CODEBUILD_BUILD_ID",
}

// InCI reports whether a CI runs this, by the variables that it sets.
func InCI(getenv func(string) string) bool {
	return getenv != nil && slices.ContainsFunc(inCI, func(name string) bool {
		switch strings.ToLower(getenv(name)) {
		case "", "false", "0", "no", "off":
			return false
		}
		return true
	})
}

// ciBases are the variables in which CIs name what a change is to be merged into, in the order in which they are read.
// Each is set for such a change only.
//
//   - GitHub: https://docs.github.com/en/actions/reference/workflows-and-actions/variables
//   - GitLab: https://docs.gitlab.com/ci/variables/predefined_variables/ (the first is that of a merge train, and of merged results; the last that of a pull request elsewhere)
//   - Bitbucket: https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/
//   - Jenkins: https://www.jenkins.io/doc/book/pipeline/multibranch/
//   - Buildkite: https://buildkite.com/docs/pipelines/configure/environment-variables (the first is that of a merge queue)
//   - Azure Pipelines: https://learn.microsoft.com/azure/devops/pipelines/build/variables
//
// GitHub names the base of its merge queue in no variable, but in the event: see event.
var ciBases = []ciBase{
	{variable: "GITHUB_BASE_REF"},
	{variable: "CI_MERGE_REQUEST_TARGET_BRANCH_SHA"},
	{variable: "CI_MERGE_REQUEST_DIFF_BASE_SHA"},
	{variable: "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"},
	{variable: "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME"},
	{variable: "BITBUCKET_PR_DESTINATION_BRANCH"},
	{variable: "CHANGE_TARGET", beside: "JENKINS_URL"},
	{variable: "BUILDKITE_MERGE_QUEUE_BASE_COMMIT"},
	{variable: "BUILDKITE_PULL_REQUEST_BASE_BRANCH"},
	{variable: "SYSTEM_PULLREQUEST_TARGETBRANCH"},
}

// ciDefaults are the variables in which CIs name the default branch.
var ciDefaults = []ciBase{
	{variable: "CI_DEFAULT_BRANCH", beside: "GITLAB_CI"},
	{variable: "BUILDKITE_PIPELINE_DEFAULT_BRANCH"},
}

type ciBase struct {
	variable string
	beside   string // a variable that must be set too, if the first one's name is too general
}

// value is what the variable names, or "".
func (ci ciBase) value(opts CheckOptions) string {
	if ci.beside != "" && opts.getenv(ci.beside) == "" {
		return ""
	}
	return opts.getenv(ci.variable)
}

// ofCI returns the commit that the change is to be merged into, or the tip of the default branch before the push, as
// the CI names it; none if it names neither.
func (f baseFinder) ofCI(ctx context.Context) (named, error) {
	opts := f.opts
	for _, ci := range ciBases {
		if value := ci.value(opts); value != "" {
			return f.namedByCI(ctx, ci.variable, value, ofMerge)
		}
	}
	e, err := eventOf(opts)
	if err != nil {
		return named{}, err
	}
	switch {
	case opts.getenv("GITHUB_EVENT_NAME") == "merge_group" && e.MergeGroup.Base == "":
		return named{}, record.Errorf(record.NoBase, "this is a merge queue, and GITHUB_EVENT_PATH does not say what it stands on").
			WithHint("name it: --base ${{ github.event.merge_group.base_sha }}")
	case e.MergeGroup.Base != "":
		return f.namedByCI(ctx, "the merge queue's base", e.MergeGroup.Base, ofMerge)
	case e.PullRequest.Base.Ref != "": // of a review, and of others that set no GITHUB_BASE_REF
		return f.namedByCI(ctx, "the pull request's base", e.PullRequest.Base.Ref, ofMerge)
	case e.onDefault() && isCommit(e.Before):
		return f.namedByCI(ctx, "before the push", e.Before, ofPush)
	}
	branch, before := opts.getenv("CI_COMMIT_BRANCH"), opts.getenv("CI_COMMIT_BEFORE_SHA")
	if opts.getenv("GITLAB_CI") != "" && branch != "" && branch == opts.getenv("CI_DEFAULT_BRANCH") && isCommit(before) {
		return f.namedByCI(ctx, "CI_COMMIT_BEFORE_SHA", before, ofPush)
	}
	return named{}, nil
}

// defaultOfCI returns the tip of the default branch, as the CI names it, or none. It is the base in clones without an
// origin/HEAD, as CIs make them.
func (f baseFinder) defaultOfCI(ctx context.Context) (named, error) {
	for _, ci := range ciDefaults {
		if value := ci.value(f.opts); value != "" {
			return f.namedByCI(ctx, ci.variable, value, ofClone)
		}
	}
	e, err := eventOf(f.opts)
	if err != nil || e.Repository.Default == "" {
		return named{}, err
	}
	return f.namedByCI(ctx, "the repository's default branch", e.Repository.Default, ofClone)
}

// namedByCI resolves what a variable of a CI names: a commit, a branch of origin, or a local branch.
func (f baseFinder) namedByCI(ctx context.Context, who, value, from string) (named, error) {
	n := named{by: fmt.Sprintf("%s (%s)", who, value), from: from}
	branch := strings.TrimPrefix(value, "refs/heads/")
	names, find := []string{"refs/remotes/origin/" + branch, "refs/heads/" + branch}, f.Refs().Commit
	if git.IsID(value) {
		names, find = []string{value}, f.Commit
	}
	var err error
	for _, name := range names {
		if n.commit, err = find(ctx, name); n.commit != "" || err != nil {
			break
		}
	}
	return f.mustHave(n, err, value)
}

// isCommit reports whether an id that a CI names is one. Zeros mean that there was no commit.
func isCommit(id string) bool { return strings.Trim(id, "0") != "" }

// event is what is used here of the event that started a workflow on GitHub:
// https://docs.github.com/en/webhooks/webhook-events-and-payloads. Gitea and Forgejo use the same form.
type event struct {
	Ref        string `json:"ref"` // of a push
	Before     string `json:"before"`
	MergeGroup struct {
		Base string `json:"base_sha"`
	} `json:"merge_group"`
	PullRequest struct {
		Base struct {
			Ref string `json:"ref"`
		} `json:"base"`
	} `json:"pull_request"`
	Issue struct {
		PullRequest any `json:"pull_request"` // of a comment on a pull request
	} `json:"issue"`
	WorkflowRun struct {
		Event string `json:"event"` // that started the workflow which this one follows
	} `json:"workflow_run"`
	Repository struct {
		Default string `json:"default_branch"`
	} `json:"repository"`
}

// ofChange reports whether a CI runs this for a change that is to be merged, by the event alone: then the default
// branch is checked out unless the workflow says otherwise.
func (e event) ofChange() bool {
	return e.Issue.PullRequest != nil || strings.HasPrefix(e.WorkflowRun.Event, "pull_request") || e.WorkflowRun.Event == "merge_group"
}

// onDefault reports whether the event is a push to the default branch.
func (e event) onDefault() bool {
	return e.Repository.Default != "" && e.Ref == "refs/heads/"+e.Repository.Default
}

// eventOf reads the event; it is empty outside GitHub and those alike.
func eventOf(opts CheckOptions) (e event, err error) {
	path := opts.getenv("GITHUB_EVENT_PATH")
	if opts.getenv("GITHUB_ACTIONS") != "true" || path == "" {
		return event{}, nil
	}
	src, err := disk.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(src, &e)
	}
	if err != nil {
		return event{}, record.Errorf(record.NoBase, "what started this workflow cannot be read: %w", err).WithHint(judgeAlone)
	}
	return e, nil
}
