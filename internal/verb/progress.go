package verb

import (
	"errors"

	"github.com/cairn-tasks/cairn/store/progress"
)

// ErrEndOfInput is the cause of a context that ended because the server that made the call is coming to its end. A verb
// that waits answers with what it knows by then.
var ErrEndOfInput = errors.New("the input ended")

// Progress is how far a call has come. A verb whose work has many parts counts them with progress.Start, by its
// context.
type Progress = progress.Report
