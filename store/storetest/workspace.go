package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// New makes a workspace outside git, with prefix PROJ. The test fails if it is not sound in the end (WantClean).
func New(t testing.TB) *store.Store {
	t.Helper()
	s := NewAt(t, t.TempDir())
	t.Cleanup(func() { WantClean(t, s) })
	return s
}

// NewAt makes a folder a workspace, with prefix PROJ.
func NewAt(t testing.TB, dir string) *store.Store {
	t.Helper()
	_, _, err := store.Init(dir, "PROJ")
	must(t, err)
	return Open(t, dir)
}

// Open opens the workspace of a folder.
func Open(t testing.TB, dir string) *store.Store {
	t.Helper()
	return value[*store.Store](t)(store.Open(dir, StateDir()))
}

// StateDir is the state folder of the user who runs the tests.
func StateDir() string { return filepath.Join(os.Getenv("HOME"), "state") }

// WantClean fails the test if Judge or Verify finds anything. It does nothing if the test has failed
// already.
func WantClean(t testing.TB, s *store.Store) {
	t.Helper()
	if t.Failed() {
		return
	}
	findings, err := Judge(context.Background(), s.Layout)
	must(t, err)
	for _, f := range findings {
		t.Errorf("judge: %s:%d: %s: %s", f.Path, f.Line, f.Rule, f.Message)
	}
	problems, err := Verify(context.Background(), s)
	must(t, err)
	for _, p := range problems {
		t.Errorf("verify: %s: %s", p.Path, p.Message)
	}
}

// Judge judges the files under .cairn on disk by the rules of package proof, without git.
func Judge(ctx context.Context, l layout.Layout) ([]proof.Finding, error) {
	records, err := snapshot.ReadRecords(ctx, l)
	if err != nil {
		return nil, err
	}
	return records.Judge(), nil
}

// Verify lists what no complete write leaves, beside the files that Judge judges: leftovers, and sessions without their
// task. It repairs nothing.
func Verify(ctx context.Context, s *store.Store) (problems []problem.Problem, _ error) {
	left, err := s.Leftovers(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		problems = append(problems, l.Problem)
	}
	sessions, _, err := kind.Sessions.List(ctx, s)
	for _, ses := range sessions {
		if ses.Task != "" && !place.There(s.Layout, kind.Tasks.Kind, string(ses.Task)) {
			err := record.Errorf(record.BadFile, "task %s does not exist", ses.Task)
			problems = append(problems, problem.Of(kind.Sessions.File(ses.ID), err))
		}
	}
	return problems, err
}

// WantCode fails the test unless err has the code; "" asks for no error.
func WantCode(t testing.TB, err error, code record.Code) {
	t.Helper()
	if got := record.CodeOf(err); got != code || code == "" && err != nil {
		t.Errorf("got error %v with code %q, want code %q", err, got, code)
	}
}

// WantMessage fails the test unless err has the code, and a message with the part in it.
func WantMessage(t testing.TB, err error, code record.Code, part string) {
	t.Helper()
	WantCode(t, err, code)
	if err != nil && !strings.Contains(err.Error(), part) {
		t.Errorf("error %q does not say %q", err, part)
	}
}

// WantTasks fails the test unless the workspace lists these tasks. It returns the problems of the others.
func WantTasks(t testing.TB, s *store.Store, want ...record.ID) []problem.Problem {
	t.Helper()
	tasks, problems, err := kind.Tasks.List(t.Context(), s)
	WantCode(t, err, "")
	got := record.Each(tasks, func(one task.Task) record.ID { return one.ID })
	if !slices.Equal(got, want) {
		t.Errorf("got tasks %v, want %v", got, want)
	}
	return problems
}

// WantNoProblem fails the test unless the workspace lists these tasks and no problem.
func WantNoProblem(t testing.TB, s *store.Store, want ...record.ID) {
	t.Helper()
	if problems := WantTasks(t, s, want...); len(problems) > 0 {
		t.Errorf("got problems %+v", problems)
	}
}

// WantOverwritten fails the test unless these entries of a task were overwritten. Each is written as its did and its
// text.
func WantOverwritten(t testing.TB, s *store.Store, id record.ID, want ...string) {
	t.Helper()
	lost, err := s.Overwritten(t.Context(), Get(t, s, id).Header())
	WantCode(t, err, "")
	got := record.Each(lost, func(e record.Entry) string { return string(e.Did) + " " + e.Text })
	if !slices.Equal(got, want) {
		t.Errorf("got overwritten entries %q, want %q", got, want)
	}
}

// Get reads a task that must exist.
func Get(t testing.TB, s *store.Store, id record.ID) task.Task {
	t.Helper()
	one, err := kind.Tasks.Get(s, id)
	WantCode(t, err, "")
	return one
}

// absolute is a layout, or what embeds one.
type absolute interface{ Abs(rel string) string }

// TaskFile is the path of the file of a task.
func TaskFile(in absolute, id record.ID) string { return in.Abs(kind.Tasks.File(id)) }

// RestFile is the path of the file of a task that rests since a month, which is written as 2026-06.
func RestFile(in absolute, month string, id record.ID) string {
	return in.Abs(kind.Tasks.FileIn(kind.Tasks.RestIn(month), string(id)))
}

// SessionFile is the path of the file of a session.
func SessionFile(in absolute, id string) string { return in.Abs(kind.Sessions.File(id)) }

// TaskText is a task file as a person might write it, with further lines of front matter.
func TaskText(id record.ID, more ...string) string {
	lines := ""
	if len(more) > 0 {
		lines = strings.Join(more, "\n") + "\n"
	}
	return fmt.Sprintf("---\nid: %s\ntitle: Task %s\nstatus: backlog\n%s---\n", id, id, lines)
}

// WriteTask writes TaskText into the workspace without a lock or a rule, as a person would.
func WriteTask(t testing.TB, in absolute, id record.ID, more ...string) {
	t.Helper()
	WriteFile(t, TaskFile(in, id), TaskText(id, more...))
}

// WriteSession writes an active session of human:lee without a lock or a rule.
func WriteSession(t testing.TB, in absolute, id, about string) {
	t.Helper()
	WriteFile(t, SessionFile(in, id), "id: "+id+"\ntask: "+about+"\nactor: human:lee\nstatus: active\nstarted_at: 2026-06-21T10:00:00Z\n")
}

// Noon is the time of everything in tests that needs no time of its own.
var Noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// Soon is a context for what should not take long.
func Soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// WantLean fails the test if what read returns for a workspace with many long bodies keeps those bodies in memory.
func WantLean(t *testing.T, read func(s *store.Store) (any, error)) {
	t.Helper()
	const files, each = 60, 900 << 10
	s := New(t)
	body := strings.Repeat("A line of prose about the walls.\n", each/33)
	for i := range files {
		id := record.ID(fmt.Sprintf("T-%d", i))
		WriteFile(t, TaskFile(s, id), fmt.Sprintf("%s\n%s%d\n", TaskText(id), body, i))
	}
	before := heapInUse()
	kept, err := read(s)
	must(t, err)
	if held := int64(heapInUse()) - int64(before); held > each*2 {
		t.Errorf("%d bytes are kept of %d", held, files*each)
	}
	runtime.KeepAlive(kept)
}

// heapInUse is the size of the heap after a garbage collection, in bytes.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
