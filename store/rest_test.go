package store_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// rested is a workspace with the open task PROJ-1 and the task PROJ-2 at rest, on which something was noted.
func rested(t *testing.T) *store.Store {
	t.Helper()
	s := storetest.New(t)
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Raise the walls"), "")
	storetest.WantCode(t, a.CreateAs("PROJ-2", "Lay the foundation"), "")
	storetest.WantCode(t, a.Note("PROJ-2", "gravel below"), "")
	storetest.WriteFile(t, storetest.RestFile(s, "2026-06", "PROJ-2"), storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-2")))
	storetest.Remove(t, storetest.TaskFile(s, "PROJ-2"))
	return s
}

// A task at rest is read like any other, in every way to read one.
func TestTasksAtRestAreRead(t *testing.T) {
	s := rested(t)
	k := kind.Tasks.Kind
	if got := storetest.Get(t, s, "PROJ-2"); got.Title != "Lay the foundation" {
		t.Errorf("got %+v", got)
	}
	storetest.WantNoProblem(t, s, "PROJ-1", "PROJ-2")
	doc, _, err := s.Document(k, "PROJ-2")
	storetest.WantCode(t, err, "")
	src, rev, err := s.Source(k, "PROJ-2")
	storetest.WantCode(t, err, "")
	if src != string(doc.Bytes()) || rev != kind.Rev([]byte(src)) {
		t.Errorf("the text is %q, and the document %q", src, doc.Bytes())
	}
	for _, part := range []string{"PROJ-2", "2"} {
		if id, err := s.Resolve(k, part); id != "PROJ-2" || err != nil {
			t.Errorf("%s is completed to %q (%v)", part, id, err)
		}
	}
	if ids, err := s.Candidates(k, "proj"); !slices.Equal(ids, []string{"PROJ-1", "PROJ-2"}) || err != nil {
		t.Errorf("candidates are %v (%v)", ids, err)
	}
	if none, err := s.Harmless(t.Context()); none || err != nil {
		t.Errorf("there is no task (%v)", err)
	}
	storetest.WantCode(t, func() error { _, err := s.Read(k, "PROJ-3"); return err }(), record.NotFound)
}

// Lists by the index have tasks at rest, before and after the index is written and for a process that looked before.
func TestTasksAtRestAreInTheIndex(t *testing.T) {
	s := rested(t)
	k := kind.Tasks.Kind
	titles := func(after func(*store.Store) ([]*kind.Row, error)) (out []string) {
		rows, err := after(s)
		storetest.WantCode(t, err, "")
		for _, r := range rows {
			out = append(out, r.ID+" "+r.Title)
		}
		return out
	}
	view, err := s.Rows(k).Look(t.Context())
	storetest.WantCode(t, err, "")
	if again, err := s.Rows(k).LookAfter(t.Context(), view, nil); again.Find("PROJ-2") != view.Find("PROJ-2") || err != nil {
		t.Errorf("the row of an unchanged file is another one (%v)", err)
	}
	storetest.WantCode(t, storetest.NewActor(s, "agent:a").Note("PROJ-2", "sand above"), "")
	storetest.Rename(t, storetest.TaskFile(s, "PROJ-1"), storetest.RestFile(s, "2026-06", "PROJ-1"))
	want := []string{"PROJ-1 Raise the walls", "PROJ-2 Lay the foundation"}
	for name, look := range map[string]func(*store.Store) ([]*kind.Row, error){
		"anew": func(s *store.Store) ([]*kind.Row, error) {
			v, err := s.Rows(k).Look(t.Context())
			return v.Rows(), err
		},
		"after another": func(s *store.Store) ([]*kind.Row, error) {
			v, err := s.Rows(k).LookAfter(t.Context(), view, nil)
			return v.Rows(), err
		},
		"at what changed": func(s *store.Store) ([]*kind.Row, error) {
			v, err := s.Rows(k).LookAfter(t.Context(), view, []string{"PROJ-1.md"})
			return v.Rows(), err
		},
	} {
		if got := titles(look); !slices.Equal(got, want) {
			t.Errorf("a look %s finds %q", name, got)
		}
	}
	storetest.RemoveAll(t, s.Dir("closed"))
	if v, err := s.Rows(k).LookAfter(t.Context(), view, nil); len(v.Rows()) != 0 || err != nil {
		t.Errorf("finds %v where nothing is any more (%v)", v.Rows(), err)
	}
}

// Words are found in tasks at rest.
func TestTasksAtRestAreSearched(t *testing.T) {
	s := rested(t)
	view, err := s.Rows(kind.Tasks.Kind).Look(t.Context())
	storetest.WantCode(t, err, "")
	if found, err := s.Rows(kind.Tasks.Kind).Search(t.Context(), view, new(index.Terms), []string{"gravel"}); err != nil || !slices.Equal(found, []bool{false, true}) {
		t.Errorf("found %v (%v)", found, err)
	}
}

// A write to a task at rest is made where the file lies, and a new task cannot have its id.
func TestTasksAtRestAreWrittenWhereTheyLie(t *testing.T) {
	s := rested(t)
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.Note("PROJ-2", "it holds"), "")
	storetest.WantCode(t, a.Claim("PROJ-2"), "")
	if notes := storetest.NotesOf(storetest.Get(t, s, "PROJ-2")); !slices.Equal(notes, []string{"gravel below", "it holds"}) {
		t.Errorf("the notes are %q", notes)
	}
	at := storetest.ReadFile(t, storetest.RestFile(s, "2026-06", "PROJ-2"))
	err := s.Update(t.Context(), func(tx *store.Tx) error { kind.Tasks.Put(tx, madeTask("PROJ-2")); return nil })
	storetest.WantMessage(t, err, record.Conflict, ".cairn/closed/2026-06/PROJ-2.md is there already")
	if layout.Exists(storetest.TaskFile(s, "PROJ-2")) || storetest.ReadFile(t, storetest.RestFile(s, "2026-06", "PROJ-2")) != at {
		t.Error("a file was written")
	}
	storetest.WantCode(t, a.Delete("PROJ-2"), "")
	if layout.Exists(storetest.RestFile(s, "2026-06", "PROJ-2")) || !layout.Exists(s.Trash().File(proj2)) {
		t.Error("it is not in the trash")
	}
	storetest.WantNoProblem(t, s, "PROJ-1")
}

// An entry that an editor saves over is known of a task at rest, and moving the file loses none.
func TestOverwrittenAtRest(t *testing.T) {
	s := rested(t)
	storetest.WantOverwritten(t, s, "PROJ-2")
	before := storetest.ReadFile(t, storetest.RestFile(s, "2026-06", "PROJ-2"))
	storetest.WantCode(t, storetest.NewActor(s, "agent:a").Note("PROJ-2", "it holds"), "")
	storetest.Rename(t, storetest.RestFile(s, "2026-06", "PROJ-2"), storetest.TaskFile(s, "PROJ-2"))
	storetest.WantOverwritten(t, s, "PROJ-2")
	storetest.Rename(t, storetest.TaskFile(s, "PROJ-2"), storetest.RestFile(s, "2026-06", "PROJ-2"))
	storetest.WriteFile(t, storetest.RestFile(s, "2026-06", "PROJ-2"), before)
	storetest.WantOverwritten(t, s, "PROJ-2", "noted it holds")
}

// Of several files of one id that among the others counts, or else that in the newest month. The others are problems in
// every list.
func TestSecondFiles(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	titled := func(path, title string) {
		storetest.WriteFile(t, path, "---\nid: PROJ-1\ntitle: "+title+"\nstatus: done\n---\n")
	}
	titled(storetest.RestFile(s, "2026-05", "PROJ-1"), "old")
	titled(storetest.RestFile(s, "2026-06", "PROJ-1"), "new")
	second := func(month, counts string) problem.Problem {
		return problem.Second(".cairn/closed/"+month+"/PROJ-1.md", counts)
	}
	want := func(title string, problems ...problem.Problem) {
		t.Helper()
		if got := storetest.Get(t, s, "PROJ-1").Title; got != title {
			t.Errorf("reads %q, want %q", got, title)
		}
		if got := storetest.WantTasks(t, s, "PROJ-1"); !slices.Equal(got, problems) {
			t.Errorf("got problems %v, want %v", got, problems)
		}
		view, err := s.Rows(kind.Tasks.Kind).Look(t.Context())
		if err != nil || len(view.Rows()) != 1 || view.Rows()[0].Title != title || !slices.Equal(view.Problems(), problems) {
			t.Errorf("a look finds %v and %v (%v)", view.Rows(), view.Problems(), err)
		}
		findings, err := storetest.Judge(t.Context(), s.Layout)
		if err != nil || len(findings) != len(problems) {
			t.Errorf("cairn check finds %v (%v)", findings, err)
		}
		for i, f := range findings {
			if f.Path != problems[i].Path || f.Message != problems[i].Message {
				t.Errorf("cairn check finds %v, want %v", f, problems[i])
			}
		}
	}
	want("new", second("2026-05", ".cairn/closed/2026-06/PROJ-1.md"))
	titled(storetest.TaskFile(s, "PROJ-1"), "usual")
	want("usual", second("2026-05", ".cairn/tasks/PROJ-1.md"), second("2026-06", ".cairn/tasks/PROJ-1.md"))

	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), "broken")
	_, err := s.Read(kind.Tasks.Kind, "PROJ-1")
	storetest.WantMessage(t, err, record.BadFile, ".cairn/tasks/PROJ-1.md")
	if problems := storetest.WantTasks(t, s); len(problems) != 3 {
		t.Errorf("got problems %v", problems)
	}
	if view, err := s.Rows(kind.Tasks.Kind).Look(t.Context()); err != nil || len(view.Rows()) != 0 || len(view.Problems()) != 3 {
		t.Errorf("a look finds %v and %v (%v)", view.Rows(), view.Problems(), err)
	}
}

// A write to a task that a power cut left at two places takes the equal file away, if the write itself comes. Another
// version of the task stays, and keeps the task from being deleted, after which it would count.
func TestWritesToATaskAtTwoPlaces(t *testing.T) {
	note := func(s *store.Store) error {
		return s.Update(context.Background(), func(tx *store.Tx) error { return storetest.AddNote(tx, "PROJ-1", "it holds") })
	}
	remove := func(s *store.Store) error { return storetest.NewActor(s, "agent:a").Delete("PROJ-1") }
	for _, tt := range []struct {
		name   string
		months map[string]string // of the second files, and the labels in them
		write  func(*store.Store) error
		code   record.Code
		left   []string // months
	}{
		{"a note", map[string]string{"2026-06": "[a]"}, note, "", nil},
		{"a note, and three places", map[string]string{"2026-06": "[a]", "2026-05_02": "[a]"}, note, "", nil},
		{"a note, and another version", map[string]string{"2026-06": "[a]", "2026-05": "[b]"}, note, "", []string{"2026-05"}},
		{"a deletion", map[string]string{"2026-06": "[a]"}, remove, "", nil},
		{"a deletion, and another version", map[string]string{"2026-06": "[b]"}, remove, record.Conflict, []string{"2026-06"}},
		{"a deletion, and both", map[string]string{"2026-06": "[a]", "2026-05": "[b]"}, remove, record.Conflict, []string{"2026-05", "2026-06"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := storetest.NewAt(t, t.TempDir())
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), storetest.TaskText("PROJ-1", "labels: [a]"))
			for month, labels := range tt.months {
				storetest.WriteFile(t, storetest.RestFile(s, month, "PROJ-1"), storetest.TaskText("PROJ-1", "labels: "+labels))
			}
			storetest.WantCode(t, tt.write(s), tt.code)
			var left []string
			for _, month := range slices.Sorted(maps.Keys(tt.months)) {
				if layout.Exists(storetest.RestFile(s, month, "PROJ-1")) {
					left = append(left, month)
				}
			}
			if !slices.Equal(left, tt.left) || layout.Exists(s.Live.Redo()) {
				t.Errorf("files are left in %v, and not in %v", left, tt.left)
			}
			if got := layout.Exists(storetest.TaskFile(s, "PROJ-1")); got != (!strings.HasPrefix(tt.name, "a deletion") || tt.code != "") {
				t.Errorf("the task is there: %v", got)
			}
		})
	}
}

// What is in no folder of a month is no task, and neither a file nor a folder of that name is in the way.
func TestWhatIsNotAtRest(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	for _, name := range []string{"2026-13/T-1.md", "26-06/T-1.md", "T-1.md", "old/T-1.md", "2026-06/old/T-1.md", "2026-06/T-1.txt", "2026-06/.T-1.md", "2026-07"} {
		storetest.WriteFile(t, filepath.Join(s.Dir("closed"), filepath.FromSlash(name)), storetest.TaskText("T-1"))
	}
	storetest.WantNoProblem(t, s, "PROJ-1")
	_, err := s.Read(kind.Tasks.Kind, "T-1")
	storetest.WantCode(t, err, record.NotFound)
	if err := os.Mkdir(filepath.Join(s.Dir("closed"), "2026-06", "T-2.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if problems := storetest.WantTasks(t, s, "PROJ-1"); len(problems) != 1 || problems[0].Path != ".cairn/closed/2026-06/T-2.md" {
		t.Errorf("got problems %v", problems)
	}
	storetest.RemoveAll(t, filepath.Join(s.Dir("closed"), "2026-06", "T-2.md"))
}

// Nothing at rest is read through a link, and a temporary file there is swept.
func TestRestBehindLinks(t *testing.T) {
	for _, name := range []string{"closed", "closed/2026-06"} {
		s := storetest.NewAt(t, t.TempDir())
		elsewhere := t.TempDir()
		storetest.WriteFile(t, filepath.Join(elsewhere, "2026-06", "T-1.md"), storetest.TaskText("T-1"))
		storetest.Mkdir(t, filepath.Dir(s.Dir(name)), ".")
		storetest.Link(t, elsewhere, s.Dir(name))
		_, err := store.Open(s.Root, storetest.StateDir())
		storetest.WantMessage(t, err, record.InvalidInput, "is a link")
	}
	s := rested(t)
	temp := filepath.Join(s.Dir("closed/2026-06"), ".PROJ-2.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp")
	storetest.WriteFile(t, temp, "half")
	if !layout.LocalOnly(s.Rel(temp)) {
		t.Error("git may have the temporary file")
	}
	if found, err := storetest.Verify(t.Context(), s); err != nil || len(found) != 1 {
		t.Errorf("found %v (%v)", found, err)
	}
	storetest.WantCode(t, s.Sweep(t.Context()), "")
}

// A file is moved with its bytes as they are, and is never at both places; what the clone knows of its task stays.
func TestMove(t *testing.T) {
	s := storetest.New(t)
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Raise the walls"), "")
	storetest.WantCode(t, a.CreateAs("PROJ-2", "Lay the foundation"), "")
	storetest.WantCode(t, a.Claim("PROJ-2"), "")
	text, known := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-2")), s.Known(proj2)
	move := func(folder string) error {
		return s.Update(t.Context(), func(tx *store.Tx) error { return moveAll(tx, folder, "PROJ-2") })
	}
	for range 2 { // the second time there is nothing to do
		storetest.WantCode(t, move("closed/2026-06"), "")
	}
	if layout.Exists(storetest.TaskFile(s, "PROJ-2")) || storetest.ReadFile(t, storetest.RestFile(s, "2026-06", "PROJ-2")) != text {
		t.Error("it was not moved as it is")
	}
	if now := s.Known(proj2); !reflect.DeepEqual(now.State, known.State) {
		t.Errorf("the clone knows %+v of it, and knew %+v", now.State, known.State)
	}
	storetest.WantNoProblem(t, s, "PROJ-1", "PROJ-2")
	storetest.WantCode(t, move("tasks"), "")
	if layout.Exists(storetest.RestFile(s, "2026-06", "PROJ-2")) || storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-2")) != text {
		t.Error("it was not moved back as it is")
	}
	if layout.Exists(s.Live.Redo()) {
		t.Error("the redo log is left")
	}
}

// A file that somebody else changes, takes away or has an equal of in the moment of its move is left as they left it.
func TestMoveBesideAnEditor(t *testing.T) {
	other := storetest.TaskText("PROJ-2", "labels: [edited]")
	for name, edit := range map[string]func(t *testing.T, s *store.Store){
		"changes it": func(t *testing.T, s *store.Store) { storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), other) },
		"has put one there": func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.RestFile(s, "2026-06", "PROJ-2"), other)
		},
		"takes it away": func(t *testing.T, s *store.Store) { storetest.Remove(t, storetest.TaskFile(s, "PROJ-2")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewAt(t, t.TempDir()) // a second file is a finding
			for _, id := range []record.ID{"PROJ-1", "PROJ-2"} {
				storetest.WriteTask(t, s, id)
			}
			was := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-2"))
			s.BeforePublish(func(path string) {
				if path == storetest.TaskFile(s, "PROJ-1") {
					edit(t, s)
				}
			})
			storetest.WantCode(t, s.Update(t.Context(), func(tx *store.Tx) error { return moveAll(tx, "closed/2026-06", "PROJ-1", "PROJ-2") }), "")
			if layout.Exists(storetest.TaskFile(s, "PROJ-1")) || !layout.Exists(storetest.RestFile(s, "2026-06", "PROJ-1")) {
				t.Error("the other one was not moved")
			}
			files := map[string]string{}
			for _, path := range []string{storetest.TaskFile(s, "PROJ-2"), storetest.RestFile(s, "2026-06", "PROJ-2")} {
				if layout.Exists(path) {
					files[s.Rel(path)] = storetest.ReadFile(t, path)
				}
			}
			want := map[string]map[string]string{
				"changes it":        {".cairn/tasks/PROJ-2.md": other},
				"has put one there": {".cairn/tasks/PROJ-2.md": was, ".cairn/closed/2026-06/PROJ-2.md": other},
				"takes it away":     {},
			}[name]
			if !maps.Equal(files, want) || layout.Exists(s.Live.Redo()) {
				t.Errorf("there is %v, and not %v", files, want)
			}
		})
	}
}

// A task that the write changes too stays where it is.
func TestMoveOfWhatIsChanged(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-2")
	storetest.WantCode(t, s.Update(t.Context(), func(tx *store.Tx) error {
		if err := storetest.AddNote(tx, "PROJ-2", "it holds"); err != nil {
			return err
		}
		tx.Move(proj2, "closed/2026-06")
		return nil
	}), "")
	if notes := storetest.NotesOf(storetest.Get(t, s, "PROJ-2")); !slices.Equal(notes, []string{"it holds"}) || !layout.Exists(storetest.TaskFile(s, "PROJ-2")) {
		t.Errorf("the notes are %q", notes)
	}
}

// Whoever lists tasks while some are moved to where they rest, in folders that come to be meanwhile, misses none and
// sees none twice.
func TestListsBesideMoves(t *testing.T) {
	s := storetest.New(t)
	const all, each = 240, 6
	var ids []record.ID
	for i := range all {
		ids = append(ids, record.ID(fmt.Sprintf("PROJ-%d", 1000+i)))
		storetest.WriteTask(t, s, ids[i])
	}
	k := kind.Tasks.Kind
	var before *index.View
	lists := map[string]func(context.Context) (found int, problems any, err error){
		"files": func(ctx context.Context) (int, any, error) {
			all, problems, err := kind.Tasks.List(ctx, s)
			return len(all), problems, err
		},
		"the index": func(ctx context.Context) (int, any, error) {
			view, err := s.Rows(k).Look(ctx)
			return len(view.Rows()), view.Problems(), err
		},
		"what is known": func(ctx context.Context) (int, any, error) {
			view, err := s.Rows(k).LookAfter(ctx, before, nil)
			before = view
			return len(view.Rows()), view.Problems(), err
		},
		"cairn check": func(ctx context.Context) (int, any, error) {
			records, err := snapshot.ReadRecords(ctx, s.Layout)
			if err != nil {
				return 0, nil, err
			}
			all, problems, err := kind.Tasks.List(ctx, records)
			return len(all), append(findings(records), messages(problems)...), err
		},
	}
	done := make(chan struct{})
	var listing sync.WaitGroup
	for name, list := range lists {
		listing.Go(func() {
			for ended := false; !ended; {
				select {
				case <-done:
					ended = true // once more, of what is there in the end
				default:
				}
				found, problems, err := list(t.Context())
				if err != nil || found != all || reflect.ValueOf(problems).Len() > 0 {
					t.Errorf("by %s there are %d of %d tasks, and the problems %v (%v)", name, found, all, problems, err)
					return
				}
			}
		})
	}
	for n := 0; n < all; n += each {
		folder := "closed/" + kind.Month(storetest.Noon, n/each+1)
		storetest.WantCode(t, s.Update(t.Context(), func(tx *store.Tx) error { return moveAll(tx, folder, ids[n:n+each]...) }), "")
	}
	close(done)
	listing.Wait()
}

func findings(records snapshot.Records) (out []string) {
	for _, f := range records.Judge() {
		out = append(out, f.Path+": "+f.Message)
	}
	return out
}

func messages(problems []problem.Problem) (out []string) {
	for _, p := range problems {
		out = append(out, p.Path+": "+p.Message)
	}
	return out
}
