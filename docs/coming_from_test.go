package docs_test

import (
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

	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
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
func TestComingFromCalls(t *testing.T) {
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
				Dir: comingFrom(t), StateDir: filepath.Join(t.TempDir(), "state"), Actor: verb.As("agent:claude-1"),
				Rights: verb.Rights{Profile: verb.Maintainer}, Now: time.Now, Rand: rand.Reader,
			}
			if _, err := v.Call(t.Context(), &w, []byte(c[2])); err != nil {
				t.Error(err)
			}
		})
	}
}

// comingFrom makes a workspace with a record of each kind that the calls name, in a git repository with one commit.
func comingFrom(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
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
