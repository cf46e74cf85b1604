package executor

import "github.com/cairn-tasks/cairn/job"

// row is a program: how it is called, and what its output means.
//
// Its command line is: binary, lead, fresh or resume, args, edits or patch, the words of its MCP server, extra, tail. These are lists of groups of
// words. {model}, {resume}, {prompt}, {prompt_file}, {dir}, {private} and {budget} in a word stand for what the run says, and a group with one that
// the run does not say is left out.
type row struct {
	name    string
	binary  string // a program on PATH, or an absolute path; "" until the user names one
	install string // how it is installed, in a sentence
	dialect string
	output  job.Output // what it hands over if a job does not say; "" is Edits
	max     int

	lead          []string   // words that the user puts behind the program
	fresh, resume [][]string // for a new session, and for an earlier one; resume is nil if it cannot go on
	args          [][]string
	edits, patch  [][]string // what it may do, by what it is to hand over
	extra         []string   // words that the user adds
	tail          [][]string
	stdin         bool // the prompt comes on its standard input, and otherwise where {prompt} or {prompt_file} is

	mcp   string // how it is given an MCP server, see mcp.go
	set   []string
	env   map[string]string // variables that the user sets
	drop  []string          // variables that it does not inherit: names, or prefixes that end with *
	model string            // if the run names none
}

// The dialects.
const (
	claudeDialect   = "claude"
	codexDialect    = "codex"
	geminiDialect   = "gemini"
	opencodeDialect = "opencode"
	cursorDialect   = "cursor"
	copilotDialect  = "copilot"
	ampDialect      = "amp"
	droidDialect    = "droid"
	acpDialect      = "acp"
	commandDialect  = "command"
)

// noMCP is the way of a program that cannot be given a server for one run.
const noMCP = ""

// shipped returns the rows of the programs that cairn knows. Two names of one program do not exist: a user who wants one adds it.
func shipped() []row {
	return []row{
		{name: "claude", binary: "claude", dialect: claudeDialect, install: "npm install -g @anthropic-ai/claude-code, then run claude once to log in"},
		{name: "codex", binary: "codex", dialect: codexDialect, install: "npm install -g @openai/codex, then codex login"},
		{name: "gemini", binary: "gemini", dialect: geminiDialect, install: "npm install -g @google/gemini-cli, then run gemini once to log in"},
		{name: "opencode", binary: "opencode", dialect: opencodeDialect, install: "npm install -g opencode-ai, then opencode auth login"},
		{name: "cursor", binary: "cursor-agent", dialect: cursorDialect, install: "see cursor.com/cli, then cursor-agent login"},
		{name: "copilot", binary: "copilot", dialect: copilotDialect, install: "npm install -g @github/copilot, then copilot login"},
		{name: "amp", binary: "amp", dialect: ampDialect, install: "npm install -g @ampcode/cli, then amp login"},
		{name: "droid", binary: "droid", dialect: droidDialect, install: "npm install -g droid, then run droid once to log in"},
		{name: "acp", dialect: acpDialect, mcp: "acp"},
		{name: "command", dialect: commandDialect},
	}
}
