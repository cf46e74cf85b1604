package main

import (
	"bytes"
	"regexp"
	"testing"
)

const want = `refused with CHECKS_PENDING: transition DEMO-ID: not yet passed: it is friendly
attest: DEMO-ID is backlog
transition: DEMO-ID is done
`

// The example does what its comment says.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), t.TempDir(), &out); err != nil {
		t.Fatal(err)
	}
	minted := regexp.MustCompile(`DEMO-[0-9a-z]{14}`)
	if got := minted.ReplaceAllString(out.String(), "DEMO-ID"); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
