package main

import (
	"runtime/debug"
	"testing"
)

// A user who sets the limits of Go's collector has them.
func TestCollectingIsLeftToWhoSetsIt(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for _, set := range []string{"GOGC", "GOMEMLIMIT"} {
		collectLate(func(name string) string {
			if name == set {
				return "1"
			}
			return ""
		})
		if now := debug.SetGCPercent(100); now != 100 {
			t.Errorf("with %s, the heap grows by %d percent", set, now)
		}
	}
}
