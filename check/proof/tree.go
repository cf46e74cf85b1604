package proof

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Tree is every file under .cairn that the rules judge, all read from one place: the working tree, the index or a
// commit.
type Tree struct {
	Config  ConfigFile
	Tasks   []*TaskFile
	Records []*RecordFile // all but the tasks
	Kinds   []Kind        // every kind of record but tasks
	Signers SignersFile
	Seconds []SecondFile
	Files   map[string]string // of record.FilesFolder, by path: the SHA-256 of the content in hex; "" for one that cannot be read
	Local   []string          // paths of files that git has although they belong to one machine only
}

// File is one file of a tree. At most one of Unread and Flaw is set. An error about a line of the file is, or wraps, a
// *FormatError.
type File struct {
	Path   string                    // from the workspace root, with forward slashes
	Src    []byte                    // its text; may be nil if it is no document
	Parse  func(src []byte) Document // reads Src as a document, or returns nil; may be nil if it is no document
	Unread error                     // why the file is no document
	Flaw   error                     // why the document is not the record that it should be
	Ref    record.Ref                // the record that it should be, by its name; zero for a file that is none
	Head   record.Header             // of the record, if the file is sound; Log holds the entries that stand under provenance in the file
}

// Document answers what the rules ask of a file's text. Only the reader of the tree knows the format, so it implements
// this.
type Document interface {
	// Line returns the line of the value at a path, or of the nearest one around it that exists.
	Line(at Path) int
	// Conflict returns the line on which a merge conflict in the body begins, or 0.
	Conflict() int
	// Entries returns one text for each entry of the provenance. Two texts are equal if the entries mean the same,
	// whatever their quotes, order and layout.
	Entries() []string
}

// Path leads from the top of a document to a value: strings are keys and ints are indexes of a list, as in
// Path{"checks", 0, "result"}.
type Path []any

// FormatError is an error about a line of a file.
type FormatError struct {
	Rule Rule // ConflictMarkers, DuplicateKey or MissingField; zero if the error is none of these
	Line int  // 0 if the error is about the whole file
	Msg  string
	Err  error // the error of the format's reader
}

func (e *FormatError) Error() string { return e.Err.Error() }

func (e *FormatError) Unwrap() error { return e.Err }

// document parses the file, or returns nil if it is none.
func (f *File) document() Document {
	if f.Parse == nil {
		return nil
	}
	return f.Parse(f.Src)
}

// Sound reports whether the file was read as what it should be.
func (f File) Sound() bool { return f.Unread == nil && f.Flaw == nil }

// ConfigFile is config.yaml. Flow and Severities are set only if it is sound.
type ConfigFile struct {
	File
	Flow       task.Flow
	Severities map[RuleID]Severity // the key rules
	Unknown    []string            // keys that cairn does not know

	ByMerge   bool        // close_by: merge: a task is closed by merging its branch
	Guards    []string    // guards: globs of the files on which checks stand that name none
	Require   []task.Need // require: what closes need
	Sandboxed bool        // check_sandbox: commands of checks run in a sandbox
	Setup     string      // worktree_setup: what is run in each new work tree

	JobsSandboxed bool // job_sandbox: programs of jobs run in one

	Repos map[string]string // repos: where each lies, by its name
}

// TaskFile is one file of a task.
type TaskFile struct {
	File
	Task task.Task // if the file is sound
}

// ID is the id that the task should have.
func (f *TaskFile) ID() record.ID { return record.ID(f.Ref.ID) }

// task is the id of the task that a file should be; "" for any other file.
func (f *File) task() record.ID {
	if f.Ref.Kind != record.TaskKind {
		return ""
	}
	return record.ID(f.Ref.ID)
}

// All returns the files of records of every kind, those of tasks first.
func (t Tree) All() []*File {
	out := make([]*File, 0, len(t.Tasks)+len(t.Records))
	for _, f := range t.Tasks {
		out = append(out, &f.File)
	}
	for _, f := range t.Records {
		out = append(out, &f.File)
	}
	return out
}

// SecondFile is a file of a record that has another one, which is in the tree. Nobody reads this one, so no other rule
// judges it.
type SecondFile struct {
	File
	Counts string // the path of the other one
	Same   bool   // that holds the same
}

// SignersFile is allowed_signers, for messages about its lines; the signers themselves are part of the config's Flow.
// Path is "" in a tree without one.
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
