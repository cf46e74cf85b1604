// Package agents_test runs whole jobs with the agent programs that people have, against a model that the tests serve on
// loopback. make agents installs the programs and runs it; nothing is asked of any other host.
package agents_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// programsVar names the programs to run, with commas between them. They are on PATH.
const programsVar = "AGENTS"

// settings are how each program is led to the model: what the user's config says of it, and the files of its own.
var settings = map[string]func(home, url string) (config string){
	"claude": func(_, url string) string {
		return "model: claude-sonnet-4-5, env: {ANTHROPIC_BASE_URL: '" + url + "', ANTHROPIC_API_KEY: none, " +
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1'}"
	},
	"codex": func(_, url string) string {
		return "model: gpt-5, env: {TEST_KEY: none}, args: ['-c', 'model_provider=\"test\"', '-c', " +
			"'model_providers.test={name=\"test\",base_url=\"" + url + "/v1\",wire_api=\"responses\",env_key=\"TEST_KEY\"}']"
	},
	"opencode": func(home, url string) string {
		write(filepath.Join(home, ".config", "opencode", "opencode.json"), `{"provider": {"test": {"npm": "@ai-sdk/openai-compatible", `+
			`"options": {"baseURL": "`+url+`/v1", "apiKey": "none"}, "models": {"test": {}}}}}`)
		return "model: test/test"
	},
	"gemini": func(home, url string) string {
		write(filepath.Join(home, ".gemini", "settings.json"), `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "model": {"name": "gemini-2.5-flash"}, "general": {"disableAutoUpdate": true, "disableUpdateNag": true}, "privacy": {"usageStatisticsEnabled": false}}`)
		return "env: {GOOGLE_GEMINI_BASE_URL: '" + url + "', GEMINI_API_KEY: none}"
	},
}

func write(path, content string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		panic(err)
	}
}

// lead is who has an agent work on a task.
type lead struct {
	*testing.T
	dir, program string
	model        *model
}

// newLead makes a repository with one task, and a program that the model leads.
func newLead(t *testing.T, program string, moves ...move) lead {
	t.Helper()
	top := t.TempDir()
	bin := filepath.Join(top, "bin", "cairn")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/cairn-tasks/cairn/cmd/cairn").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "CAIRN_") || strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "") // so that it is restored
			_ = os.Unsetenv(name)
		}
	}
	home := filepath.Join(top, "home")
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_STATE_HOME": filepath.Join(home, ".state"),
		"CAIRN_ACTOR": "human:ada", "PATH": filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
	} {
		t.Setenv(name, value)
	}
	write(filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n")
	l := lead{t, filepath.Join(top, "house"), program, newModel(t, moves...)}
	write(filepath.Join(home, ".config", "cairn", "config.yaml"), "executors:\n  "+program+": {"+settings[program](home, l.model.url)+"}\n")
	write(filepath.Join(l.dir, "README"), "A house\n")
	l.run("git", "init", "--quiet")
	l.run("cairn", "init", "--prefix", "HOUSE")
	l.model.task, _, _ = strings.Cut(l.run("cairn", "create", "Lay the stones", "--check", "stones lie=test -s stones"), " ")
	l.run("git", "add", "--all")
	l.run("git", "commit", "--quiet", "--message", "A plan")
	return l
}

func (l lead) run(name string, args ...string) string {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), 3*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = l.dir
	out, err := c.CombinedOutput()
	if err != nil {
		l.Fatalf("%s %s: %v\n%s\n%s", name, strings.Join(args, " "), err, out, l.log())
	}
	return string(out)
}

// log is what the last job said, and what the program asked the model last.
func (l lead) log() string {
	logs := exec.Command("sh", "-c", "cairn job list; for j in $(cairn job list --fields job | sed -n 's/.*\\(job-[a-z0-9]*\\).*/\\1/p'); do cairn job logs $j; done")
	logs.Dir = l.dir
	out, _ := logs.CombinedOutput()
	return string(out)
}

// works starts a job, or has it go on, and waits until the task is in review.
func (l lead) works(args ...string) {
	l.Helper()
	l.run("cairn", append([]string{"job", "start", l.model.task, "--executor", l.program, "--wait"}, args...)...)
	var got struct{ Status string }
	if err := json.Unmarshal([]byte(l.run("cairn", "show", l.model.task, "--json")), &got); err != nil || got.Status != "in_review" {
		l.Fatalf("the task is %s: %v\n%s", got.Status, err, l.log())
	}
}

func programs(t *testing.T) []string {
	all := strings.FieldsFunc(os.Getenv(programsVar), func(r rune) bool { return r == ',' })
	if len(all) == 0 {
		t.Skip(programsVar + " names no program: make agents runs it")
	}
	return all
}

// A job of each program reads its task, works, notes, hands over, hears of a rejection in the same conversation, and its
// work is merged.
func TestAgents(t *testing.T) {
	finish := func(summary string) move { return move{tool: "finish", args: object{"summary": summary}} }
	for _, program := range programs(t) {
		t.Run(program, func(t *testing.T) {
			l := newLead(t, program,
				move{tool: "get", args: object{}},
				move{shell: "echo granite > stones && git add stones && git commit -q -m 'Lay stones'"},
				move{tool: "note", args: object{"text": "granite, from the quarry"}},
				finish("The stones lie."), move{text: "Done."},
				move{shell: "echo more >> stones && git commit -q -a -m 'More stones'"},
				finish("More stones lie."), move{text: "Done again."},
			)
			l.works()
			l.run("cairn", "review", "reject", l.model.task, "too few stones")
			l.works()
			if shown := l.run("cairn", "show", l.model.task); !strings.Contains(shown, "granite, from the quarry") {
				t.Errorf("the note is missing:\n%s", shown)
			}
			if all := l.model.requests(); !strings.Contains(all[len(all)-1], "granite, from the quarry") || !strings.Contains(all[len(all)-1], "too few stones") {
				t.Errorf("the second round does not go on with the first:\n%s", all[len(all)-1])
			}
			if program == "gemini" && strings.Contains(l.log(), "could not be gone on with") { // it had not kept its conversation
				return
			}
			rounds := strings.Fields(l.run("cairn", "job", "list", "--format", "{{.input_tokens}}")) // the newest first
			if len(rounds) != 2 || rounds[0] >= rounds[1] {                                          // of three digits each
				t.Errorf("the jobs used %q tokens; the second has fewer moves than the first", rounds)
			}
			if program == "claude" { // what a run tells of its cost is of that run, also after it has gone on
				costs := strings.Fields(l.run("cairn", "job", "list", "--format", "{{.cost}}"))
				if len(costs) != 2 || costs[0] >= costs[1] { // below a dollar, and written alike
					t.Errorf("the jobs cost %q; the second has fewer moves than the first", costs)
				}
			}
			l.run("cairn", "review", "merge", l.model.task)
			if stones, err := os.ReadFile(filepath.Join(l.dir, "stones")); err != nil || string(stones) != "granite\nmore\n" {
				t.Errorf("on main the stones are %q: %v\n%s\n%s", stones, err, l.run("git", "log", "--oneline", "--stat"), l.log())
			}
			l.run("cairn", "check", "--base", "HEAD~1")
		})
	}
}

// Whatever git an agent runs in its work tree, it hands over.
func TestAgentsAndGit(t *testing.T) {
	for _, program := range programs(t) {
		for _, git := range []string{
			"git stash -u", "git reset --hard && git clean -fd", "git checkout . ", "git switch -c mine", "git commit -q --amend -m other --allow-empty", "git rebase main",
		} {
			t.Run(program+"/"+git, func(t *testing.T) {
				l := newLead(t, program,
					move{shell: git}, move{shell: "echo granite > stones && git add stones && git commit -q -m 'Lay stones'"},
					move{tool: "finish", args: object{"summary": "The stones lie."}}, move{text: "Done."},
				)
				l.works()
				l.run("cairn", "review", "merge", l.model.task)
			})
		}
	}
}

// A program that is told of every tool of a job's agent is offered no other.
func TestAgentsAreOfferedTheirTools(t *testing.T) {
	for _, program := range programs(t) {
		t.Run(program, func(t *testing.T) {
			l := newLead(t, program,
				move{shell: "echo granite > stones"}, move{tool: "finish", args: object{"summary": "The stones lie."}}, move{text: "Done."})
			l.works()
			var asked object
			if err := json.Unmarshal([]byte(l.model.requests()[0]), &asked); err != nil {
				t.Fatal(err)
			}
			var ours []string
			for _, o := range toolsOf(asked["tools"], "") {
				if strings.Contains(o.space+o.name, "cairn") {
					ours = append(ours, o.name)
				}
			}
			if slices.ContainsFunc(ours, func(name string) bool { return strings.HasSuffix(name, "begin") || strings.HasSuffix(name, "claim") }) {
				t.Errorf("it is offered %q", ours)
			}
		})
	}
}

// What is said to a job reaches claude in the middle of its turn, and costs no further round.
func TestAgentsHearWhileTheyWork(t *testing.T) {
	for _, program := range programs(t) {
		if program != "claude" { // the others are told with the next prompt
			continue
		}
		l := newLead(t, program,
			move{shell: "touch ../begun; sleep 5"}, move{shell: "echo slate > stones"},
			move{tool: "finish", args: object{"summary": "The stones lie."}}, move{text: "Done."})
		l.run("cairn", "job", "start", l.model.task, "--executor", program)
		id := strings.TrimSpace(l.run("cairn", "job", "list", "--format", "{{.job}}"))
		for until := time.Now().Add(time.Minute); len(l.model.requests()) == 0 && time.Now().Before(until); {
			time.Sleep(50 * time.Millisecond)
		}
		if told := l.run("cairn", "job", "say", id, "slate, please", "--json"); !strings.Contains(told, `"told": "now"`) {
			t.Errorf("it was told %s", told)
		}
		l.run("cairn", "wait", id, "--wait-for-status", "SUCCEEDED", "--timeout", "60s")
		all := l.model.requests()
		if len(all) != 4 || strings.Contains(all[0], "slate, please") || !strings.Contains(all[1], "slate, please") {
			t.Errorf("of %d requests the second does not tell it:\n%s", len(all), all[min(1, len(all)-1)])
		}
		if got := strings.TrimSpace(l.run("cairn", "job", "list", "--format", "{{.attempt}}")); got != "1" {
			t.Errorf("it took %s rounds", got)
		}
	}
}

// What git takes commands from codex cannot write: git runs those outside of its sandbox.
func TestAgentsWriteNoHooks(t *testing.T) {
	for _, program := range programs(t) {
		if program != "codex" { // the others have no sandbox
			continue
		}
		l := newLead(t, program,
			move{shell: "top=$(git rev-parse --git-common-dir); touch $top/hooks/evil; git config evil.is here; echo granite > stones"},
			move{tool: "finish", args: object{"summary": "The stones lie."}}, move{text: "Done."})
		l.works()
		if _, err := os.Stat(filepath.Join(l.dir, ".git", "hooks", "evil")); err == nil {
			t.Error("it wrote a hook")
		}
		if config, err := os.ReadFile(filepath.Join(l.dir, ".git", "config")); err != nil || strings.Contains(string(config), "evil") {
			t.Errorf("the config is\n%s: %v", config, err)
		}
	}
}
