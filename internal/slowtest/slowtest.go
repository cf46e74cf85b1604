// Package slowtest keeps tests that take long out of a plain run of the tests, so that everybody who clones the
// repository can have its answer in five minutes. make check and CI run them.
package slowtest

import (
	"os"
	"testing"
	"time"
)

// Patience is how long a test waits for what must happen. It is long, since it only passes where a test fails, and
// some machines start a program ten times as slowly as others.
const Patience = 2 * time.Minute

// all is read before any TestMain empties the environment.
var all = os.Getenv("CAIRN_TESTS") == "all"

// Skip skips a test unless CAIRN_TESTS is all. The name of the test begins with TestSlow, so that CI can run those
// alone.
func Skip(t testing.TB) {
	t.Helper()
	if !all {
		t.Skip("takes long: make check runs it")
	}
}
