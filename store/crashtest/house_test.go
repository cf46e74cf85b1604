package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/task"
)

// The moments of a story: what went before, the call that is tried, and what others see and write afterwards.
var (
	before = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	during = before.Add(time.Hour)
	after  = during.Add(time.Minute)
)

// house is a workspace that can be brought back to where a story begins, in the same place, since live state knows
// places.
type house struct {
	dir   string            // holds all there is
	root  string            // the workspace, or the worktree of it, in which the story plays
	other string            // where the next write is made: root, or another worktree
	links bool              // the file system has hard links
	kept  map[string]string // what is in dir as the story begins: the content of files, and folder for folders
}

const (
	about     = "PROJ-1" // the task of every story
	aside     = "PROJ-0" // the task that the next write is about
	workspace = "workspace"
	folder    = "(folder)"
)

// newHouse makes a workspace outside git with two tasks, and consents to its commands.
func newHouse(t *testing.T) *house {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root := filepath.Join(dir, workspace)
	must(t, os.Mkdir(root, 0o755))
	h := &house{dir: dir, root: root, other: root, links: true}
	h.furnish(t)
	return h
}

// newWorktrees makes a workspace in git with two worktrees: the story plays in one, and the next write is made in the
// other.
func newWorktrees(t *testing.T) *house {
	t.Helper()
	h := newHouse(t)
	git := func(args ...string) {
		t.Helper()
		if _, err := exec.LookPath("git"); err != nil {
			t.Skip("git is not installed")
		}
		cmd := exec.Command("git", append([]string{"-c", "user.name=Test User", "-c", "user.email=test@example.com"}, args...)...)
		cmd.Dir = h.other
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	git("init", "--quiet", "--template=", "--initial-branch=main")
	git("add", "--all")
	git("commit", "--quiet", "--message=begin")
	h.root = filepath.Join(h.dir, "linked")
	git("worktree", "add", "--quiet", "-b", "linked", h.root)
	h.trust(t)
	return h
}

func (h *house) furnish(t *testing.T) {
	t.Helper()
	_, _, err := store.Init(h.root, "PROJ")
	must(t, err)
	for _, id := range []string{about, aside} {
		text := "---\nid: " + id + "\ntitle: Task " + id + "\nstatus: backlog\nchecks:\n  - desc: it runs\n    cmd: \"true\"\n" +
			"    result: pending\n  - desc: it reads well\n    type: manual\n    result: pending\n---\n"
		must(t, os.WriteFile(filepath.Join(h.root, layout.Folder, "tasks", id+".md"), []byte(text), 0o644))
	}
	h.trust(t)
}

// trust lets the commands run that are there.
func (h *house) trust(t *testing.T) {
	t.Helper()
	s := h.open(t)
	must(t, s.SetTrust("human:lee", before))
	commands, err := s.Commands(t.Context(), s)
	must(t, err)
	must(t, s.Approve(commands))
}

func (h *house) open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(h.root, h.stateDir())
	must(t, err)
	return s
}

func (h *house) stateDir() string { return filepath.Join(h.dir, "state") }

// snapshot reads everything that is in the house.
func (h *house) snapshot(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(h.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			out[path] = folder
			return err
		}
		src, err := os.ReadFile(path)
		out[path] = string(src)
		return err
	}))
	return out
}

// keep makes the present state the one that restore brings back.
func (h *house) keep(t *testing.T) { h.kept = h.snapshot(t) }

// restore touches only what differs: there are thousands of trials, and most change two files.
func (h *house) restore(t *testing.T) {
	t.Helper()
	now := h.snapshot(t)
	for path := range now {
		if _, ok := h.kept[path]; !ok {
			must(t, os.RemoveAll(path))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(h.kept)) {
		switch was, ok := now[path]; {
		case ok && was == h.kept[path]:
		case h.kept[path] == folder:
			must(t, os.Mkdir(path, 0o755))
		default:
			must(t, os.WriteFile(path, []byte(h.kept[path]), 0o644))
		}
	}
}

// call is one call of a verb.
type call struct {
	Root, StateDir string
	Actor          record.Actor
	At             time.Time
	Verb           string
	Input          map[string]any
}

// make makes the call. The same call from the same state writes the same bytes.
func (c call) make() (any, error) {
	w := &verb.Workspace{
		Dir: c.Root, StateDir: c.StateDir, Actor: verb.As(c.Actor), Rights: verb.Rights{Profile: verb.Maintainer},
		Now:  func() time.Time { return c.At },
		Rand: rand.NewChaCha8([32]byte([]byte(c.At.Format("2006-01-02T15:04:05.000000000Z") + "  "))),

		Confirm: func(context.Context, []task.Ask) error { return nil },
	}
	v, ok := catalogue.Named(c.Verb)
	if !ok {
		return nil, errors.New("there is no verb " + c.Verb)
	}
	input, err := json.Marshal(c.Input)
	if err != nil {
		return nil, err
	}
	return v.Call(context.Background(), w, input)
}

func (c call) do() error {
	_, err := c.make()
	return err
}

// given makes a call that belongs to what went before a story.
func (h *house) given(t *testing.T, who record.Actor, name string, input map[string]any) any {
	t.Helper()
	out, err := call{h.root, h.stateDir(), who, before, name, input}.make()
	must(t, err)
	return out
}

// nextWrite is somebody else's write, about something else.
func (h *house) nextWrite(t *testing.T) {
	t.Helper()
	next := call{h.other, h.stateDir(), "human:lee", after, "note", map[string]any{"id": aside, "text": "the next write"}}
	_, err := h.watched(never, nil, next.do)
	must(t, err)
}

// files is what the committed files say, but for the task that the next write is about. Hidden names are temporary
// files.
func (h *house) files(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	at := layout.Layout{Root: h.root}
	for _, dir := range append([]string{at.Top(), at.Dir(layout.FilesDir)}, place.All(at)...) {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() || strings.HasPrefix(e.Name(), ".") || e.Name() == aside+".md" {
				continue
			}
			path := filepath.Join(dir, e.Name())
			src, err := os.ReadFile(path)
			must(t, err)
			out[at.Rel(path)] = string(src)
		}
	}
	return out
}

// readable is everything that verbs return about the workspace, live state included.
func (h *house) readable(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	ask := func(name string, input map[string]any) {
		out, err := call{h.root, h.stateDir(), "human:lee", after, name, input}.make()
		must(t, err)
		src, err := json.MarshalIndent(out, "", " ")
		must(t, err)
		text.Write(append(src, '\n'))
	}
	for _, name := range slices.Sorted(maps.Keys(h.files(t))) {
		if k, id, ok := kind.At(name); ok && k != kind.Sessions.Kind {
			ask("get", map[string]any{"id": id})
		}
	}
	ask("list_sessions", map[string]any{})
	ask("settings_get", map[string]any{})
	ask("repo_list", map[string]any{})
	return text.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
