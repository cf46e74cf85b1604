package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// The other programs that are installed here read what was made for them, and their commands answer what is asked.
func TestPeersThatAreInstalled(t *testing.T) {
	there, _ := installed()
	if len(there) == 0 {
		t.Skip("no other program is installed")
	}
	g := newTestWorkspace(t, graph{n: 100, seed: 7}).graph
	free, blocked := freeAndBlocked(t, g)
	for _, p := range there {
		t.Run(p.title, func(t *testing.T) {
			h, err := p.move(t.Context(), filepath.Join(t.TempDir(), "home"), g)
			if err != nil {
				t.Fatal(err)
			}
			for command, want := range map[string]struct{ there, absent string }{
				peerList:   {title(t, g, free), ""},
				peerReady:  {title(t, g, free), title(t, g, blocked)},
				peerShow:   {"Task ", ""},
				peerCreate: {"", ""},
			} {
				line, ok := p.lines[command]
				if !ok {
					continue
				}
				cmd := exec.CommandContext(t.Context(), p.name, line(g.id(g.n-1))...)
				cmd.Dir, cmd.Env = h.dir, h.env
				out, err := cmd.CombinedOutput()
				if err != nil || !strings.Contains(string(out), want.there) || want.absent != "" && strings.Contains(string(out), want.absent) {
					t.Errorf("%s: %v; want %q, and not %q, in\n%s", strings.Join(cmd.Args, " "), err, want.there, want.absent, out)
				}
			}
		})
	}
}

// freeAndBlocked are a task that is ready and one that waits for another.
func freeAndBlocked(t *testing.T, g graph) (free, blocked int) {
	t.Helper()
	free, blocked = -1, -1
	for i := g.started(); i < g.n; i++ {
		if dep, ok := g.dep(i); ok && dep >= g.done() {
			blocked = i
		} else {
			free = i
		}
	}
	if free < 0 || blocked < 0 {
		t.Fatal("no task is free, or none is blocked")
	}
	return free, blocked
}

// title is the beginning of the title of a task, that of no other.
func title(t *testing.T, g graph, i int) string {
	t.Helper()
	one, _, err := g.task(i)
	if err != nil {
		t.Fatal(err)
	}
	begin, _, _ := strings.Cut(one.Title, ":")
	return begin + ":"
}

// The files of other programs name tasks as these do, and setting them up ends with its context.
func TestPeerFiles(t *testing.T) {
	h := home{graph: newTestWorkspace(t, graph{n: 100, seed: 7}).graph, dir: t.TempDir(), env: os.Environ()}
	if err := h.each("tk", tkFile); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"pending", "active", "resolved"} {
		if err := os.MkdirAll(filepath.Join(h.dir, "dstask", folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.each("dstask", dstaskFile); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]int{
		"tk/" + prefix + "-*.md": 100, "dstask/resolved/*-4*-*.yml": 40, "dstask/active/*.yml": 5, "dstask/pending/*.yml": 55,
	} {
		if got, err := filepath.Glob(filepath.Join(h.dir, pattern)); err != nil || len(got) != want {
			t.Errorf("%s: %d files, want %d (%v)", pattern, len(got), want, err)
		}
	}
	seen := map[string]record.ID{}
	for i := range h.n {
		if other, ok := seen[uuidOf(h.id(i))]; ok {
			t.Errorf("%s and %s have one UUID", h.id(i), other)
		}
		seen[uuidOf(h.id(i))] = h.id(i)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := h.run(ended, "", "git", "version"); err == nil {
		t.Error("a program was run after the end")
	}
}
