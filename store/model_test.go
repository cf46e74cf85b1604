package store_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"pgregory.net/rapid"
)

// Random steps of three actors, compared after each step with a plain map that says what should be. Once a sequence is
// over nothing is left lying about.
func TestRandomStepsAgreeWithAPlainMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := storetest.NewAt(t, t.TempDir())
		m := &model{s: s, now: storetest.Noon, tasks: map[record.ID]*modelTask{}, sessions: map[string]*modelSession{}}
		rt.Repeat(map[string]func(*rapid.T){
			"create":  m.create,
			"note":    m.note,
			"claim":   m.claim,
			"release": m.release,
			"move":    m.move,
			"begin":   m.begin,
			"finish":  m.finish,
			"":        m.agrees,
		})
		m.readsFast(rt)
		storetest.WantClean(t, s)
	})
}

// model is what a store should hold. Every step takes a second.
type model struct {
	s        *store.Store
	now      time.Time
	tasks    map[record.ID]*modelTask
	sessions map[string]*modelSession
}

type modelTask struct {
	status  record.Status
	deps    []record.ID
	holder  record.Actor
	session string // that the holder is at work under
	notes   []string
	entries int
}

type modelSession struct {
	task   record.ID
	who    record.Actor
	status session.Status
}

// readsFast fails if a file that the store wrote is not in the form that is read fast.
func (m *model) readsFast(rt *rapid.T) {
	fast := func(path string, form format.Kind) {
		src, err := os.ReadFile(path)
		if err != nil {
			rt.Fatal(err)
		}
		if doc, err := format.Parse(src, form); err != nil || !doc.Own() {
			rt.Fatalf("%s is not read fast (%v):\n%s", path, err, src)
		}
	}
	for id := range m.tasks {
		fast(storetest.TaskFile(m.s, id), format.Markdown)
	}
	for id := range m.sessions {
		fast(storetest.SessionFile(m.s, id), format.YAML)
	}
}

// Each step draws what to do, says what must come of it, does it, and compares.

func (m *model) create(rt *rapid.T) {
	id := record.ID(fmt.Sprintf("PROJ-%03d", len(m.tasks)))
	deps := rapid.SliceOfNDistinct(m.anID(), 0, min(2, len(m.tasks)), rapid.ID).Draw(rt, "deps")
	m.do(rt, "", m.actor(rt).CreateAs(id, "Task "+string(id), deps...))
	m.tasks[id] = &modelTask{status: m.s.Config.Flow.Initial, deps: deps, entries: 1}
}

func (m *model) note(rt *rapid.T) {
	id := m.existing(rt)
	text := "said: " + rapid.StringMatching(`[^\x00]{1,40}`).Draw(rt, "text") // blank text is refused
	m.do(rt, "", m.actor(rt).Note(id, text))
	m.tasks[id].notes = append(m.tasks[id].notes, text)
	m.tasks[id].entries++
}

func (m *model) claim(rt *rapid.T) {
	id, a := m.existing(rt), m.actor(rt)
	t := m.tasks[id]
	want := m.take(t, a.Who)
	m.do(rt, want, a.Claim(id))
	if want == "" && t.holder != a.Who {
		t.holder = a.Who
		t.entries++
	}
}

func (m *model) release(rt *rapid.T) {
	id, a := m.existing(rt), m.actor(rt)
	t := m.tasks[id]
	if t.holder != "" && t.holder != a.Who && !a.Who.Human() {
		m.do(rt, record.NotYours, a.Release(id))
		return
	}
	m.do(rt, "", a.Release(id))
	if t.holder == "" {
		return
	}
	if t.session != "" {
		m.sessions[t.session].status = session.Abandoned
	}
	t.holder, t.session = "", ""
	t.entries++
}

func (m *model) move(rt *rapid.T) {
	id, to := m.existing(rt), rapid.SampledFrom(m.s.Config.Flow.States).Draw(rt, "to")
	t := m.tasks[id]
	want, a := m.leave(t, to), m.actor(rt)
	reopened := m.s.Config.Flow.IsClosed(t.status) && !m.s.Config.Flow.IsClosed(to)
	if reopened && m.atWork(id) {
		rt.Skip("the verbs end a session with its task, so none is there when one is opened again")
	}
	m.do(rt, want, a.Move(id, to))
	if want != "" || t.status == to {
		return
	}
	if reopened && t.holder != a.Who { // whoever opens it again releases it
		t.holder, t.session = "", ""
	}
	t.status = to
	t.entries++
}

// atWork reports whether a session on a task is active.
func (m *model) atWork(id record.ID) bool {
	for _, s := range m.sessions {
		if s.task == id && s.status == session.Active {
			return true
		}
	}
	return false
}

func (m *model) begin(rt *rapid.T) {
	id, a := m.existing(rt), m.actor(rt)
	t := m.tasks[id]
	want := m.beginning(t, a.Who)
	ses, err := a.Begin(id)
	m.do(rt, want, err)
	if want != "" {
		return
	}
	if t.status == m.s.Config.Flow.Initial {
		t.status = m.s.Config.Flow.Working
	}
	t.holder, t.session = a.Who, ses
	t.entries++
	m.sessions[ses] = &modelSession{task: id, who: a.Who, status: session.Active}
}

func (m *model) finish(rt *rapid.T) {
	if len(m.sessions) == 0 {
		rt.Skip("nothing to finish")
	}
	ses := rapid.SampledFrom(slices.Sorted(maps.Keys(m.sessions))).Draw(rt, "session")
	a := m.actor(rt)
	s := m.sessions[ses]
	t := m.tasks[s.task]
	want := m.finishing(s, t, a.Who)
	m.do(rt, want, a.Finish(ses))
	if want != "" {
		return
	}
	if !m.s.Config.Flow.IsClosed(t.status) {
		t.status = m.s.Config.Flow.Review
	}
	s.status, t.session = session.Finished, ""
	t.entries++
}

// take is the code with which taking a task is refused, or "".
func (m *model) take(t *modelTask, who record.Actor) record.Code {
	switch {
	case t.holder != "" && t.holder != who:
		return record.AlreadyClaimed
	case m.s.Config.Flow.IsClosed(t.status):
		return record.TaskClosed
	}
	return ""
}

// leave is the code with which a move is refused, or "": what waits is what has not started, or was given up.
func (m *model) leave(t *modelTask, to record.Status) record.Code {
	waits := func(s record.Status) bool { return s == "backlog" || s == "canceled" }
	if !waits(t.status) || waits(to) {
		return ""
	}
	for _, dep := range t.deps {
		if !m.s.Config.Flow.IsClosed(m.tasks[dep].status) {
			return record.DepsOpen
		}
	}
	return ""
}

func (m *model) beginning(t *modelTask, who record.Actor) record.Code {
	switch {
	case t.holder != "" && t.holder != who:
		return record.AlreadyClaimed
	case m.s.Config.Flow.IsClosed(t.status): // a claim of it counts no more
		return record.TaskClosed
	case t.session != "":
		return record.SessionLive
	case t.status == m.s.Config.Flow.Initial:
		return m.leave(t, m.s.Config.Flow.Working)
	}
	return ""
}

func (m *model) finishing(s *modelSession, t *modelTask, who record.Actor) record.Code {
	switch {
	case s.who != who:
		return record.NotYours
	case s.status != session.Active:
		return record.SessionEnded
	case !m.s.Config.Flow.IsClosed(t.status):
		return m.leave(t, m.s.Config.Flow.Review)
	}
	return ""
}

// do compares how a step ended with how it should have ended.
func (m *model) do(rt *rapid.T, want record.Code, err error) {
	rt.Helper()
	if got := record.CodeOf(err); got != want || want == "" && err != nil {
		rt.Fatalf("got error %v, want code %q", err, want)
	}
	m.now = m.now.Add(time.Second)
}

// agrees compares everything that the store holds with the model.
func (m *model) agrees(rt *rapid.T) {
	tasks, problems, err := kind.Tasks.List(context.Background(), m.s)
	if err != nil || len(problems) > 0 || len(tasks) != len(m.tasks) {
		rt.Fatalf("got %d tasks, want %d, problems %v, error %v", len(tasks), len(m.tasks), problems, err)
	}
	for _, t := range tasks {
		want := m.tasks[t.ID]
		hold := session.Holder(t.Header(), m.s.Known(t.ID.Ref()), m.now)
		if m.s.Config.Flow.IsClosed(t.Status) && !hold.Live() { // only its file says who had it
			hold.Session = want.session
		}
		got := modelTask{t.Status, t.Deps, hold.Actor, hold.Session, storetest.NotesOf(t), len(t.Provenance)}
		if fmt.Sprint(got) != fmt.Sprint(*want) || t.Assignee != want.holder {
			rt.Fatalf("%s: got %+v, assigned to %q, want %+v", t.ID, got, t.Assignee, *want)
		}
	}
	for id, want := range m.sessions {
		if got, err := kind.Sessions.Get(m.s, id); err != nil || got.Status != want.status {
			rt.Fatalf("session %s: got %q (%v), want %q", id, got.Status, err, want.status)
		}
	}
}

func (m *model) actor(rt *rapid.T) storetest.Actor {
	who := rapid.SampledFrom([]record.Actor{"human:lee", "agent:a", "agent:b"}).Draw(rt, "who")
	return storetest.Actor{S: m.s, Who: who, Now: func() time.Time { return m.now }}
}

func (m *model) anID() *rapid.Generator[record.ID] {
	if len(m.tasks) == 0 {
		return rapid.Just(record.ID(""))
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m.tasks)))
}

// existing draws a task, and gives the step up if there is none.
func (m *model) existing(rt *rapid.T) record.ID {
	if len(m.tasks) == 0 {
		rt.Skip("no task yet")
	}
	return m.anID().Draw(rt, "task")
}
