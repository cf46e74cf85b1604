package store

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/task"
)

const (
	writers       = 8  // processes that write at the same time
	notesEach     = 25 // and what each of them writes
	createsEach   = 20
	racers        = 16 // processes that want the same task
	roundsOfRaces = 10
)

// Many processes note on one task. Every note is there, once, and the entries are in order.
func TestNotesOfManyProcesses(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	processes := startAll(t, s, writers, "note")
	for _, p := range processes {
		p.tell(t, "go")
	}
	for _, p := range processes {
		p.end(t)
	}
	got, err := s.Get("PROJ-1")
	wantCode(t, err, "")
	if len(got.Provenance) != writers*notesEach {
		t.Errorf("has %d entries after %d notes", len(got.Provenance), writers*notesEach)
	}
	notes := notesOf(got)
	for i := range writers {
		for n := range notesEach {
			if text := noteText(strconv.Itoa(i), n); !slices.Contains(notes, text) {
				t.Errorf("%q is lost", text)
			}
		}
	}
	if !slices.IsSortedFunc(got.Provenance, func(a, b task.Entry) int { return a.At.Compare(b.At) }) {
		t.Error("the entries are out of order")
	}
}

// playNote waits to be told, and then notes as often as it should.
func playNote(s *Store, args []string) error {
	waitForLine()
	a := newActor(s, task.Actor("agent:"+args[0]))
	for n := range notesEach {
		if err := a.note("PROJ-1", noteText(args[0], n)); err != nil {
			return err
		}
	}
	return nil
}

func noteText(writer string, n int) string { return fmt.Sprintf("note %d of writer %s", n, writer) }

// Many processes create tasks. No two get one id, and none is lost.
func TestCreatesOfManyProcesses(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	processes := startAll(t, s, writers, "create")
	for _, p := range processes {
		p.tell(t, "go")
	}
	var created []task.ID
	for _, p := range processes {
		for _, id := range p.answers() {
			created = append(created, task.ID(id))
		}
		p.end(t)
	}
	slices.Sort(created)
	if len(created) != writers*createsEach {
		t.Errorf("%d tasks were created, and %d should be", len(created), writers*createsEach)
	}
	wantNoProblem(t, s, created...)
}

// playCreate waits to be told, creates tasks, and names them. An id that is taken already is minted anew.
func playCreate(s *Store, _ []string) error {
	waitForLine()
	a := newActor(s, "human:lee")
	for n := range createsEach {
		id, err := a.create(fmt.Sprintf("Task %d", n))
		for task.CodeOf(err) == task.Conflict {
			id, err = a.create(fmt.Sprintf("Task %d", n))
		}
		if err != nil {
			return err
		}
		fmt.Println(id)
	}
	return nil
}

// Many processes want the same task at the same moment, again and again: to claim it, or to begin a session on it. Each
// time exactly one gets it, and all others are told who did.
func TestOneWinner(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"claim", "begin"} {
		t.Run(how, func(t *testing.T) {
			s := newStore(t)
			processes := startAll(t, s, racers, "take", how)
			for round := range roundsOfRaces {
				race(t, s, processes, task.ID(fmt.Sprintf("PROJ-%d", round)))
			}
			for _, p := range processes {
				p.end(t)
			}
			if how == "begin" {
				wantSessions(t, s, roundsOfRaces)
			}
		})
	}
}

// race lets every process go for a task.
func race(t *testing.T, s *Store, processes []*process, id task.ID) {
	t.Helper()
	handWrite(t, s, id)
	for _, p := range processes {
		p.tell(t, string(id))
	}
	winner := -1
	for i, p := range processes {
		switch said, _ := p.answer(); {
		case said == "won" && winner < 0:
			winner = i
		case said == "won":
			t.Errorf("%s: won by %d and by %d", id, winner, i)
		case said != string(task.AlreadyClaimed):
			t.Errorf("%s: %d was told %q", id, i, said)
		}
	}
	got, err := s.Get(id)
	wantCode(t, err, "")
	if want := racer(strconv.Itoa(winner)); got.Assignee != want || len(got.Provenance) != 1 {
		t.Errorf("%s: held by %q after %d entries, and %s won", id, got.Assignee, len(got.Provenance), want)
	}
}

// playTake takes each task that it is told of, and says how that went.
func playTake(s *Store, args []string) error {
	a := newActor(s, racer(args[0]))
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(outcome(a.take(args[1], task.ID(in.Text()))))
	}
	return nil
}

func (a actor) take(how string, id task.ID) error {
	if how == "claim" {
		return a.claim(id)
	}
	_, err := a.begin(id)
	return err
}

func outcome(err error) string {
	switch code := task.CodeOf(err); {
	case err == nil:
		return "won"
	case code != "":
		return string(code)
	default:
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
}

func racer(number string) task.Actor { return task.Actor("agent:racer-" + number) }

func wantSessions(t *testing.T, s *Store, want int) {
	t.Helper()
	sessions, problems, err := s.Sessions(t.Context())
	if err != nil || len(problems) > 0 || len(sessions) != want {
		t.Errorf("has %d sessions, problems %v (%v), and should have %d sessions", len(sessions), problems, err, want)
	}
}

// startAll starts so many processes that play one part. Each gets its number, and then the rest of the arguments.
func startAll(t *testing.T, s *Store, n int, part string, args ...string) []*process {
	t.Helper()
	var out []*process
	for i := range n {
		out = append(out, another(t, s, part, append([]string{strconv.Itoa(i)}, args...)...))
	}
	return out
}

func waitForLine() { bufio.NewScanner(os.Stdin).Scan() }
