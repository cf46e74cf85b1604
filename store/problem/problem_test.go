package problem_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing"

	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// The end of a context is no trouble with the disk.
func TestIO(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want task.Code
	}{
		{fs.ErrPermission, task.IO},
		{task.Errorf(task.Busy, "later"), task.Busy},
		{context.Canceled, ""},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), ""},
	} {
		if got := task.CodeOf(problem.IO(tt.err)); got != tt.want {
			t.Errorf("%v: got the code %q, want %q", tt.err, got, tt.want)
		}
	}
}
