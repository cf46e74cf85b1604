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
	roundsOfRaces = 20
)

// Many processes note on one task. Every note is there, once, and the entries are in order: by their time, and each
// writer's as it made them.
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
	said := map[task.Actor][]string{}
	for _, e := range got.Provenance {
		said[e.Who] = append(said[e.Who], e.Text)
	}
	for i := range writers {
		number := strconv.Itoa(i)
		if notes := said[task.Actor("agent:"+number)]; !slices.Equal(notes, notesOfWriter(number)) {
			t.Errorf("of writer %s there is %q", number, notes)
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

// notesOfWriter is all that one writer notes.
func notesOfWriter(writer string) (notes []string) {
	for n := range notesEach {
		notes = append(notes, noteText(writer, n))
	}
	return notes
}

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
				id := raceID(round)
				handWrite(t, s, id)
				winner := race(t, processes, id)
				wantTaken(t, s, id, winner)
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

// Two worktrees of one clone have a file of the task each, and still only one racer gets it: its file says so, and the
// other worktree's is left alone.
func TestOneWinnerAcrossWorktrees(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	here, there := newStoreAt(t, repo), newStoreAt(t, linkWorktree(t, repo))
	processes := append(startNumbered(t, here, 0, racers/2, "take", "begin"), startNumbered(t, there, racers/2, racers, "take", "begin")...)
	for round := range roundsOfRaces {
		id := raceID(round)
		handWrite(t, here, id)
		handWrite(t, there, id)
		winner := race(t, processes, id)
		won, lost := here, there
		if winner >= racers/2 {
			won, lost = there, here
		}
		wantTaken(t, won, id, winner)
		if src := string(readAll(t, lost.task(id))); src != taskText(id) {
			t.Errorf("%s: the other worktree's file became\n%s", id, src)
		}
	}
	for _, p := range processes {
		p.end(t)
	}
	verifyClean(t, here)
	verifyClean(t, there)
}

func raceID(round int) task.ID { return task.ID(fmt.Sprintf("PROJ-%d", round)) }

// race lets every process go for a task, and returns the number of the one that got it.
func race(t *testing.T, processes []*process, id task.ID) (winner int) {
	t.Helper()
	for _, p := range processes {
		p.tell(t, string(id))
	}
	winner = -1
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
	if winner < 0 {
		t.Fatalf("%s: nobody won", id)
	}
	return winner
}

func wantTaken(t *testing.T, s *Store, id task.ID, winner int) {
	t.Helper()
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
	return startNumbered(t, s, 0, n, part, args...)
}

// startNumbered is startAll with numbers that begin at from and end before to.
func startNumbered(t *testing.T, s *Store, from, to int, part string, args ...string) []*process {
	t.Helper()
	var out []*process
	for i := from; i < to; i++ {
		out = append(out, another(t, s, part, append([]string{strconv.Itoa(i)}, args...)...))
	}
	return out
}

func waitForLine() { bufio.NewScanner(os.Stdin).Scan() }
