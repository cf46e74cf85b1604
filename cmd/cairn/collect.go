package main

import (
	"runtime/debug"
	"time"
)

const (
	hurried  = 400             // percent by which the heap of a young process may grow before it is collected
	roomy    = 1 << 30         // bytes up to which that holds
	youthful = 5 * time.Second // what runs for longer is collected as usual
)

// collectLate puts off collecting garbage, since most commands end before it is worth the time. It changes nothing for
// a user who sets the limits of Go's collector (GOGC, GOMEMLIMIT).
func collectLate(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	percent, limit := debug.SetGCPercent(hurried), debug.SetMemoryLimit(roomy)
	time.AfterFunc(youthful, func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
}
