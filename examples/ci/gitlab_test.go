package ci_test

import (
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The template judges a merge request from end to end, and leaves the reports that it names.
func TestSlowGitLab(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	job, ok := read[map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct{ Reports map[string]string }
	}](t, "gitlab.yml")["cairn check"]
	if !ok || job.Variables["GIT_DEPTH"] != "0" {
		t.Fatalf("the template has not the history to judge by: %+v", job)
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			p.branch(c.make)
			dir := p.mergeRequest()
			out, exit := p.on(map[string]string{
				"CI": "true", "GITLAB_CI": "true", "CI_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1",
				"CI_MERGE_REQUEST_DIFF_BASE_SHA":      p.git("merge-base", "origin/main", "change"),
				"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
			}).on(job.Variables).run(dir, "sh", "-ec", strings.Join(job.Script, "\n"))
			if exit != c.exit || !strings.Contains(out, c.says) {
				t.Errorf("exits with %d, not %d, and says\n%s", exit, c.exit, out)
			}
			if !strings.Contains(out, "section_start:") {
				t.Errorf("runs no command:\n%s", out)
			}
			for kind, name := range job.Artifacts.Reports {
				src, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil || strings.Contains(string(src), ".cairn/tasks/T-1.md") != (exit != 0) {
					t.Errorf("the %s report says %s (%v)", kind, src, err)
				}
			}
		})
	}
}

// In a merge train the change is compared with what goes before it, and a push to the default branch with what was
// there.
func TestSlowGitLabTrainAndPush(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	job := read[map[string]struct {
		Variables map[string]string
		Script    []string
	}](t, "gitlab.yml")["cairn check"]
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			p.branch(c.make)
			p.git("checkout", "--quiet", "--detach", "origin/main")
			p.git("commit", "--quiet", "--allow-empty", "--message", "what goes before")
			before := p.git("rev-parse", "HEAD")
			p.git("merge", "--quiet", "--no-ff", "--message", "train", "change")
			p.git("push", "--quiet", "--force", "origin", "HEAD:refs/merge-requests/1/train")
			dir := filepath.Join(t.TempDir(), "work")
			p.must(p.clone, "git", "init", "--quiet", dir)
			p.must(dir, "git", "remote", "add", "origin", p.bare)
			p.must(dir, "git", "fetch", "--quiet", "origin", "+refs/merge-requests/1/train:refs/merge-requests/1/train")
			p.must(dir, "git", "checkout", "--quiet", "--detach", "refs/merge-requests/1/train")
			gitLab := map[string]string{"CI": "true", "GITLAB_CI": "true", "CI_PROJECT_ID": "1", "CI_DEFAULT_BRANCH": "main"}
			for kind, vars := range map[string]map[string]string{
				"train": {
					"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1", "CI_MERGE_REQUEST_EVENT_TYPE": "merge_train",
					"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": before, "CI_MERGE_REQUEST_DIFF_BASE_SHA": p.git("merge-base", "origin/main", "change"),
					"CI_COMMIT_BEFORE_SHA": strings.Repeat("0", 40),
				},
				"push": {"CI_COMMIT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": before},
			} {
				out, exit := p.on(gitLab).on(vars).on(job.Variables).run(dir, "sh", "-ec", strings.Join(job.Script, "\n"))
				if exit != c.exit || !strings.Contains(out, c.says) || !strings.Contains(out, "compared with "+before[:12]) {
					t.Errorf("a %s exits with %d, not %d, and says\n%s", kind, exit, c.exit, out)
				}
				if !strings.Contains(out, "section_start:") {
					t.Errorf("a %s runs no command:\n%s", kind, out)
				}
			}
		})
	}
}

// mergeRequest is what a runner has of a merge request: its branch without the branch's name, and all of the history.
func (p *project) mergeRequest() string {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), "work")
	p.must(p.clone, "git", "clone", "--quiet", p.bare, dir)
	p.must(dir, "git", "checkout", "--quiet", "--detach", "origin/change")
	return dir
}

// A job of GitLab Pages that takes up the template's leaves the board as files.
func TestSlowGitLabBoard(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	job := read[map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct{ Paths []string }
	}](t, "gitlab.yml")[".cairn board"]
	p.branch(func(p *project) { p.close() })
	dir := p.mergeRequest()
	out, exit := p.on(map[string]string{"CI": "true", "GITLAB_CI": "true", "CI_COMMIT_BRANCH": "main"}).on(job.Variables).run(dir, "sh", "-ec", strings.Join(job.Script, "\n"))
	if exit != 0 || len(job.Artifacts.Paths) != 1 {
		t.Fatalf("it exits with %d and leaves %v:\n%s", exit, job.Artifacts.Paths, out)
	}
	for _, name := range []string{"index.html", "board.html", "style.css", "task/T-1.html"} {
		src, err := os.ReadFile(filepath.Join(dir, job.Artifacts.Paths[0], name))
		if err != nil || strings.Contains(string(src), "<script") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
