package verb

import "errors"

// ErrEndOfInput is the cause of a context that ended because the server that made the call is coming to its end. A verb
// that waits answers with what it knows by then.
var ErrEndOfInput = errors.New("the input ended")

// Progress is how far a call has come.
type Progress struct {
	Done    float64 // grows with each report
	Total   float64 // what Done will be at the end
	Message string  // what it is doing
}
