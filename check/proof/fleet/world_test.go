package fleet_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// world is a bare repository, its clones, and the real time.
type world struct {
	t      *testing.T
	random *rand.Rand
	minted io.Reader // the randomness of ids
	now    time.Time
	clones []*clone
	story  strings.Builder // a script of what was done, with the time that each clone's clock showed
}

// clone is where a person and an agent work.
type clone struct {
	*world
	name, dir     string
	person, agent string
	skew          time.Duration // of its clock
	topic         string        // the branch that is worked on; "" for none
	pushed        bool          // the topic is at the remote, so that its commits stay as they are
	topics        int           // how many there were
	driver        bool          // git merges with cairn
	refused       int           // how often it could not be merged
}

var noon = time.Date(2026, 6, 21, 12, 0, 0, 0, time.UTC)

// beginning makes the first commit of all fleets, once.
var beginning = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(os.Getenv("HOME"), "beginning")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	w := &world{now: noon.Add(-time.Hour), minted: rand.NewChaCha8([32]byte{1})}
	c := &clone{world: w, dir: dir}
	steps := [][]string{
		{"init", "--prefix", "T", "--merge-driver"},
		{"trust", "--yes"},
		{"create", "Sell things", "--check", "tests pass=test -f shop", "--manual", "read by a person"},
		{"create", "Count stock", "--check", "tests pass=test -f shop", "--check", "it opens=grep -q open shop"},
		{"create", "Print receipts", "--check", "tests pass=test -f shop"},
		{"create", "Write a page"},
		{"create", "Lock up", "--manual", "read by a person"},
	}
	_, err := c.git("init", "-q", "--template=")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "shop"), []byte("open\n"), 0o644)
	}
	for _, args := range steps {
		if err == nil {
			_, err = c.cairn("human:shah", "", args...)
		}
	}
	for _, args := range [][]string{{"add", "--all"}, {"commit", "-q", "-m", "begin"}, {"gc", "-q"}} {
		if err == nil {
			_, err = c.git(args...)
		}
	}
	return dir, err
})

// newWorld makes three clones, whose clocks are up to ten minutes apart. One runs ahead, and one has no merge driver.
func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	begun, err := beginning()
	if err != nil {
		t.Fatal(err)
	}
	key := [32]byte{}
	key[0], key[1] = byte(seed), byte(seed>>8)
	w := &world{t: t, random: rand.New(rand.NewPCG(seed, 26)), minted: rand.NewChaCha8(key), now: noon}
	top := t.TempDir()
	at := &clone{world: w, name: "top", dir: top}
	at.must("clone", "-q", "--bare", begun, "remote.git")
	for i, name := range []string{"a", "b", "c"} {
		c := &clone{world: w, name: name, dir: filepath.Join(top, name), agent: "agent:" + name}
		c.person = []string{"human:shah", "human:lee", "human:kim"}[i]
		at.must("clone", "-q", "remote.git", name)
		c.act(c.person, "trust", "--yes")
		if c.driver = i != 2; c.driver {
			c.act(c.person, "setup", "merge-driver", "--yes")
		}
		if i > 0 {
			c.skew = time.Duration(w.random.IntN(600)-300) * time.Second
		}
		w.clones = append(w.clones, c)
	}
	if w.one(2) {
		w.clones[1].skew = time.Duration(5+w.random.IntN(90)) * time.Minute // until somebody sets it right
	}
	return w
}

// one is true once in n times.
func (w *world) one(n int) bool { return w.random.IntN(n) == 0 }

func pick[T any](w *world, of ...T) T { return of[w.random.IntN(len(of))] }

// pass lets some time pass: often none, seldom an hour.
func (w *world) pass() {
	w.now = w.now.Add(pick(w, 0, time.Second, 7*time.Second, 40*time.Second, 40*time.Second, 3*time.Minute, 20*time.Minute))
}

func (c *clone) clock() time.Time { return c.now.Add(c.skew) }

// cairn runs a command at the time of the clone's clock.
func (c *clone) cairn(who, input string, args ...string) (string, error) {
	var out, complaint bytes.Buffer
	exit := cmd.Main(context.Background(), cmd.Env{
		Args: append([]string{"--actor", who}, args...), Stdin: strings.NewReader(input), Stdout: &out, Stderr: &complaint,
		Getenv: os.Getenv, Dir: c.dir, Now: c.clock, Rand: c.minted, Terminal: cmdtest.Agrees,
	})
	if exit != 0 {
		return "", fmt.Errorf("%d: %s", exit, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}

// act runs a command, which may be refused, as most of what is tried at random is. It returns what it printed.
func (c *clone) act(who string, args ...string) string { return c.enter(who, "", args...) }

// enter is act with something on standard input.
func (c *clone) enter(who, input string, args ...string) string {
	out, err := c.cairn(who, input, args...)
	c.tell("cairn --actor %s %q <<<%q", who, args, input)
	if err != nil {
		c.tell("# refused: %s", strings.ReplaceAll(err.Error(), "\n", "\n# "))
	}
	return out
}

func (c *clone) tell(format string, args ...any) {
	fmt.Fprintf(&c.story, "(%s %s) %s\n", c.name, c.clock().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// git runs git at the time of the clone's clock.
func (c *clone) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	at := c.clock().Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at, "GIT_EDITOR=true", "GIT_MERGE_AUTOEDIT=no")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must runs a git command that succeeds.
func (c *clone) must(args ...string) string {
	c.t.Helper()
	out, err := c.git(args...)
	c.tell("git %q", args)
	if err != nil {
		c.t.Fatalf("git %q: %v: %s\n%s", args, err, out, c.story.String())
	}
	return strings.TrimSpace(out)
}

// may runs a git command that may end in a conflict.
func (c *clone) may(args ...string) bool {
	out, err := c.git(args...)
	c.tell("git %q", args)
	if err != nil {
		c.tell("# %v: %s", err, strings.ReplaceAll(strings.TrimSpace(out), "\n", "\n# "))
	}
	return err == nil
}

// errors judges what options ask for, as CI does.
func (c *clone) errors(options ...snapshot.CheckOptions) []proof.Finding {
	c.t.Helper()
	l, err := layout.At(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	var found []proof.Finding
	for _, opts := range options {
		checked, err := snapshot.Check(c.t.Context(), l, opts)
		if err != nil {
			c.t.Fatalf("%v\n%s", err, c.story.String())
		}
		found = append(found, checked.Errors()...)
	}
	return found
}

const upstream = "origin/main"

// judgeBranch reports the errors of the branch that is checked out, in the working tree and in the commit.
func (c *clone) judgeBranch() {
	c.t.Helper()
	c.judge("the branch",
		snapshot.CheckOptions{Base: upstream, Trusted: true}, snapshot.CheckOptions{Base: upstream, Commit: "HEAD"})
}

// judgeResult reports the errors of the commit that main is about to become.
func (c *clone) judgeResult() {
	c.t.Helper()
	c.judge("the result", snapshot.CheckOptions{Base: upstream, Commit: "HEAD"})
}

func (c *clone) judge(what string, options ...snapshot.CheckOptions) {
	c.t.Helper()
	found := c.errors(options...)
	c.tell("cairn check --base %s # of %s", upstream, what)
	for _, f := range found {
		c.t.Errorf("FLEET=%s: %s in clone %s: %s: %s: %s", filepath.Base(c.t.Name()), what, c.name, f.Path, f.Rule, f.Message)
	}
	if len(found) > 0 {
		c.keep()
		c.t.Fatalf("the story so far:\n%s", c.story.String())
	}
}

// keep copies the clones to the folder that KEEP names, to look at them.
func (c *clone) keep() {
	if dir := os.Getenv("KEEP"); dir != "" {
		_ = os.CopyFS(filepath.Join(dir, filepath.Base(c.t.Name())), os.DirFS(filepath.Dir(c.dir)))
	}
}

// settled settles the conflicts of a merge as a person does who keeps what both sides wrote, and commits it. It reports
// false if that cannot be told line by line.
func (c *clone) settled(message string) bool {
	for _, name := range strings.Fields(c.must("diff", "--name-only", "--diff-filter=U")) {
		text, ok := settle(c.read(name), c.one(2))
		if !ok {
			return false
		}
		c.write(name, text)
		c.tell("# settled %s by hand", name)
		if strings.Contains(text, "\nstatus: done") && unpassed.MatchString(text) {
			c.act(c.person, "reopen", strings.TrimSuffix(filepath.Base(name), ".md"), "--reason", "it does not stand any more")
		}
	}
	c.must("add", "--all")
	if c.twice() {
		c.act(c.person, "check", "--fix", "--yes") // as the page about archives says
		c.must("add", "--all")
		if c.twice() {
			return false
		}
	}
	c.must("commit", "-q", "--allow-empty", "-m", message)
	return true
}

// twice reports whether a task has two files: git merges what one side moved and the other changed by modify/delete if
// it does not see the move.
func (c *clone) twice() bool {
	ids := c.names("tasks", "closed/*")
	files := len(ids)
	return len(slices.Compact(ids)) < files
}

var (
	conflict = regexp.MustCompile(`(?ms)^<<<<<<<[^\n]*\n(.*?)^=======\r?\n(.*?)^>>>>>>>[^\n]*\n`)
	oneOf    = regexp.MustCompile(`^(title|status|assignee|priority|estimate): |^Also|^$`) // what one side may lose
	movedTo  = regexp.MustCompile(`[ {]to: (\w+)`)
	unpassed = regexp.MustCompile(`(?m)^    result: (pending|fail)`)
	entry    = regexp.MustCompile(`^  - \{.*\bat: ([^,}]+)`)
)

// settle takes one side of each conflict: of entries both, in the order of time, and of states that of the last move.
// It reports false where a conflict has other lines, of which none may be lost.
func settle(text string, ours bool) (string, bool) {
	state, ok := "", true
	text = conflict.ReplaceAllStringFunc(text, func(found string) string {
		sides := conflict.FindStringSubmatch(found)[1:]
		if !strings.Contains(found, "\n  - {") {
			return found
		}
		lines := strings.SplitAfter(strings.TrimSuffix(sides[0]+sides[1], "\n"), "\n")
		lines[len(lines)-1] += "\n"
		for _, line := range lines {
			ok = ok && entry.MatchString(line)
		}
		slices.SortStableFunc(lines, func(a, b string) int {
			if !ok {
				return 0
			}
			return strings.Compare(entry.FindStringSubmatch(a)[1], entry.FindStringSubmatch(b)[1])
		})
		return strings.Join(slices.Compact(lines), "")
	})
	if moves := movedTo.FindAllStringSubmatch(text, -1); len(moves) > 0 {
		state = "status: " + moves[len(moves)-1][1]
	}
	text = conflict.ReplaceAllStringFunc(text, func(found string) string {
		sides := conflict.FindStringSubmatch(found)[1:]
		for line := range strings.Lines(sides[0] + sides[1]) {
			ok = ok && oneOf.MatchString(line)
		}
		switch {
		case strings.Contains(found, "\nstatus: ") && state != "" && strings.Contains(sides[0], state):
			return sides[0]
		case strings.Contains(found, "\nstatus: ") && state != "" && strings.Contains(sides[1], state), !ours:
			return sides[1]
		}
		return sides[0]
	})
	return text, ok && !strings.Contains(text, "<<<<<<<")
}

// names lists the records in a folder of .cairn by their ids.
func (c *clone) names(folders ...string) []string {
	var ids []string
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(c.dir, ".cairn", folder, "*.*"))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, path := range paths {
			ids = append(ids, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
		}
	}
	slices.Sort(ids)
	return ids
}

func (c *clone) read(name string) string {
	src, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(src)
}

func (c *clone) write(name, text string) {
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}
