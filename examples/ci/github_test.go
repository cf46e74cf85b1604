package ci_test

import (
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// step is a step of a workflow or of an action.
type step struct {
	Name, Uses, Run, Shell string
	With, Env              map[string]string
	Dir                    string `yaml:"working-directory"`
}

// runner does what a runner of GitHub does with the steps that these files have.
type runner struct {
	*machine
	workspace string
	summary   string // of the job
	inputs    map[string]string
	queue     string // what the merge queue's group stands on; "" if this is none
}

var expression = regexp.MustCompile(`\$\{\{ ([a-z._-]+)(?: \|\| ([a-z._-]+))? \}\}`)

// expand fills in the expressions of a text: a value, or another one if that is empty.
func (r *runner) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		names := expression.FindStringSubmatch(found)
		if value := r.value(names[1]); value != "" || names[2] == "" {
			return value
		}
		return r.value(names[2])
	})
}

// value is what a name stands for. One that it does not know is a mistake in the file.
func (r *runner) value(name string) string {
	switch name {
	case "github.action_path":
		top, err := filepath.Abs("../..")
		if err != nil {
			r.t.Fatal(err)
		}
		return top
	case "github.event.merge_group.base_sha":
		return r.queue
	}
	value, ok := r.inputs[strings.TrimPrefix(name, "inputs.")]
	if !ok {
		r.t.Fatalf("nothing is known of %s", name)
	}
	return value
}

// steps runs steps until one fails.
func (r *runner) steps(steps []step) (string, int) {
	r.t.Helper()
	var all strings.Builder
	for _, s := range steps {
		out, exit := r.step(s)
		all.WriteString(out)
		if exit != 0 {
			return all.String(), exit
		}
	}
	return all.String(), 0
}

func (r *runner) step(s step) (string, int) {
	r.t.Helper()
	action, _, _ := strings.Cut(s.Uses, "@")
	switch action {
	case "":
		return r.script(s)
	case "actions/setup-go", "actions/checkout": // Go is here, and so are the files
		return "", 0
	case "cairn-tasks/cairn":
		return r.action(s)
	}
	r.t.Fatalf("nothing is known of %s", s.Uses)
	return "", 0
}

func (r *runner) script(s step) (string, int) {
	r.t.Helper()
	if strings.Contains(s.Run, "${{") {
		r.t.Errorf("%q has an expression in its script, so what it stands for can be a command", s.Name)
	}
	vars := map[string]string{}
	for name, value := range s.Env {
		vars[name] = r.expand(value)
	}
	dir := r.expand(s.Dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.workspace, dir)
	}
	return r.on(vars).run(dir, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
}

// action runs the action at the top of the repository.
func (r *runner) action(s step) (string, int) {
	r.t.Helper()
	action := read[struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []step }
	}](r.t, "../../action.yml")
	inner := *r
	inner.inputs = map[string]string{}
	for name, input := range action.Inputs {
		inner.inputs[name] = input.Default
	}
	for name, value := range s.With {
		if _, ok := action.Inputs[name]; !ok {
			r.t.Errorf("the action takes no %s", name)
		}
		inner.inputs[name] = value
	}
	return inner.steps(action.Runs.Steps)
}

// pullRequest is what a runner has of a pull request: the merge of its branch and the one that it goes to, all of the
// history, and no origin/HEAD.
func (p *project) pullRequest() *runner {
	p.t.Helper()
	p.git("checkout", "--quiet", "--detach", "origin/main")
	p.git("merge", "--quiet", "--no-ff", "--message", "merge", "change")
	p.git("push", "--quiet", "--force", "origin", "HEAD:refs/pull/1/merge")
	top := p.t.TempDir()
	dir, summary := filepath.Join(top, "work"), filepath.Join(top, "summary")
	p.must(top, "git", "init", "--quiet", dir)
	p.must(dir, "git", "remote", "add", "origin", p.bare)
	p.must(dir, "git", "fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*", "+refs/pull/1/merge:refs/remotes/pull/1/merge")
	p.must(dir, "git", "checkout", "--quiet", "--detach", "refs/remotes/pull/1/merge")
	return &runner{workspace: dir, summary: summary, machine: p.on(map[string]string{
		"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_BASE_REF": "main", "GITHUB_HEAD_REF": "change",
		"GITHUB_WORKSPACE": dir, "RUNNER_TEMP": temp, "GITHUB_STEP_SUMMARY": summary,
	})}
}

// mergeGroup is what a runner has in a merge queue: a branch of its own, on which the pull request is merged into what
// goes before it in the queue, all of the history, and no origin/HEAD. The base is named in the event and in no
// variable.
func (p *project) mergeGroup(base string) *runner {
	p.t.Helper()
	p.git("checkout", "--quiet", "--detach", base)
	p.git("merge", "--quiet", "--no-ff", "--message", "Merge pull request 1", "change")
	base = p.git("rev-parse", base)
	head, ref := p.git("rev-parse", "HEAD"), "refs/heads/gh-readonly-queue/main/pr-1-"+base
	p.git("push", "--quiet", "--force", "origin", "HEAD:"+ref)
	top := p.t.TempDir()
	dir, summary, event := filepath.Join(top, "work"), filepath.Join(top, "summary"), filepath.Join(top, "event.json")
	p.must(top, "git", "init", "--quiet", dir)
	p.must(dir, "git", "remote", "add", "origin", p.bare)
	p.must(dir, "git", "fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*")
	p.must(dir, "git", "checkout", "--quiet", "-B", strings.TrimPrefix(ref, "refs/heads/"), head)
	p.write(event, `{"action": "checks_requested", "merge_group": {"head_sha": "`+head+`", "head_ref": "`+ref+`", "base_sha": "`+base+
		`", "base_ref": "refs/heads/main"}, "repository": {"default_branch": "main"}}`)
	return &runner{workspace: dir, summary: summary, queue: base, machine: p.on(map[string]string{
		"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "merge_group", "GITHUB_EVENT_PATH": event, "GITHUB_REF": ref, "GITHUB_SHA": head,
		"GITHUB_BASE_REF": "", "GITHUB_HEAD_REF": "", "GITHUB_WORKSPACE": dir, "RUNNER_TEMP": temp, "GITHUB_STEP_SUMMARY": summary,
	})}
}

// In a merge queue the workflow judges the group as it will be merged, and runs the commands of the tasks that it
// closes: those of this group, and not of the one that goes before it.
func TestSlowGitHubMergeQueue(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	workflow := read[struct {
		On   map[string]any
		Jobs map[string]struct{ Steps []step }
	}](t, "github.yml")
	if _, ok := workflow.On["merge_group"]; !ok {
		t.Fatalf("the workflow does not run in a merge queue: %v", workflow.On)
	}
	steps := workflow.Jobs["record"].Steps
	ahead := filepath.Join(".cairn", "tasks", "T-2.md")
	for _, c := range changes {
		for _, queued := range []bool{false, true} {
			name := c.name
			if queued {
				name += ", behind another group"
			}
			t.Run(name, func(t *testing.T) {
				p.t = t
				p.branch(c.make)
				base := "origin/main"
				if queued {
					p.git("checkout", "--quiet", "--detach", "origin/main")
					p.write(filepath.Join(p.clone, ahead), "---\nid: T-2\ntitle: Paint it\nstatus: backlog\n---\n")
					p.commit("what goes before")
					base = p.git("rev-parse", "HEAD")
				}
				r := p.mergeGroup(base)
				out, exit := r.steps(steps)
				if exit != c.exit || !strings.Contains(out, c.says) {
					t.Errorf("exits with %d, not %d, and says\n%s", exit, c.exit, out)
				}
				if !strings.Contains(out, "compared with "+r.queue[:12]) || !strings.Contains(out, "::group::") {
					t.Errorf("compares with something else, or runs no command:\n%s", out)
				}
				// Without the action the event says it.
				if out, exit := r.run(r.workspace, "cairn", "check", "--run"); exit != c.exit || !strings.Contains(out, "the merge queue's base") {
					t.Errorf("by itself it exits with %d, not %d, and says\n%s", exit, c.exit, out)
				}
			})
		}
	}
}

// A push to the default branch is compared with what was there before, and a job that names no base and has none fails.
func TestSlowGitHubPush(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	p.branch((*project).cheat)
	r := p.mergeGroup("origin/main")
	event := filepath.Join(t.TempDir(), "event.json")
	p.write(event, `{"ref": "refs/heads/main", "before": "`+r.queue+`", "repository": {"default_branch": "main"}}`)
	push := *r
	push.queue = ""
	push.machine = r.on(map[string]string{"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": event})
	use := step{Uses: "cairn-tasks/cairn@main"}
	if out, exit := push.step(use); exit != 1 || !strings.Contains(out, "(before the push ("+r.queue+"))") {
		t.Errorf("a push exits with %d and says\n%s", exit, out)
	}
	push.machine = r.on(map[string]string{"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": ""})
	if out, exit := push.step(use); exit != 2 || !strings.Contains(out, "nothing can be compared") {
		t.Errorf("without a base it exits with %d and says\n%s", exit, out)
	}
}

// With a key the action signs what passed of a push, and of nothing else.
func TestSlowGitHubWitness(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	keys := t.TempDir()
	p.must(keys, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "witness")
	public, private := p.must(keys, "cat", "witness.pub"), p.must(keys, "cat", "witness")
	p.write(filepath.Join(p.clone, ".cairn", "allowed_signers"), `service:ci namespaces="cairn-witness" `+public+"\n")
	p.commit("name the witness")
	p.git("push", "--quiet", "origin", "HEAD:main")
	p.branch((*project).close)
	r := p.mergeGroup("origin/main")
	use := step{Uses: "cairn-tasks/cairn@main", With: map[string]string{"base": r.queue, "run": "true", "witness-key": private}}
	evidence := func() string { return p.must(keys, "git", "ls-remote", p.bare, "refs/cairn/evidence") }
	if out, exit := r.step(use); exit != 0 || evidence() != "" {
		t.Errorf("in a merge queue it exits with %d, signs %q and says\n%s", exit, evidence(), out)
	}
	push := *r
	push.queue = ""
	push.machine = r.on(map[string]string{"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": ""})
	out, exit := push.step(use)
	if exit != 0 || evidence() == "" || strings.Contains(out, "PRIVATE KEY") {
		t.Errorf("for a push it exits with %d, signs %q and says\n%s", exit, evidence(), out)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "witness-*")); len(left) > 0 {
		t.Errorf("it leaves the key in %v", left)
	}
	if list := push.must(push.workspace, "cairn", "evidence", "list", "T-1"); !strings.Contains(list, "yes") {
		t.Errorf("what it signed does not count:\n%s", list)
	}
}

// The workflow, with the action that it uses, judges a pull request from end to end.
func TestSlowGitHub(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	workflow := read[struct {
		Jobs map[string]struct{ Steps []step }
	}](t, "github.yml")
	steps := workflow.Jobs["record"].Steps
	if len(steps) == 0 || steps[0].With["fetch-depth"] != "0" {
		t.Fatalf("the workflow has not the history to judge by: %+v", steps)
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			p.branch(c.make)
			r := p.pullRequest()
			out, exit := r.steps(steps)
			if exit != c.exit || !strings.Contains(out, c.says) {
				t.Errorf("exits with %d, not %d, and says\n%s", exit, c.exit, out)
			}
			if annotated := strings.Contains(out, "\n::error file=.cairn/tasks/T-1.md,line="); annotated != (exit != 0) {
				t.Errorf("annotates %v:\n%s", annotated, out)
			}
			if !strings.Contains(out, "::group::") {
				t.Errorf("runs no command:\n%s", out)
			}
			if summary, err := os.ReadFile(r.summary); err != nil || strings.Contains(string(summary), ".cairn/tasks/T-1.md") != (exit != 0) {
				t.Errorf("sums up %s (%v)", summary, err)
			}
			if left := r.must(r.workspace, "git", "status", "--porcelain"); left != "" {
				t.Errorf("leaves %s behind", left)
			}
		})
	}
}

// Every input reaches cairn as what it is, whatever is in it.
func TestSlowActionInputs(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	p.branch((*project).close)
	r := p.pullRequest()
	out, exit := r.step(step{Uses: "cairn-tasks/cairn@main", With: map[string]string{
		"working-directory": ".cairn", "base": "origin/main", "run": "false", "fail-on": "notice",
		"sarif": "../out.sarif", "junit": "../a b; touch ran.xml", "board": "../pages",
	}})
	if exit != 0 || !strings.Contains(out, "(--base origin/main)") || strings.Contains(out, "pass  T-1") {
		t.Errorf("exits with %d and says\n%s", exit, out)
	}
	for _, name := range []string{"out.sarif", "a b; touch ran.xml", "pages/index.html"} {
		if _, err := os.Stat(filepath.Join(r.workspace, name)); err != nil {
			t.Error(err)
		}
	}
	if _, exit := r.step(step{Uses: "cairn-tasks/cairn@main", With: map[string]string{"base": "nowhere"}}); exit != 2 {
		t.Errorf("with a base that is not there it exits with %d", exit)
	}
}
