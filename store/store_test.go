package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

func TestGet(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1", "status2: kept")
	got, err := kind.Tasks.Get(s, "PROJ-1")
	storetest.WantCode(t, err, "")
	if got.Title != "Task PROJ-1" || got.Status != "backlog" || got.Priority != task.DefaultPriority || got.Extra["status2"] != "kept" {
		t.Errorf("got %+v", got)
	}
	_, err = kind.Tasks.Get(s, "PROJ-2")
	storetest.WantMessage(t, err, record.NotFound, "PROJ-2")
}

// A file that cannot be read as a task is named, with the line that is to blame, wherever one asks; and it hides no
// other.
func TestBrokenFilesAreNamed(t *testing.T) {
	for _, broken := range []struct {
		name, src string
		line      int
		says      string
	}{
		{"empty", "", 0, "is empty"},
		{"no front matter", "# A heading\n", 1, "---"},
		{"never closed", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\n", 0, ""},
		{"broken YAML", "---\nid: PROJ-2\ntitle: [x\nstatus: backlog\n---\n", 3, ""},
		{"tab as indentation", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\nlabels:\n\t- a\n---\n", 6, "not valid YAML"},
		{"duplicate key", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\ntitle: y\n---\n", 5, "duplicate key"},
		{"conflict markers", "---\nid: PROJ-2\ntitle: x\n<<<<<<< ours\nstatus: backlog\n=======\nstatus: done\n>>>>>>> theirs\n---\n", 4, "conflict"},
		{"no id", "---\ntitle: x\nstatus: backlog\n---\n", 0, "id is missing"},
		{"no title", "---\nid: PROJ-2\nstatus: backlog\n---\n", 0, "title is missing"},
		{"no status", "---\nid: PROJ-2\ntitle: x\nstatus:\n---\n", 4, "status is missing"},
		{"called other than its id", "---\nid: PROJ-3\ntitle: x\nstatus: backlog\n---\n", 2, "the file is called PROJ-2, and its id is PROJ-3"},
		{"an id that leads out", "---\nid: ../x\ntitle: x\nstatus: backlog\n---\n", 2, "not a task id"},
		{"a priority that is none", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\npriority: 9\n---\n", 5, "not 0 to 4"},
		{"a title that is a list", "---\nid: PROJ-2\ntitle: [x]\nstatus: backlog\n---\n", 3, "one value"},
		{"deps that are a mapping", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\ndeps: {a: b}\n---\n", 5, "must be a list"},
		{"a check without a desc", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\nchecks:\n  - cmd: make\n---\n", 6, "needs a desc"},
		{"a result that is none", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\nchecks:\n  - desc: a\n    result: maybe\n---\n", 7, "pending, pass or fail"},
		{"a command that is manual", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\nchecks:\n  - {desc: a, cmd: b, type: manual}\n---\n", 6, "manual"},
		{"a time that is none", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\nprovenance:\n  - {who: 'human:a', at: today, did: created}\n---\n", 6, "must be a time"},
		{"an alias of itself", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\na: &a [*a]\n---\n", 5, ""},
		{"invalid UTF-8", "---\nid: PROJ-2\ntitle: \xff\nstatus: backlog\n---\n", 3, "UTF-8"},
		{"too large", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\n---\n" + strings.Repeat("x", format.MaxFile), 0, "larger than"},
	} {
		t.Run(broken.name, func(t *testing.T) {
			s := storetest.NewAt(t, t.TempDir())
			storetest.WriteTask(t, s, "PROJ-1")
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), broken.src)
			_, err := kind.Tasks.Get(s, "PROJ-2")
			storetest.WantMessage(t, err, record.BadFile, broken.says)
			p := onlyProblem(t, s, "PROJ-1")
			if p.Path != ".cairn/tasks/PROJ-2.md" || p.Code != record.BadFile || !strings.Contains(p.Message, broken.says) {
				t.Errorf("the problem is %+v", p)
			}
			if broken.line != 0 && p.Line != broken.line {
				t.Errorf("line %d is named, and line %d is to blame: %s", p.Line, broken.line, p.Message)
			}
			if strings.Contains(p.Message, s.Root) {
				t.Errorf("the message names the machine's own path: %s", p.Message)
			}
		})
	}
}

// What has the name of a task file and is not a file is a problem; what has another name is not ours.
func TestOddNamesInTheTasksFolder(t *testing.T) {
	for _, odd := range []struct {
		name    string
		make    func(t *testing.T, dir string)
		problem string
	}{
		{"a folder called like a task", func(t *testing.T, dir string) { storetest.Mkdir(t, dir, "PROJ-2.md") }, "not a regular file"},
		{"a link to a file", func(t *testing.T, dir string) {
			storetest.Link(t, filepath.Join(dir, "PROJ-1.md"), filepath.Join(dir, "PROJ-2.md"))
		}, "not a regular file"},
		{"a link to nowhere", func(t *testing.T, dir string) { storetest.Link(t, "nowhere", filepath.Join(dir, "PROJ-2.md")) }, "not a regular file"},
		{"a name that is no id", func(t *testing.T, dir string) { storetest.WriteFile(t, filepath.Join(dir, "read me.md"), "") }, "not a task id"},
		{"no prefix", func(t *testing.T, dir string) { storetest.WriteFile(t, filepath.Join(dir, "README.md"), "") }, "not a task id"},
		{"another ending", func(t *testing.T, dir string) { storetest.WriteFile(t, filepath.Join(dir, "PROJ-2.txt"), "") }, ""},
		{"a backup of an editor", func(t *testing.T, dir string) { storetest.WriteFile(t, filepath.Join(dir, "PROJ-1.md~"), "") }, ""},
		{"a hidden file", func(t *testing.T, dir string) { storetest.WriteFile(t, filepath.Join(dir, ".PROJ-1.md"), "") }, ""},
		{"a folder of any other name", func(t *testing.T, dir string) { storetest.Mkdir(t, dir, "archive") }, ""},
	} {
		t.Run(odd.name, func(t *testing.T) {
			s := storetest.NewAt(t, t.TempDir())
			storetest.WriteTask(t, s, "PROJ-1")
			odd.make(t, s.Dir("tasks"))
			if odd.problem == "" {
				storetest.WantNoProblem(t, s, "PROJ-1")
				return
			}
			if p := onlyProblem(t, s, "PROJ-1"); !strings.Contains(p.Message, odd.problem) {
				t.Errorf("the problem is %+v", p)
			}
		})
	}
}

// Links are not followed, neither to read nor to write: they may lead anywhere.
func TestLinksAreRefused(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	outside := filepath.Join(t.TempDir(), "PROJ-2.md")
	storetest.WriteFile(t, outside, storetest.TaskText("PROJ-2"))
	storetest.Link(t, outside, storetest.TaskFile(s, "PROJ-2"))
	_, err := kind.Tasks.Get(s, "PROJ-2")
	storetest.WantCode(t, err, record.BadFile)
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-2", "x"), record.BadFile)
	if got := storetest.ReadFile(t, outside); got != storetest.TaskText("PROJ-2") {
		t.Errorf("the file behind the link is now\n%s", got)
	}
	for _, name := range []string{"tasks", "sessions", "plans", "runs", "config.yaml", ""} {
		t.Run("."+name, func(t *testing.T) {
			linked := storetest.NewAt(t, t.TempDir())
			moveAndLink(t, filepath.Join(linked.Root, layout.Folder, name))
			_, err := store.Open(linked.Root, t.TempDir())
			storetest.WantMessage(t, err, record.InvalidInput, "is a link")
		})
	}
}

// A workspace that the original cairn wrote opens, lists, and takes new writes.
func TestWorkspaceOfTheOriginal(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"config.yaml": "prefix: PROJ\nstates: [backlog, in_progress, in_review, done, canceled]\ninitial: backlog\n" +
			"working_state: in_progress\nreview_state: in_review\nclosed: [done, canceled]\nsession_stale_after: 300\n",
		"tasks/PROJ-001.md": storetest.ReadFile(t, "kind/testdata/tasks/of-the-original-cairn.md"),
		"sessions/ses-01hzy3.yaml": "id: ses-01hzy3\ntask: PROJ-001\nactor: agent:claude-1\nstatus: active\n" +
			"started_at: \"2026-01-02T04:00:00Z\"\nheartbeat_at: \"2026-01-02T05:30:00Z\"\n",
	} {
		storetest.WriteFile(t, filepath.Join(dir, layout.Folder, filepath.FromSlash(name)), content)
	}
	s := storetest.Open(t, dir)
	storetest.WantNoProblem(t, s, "PROJ-001")
	got, err := kind.Tasks.Get(s, "PROJ-001")
	storetest.WantCode(t, err, "")
	if got.Extra["rank"] != "a0" || got.Extra["active_attempt"] != "ses-01hzy3" || got.Provenance.LastSession() != "ses-01hzy3" {
		t.Errorf("got %+v", got)
	}
	storetest.WantCode(t, storetest.NewActor(s, "agent:claude-1").Finish("ses-01hzy3"), "")
	got, err = kind.Tasks.Get(s, "PROJ-001")
	storetest.WantCode(t, err, "")
	if got.Status != "in_review" || got.Provenance.Last().Did != record.Finished {
		t.Errorf("after finish it is %s, with last entry %+v", got.Status, got.Provenance.Last())
	}
	storetest.WantClean(t, s)
}

func TestResolve(t *testing.T) {
	s := storetest.New(t)
	for _, id := range []record.ID{"PROJ-001", "PROJ-0012", "PROJ-002", "WEB-01j8x2k7q7f3az"} {
		storetest.WriteTask(t, s, id)
	}
	for _, row := range []struct {
		name, part string
		want       string
		code       record.Code
		says       string
	}{
		{"the whole id", "PROJ-002", "PROJ-002", "", ""},
		{"an exact match wins over a longer one", "PROJ-001", "PROJ-001", "", ""},
		{"the end", "f3az", "WEB-01j8x2k7q7f3az", "", ""},
		{"the middle", "x2k", "WEB-01j8x2k7q7f3az", "", ""},
		{"in another case", "web", "WEB-01j8x2k7q7f3az", "", ""},
		{"the whole id in another case", "web-01J8X2K7Q7F3AZ", "WEB-01j8x2k7q7f3az", "", ""},
		{"a part of several", "PROJ", "", record.AmbiguousID, "fits 3 tasks"},
		{"a part of none", "PROJ-9", "", record.NotFound, "PROJ-9"},
		{"nothing", "", "", record.NotFound, ""},
		{"a path", "../PROJ-001", "", record.NotFound, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := s.Resolve(kind.Tasks.Kind, row.part)
			storetest.WantMessage(t, err, row.code, row.says)
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// The nearest workspace at or above a folder is opened.
func TestOpenWalksUp(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	deep := filepath.Join(s.Root, "a", "b")
	storetest.Mkdir(t, deep, "c")
	if got := storetest.Open(t, filepath.Join(deep, "c")); got.Root != s.Root {
		t.Errorf("opened %s, want %s", got.Root, s.Root)
	}
	inner := storetest.NewAt(t, deep)
	if got := storetest.Open(t, filepath.Join(deep, "c")); got.Root != inner.Root || got.Live == s.Live {
		t.Errorf("opened %s with live state in %s", got.Root, got.Live)
	}
}

func TestOpenRefuses(t *testing.T) {
	_, err := store.Open(t.TempDir(), t.TempDir())
	storetest.WantCode(t, err, record.NoWorkspace)
	half := t.TempDir()
	storetest.Mkdir(t, half, layout.Folder)
	_, err = store.Open(half, t.TempDir())
	storetest.WantMessage(t, err, record.NoWorkspace, "no config.yaml")
}

func onlyProblem(t *testing.T, s *store.Store, want ...record.ID) problem.Problem {
	t.Helper()
	problems := storetest.WantTasks(t, s, want...)
	if len(problems) != 1 {
		t.Fatalf("got the problems %+v, want one", problems)
	}
	return problems[0]
}

// moveAndLink moves a file or folder away, or makes an empty folder elsewhere if it is missing, and leaves a link to
// it.
func moveAndLink(t *testing.T, path string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(path, elsewhere); err != nil {
		storetest.Mkdir(t, filepath.Dir(elsewhere), "elsewhere")
	}
	storetest.Link(t, elsewhere, filepath.Clean(path))
}

// Opening a workspace whose config is wrong names the file, the line and the column.
func TestOpenNamesThePlaceInTheConfig(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteFile(t, s.ConfigFile(), "format: 1\nprefix: PROJ\nclaim_ttl: soon\n")
	_, err := store.Open(s.Root, t.TempDir())
	storetest.WantMessage(t, err, record.BadFile, ".cairn/config.yaml:3:12")
}
