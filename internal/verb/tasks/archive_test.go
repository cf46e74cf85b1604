package tasks_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/limits"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// archiveDay is the day on which tests archive.
var archiveDay = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)

// shelf is a workspace in which archive is called on archiveDay, with lines of its config.
func shelf(t testing.TB, w *verb.Workspace, config ...string) *verb.Workspace {
	t.Helper()
	w.Now = func() time.Time { return archiveDay }
	path := filepath.Join(w.Dir, ".cairn", "config.yaml")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, string(src)+strings.Join(append(config, ""), "\n"))
	return w
}

// folderMax gives a test another limit of files of a folder. It must not run beside others.
func folderMax(t *testing.T, files int) {
	t.Helper()
	was := limits.FolderMax
	limits.FolderMax = files
	t.Cleanup(func() { limits.FolderMax = was })
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func taskPath(w *verb.Workspace, id string) string {
	return filepath.Join(w.Dir, ".cairn", "tasks", id+".md")
}

// closedTask is the text of a task that was closed on a day, and of what was written to it later.
func closedTask(id, day string, later ...string) string {
	text := "---\nid: " + id + "\ntitle: Task " + id + "\nstatus: done\nprovenance:\n" +
		"  - {who: 'human:lee', at: 2020-01-01T00:00:00Z, did: created}\n" +
		"  - {who: 'human:lee', at: " + day + "T12:00:00Z, did: transitioned, from: backlog, to: done}\n"
	for _, entry := range later {
		text += "  - " + entry + "\n"
	}
	return text + "---\n"
}

func openTask(id string) string {
	return "---\nid: " + id + "\ntitle: Task " + id + "\nstatus: backlog\nprovenance:\n  - {who: 'human:lee', at: 2020-01-01T00:00:00Z, did: created}\n---\n"
}

// lie are the files of tasks: where each lies, and what it holds.
func lie(t *testing.T, w *verb.Workspace) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"tasks/*", "closed/*/*"} {
		paths, err := filepath.Glob(filepath.Join(w.Dir, ".cairn", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(filepath.Join(w.Dir, ".cairn"), path)
			out[filepath.ToSlash(rel)] = string(src)
		}
	}
	return out
}

func archive(t *testing.T, w *verb.Workspace, in verbtest.Args) tasks.Archived {
	t.Helper()
	out, err := verbtest.Call[tasks.Archived](t, w, "archive", in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What is closed and old goes to the month in which it was closed, with its bytes as they are; everything else stays. A
// folder that is full has a neighbour, and what was written to last comes last. The second call does nothing, and a dry
// run never does.
func TestArchive(t *testing.T) {
	w := shelf(t, verbtest.NewWorkspace(t))
	folderMax(t, 2)
	texts := map[string]string{
		"PROJ-1": closedTask("PROJ-1", "2026-03-31"),
		"PROJ-2": closedTask("PROJ-2", "2026-04-01"),
		"PROJ-3": closedTask("PROJ-3", "2026-04-02", "{who: 'human:lee', at: 2026-05-21T12:00:00Z, did: noted, text: late}"),
		"PROJ-4": closedTask("PROJ-4", "2026-04-03"),
		"PROJ-5": closedTask("PROJ-5", "2026-04-03", "{who: 'human:lee', at: 2026-06-20T12:00:00Z, did: noted, text: of yesterday}"),
		"PROJ-6": closedTask("PROJ-6", "2026-05-23"),
		"PROJ-7": openTask("PROJ-7"),
	}
	for id, text := range texts {
		put(t, taskPath(w, id), text)
	}
	before := lie(t, w)
	dry := archive(t, w, verbtest.Args{"dry_run": true})
	if !dry.DryRun || dry.OlderThan != "30d" || !maps.Equal(lie(t, w), before) {
		t.Errorf("the dry run changed something: %+v", dry)
	}
	out := archive(t, w, verbtest.Args{"idempotency_key": "k"})
	want := []tasks.Resting{
		{ID: "PROJ-1", Title: "Task PROJ-1", Folder: ".cairn/closed/2026-03"}, {ID: "PROJ-2", Title: "Task PROJ-2", Folder: ".cairn/closed/2026-04"},
		{ID: "PROJ-4", Title: "Task PROJ-4", Folder: ".cairn/closed/2026-04"}, {ID: "PROJ-3", Title: "Task PROJ-3", Folder: ".cairn/closed/2026-04_02"},
	}
	if !slices.Equal(out.Tasks, want) || !slices.Equal(dry.Tasks, want) || out.Moved != 4 || len(out.Stay) != 0 || out.More {
		t.Errorf("moved %+v, and the dry run said %+v", out, dry)
	}
	lies := map[string]string{
		"closed/2026-03/PROJ-1.md": texts["PROJ-1"], "closed/2026-04/PROJ-2.md": texts["PROJ-2"], "closed/2026-04/PROJ-4.md": texts["PROJ-4"],
		"closed/2026-04_02/PROJ-3.md": texts["PROJ-3"], "tasks/PROJ-5.md": texts["PROJ-5"], "tasks/PROJ-6.md": texts["PROJ-6"], "tasks/PROJ-7.md": texts["PROJ-7"],
	}
	if now := lie(t, w); !maps.Equal(now, lies) {
		t.Errorf("files lie in %v", slices.Sorted(maps.Keys(now)))
	}
	if again := archive(t, w, verbtest.Args{"idempotency_key": "k"}); !again.Replayed || !slices.Equal(again.Tasks, want) {
		t.Errorf("repeated under its key it says %+v", again)
	}
	if again := archive(t, w, verbtest.Args{}); again.Moved != 0 || !maps.Equal(lie(t, w), lies) {
		t.Errorf("the second call moved %+v", again)
	}
	if got := listed(t, w, verbtest.Args{"closed": true}); len(got) != 6 {
		t.Errorf("of the closed tasks it lists %v", got)
	}
	if out := archive(t, w, verbtest.Args{"older_than": "4w"}); out.Moved != 1 || out.OlderThan != "28d" || out.Tasks[0].ID != "PROJ-6" {
		t.Errorf("of those of four weeks it moved %+v", out)
	}
}

// The config says how old a task must be, and nothing is moved by a time that cannot be read.
func TestArchiveAfter(t *testing.T) {
	w := shelf(t, verbtest.NewWorkspace(t), "archive_after: 12w")
	put(t, taskPath(w, "PROJ-1"), closedTask("PROJ-1", "2026-03-28"))
	put(t, taskPath(w, "PROJ-2"), closedTask("PROJ-2", "2026-03-30"))
	if out := archive(t, w, verbtest.Args{}); out.Moved != 1 || out.Tasks[0].ID != "PROJ-1" || out.OlderThan != "84d" {
		t.Errorf("moved %+v", out)
	}
	for _, text := range []string{"x", "0d", "-1d", "30", "1000000w"} {
		if _, err := verbtest.Call[tasks.Archived](t, w, "archive", verbtest.Args{"older_than": text}); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("older than %q: %v", text, err)
		}
	}
}

// What somebody is at work on stays, and so does what cannot be judged, each with its reason.
func TestArchiveLeavesAlone(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	verbtest.PrepareJobs(t, w)
	shelf(t, w)
	w.Now = func() time.Time { return archiveDay.AddDate(0, -4, 0) }
	put(t, taskPath(w, "PROJ-10"), openTask("PROJ-10"))
	verbtest.Must(t, w, "claim", verbtest.Args{"id": "PROJ-10"})
	put(t, taskPath(w, "PROJ-11"), openTask("PROJ-11"))
	verbtest.Must(t, w, "job_start", verbtest.Args{"id": "PROJ-11", "executor": "mine"})
	for _, id := range []string{"PROJ-10", "PROJ-11"} { // and an editor closes them
		src, err := os.ReadFile(taskPath(w, id))
		if err != nil {
			t.Fatal(err)
		}
		put(t, taskPath(w, id), strings.Replace(string(src), "status: backlog", "status: done", 1))
	}
	w.Now = func() time.Time { return archiveDay }
	put(t, taskPath(w, "PROJ-12"), closedTask("PROJ-12", "2026-02-01"))
	put(t, filepath.Join(w.Dir, ".cairn", "sessions", "ses-1.yaml"), "id: ses-1\ntask: PROJ-12\nactor: human:lee\nstatus: active\nstarted_at: 2026-02-01T10:00:00Z\n")
	put(t, taskPath(w, "PROJ-13"), "---\nid: PROJ-13\ntitle: Of no age\nstatus: done\n---\n")
	put(t, taskPath(w, "PROJ-14"), closedTask("PROJ-14", "2026-02-01"))
	put(t, filepath.Join(w.Dir, ".cairn", "closed", "2026-02", "PROJ-14.md"), closedTask("PROJ-14", "2026-02-02"))
	put(t, taskPath(w, "PROJ-15"), "broken")
	put(t, taskPath(w, "PROJ-16"), closedTask("PROJ-16", "2026-02-01"))
	before := lie(t, w)
	out := archive(t, w, verbtest.Args{})
	got := map[tasks.Why][]record.ID{}
	for _, s := range out.Stay {
		got[s.Why] = s.Tasks
		if s.Count != len(s.Tasks) {
			t.Errorf("%s: %d are %v", s.Why, s.Count, s.Tasks)
		}
	}
	want := map[tasks.Why][]record.ID{
		tasks.StaysInJob: {"PROJ-11"}, tasks.StaysInSession: {"PROJ-12"}, tasks.StaysUndated: {"PROJ-13"},
		tasks.StaysTwice: {"PROJ-14"}, tasks.StaysUnread: {"PROJ-15"},
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("they stay: %v", got)
	}
	for _, id := range []string{"PROJ-10", "PROJ-16"} { // a claim of a closed task keeps nothing
		before["closed/2026-02/"+id+".md"] = before["tasks/"+id+".md"]
		delete(before, "tasks/"+id+".md")
	}
	if now := lie(t, w); !maps.Equal(now, before) {
		t.Errorf("files lie in %v", slices.Sorted(maps.Keys(now)))
	}
}

// The last file of the folder of tasks stays: git would take a folder that is gone for one that was renamed.
func TestArchiveLeavesTheLast(t *testing.T) {
	w := shelf(t, verbtest.NewWorkspace(t))
	for i, day := range []string{"2026-01-01", "2026-03-01", "2026-02-01"} {
		id := fmt.Sprintf("PROJ-%d", i+1)
		put(t, taskPath(w, id), closedTask(id, day))
	}
	for range 2 {
		out := archive(t, w, verbtest.Args{})
		if len(out.Stay) != 1 || out.Stay[0].Why != tasks.StaysLast || !slices.Equal(out.Stay[0].Tasks, []record.ID{"PROJ-2"}) {
			t.Errorf("it says %+v", out)
		}
	}
	if now := slices.Sorted(maps.Keys(lie(t, w))); !slices.Equal(now, []string{"closed/2026-01/PROJ-1.md", "closed/2026-02/PROJ-3.md", "tasks/PROJ-2.md"}) {
		t.Errorf("files lie in %v", now)
	}
}

// A month whose folders are all full takes no more.
func TestArchiveWithoutRoom(t *testing.T) {
	w := shelf(t, verbtest.NewWorkspace(t))
	folderMax(t, 1)
	put(t, taskPath(w, "PROJ-0"), openTask("PROJ-0"))
	for i := range 101 {
		id := fmt.Sprintf("PROJ-%d", 1000+i)
		put(t, taskPath(w, id), closedTask(id, "2026-02-01"))
	}
	out := archive(t, w, verbtest.Args{})
	if out.Moved != 99 || len(out.Folders) != 99 || out.Folders[98].Folder != ".cairn/closed/2026-02_99" || len(out.Stay) != 1 || out.Stay[0].Why != tasks.StaysFull || out.Stay[0].Count != 2 {
		t.Errorf("moved %d to %d folders, and says %+v", out.Moved, len(out.Folders), out.Stay)
	}
}

// Many tasks are moved in several writes, all of them, and no folder has more files than it may have.
func TestArchiveOfMany(t *testing.T) {
	w := shelf(t, verbtest.NewWorkspace(t))
	folderMax(t, 300)
	put(t, taskPath(w, "PROJ-0"), openTask("PROJ-0"))
	const many = 1100
	for i := range many {
		id := fmt.Sprintf("PROJ-%d", 10_000+i)
		put(t, taskPath(w, id), closedTask(id, "2026-02-01"))
	}
	out := archive(t, w, verbtest.Args{})
	if out.Moved != many || len(out.Tasks) != many || len(out.Folders) != 4 {
		t.Errorf("moved %d to %+v", out.Moved, out.Folders)
	}
	count := map[string]int{}
	for path := range lie(t, w) {
		count[filepath.Dir(path)]++
	}
	if !maps.Equal(count, map[string]int{"tasks": 1, "closed/2026-02": 300, "closed/2026-02_02": 300, "closed/2026-02_03": 300, "closed/2026-02_04": 200}) {
		t.Errorf("files are %v", count)
	}
	w.Bounded = true
	if out := archive(t, w, verbtest.Args{"dry_run": true}); out.Moved != 0 || len(out.Stay) != 0 {
		t.Errorf("there is more to do: %+v", out)
	}
}

// BenchmarkArchive moves 10,000 closed tasks.
func BenchmarkArchive(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		w := verbtest.NewWorkspace(b)
		shelf(b, w)
		put(b, taskPath(w, "PROJ-0"), openTask("PROJ-0"))
		for i := range 10_000 {
			id := fmt.Sprintf("PROJ-%d", 10_000+i)
			put(b, taskPath(w, id), closedTask(id, fmt.Sprintf("2026-%02d-01", i%4+1)))
		}
		b.StartTimer()
		out, err := tasks.Archive(b.Context(), w, tasks.ArchiveIn{})
		if err != nil || out.Moved != 10_000 {
			b.Fatalf("moved %d (%v)", out.Moved, err)
		}
	}
}

// Branches that archive apart put a task into the same folder of a full month, though one has moved more than the
// other, in more goes, and has one task less: only at the edges of folders may a task lie in the neighbour.
func TestArchiveFillsFoldersAlike(t *testing.T) {
	const many, room = 60, 10
	folderMax(t, room)
	on := func(goes []string, without int) map[string]string {
		w := shelf(t, verbtest.NewWorkspace(t))
		put(t, taskPath(w, "PROJ-0"), openTask("PROJ-0"))
		for i := range many {
			if id := fmt.Sprintf("PROJ-%d", 1000+i*37%many); i != without { // their order by id is another than by time
				put(t, taskPath(w, id), closedTask(id, fmt.Sprintf("2026-02-%02d", i%28+1)))
			}
		}
		for _, older := range goes {
			archive(t, w, verbtest.Args{"older_than": older})
		}
		folder := map[string]string{}
		for path := range lie(t, w) {
			if dir := filepath.Dir(path); dir != "tasks" {
				folder[filepath.Base(path)] = dir
			}
		}
		return folder
	}
	whole := on([]string{"30d"}, -1)
	for name, other := range map[string]map[string]string{
		"a part":        on([]string{"130d"}, -1),
		"in three goes": on([]string{"138d", "130d", "30d"}, -1),
	} {
		if len(other) == 0 || name != "a part" && len(other) != many || name == "a part" && len(other) == many {
			t.Fatalf("%s: %d of %d are moved", name, len(other), len(whole))
		}
		for id, folder := range other {
			if whole[id] != folder {
				t.Errorf("%s: %s is in %s, and in %s where all were moved", name, id, folder, whole[id])
			}
		}
	}
	elsewhere := 0
	for id, folder := range on([]string{"30d"}, 3) {
		if whole[id] != folder {
			elsewhere++
		}
	}
	if most := many / room; elsewhere > most {
		t.Errorf("one task less puts %d of %d elsewhere, more than one a folder", elsewhere, many)
	}
}
