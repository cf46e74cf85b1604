package proof

import (
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// Tree is a record as it was read, all of it from one place: the working tree, the index or a commit.
type Tree struct {
	Config   ConfigFile
	Tasks    []TaskFile
	Sessions []SessionFile
	Signers  SignersFile
	Local    []string // paths of files that git has although they belong to one machine only
}

// File is one file of a tree. At most one of Unread and Flaw is set; errors with a place are a *frontmatter.Error.
type File struct {
	Path   string // from the workspace root, with forward slashes
	Src    []byte // where lines are looked up; may be nil if the file is no document
	Kind   frontmatter.Kind
	Unread error // why the file is no document
	Flaw   error // why the document is not the record it should be
}

// Sound reports whether the file was read as what it should be.
func (f File) Sound() bool { return f.Unread == nil && f.Flaw == nil }

// ConfigFile is config.yaml. What it means is known only if it is sound.
type ConfigFile struct {
	File
	Flow       task.Flow
	Severities map[RuleID]Severity // what rules: says
	Unknown    []string            // keys that nobody asked for
}

// TaskFile is one file among the tasks.
type TaskFile struct {
	File
	Name task.ID   // of the file, without its extension: the id that it should have
	Task task.Task // if the file is sound
}

// SessionFile is one file among the sessions.
type SessionFile struct {
	File
	Name    string
	Session session.Session // if the file is sound
}

// SignersFile is allowed_signers: whose signatures count is part of the flow of the config. A tree without one has no Path here.
type SignersFile struct {
	File
	Grants   []SignersLine // what each line grants
	Problems []SignersLine // lines that are not understood, and grant nothing
}

// SignersLine is one line of allowed_signers.
type SignersLine struct {
	Line int
	Text string // whose key it is and when it counts, or what is wrong
}
