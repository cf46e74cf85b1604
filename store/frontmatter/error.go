package frontmatter

import "fmt"

// Error is the only kind of error of this package: why a document cannot be read, or cannot be changed.
type Error struct {
	Line   int // 1-based line of the file; 0 if the trouble is the file as a whole
	Column int // 1-based column in characters; 0 if not known
	Msg    string

	// Incomplete says that the file is empty or ends inside its front matter, as it does while another program is
	// writing it. Reading again a moment later may succeed.
	Incomplete bool

	// TooLarge says that the file, or what an edit would make of it, is over a limit.
	TooLarge bool

	// Conflict says that git's markers of a merge that was not finished stand in the YAML.
	Conflict bool

	// Duplicate says that a key stands twice.
	Duplicate bool

	// Missing says that the document lacks a key that whoever reads it needs.
	Missing bool
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Msg
	case e.Column == 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	default:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
	}
}

// cannot says of a path why it cannot be changed.
func cannot(path Path, cause *Error) *Error {
	return explain("cannot change "+path.String()+": ", cause)
}

// entangled says of a path that exists why it cannot be changed alone.
func entangled(path Path, cause *Error) *Error {
	return explain("cannot change "+path.String()+" without touching other lines: ", cause)
}

func explain(prefix string, cause *Error) *Error {
	return &Error{Line: cause.Line, Column: cause.Column, Msg: prefix + cause.Msg, TooLarge: cause.TooLarge}
}
