package ci_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// The hook that pre-commit would run keeps what is wrong out of the history, and judges what is staged and nothing
// else.
func TestSlowPreCommit(t *testing.T) {
	slowtest.Skip(t)
	p := newProject(newMachine(t))
	hooks := read[[]struct {
		ID, Entry, Files string
		Filenames        bool `yaml:"pass_filenames"`
	}](t, "../../.pre-commit-hooks.yaml")
	config := read[struct {
		Repos []struct{ Hooks []struct{ ID string } }
	}](t, "pre-commit.yaml")
	if len(hooks) != 1 || config.Repos[0].Hooks[0].ID != hooks[0].ID || hooks[0].Filenames {
		t.Fatalf("the example uses %+v, and there is %+v", config, hooks)
	}
	if !regexp.MustCompile(hooks[0].Files).MatchString(filepath.ToSlash(p.task)) {
		t.Errorf("a change of %s starts no hook", p.task)
	}
	hook := strings.Fields(hooks[0].Entry)

	p.cheat()
	if out, exit := p.run(p.clone, hook[0], hook[1:]...); exit != 0 {
		t.Errorf("judges what is not staged: %s", out)
	}
	p.git("add", "--all")
	if out, exit := p.run(p.clone, hook[0], hook[1:]...); exit != 1 || !strings.Contains(out, "error no-evidence") {
		t.Errorf("lets a cheat through with %d: %s", exit, out)
	}
	p.git("reset", "--quiet", "--hard")
	p.close()
	p.git("add", "--all")
	if out, exit := p.run(p.clone, hook[0], hook[1:]...); exit != 0 {
		t.Errorf("keeps an honest close from being committed: %s", out)
	}
}
