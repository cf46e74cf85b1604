package cmd

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const (
	sound     = "sound"
	unnoticed = "not what the driver makes, and no rule says so"
)

// mergedSilently are the situations that git merges by lines without a conflict, with the finding about the result.
// All take an edit by hand: two writes of cairn's to one task always conflict, since both append to its provenance.
var mergedSilently = map[string]string{
	"closed-here-check-added-by-hand":     "not passed: lint",
	"closed-here-command-changed-by-hand": "not passed: tests pass",
	"layout-of-both-sides":                sound,
	"record-begun-in-two-places":          `duplicate key "provenance"`,
	"same-check-added-in-two-places":      unnoticed,
	"unknown-keys":                        sound,
}

// In a fresh clone, which has .gitattributes but no driver, git merges every situation by lines. If that is a conflict,
// cairn reports it and leaves the file alone, and the other tasks can be worked on. If not, the result is that of the
// driver, or a rule says what is wrong with it; the exceptions are those that mergedSilently calls unnoticed.
func TestSlowMergeWithoutTheDriver(t *testing.T) {
	slowtest.Skip(t)
	g := newMergeRepo(t).clone()
	g.run("checkout", "-q", "-b", "mine", "origin/ours")
	_ = g.runErr("merge", "origin/theirs") // it fails if there are conflicts, and there are
	unmerged := strings.Fields(g.run("diff", "--name-only", "--diff-filter=U"))
	silent := maps.Clone(mergedSilently)
	for _, s := range situations(t) {
		name, file, _ := strings.Cut(s.file, "/")
		t.Run(name, func(t *testing.T) {
			w := workspaceIn(t, filepath.Join(g.dir, name))
			want, isSilent := silent[name]
			delete(silent, name)
			switch isConflict := slices.Contains(unmerged, s.file); {
			case isConflict == isSilent:
				t.Errorf("is a conflict: %v", isConflict)
			case isConflict:
				w.wantLeftAlone(file)
			default:
				w.wantFinding(file, s.merged, want)
			}
		})
	}
	for name := range silent {
		t.Errorf("there is no situation %s", name)
	}
}

// workspace runs cairn in a folder, in this process.
type workspace struct {
	*testing.T
	dir, state string
}

func workspaceIn(t *testing.T, dir string) workspace { return workspace{t, dir, t.TempDir()} }

func (w workspace) run(args ...string) (out, errs string, exit int) {
	var stdout, stderr strings.Builder
	vars := map[string]string{"CAIRN_ACTOR": "human:shah", "XDG_STATE_HOME": w.state}
	exit = Main(w.Context(), Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: w.dir,
		Getenv: func(name string) string { return vars[name] },
		Now:    func() time.Time { return cmdtest.StartTime }, Rand: cmdtest.Zeros{},
	})
	return stdout.String(), stderr.String(), exit
}

// wantLeftAlone fails the test unless a file with conflicts is refused and unchanged, while other tasks can be worked
// on.
func (w workspace) wantLeftAlone(file string) {
	w.Helper()
	before := readAt(w.T, w.dir, file)
	refused := regexp.MustCompile(regexp.QuoteMeta(file) + `:\d+(:\d+)?: conflict markers`)
	calls := map[string][][]string{
		".cairn/tasks":    {{"show", "T-1"}, {"note", "T-1", "hello"}, {"transition", "T-1", "in_progress"}},
		".cairn/sessions": {{"get-session", "ses-1"}, {"heartbeat", "ses-1", "at work"}},
		".cairn":          {{"list"}, {"create", "Another"}},
	}
	for _, args := range calls[filepath.ToSlash(filepath.Dir(file))] {
		if _, errs, exit := w.run(args...); exit != exitFailure || !refused.MatchString(errs) {
			w.Errorf("%s exits with %d: %s", args, exit, errs)
		}
	}
	if file != ".cairn/config.yaml" {
		w.wantUsable()
	}
	if after := readAt(w.T, w.dir, file); after != before {
		w.Errorf("was changed:\n%s", after)
	}
}

// wantUsable fails the test unless a task without conflicts can be worked on.
func (w workspace) wantUsable() {
	w.Helper()
	created, _, _ := w.run("create", "Another")
	other := cmdtest.MintedID.FindString(created)
	for _, args := range [][]string{{"note", other, "hello"}, {"show", other}, {"list"}, {"list-sessions"}} {
		if out, errs, exit := w.run(args...); exit != 0 {
			w.Errorf("%s exits with %d: %s%s", args, exit, out, errs)
		}
	}
}

// wantFinding compares the result of git with that of the driver.
func (w workspace) wantFinding(file string, merged []byte, want string) {
	w.Helper()
	got, finding := w.read()
	if finding == "" {
		if err := os.WriteFile(filepath.Join(w.dir, file), merged, 0o644); err != nil {
			w.Fatal(err)
		}
		finding = unnoticed
		if driven, _ := w.read(); reflect.DeepEqual(got, driven) {
			finding = sound
		}
	}
	if !strings.Contains(finding, want) {
		w.Errorf("the finding is %q, want %q", finding, want)
	}
}

// read reads the task, and says what is wrong with it, or "".
func (w workspace) read() (task.Task, string) {
	w.Helper()
	s, err := store.Open(w.dir, w.state)
	if err != nil {
		w.Fatal(err)
	}
	t, err := kind.Tasks.Get(s, "T-1")
	if err != nil {
		return t, err.Error()
	}
	var open []string
	for _, c := range s.Config.Flow.Unproven(t) {
		open = append(open, c.Desc)
	}
	if len(open) > 0 {
		return t, "not passed: " + strings.Join(open, ", ")
	}
	t.Rev = ""
	return t, ""
}

func readAt(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
