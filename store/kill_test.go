package store_test

import (
	"errors"
	"os"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// errKilled is the error of every call of a process after it was killed. Nobody sees it.
var errKilled = errors.New("killed")

// kill plays the kill of a process: from the first call that it chooses on, no call changes the disk any more.
type kill struct {
	at   func(disk.Call) bool
	torn bool // half of the call has come, where it writes
}

// during makes a write that is killed. It reports whether there was such a call. It may not run beside other tests.
func (k kill) during(write func()) (killed bool) {
	disk.Intercept = func(c disk.Call, do func() error) error {
		if !killed && k.at(c) {
			if killed = true; k.torn && c.Op == disk.Write {
				tear(c.Path, do)
			}
		}
		if killed {
			return errKilled
		}
		return do()
	}
	defer func() { disk.Intercept = nil }()
	write()
	return killed
}

// tear makes a write to a file, and takes half of it back.
func tear(path string, do func() error) {
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	before := size()
	_ = do()
	_ = os.Truncate(path, before+(size()-before)/2)
}

// killedAt is during for a kill at the first call of a kind on a file, which must come.
func killedAt(t *testing.T, op disk.Op, path string, write func()) {
	t.Helper()
	if !(kill{at: func(c disk.Call) bool { return c.Op == op && c.Path == path }}).during(write) {
		t.Fatalf("there was no %s of %s", op, path)
	}
}

// nth chooses the call of a number, from 1.
func nth(n int) func(disk.Call) bool {
	return func(disk.Call) bool { n--; return n == 0 }
}
