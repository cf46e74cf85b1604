package job

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
