package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// These tests kill processes. What a power cut leaves they cannot show: the kernel keeps what a killed process wrote.

// 200 kills, in workspaces that each stay small enough to be read again after each.
const (
	workspaces = 8
	kills      = 25
)

// A process that writes without pause is killed, at a random moment, again and again. Each time every file is whole,
// every write that was acknowledged is there, and one more write leaves nothing lying about.
func TestSlowCrashAtRandomMoments(t *testing.T) {
	slowtest.Skip(t)
	for range workspaces {
		t.Run("workspace", func(t *testing.T) {
			t.Parallel()
			crashAtRandomMoments(t)
		})
	}
}

func crashAtRandomMoments(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-0")
	var acknowledged []string
	for range kills {
		p := storetest.Start(t, s, "scribble")
		acknowledged = append(acknowledged, killSoon(t, p)...)
		wantAcknowledged(t, s, acknowledged)
		storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-0", "the next write"), "")
		storetest.WantClean(t, s)
		if t.Failed() {
			break
		}
	}
	if len(acknowledged) < kills {
		t.Errorf("only %d writes were acknowledged before %d kills", len(acknowledged), kills)
	}
}

// killSoon kills a process a moment after one of its first acknowledgements, and returns them.
func killSoon(t *testing.T, p *storetest.Process) []string {
	t.Helper()
	var acknowledged []string
	for range 1 + rand.IntN(4) {
		if line, ok := p.Answer(); ok {
			acknowledged = append(acknowledged, line)
		}
	}
	time.Sleep(rand.N(10 * time.Millisecond)) // the random moment; nothing is waited for
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	acknowledged = append(acknowledged, p.Answers()...)
	if err := p.Cmd.Wait(); err == nil {
		t.Fatal("ended by itself")
	}
	return acknowledged
}

// playScribble makes writes of every kind until it is killed, and acknowledges each: "task ID", "note TEXT",
// "session ID STATUS".
func playScribble(s *store.Store, _ []string) error {
	a := storetest.NewActor(s, "agent:a")
	for n := 0; ; n++ {
		text := fmt.Sprintf("%d-%d", os.Getpid(), n)
		if err := a.Note("PROJ-0", text); err != nil {
			return err
		}
		fmt.Println("note", text)
		id, err := a.Create("Scribbled " + text)
		if err != nil {
			return err
		}
		fmt.Println("task", id)
		ses, err := a.Begin(id)
		if err != nil {
			return err
		}
		fmt.Println("session", ses, session.Active)
		if err := a.Finish(ses); err != nil {
			return err
		}
		fmt.Println("session", ses, session.Finished)
	}
}

// wantAcknowledged fails the test unless every file is whole and every acknowledged write is in one.
func wantAcknowledged(t *testing.T, s *store.Store, acknowledged []string) {
	t.Helper()
	tasks, problems, err := kind.Tasks.List(t.Context(), s)
	sessions, unread, err2 := kind.Sessions.List(t.Context(), s)
	if err != nil || err2 != nil || len(problems)+len(unread) > 0 {
		t.Fatalf("problems %v and %v, errors %v and %v", problems, unread, err, err2)
	}
	written := map[string]bool{}
	for _, one := range tasks {
		written["task "+string(one.ID)] = true
		for _, text := range storetest.NotesOf(one) {
			written["note "+text] = true
		}
	}
	for _, ses := range sessions {
		written[fmt.Sprintf("session %s %s", ses.ID, session.Active)] = true // which it was, if it no longer is
		written[fmt.Sprintf("session %s %s", ses.ID, ses.Status)] = true
	}
	for _, line := range acknowledged {
		if !written[line] {
			t.Errorf("lost: %s", line)
		}
	}
}

// A process dies while its write gives files their content. What the files then say, before and after the next write,
// is written down for each: the write was decided, so the next writer brings it to its end.
func TestDeathAtEachStep(t *testing.T) {
	t.Parallel()
	for _, death := range []struct {
		name   string
		make   string // the write that does not live to see its end
		file   int    // before which of its files gets its name, from 0
		before string // what another process sees then
		after  string // what is there once somebody has written
	}{
		{
			"a note, before the task is replaced", "note", 0,
			"backlog, held by nobody, entries: created",
			"backlog, held by nobody, entries: created noted noted",
		},
		{
			"a claim, before the task is replaced", "claim", 0,
			"backlog, held by agent:a, entries: created", // better one claim too many for a moment
			"backlog, held by agent:a, entries: created claimed noted",
		},
		{
			"begin, before the session is there", "begin", 0,
			"backlog, held by agent:a, entries: created",
			"in_progress, held by agent:a, entries: created began noted, session active",
		},
		{
			"begin, before the task is replaced", "begin", 1,
			"backlog, held by agent:a, entries: created, session active",
			"in_progress, held by agent:a, entries: created began noted, session active",
		},
		{
			"finish, before the task is replaced", "finish", 0,
			"in_progress, held by agent:a, entries: created began, session active",
			"in_review, held by agent:a, entries: created began finished noted, session finished",
		},
		{
			"finish, before the session is replaced", "finish", 1,
			"in_review, held by agent:a, entries: created began finished, session active",
			"in_review, held by agent:a, entries: created began finished noted, session finished",
		},
	} {
		t.Run(death.name, func(t *testing.T) {
			s := storetest.New(t)
			p := storetest.Start(t, s, "die", death.make, strconv.Itoa(death.file))
			_ = p.Cmd.Wait()
			if code := p.Cmd.ProcessState.ExitCode(); code != died {
				t.Fatalf("ended with %d instead of dying", code)
			}
			wantSeen(t, s, "before the next write", death.before)
			storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "the next write"), "")
			wantSeen(t, s, "after the next write", death.after)
		})
	}
}

// died is the exit number of a process that died at the step that it was given.
const died = 9

// playDie creates PROJ-1, brings it to where a write can begin, and dies in that write.
func playDie(s *store.Store, args []string) error {
	a := storetest.NewActor(s, "agent:a")
	if err := a.CreateAs("PROJ-1", "A task"); err != nil {
		return err
	}
	ses := ""
	if args[0] == "finish" {
		var err error
		if ses, err = a.Begin("PROJ-1"); err != nil {
			return err
		}
	}
	left, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	s.BeforePublish(func(string) {
		if left == 0 {
			os.Exit(died)
		}
		left--
	})
	switch args[0] {
	case "note":
		return a.Note("PROJ-1", "unheard")
	case "claim":
		return a.Claim("PROJ-1")
	case "begin":
		_, err = a.Begin("PROJ-1")
		return err
	default:
		return a.Finish(ses)
	}
}

// wantSeen compares everything that can be seen of PROJ-1 with one line.
func wantSeen(t *testing.T, s *store.Store, when, want string) {
	t.Helper()
	one, err := kind.Tasks.Get(s, "PROJ-1")
	storetest.WantCode(t, err, "")
	var did []string
	for _, e := range one.Provenance {
		did = append(did, string(e.Did))
	}
	holder := session.Holder(one.Header(), s.Known(record.ID("PROJ-1").Ref()), time.Now()).Actor
	if holder == "" {
		holder = record.Actor("nobody")
	}
	got := fmt.Sprintf("%s, held by %s, entries: %s", one.Status, holder, strings.Join(did, " "))
	sessions, problems, err := kind.Sessions.List(t.Context(), s)
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v (%v)", problems, err)
	}
	for _, ses := range slices.Backward(sessions) {
		got += ", session " + string(ses.Status)
	}
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", when, got, want)
	}
}
