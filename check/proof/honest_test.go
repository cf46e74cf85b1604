package proof_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// Random commands of people and agents, on two branches that are sometimes merged or rebased, give no findings.
// HISTORIES sets the number of histories; a failure names its seed.
func TestHonestHistoriesAtRandom(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("HISTORIES"))
	if err != nil {
		n = 2
	}
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newHonest(t, seed)
			for range 12 {
				h.step()
			}
			h.merge()
			h.judge("base")
			h.judge("other")
		})
	}
}

// honest is a clone with two branches, main and side, in which several actors work.
type honest struct {
	t      *testing.T
	a      *actors
	random *rand.Rand
	here   string
	other  string
	log    []string // what was done
}

func newHonest(t *testing.T, seed uint64) *honest {
	t.Helper()
	names, err := begun()
	if err != nil {
		t.Fatal(err)
	}
	h := &honest{t: t, a: &actors{dir: t.TempDir(), now: noon}, random: rand.New(rand.NewPCG(seed, 0)), here: "main", other: "side"}
	if err := os.CopyFS(h.a.dir, os.DirFS(names["BEGUN"])); err != nil {
		t.Fatal(err)
	}
	h.as("human:shah", "trust", "--yes")
	h.git("branch", "side")
	return h
}

// as runs a command, which may be refused.
func (h *honest) as(who string, args ...string) {
	_, err := h.a.run(who, args...)
	h.log = append(h.log, fmt.Sprintf("%s %s: %s %q (%v)", h.a.now.Format(time.TimeOnly), h.here, who, args, err))
}

func (h *honest) git(args ...string) bool {
	cmd := exec.Command("git", args...)
	cmd.Dir = h.a.dir
	out, err := cmd.CombinedOutput()
	h.log = append(h.log, fmt.Sprintf("git %q (%v)", args, err))
	if conflict := strings.Contains(string(out), "CONFLICT") || strings.Contains(string(out), "could not apply"); err != nil && !conflict {
		h.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return err == nil
}

// pick chooses one of several.
func pick[T any](h *honest, of ...T) T { return of[h.random.IntN(len(of))] }

// step does a few things, commits them, and sometimes switches to the other branch, merges it or rebases onto it.
func (h *honest) step() {
	for range 1 + h.random.IntN(3) {
		h.act()
	}
	h.git("add", "--all")
	h.git("commit", "--quiet", "--allow-empty", "--message", "work")
	switch h.random.IntN(4) {
	case 0:
		h.git("switch", "--quiet", h.other)
		h.here, h.other = h.other, h.here
	case 1:
		h.merge()
	case 2:
		if !h.git("rebase", "--quiet", h.other) {
			h.git("rebase", "--abort")
		}
	}
}

// merge merges the other branch. A conflict aborts it: only a person could settle that.
func (h *honest) merge() {
	if !h.git("merge", "--quiet", "--no-edit", h.other) {
		h.git("merge", "--abort")
	}
	h.git("tag", "--force", "other", h.other)
}

func (h *honest) act() {
	who := pick(h, "human:shah", "agent:a", "agent:b")
	id := pick(h, h.ids()...)
	switch h.random.IntN(16) {
	case 0:
		h.as(who, "create", "Another", "--check", "tests pass=test -f shop", "--dep", id)
	case 1:
		h.as(who, "note", id, "on it")
	case 2:
		h.as(who, "claim", id)
	case 3:
		h.as(who, "release", id)
	case 4, 5:
		h.as(who, "transition", id, pick(h, "backlog", "in_progress", "in_review", "done", "canceled"))
	case 6:
		h.as(who, "transition", id, "done")
	case 7:
		h.as(who, "run-checks", id)
	case 8:
		h.as("human:shah", "attest", id, "read", "--pass")
	case 9:
		h.as(who, "update", id, "--label", pick(h, "web", "shop"), "--add-dep", pick(h, h.ids()...))
	case 10:
		h.as("human:shah", "update", id, "--title", "Do it better", "--assignee", pick(h, "agent:a", "unassigned"))
	case 11:
		h.as(who, "begin", id, "--expected-actor", who, "--idempotency-key", h.a.now.String())
	case 12:
		h.write("shop", "open "+h.a.now.String()+"\n")
	case 13:
		h.as("human:shah", "update", id, "--check", "tests pass=test -f shop", "--manual", "read by a person", "--reason", "as agreed")
	case 14:
		h.as(who, "cancel", pick(h, h.sessions()...), "cannot")
	case 15:
		h.as(who, "finish", pick(h, h.sessions()...), "did it")
	}
}

func (h *honest) ids() []string { return h.names("tasks", ".md") }

func (h *honest) sessions() []string { return append(h.names("sessions", ".yaml"), "ses-unknown") }

// names lists the names of the files in a folder of .cairn.
func (h *honest) names(folder, ext string) []string {
	paths, err := filepath.Glob(filepath.Join(h.a.dir, ".cairn", folder, "*"+ext))
	if err != nil {
		h.t.Fatal(err)
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ext)
	}
	return paths
}

func (h *honest) write(name, text string) {
	if err := os.WriteFile(filepath.Join(h.a.dir, name), []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// judge allows one finding, which honest work cannot avoid: checks passed on files that changed again before they were
// committed.
func (h *honest) judge(base string) {
	h.t.Helper()
	l, err := layout.At(h.a.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	c, err := snapshot.Check(h.t.Context(), l, snapshot.CheckOptions{Base: base})
	if err != nil {
		h.t.Fatal(err)
	}
	found := slices.DeleteFunc(c.Findings, func(f proof.Finding) bool { return f.Rule == proof.EvidenceTreeUnknown.ID })
	if len(found) > 0 {
		h.t.Errorf("compared with %s: got %sin\n%s", base, list(found), strings.Join(h.log, "\n"))
	}
}
