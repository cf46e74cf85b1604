package job

import (
	"fmt"
	"strconv"
	"time"
)

// Event is one thing that happened in a job, whatever the executor called it: a line of events.jsonl.
type Event struct {
	At   time.Time `json:"at"`
	Type EventType `json:"type"`
	// Text is what was said, planned, asked or went wrong; of a tool, its name with its most telling argument. It is cut
	// to MaxEventText.
	Text    string `json:"text,omitempty"`
	ID      string `json:"id,omitempty"`      // of the session to resume (Session), or of the call of a tool (ToolStart, ToolEnd)
	Failed  bool   `json:"failed,omitempty"`  // a tool failed, or the executor said at its end that it did
	Attempt int    `json:"attempt,omitempty"` // round
	State   State  `json:"state,omitempty"`   // new state (StateChange)
	Phase   Phase  `json:"phase,omitempty"`
	Usage   *Usage `json:"usage,omitempty"`
}

// Usage is what an executor told that it used. What it does not tell is 0.
type Usage struct {
	InputTokens  int64   `json:"input_tokens,omitempty"`
	CachedTokens int64   `json:"cached_tokens,omitempty"` // those of the input that its provider had in a cache
	OutputTokens int64   `json:"output_tokens,omitempty"`
	Cost         float64 `json:"cost,omitempty"` // US dollars
}

// Plus is what two runs used together.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.InputTokens + v.InputTokens, u.CachedTokens + v.CachedTokens, u.OutputTokens + v.OutputTokens, u.Cost + v.Cost}
}

// Since is what was used after an earlier count.
func (u Usage) Since(v Usage) Usage {
	return u.Plus(Usage{-v.InputTokens, -v.CachedTokens, -v.OutputTokens, -v.Cost})
}

// Most has of each count the larger one.
func (u Usage) Most(v Usage) Usage {
	return Usage{
		max(u.InputTokens, v.InputTokens), max(u.CachedTokens, v.CachedTokens), max(u.OutputTokens, v.OutputTokens), max(u.Cost, v.Cost),
	}
}

// Tokens are all of them, as people read it: "-" for what was not told.
func (u Usage) Tokens() string {
	if n := u.InputTokens + u.OutputTokens; n > 0 {
		return strconv.FormatInt(n, 10)
	}
	return "-"
}

// Dollars is what they cost, likewise.
// Dollars is what they cost, likewise.
func (u Usage) Dollars() string {
	if u.Cost > 0 {
		return fmt.Sprintf("$%.2f", u.Cost)
	}
	return "-"
}

// String is all of it, in words.
func (u Usage) String() string {
	if u == (Usage{}) {
		return "-"
	}
	return fmt.Sprintf("%d tokens in (%d cached), %d out, %s", u.InputTokens, u.CachedTokens, u.OutputTokens, u.Dollars())
}

// Spent is what counts for a budget in tokens: the input that came from no cache, and the output.
func (u Usage) Spent() int64 { return u.InputTokens - u.CachedTokens + u.OutputTokens }

// EventType says what kind of thing happened.
type EventType string

// The types of events.
const (
	EventSession    EventType = "session" // the executor told under which id it can be resumed
	EventText       EventType = "text"
	EventToolStart  EventType = "tool_start"
	EventToolEnd    EventType = "tool_end"
	EventPlan       EventType = "plan"
	EventPermission EventType = "permission" // it asked for something that nobody answers
	EventRetry      EventType = "retry"      // its provider was asked again
	EventUsage      EventType = "usage"
	EventSaid       EventType = "said"     // of the supervisor: the executor was given what somebody said to the job
	EventArtifact   EventType = "artifact" // of the supervisor: a file of the job is there
	EventState      EventType = "state"    // of the supervisor
	EventError      EventType = "error"
	EventEnd        EventType = "end" // the executor said that it is done; Text is its final message
)

// MaxEventText is the most bytes of an event's text.
const MaxEventText = 4 << 10

// Names of files in the folder of a job, beside those that say what it is.
const (
	PatchFile    = "patch.diff" // what the branch changes against the base
	OutFile      = "out.md"     // what the executor said
	PRFile       = "pr.json"    // the pull request of the branch
	SetupLog     = "setup.log"  // of the set-up command
	StdoutLog    = "stdout.log" // of the executor
	StderrLog    = "stderr.log"
	PromptFile   = "prompt.md" // what the executor was told last
	ExitFile     = "exit.json" // how the executor ended last
	PrivateFiles = "private"   // a folder for what only the executor reads
)

// Artifact is what a job may leave for its readers: a file of its folder, or several, one behind the other.
type Artifact struct {
	Name  string // in resources
	Type  string // of its content
	Files []string
}

// Artifacts is everything that a job may leave, in the order in which it is shown.
var Artifacts = []Artifact{
	{PatchFile, "text/plain", []string{PatchFile}},
	{OutFile, "text/markdown", []string{OutFile}},
	{"logs.txt", "text/plain", []string{SetupLog, StdoutLog, StderrLog}},
	{PRFile, "application/json", []string{PRFile}},
}

// StatusURI is the URI of the resource with the status of a job.
func StatusURI(id string) string { return "cairn://job/" + id + "/status" }

// ArtifactURI is the URI of the resource with an artifact of a job.
func ArtifactURI(id, name string) string { return "cairn://job/" + id + "/artifacts/" + name }
