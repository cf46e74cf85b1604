package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

func TestGet(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1", "status2: kept")
	got, err := s.Get("PROJ-1")
	wantCode(t, err, "")
	if got.Title != "Task PROJ-1" || got.Status != "backlog" || got.Priority != task.DefaultPriority || got.Extra["status2"] != "kept" {
		t.Errorf("reads %+v", got)
	}
	_, err = s.Get("PROJ-2")
	wantMessage(t, err, task.NotFound, "PROJ-2")
}

// A file that cannot be read as a task is named, with the line that is to blame, wherever one asks; and it hides no other.
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
		{"too large", "---\nid: PROJ-2\ntitle: x\nstatus: backlog\n---\n" + strings.Repeat("x", frontmatter.MaxFile), 0, "larger than"},
	} {
		t.Run(broken.name, func(t *testing.T) {
			s := newStoreAt(t, t.TempDir())
			handWrite(t, s, "PROJ-1")
			writeFile(t, s.task("PROJ-2"), broken.src)
			_, err := s.Get("PROJ-2")
			wantMessage(t, err, task.BadFile, broken.says)
			p := onlyProblem(t, s, "PROJ-1")
			if p.Path != ".cairn/tasks/PROJ-2.md" || p.Code != task.BadFile || !strings.Contains(p.Message, broken.says) {
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
		{"a folder called like a task", func(t *testing.T, dir string) { mkdir(t, dir, "PROJ-2.md") }, "not a regular file"},
		{"a link to a file", func(t *testing.T, dir string) {
			link(t, filepath.Join(dir, "PROJ-1.md"), filepath.Join(dir, "PROJ-2.md"))
		}, "not a regular file"},
		{"a link to nowhere", func(t *testing.T, dir string) { link(t, "nowhere", filepath.Join(dir, "PROJ-2.md")) }, "not a regular file"},
		{"a name that is no id", func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "read me.md"), "") }, "not a task id"},
		{"no prefix", func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "README.md"), "") }, "not a task id"},
		{"another ending", func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "PROJ-2.txt"), "") }, ""},
		{"a backup of an editor", func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "PROJ-1.md~"), "") }, ""},
		{"a hidden file", func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, ".PROJ-1.md"), "") }, ""},
		{"a folder of any other name", func(t *testing.T, dir string) { mkdir(t, dir, "archive") }, ""},
	} {
		t.Run(odd.name, func(t *testing.T) {
			s := newStoreAt(t, t.TempDir())
			handWrite(t, s, "PROJ-1")
			odd.make(t, s.TasksDir())
			if odd.problem == "" {
				wantNoProblem(t, s, "PROJ-1")
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
	s := newStoreAt(t, t.TempDir())
	outside := filepath.Join(t.TempDir(), "PROJ-2.md")
	writeFile(t, outside, taskText("PROJ-2"))
	link(t, outside, s.task("PROJ-2"))
	_, err := s.Get("PROJ-2")
	wantCode(t, err, task.BadFile)
	wantCode(t, newActor(s, "human:lee").note("PROJ-2", "x"), task.BadFile)
	if got := string(readAll(t, outside)); got != taskText("PROJ-2") {
		t.Errorf("the file behind the link is now\n%s", got)
	}
	for _, name := range []string{"tasks", "sessions", "plans", "runs", "config.yaml", ""} {
		t.Run("."+name, func(t *testing.T) {
			linked := newStoreAt(t, t.TempDir())
			moveAndLink(t, filepath.Join(linked.Root, Folder, name))
			_, err := Open(linked.Root, t.TempDir())
			wantMessage(t, err, task.InvalidInput, "is a link")
		})
	}
}

// A workspace that the original cairn wrote opens, lists, and takes new writes.
func TestWorkspaceOfTheOriginal(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"config.yaml": "prefix: PROJ\nstates: [backlog, in_progress, in_review, done, canceled]\ninitial: backlog\n" +
			"working_state: in_progress\nreview_state: in_review\nclosed: [done, canceled]\nsession_stale_after: 300\n",
		"tasks/PROJ-001.md": string(readAll(t, "testdata/tasks/of-the-original-cairn.md")),
		"sessions/ses-01hzy3.yaml": "id: ses-01hzy3\ntask: PROJ-001\nactor: agent:claude-1\nstatus: active\n" +
			"started_at: \"2026-01-02T04:00:00Z\"\nheartbeat_at: \"2026-01-02T05:30:00Z\"\n",
	} {
		writeFile(t, filepath.Join(dir, Folder, filepath.FromSlash(name)), content)
	}
	s := reopen(t, dir)
	wantNoProblem(t, s, "PROJ-001")
	got, err := s.Get("PROJ-001")
	wantCode(t, err, "")
	if got.Extra["rank"] != "a0" || got.Extra["active_attempt"] != "ses-01hzy3" || got.Provenance.LastSession() != "ses-01hzy3" {
		t.Errorf("reads %+v", got)
	}
	wantCode(t, newActor(s, "agent:claude-1").finish("ses-01hzy3"), "")
	got, err = s.Get("PROJ-001")
	wantCode(t, err, "")
	if got.Status != "in_review" || got.Provenance.Last().Did != task.Finished {
		t.Errorf("after finish it is %s, with last entry %+v", got.Status, got.Provenance.Last())
	}
	verifyClean(t, s)
}

func TestResolve(t *testing.T) {
	s := newStore(t)
	for _, id := range []task.ID{"PROJ-001", "PROJ-0012", "PROJ-002", "WEB-01j8x2k7q7f3az"} {
		handWrite(t, s, id)
	}
	for _, row := range []struct {
		name, part string
		want       task.ID
		code       task.Code
		says       string
	}{
		{"the whole id", "PROJ-002", "PROJ-002", "", ""},
		{"an exact match wins over a longer one", "PROJ-001", "PROJ-001", "", ""},
		{"the end", "f3az", "WEB-01j8x2k7q7f3az", "", ""},
		{"the middle", "x2k", "WEB-01j8x2k7q7f3az", "", ""},
		{"in another case", "web", "WEB-01j8x2k7q7f3az", "", ""},
		{"the whole id in another case", "web-01J8X2K7Q7F3AZ", "WEB-01j8x2k7q7f3az", "", ""},
		{"a part of several", "PROJ", "", task.AmbiguousID, "fits 3 tasks"},
		{"a part of none", "PROJ-9", "", task.NotFound, "PROJ-9"},
		{"nothing", "", "", task.NotFound, ""},
		{"a path", "../PROJ-001", "", task.NotFound, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := s.Resolve(row.part)
			wantMessage(t, err, row.code, row.says)
			if got != row.want {
				t.Errorf("finds %q, and should find %q", got, row.want)
			}
		})
	}
}

// The nearest workspace at or above a folder is opened.
func TestOpenWalksUp(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	deep := filepath.Join(s.Root, "a", "b")
	mkdir(t, deep, "c")
	if got := reopen(t, filepath.Join(deep, "c")); got.Root != s.Root {
		t.Errorf("opened %s, and should have opened %s", got.Root, s.Root)
	}
	inner := newStoreAt(t, deep)
	if got := reopen(t, filepath.Join(deep, "c")); got.Root != inner.Root || got.Layout.Live == s.Layout.Live {
		t.Errorf("opened %s with live state in %s", got.Root, got.Layout.Live)
	}
}

func TestOpenRefuses(t *testing.T) {
	_, err := Open(t.TempDir(), t.TempDir())
	wantCode(t, err, task.NoWorkspace)
	half := t.TempDir()
	mkdir(t, half, Folder)
	_, err = Open(half, t.TempDir())
	wantMessage(t, err, task.NoWorkspace, "no config.yaml")
}

// Two workspaces of one repository have live state of their own; the worktrees of a clone share theirs.
func TestWhereLiveStateLies(t *testing.T) {
	repo := newRepo(t)
	top, web := newStoreAt(t, repo), newStoreAt(t, filepath.Join(mkdir(t, repo, "web")))
	if top.Layout.Live == web.Layout.Live {
		t.Error("two workspaces share live state")
	}
	if !strings.HasPrefix(slashRel(top.Root, top.Layout.Live), ".git/cairn/") {
		t.Errorf("the live state lies in %s", top.Layout.Live)
	}
	linked := newStoreAt(t, linkWorktree(t, repo))
	if linked.Layout.Live != top.Layout.Live || linked.Worktree == top.Worktree {
		t.Errorf("worktree %s has live state in %s, and the clone in %s", linked.Worktree, linked.Layout.Live, top.Layout.Live)
	}
}

func TestInit(t *testing.T) {
	t.Run("makes a workspace, and does nothing the second time", func(t *testing.T) {
		dir := t.TempDir()
		_, made, err := Init(dir, "PROJ")
		wantCode(t, err, "")
		if want := []string{".cairn/config.yaml", ".cairn/.gitignore"}; !slices.Equal(made, want) {
			t.Errorf("made %v, and should have made %v", made, want)
		}
		before := snapshot(t, dir)
		_, made, err = Init(dir, "OTHER")
		wantCode(t, err, "")
		if len(made) > 0 || len(changed(before, snapshot(t, dir))) > 0 {
			t.Errorf("made %v, and changed %v", made, changed(before, snapshot(t, dir)))
		}
		verifyClean(t, reopen(t, dir))
	})
	t.Run("finishes one that is half made", func(t *testing.T) {
		dir := t.TempDir()
		config := filepath.Join(dir, Folder, "config.yaml")
		writeFile(t, config, "prefix: MINE\n")
		_, made, err := Init(dir, "PROJ")
		wantCode(t, err, "")
		if !slices.Equal(made, []string{".cairn/.gitignore"}) || string(readAll(t, config)) != "prefix: MINE\n" {
			t.Errorf("made %v", made)
		}
		if s := reopen(t, dir); s.Config.Prefix != "MINE" {
			t.Errorf("has prefix %s", s.Config.Prefix)
		}
	})
	t.Run("refuses links, and leaves what they lead to alone", func(t *testing.T) {
		dir, elsewhere := t.TempDir(), t.TempDir()
		link(t, elsewhere, filepath.Join(dir, Folder))
		_, _, err := Init(dir, "PROJ")
		wantMessage(t, err, task.InvalidInput, "is a link")
		if files := snapshot(t, elsewhere); len(files) > 0 {
			t.Errorf("wrote %v", files)
		}
	})
	t.Run("refuses a prefix that is none", func(t *testing.T) {
		dir := t.TempDir()
		_, _, err := Init(dir, "a b")
		wantCode(t, err, task.InvalidInput)
		if exists(filepath.Join(dir, Folder)) {
			t.Error("made a folder")
		}
	})
	t.Run("a file in the place of a folder", func(t *testing.T) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, Folder), "")
		_, _, err := Init(dir, "PROJ")
		wantCode(t, err, task.IO)
	})
}

func TestInitDerivesThePrefix(t *testing.T) {
	for folder, want := range map[string]string{
		"shop": "SHOP", "my-web.app": "MYWEBAPP", "2fast": "FAST", "größe": "GRE", "日本": "TASK",
		"a-very-long-folder-name": "AVERYLONGF",
	} {
		dir := mkdir(t, t.TempDir(), folder)
		_, _, err := Init(dir, "")
		wantCode(t, err, "")
		if got := reopen(t, dir).Config.Prefix; got != want {
			t.Errorf("%s becomes %s, and should become %s", folder, got, want)
		}
	}
}

// Everything that is this machine's alone is ignored by git.
func TestIgnoredByGit(t *testing.T) {
	repo := newRepo(t)
	s := newStoreAt(t, repo)
	handWrite(t, s, "PROJ-1")
	for _, name := range []string{"runs/PROJ-1-x.log", "local/write.lock", "tasks/.PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"} {
		writeFile(t, filepath.Join(repo, Folder, filepath.FromSlash(name)), "x")
	}
	runGit(t, repo, "add", ".")
	want := ".cairn/.gitignore\n.cairn/config.yaml\n.cairn/tasks/PROJ-1.md\n"
	if got := gitOutput(t, repo, "ls-files"); got != want {
		t.Errorf("git would commit\n%s", got)
	}
}

func wantNoProblem(t *testing.T, s *Store, want ...task.ID) {
	t.Helper()
	if problems := wantListed(t, s, want...); len(problems) > 0 {
		t.Errorf("has the problems %+v", problems)
	}
}

func onlyProblem(t *testing.T, s *Store, want ...task.ID) Problem {
	t.Helper()
	problems := wantListed(t, s, want...)
	if len(problems) != 1 {
		t.Fatalf("has the problems %+v, and should have one", problems)
	}
	return problems[0]
}

func wantListed(t *testing.T, s *Store, want ...task.ID) []Problem {
	t.Helper()
	tasks, problems, err := s.List(t.Context())
	wantCode(t, err, "")
	var got []task.ID
	for _, one := range tasks {
		got = append(got, one.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("lists %v, and should list %v", got, want)
	}
	return problems
}

// mkdir makes a folder and returns its path.
func mkdir(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skipf("no links here: %v", err)
	}
}

// moveAndLink moves a file or folder away, or makes an empty folder elsewhere if it is missing, and leaves a link to it.
func moveAndLink(t *testing.T, path string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(path, elsewhere); err != nil {
		mkdir(t, filepath.Dir(elsewhere), "elsewhere")
	}
	link(t, elsewhere, filepath.Clean(path))
}
