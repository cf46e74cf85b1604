package kind_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A session file by another hand, with keys and comments of its own.
const handwrittenSession = `# begun by hand
id: ses-01j8x2k7q7f3az
kind: review   # of a later version
actor: 'agent:claude-1'
status: active # for now
started_at: "2026-06-21T10:00:00Z"
notes:
  - first look
`

// A new session file reads back as the session it was made of, and as the format's page shows it.
func TestNewSessionFile(t *testing.T) {
	want := session.Session{
		ID: "ses-01j8x2k7q7f3az", Task: "PROJ-1", Actor: "agent:claude-1", Client: "codex", Model: "m-1", Status: session.Finished,
		StartedAt: storetest.Noon, EndedAt: storetest.Noon.Add(time.Hour), Branch: "feature/x", Worktree: "shop", Head: "1f3870b",
		Summary: "done: #1\nand more",
		Provenance: record.Log{
			{Who: "agent:claude-1", At: storetest.Noon, Did: record.Began},
			{Who: "agent:claude-1", At: storetest.Noon.Add(time.Hour), Did: record.Finished, From: "active", To: "finished", Text: "done: #1\nand more"},
		},
	}
	doc, err := kind.Sessions.Create(want)
	storetest.WantCode(t, err, "")
	storetest.Golden(t, "testdata/new-session.yaml", string(doc.Bytes()))
	_, got := parseSession(t, doc.Bytes())
	if want.Rev = got.Rev; !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// Ending a session touches its own lines only, also in a file of another hand that names no task.
func TestSessionWritesTouchOnlyTheirOwnLines(t *testing.T) {
	doc, was := parseSession(t, []byte(handwrittenSession))
	if was.Task != "" || !was.StartedAt.Equal(time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v", was)
	}
	now := was.End(session.Finished, record.Stamp{Who: was.Actor, At: storetest.Noon, Text: "ready for review"})
	edited, err := kind.Sessions.Edit(doc, was, now)
	storetest.WantCode(t, err, "")
	want := `-status: active # for now
+status: finished # for now
+ended_at: 2026-07-01T12:00:00Z
+summary: ready for review
+provenance:
+  - {who: 'agent:claude-1', at: 2026-07-01T12:00:00Z, did: finished, from: active, to: finished, text: ready for review}
`
	if got := storetest.DiffLines(handwrittenSession, string(edited.Bytes())); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	_, got := parseSession(t, edited.Bytes())
	if now.Rev = got.Rev; !reflect.DeepEqual(got, now) {
		t.Errorf("got\n%+v\nwant\n%+v", got, now)
	}
}

// A session and a proposal are read by the same rules as a task: no key of theirs comes from elsewhere.
func TestRecordsRefuseMergeKeys(t *testing.T) {
	const src = "x: &x {actor: 'human:lee', status: finished}\n<<: *x\nid: ses-1\n"
	doc, err := format.Parse([]byte(src), format.YAML)
	storetest.WantCode(t, err, "")
	for name, read := range map[string]func() error{
		"session":  func() error { _, err := kind.Sessions.Decode(doc); return err },
		"proposal": func() error { _, err := kind.Proposals.Decode(doc); return err },
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), "line 2, column 1: merge keys") {
			t.Errorf("a %s: got %v", name, err)
		}
	}
}

func parseSession(t *testing.T, src []byte) (*format.Doc, session.Session) {
	t.Helper()
	doc, err := format.Parse(src, format.YAML)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	s, err := kind.Sessions.Decode(doc)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return doc, s
}
