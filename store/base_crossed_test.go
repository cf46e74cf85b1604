package store

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/task"
)

// notedBy is PROJ-1 with notes, the oldest first.
func notedBy(whos ...string) string {
	entries := []string{"provenance:", "  - {who: 'human:shah', at: 2026-01-01T09:00:00Z, did: created}"}
	for i, who := range whos {
		entries = append(entries, "  - {who: '"+who+"', at: 2026-01-0"+string(rune('2'+i))+"T09:00:00Z, did: noted, text: a word}")
	}
	return taskText("PROJ-1", entries...)
}

// crossed makes two branches that were merged into one another: main has a note of a person that topic lost when it merged main,
// after a commit that says nothing, and main has merged topic as well. They parted at two commits. In a shallow one the way to the
// note is cut off.
func crossed(t *testing.T, shallow bool) *Store {
	t.Helper()
	s := recorded(t)
	write := func(text string) {
		writeFile(t, s.task("PROJ-1"), text)
		runGit(t, s.Root, "add", "-A")
	}
	merge := func(other, text string) {
		t.Helper()
		_, _ = gitFails(s.Root, "merge", "--no-ff", "--no-commit", "-s", "ours", other)
		write(text)
		runGit(t, s.Root, "commit", "-q", "-m", "merge "+other)
	}
	write(notedBy())
	runGit(t, s.Root, "commit", "-q", "-m", "begin")
	runGit(t, s.Root, "branch", "topic")
	write(notedBy("human:shah"))
	runGit(t, s.Root, "commit", "-q", "-m", "a person's note")
	runGit(t, s.Root, "tag", "noted")
	runGit(t, s.Root, "switch", "-q", "--detach")
	runGit(t, s.Root, "commit", "-q", "--allow-empty", "-m", "nothing")
	runGit(t, s.Root, "tag", "later")
	runGit(t, s.Root, "switch", "-q", "topic")
	writeFile(t, filepath.Join(s.Root, "shop"), "open\n")
	commitAll(t, s)
	runGit(t, s.Root, "tag", "second")
	runGit(t, s.Root, "switch", "-q", "main")
	merge("second", notedBy("human:shah"))
	runGit(t, s.Root, "switch", "-q", "topic")
	merge("later", notedBy())
	if shallow {
		writeFile(t, filepath.Join(s.Repo.GitDir, "shallow"), commitOf(t, s.Root, "later")+"\n")
	}
	return s
}

// Histories that crossed parted at several commits, and what any of them holds must still be there.
func TestEveryMergeBaseIsCompared(t *testing.T) {
	s := crossed(t, false)
	bases := strings.Fields(gitOutput(t, s.Root, "merge-base", "--all", "main", "topic"))
	if len(bases) != 2 {
		t.Fatalf("they parted at %q", bases)
	}
	for _, opts := range []CheckOptions{{Base: "main"}, {Base: "main", Commit: "HEAD"}} {
		c := check(t, s, opts)
		lost := 0
		for _, f := range c.Findings {
			if f.Rule == proof.ProvenanceRewritten && f.Path == ".cairn/tasks/PROJ-1.md" {
				lost++
			}
		}
		if lost != 1 || len(c.Changes) != 2 || !strings.Contains(c.Note, "each of the 2 commits") {
			t.Errorf("compares with %d commits (%s) and finds %s", len(c.Changes), c.Note, told(c.Findings))
		}
	}
}

// What is wrong in the tree, whatever it is compared with, is told once.
func TestFindingsOfSeveralBasesAreToldOnce(t *testing.T) {
	s := crossed(t, false)
	writeFile(t, s.task("PROJ-1"), strings.Replace(notedBy("human:shah"), "status", "deps: [PROJ-9]\nstatus", 1))
	c := check(t, s, CheckOptions{Base: "main"})
	times := map[proof.RuleID]int{}
	for _, f := range c.Findings {
		times[f.Rule]++
	}
	if want := map[proof.RuleID]int{proof.DanglingDep: 1, proof.DepsUnexplained: 1}; !maps.Equal(times, want) {
		t.Errorf("finds %s", told(c.Findings))
	}
}

// A merge of many branches has one base with each, and none is left out.
func TestMergeOfManyBranches(t *testing.T) {
	s := recorded(t)
	begin := commitOf(t, s.Root, "HEAD")
	var branches []string
	for _, name := range []string{"PROJ-2", "PROJ-3", "PROJ-4"} {
		runGit(t, s.Root, "switch", "-q", "-c", name, begin)
		writeFile(t, s.task("PROJ-1"), taskText("PROJ-1"))
		writeFile(t, filepath.Join(s.TasksDir(), name+".md"), strings.ReplaceAll(taskText("PROJ-2"), "PROJ-2", name))
		commitAll(t, s)
		branches = append(branches, name)
	}
	runGit(t, s.Root, "switch", "-q", "-c", "all", begin)
	runGit(t, s.Root, append([]string{"merge", "-q", "--no-edit"}, branches...)...)
	c := check(t, s, CheckOptions{Base: "PROJ-3"})
	if c.Base != commitOf(t, s.Root, "PROJ-3") || len(c.Findings) != 0 {
		t.Errorf("compares with %s and finds %s", c.Base, told(c.Findings))
	}
	c = check(t, s, CheckOptions{Base: "main"})
	if c.Base != begin || len(c.Findings) != 0 {
		t.Errorf("compares with %s and finds %s", c.Base, told(c.Findings))
	}
}

// Each base is read, so there is a limit to how many a history may have, and the way out is told.
func TestTooManyMergeBases(t *testing.T) {
	s := recorded(t)
	commit := func(parents ...string) string {
		args := []string{"commit-tree", "-m", fmt.Sprint(parents), "HEAD^{tree}"}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return strings.TrimSpace(gitOutput(t, s.Root, args...))
	}
	var all []string
	begin := commitOf(t, s.Root, "HEAD")
	for i := range mostBases + 1 {
		all = append(all, strings.TrimSpace(gitOutput(t, s.Root, "commit-tree", "-m", fmt.Sprint(i), "-p", begin, "HEAD^{tree}")))
	}
	runGit(t, s.Root, "reset", "-q", "--hard", commit(append(all[:mostBases:mostBases], begin)...))
	runGit(t, s.Root, "branch", "few", commit(all[:mostBases]...))
	if c := check(t, s, CheckOptions{Base: "few"}); len(c.Changes) != mostBases || len(c.Findings) != 0 {
		t.Errorf("compares with %d commits, and finds %s", len(c.Changes), told(c.Findings))
	}
	runGit(t, s.Root, "reset", "-q", "--hard", commit(append(all, begin)...))
	runGit(t, s.Root, "branch", "many", commit(all...))
	_, err := s.Check(t.Context(), CheckOptions{Base: "many"})
	wantMessage(t, err, task.NoBase, fmt.Sprintf("parted at %d commits", mostBases+1))
	if hint := hintOf(err); !strings.Contains(hint, "git merge "+commitOf(t, s.Root, "many")) {
		t.Errorf("the hint is %q", hint)
	}
	runGit(t, s.Root, "merge", "-q", "--no-edit", "many")
	if c := check(t, s, CheckOptions{Base: "many"}); len(c.Changes) != 1 {
		t.Errorf("after the merge it compares with %d commits", len(c.Changes))
	}
}

// A change of very many commits is judged all the same. What nobody looks up in so many is said.
func TestChangeOfManyCommits(t *testing.T) {
	s := recorded(t)
	runGit(t, s.Root, "branch", "base")
	suite := task.Check{Desc: "it is up", Cmd: "test -f roof"}
	commit := strings.TrimSpace(gitOutput(t, s.Root, "rev-parse", "HEAD"))
	for range mostCommits - 1 {
		commit = strings.TrimSpace(gitOutput(t, s.Root, "commit-tree", "-m", "more", "-p", commit, "HEAD^{tree}"))
	}
	runGit(t, s.Root, "reset", "-q", "--hard", commit)
	text := taskText("PROJ-2", "checks:", "  - {desc: "+suite.Desc+", cmd: "+suite.Cmd+", result: pass}", "provenance:",
		"  - {who: 'agent:a', at: 2026-06-21T12:00:00Z, did: created}",
		"  - {who: 'agent:a', at: 2026-06-21T12:30:00Z, did: transitioned, from: backlog, to: done, results: [{check: '"+suite.Key("PROJ-2")+"', result: pass}], tree: '0123'}")
	writeFile(t, s.task("PROJ-2"), strings.Replace(text, "backlog\n", "done\n", 1))
	commitAll(t, s)
	c := check(t, s, CheckOptions{Base: "base", Commit: "HEAD"})
	const note = "the change has 200 commits or more, so nobody looked whether they hold"
	if !strings.Contains(c.Note, note) {
		t.Errorf("the note is %q, and it finds %s", c.Note, told(c.Findings))
	}
	c = check(t, s, CheckOptions{Base: "HEAD~5", Commit: "HEAD"})
	if strings.Contains(c.Note, note) || !strings.Contains(told(c.Findings), string(proof.EvidenceTreeUnknown)) {
		t.Errorf("of a few the note is %q, and it finds %s", c.Note, told(c.Findings))
	}
}
