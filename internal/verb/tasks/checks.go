package tasks

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/runs"
	"github.com/cairn-tasks/cairn/task"
)

// RunChecksIn is the input of RunChecks.
type RunChecksIn struct {
	ID   record.ID `json:"id" doc:"task whose checks to run" cli:"arg"`
	Only []int     `json:"only,omitempty" doc:"indices from 0; all commands by default" from:"command-checks"`
	verb.Once
}

// exitOfRun says whether all checks that ran have passed, as test runners do.
func exitOfRun(out any) int {
	run := out.(verb.Task).Run
	if run != nil && slices.ContainsFunc(run.Checks, func(c verb.CheckRun) bool { return !c.Stands() }) {
		return verb.ExitCheckFailed
	}
	return 0
}

// RunChecks runs command checks and records their results without moving the task. Manual checks are passed over. A
// check that fails is a result and not an error.
func RunChecks(ctx context.Context, w *verb.Workspace, s *store.Store, in RunChecksIn) (verb.Task, error) {
	t, err := w.ReadForWrite(s, in.ID)
	if err != nil {
		return verb.Task{}, err
	}
	todo, err := commands(t, in.Only)
	if err != nil {
		return verb.Task{}, verb.WithID(err, in.ID)
	}
	if len(todo) == 0 {
		out := w.View(s).Task(t)
		out.Run = &verb.RunReport{Checks: []verb.CheckRun{}}
		return out, nil
	}
	if err := gates.ConsentFor(ctx, w, s, t, gates.ChecksOf(s, t, todo)); err != nil {
		return verb.Task{}, verb.WithID(err, in.ID)
	}
	if err := s.Room(kind.Tasks.Kind, string(t.ID)); err != nil {
		return verb.Task{}, verb.WithID(err, in.ID)
	}
	ran, err := gates.RunChecks(ctx, w, s, t, todo)
	if err != nil {
		return verb.Task{}, verb.WithID(err, in.ID)
	}
	out, err := w.ChangeIn(ctx, s, in.ID, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		if !ran.Fits(wc.Task) {
			return wc.Task, nil, record.Errorf(record.Conflict, "its checks changed while they ran").WithHint("run them again")
		}
		return ran.Record(wc, ran.Proof.Run, w.Stamp(""))
	})
	out.Run = ran.Report
	return out, err
}

func commands(t task.Task, only []int) ([]int, error) {
	if only == nil {
		for i := range t.Checks {
			only = append(only, i)
		}
	}
	var out []int
	for _, i := range only {
		if i < 0 || i >= len(t.Checks) {
			return nil, verb.BadInput("only", "names check %d, and the task has %d, counted from 0", i, len(t.Checks))
		}
		if !t.Checks[i].Manual() && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out, nil
}

// AttestIn is the input of Attest.
type AttestIn struct {
	ID    record.ID `json:"id" doc:"task whose check it is" cli:"arg"`
	Check string    `json:"check,omitempty" doc:"its index from 0, or its description or a part of it" cli:"arg" from:"manual-checks"`
	Pass  *bool     `json:"pass,omitempty" doc:"true if the check passes" cli:"not=fail"`
	Text  string    `json:"text,omitempty" doc:"what was looked at, or what is missing"`

	Guards bool `json:"guards,omitempty" doc:"in place of a check: a person looked at the changed files on which the checks stand" mcp:"quiet"`
	verb.Once
}

// Attest settles a manual check, or records that a person looked at the changed files on which the checks stand.
func Attest(ctx context.Context, w *verb.Workspace, s *store.Store, in AttestIn) (verb.Task, error) {
	if err := record.ValidText("text", in.Text); err != nil {
		return verb.Task{}, err
	}
	switch {
	case in.Guards && (in.Check != "" || in.Pass != nil):
		return verb.Task{}, verb.BadInput("guards", "goes with neither check nor pass: it is no verdict on a check")
	case in.Guards:
		return gates.SeeGuards(ctx, w, s, in.ID, in.Text)
	case in.Check == "":
		return verb.Task{}, verb.BadInput("check", "is missing").WithHint("name a manual check by its index or its description; %s lists them", record.CallTo("get", "id", in.ID).OnlyShown())
	case in.Pass == nil:
		return verb.Task{}, verb.BadInput("", "says neither that the check passes nor that it fails").WithHint("say what was found: whether it is as the check demands, or not")
	}
	a := gates.Attestation{
		Check: func(t task.Task) (int, error) { return t.FindCheck(in.Check) },
		Pass:  *in.Pass, Text: in.Text,
	}
	if w.Signer != nil {
		return a.Signed(ctx, w, s, in.ID)
	}
	return a.Unsigned(ctx, w, s, in.ID)
}

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
func Logs(ctx context.Context, w *verb.Workspace, s *store.Store, in LogsIn) (LogsOut, error) {
	if in.Limit > maxLogs {
		return LogsOut{}, verb.BadInput("limit", "is %d", in.Limit).WithHint("1 to %d; ask for older runs with offset", maxLogs)
	}
	if in.Offset < 0 {
		return LogsOut{}, verb.BadInput("offset", "is %d", in.Offset).WithHint("0 or more")
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
