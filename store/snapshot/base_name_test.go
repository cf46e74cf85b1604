package snapshot_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// The name of a base means one commit. git takes a tag before a branch and a branch before an id, and only warns of it.
func TestSlowBaseHasOneMeaning(t *testing.T) {
	slowtest.Skip(t)
	s := recorded(t)
	first := storetest.CommitOf(t, s.Root, "HEAD")
	storetest.WriteTask(t, s, "PROJ-2")
	storetest.CommitAll(t, s)
	storetest.WriteTask(t, s, "PROJ-3")
	storetest.CommitAll(t, s)
	for _, args := range [][]string{
		{"tag", "v1", first}, {"tag", "-a", "-m", "a tag", "signed", first}, {"branch", "plain", first},
		{"tag", "both", "HEAD"}, {"branch", "both", first},
		{"branch", "origin/theirs", "HEAD"}, {"update-ref", "refs/remotes/origin/theirs", first},
		{"update-ref", "refs/heads/" + first[:7], "HEAD"},
		{"update-ref", "refs/heads/HEAD", first},
		{"update-ref", "refs/heads/refs/heads/nested", first},
	} {
		storetest.Git(t, s.Root, args...)
	}
	storetest.WriteFile(t, s.Repo.GitDir+"/plain", storetest.CommitOf(t, s.Root, "HEAD")+"\n") // git would take this for the branch
	for _, row := range []struct {
		base string
		want string // a commit; "" if it is refused
		says string
		hint string
	}{
		{"v1", first, "", ""},
		{"signed", first, "", ""},
		{"plain", first, "", ""},
		{"main~2", first, "", ""},
		{"main^^", first, "", ""},
		{"signed^{commit}", first, "", ""},
		{"tags/v1", first, "", ""},
		{first, first, "", ""},
		{first[:12], first, "", ""},
		{"refs/heads/both", first, "", ""},
		{"refs/remotes/origin/theirs", first, "", ""},
		{"both", "", `"both" could be any of refs/tags/both, refs/heads/both`, "--base refs/heads/both"},
		{"both~1", "", "refs/tags/both, refs/heads/both", "--base refs/heads/both~1"},
		{"origin/theirs", "", "refs/heads/origin/theirs, refs/remotes/origin/theirs", "in full"},
		{first[:7], "", "refs/heads/" + first[:7] + ", " + first, "in full"},
		{"HEAD", "", "HEAD, refs/heads/HEAD", "in full"},
		{"refs/heads/nested", "", "no such commit", ""},
		{"-h", "", "is not the name of one commit", "name a branch"},
		{"main@{1}", "", "is not the name of one commit", ""},
		{"@{-1}", "", "is not the name of one commit", ""},
		{"@{upstream}", "", "is not the name of one commit", ""},
		{"^main", "", "is not the name of one commit", ""},
		{"main..HEAD", "", "is not the name of one commit", ""},
		{":/a change", "", "is not the name of one commit", ""},
		{"main^{/a change}", "", "is not the name of one commit", ""},
		{"HEAD:.cairn", "", "is not the name of one commit", ""},
		{"main ", "", "is not the name of one commit", ""},
		{"main\n", "", "is not the name of one commit", ""},
		{"MAIN", "", "no such commit", ""},
		{"v1-2-g" + first[:9], "", "no such commit", ""},
		{"ma*", "", "no such commit", ""},
	} {
		c, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: row.base})
		if row.want != "" {
			if err != nil || c.Base != row.want {
				t.Errorf("%q is %q, %v", row.base, c.Base, err)
			}
			continue
		}
		storetest.WantMessage(t, err, record.NoBase, row.says)
		if !strings.Contains(problem.Hint(err), row.hint) {
			t.Errorf("%q: the hint is %q", row.base, problem.Hint(err))
		}
	}
}

// What this clone puts in place of a commit or of its parents changes nothing of what is compared: nobody else has it.
func TestReplacedHistoryIsNotCompared(t *testing.T) {
	s := recorded(t)
	first := storetest.CommitOf(t, s.Root, "HEAD")
	storetest.Git(t, s.Root, "switch", "-q", "-c", "topic")
	storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-9]")
	storetest.CommitAll(t, s)
	storetest.Git(t, s.Root, "replace", first, storetest.CommitOf(t, s.Root, "HEAD")) // the base would hold what the change brings
	storetest.WriteFile(t, s.Repo.GitDir+"/info/grafts", storetest.CommitOf(t, s.Root, "HEAD")+"\n")
	c := check(t, s, snapshot.CheckOptions{Base: "main"})
	if c.Base != first || len(c.Changes) != 1 || len(c.Changes[0].Base.Tasks) != 1 {
		t.Errorf("compares with %s (%s), where there are %d tasks", c.Base, c.Note, len(c.Changes[0].Base.Tasks))
	}
}
