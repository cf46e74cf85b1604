package cmd

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Every code stands in the line of its number.
func TestExitCodes(t *testing.T) {
	lines := map[int]string{}
	for line := range strings.Lines(exitCodes()) {
		n, err := strconv.Atoi(strings.Fields(line)[0])
		if err != nil {
			t.Fatalf("the line %q begins with no number", line)
		}
		lines[n] = line
	}
	for _, info := range record.Codes {
		if !strings.Contains(lines[info.Exit], " "+string(info.Code)) {
			t.Errorf("%s is not in the line of %d: %q", info.Code, info.Exit, lines[info.Exit])
		}
	}
	for _, n := range []int{0, 6, ExitInterrupted} {
		if lines[n] == "" {
			t.Errorf("%d is not explained", n)
		}
	}
}
