package tasks

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/runs"
)

const (
	defaultLogs = 5
	maxLogs     = 20
	logShown    = 8 << 10 // bytes of one log in an answer
)

// LogsIn is the input of Logs.
type LogsIn struct {
	ID     record.ID  `json:"id" doc:"task whose check runs to read" cli:"arg"`
	Limit  verb.Count `json:"limit,omitempty" doc:"how many runs to return; 5 by default, 20 at most"`
	Offset int        `json:"offset,omitempty" doc:"how many of the newest to pass over; next_offset of the page before"`
}

// LogsOut is a page of the logs of a task's check runs, the newest first. Each worktree keeps the newest 20 of a
// task; those of all worktrees of the clone are here.
type LogsOut struct {
	Logs         []Log `json:"logs" result:"rows"`
	TotalRuns    int   `json:"total_runs"`
	ReturnedRuns int   `json:"returned_runs"`
	HasMore      bool  `json:"has_more"`
	NextOffset   int   `json:"next_offset,omitempty"`
	Truncated    bool  `json:"truncated"` // one of the logs was cut at its beginning; the file has it all
}

// Log is what one run of checks printed.
type Log struct {
	Path      string `json:"path"`               // from the workspace root
	Worktree  string `json:"worktree,omitempty"` // folder of another worktree of the clone that it lies in
	Text      string `json:"text"`
	Truncated bool   `json:"truncated"`
}

// Logs returns what check runs of a task printed, page by page.
func Logs(ctx context.Context, w *verb.Workspace, in LogsIn) (LogsOut, error) {
	if in.Limit > maxLogs {
		return LogsOut{}, verb.BadInput("limit", "is %d", in.Limit).WithHint("1 to %d; ask for older runs with offset", maxLogs)
	}
	if in.Offset < 0 {
		return LogsOut{}, verb.BadInput("offset", "is %d", in.Offset).WithHint("0 or more")
	}
	s, err := w.Open()
	if err != nil {
		return LogsOut{}, err
	}
	if _, err := kind.Tasks.Get(s, in.ID); err != nil {
		return LogsOut{}, err
	}
	out, err := logsOf(ctx, w, s, in.ID, cmp.Or(int(in.Limit), defaultLogs), in.Offset)
	if err != nil {
		return LogsOut{}, err
	}
	return *out, nil
}

func logsOf(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, limit, offset int) (*LogsOut, error) {
	paths := s.Runs().Logs(ctx, id)
	out := &LogsOut{Logs: []Log{}, TotalRuns: len(paths)}
	start := min(offset, len(paths))
	end := min(start+limit, len(paths))
	most := int64(runs.MaxLog) // of one log in the answer
	if w.Bounded {
		most = logShown
	}
	for _, found := range paths[start:end] {
		text, cut, err := s.Runs().Read(found.Path, most)
		if err != nil {
			return nil, err
		}
		out.Logs = append(out.Logs, Log{found.Path, found.Worktree, text, cut})
		out.Truncated = out.Truncated || cut
	}
	out.ReturnedRuns = end - start
	if out.HasMore = end < len(paths); out.HasMore {
		out.NextOffset = end
	}
	return out, nil
}
