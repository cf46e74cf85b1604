package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// These tests kill processes. What a power cut leaves they cannot show: the kernel keeps what a killed process wrote.

// 200 kills, in workspaces that each stay small enough to be read again after each.
const (
	workspaces = 8
	kills      = 25
)

// A process that writes without pause is killed, at a random moment, again and again. Each time every file is whole, every
// write that was acknowledged is there, and one more write leaves nothing lying about.
func TestCrashAtRandomMoments(t *testing.T) {
	for range workspaces {
		t.Run("workspace", func(t *testing.T) {
			t.Parallel()
			crashAtRandomMoments(t)
		})
	}
}

func crashAtRandomMoments(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-0")
	var acknowledged []string
	for range kills {
		p := another(t, s, "scribble")
		acknowledged = append(acknowledged, killSoon(t, p)...)
		wantAcknowledged(t, s, acknowledged)
		wantCode(t, newActor(s, "human:lee").note("PROJ-0", "the next write"), "")
		verifyClean(t, s)
		if t.Failed() {
			break
		}
	}
	if len(acknowledged) < kills {
		t.Errorf("only %d writes were acknowledged before %d kills", len(acknowledged), kills)
	}
}

// killSoon kills a process a moment after one of its first acknowledgements, and returns them.
func killSoon(t *testing.T, p *process) []string {
	t.Helper()
	var acknowledged []string
	for range 1 + rand.IntN(4) {
		if line, ok := p.answer(); ok {
			acknowledged = append(acknowledged, line)
		}
	}
	time.Sleep(rand.N(10 * time.Millisecond)) // the random moment; nothing is waited for
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	acknowledged = append(acknowledged, p.answers()...)
	if err := p.cmd.Wait(); err == nil {
		t.Fatal("ended by itself")
	}
	return acknowledged
}

// playScribble makes writes of every kind until it is killed, and acknowledges each: "task ID", "note TEXT",
// "session ID STATUS".
func playScribble(s *Store, _ []string) error {
	a := newActor(s, "agent:a")
	for n := 0; ; n++ {
		text := fmt.Sprintf("%d-%d", os.Getpid(), n)
		if err := a.note("PROJ-0", text); err != nil {
			return err
		}
		fmt.Println("note", text)
		id, err := a.create("Scribbled " + text)
		if err != nil {
			return err
		}
		fmt.Println("task", id)
		ses, err := a.begin(id)
		if err != nil {
			return err
		}
		fmt.Println("session", ses, session.Active)
		if err := a.finish(ses); err != nil {
			return err
		}
		fmt.Println("session", ses, session.Finished)
	}
}

// wantAcknowledged fails the test unless every file is whole and every acknowledged write is in one.
func wantAcknowledged(t *testing.T, s *Store, acknowledged []string) {
	t.Helper()
	tasks, problems, err := s.List(t.Context())
	sessions, unread, err2 := s.Sessions(t.Context())
	if err != nil || err2 != nil || len(problems)+len(unread) > 0 {
		t.Fatalf("problems %v and %v, errors %v and %v", problems, unread, err, err2)
	}
	written := map[string]bool{}
	for _, one := range tasks {
		written["task "+string(one.ID)] = true
		for _, text := range notesOf(one) {
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

// A process dies at a step of a write that goes through several files. What the files then say, before and after the next
// write, is written down for each.
func TestDeathAtEachStep(t *testing.T) {
	t.Parallel()
	for _, death := range []struct {
		name   string
		make   string // the write that does not live to see its end
		file   int    // before which of its files gets its name, from 0
		before string // what another process sees then
		after  string // what is left once somebody has written
	}{
		{
			"a note, before the task is replaced", "note", 0,
			"backlog, held by nobody, entries: created",
			"backlog, held by nobody, entries: created noted",
		},
		{
			"a claim, before the task is replaced", "claim", 0,
			"backlog, held by agent:a, entries: created", // announced: better one claim too many for a moment
			"backlog, held by nobody, entries: created noted",
		},
		{
			"begin, before the session is there", "begin", 0,
			"backlog, held by agent:a, entries: created",
			"backlog, held by nobody, entries: created noted",
		},
		{
			"begin, before the task is replaced", "begin", 1,
			"backlog, held by agent:a, entries: created, session active",
			"backlog, held by nobody, entries: created noted",
		},
		{
			"finish, before the task is replaced", "finish", 0,
			"in_progress, held by agent:a, entries: created began, session active",
			"in_progress, held by agent:a, entries: created began noted, session active",
		},
		{
			"finish, before the session is replaced", "finish", 1,
			"in_review, held by agent:a, entries: created began finished, session active",
			"in_review, held by agent:a, entries: created began finished noted, session finished",
		},
	} {
		t.Run(death.name, func(t *testing.T) {
			s := newStore(t)
			p := another(t, s, "die", death.make, strconv.Itoa(death.file))
			_ = p.cmd.Wait()
			if code := p.cmd.ProcessState.ExitCode(); code != died {
				t.Fatalf("ended with %d instead of dying", code)
			}
			wantScene(t, s, "before the next write", death.before)
			wantCode(t, newActor(s, "human:lee").note("PROJ-1", "the next write"), "")
			wantScene(t, s, "after the next write", death.after)
		})
	}
}

// died is the exit number of a process that died where it was told to.
const died = 9

// playDie creates PROJ-1, brings it to where a write can begin, and dies in that write.
func playDie(s *Store, args []string) error {
	a := newActor(s, "agent:a")
	if err := a.createAs("PROJ-1", "A task"); err != nil {
		return err
	}
	ses := ""
	if args[0] == "finish" {
		var err error
		if ses, err = a.begin("PROJ-1"); err != nil {
			return err
		}
	}
	left, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	s.beforePublish = func(string) {
		if left == 0 {
			os.Exit(died)
		}
		left--
	}
	switch args[0] {
	case "note":
		return a.note("PROJ-1", "unheard")
	case "claim":
		return a.claim("PROJ-1")
	case "begin":
		_, err = a.begin("PROJ-1")
		return err
	default:
		return a.finish(ses)
	}
}

// wantScene compares everything that can be seen of PROJ-1 with one line.
func wantScene(t *testing.T, s *Store, when, want string) {
	t.Helper()
	one, err := s.Get("PROJ-1")
	wantCode(t, err, "")
	var did []string
	for _, e := range one.Provenance {
		did = append(did, string(e.Did))
	}
	holder := session.Holder(one.Header(), s.Live("PROJ-1"), time.Now()).Actor
	if holder == "" {
		holder = task.Actor("nobody")
	}
	got := fmt.Sprintf("%s, held by %s, entries: %s", one.Status, holder, strings.Join(did, " "))
	sessions, problems, err := s.Sessions(t.Context())
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
