package review_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// playLanding lands what is approved once it gets a line.
func playLanding(s *store.Store, args []string) error {
	w := &verb.Workspace{
		Dir: s.Root, StateDir: args[0], ConfigDir: args[1], Actor: verb.As("human:lee"),
		Rights: verb.Rights{Profile: verb.Maintainer}, Now: time.Now, Rand: rand.Reader, Confirm: func(context.Context, []task.Ask) error { return nil },
	}
	land, _ := catalogue.Named("land")
	fmt.Println("ready")
	storetest.WaitForLine()
	_, err := land.Call(context.Background(), w, []byte(args[2]))
	return err
}

// A landing that is killed at any moment goes on when it is made again: each task lands once, what conflicts goes back
// once, and the base was green all the time.
func TestSlowKilledLandings(t *testing.T) {
	slowtest.Skip(t)
	const rounds, kills = 3, 3
	for round := range rounds {
		h, check, _ := parts(t)
		h.git(h.Dir, "commit", "-q", "--allow-empty", "-m", "begin")
		ids := map[string]record.ID{}
		work := map[string]map[string]string{
			"one": {"parts/one": "x\n"}, "two": {"parts/two": "x\n"}, "red": {"line": "red\n"}, "blue": {"line": "blue\n"}, "three": {"parts/three": "x\n"},
		}
		titles := []string{"one", "red", "two", "blue", "three"}
		for _, title := range titles {
			ids[title] = h.create(args{"title": title, "checks": []args{check}})
		}
		before := h.git(h.Dir, "rev-parse", "HEAD")
		for _, title := range titles {
			h.work(ids[title], work[title])
			h.approve(ids[title])
		}
		for range kills {
			p := storetest.Start(t, h.store(), "land", h.StateDir, h.ConfigDir, fmt.Sprintf(`{"one_by_one": %t}`, round > 0))
			if _, ok := p.Answer(); !ok {
				t.Fatal("it does not begin")
			}
			p.Send(t, "go")
			n, _ := rand.Int(rand.Reader, big.NewInt(2000))
			<-time.After(time.Duration(n.Int64()) * time.Millisecond) // any moment will do
			_ = p.Cmd.Process.Kill()
			_ = p.Cmd.Wait()
		}
		var out review.LandOut
		for until := time.Now().Add(slowtest.Patience); ; { // a git that outlived its caller may still be at it
			var err error
			if out, err = h.tryLand(); err == nil || time.Now().After(until) {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		t.Logf("round %d, at last:\n%s", round, became(out))
		for _, title := range titles {
			_, r := h.review(ids[title])
			switch status := h.here(ids[title]).Status; {
			case title == "blue":
				if status == "done" || r.Rejected == nil {
					t.Errorf("%s is %s, rejected: %v", title, status, r.Rejected)
				}
			case status != "done":
				t.Errorf("%s is %s", title, status)
			}
		}
		sent := 0
		for _, e := range h.in(h.place(ids["blue"])).here(ids["blue"]).Provenance {
			if e.Rejection() {
				sent++
			}
		}
		if sent != 1 {
			t.Errorf("it was sent back %d times", sent)
		}
		for title := range work {
			if title == "blue" {
				continue
			}
			tip := h.git(h.Dir, "rev-parse", "cairn/"+string(ids[title]))
			if merges := h.git(h.Dir, "log", "--first-parent", "--format=%P", before+"..main"); countWords(merges, tip) != 1 {
				t.Errorf("%s was merged %d times", title, countWords(merges, tip))
			}
		}
		if status := h.git(h.Dir, "status", "--porcelain"); status != "" {
			t.Errorf("the checkout is not clean:\n%s", status)
		}
		(&crowd{home: h, before: before}).wantGreen()
		h.proves(before)
	}
}

func (h home) tryLand() (review.LandOut, error) {
	return verbtest.Call[review.LandOut](h.T, h.Workspace, "land", args{})
}

func countWords(text, word string) (n int) {
	for _, one := range strings.Fields(text) {
		if one == word {
			n++
		}
	}
	return n
}
