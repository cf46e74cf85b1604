package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// inCI are the variables by which a system for continuous integration is known. Nearly all set CI.
var inCI = []string{
	"CI", "GITHUB_ACTIONS", "GITLAB_CI", "BITBUCKET_BUILD_NUMBER", "JENKINS_URL", "BUILDKITE", "TF_BUILD", "TEAMCITY_VERSION",
	"CODEBUILD_BUILD_ID",
}

// InCI reports whether a system for continuous integration runs this, by the variables that it sets.
func InCI(getenv func(string) string) bool {
	return getenv != nil && slices.ContainsFunc(inCI, func(name string) bool {
		switch strings.ToLower(getenv(name)) {
		case "", "false", "0", "no", "off":
			return false
		}
		return true
	})
}

// ciBases are the variables in which systems for continuous integration name what a change is to be merged into, in the
// order in which they are asked. Each is set for such a change only.
//
//   - GitHub: https://docs.github.com/en/actions/reference/workflows-and-actions/variables
//   - GitLab: https://docs.gitlab.com/ci/variables/predefined_variables/ (the first is that of a merge train, and of merged results)
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
	{variable: "BITBUCKET_PR_DESTINATION_BRANCH"},
	{variable: "CHANGE_TARGET", beside: "JENKINS_URL"},
	{variable: "BUILDKITE_MERGE_QUEUE_BASE_COMMIT"},
	{variable: "BUILDKITE_PULL_REQUEST_BASE_BRANCH"},
	{variable: "SYSTEM_PULLREQUEST_TARGETBRANCH"},
}

// ciDefaults are the variables in which they name the default branch.
var ciDefaults = []ciBase{
	{variable: "CI_DEFAULT_BRANCH", beside: "GITLAB_CI"},
	{variable: "BUILDKITE_PIPELINE_DEFAULT_BRANCH"},
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

// baseOfCI returns the commit that the system which runs this says the change is to be merged into, or that was the tip of the
// default branch before the push; none if it says neither.
func (l Layout) baseOfCI(ctx context.Context, opts CheckOptions) (named, error) {
	for _, ci := range ciBases {
		if value := ci.value(opts); value != "" {
			return l.namedByCI(ctx, ci.variable, value, ofMerge)
		}
	}
	e, err := eventOf(opts)
	if err != nil {
		return named{}, err
	}
	switch {
	case opts.getenv("GITHUB_EVENT_NAME") == "merge_group" && e.MergeGroup.Base == "":
		return named{}, task.Errorf(task.NoBase, "this is a merge queue, and GITHUB_EVENT_PATH does not say what it stands on").
			WithHint("name it: --base ${{ github.event.merge_group.base_sha }}")
	case e.MergeGroup.Base != "":
		return l.namedByCI(ctx, "the merge queue's base", e.MergeGroup.Base, ofMerge)
	case e.onDefault() && isCommit(e.Before):
		return l.namedByCI(ctx, "before the push", e.Before, ofPush)
	}
	branch, before := opts.getenv("CI_COMMIT_BRANCH"), opts.getenv("CI_COMMIT_BEFORE_SHA")
	if opts.getenv("GITLAB_CI") != "" && branch != "" && branch == opts.getenv("CI_DEFAULT_BRANCH") && isCommit(before) {
		return l.namedByCI(ctx, "CI_COMMIT_BEFORE_SHA", before, ofPush)
	}
	return named{}, nil
}

// defaultOfCI returns the tip of the branch that the system which runs this calls the default one, or none. It is where a change
// goes in a clone that has no origin/HEAD, as CIs make them.
func (l Layout) defaultOfCI(ctx context.Context, opts CheckOptions) (named, error) {
	for _, ci := range ciDefaults {
		if value := ci.value(opts); value != "" {
			return l.namedByCI(ctx, ci.variable, value, ofClone)
		}
	}
	e, err := eventOf(opts)
	if err != nil || e.Repository.Default == "" {
		return named{}, err
	}
	return l.namedByCI(ctx, "the repository's default branch", e.Repository.Default, ofClone)
}

func (l Layout) namedByCI(ctx context.Context, who, value, from string) (named, error) {
	commit, err := l.branchOrCommit(ctx, value)
	return l.mustHave(named{commit, fmt.Sprintf("%s (%s)", who, value), from}, err, value)
}

// isCommit reports whether a CI names a commit. Zeros say that there was none.
func isCommit(id string) bool { return strings.Trim(id, "0") != "" }

// event is what GitHub says of what started a workflow, as far as it matters here:
// https://docs.github.com/en/webhooks/webhook-events-and-payloads. Gitea and Forgejo say it in the same way.
type event struct {
	Ref        string `json:"ref"` // of a push
	Before     string `json:"before"`
	MergeGroup struct {
		Base string `json:"base_sha"`
	} `json:"merge_group"`
	Repository struct {
		Default string `json:"default_branch"`
	} `json:"repository"`
}

// onDefault reports whether it is a push to the default branch.
func (e event) onDefault() bool {
	return e.Repository.Default != "" && e.Ref == "refs/heads/"+e.Repository.Default
}

// eventOf reads the event, of which there is none elsewhere than on GitHub.
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
		return event{}, task.Errorf(task.NoBase, "what started this workflow cannot be read: %w", err).WithHint(judgeAlone)
	}
	return e, nil
}
