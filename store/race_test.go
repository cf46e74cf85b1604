package store_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
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
func TestSlowNotesOfManyProcesses(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	processes := storetest.StartAll(t, s, writers, "note")
	for _, p := range processes {
		p.Send(t, "go")
	}
	for _, p := range processes {
		p.End(t)
	}
	got, err := kind.Tasks.Get(s, "PROJ-1")
	storetest.WantCode(t, err, "")
	if len(got.Provenance) != writers*notesEach {
		t.Errorf("has %d entries after %d notes", len(got.Provenance), writers*notesEach)
	}
	said := map[record.Actor][]string{}
	for _, e := range got.Provenance {
		said[e.Who] = append(said[e.Who], e.Text)
	}
	for i := range writers {
		number := strconv.Itoa(i)
		if notes := said[record.Actor("agent:"+number)]; !slices.Equal(notes, notesOfWriter(number)) {
			t.Errorf("of writer %s there is %q", number, notes)
		}
	}
	if !slices.IsSortedFunc(got.Provenance, func(a, b record.Entry) int { return a.At.Compare(b.At) }) {
		t.Error("the entries are out of order")
	}
}

// playNote waits for a line, and then notes as often as it should.
func playNote(s *store.Store, args []string) error {
	storetest.WaitForLine()
	a := storetest.NewActor(s, record.Actor("agent:"+args[0]))
	for n := range notesEach {
		if err := a.Note("PROJ-1", noteText(args[0], n)); err != nil {
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
func TestSlowCreatesOfManyProcesses(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	s := storetest.New(t)
	processes := storetest.StartAll(t, s, writers, "create")
	for _, p := range processes {
		p.Send(t, "go")
	}
	var created []record.ID
	for _, p := range processes {
		for _, id := range p.Answers() {
			created = append(created, record.ID(id))
		}
		p.End(t)
	}
	slices.Sort(created)
	if len(created) != writers*createsEach {
		t.Errorf("got %d tasks, want %d", len(created), writers*createsEach)
	}
	storetest.WantNoProblem(t, s, created...)
}

// playCreate waits for a line, creates tasks, and names them. An id that is taken already is minted anew.
func playCreate(s *store.Store, _ []string) error {
	storetest.WaitForLine()
	a := storetest.NewActor(s, "human:lee")
	for n := range createsEach {
		id, err := a.Create(fmt.Sprintf("Task %d", n))
		for record.CodeOf(err) == record.Conflict {
			id, err = a.Create(fmt.Sprintf("Task %d", n))
		}
		if err != nil {
			return err
		}
		fmt.Println(id)
	}
	return nil
}

// Many processes want the same task at the same moment, again and again: to claim it, or to begin a session on it. Each
// time exactly one gets it, and all others get an error that says who did.
func TestOneWinner(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"claim", "begin"} {
		t.Run(how, func(t *testing.T) {
			s := storetest.New(t)
			processes := storetest.StartAll(t, s, racers, "take", how)
			for round := range roundsOfRaces {
				id := raceID(round)
				storetest.WriteTask(t, s, id)
				winner := race(t, processes, id)
				wantTaken(t, s, id, winner)
			}
			for _, p := range processes {
				p.End(t)
			}
			if how == "begin" {
				wantSessions(t, s, roundsOfRaces)
			}
		})
	}
}

// Two worktrees of one clone have a file of the task each, and still only one racer gets it: its file says so, and the
// other worktree's is left alone.
func TestSlowOneWinnerAcrossWorktrees(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	repo := storetest.NewRepo(t)
	here, there := storetest.NewAt(t, repo), storetest.NewAt(t, storetest.LinkWorktree(t, repo))
	processes := append(storetest.StartNumbered(t, here, 0, racers/2, "take", "begin"), storetest.StartNumbered(t, there, racers/2, racers, "take", "begin")...)
	for round := range roundsOfRaces {
		id := raceID(round)
		storetest.WriteTask(t, here, id)
		storetest.WriteTask(t, there, id)
		winner := race(t, processes, id)
		won, lost := here, there
		if winner >= racers/2 {
			won, lost = there, here
		}
		wantTaken(t, won, id, winner)
		if src := storetest.ReadFile(t, storetest.TaskFile(lost, id)); src != storetest.TaskText(id) {
			t.Errorf("%s: the other worktree's file became\n%s", id, src)
		}
	}
	for _, p := range processes {
		p.End(t)
	}
	storetest.WantClean(t, here)
	storetest.WantClean(t, there)
}

func raceID(round int) record.ID { return record.ID(fmt.Sprintf("PROJ-%d", round)) }

// race lets every process go for a task, and returns the number of the one that got it.
func race(t *testing.T, processes []*storetest.Process, id record.ID) (winner int) {
	t.Helper()
	for _, p := range processes {
		p.Send(t, string(id))
	}
	winner = -1
	for i, p := range processes {
		switch said, _ := p.Answer(); {
		case said == "won" && winner < 0:
			winner = i
		case said == "won":
			t.Errorf("%s: won by %d and by %d", id, winner, i)
		case said != string(record.AlreadyClaimed):
			t.Errorf("%s: %d got %q", id, i, said)
		}
	}
	if winner < 0 {
		t.Fatalf("%s: nobody won", id)
	}
	return winner
}

func wantTaken(t *testing.T, s *store.Store, id record.ID, winner int) {
	t.Helper()
	got, err := kind.Tasks.Get(s, id)
	storetest.WantCode(t, err, "")
	if want := racer(strconv.Itoa(winner)); got.Assignee != want || len(got.Provenance) != 1 {
		t.Errorf("%s: held by %q after %d entries, and %s won", id, got.Assignee, len(got.Provenance), want)
	}
}

// playTake takes each task that a line names, and says how that went.
func playTake(s *store.Store, args []string) error {
	a := storetest.NewActor(s, racer(args[0]))
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(outcome(take(a, args[1], record.ID(in.Text()))))
	}
	return nil
}

func take(a storetest.Actor, how string, id record.ID) error {
	if how == "claim" {
		return a.Claim(id)
	}
	_, err := a.Begin(id)
	return err
}

func outcome(err error) string {
	switch code := record.CodeOf(err); {
	case err == nil:
		return "won"
	case code != "":
		return string(code)
	default:
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
}

func racer(number string) record.Actor { return record.Actor("agent:racer-" + number) }

func wantSessions(t *testing.T, s *store.Store, want int) {
	t.Helper()
	sessions, problems, err := kind.Sessions.List(t.Context(), s)
	if err != nil || len(problems) > 0 || len(sessions) != want {
		t.Errorf("got %d sessions, problems %v (%v), want %d sessions", len(sessions), problems, err, want)
	}
}
