package docs_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/user/projects"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/layout"
)

// The names that the reference of each other system gives, by the heading of its table.
var otherSystems = map[string]string{
	"Ledgenter": `
		whoami register_actor actor_query
		project_create project_update project_query project_brief
		task_create task_create_many task_update task_assign task_query task_get task_link task_claim task_release
		decision_log decision_set_status decision_query
		handoff_create handoff_claim handoff_respond handoff_resolve handoff_query inbox
		knowledge_write knowledge_update knowledge_search
		comment_add comment_query activity_log activity_query
		attach_add attach_remove attachment_query notification_query notification_mark_read
		search skill_list skill_get skill_upsert guide
		run_fork run_heartbeat run_end run_query run_get run_summary
		repo_register repo_link repo_query task_code_ref code_ref_add code_ref_update code_ref_query
		feature_request_create feature_request_query`,
	"Kagan": `
		task_get task_logs task_list task_wait task_create task_patch task_delete job_start job_poll job_cancel session_manage
		project_list project_open repo_list review_apply audit_list settings_get settings_set plan_submit
		get_context get_task update_scratchpad request_review tasks_list tasks_create tasks_update tasks_move jobs_submit jobs_get jobs_wait
		jobs_cancel tasks_delete sessions_create sessions_exists sessions_kill projects_list projects_create projects_open repos_list review
		propose_plan audit_tail settings_update`,
	"Task Relay": "jobs_submit jobs_get jobs_list jobs_cancel",
}

// A server that is asked for a tool of another system names the verb that its row names.
func TestOtherNamesLeadHere(t *testing.T) {
	src, err := os.ReadFile("coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	row, names, found := regexp.MustCompile(`^\| ((?:`+"`[a-z_]+`"+`(?:, )?)+)[^|]*\| `+"`([a-z_]+)[ `{]"), regexp.MustCompile(`[a-z_]+`), 0
	table := ""
	for line := range strings.Lines(string(src)) {
		if strings.HasPrefix(line, "#") {
			table = strings.TrimSpace(line)
		}
		m := row.FindStringSubmatch(line)
		if m == nil || table != "### Tools" {
			continue
		}
		if _, ok := catalogue.Named(m[2]); !ok {
			continue
		}
		for _, name := range names.FindAllString(m[1], -1) {
			if _, ours := catalogue.Named(name); ours {
				continue
			}
			if found++; catalogue.OtherName(name) != m[2] {
				t.Errorf("%s leads to %q, and the page says %s", name, catalogue.OtherName(name), m[2])
			}
		}
	}
	if found < 60 {
		t.Errorf("the page names %d tools", found)
	}
}

// What else the reference of a system names: arguments, keys of answers, codes, states, rights and limits. Each is on
// the page, between backquotes.
var otherNames = map[string]string{
	"Kagan": `
		include_scratchpad include_logs include_review scratchpad_truncated logs_truncated logs_total_runs logs_returned_runs logs_has_more logs_next_offset
		logs total_runs returned_runs has_more next_offset truncated set transition request_review set_status set_task_type append_note
		timeout_seconds wait_for_status from_updated_at job_id task_id wait events limit offset action reuse_if_exists worktree_path status task_type
		acceptance_criteria general.tasks_wait_default_timeout_seconds general.tasks_wait_max_timeout_seconds todos
		is_running is_reviewing is_blocked is_pending code hint next_tool next_arguments read-only mutating mixed destructive summary context
		TASK_CHANGED ALREADY_AT_STATUS CHANGED_SINCE_CURSOR WAIT_TIMEOUT WAIT_INTERRUPTED TASK_DELETED INVALID_TIMEOUT INVALID_PARAMS
		TASK_TYPE_VALUE_IN_STATUS STATUS_WAS_TASK_TYPE START_PENDING DISCONNECTED AUTH_STALE_TOKEN BACKLOG IN_PROGRESS REVIEW DONE AUTO PAIR
		approve reject merge rebase viewer planner pair_worker operator maintainer task:<task_id> --session-id --readonly kagan kagan_admin`,
	"Task Relay": `
		repo.type repo.url repo.path repo.baseBranch repo.baselineCommit task.title task.description task.acceptance scope.readPaths scope.fileGlobs
		scope.disallowReformatting context.dirTreeDigest context.keySignatures context.codeSnippets outputContract DIFF TEST_PLAN NOTES
		execution.preferredModel execution.sandbox read-only execution.askPolicy untrusted execution.timeoutS execution.priority P0 P1 P2 execution.ttlS
		idempotencyKey notify.enablePr notify.webhook QUEUED RUNNING SUCCEEDED FAILED CANCELED EXPIRED STALE
		BAD_ARTIFACTS CONFLICT POLICY EXECUTOR_ERROR TIMEOUT INTERNAL_ERROR jobId id state summary attempt pr lastUpdate items total hasMore
		mcp://jobs/{jobId}/status stateVersion createdAt startedAt finishedAt durationMs reasonCode patch.diff out.md logs.txt pr.json
		notifications/resources/updated notifications/job/finished notifications/job/failed
		INVALID_SPEC JOB_NOT_FOUND ALREADY_TERMINAL RATE_LIMIT RESOURCE_NOT_FOUND ARTIFACT_MISSING MAX_CONCURRENCY`,
}

// Every other name of a system is explained.
func TestComingFromExplainsEveryName(t *testing.T) {
	page := read(t, "coming-from.md")
	for system, names := range otherNames {
		_, section, _ := strings.Cut(page, "\n## "+system+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, name := range strings.Fields(names) {
			if !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%s: nothing is said of %s", system, name)
			}
		}
	}
}

// Every tool that another system names has a row.
func TestComingFromNamesEverything(t *testing.T) {
	page := read(t, "coming-from.md")
	for system, names := range otherSystems {
		_, section, found := strings.Cut(page, "\n## "+system+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !found {
			t.Errorf("the page has no section %s", system)
		}
		all := strings.Fields(names)
		for _, name := range all {
			if !strings.Contains(section, "\n| `"+name+"` | `") {
				t.Errorf("%s: there is no row with a call for %s", system, name)
			}
		}
		if n := len(slices.Compact(slices.Sorted(slices.Values(all)))); system == "Ledgenter" && n != 57 {
			t.Errorf("%s has %d names, and its reference 57", system, n)
		}
	}
}

var callOnPage = regexp.MustCompile("`([a-z_]+) (\\{.*?\\})`")

// Every call on the page is made, each in a workspace of its own that has what it names.
func TestSlowComingFromCalls(t *testing.T) {
	slowtest.Skip(t)
	calls := callOnPage.FindAllStringSubmatch(read(t, "coming-from.md"), -1)
	if len(calls) < 57 {
		t.Fatalf("the page has %d calls", len(calls))
	}
	for _, c := range calls {
		t.Run(c[1]+" "+c[2], func(t *testing.T) {
			v, ok := catalogue.Named(c[1])
			if !ok {
				t.Fatalf("there is no verb %s", c[1])
			}
			if !json.Valid([]byte(c[2])) {
				t.Fatalf("this is no JSON: %s", c[2])
			}
			w := verb.Workspace{
				Dir: comingFrom(t), StateDir: filepath.Join(t.TempDir(), "state"), ConfigDir: filepath.Join(t.TempDir(), "config"), Actor: verb.As("agent:claude-1"),
				Rights: verb.Rights{Profile: verb.Maintainer}, Now: time.Now, Rand: rand.Reader,
			}
			if strings.HasPrefix(v.Group, "job") || v.Group == "projects" || v.Group == "review" {
				prepareJobs(t, &w)
			}
			if _, err := v.Call(t.Context(), &w, []byte(c[2])); err != nil {
				t.Error(err)
			}
		})
	}
}

// prepareJobs makes what calls about jobs and reviews name: a clone that is trusted, an executor, a job that waits, a
// project, and for SHOP-2 a work tree with a commit.
func prepareJobs(t *testing.T, w *verb.Workspace) {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Lee")
		t.Setenv("GIT_"+who+"_EMAIL", "lee@example.com")
	}
	verbtest.WriteExecutor(t, w, "mine", "[sh, -c, 'cat > /dev/null']")
	file := filepath.Join(w.ConfigDir, "config.yaml")
	config, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(config, "\nwebhooks: [example.com]\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Supervise = func(context.Context, *verb.Workspace, string) error { return nil }
	s, err := w.Open()
	if err == nil {
		err = s.SetTrust("human:lee", time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := projects.Note(t.Context(), w.StateDir, layout.Layout{Root: s.Root}, "SHOP", time.Now()); err != nil {
		t.Fatal(err)
	}
	spec := job.Spec{Job: "job-1", Task: "SHOP-1", By: "agent:claude-1", Executor: "mine", Output: job.Edits, Priority: job.P1, TTL: 600, Timeout: 600, Root: s.Root, CreatedAt: time.Now().UTC()}
	if _, _, err := work.Jobs(s).Create(t.Context(), spec, func([]job.Job) (*job.Job, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	trees, err := worktree.Open(s.Layout, worktree.Options{StateDir: w.StateDir})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := trees.Make(t.Context(), "SHOP-2", "", "")
	if err == nil {
		err = os.WriteFile(filepath.Join(tree.Root, "cards.txt"), []byte("visa\n"), 0o644)
	}
	if err == nil {
		_, err = trees.Commit(t.Context(), tree, "Take cards")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// comingFrom makes a workspace with a record of each kind that the calls name, in a git repository with one commit.
func comingFrom(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.CopyFS(filepath.Join(dir, ".cairn"), os.DirFS(filepath.Join("testdata", "coming-from"))); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"remote", "add", "origin", "https://github.com/acme/shop.git"}, {"add", "-A"},
		{"-c", "user.name=Lee", "-c", "user.email=lee@example.com", "commit", "-q", "-m", "A shop"},
	} {
		git := exec.CommandContext(t.Context(), "git", args...)
		git.Dir, git.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return dir
}
