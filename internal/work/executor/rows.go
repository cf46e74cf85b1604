package executor

import "github.com/cairn-tasks/cairn/internal/work/job"

// row is a program: how it is called, and what its output means.
//
// Its command line is: binary, lead, fresh or resume, args, edits or patch, the words that pass its MCP server, extra,
// tail. These are lists of groups of words. In a word {model}, {resume}, {prompt}, {prompt_file}, {dir}, {writable} and {budget}
// stand for what the run says, and a group with one that the run does not say is left out.
type row struct {
	name    string
	binary  string     // a program on PATH, or an absolute path; "" until the user names one
	install string     // how it is installed, for whoever lacks it
	dialect string     // the name of the shipped row after which it is called and heard
	hear    dialect    // what its lines mean; nil if they are no JSON, or a protocol's
	output  job.Output // what it hands over if a job does not say; "" is Edits
	max     int        // jobs of a clone at once; 0 is no limit of its own
	tells   told       // what it tells of what it uses
	model   string     // if a run names none

	lead          []string  // words that the user puts right behind the program
	fresh, resume []group   // for a new session, and for an earlier one; a nil resume cannot go on with one
	args          []group   // of every run
	edits, patch  []group   // what it may do, by what it is to hand over; with a nil patch it may change files
	extra         []string  // words that the user adds
	tail          []group   // what comes last
	prompt        promptWay // how it is told what to do

	needs Needs   // what it does in a sandbox
	boxed []group // what it may do in one, if that takes other words than edits and patch: one cannot be made in another

	mcp string            // how it is given an MCP server, see mcp.go; noMCP if it cannot be
	set []string          // variables that it needs: NAME=value, with the stand-ins of a word; one that the run does not say is left out
	env map[string]string // variables that the user sets
}

type group = []string

// told is what a program may tell of what it uses: each more than the one before.
type told int

const (
	toldNothing told = iota
	toldTokens
	toldCost
)

// promptWay is how a program gets its prompt.
type promptWay int

const (
	onInput    promptWay = iota // its standard input is the file with the prompt
	asArgument                  // {prompt} is in its command line; a prompt that is too long for that is a sentence that names the file
	asFile                      // {prompt_file} is in its command line
	bySpeech                    // the dialect sends it
	asMessage                   // its standard input is messages, of which the prompt is the first, see messages.go
)

// acpDialect is the dialect that is a conversation, see acp.go.
const acpDialect = "acp"

// shipped returns the rows of the programs that cairn knows. What is said of one was tried with the version that
// docs/jobs.md names.
func shipped() []row {
	return []row{
		// claude may use every tool that needs nobody's answer when it edits; what the user's own settings deny stays
		// denied. For a patch it has no other tools than those that read. It makes no work tree of its own, asks
		// nobody, does not wait for somebody to approve a plan, and puts nothing off.
		{
			name: "claude", binary: "claude", dialect: "claude", hear: claudeLine, tells: toldCost, mcp: claudeMCP, prompt: asMessage,
			needs: ofAgent(Needs{
				Write: []string{"~/.claude/projects", "~/.claude/.credentials.json"},
				Read:  []string{"~/.claude.json", "~/.claude/settings.json", "~/.claude/CLAUDE.md", "~/.claude/agents", "~/.claude/commands", "~/.claude/skills", "~/.claude/plugins"},
				Env:   []string{"ANTHROPIC_*", "CLAUDE_*", "AWS_*", "CLOUD_ML_REGION"},
			}),
			install: "install it with npm install -g @anthropic-ai/claude-code, and run claude once to log in",
			args: []group{
				{"--print", "--output-format=stream-json", "--input-format=stream-json", "--replay-user-messages", "--verbose"},
				{"--disallowedTools=" +
					"AskUserQuestion,EnterWorktree,ExitWorktree,EnterPlanMode,ScheduleWakeup,CronCreate"},
				{"--model", "{model}"}, {"--max-budget-usd", "{budget}"},
			},
			resume: []group{{"--resume", "{resume}"}},
			edits: []group{{"--permission-mode", "acceptEdits",
				"--allowedTools=Bash,Edit,Write,NotebookEdit,WebFetch,WebSearch,mcp__cairn"}},
			patch: []group{{"--permission-mode", "dontAsk", "--tools=Read,Glob,Grep",
				"--allowedTools=Read,Glob,Grep,mcp__cairn"}},
			set: []string{"MCP_TIMEOUT=60000", "MCP_TOOL_TIMEOUT=3600000"}, // milliseconds: finish runs the checks
		},
		// codex takes its sandbox from -c, since its subcommand resume knows no --sandbox. A sandbox without a network
		// would keep tests from ports of this machine. Of git it may write what a linked work tree needs, and neither the
		// hooks nor the config of the repository, which git outside of the sandbox believes: see writable (measured with
		// 0.171.0 on Linux).
		{
			name: "codex", binary: "codex", dialect: "codex", hear: codexLine, tells: toldTokens, mcp: codexMCP,
			needs: ofAgent(Needs{
				Write: []string{"~/.codex/sessions", "~/.codex/auth.json"},
				Read:  []string{"~/.codex/config.toml", "~/.codex/AGENTS.md", "~/.codex/prompts", "~/.codex/skills"},
				Env:   []string{"CODEX_*", "OPENAI_*", "AZURE_OPENAI_*"},
			}),
			boxed:   []group{{"-c", `sandbox_mode="danger-full-access"`}},
			install: "install it with npm install -g @openai/codex, and log in with codex login",
			fresh:   []group{{"exec"}},
			resume:  []group{{"exec", "resume"}},
			args:    []group{{"--json", "--skip-git-repo-check", "-c", `approval_policy="never"`}, {"--model", "{model}"}},
			edits: []group{
				{"-c", `default_permissions="cairn"`, "-c", "permissions.cairn.network.enabled=true"},
				{"-c", "permissions.cairn.filesystem={writable}"},
			},
			patch: []group{{"-c", `sandbox_mode="read-only"`}},
			tail:  []group{{"{resume}"}, {"-"}},
		},
		// gemini is spoken to by the protocol, over which alone it takes an MCP server for one run. Its sessions are
		// begun with the words of its command line, so --approval-mode counts. It reads a work tree's own settings
		// only where it is trusted, and refuses --approval-mode where it is not.
		{
			name: "gemini", binary: "gemini", dialect: acpDialect, prompt: bySpeech, mcp: acpMCP, tells: toldTokens,
			needs: ofAgent(Needs{
				Write: []string{"~/.gemini/tmp", "~/.gemini/oauth_creds.json"},
				Read:  []string{"~/.gemini/settings.json", "~/.gemini/GEMINI.md", "~/.gemini/google_accounts.json", "~/.gemini/installation_id"},
				Env:   []string{"GEMINI_*", "GOOGLE_*"},
			}),
			install: "install it with npm install -g @google/gemini-cli, and run gemini once to log in",
			args:    []group{{"--acp"}},
			resume:  []group{},
			edits:   []group{{"--approval-mode", "yolo"}},
			patch:   []group{{"--approval-mode", "plan"}},
			set:     []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		},
		// opencode gets what it may do from its config, which is passed in a variable, see mcp.go. --auto answers what
		// that leaves open, and never what it denies.
		{
			name: "opencode", binary: "opencode", dialect: "opencode", hear: opencodeLine, tells: toldCost, mcp: opencodeMCP,
			needs: ofAgent(Needs{
				Write: []string{"~/.local/share/opencode", "~/.local/state/opencode"},
				Read:  []string{"~/.config/opencode", "~/.cache/opencode"},
				Env:   []string{"OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "AWS_*", "OPENROUTER_*"},
			}),
			install: "install it with npm install -g opencode-ai, and log in with opencode auth login",
			fresh:   []group{{"run"}},
			resume:  []group{{"run", "--session", "{resume}"}},
			args:    []group{{"--format", "json", "--dir", "{dir}"}, {"--model", "{model}"}},
			edits:   []group{{"--auto"}},
			patch:   []group{},
			set:     []string{"OPENCODE_DISABLE_AUTOUPDATE=1"},
		},
		// cursor takes no MCP server for one run: it reads them from the user's files and from the work tree.
		{
			name: "cursor", binary: "cursor-agent", dialect: "cursor", hear: cursorLine, mcp: noMCP, prompt: asArgument,
			needs:   ofAgent(Needs{Write: []string{"~/.cursor", "~/.config/cursor"}, Env: []string{"CURSOR_*"}}),
			install: "install it as cursor.com/cli says, and log in with cursor-agent login",
			args:    []group{{"--print", "--output-format", "stream-json", "--trust"}, {"--model", "{model}"}},
			resume:  []group{{"--resume={resume}"}},
			edits:   []group{{"--force"}},
			patch:   []group{{"--mode", "ask"}},
			tail:    []group{{"--", "{prompt}"}},
		},
		{
			name: "copilot", binary: "copilot", dialect: "copilot", hear: copilotLine, tells: toldTokens, mcp: copilotMCP,
			needs:   ofAgent(Needs{Write: []string{"~/.copilot"}, Env: []string{"COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"}}),
			install: "install it with npm install -g @github/copilot, and log in with copilot login",
			args: []group{
				{"--output-format", "json", "--stream", "off", "--no-ask-user", "--no-color", "--no-auto-update"},
				{"--allow-all-tools"},
				{"--model", "{model}"},
			},
			resume: []group{{"--resume={resume}"}},
			patch:  []group{{"--deny-tool=write", "--deny-tool=shell"}},
		},
		// amp cannot be kept from changing files by its command line.
		{
			name: "amp", binary: "amp", dialect: "amp", hear: ampLine, tells: toldTokens, mcp: ampMCP,
			needs:   ofAgent(Needs{Write: []string{"~/.local/share/amp"}, Read: []string{"~/.config/amp"}, Env: []string{"AMP_*"}}),
			install: "install it with npm install -g @ampcode/cli, and log in with amp login",
			resume:  []group{{"threads", "continue", "{resume}"}},
			args: []group{
				{"--execute", "--stream-json", "--no-ide", "--no-notifications", "--no-color"}, {"--mode", "{model}"},
			},
		},
		// droid takes no MCP server for one run, as cursor. Without --auto it changes nothing.
		{
			name: "droid", binary: "droid", dialect: "droid", hear: droidLine, tells: toldTokens, mcp: noMCP, prompt: asFile,
			needs:   ofAgent(Needs{Write: []string{"~/.factory"}, Env: []string{"FACTORY_*"}}),
			install: "install it with npm install -g droid, and run droid once to log in",
			fresh:   []group{{"exec"}},
			resume:  []group{{"exec", "--session-id", "{resume}"}},
			args: []group{
				{"--output-format", "stream-json", "--cwd", "{dir}", "--remove-tools", "AskUser"}, {"--model", "{model}"},
			},
			edits: []group{{"--auto", "medium"}},
			patch: []group{},
			tail:  []group{{"--file", "{prompt_file}"}},
		},
		{name: "acp", dialect: acpDialect, needs: ofAgent(Needs{}), prompt: bySpeech, mcp: acpMCP, tells: toldCost, resume: []group{}},
		{name: "command", dialect: "command", set: []string{"CAIRN_PROMPT={prompt_file}"}},
	}
}
