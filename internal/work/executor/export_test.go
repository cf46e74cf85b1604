package executor

import "time"

// Hurried is an executor whose program is given less time to end.
func (e Executor) Hurried() Executor {
	e.linger, e.grace = 300*time.Millisecond, 200*time.Millisecond
	return e
}
