package problem_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/problem"
)

// The end of a context is no trouble with the disk.
func TestIO(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want record.Code
	}{
		{fs.ErrPermission, record.IO},
		{record.Errorf(record.Busy, "later"), record.Busy},
		{context.Canceled, ""},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), ""},
	} {
		if got := record.CodeOf(problem.IO(tt.err)); got != tt.want {
			t.Errorf("%v: got the code %q, want %q", tt.err, got, tt.want)
		}
	}
}
