package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// graph is a number of tasks that depend on one another, the same ones for the same seed. Each is made when it is asked
// for, so that many need no memory.
//
// Plain tasks have a title, a state, a dependency, and one entry or two. Rich ones have labels, checks, a body of about
// a kilobyte, a parent, and five to eight entries as well. The oldest two in five are done, the next twentieth is in
// progress, the others wait.
type graph struct {
	n    int
	rich bool
	seed uint64
	flow task.Flow // of the workspace's config
}

const (
	prefix     = "BENCH"
	searchWord = "quicksilver" // stands in the title of one task in a hundred
	people     = 4
	agents     = 16
)

// All tasks are created, and then they are worked on one after the other, so that what a task depends on is done before
// it starts.
var firstDay = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	createEvery = 10 * time.Second
	workEvery   = 100 * time.Second
)

func (g graph) done() int    { return g.n * 2 / 5 }
func (g graph) started() int { return g.done() + g.n/20 }

// id is the id of a task.
func (g graph) id(i int) record.ID {
	noise := binary.LittleEndian.AppendUint64(nil, g.random(i).Uint64())
	id, err := record.NewID(prefix, firstDay.Add(time.Duration(i)*createEvery), bytes.NewReader(noise))
	if err != nil {
		panic(err) // there are enough bytes
	}
	return id
}

func (g graph) random(i int) *rand.Rand { return rand.New(rand.NewPCG(g.seed, uint64(i))) }

// dep is what a task depends on, if anything: an older task, which is done if the task has started.
func (g graph) dep(i int) (int, bool) {
	r := g.random(i)
	if i == 0 || r.IntN(5) == 0 {
		return 0, false
	}
	if i < g.started() {
		return r.IntN(max(1, min(i, g.done()))), true
	}
	return r.IntN(i), true
}

// free is the i-th task, counted from the newest, that is ready and that nobody holds.
func (g graph) free(i int) (record.ID, error) {
	for at := g.n - 1; at >= g.started(); at-- {
		if dep, ok := g.dep(at); ok && dep >= g.done() {
			continue
		}
		if i--; i < 0 {
			return g.id(at), nil
		}
	}
	return "", fmt.Errorf("%d tasks are too few to measure", g.n)
}

// task makes a task, and the session in which it was worked on, if it has one.
func (g graph) task(i int) (task.Task, *session.Session, error) {
	h := newHistory(g, i)
	h.create()
	switch {
	case !g.rich && i < g.done():
		h.move("done")
	case !g.rich && i < g.started():
		h.move("in_progress")
	case !g.rich && i%2 == 0:
		h.note()
	case !g.rich:
	case i < g.done() && i%5 == 0:
		h.begin()
		h.note()
		h.check()
		h.finish()
		h.attest()
		h.move("done")
	case i < g.done():
		h.claim(h.agent())
		h.move("in_progress")
		h.note()
		h.note()
		h.check()
		h.attest()
		h.move("done")
	case i < g.started():
		h.claim(h.person()) // the claim of an agent would have expired
		h.move("in_progress")
		h.note()
		h.note()
	default:
		for range 4 + i%3 {
			h.note()
		}
	}
	return h.task, h.session, h.err
}

// history writes what happens to one task, by the rules of package task.
type history struct {
	graph
	i       int
	random  *rand.Rand
	task    task.Task
	session *session.Session
	at      time.Time
	proof   task.Proof
	err     error
}

func newHistory(g graph, i int) *history {
	sum := sha256.Sum256(fmt.Append(nil, g.seed, i))
	tree := hex.EncodeToString(sum[:])
	return &history{graph: g, i: i, random: g.random(i), proof: task.Proof{Commit: tree[:40], Tree: tree}}
}

func (h *history) agent() record.Actor {
	return record.Actor(fmt.Sprintf("agent:worker-%d", h.i%agents))
}
func (h *history) person() record.Actor {
	return record.Actor(fmt.Sprintf("human:person-%d", h.i%people))
}

// step makes the next change, ten seconds after the one before, unless one has failed.
func (h *history) step(who record.Actor, text string, change func(task.Task, record.Stamp) (task.Task, *record.Entry, error)) {
	if h.err != nil {
		return
	}
	h.at = h.at.Add(10 * time.Second)
	stamp := record.Stamp{Who: who, At: h.at, Text: text}
	if h.session != nil && h.session.Status == session.Active {
		stamp.Session = h.session.ID
	}
	if h.task, _, h.err = change(h.task, stamp); h.err != nil {
		h.err = fmt.Errorf("task %d: %w", h.i, h.err)
	}
}

// find looks up what the task names. What that depends on does not matter: it is older.
func (h *history) find(id record.ID) (task.Task, bool) {
	status := record.Status("done")
	if dep, ok := h.dep(h.i); ok && dep >= h.done() {
		status = "backlog"
	}
	return task.Task{ID: id, Status: status}, true
}

func (h *history) create() {
	t := task.Task{ID: h.id(h.i), Title: h.title(), Priority: task.Priority(h.random.IntN(5))}
	if dep, ok := h.dep(h.i); ok {
		t.Deps = []record.ID{h.id(dep)}
	}
	if h.rich {
		t.Labels = []string{pick(h.random, words), "area-" + fmt.Sprint(h.random.IntN(20))}
		if h.i%10 != 0 {
			t.Parent = h.id(h.i - h.i%10)
		}
		t.Checks = []task.Check{
			{Desc: "tests pass", Cmd: "go test ./" + pick(h.random, words) + "/...", Timeout: 300},
			{Desc: "a person has read the change"},
		}
		t.Body = h.prose(1000)
	}
	stamp := record.Stamp{Who: h.person(), At: firstDay.Add(time.Duration(h.i) * createEvery)}
	if h.task, h.err = h.flow.Create(t, h.find, stamp); h.err != nil {
		h.err = fmt.Errorf("task %d: %w", h.i, h.err)
	}
	h.at = firstDay.Add(time.Duration(h.n)*createEvery + time.Duration(h.i)*workEvery)
}

func (h *history) claim(who record.Actor) {
	h.step(who, "", func(t task.Task, s record.Stamp) (task.Task, *record.Entry, error) { return h.flow.Claim(t, false, s) })
}

func (h *history) note() {
	h.step(h.agent(), h.prose(80), task.Note)
}

func (h *history) move(to record.Status) {
	h.step(h.person(), "", func(t task.Task, s record.Stamp) (task.Task, *record.Entry, error) {
		return h.flow.Move(t, to, h.proof, h.find, s)
	})
}

// check records that the command of the task passed.
func (h *history) check() {
	h.step(h.agent(), "", func(t task.Task, s record.Stamp) (task.Task, *record.Entry, error) {
		passed := []record.CheckResult{{Check: t.Checks[0].Key(t.ID), Result: record.Pass}}
		return task.RecordRun(t, &task.Run{Results: passed, Commit: h.proof.Commit, Tree: h.proof.Tree}, s)
	})
}

func (h *history) attest() {
	h.step(h.person(), "", func(t task.Task, s record.Stamp) (task.Task, *record.Entry, error) {
		return h.flow.Attest(t, 1, true, s)
	})
}

func (h *history) begin() {
	ses := session.Session{
		ID: strings.Replace(string(h.task.ID), prefix, session.Prefix, 1), Task: h.task.ID, Actor: h.agent(),
		Branch: "main", Worktree: "bench", Head: h.proof.Commit, Status: session.Active,
	}
	h.session = &ses
	h.step(h.agent(), "", func(t task.Task, s record.Stamp) (task.Task, *record.Entry, error) {
		*h.session = session.New(ses, s)
		return h.flow.Begin(t, false, h.find, s)
	})
}

func (h *history) finish() {
	h.step(h.agent(), h.prose(120), func(t task.Task, s record.Stamp) (task.Task, *record.Entry, error) {
		*h.session = h.session.End(session.Finished, s)
		return h.flow.Finish(t, h.proof, h.find, s)
	})
}

// title is a line of some words.
func (h *history) title() string {
	line := fmt.Sprintf("Task %d: %s", h.i, h.prose(30))
	if h.i%100 == 7 {
		line += " " + searchWord
	}
	return line
}

// prose is text of at least so many bytes, in lines of a dozen words.
func (h *history) prose(size int) string {
	var b strings.Builder
	for n := 1; b.Len() < size; n++ {
		b.WriteString(pick(h.random, words))
		switch {
		case size > 200 && n%12 == 0:
			b.WriteString(".\n")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

var words = strings.Fields(`round discount cart price order refund ledger invoice total currency export import queue worker retry
	timeout cache index search filter page cursor token login session profile avatar upload image resize thumbnail mail template
	locale calendar reminder report chart axis legend theme colour layout grid button dialog keyboard shortcut focus screen reader
	backup restore archive migration schema column table trigger replica shard region latency budget alert metric trace`)

// bytesOf are the files of a task: its own, and that of its session if there is one. The keys are paths from the
// workspace root.
func bytesOf(t task.Task, ses *session.Session) (map[string][]byte, error) {
	out := map[string][]byte{}
	doc, err := kind.Tasks.Create(t)
	if err != nil {
		return nil, err
	}
	out[kind.Tasks.File(t.ID)] = doc.Bytes()
	if ses != nil {
		if doc, err = kind.Sessions.Create(*ses); err != nil {
			return nil, err
		}
		out[kind.Sessions.File(ses.ID)] = doc.Bytes()
	}
	return out, nil
}
