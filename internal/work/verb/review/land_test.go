package review_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
)

// land calls the verb.
func (h home) land(in args) review.LandOut {
	h.Helper()
	if in == nil {
		in = args{}
	}
	out, err := verbtest.Call[review.LandOut](h.T, h.Workspace, "land", in)
	if err != nil {
		h.Fatal(err)
	}
	return out
}

// became says in a line for each task what became of it, with the counterparts.
func became(out review.LandOut) string {
	var b strings.Builder
	for _, one := range out.Items {
		fmt.Fprintf(&b, "%s %s", one.Title, one.Became)
		for _, c := range one.With {
			fmt.Fprintf(&b, " (%s)", c.Title)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (h home) wantBecame(out review.LandOut, want ...string) {
	h.Helper()
	if got := became(out); got != strings.Join(want, "\n")+"\n" {
		h.Errorf("became\n%s%+v", got, out)
	}
}

// approved is a task with work that a person has approved.
func (h home) approved(in args, files map[string]string) record.ID {
	h.Helper()
	id := h.create(in)
	h.work(id, files)
	h.approve(id)
	return id
}

func (h home) approve(id record.ID) {
	h.Helper()
	if _, err := h.apply(id, "approve", nil); err != nil {
		h.Fatal(err)
	}
}

// What is approved lands, what others wait for first; the rest is left.
func TestApprovedWorkLandsInTheOrderOfTheGraph(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	before := h.git(h.Dir, "rev-parse", "HEAD")
	later := h.approved(args{"title": "Later"}, map[string]string{"later.txt": "x\n"})
	urgent := h.approved(args{"title": "Urgent", "priority": "1"}, map[string]string{"urgent.txt": "x\n"})
	waits := h.create(args{"title": "Waits", "priority": "0"})
	h.work(waits, map[string]string{"waits.txt": "x\n"})
	verbtest.Must(t, h.in(h.place(waits)).Workspace, "update", args{"id": waits, "add_deps": []record.ID{later}})
	h.approve(waits)
	seen := h.create(args{"title": "Unseen"})
	h.work(seen, map[string]string{"unseen.txt": "x\n"})
	h.create(args{"title": "Not begun"})

	h.wantBecame(h.land(args{"dry_run": true}), "Unseen left", "Urgent would_land", "Later would_land", "Waits would_land")
	if now := h.git(h.Dir, "rev-list", "--first-parent", "--merges", before+".."); now != "" {
		t.Errorf("a dry run merged %s", now)
	}
	out := h.land(nil)
	h.wantBecame(out, "Unseen left", "Urgent landed", "Later landed", "Waits landed")
	if out.Items[1].Commit != out.Items[2].Commit || out.Items[2].Commit == out.Items[3].Commit {
		t.Errorf("the first two do not wait for one another, and the third does: %+v", out.Items)
	}
	for _, id := range []record.ID{later, urgent, waits} {
		if h.here(id).Status != "done" {
			t.Errorf("%s is %s", id, h.here(id).Status)
		}
	}
	h.wantBecame(h.land(nil), "Unseen left")
	h.proves(before)
}

// place is the work tree of a task.
func (h home) place(id record.ID) string {
	h.Helper()
	tree, _, err := h.trees().Find(id)
	if err != nil {
		h.Fatal(err)
	}
	return tree.Path
}

// A branch that conflicts goes back with what the other side wanted, once; the rest lands.
func TestAConflictGoesBackWithTheOtherSide(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(h.Dir, "price.txt", "1\n2\n3\n")
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "prices")
	before := h.git(h.Dir, "rev-parse", "HEAD")
	one := h.approved(args{"title": "Euros", "body": "Prices in euros."}, map[string]string{"price.txt": "4 euros\n"})
	verbtest.Must(t, h.Workspace, "decision_log", args{"title": "A price has a currency", "choice": "Behind it.", "scope": []string{"price.txt"}})
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "a decision")
	other := h.approved(args{"title": "Dollars"}, map[string]string{"price.txt": "4 dollars\n"})
	h.approved(args{"title": "Free"}, map[string]string{"free.txt": "x\n"})

	out := h.land(nil)
	h.wantBecame(out, "Euros landed", "Free landed", "Dollars sent_back (Euros)")
	if got := out.Items[2].Files; !slices.Equal(got, []string{"price.txt"}) {
		t.Errorf("in conflict are %v", got)
	}
	text := h.reason(other)
	for _, says := range []string{"landing: it conflicts with main in price.txt", string(one), "Euros", "Prices in euros.", "did it", "A price has a currency", "git rebase main"} {
		if !strings.Contains(text, says) {
			t.Errorf("the reason does not say %q:\n%s", says, text)
		}
	}
	h.wantBecame(h.land(args{"ids": []record.ID{other}}), "Dollars left")
	h.proves(before)
}

// reason is why a task was sent back.
func (h home) reason(id record.ID) string {
	h.Helper()
	_, r := h.review(id)
	if r.Rejected == nil {
		h.Fatalf("%s was not sent back", id)
	}
	return r.Rejected.Text
}

// parts is a repository whose check is that each file of uses names a file of parts; it writes a line for each run.
func parts(t *testing.T) (h home, check args, runs func() int) {
	t.Helper()
	h = newHome(t)
	log := filepath.Join(t.TempDir(), "runs")
	h.write(h.Dir, "check.sh", "echo run >> "+log+"\nfor f in uses/*; do read n < $f; test -f parts/$n || { echo \"$f: there is no part $n\"; exit 1; }; done\n")
	h.write(h.Dir, "parts/old", "x\n")
	h.write(h.Dir, "uses/first", "old\n")
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "parts")
	runs = func() int {
		src, _ := os.ReadFile(log)
		_ = os.Remove(log)
		return strings.Count(string(src), "run")
	}
	return h, args{"desc": "all parts are there", "cmd": "sh check.sh"}, runs
}

// without renames a part, and what uses it.
func (h home) rename(from, to, user string) func(dir string) {
	return func(dir string) {
		h.git(dir, "mv", "parts/"+from, "parts/"+to)
		if err := os.WriteFile(filepath.Join(dir, "uses", user), []byte(to+"\n"), 0o644); err != nil {
			h.Fatal(err)
		}
	}
}

// Two that pass alone and fail together: the later goes back, with the other one and what fails.
func TestWhatBreaksOnlyWhenMergedGoesBack(t *testing.T) {
	t.Parallel()
	h, check, runs := parts(t)
	checks := []args{check}
	for i := range 3 {
		h.approved(args{"title": fmt.Sprint("Part ", i), "checks": checks}, map[string]string{fmt.Sprint("parts/", i): "x\n"})
	}
	gone := h.create(args{"title": "No old part", "body": "Nothing needs the old part.", "checks": checks})
	h.workBy(gone, h.rename("old", "new", "first"))
	h.approve(gone)
	user := h.approved(args{"title": "Use the old part", "checks": checks}, map[string]string{"uses/second": "old\n"})
	runs()
	before := h.git(h.Dir, "rev-parse", "HEAD")
	out := h.land(nil)
	h.wantBecame(out, "Part 0 landed", "Part 1 landed", "Part 2 landed", "No old part landed", "Use the old part sent_back (No old part)")
	if got := runs(); got != 3 || out.Commands != got {
		t.Errorf("%d commands were run, and it says %d", got, out.Commands)
	}
	text := h.reason(user)
	for _, says := range []string{"fail together with what main has got", string(gone), "Nothing needs the old part.", "uses/second: there is no part old"} {
		if !strings.Contains(text, says) {
			t.Errorf("the reason does not say %q:\n%s", says, text)
		}
	}
	h.proves(before)
}

// What fails on its own branch goes back with no other side; where the base itself fails, nothing goes back.
func TestNobodyElseIsBlamed(t *testing.T) {
	t.Parallel()
	h, check, _ := parts(t)
	verbtest.ApproveAll(t, h.Workspace)
	checks := []args{check}
	fine := h.approved(args{"title": "Fine", "checks": checks}, map[string]string{"parts/fine": "x\n"})
	wrong := h.approved(args{"title": "Wrong", "checks": checks}, map[string]string{"uses/wrong": "nothing\n"})
	h.wantBecame(h.land(nil), "Fine landed", "Wrong sent_back")
	if text := h.reason(wrong); !strings.Contains(text, "its checks fail on its own branch too") || strings.Contains(text, string(fine)) {
		t.Errorf("the reason is %s", text)
	}

	more := h.approved(args{"title": "More", "checks": checks}, map[string]string{"parts/more": "x\n"})
	h.write(h.Dir, "uses/broken", "nothing\n")
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "break it")
	before := h.git(h.Dir, "rev-parse", "HEAD")
	out, err := verbtest.Call[review.LandOut](t, h.Workspace, "land", args{})
	h.wantCode(err, record.ChecksFailed)
	if err == nil || !strings.Contains(err.Error(), "main fails the checks of "+string(more)+" without it") {
		t.Errorf("%+v, %v", out, err)
	}
	if _, r := h.review(more); r.Rejected != nil || h.git(h.Dir, "rev-parse", "HEAD") != before {
		t.Errorf("it was sent back, or main moved: %+v", r.Rejected)
	}
}

// A task that repeats lands, and the next round comes with its close.
func TestATaskThatRepeatsLands(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id := h.create(args{"title": "Sweep"})
	verbtest.Must(t, h.Workspace, "update", args{"id": id, "repeat": "1w"})
	h.git(h.Dir, "commit", "-qam", "each week")
	before := h.git(h.Dir, "rev-parse", "HEAD")
	h.work(id, map[string]string{"swept": "x\n"})
	h.approve(id)
	h.wantBecame(h.land(nil), "Sweep landed")
	if next := h.here(id.Next()); next.Title != "Sweep" {
		t.Errorf("the next round is %+v", next)
	}
	h.proves(before)
}
