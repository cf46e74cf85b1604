package executor

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// maxArgument is the most bytes of a prompt in a command line. Linux takes arguments of up to 128 KiB, and Windows
// command lines of 32 KiB.
const maxArgument = 24 << 10

// command returns the command line of a run, whose prompt file is there.
func (r row) command(run Run) (argv, env []string, err error) {
	words, pass, err := r.pass(run)
	if err != nil {
		return nil, nil, err
	}
	start := r.fresh
	if run.Resume != "" {
		start = r.resume
	}
	may := r.edits
	if run.Output == job.Patch {
		may = r.patch
	}
	if run.Box != nil && r.boxed != nil {
		may = r.boxed
	}
	fill := r.standIns(run)
	called := fill.words(slices.Concat(start, r.args, may))
	argv = slices.Concat([]string{r.binary}, r.lead, called, words, r.extra, fill.words(r.tail))
	for _, variable := range r.set {
		if v, ok := fill.word(variable); ok {
			env = append(env, v)
		}
	}
	return argv, append(env, pass...), nil
}

// Interactive returns the command line by which a person starts the program to work with it, and variables that it
// needs beside those of run. The program gets cairn as an MCP server, as in a job; what it asks, it asks the person.
// run says Dir, MCP, Env and Private, and no more.
//
// It does not ask whether the program is on this machine, which Present does. It writes no file but those of
// run.Private.
func (e Executor) Interactive(run Run) (argv, env []string, err error) {
	if e.binary == "" {
		return nil, nil, e.Present()
	}
	words, pass, err := e.pass(run)
	if err != nil {
		return nil, nil, err
	}
	return slices.Concat([]string{e.binary}, e.lead, words), append(e.ownVariables(), pass...), nil
}

// writable is what codex may write, as its permissions have it: the folder that it works in, temporary files, and the git
// folders. Of these it may only read what git takes commands from.
func writable(run Run) string {
	rules := []string{`":root"="read"`, `":tmpdir"="write"`, `":slash_tmp"="write"`, tomlString(run.Dir) + `="write"`}
	for _, dir := range run.Git {
		rules = append(rules, tomlString(dir)+`="write"`)
	}
	var kept []string
	if len(run.Git) > 0 {
		kept = []string{filepath.Join(run.Git[0], "hooks"), filepath.Join(run.Git[0], "config")}
	}
	if link := filepath.Join(run.Dir, ".git"); isThere(link) {
		kept = append(kept, link)
	}
	for _, path := range kept {
		rules = append(rules, tomlString(path)+`="read"`)
	}
	return "{" + strings.Join(rules, ",") + "}"
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// standIns is what words in braces stand for.
type standIns map[string]string

func (r row) standIns(run Run) standIns {
	s := standIns{
		"{model}": cmp.Or(run.Model, r.model), "{resume}": run.Resume, "{prompt}": run.Prompt,
		"{prompt_file}": run.PromptFile, "{dir}": run.Dir, "{budget}": "", "{writable}": writable(run),
	}
	if run.Budget > 0 {
		s["{budget}"] = strconv.FormatFloat(run.Budget, 'f', -1, 64)
	}
	if len(run.Prompt) > maxArgument {
		s["{prompt}"] = "Your task is written in the file " + run.PromptFile + ". Read all of it, and do what it says."
	}
	return s
}

// words returns the words of the groups whose stand-ins all stand for something.
func (s standIns) words(groups []group) (out []string) {
	for _, g := range groups {
		var words []string
		whole := true
		for _, word := range g {
			w, ok := s.word(word)
			words, whole = append(words, w), whole && ok
		}
		if whole {
			out = append(out, words...)
		}
	}
	return out
}

// word replaces the stand-in of a word, of which there is at most one. What comes instead is not looked at again.
func (s standIns) word(w string) (string, bool) {
	for name, value := range s {
		if before, after, found := strings.Cut(w, name); found {
			return before + value + after, value != ""
		}
	}
	return w, true
}

// inherited is the environment of a program: that of this process, without what tells of the session in which cairn
// itself may run, then what the row, the user and the run set. PWD is the folder in which it starts, since some
// programs believe it more than the system.
func (r row) environ(of, set []string, run Run) []string {
	var out []string
	for _, variable := range of {
		if name, _, _ := strings.Cut(variable, "="); !dropped(name) {
			out = append(out, variable)
		}
	}
	out = append(out, "PWD="+run.Dir, "GIT_TERMINAL_PROMPT=0", "NO_COLOR=1")
	return slices.Concat(out, set, r.ownVariables(), run.Env)
}

func (r row) ownVariables() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(r.env)) {
		out = append(out, name+"="+r.env[name])
	}
	return out
}

// dropped reports whether a program does not inherit a variable. Dropped are those by which a coding agent tells its
// children that they run in a session of its own, so that a program would take itself for a part of that; those that
// lead git to another repository, as in a hook; and all of cairn's own. How a user logs in, and which provider they
// use, stays.
func dropped(name string) bool {
	if slices.Contains(keptVariables(), name) {
		return false
	}
	return slices.ContainsFunc(droppedVariables(), func(d string) bool {
		if prefix, ok := strings.CutSuffix(d, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return d == name
	})
}

func droppedVariables() []string {
	return []string{
		"CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_AGENT_SDK_VERSION", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "AI_AGENT", "AGENT",
		"CODEX_SANDBOX*", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_MANAGED_*", "CODEX_INTERNAL_*",
		"GEMINI_CLI", "GEMINI_CLI_IDE_*",
		"OPENCODE", "OPENCODE_PID", "OPENCODE_CLIENT", "OPENCODE_CONFIG_CONTENT", "OPENCODE_PERMISSION", "OPENCODE_RUN_ID", "OPENCODE_PROCESS_ROLE",
		"CURSOR_AGENT", "CURSOR_TRACE_ID", "CURSOR_INVOKED_AS", "COPILOT_AGENT_*", "COPILOT_CLI*", "AMP_CURRENT_THREAD_ID", "AMP_THREAD_ID",
		"FACTORY_PROJECT_DIR",
		"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX",
		"GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES",
		"CAIRN_*", "OLDPWD", "PWD",
	}
}

func keptVariables() []string {
	return []string{
		"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
		"CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS", "CLAUDE_CODE_CLIENT_CERT",
		"CLAUDE_CODE_CLIENT_KEY", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", "CLAUDE_CODE_GIT_BASH_PATH", "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
		"CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_ENABLE_TELEMETRY",
	}
}
