package snapshot_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// notedBy is PROJ-1 with notes, the oldest first.
func notedBy(whos ...string) string {
	entries := []string{"provenance:", "  - {who: 'human:shah', at: 2026-01-01T09:00:00Z, did: created}"}
	for i, who := range whos {
		entries = append(entries, "  - {who: '"+who+"', at: 2026-01-0"+string(rune('2'+i))+"T09:00:00Z, did: noted, text: a word}")
	}
	return storetest.TaskText("PROJ-1", entries...)
}

// crossed makes two branches that were merged into one another: main has a note of a person that topic lost when it
// merged main, after a commit that says nothing, and main has merged topic as well. They parted at two commits. In a
// shallow one the way to the note is cut off.
func crossed(t *testing.T, shallow bool) *store.Store {
	t.Helper()
	s := recorded(t)
	write := func(text string) {
		storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), text)
		storetest.Git(t, s.Root, "add", "-A")
	}
	merge := func(other, text string) {
		t.Helper()
		_, _ = storetest.TryGit(s.Root, "merge", "--no-ff", "--no-commit", "-s", "ours", other)
		write(text)
		storetest.Git(t, s.Root, "commit", "-q", "-m", "merge "+other)
	}
	write(notedBy())
	storetest.Git(t, s.Root, "commit", "-q", "-m", "begin")
	storetest.Git(t, s.Root, "branch", "topic")
	write(notedBy("human:shah"))
	storetest.Git(t, s.Root, "commit", "-q", "-m", "a person's note")
	storetest.Git(t, s.Root, "tag", "noted")
	storetest.Git(t, s.Root, "switch", "-q", "--detach")
	storetest.Git(t, s.Root, "commit", "-q", "--allow-empty", "-m", "nothing")
	storetest.Git(t, s.Root, "tag", "later")
	storetest.Git(t, s.Root, "switch", "-q", "topic")
	storetest.WriteFile(t, filepath.Join(s.Root, "shop"), "open\n")
	storetest.CommitAll(t, s)
	storetest.Git(t, s.Root, "tag", "second")
	storetest.Git(t, s.Root, "switch", "-q", "main")
	merge("second", notedBy("human:shah"))
	storetest.Git(t, s.Root, "switch", "-q", "topic")
	merge("later", notedBy())
	if shallow {
		storetest.WriteFile(t, filepath.Join(s.Repo.GitDir, "shallow"), storetest.CommitOf(t, s.Root, "later")+"\n")
	}
	return s
}

// Histories that crossed parted at several commits, and what any of them holds must still be there.
func TestSlowEveryMergeBaseIsCompared(t *testing.T) {
	slowtest.Skip(t)
	s := crossed(t, false)
	bases := strings.Fields(storetest.GitOutput(t, s.Root, "merge-base", "--all", "main", "topic"))
	if len(bases) != 2 {
		t.Fatalf("they parted at %q", bases)
	}
	for _, opts := range []snapshot.CheckOptions{{Base: "main"}, {Base: "main", Commit: "HEAD"}} {
		c := check(t, s, opts)
		lost := 0
		for _, f := range c.Findings {
			if f.Rule == proof.ProvenanceRewritten.ID && f.Path == ".cairn/tasks/PROJ-1.md" {
				lost++
			}
		}
		if lost != 1 || len(c.Changes) != 2 || !strings.Contains(c.Note, "each of the 2 commits") {
			t.Errorf("compares with %d commits (%s) and finds %s", len(c.Changes), c.Note, report(c.Findings))
		}
	}
}

// What is wrong in the tree, whatever it is compared with, is reported once.
func TestFindingsOfSeveralBasesAreToldOnce(t *testing.T) {
	s := crossed(t, false)
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), strings.Replace(notedBy("human:shah"), "status", "deps: [PROJ-9]\nstatus", 1))
	c := check(t, s, snapshot.CheckOptions{Base: "main"})
	times := map[proof.RuleID]int{}
	for _, f := range c.Findings {
		times[f.Rule]++
	}
	if want := map[proof.RuleID]int{proof.DanglingDep.ID: 1, proof.DepsUnexplained.ID: 1}; !maps.Equal(times, want) {
		t.Errorf("finds %s", report(c.Findings))
	}
}

// A merge of many branches has one base with each, and none is left out.
func TestSlowMergeOfManyBranches(t *testing.T) {
	slowtest.Skip(t)
	s := recorded(t)
	begin := storetest.CommitOf(t, s.Root, "HEAD")
	var branches []string
	for _, name := range []string{"PROJ-2", "PROJ-3", "PROJ-4"} {
		storetest.Git(t, s.Root, "switch", "-q", "-c", name, begin)
		storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), storetest.TaskText("PROJ-1"))
		storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), name+".md"), strings.ReplaceAll(storetest.TaskText("PROJ-2"), "PROJ-2", name))
		storetest.CommitAll(t, s)
		branches = append(branches, name)
	}
	storetest.Git(t, s.Root, "switch", "-q", "-c", "all", begin)
	storetest.Git(t, s.Root, append([]string{"merge", "-q", "--no-edit"}, branches...)...)
	c := check(t, s, snapshot.CheckOptions{Base: "PROJ-3"})
	if c.Base != storetest.CommitOf(t, s.Root, "PROJ-3") || len(c.Findings) != 0 {
		t.Errorf("compares with %s and finds %s", c.Base, report(c.Findings))
	}
	c = check(t, s, snapshot.CheckOptions{Base: "main"})
	if c.Base != begin || len(c.Findings) != 0 {
		t.Errorf("compares with %s and finds %s", c.Base, report(c.Findings))
	}
}

// Each base is read, so there is a limit to how many a history may have, and the hint says what to do.
func TestSlowTooManyMergeBases(t *testing.T) {
	slowtest.Skip(t)
	s := recorded(t)
	commit := func(parents ...string) string {
		args := []string{"commit-tree", "-m", fmt.Sprint(parents), "HEAD^{tree}"}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return strings.TrimSpace(storetest.GitOutput(t, s.Root, args...))
	}
	var all []string
	begin := storetest.CommitOf(t, s.Root, "HEAD")
	for i := range snapshot.MostBases + 1 {
		all = append(all, strings.TrimSpace(storetest.GitOutput(t, s.Root, "commit-tree", "-m", fmt.Sprint(i), "-p", begin, "HEAD^{tree}")))
	}
	storetest.Git(t, s.Root, "reset", "-q", "--hard", commit(append(all[:snapshot.MostBases:snapshot.MostBases], begin)...))
	storetest.Git(t, s.Root, "branch", "few", commit(all[:snapshot.MostBases]...))
	if c := check(t, s, snapshot.CheckOptions{Base: "few"}); len(c.Changes) != snapshot.MostBases || len(c.Findings) != 0 {
		t.Errorf("compares with %d commits, and finds %s", len(c.Changes), report(c.Findings))
	}
	storetest.Git(t, s.Root, "reset", "-q", "--hard", commit(append(all, begin)...))
	storetest.Git(t, s.Root, "branch", "many", commit(all...))
	_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: "many"})
	storetest.WantMessage(t, err, record.NoBase, fmt.Sprintf("parted at %d commits", snapshot.MostBases+1))
	if hint := problem.Hint(err); !strings.Contains(hint, "git merge "+storetest.CommitOf(t, s.Root, "many")) {
		t.Errorf("the hint is %q", hint)
	}
	storetest.Git(t, s.Root, "merge", "-q", "--no-edit", "many")
	if c := check(t, s, snapshot.CheckOptions{Base: "many"}); len(c.Changes) != 1 {
		t.Errorf("after the merge it compares with %d commits", len(c.Changes))
	}
}

// A change of very many commits is judged as one of a few.
func TestSlowChangeOfManyCommits(t *testing.T) {
	slowtest.Skip(t)
	s := recorded(t)
	storetest.Git(t, s.Root, "branch", "base")
	suite := task.Check{Desc: "it is up", Cmd: "test -f roof"}
	commit := strings.TrimSpace(storetest.GitOutput(t, s.Root, "rev-parse", "HEAD"))
	for range 300 {
		commit = strings.TrimSpace(storetest.GitOutput(t, s.Root, "commit-tree", "-m", "more", "-p", commit, "HEAD^{tree}"))
	}
	storetest.Git(t, s.Root, "reset", "-q", "--hard", commit)
	text := storetest.TaskText("PROJ-2", "checks:", "  - {desc: "+suite.Desc+", cmd: "+suite.Cmd+", result: pass}", "provenance:",
		"  - {who: 'agent:a', at: 2026-06-21T12:00:00Z, did: created}",
		"  - {who: 'agent:a', at: 2026-06-21T12:30:00Z, did: transitioned, from: backlog, to: done, results: [{check: '"+suite.Key("PROJ-2")+"', result: pass}], tree: '0123'}")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), strings.Replace(text, "backlog\n", "done\n", 1))
	storetest.CommitAll(t, s)
	for _, base := range []string{"base", "HEAD~5"} {
		c := check(t, s, snapshot.CheckOptions{Base: base, Commit: "HEAD"})
		if c.Note != "" || !strings.Contains(report(c.Findings), string(proof.EvidenceTreeUnknown.ID)) {
			t.Errorf("since %s the note is %q, and it finds %s", base, c.Note, report(c.Findings))
		}
	}
}
